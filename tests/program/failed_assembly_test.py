"""Of an instance that cannot be assembled the result and the summary name the constraint that is not met."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import h5py

PROGRAM = os.environ["MYRIAD_PROGRAM"]
INSTANCES, OPEN, TILTED = 33, 17, 20

# Two wires to points 2 m apart, and a body on two hinges about the same axis, five rows of which are redundant.
MECHANISM = {
    "parameters": {"right_m": 1.3, "tilt": 0.0},
    "gravity_m_s2": [0, 0, -9.81],
    "bodies": {
        "weight": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [0.1, 0.1, -0.8]},
        "door": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.2, 0.3]},
    },
    "joints": {
        "left": {"type": "D", "bodies": ["ground", "weight"], "points_m": [[-1, 0, 0], [0, 0, 0.05]], "value_m": 1.3},
        "lower": {"type": "revolute", "bodies": ["ground", "door"], "points_m": [[0, 0, 0], [0, 0, 0]],
                  "axes": [[0, 0, 1], [0, 0, 1]]},
        "right": {"type": "D", "bodies": ["ground", "weight"], "points_m": [[1, 0, 0], [0, 0, 0.05]],
                  "value_m": "right_m"},
        "upper": {"type": "revolute", "bodies": ["ground", "door"], "points_m": [[0, 0, 1], [0, 0, 1]],
                  "axes": [["tilt", 0, 1], [0, 0, 1]]},
    },
}
STUDY = {
    "mechanism": "wires.json",
    "integrator": {"name": "generalized_alpha", "step_s": 1e-3, "end_s": 0.01},
    "design": {"kind": "table", "file": "lengths.csv"},
    "allowed_failed_share": 0.1,
}


class FailedAssembly(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        (self.path / "wires.json").write_text(json.dumps(MECHANISM))
        (self.path / "study.json").write_text(json.dumps(STUDY))

    def myriad(self, study, *arguments):
        return subprocess.run([PROGRAM, "run", study, *arguments], cwd=self.path, capture_output=True, text=True)

    def run_on(self, right_m, tilt, *arguments):
        rows = [f"{a},{b}" for a, b in zip(right_m, tilt)]
        (self.path / "lengths.csv").write_text("\n".join(["parameters.right_m,parameters.tilt", *rows]) + "\n")
        done = subprocess.run([PROGRAM, "run", "study.json", "--overwrite", *map(str, arguments)], cwd=self.path,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        with h5py.File(self.path / "study.h5") as file:
            names = list(file["instance/detail"].attrs["names"])
            return (done.stdout, names, file["instance/detail"][:], file["instance/status"][:],
                    file["state/final/position"][:])

    def test_names_the_constraint_and_leaves_the_neighbours_alone(self):
        right_m, tilt = [1.2 + 0.005 * i for i in range(INSTANCES)], [0.0] * INSTANCES
        neighbours = [i for i in range(INSTANCES) if i not in (OPEN, TILTED)]
        for arguments in (["--backend", "cpu", "--width", 1], ["--backend", "cpu"], ["--backend", "reference"]):
            with self.subTest(arguments=arguments):
                _, _, detail, status, healthy = self.run_on(right_m, tilt, *arguments)
                self.assertEqual((set(detail), set(status)), ({-1}, {0}))
                spoilt_m, spoilt_tilt = list(right_m), list(tilt)
                spoilt_m[OPEN], spoilt_tilt[TILTED] = 0.4, 1e-3
                text, names, detail, status, final = self.run_on(spoilt_m, spoilt_tilt, *arguments)
                self.assertEqual(names[detail[OPEN]], "joints.right, row 0")
                self.assertTrue(names[detail[TILTED]].startswith("joints.upper, row "), names[detail[TILTED]])
                self.assertTrue(names[detail[TILTED]].endswith(" (redundant)"))
                self.assertEqual({int(detail[i]) for i in neighbours}, {-1})
                self.assertEqual({int(status[i]) for i in neighbours}, {0})
                self.assertEqual(final[neighbours].tobytes(), healthy[neighbours].tobytes())
                report = subprocess.run([PROGRAM, "report", "study.h5"], cwd=self.path, capture_output=True, text=True)
                for printed in (text, report.stdout):
                    self.assertIn("assembly_failed", printed)
                    self.assertIn("1: joints.right, row 0", printed)
                    self.assertIn("1: " + names[detail[TILTED]], printed)

    def test_counts_or_refuses_instances_whose_given_velocities_contradict(self):
        # The hinge turns with 1, 2 and 4 rad/s, and its arm is given 2 rad/s.
        mechanism = {
            "bodies": {"arm": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [1, 0, 0],
                               "angular_velocity_rad_s": [0, 0, 2]}},
            "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "arm"], "points_m": [[0, 0, 0], [-1, 0, 0]],
                                 "axes": [[0, 0, 1], [0, 0, 1]], "rate_rad_s": 2}}}
        study = {"mechanism": mechanism, "integrator": {"name": "rk4", "step_s": 1e-3, "end_s": 0.01},
                 "design": {"kind": "grid"}, "parameters": {"joints.hinge.rate_rad_s": {"values": [1, 2, 4]}}}
        (self.path / "warns.json").write_text(json.dumps(study))
        done = self.myriad("warns.json", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        (told, count), = json.loads(done.stdout)["by_warning"].items()
        self.assertIn("given velocities contradict", told)
        self.assertEqual(count, 2)
        with h5py.File(self.path / "warns.h5") as file:
            for correction, expected in zip(file["instance/certificate/velocity_correction"][()], [1, 0, 2]):
                self.assertAlmostEqual(correction, expected, delta=1e-12)
        study["assembly"] = "refuse"
        (self.path / "refuses.json").write_text(json.dumps(study))
        refused = self.myriad("refuses.json")
        self.assertEqual(refused.returncode, 1, refused.stdout)
        for part in ("in instance 0 ", "[0, 0, 2] rad/s", "[0, 0, 1] rad/s"):
            self.assertIn(part, refused.stderr)


if __name__ == "__main__":
    unittest.main()
