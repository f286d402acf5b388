"""The path of the slider in its slot over the first 0.05 s, by several schemes.

    python3 python/slider_crank.py build/myriad gallery/slider_crank.svg

The mechanism of the nonsmooth paper's Table 1: clearance 1 mm, crank at 150 rad/s.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy

STUDY = {"system": "slider_crank_clearance", "instances": 1}
RUNS = (  # integrator, step, label, colour (light to dark, so grey print tells them apart), width, dashes
    ("nonsmooth_ed_alpha", 1e-6, "nonsmooth_ed_alpha, 1e-6 s", "#cccccc", 6, ""),
    ("moreau_midpoint", 1e-5, "moreau_midpoint, 1e-5 s", "#D55E00", 1.4, ""),
    ("moreau_midpoint", 1e-4, "moreau_midpoint, 1e-4 s", "#E69F00", 1.4, "6 3"),
    ("nonsmooth_bathe", 1e-4, "nonsmooth_bathe, 1e-4 s", "#0072B2", 1.4, "2 2"),
)
END_S, ROW_S, SLIDER = 0.05, 1e-4, 2
WIDTH, HEIGHT, LEFT, TOP, PANEL_WIDTH, PANEL_HEIGHT = 860, 430, 70, 56, 335, 280


def run(program, folder, integrator, step_s):
    """Place of the slider's middle (mm) and the crank's angle (rad) over time, the slider's largest angle, impacts."""
    study, result = pathlib.Path(folder) / "study.json", pathlib.Path(folder) / "result.h5"
    study.write_text(json.dumps(STUDY | {
        "integrator": {"name": integrator, "step_s": step_s, "end_s": END_S},
        "observe": {"every_s": ROW_S, "channels": ["position", "angle", "impacts"]}}), encoding="utf-8")
    done = subprocess.run([program, "run", str(study), "--out", str(result), "--overwrite", "--format", "json"],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{integrator}: {done.stderr}")
    with h5py.File(result) as file:
        place = file["trajectory/position"][0].reshape(-1, 3, 3)[:, SLIDER]
        angle = file["trajectory/angle"][0].reshape(-1, 3)
        impacts = file["trajectory/impacts"][0].ravel()[-1]
    return 1e3 * place[:, 0], 1e3 * place[:, 1], angle[:, 0], abs(angle[:, 2]).max(), impacts


def panel(parts, left, title, across, down, ticks, labels, curves):
    def x(value):
        return left + PANEL_WIDTH * (value - across[0]) / (across[1] - across[0])

    def y(value):
        return TOP + PANEL_HEIGHT * (down[1] - value) / (down[1] - down[0])

    parts.append(f'<text x="{left}" y="{TOP - 10}" font-size="14">{title}</text>')
    for value in ticks[0]:
        parts.append(f'<path d="M{x(value):.1f},{TOP}v{PANEL_HEIGHT}" stroke="#eee"/><text x="{x(value):.1f}" '
                     f'y="{TOP + PANEL_HEIGHT + 16}" text-anchor="middle" font-size="11">{value:g}</text>')
    for value in ticks[1]:
        parts.append(f'<path d="M{left},{y(value):.1f}h{PANEL_WIDTH}" stroke="#eee"/><text x="{left - 6}" '
                     f'y="{y(value) + 4:.1f}" text-anchor="end" font-size="11">{value:g}</text>')
    parts.append(f'<text x="{left + PANEL_WIDTH / 2}" y="{TOP + PANEL_HEIGHT + 34}" text-anchor="middle" '
                 f'font-size="12">{labels}</text>')
    for (*_, colour, width, dashes), (xs, ys) in zip(RUNS, curves):
        points = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in zip(xs, ys) if numpy.isfinite(b))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}" '
                     f'stroke-dasharray="{dashes}"/>')


def main(program, picture):
    with tempfile.TemporaryDirectory() as folder:
        runs = [run(program, folder, integrator, step_s) for integrator, step_s, *_ in RUNS]
    for (_, _, label, *_), (*_, turned, impacts) in zip(RUNS, runs):
        print(f"{label:32} {impacts:4.0f} impacts, slider turned by {turned:.1e} rad at most")
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
             f'font-size="13"><rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
             f'<text x="{LEFT}" y="22" font-size="15">The slider of a crank in a slot with 1 mm of clearance to either '
             "side, 0.05 s</text>"]
    panel(parts, LEFT, "its middle: height (mm) over place (mm)", (150, 465), (-1.15, 1.15),
          ((200, 300, 400), (-1, -0.5, 0, 0.5, 1)), "along the slot (mm)", [(a, b) for a, b, *_ in runs])
    panel(parts, LEFT + PANEL_WIDTH + 76, "the same over the angle of the crank", (0, 5), (-1.15, 1.15),
          ((0, 1, 2, 3, 4, 5), (-1, -0.5, 0, 0.5, 1)), "crank angle (rad)",
          [(crank, height) for _, height, crank, *_ in runs])
    for i, (_, _, label, colour, width, dashes) in enumerate(RUNS):
        across, down = LEFT + 260 * (i % 3), HEIGHT - 36 + 20 * (i // 3)
        parts.append(f'<path d="M{across},{down}h22" stroke="{colour}" stroke-width="{min(width, 4)}" '
                     f'stroke-dasharray="{dashes}"/>'
                     f'<text x="{across + 28}" y="{down + 4}">{label}</text>')
    pathlib.Path(picture).write_text("\n".join(parts) + "\n</svg>\n", encoding="utf-8")
    print(picture)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
