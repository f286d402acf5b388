"""Of an instance that cannot be assembled the result and the summary name the constraint that is not met; of one in which
a joint moves no inertia, the joint. `list` shows bodies without mass."""

import json
import unittest

import h5py

from program_case import ProgramTest

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


class FailedAssembly(ProgramTest):
    def setUp(self):
        super().setUp()
        self.study(MECHANISM, "wires.json")

    def run_on(self, right_m, tilt, *arguments):
        rows = [f"{a},{b}" for a, b in zip(right_m, tilt)]
        (self.path / "lengths.csv").write_text("\n".join(["parameters.right_m,parameters.tilt", *rows]) + "\n")
        done = self.myriad("run", self.study(STUDY), "--overwrite", *arguments)
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
                for printed in (text, self.myriad("report", "study.h5").stdout):
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
        done = self.myriad("run", self.study(study, "warns.json"), "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        (told, count), = json.loads(done.stdout)["by_warning"].items()
        self.assertIn("given velocities contradict", told)
        self.assertEqual(count, 2)
        with h5py.File(self.path / "warns.h5") as file:
            for correction, expected in zip(file["instance/certificate/velocity_correction"][()], [1, 0, 2]):
                self.assertAlmostEqual(correction, expected, delta=1e-12)
        study["assembly"] = "refuse"
        refused = self.myriad("run", self.study(study, "refuses.json"))
        self.assertEqual(refused.returncode, 1, refused.stdout)
        for part in ("in instance 0 ", "[0, 0, 2] rad/s", "[0, 0, 1] rad/s"):
            self.assertIn(part, refused.stderr)


WEIGHTLESS = 17
ARM = {
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


class MasslessBodies(ProgramTest):
    def setUp(self):
        super().setUp()
        self.study(ARM, "arm.json")

    def program(self, *arguments):
        done = self.myriad(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def run_on(self, hands, *arguments):
        (self.path / "hands.csv").write_text("\n".join(["parameters.hand_kg", *map(str, hands)]) + "\n")
        given = {**STUDY, "mechanism": "arm.json", "design": {"kind": "table", "file": "hands.csv"}}
        text = self.program("run", self.study(given), "--overwrite", *arguments)
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

    def test_the_list_marks_them(self):
        self.assertIn("cross, without mass", self.program("list", "--mechanism", "arm.json"))
        listed = json.loads(self.program("list", "--mechanism", "arm.json", "--format", "json"))
        self.assertEqual(listed["bodies_without_mass"], ["cross"])


# The motor turns the wheel's axle to the mast until both are one axis: then no inertia resists one turn against the other.
MAST, ACROSS = [0.36, 0.48, 0.8], [0.8, -0.6, 0]


def hinge(*bodies, axis):
    return {"type": "revolute", "bodies": bodies, "points_m": [[0, 0, 0], [0, 0, 0]], "axes": [axis, axis]}


GIMBALS = {
    "parameters": {"tilt_rad": 0.3},
    "bodies": {
        "fork": {"mass_kg": 0.7, "inertia_kg_m2": [0, 0, 0]},
        "frame": {"mass_kg": 0.3, "inertia_kg_m2": [0, 0, 0]},
        "wheel": {"mass_kg": 1.2, "inertia_kg_m2": [0.03, 0.03, 0.05]},
    },
    "joints": {
        "mast": hinge("ground", "fork", axis=MAST),
        "tilt": {**hinge("fork", "frame", axis=ACROSS), "references": [[0.6, 0.8, 0], [0.6, 0.8, 0]]},
        "axle": hinge("frame", "wheel", axis=MAST),
    },
    "drivers": {"motor": {"type": "angle", "joint": "tilt", "value_rad": "tilt_rad + 8 * max(0, 0.5 - t)^3"}},
    "contacts": {"floor": {"type": "point_plane", "bodies": ["ground", "wheel"], "plane_point_m": [0, 0, -0.8],
                           "plane_normal": [0, 0, 1], "point_m": [0, 0, 0], "friction": 0.3}},
}


class GimbalLock(ProgramTest):
    def test_a_step_of_a_method_with_contact_names_the_joint_whose_motion_no_inertia_resists(self):
        for name in ("moreau_midpoint", "half_explicit"):
            with self.subTest(integrator=name):
                study = {"mechanism": GIMBALS, "integrator": {"name": name, "step_s": 0.01, "end_s": 0.6},
                         "design": {"kind": "grid"}, "parameters": {"parameters.tilt_rad": {"values": [0, 0.2, 0.3]}},
                         "allowed_failed_share": 0.5}
                done = self.myriad("run", self.study(study), "--overwrite", "--backend", "cpu")
                self.assertEqual(done.returncode, 0, done.stderr)
                with h5py.File(self.path / "study.h5") as file:
                    statuses, names = (list(file[path].attrs["names"]) for path in ("instance/status", "instance/detail"))
                    status, detail = file["instance/status"][:], file["instance/detail"][:]
                self.assertEqual([statuses[code] for code in status], ["singular_matrix", "ok", "ok"])
                self.assertEqual(list(detail[1:]), [-1, -1])
                self.assertEqual(names[detail[0]], "joints.mast, inertia of freedom 0")


if __name__ == "__main__":
    unittest.main()
