"""What the tests of the whole program from outside share: small studies, and how one is run or refused."""

import json
import os
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import h5py

PROGRAM = os.environ["MYRIAD_PROGRAM"]
# How many times longer than in every build a search at random goes on: `./dev check long` sets it.
LONGER = int(os.environ.get("MYRIAD_LONG", "1"))
STUDIES = Path(os.environ["MYRIAD_SOURCE_DIR"]) / "ensembles" / "studies"

# A small study of generic tops that takes well under a second.
SMALL = {
    "system": "heavy_top",
    "integrator": {"name": "rk4", "step_s": 1e-3, "end_s": 0.05},
    "instances": 200,
    "design": {"kind": "monte_carlo", "seed": 3},
    "parameters": {
        "mass_kg": {"normal": {"mean": 15, "standard_deviation": 0.5}},
        "initial_rotation_vector_rad[0]": {"uniform": {"low": 0.1, "high": 1.0}},
    },
    "observe": {"every_steps": 10, "channels": ["position", "energy"]},
    "quantities": {"largest_tilt_rad": {"max": "tilt"}, "final_height_m": {"final": "position.top.z"}},
}

# A rod on a hinge; its mass and inertia follow from its length.
PENDULUM = json.loads((STUDIES.parent.parent / "tests/mechanisms/pendulum.json").read_text())
SWINGS = {
    "mechanism": "pendulum.json",
    "integrator": {"name": "generalized_alpha", "step_s": 1e-3, "end_s": 0.2},
    "instances": 100,
    "parameters": {"parameters.length_m": {"uniform": {"low": 1.5, "high": 2.5}}},
    "observe": {"every_steps": 20, "channels": ["tip", "acceleration", "multiplier.hinge", "energy"]},
    "quantities": {"lowest_m": {"min": "tip.z"}},
}

# Long enough to be interrupted: some ten seconds on one core.
LONG = {**SMALL, "integrator": {"name": "rk4", "step_s": 1e-5, "end_s": 0.5}, "instances": 8000, "observe": {
    "every_steps": 5000, "channels": ["position"]}}


def without(study, *keys):
    return {key: value for key, value in study.items() if key not in keys}


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def study(self, study, name="study.json"):
        path = self.path / name
        path.write_text(study if isinstance(study, str) else json.dumps(study))
        return str(path)

    def myriad(self, *arguments, **options):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.path, capture_output=True, text=True, **options)

    def wait_for_more(self, process, saved, name="study.h5"):
        """Until the journal of this result holds more bytes than before, however fast the machine is, or the process has
        ended. Returns how many."""
        journal = self.path / f"{name}.journal"
        while process.poll() is None and not (journal.exists() and journal.stat().st_size > saved):
            time.sleep(0.01)
        return journal.stat().st_size if journal.exists() else 0

    def wait_for_records(self, process, records, name="study.h5"):
        """Until the journal has grown so often: first its head, then chunks of instances."""
        saved = 0
        for _ in range(1 + records):
            saved = self.wait_for_more(process, saved, name)

    def run_study(self, study, *arguments, expect=0, **options):
        done = self.myriad("run", self.study(study), "--backend", "cpu", "--format", "json", *arguments, **options)
        self.assertEqual(done.returncode, expect, done.stderr)
        return json.loads(done.stdout)

    def refused(self, study, *parts, arguments=(), code=1):
        done = self.myriad("run", self.study(study), "--backend", "cpu", *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertNotIn("internal error", done.stderr)
        self.assertFalse((self.path / "study.h5").exists())
        return done.stderr


def datasets(path):
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.__setitem__(name, item[()]) if isinstance(item, h5py.Dataset) else None)
    return found


def same_bits(one, other):
    return one.keys() == other.keys() and all(
        one[name].tobytes() == other[name].tobytes() if one[name].dtype != object else
        one[name].tolist() == other[name].tolist()
        for name in one)
