"""Energy and moment of momentum of tumbling satellites over a million steps, five methods at equal cost.

    python3 python/long_run.py build/myriad gallery/long_run.svg

The convective method takes 1,000,000 steps of 1 s; every other method as many steps as cost the same, from the times of
short runs made just before. Prints a table: step, processor time and errors of each.
"""

import json
import pathlib
import resource
import subprocess
import sys
import tempfile

import h5py
import numpy

STUDY = pathlib.Path(__file__).parent.parent / "ensembles" / "studies" / "tumbling_satellite.json"
SPAN_S, ROW_S, STEP_S = 1e6, 2000.0, 1.0
METHODS = (  # integrator, label, colour, dashes, further keys
    ("rk4", "rk4", "#0072B2", "8 3", {}),
    ("generalized_alpha", "generalized-alpha, radius 0.9", "#CC79A7", "3 2", {}),
    ("livens_midpoint", "livens_midpoint", "#009E73", "10 3 2 3", {}),
    ("energy_momentum_null_space", "energy_momentum_null_space", "#D55E00", "1.5 2.5", {}),
    ("energy_momentum_convective", "energy_momentum_convective", "#000000", "", {}),
)
WIDTH, HEIGHT, LEFT, TOP, PANEL = 860, 430, 62, 56, 360


def run(program, folder, method, extra, step_s, span_s, row_s):
    result = pathlib.Path(folder) / f"{method}.h5"
    keys = {"name": method, "step_s": step_s, "end_s": span_s, **extra}
    command = [program, "run", STUDY, "--out", result, "--overwrite", "--threads", "1", "--format", "json",
               "-o", "integrator=" + json.dumps(keys), "-o", f"observe.every_s={row_s}",
               "-o", 'observe.channels=["energy", "angular_momentum"]', "-o", "allowed_failed_share=1"]
    started = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{method}: {done.stderr}")
    return result, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - started


def seconds_per_step(program, folder, method, extra):
    """The fastest of three runs, less what starting and writing cost."""
    few, many = (min(run(program, folder, method, extra, STEP_S, steps * STEP_S, steps * STEP_S)[1] for _ in range(3))
                 for steps in (10, 50000))
    return (many - few) / (50000 - 10)


def errors(result):
    """Medians over the instances, failed ones included up to their end: |dE|/E, |dL|/L at each row."""
    with h5py.File(result) as file:
        energy = file["trajectory/energy"][:].reshape(len(file["instance/id"]), -1)
        momentum = file["trajectory/angular_momentum"][:].reshape(*energy.shape, 3)
        times, failed = file["trajectory/time"][:], numpy.count_nonzero(file["instance/status"][:])
    of_energy = numpy.abs(energy - energy[:, :1]) / energy[:, :1]
    of_momentum = (numpy.linalg.norm(momentum - momentum[:, :1], axis=2) /
                   numpy.linalg.norm(momentum[:, :1], axis=2))
    return times, numpy.nanmedian(of_energy, axis=0), numpy.nanmedian(of_momentum, axis=0), failed


def panel(parts, left, title, curves, times):
    low, high = -16, 2

    def x(t):
        return left + (PANEL - 20) * (numpy.log10(t) - numpy.log10(ROW_S)) / numpy.log10(SPAN_S / ROW_S)

    def y(error):
        return TOP + 300 * (high - numpy.clip(numpy.log10(numpy.maximum(error, 1e-16)), low, high)) / (high - low)

    parts.append(f'<text x="{left}" y="{TOP - 8}">{title}</text>')
    for power in range(low, high + 1, 2):
        parts.append(f'<path d="M{left},{y(10.0 ** power):.1f}h{PANEL - 20}" stroke="#eee"/>')
        parts.append(f'<text x="{left - 6}" y="{y(10.0 ** power) + 4:.1f}" text-anchor="end" font-size="11">1e{power}</text>')
    for t in (1e4, 1e5, 1e6):
        parts.append(f'<text x="{x(t):.1f}" y="{TOP + 318}" text-anchor="middle" font-size="11">1e{int(numpy.log10(t))} s</text>')
    for (_, _, colour, dashes, _), curve in zip(METHODS, curves):
        points = " ".join(f"{x(t):.1f},{y(e):.1f}" for t, e in zip(times[1:], curve[1:]) if numpy.isfinite(e))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6" '
                     f'stroke-dasharray="{dashes}"/>')


def main(program, picture):
    with tempfile.TemporaryDirectory() as folder:
        cost = {method: seconds_per_step(program, folder, method, extra) for method, _, _, _, extra in METHODS}
        energies, momenta = [], []
        for method, label, _, _, extra in METHODS:
            # A whole number of steps to a row.
            step_s = ROW_S / max(1, round(ROW_S / STEP_S * cost["energy_momentum_convective"] / cost[method]))
            result, cpu_s = run(program, folder, method, extra, step_s, SPAN_S, ROW_S)
            times, energy, momentum, failed = errors(result)
            energies.append(energy)
            momenta.append(momentum)
            last = numpy.flatnonzero(numpy.isfinite(energy))[-1]
            print(f"{label:38} step {step_s:8.4f} s  {cpu_s:6.1f} s  energy {energy[last]:8.1e}  momentum "
                  f"{momentum[last]:8.1e}  failed {failed}")
            with h5py.File(result) as file:
                count, device = len(file["instance/id"]), file.attrs["device"]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
             f'font-size="13"><rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             f'<text x="{LEFT}" y="18" font-size="15">{count} tumbling satellites, 11.6 days, equal cost: relative errors '
             "(medians)</text>"]
    panel(parts, LEFT, "energy", energies, times)
    panel(parts, LEFT + PANEL + 60, "angular momentum", momenta, times)
    for i, (_, label, colour, dashes, _) in enumerate(METHODS):
        across, down = LEFT + 270 * (i % 3), HEIGHT - 36 + 20 * (i // 3)
        parts.append(f'<path d="M{across},{down}h22" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>'
                     f'<text x="{across + 28}" y="{down + 4}">{label}</text>')
    pathlib.Path(picture).write_text("\n".join(parts) + "\n</svg>\n", encoding="utf-8")
    print(f"{picture}: computed on {device}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
