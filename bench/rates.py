"""The tables of rates in README.md and docs/performance.md, made from the measured rows of bench/results/.

    python3 bench/rates.py           prints the tables of each page, to be pasted there

A cell is the median rate of one row, in millions of instance-steps per second, to three digits. tests/program/rates_test.py
asks that each page has its tables as they are printed here, and no other rate.
"""

import json
from pathlib import Path
from typing import NamedTuple, Optional

RESULTS = Path(__file__).resolve().parent / "results"


class Row(NamedTuple):
    """The row of a file that has this subject; on a CPU also this vector width and number of threads, on a GPU instances."""

    file: str
    subject: str
    width: Optional[int] = None
    threads: Optional[int] = None
    instances: Optional[int] = None


class Table(NamedTuple):
    page: str
    heads: tuple
    rows: tuple  # each a label and for each other head a Row, or None


def core(file, subject, width=8):
    return Row(f"amd-epyc-zen4-2-cores-{file}", subject, width, 1)


def both(file, subject):
    return Row(f"amd-epyc-zen4-2-cores-{file}", subject, 8, 2)


def h100(file, subject, instances=None):
    return Row(f"nvidia-h100-{file}", subject, None, None, instances)


def xeon(subject, width):
    return Row("nvidia-h100-hand-written", subject, width, 1)


def by_hand(name, method):
    return (xeon(f"{name} by hand", 1), xeon(f"{name} by the program, {method}", 8),
            h100("hand-written", f"{name} by hand"), h100("hand-written", f"{name} by the program, {method}"))


def free(label, subject, on_gpu=None):
    return (label, core("mechanisms", subject), both("mechanisms", subject), on_gpu)


def mechanism(label, subject, joint=True, body=True, gpu=False):
    """One core and one H100, each in joint coordinates, compiled and by tables, and in body coordinates."""
    ways = ((joint, "joint, compiled"), (joint, "joint"), (body, "body"))
    on_gpu = ((joint, "joint, compiled kernels"), (joint, "joint, table kernels"), (body, "body"))
    return (label, *(core("compiled", f"{subject}, {way}") if has else None for has, way in ways),
            *(h100("mechanisms", f"{subject}, {way}") if gpu and has else None for has, way in on_gpu))


SCHEMES = ("moreau_midpoint", "half_explicit", "nonsmooth_generalized_alpha", "nonsmooth_bathe", "nonsmooth_ed_alpha")
FEW_SCHEMES = ("moreau_midpoint", None, "nonsmooth_generalized_alpha", "nonsmooth_bathe", None)


def contact(label, mechanism, schemes, row, ending=""):
    return (label, *(row("contact", f"{mechanism} {scheme}{ending}") if scheme else None for scheme in schemes))


H100_AND_XEON = "and-intel-xeon-16-cores"
README, PERFORMANCE = "README.md", "docs/performance.md"

TABLES = (
    Table(README, ("million time steps per second, double precision", "one core, AMD EPYC with AVX-512", "one H100"), (
        ("heavy top, rk4", core("mechanisms", "heavy_top rotation rk4"), h100(H100_AND_XEON, "heavy_top rotation rk4", 1000000)),
        ("double pendulum, generalized-alpha", core("compiled", "double_pendulum generalized_alpha, joint, compiled"),
         h100("mechanisms", "double_pendulum generalized_alpha, joint, compiled kernels")),
        ("spatial slider-crank, generalized-alpha", core("compiled", "slider_crank_iftomm generalized_alpha, joint, compiled"),
         h100("mechanisms", "slider_crank_iftomm generalized_alpha, joint, compiled kernels")),
        ("robot with six controllers, generalized-alpha", core("compiled", "puma560 generalized_alpha, joint, compiled"),
         h100("mechanisms", "puma560 generalized_alpha, joint, compiled kernels")),
        ("slider-crank with clearance, Moreau's rule", core("contact", "slider_crank_clearance moreau_midpoint"),
         h100("contact", "slider_crank_clearance moreau_midpoint")),
    )),
    Table(PERFORMANCE, ("bodies without joints", "one core", "two cores", "H100"), (
        free("heavy top, rk4", "heavy_top rotation rk4", h100(H100_AND_XEON, "heavy_top rotation rk4", 1000000)),
        free("heavy top, rk67", "heavy_top rotation rk67"), free("heavy top, dopri5", "heavy_top rotation dopri5"),
        free("free body, energy-momentum, convective", "free_rigid_body rotation energy_momentum_convective"),
    )),
    Table(PERFORMANCE, ("mechanisms", "core: joint", "by tables", "body", "H100: joint", "by tables", "body"), (
        mechanism("heavy top on a joint", "heavy_top generalized_alpha", gpu=True),
        mechanism("double pendulum", "double_pendulum generalized_alpha", gpu=True),
        mechanism("double pendulum, rk4", "double_pendulum rk4", body=False, gpu=True),
        mechanism("IFToMM slider-crank", "slider_crank_iftomm generalized_alpha", gpu=True),
        mechanism("spatial slider-crank (Haug)", "slider_crank_haug generalized_alpha"),
        mechanism("four-link", "four_link generalized_alpha", gpu=True),
        mechanism("Puma 560 with controllers", "puma560 generalized_alpha", gpu=True),
        mechanism("Puma 560 with controllers, rk4", "puma560 rk4", body=False, gpu=True),
        mechanism("closed loop of four bars", "four_bar_loop generalized_alpha"),
        mechanism("the same, energy-momentum", "four_bar_loop energy_momentum_convective", joint=False),
    )),
    Table(PERFORMANCE, ("contact", "Moreau", "half-explicit", "generalized-alpha", "Bathe", "ED-alpha"), (
        contact("core: slider-crank with clearance", "slider_crank_clearance", SCHEMES, core),
        contact("core: sphere that bounces", "bouncing_sphere", FEW_SCHEMES, core),
        contact("core: sphere that rolls", "rolling_sphere", SCHEMES, core),
        contact("core: slider-crank in a slot, compiled", "slider_crank_slot", FEW_SCHEMES, core, ", compiled"),
        contact("H100: slider-crank with clearance", "slider_crank_clearance", SCHEMES, h100),
        contact("H100: sphere that bounces", "bouncing_sphere", FEW_SCHEMES, h100),
        contact("H100: sphere that rolls", "rolling_sphere", SCHEMES, h100),
        contact("H100: slider-crank in a slot", "slider_crank_slot", FEW_SCHEMES, h100),
    )),
    Table(PERFORMANCE, ("by hand, and by Myriad", "Xeon core, by hand", "Myriad", "H100, by hand", "Myriad"), (
        ("heavy top on quaternions, rk4", *by_hand("heavy_top", "rk4")),
        ("double pendulum, rk4", *by_hand("double_pendulum", "rk4")),
        ("spatial slider-crank, rk4", *by_hand("spatial_slider_crank", "rk4")),
        ("slider-crank with clearance, Moreau", *by_hand("clearance_crank", "moreau_midpoint")),
    )),
)


def rows_of(file):
    return json.loads((RESULTS / f"{file}.json").read_text(encoding="utf-8"))["rows"]


def rate(wanted):
    """Millions of instance-steps per second, or an error if not exactly one row is the wanted one."""
    backend = "cpu" if wanted.width else "cuda"
    found = [row for row in rows_of(wanted.file) if row["subject"] == wanted.subject and row["backend"] == backend and
             row["instance_steps_per_s"] and (not wanted.width or (row["width"], row["threads"]) == wanted[2:4]) and
             wanted.instances in (None, row["instances"])]
    if len(found) != 1:
        raise ValueError(f"{len(found)} rows of bench/results/{wanted.file}.json are {wanted}")
    return found[0]["instance_steps_per_s"]["median"] / 1e6


def three_digits(value):
    return f"{round(float(f'{value:.3g}')):,}" if value >= 100 else f"{value:#.3g}".rstrip(".")


def text(table):
    lines = ["| " + " | ".join(table.heads) + " |", "|" + "---|" * len(table.heads)]
    lines += ["| " + " | ".join([label, *(three_digits(rate(cell)) if cell else "" for cell in cells)]) + " |"
              for label, *cells in table.rows]
    return "\n".join(lines) + "\n"


def beside_others():
    """The rows of bench/peers/compare.py, if it was run: rates, and the largest error at the end."""
    lines = []
    for file in sorted(RESULTS.glob("*-peers.json")):
        report = json.loads(file.read_text(encoding="utf-8"))
        lines += [f"| one core, {report['hardware']} | million steps/s | largest error in m |", "|---|---|---|"]
        lines += [f"| {row['subject']} | {three_digits(row['instance_steps_per_s']['median'] / 1e6)} | "
                  f"{row['figures']['largest error']['value']:.1e} |" for row in report["rows"]]
    return "\n".join(lines) + "\n" if lines else ""


def texts(page):
    """The tables of a page."""
    found = [text(table) for table in TABLES if table.page == page]
    return found + ([beside_others()] if page == PERFORMANCE and beside_others() else [])


if __name__ == "__main__":
    for page in (README, PERFORMANCE):
        print(page, *texts(page), sep="\n\n")
