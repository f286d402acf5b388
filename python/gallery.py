"""Draws a channel of all instances of a result over time, as quantiles and eight of them: the pictures of docs/gallery.md.

    python3 python/gallery.py heavy_top.h5 gallery/heavy_tops.svg
    python3 python/gallery.py RESULT PICTURE CHANNEL "title" "axis / unit"            a scalar channel, or CHANNEL[2] of a vector

The first result: myriad run heavy_top --instances 10000 -o observe.every_s=0.002
"""

import re
import sys

import h5py
import numpy

WIDTH, HEIGHT, LEFT, TOP = 860, 380, 62, 40
PLOT_WIDTH, PLOT_HEIGHT = 770, 280
BANDS = ((5, 95, "#c6dbef"), (25, 75, "#6baed6"))  # per cent, colour


def channel_of(file, channel):
    """[instance, time] of a scalar channel, or of one component of a vector of the first body."""
    name, component = re.fullmatch(r"([^\[]+)(?:\[(\d)\])?", channel).groups()
    values = file["trajectory"][name][:]
    if component is not None:
        values = values[..., int(component)]
    return values.reshape(*values.shape[:2], -1)[:, :, 0]


def tick_of(span):
    """The step of an axis, 1, 2 or 5 times a power of ten, with at most ten steps."""
    power = 10.0 ** numpy.floor(numpy.log10(span / 10))
    return power * next(step for step in (1, 2, 5, 10) if span <= 10.001 * step * power)


def draw(result, picture, channel="position[2]", title="Height of the centre of mass of {count} heavy tops ({integrator})",
         axis="z / m"):
    try:
        opened = h5py.File(result)
    except OSError as error:
        sys.exit(f"{result}: it cannot be read ({error}); `myriad run` of a study that observes makes such a result")
    with opened as file:
        time = file["trajectory/time"][:]
        height = channel_of(file, channel)
        ok = file["instance/status"][:] == 0
        device, integrator = file.attrs["device"], file.attrs["integrator"]
    height = height[ok]
    tick = tick_of(height.max() - height.min())
    low, high = numpy.floor(height.min() / tick) * tick, numpy.ceil(height.max() / tick) * tick
    digits = max(0, int(numpy.ceil(-numpy.log10(tick) - 1e-9)))

    def x(t):
        return LEFT + PLOT_WIDTH * t / time[-1]

    def y(z):
        return TOP + PLOT_HEIGHT * (high - z) / (high - low)

    def path(values):
        return " ".join(f"{x(t):.1f},{y(z):.1f}" for t, z in zip(time, values))

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="24" font-size="15">{title.format(count=f"{len(height):,}", integrator=integrator)}: '
        "quantiles, and eight of them</text>",
    ]
    for z in numpy.arange(low, high + tick / 2, tick):
        parts.append(f'<path d="M{LEFT},{y(z):.1f}h{PLOT_WIDTH}" stroke="#eee"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(z) + 4:.1f}" text-anchor="end">{round(z, digits) + 0:.{digits}f}</text>')  # + 0: no -0.0
    for t in numpy.linspace(0, time[-1], 11):
        parts.append(f'<text x="{x(t):.1f}" y="{TOP + PLOT_HEIGHT + 20}" text-anchor="middle">{t:.1f}</text>')
    parts.append(f'<text x="{LEFT + PLOT_WIDTH / 2}" y="{HEIGHT - 18}" text-anchor="middle">time / s</text>')
    parts.append(f'<text transform="translate(16 {TOP + PLOT_HEIGHT / 2}) rotate(-90)" text-anchor="middle">{axis}</text>')
    for first, last, colour in BANDS:
        edges = numpy.percentile(height, (first, last), axis=0)
        back = " ".join(f"{x(t):.1f},{y(z):.1f}" for t, z in zip(time[::-1], edges[0][::-1]))
        parts.append(f'<polygon points="{path(edges[1])} {back}" fill="{colour}"/>')
    parts.append(f'<polyline points="{path(numpy.median(height, axis=0))}" fill="none" stroke="#08519c" '
                 'stroke-width="2"/>')
    for one in height[:: len(height) // 8][:8]:
        parts.append(f'<polyline points="{path(one)}" fill="none" stroke="#333" stroke-width="0.5"/>')
    for i, (colour, label) in enumerate([("#c6dbef", "5 to 95 %"), ("#6baed6", "25 to 75 %"), ("#08519c", "median")]):
        # Below the plot: above it stands the title, within it may be curves everywhere.
        parts.append(f'<rect x="{LEFT + 110 * i}" y="{HEIGHT - 29}" width="16" height="12" '
                     f'fill="{colour}"/><text x="{LEFT + 110 * i + 22}" y="{HEIGHT - 18}">{label}</text>')
    parts.append("</svg>\n")
    with open(picture, "w", encoding="utf-8") as out:
        out.write("\n".join(parts))
    print(f"{picture}: {len(height):,} instances, computed on {device}")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 6):
        sys.exit(__doc__)
    draw(*sys.argv[1:])
