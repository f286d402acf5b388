"""Draws the slider-crank of a result beside the histogram of the force in its pin: the picture of the README.

    myriad run ensembles/studies/slider_crank.json --out crank.h5
    python3 python/study_picture.py crank.h5 gallery/slider_crank_study.svg
"""

import json
import math
import sys

import h5py
import numpy

WIDTH, HEIGHT = 900, 330
SCALE, SHAFT = 1450, (120, 205)  # pixels for a metre; place of the shaft
LEFT, RIGHT, TOP, BOTTOM = 560, 880, 62, 262  # of the histogram
BIN_N = 2.0
GREY, DARK, RED = "#777", "#222", "#B00020"
CRANK, ROD, PISTON, BARS = "#0072B2", "#E69F00", "#009E73", "#6baed6"


def line(x1, y1, x2, y2, colour=DARK, width=1.0, more=""):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}" {more}/>')


def text(x, y, words, anchor="start", colour=DARK, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" {more}>{words}</text>'


def mechanism(crank_m, rod_m, piston_kg):
    """The mechanism at the start: the crank along y, the piston on the x axis."""
    slider_m = math.sqrt(rod_m**2 - crank_m**2)

    def x(value):
        return SHAFT[0] + SCALE * value

    def y(value):
        return SHAFT[1] - SCALE * value

    arrow = 'marker-end="url(#arrow)"'
    ground = y(0) + 25
    parts = [line(x(0) - 35, ground, x(slider_m) + 62, ground, "#999", 1.5)]
    parts += [line(px, ground, px - 8, ground + 9, "#bbb") for px in numpy.arange(x(0) - 30, x(slider_m) + 62, 14)]
    parts += [
        line(x(0), y(0), x(slider_m) + 62, y(0), "#bbb", 1, 'stroke-dasharray="6 4"'),
        f'<rect x="{x(slider_m) - 30:.1f}" y="{y(0) - 24:.1f}" width="60" height="48" rx="4" fill="{PISTON}"/>',
        line(x(0), y(0), x(0), y(crank_m), CRANK, 9, 'stroke-linecap="round"'),
        line(x(0), y(crank_m), x(slider_m), y(0), ROD, 9, 'stroke-linecap="round"'),
        *(f'<circle cx="{x(px):.1f}" cy="{y(py):.1f}" r="6" fill="white" stroke="{DARK}" stroke-width="2"/>'
          for px, py in ((0, 0), (0, crank_m), (slider_m, 0))),
        f'<path d="M {x(0) + 30:.1f} {y(0):.1f} A 30 30 0 0 0 {x(0) + 4:.1f} {y(0) - 30:.1f}" fill="none" '
        f'stroke="{GREY}" stroke-width="1.5" {arrow}/>',
        text(x(0) + 34, y(0) - 8, "motor", colour=GREY),
        text(x(0) - 12, y(crank_m / 2) + 4, f"crank {1e3 * crank_m:.0f} mm", "end", CRANK),
        text(x(slider_m / 2) + 12, y(crank_m / 2) - 14, f"rod {1e3 * rod_m:.0f} mm", colour="#8A6000"),
        text(x(slider_m), y(0) - 34, f"piston {piston_kg:g} kg", "middle", "#00704F"),
        text(x(0) + 12, y(crank_m) - 12, "pin: how large is its force?", colour=RED, more='font-weight="bold"'),
    ]
    corner = (40, 306)
    parts += [line(*corner, corner[0] + 38, corner[1], GREY, 1.5, arrow), text(corner[0] + 44, corner[1] + 4, "x", colour=GREY),
              line(*corner, corner[0], corner[1] - 38, GREY, 1.5, arrow), text(corner[0] - 4, corner[1] - 43, "y", colour=GREY),
              text(110, 306, "Lengths and piston mass vary within their tolerances.", colour="#555")]
    return parts


def histogram(force_N):
    edges = numpy.arange(BIN_N * math.floor(force_N.min() / BIN_N), force_N.max() + BIN_N, BIN_N)
    counts, _ = numpy.histogram(force_N, edges)
    step = 500 if counts.max() < 2000 else 1000
    high = step * math.ceil(counts.max() / step)

    def x(force):
        return LEFT + (RIGHT - LEFT) * (force - edges[0]) / (edges[-1] - edges[0])

    def y(count):
        return BOTTOM - (BOTTOM - TOP) * count / high

    parts = []
    for count in range(0, high + 1, step):
        parts += [line(LEFT, y(count), RIGHT, y(count), "#e5e5e5"), text(LEFT - 8, y(count) + 4, f"{count:,}", "end", "#555")]
    parts += [f'<rect x="{x(low) + 0.5:.1f}" y="{y(count):.1f}" width="{x(low + BIN_N) - x(low) - 1:.1f}" '
              f'height="{BOTTOM - y(count):.1f}" fill="{BARS}"/>' for low, count in zip(edges, counts)]
    parts.append(line(LEFT, BOTTOM, RIGHT, BOTTOM, "#333"))
    parts += [text(x(force), BOTTOM + 18, f"{force:.0f}", "middle", "#555") for force in edges if force % 10 == 0]
    for force, words in ((numpy.quantile(force_N, 0.05), "5 %"), (force_N.mean(), "mean"), (numpy.quantile(force_N, 0.95), "95 %")):
        parts += [line(x(force), TOP - 4, x(force), BOTTOM, RED, 1.5, 'stroke-dasharray="5 3"'),
                  text(x(force), TOP - 9, words, "middle", RED)]
    middle = (TOP + BOTTOM) / 2
    return parts + [text((LEFT + RIGHT) / 2, BOTTOM + 40, "largest force in the pin / N", "middle"),
                    text(LEFT - 48, middle, f"variants per {BIN_N:g} N", "middle", more=f'transform="rotate(-90 {LEFT - 48} {middle})"')]


def draw(result, picture):
    with h5py.File(result) as file:
        force_N = file["quantities/pin_force_N"][:][file["instance/status"][:] == 0]
        study = json.loads(file.attrs["study"])
    nominal = study["mechanism"]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        f'orient="auto-start-reverse"><path d="M0,0 L10,5 L0,10 z" fill="{GREY}"/></marker></defs>',
        text(20, 28, "One mechanism", more='font-size="17" font-weight="bold"'),
        text(LEFT - 60, 28, f"{len(force_N):,} variants", more='font-size="17" font-weight="bold"'),
        *mechanism(nominal["parameters"]["crank_m"], nominal["parameters"]["rod_m"], nominal["bodies"]["piston"]["mass_kg"]),
        *histogram(force_N),
        "</svg>\n",
    ]
    with open(picture, "w", encoding="utf-8") as out:
        out.write("\n".join(parts))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    draw(*sys.argv[1:])
