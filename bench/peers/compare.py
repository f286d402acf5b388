"""Myriad beside MuJoCo (a double pendulum) and beside diffrax and plain JAX (a heavy top), on one core of this machine.

    python3 -m venv build/peers && . build/peers/bin/activate
    pip install mujoco==4.0.0 diffrax==0.7.2 jax==0.10.2 h5py
    python3 bench/peers/compare.py build/myriad [--out bench/results/MACHINE-peers.json] [double_pendulum] [heavy_top]

The programs take turns five times, so compare the rows of one run. Each row has the largest error at the end, against
Myriad's rk67 at an eighth of the step.
"""

import argparse
import importlib
import json
import os
import re
import subprocess
from pathlib import Path

import measurement

COMPARISONS = ("double_pendulum", "heavy_top")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("comparison", nargs="*", default=COMPARISONS)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    measurement.on_one_core()
    rows = [row for name in given.comparison for row in importlib.import_module(name).compared(given.program)]
    for row in rows:
        print(f"{row['subject']:48} {row['instance_steps_per_s']['median'] / 1e6:9.4g} million steps/s, "
              f"error {row['figures']['largest error']['value']:.1e} m   {row['note']}")
    if given.out:
        version = subprocess.run([given.program, "version"], capture_output=True, text=True, check=True).stdout
        hardware = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)[1]
        commit, compiler = re.search(r"commit ([\w-]+), (.*)", version).groups()
        given.out.write_text(json.dumps({"hardware": hardware, "cores": os.cpu_count(), "compiler": compiler, "commit": commit,
                                         "rows": rows}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
