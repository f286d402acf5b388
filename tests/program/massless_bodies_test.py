"""An instance in which a joint moves no inertia ends with the name of the joint; `list` shows bodies without mass."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import h5py

PROGRAM = os.environ["MYRIAD_PROGRAM"]
INSTANCES, WEIGHTLESS = 33, 17

MECHANISM = {
    "parameters": {"hand_kg": 0.5},
    "gravity_m_s2": [0, 0, -9.81],
    "bodies": {
        "cross": {"mass_kg": 0, "inertia_kg_m2": [0, 0, 0]},
        "arm": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.1, 0.1], "position_m": [0.5, 0, 0]},
        "hand": {"mass_kg": "hand_kg", "inertia_kg_m2": ["hand_kg / 10", "hand_kg / 10", "hand_kg / 10"],
                 "position_m": [1, 0, 0]},
    },
    "joints": {
        "first": {"type": "revolute", "bodies": ["ground", "cross"], "points_m": [[0, 0, 0], [0, 0, 0]],
                  "axes": [[0, 0, 1], [0, 0, 1]]},
        "second": {"type": "revolute", "bodies": ["cross", "arm"], "points_m": [[0, 0, 0], [-0.5, 0, 0]],
                   "axes": [[0, 1, 0], [0, 1, 0]]},
        "wrist": {"type": "revolute", "bodies": ["arm", "hand"], "points_m": [[0.5, 0, 0], [0, 0, 0]],
                  "axes": [[0, 1, 0], [0, 1, 0]]},
    },
}
STUDY = {
    "mechanism": "arm.json",
    "integrator": {"name": "generalized_alpha", "step_s": 1e-3, "end_s": 0.01},
    "design": {"kind": "table", "file": "hands.csv"},
    "allowed_failed_share": 0.1,
}


class MasslessBodies(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        (self.path / "arm.json").write_text(json.dumps(MECHANISM))
        (self.path / "study.json").write_text(json.dumps(STUDY))

    def program(self, *arguments):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.path, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def run_on(self, hands, *arguments):
        (self.path / "hands.csv").write_text("\n".join(["parameters.hand_kg", *map(str, hands)]) + "\n")
        text = self.program("run", "study.json", "--overwrite", *arguments)
        with h5py.File(self.path / "study.h5") as file:
            return (text, list(file["instance/detail"].attrs["names"]), file["instance/detail"][:],
                    file["instance/status"][:], list(file["instance/status"].attrs["names"]),
                    file["state/final/position"][:])

    def test_names_the_joint_that_moves_no_inertia(self):
        hands = [0.5 + 0.01 * i for i in range(INSTANCES)]
        neighbours = [i for i in range(INSTANCES) if i != WEIGHTLESS]
        for arguments in (["--backend", "cpu", "--width", 1], ["--backend", "cpu"]):
            with self.subTest(arguments=arguments):
                _, _, detail, status, _, healthy = self.run_on(hands, *arguments)
                self.assertEqual((set(detail), set(status)), ({-1}, {0}))
                spoilt = list(hands)
                spoilt[WEIGHTLESS] = 0
                text, names, detail, status, statuses, final = self.run_on(spoilt, *arguments)
                self.assertEqual(statuses[status[WEIGHTLESS]], "singular_matrix")
                self.assertEqual(names[detail[WEIGHTLESS]], "joints.wrist, inertia of freedom 0")
                self.assertEqual({int(detail[i]) for i in neighbours}, {-1})
                self.assertEqual(final[neighbours].tobytes(), healthy[neighbours].tobytes())
                for printed in (text, self.program("report", "study.h5")):
                    self.assertIn("1: joints.wrist, inertia of freedom 0", printed)

    def test_the_reference_path_moves_them_alike(self):
        hands = [0.5 + 0.01 * i for i in range(3)]
        final = [self.run_on(hands, "--backend", backend)[5] for backend in ("cpu", "reference")]
        # Ten steps of the same formula, each to Newton's tolerance.
        self.assertLess(abs(final[0] - final[1]).max(), 1e-9)

    def test_the_list_marks_them(self):
        self.assertIn("cross, without mass", self.program("list", "--mechanism", "arm.json"))
        listed = json.loads(self.program("list", "--mechanism", "arm.json", "--format", "json"))
        self.assertEqual(listed["bodies_without_mass"], ["cross"])


if __name__ == "__main__":
    unittest.main()
