"""The linear analysis and the errors of the timestepping schemes, from the page of the nonsmooth paper.

    build/myriad bench nonsmooth_paper --pages papers/nonsmooth
    python3 python/nonsmooth_plots.py papers/nonsmooth/nonsmooth_paper.md gallery

Lines of the linear analysis are the paper's equations for q'' + w^2 q = 0, points what the page has measured of the
code. Points of the errors are ours, open ones the paper's Tables 4 and 6.
"""

import pathlib
import sys

import numpy

WIDTH, HEIGHT, LEFT, TOP, PANEL_WIDTH, PANEL_HEIGHT = 860, 460, 62, 56, 340, 300
# A colour for each family, of the palette of Okabe and Ito, and dashes of its own for each line: for eyes that confuse
# colours, and for grey print.
STYLES = {"generalized-alpha 1": ("#0072B2", ""), "generalized-alpha 0.8": ("#0072B2", "8 3"),
          "generalized-alpha 0.5": ("#0072B2", "3 3"), "generalized-alpha 0": ("#0072B2", "1 3"),
          "Bathe": ("#D55E00", "12 3 2 3"), "ED-alpha 0.8": ("#009E73", "9 3 2 3 2 3"), "ED-alpha 0.5": ("#009E73", "5 2"),
          "ED-alpha 0": ("#009E73", "2 2 6 2"), "Moreau": ("#E69F00", "14 4"), "half-explicit": ("#000000", "")}


def table(page, title):
    """The columns of a table of the page by their names; a repeated name, as of the paper's columns, gets a number."""
    lines = page.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    names = [name if rows[0].count(name) == 1 else f"{name} {rows[0][:i].count(name)}"
             for i, name in enumerate(rows[0])]
    return {name: [row[i] for row in rows[2:]] for i, name in enumerate(names)}


def number(cell):
    return numpy.nan if cell == "-" else float(cell)


def by_generalized_alpha(radius, w):
    """Eqs. 95, 96."""
    m, f = (2 * radius - 1) / (radius + 1), radius / (radius + 1)
    gamma, beta, s = 0.5 - m + f, 0.25 * (1 - m + f) ** 2, w * w
    matrix = [[1 - m - f * beta * s, 1 - m, (0.5 - beta) * (1 - m) - beta * m],
              [-gamma * s, 1 - m - (1 - f) * (gamma - beta) * s,
               (1 - gamma) * (1 - m) - gamma * m - (1 - f) * (gamma / 2 - beta) * s],
              [-s, -(1 - f) * s, -(1 - f) * (0.5 - beta) * s - m]]
    return numpy.array(matrix) / (1 - m + (1 - f) * beta * s)


def by_bathe(w):
    """Eqs. 106, 107, with rows and columns in the order q, h v, h^2 a."""
    s = w * w
    matrix = [[144 - 19 * s, 144 - 5 * s, 28], [-96 * s + s * s, 144 - 47 * s, 48 - 4 * s],
              [-144 * s + 19 * s * s, -144 * s + 5 * s * s, -28 * s]]
    return numpy.array(matrix) / ((16 + s) * (9 + s))


def by_ed_alpha(radius, w):
    """Eqs. 77 to 82, 84: the unknowns are q, h v, h^2 a at the end and at j."""
    alpha, ratio, s = (1 - radius) / (1 + radius), 1 / 6, w * w
    left, right = numpy.zeros((6, 6)), numpy.zeros((6, 3))
    q, v, a, qj, vj, aj = range(6)
    left[0, [a, q]] = 1, s
    left[1, [aj, qj]] = 1, s
    left[2, [v, aj, a]], right[2, 1] = (1, -0.5, -0.5), 1
    left[3, [vj, aj, a]], right[3, [1, 2]] = (1, -ratio * alpha, ratio), (1, ratio * (1 - alpha))
    left[4, [q, vj, v]], right[4, 0] = (1, -0.5, -0.5), 1
    left[5, [qj, vj, v]], right[5, [0, 1]] = (1, -ratio * alpha, ratio), (1, ratio * (1 - alpha))
    return numpy.linalg.solve(left, right)[:3]


def by_moreau(w):
    s = w * w
    return numpy.array([[1 - s / 2, 1 - s / 4, 0], [-s, 1 - s / 2, 0], [0, 0, 0]])


def by_half_explicit(w):
    s = w * w
    return numpy.array([[1 - s / 2, 1, 0], [-s, 1 - s / 2, 0], [0, 0, 0]])


def matrix_of(name, w):
    family, _, radius = name.rpartition(" ")
    if family == "generalized-alpha":
        return by_generalized_alpha(float(radius), w)
    if family == "ED-alpha":
        return by_ed_alpha(float(radius), w)
    return {"Bathe": by_bathe, "Moreau": by_moreau, "half-explicit": by_half_explicit}[name](w)


def spectrum(name, step_per_period):
    """Spectral radius and period elongation."""
    w = 2 * numpy.pi * step_per_period
    values = numpy.linalg.eigvals(matrix_of(name, w))
    turn = abs(numpy.angle(values[numpy.argmin(abs(values - numpy.exp(1j * w)))]))
    return max(abs(values)), w / turn - 1 if turn > 0 else numpy.nan


class Panel:
    """Axes with a scale of each, lines and points."""

    def __init__(self, left, title, across, down, scales, ticks, labels):
        self.left, self.across, self.down, self.scales = left, across, down, scales
        self.parts = [f'<text x="{left}" y="{TOP - 10}" font-size="14">{title}</text>']
        for value in ticks[0]:
            self.parts.append(f'<path d="M{self.x(value):.1f},{TOP}v{PANEL_HEIGHT}" stroke="#eee"/><text '
                              f'x="{self.x(value):.1f}" y="{TOP + PANEL_HEIGHT + 16}" text-anchor="middle" '
                              f'font-size="11">{value:g}</text>')
        for value in ticks[1]:
            self.parts.append(f'<path d="M{left},{self.y(value):.1f}h{PANEL_WIDTH}" stroke="#eee"/><text '
                              f'x="{left - 6}" y="{self.y(value) + 4:.1f}" text-anchor="end" '
                              f'font-size="11">{value:g}</text>')
        self.parts.append(f'<text x="{left + PANEL_WIDTH / 2}" y="{TOP + PANEL_HEIGHT + 34}" text-anchor="middle" '
                          f'font-size="12">{labels}</text>')

    def place(self, value, ends, scale):
        low, high, value = (numpy.log10(number) if scale == "log" else number for number in (*ends, value))
        return (value - low) / (high - low)

    def x(self, value):
        return self.left + PANEL_WIDTH * self.place(value, self.across, self.scales[0])

    def y(self, value):
        return TOP + PANEL_HEIGHT * (1 - self.place(value, self.down, self.scales[1]))

    def inside(self, x, y):
        return numpy.isfinite(y) and self.across[0] <= x <= self.across[1] and self.down[0] <= y <= self.down[1]

    def line(self, xs, ys, style):
        colour, dashes = style
        points = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in zip(xs, ys) if self.inside(x, y))
        self.parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.4" '
                          f'stroke-dasharray="{dashes}"/>')

    def points(self, xs, ys, colour, fill=None, radius=3.2):
        for x, y in zip(xs, ys):
            if self.inside(x, y):
                self.parts.append(f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="{radius}" '
                                  f'fill="{fill or colour}" stroke="{colour}"/>')


def write(picture, title, panels, names):
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
             f'font-size="13"><rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
             f'<text x="{LEFT}" y="22" font-size="15">{title}</text>']
    for panel in panels:
        parts += panel.parts
    for i, name in enumerate(names):
        across, down = LEFT + 159 * (i % 5), HEIGHT - 44 + 20 * (i // 5)
        parts.append(f'<path d="M{across},{down}h26" stroke="{STYLES[name][0]}" stroke-width="2" '
                     f'stroke-dasharray="{STYLES[name][1]}"/>'
                     f'<text x="{across + 30}" y="{down + 4}" font-size="11">{name}</text>')
    picture.write_text("\n".join(parts) + "\n</svg>\n", encoding="utf-8")
    print(picture)


def draw_spectra(page, picture):
    radii, periods = table(page, "Spectral radius over h/T"), table(page, "Period elongation over h/T")
    names = [name for name in radii if name != "h/T"]
    left = Panel(LEFT, "spectral radius", (0.01, 1000), (0, 1.1), ("log", "linear"),
                 ((0.01, 0.1, 1, 10, 100, 1000), (0, 0.2, 0.4, 0.6, 0.8, 1)), "h/T")
    right = Panel(LEFT + PANEL_WIDTH + 66, "period elongation", (0, 0.3), (-0.25, 0.65), ("linear", "linear"),
                  ((0, 0.1, 0.2, 0.3), (-0.2, 0, 0.2, 0.4, 0.6)), "h/T")
    largest = 0.0
    for name in names:
        steps = numpy.geomspace(0.01, 1000, 400)
        left.line(steps, [spectrum(name, step)[0] for step in steps], STYLES[name])
        steps = numpy.linspace(0.002, 0.3, 200)
        right.line(steps, [spectrum(name, step)[1] for step in steps], STYLES[name])
        for panel, columns, which in ((left, radii, 0), (right, periods, 1)):
            xs, ys = ([number(cell) for cell in columns[key]] for key in ("h/T", name))
            panel.points(xs, ys, STYLES[name][0])
            of_lines = numpy.array([spectrum(name, x)[which] for x in xs])
            largest = max(largest, numpy.nanmax(abs(numpy.array(ys) / of_lines - 1)))
    print(f"points and lines differ by at most {largest:.1e}, relative")
    write(picture, "Timestepping schemes on an undamped oscillator: the equations (lines) and the code (points)",
          (left, right), names)


def draw_errors(page, picture):
    names, panels = ("Moreau", "half-explicit", "generalized-alpha 0.8", "Bathe", "ED-alpha 0"), []
    for i, (title, start) in enumerate((("Table 4: bilateral", "Table 4: error of the rod's angle, bilateral"),
                                        ("Table 6: with clearance", "Table 6: error of the rod's angle, unilateral"))):
        columns = table(page, start)
        headings = [heading for heading in columns if heading.startswith("h = ")]
        steps = [float(heading.split()[2]) for heading in headings]
        down = (1e-6, 1e2) if i == 0 else (1e-6, 1e0)
        panel = Panel(LEFT + i * (PANEL_WIDTH + 66), title, (5e-7, 2e-4), down, ("log", "log"),
                      ((1e-6, 1e-5, 1e-4), 10.0 ** numpy.arange(numpy.log10(down[0]), numpy.log10(down[1]) + 1)),
                      "step (s)")
        for name in names:
            row = columns["scheme"].index(name)
            ours = [number(columns[heading][row]) for heading in headings]
            theirs = [number(columns[f"paper {k}"][row]) for k in range(len(headings))]
            panel.line(steps, ours, STYLES[name])
            panel.points(steps, theirs, STYLES[name][0], "white", 5)
            panel.points(steps, ours, STYLES[name][0])
        panels.append(panel)
    write(picture, "Error of the rod's angle of the slider-crank (eq. 92): ours filled, the paper's open", panels,
          names)


def main(page, folder):
    text, folder = pathlib.Path(page).read_text(encoding="utf-8"), pathlib.Path(folder)
    draw_spectra(text, folder / "nonsmooth_spectra.svg")
    draw_errors(text, folder / "nonsmooth_errors.svg")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
