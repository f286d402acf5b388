"""What the program says of channels, reactions, retries and failures is so, and its advice helps."""

import json
import math
import os
import pty
import subprocess
import unittest

import h5py

from program_case import PROGRAM, SMALL, ProgramTest, without

GRAVITY_M_S2 = 9.81

# A plate whose origin is no centre of mass, and a rack that turns a pinion.
PLATE = {"bodies": {"plate": {"mass_kg": 1.5, "inertia_kg_m2": [0.2, 0.2, 0.3], "centre_of_mass_m": [0.5, 0, 0]}}}
RACK = {
    "bodies": {"rack": {"mass_kg": 3, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [0.1, 0, 0]},
               "pinion": {"mass_kg": 1.2, "inertia_kg_m2": [0.02, 0.02, 0.02]}},
    "joints": {"rail": {"type": "prismatic", "bodies": ["ground", "rack"], "points_m": [[0.1, 0, 0], [0, 0, 0]],
                        "axes": [[0, 0, 1], [0, 0, 1]]},
               "axle": {"type": "revolute", "bodies": ["ground", "pinion"], "points_m": [[0, 0, 0], [0, 0, 0]],
                        "axes": [[0, 1, 0], [0, 1, 0]]}},
    "couplings": {"teeth": {"coordinate": "rail.displacement", "follows": "axle.angle", "ratio": -0.1}}}

# A rod on a hinge 0.8 m above a floor, which its end strikes at the angle asin(0.8). There the end moves along a slope of
# 0.75 alone: a friction of 0.8 lets it not slide out, and it cannot rebound and stick at once.
LOCKED = {
    "mechanism": {
        "gravity_m_s2": [0, 0, -GRAVITY_M_S2],
        "bodies": {"rod": {"mass_kg": 2, "inertia_kg_m2": [0.002, 0.17, 0.17], "centre_of_mass_m": [0.5, 0, 0]}},
        "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "rod"], "points_m": [[0, 0, 0.8], [0, 0, 0]],
                             "axes": [[0, 1, 0], [0, 1, 0]], "references": [[1, 0, 0], [1, 0, 0]], "angle_rad": 0.3}},
        "contacts": {"floor": {"type": "point_plane", "bodies": ["ground", "rod"], "plane_point_m": [0, 0, 0],
                               "plane_normal": [0, 0, 1], "point_m": [1, 0, 0], "friction": 0.8,
                               "normal_restitution": 0.4}},
        "sensors": {"angle": {"type": "angle", "joint": "hinge"}}},
    "integrator": {"name": "nonsmooth_bathe", "step_s": 1e-3, "end_s": 2.0},
    "instances": 1,
    "quantities": {"angle_rad": {"final": "angle"}},
}
# How far a step may sink the end, which strikes at 3.84 rad/s.
SUNK_RAD = 3.84e-3
SCHEMES = ("moreau_midpoint", "half_explicit", "nonsmooth_generalized_alpha", "nonsmooth_bathe", "nonsmooth_ed_alpha")


class Said(ProgramTest):
    def value(self, summary, name):
        return next(one["mean"]["value"] for one in summary["quantities"] if one["name"] == name)

    def outcome(self, study, *arguments):
        return json.loads(self.myriad("run", self.study(study), "--overwrite", "--format", "json", *arguments).stdout)

    def test_positions_are_said_to_be_those_of_centres_of_mass(self):
        self.assertIn("centre of mass", self.myriad("schema", "study").stdout)
        self.study(PLATE, "plate.json")
        said = self.myriad("list", "--mechanism", "plate.json").stdout
        self.assertRegex(said, r"position\.<body>\.\S*.* m +world +centre of mass")

    def test_no_reaction_is_said_to_hold_the_force_between_teeth(self):
        self.study(RACK, "rack.json")
        said = " ".join(self.myriad("list", "--mechanism", "rack.json").stdout.split())
        self.assertIn("No joint's reaction holds the force between teeth", said)
        self.assertIn("the force between teeth is in no joint's reaction", self.myriad("schema", "mechanism").stdout)

    def test_an_impact_that_friction_locks_has_no_solution_unless_its_restitutions_are_equal_or_none(self):
        for scheme in SCHEMES:
            for backend in ("cpu", "reference"):
                with self.subTest(scheme=scheme, backend=backend):
                    method = ("--backend", backend, "-o", f"integrator.name={scheme}")
                    if scheme == "nonsmooth_ed_alpha":  # with joints it is to be 0.5 or less
                        method += ("-o", "integrator.spectral_radius=0.5")
                    summary = self.outcome(LOCKED, *method)
                    self.assertEqual(summary["by_status"], {"prox_stalled": 1})
                    (reason,) = summary["by_reason"]
                    self.assertIn("restitution", reason)
                    if scheme != "moreau_midpoint":  # whose forces and impacts are one problem
                        self.assertNotIn("smaller step", reason)
                    for helps in ("normal_restitution=0", "tangential_restitution=0.4"):
                        summary = self.outcome(LOCKED, *method, "-o", f"mechanism.contacts.floor.{helps}")
                        self.assertAlmostEqual(self.value(summary, "angle_rad"), math.asin(0.8), delta=SUNK_RAD)

    def test_what_no_step_can_help_is_not_retried(self):
        summary = self.run_study({**LOCKED, "on_failure": "retry"}, expect=2)
        self.assertEqual((summary["by_status"], summary["retried"]), ({"prox_stalled": 1}, 0))

    def test_a_retry_says_what_it_tries_and_ends_after_the_second(self):
        # A step of 0.02 s turns a top that is wound up too far, one of 0.00125 s a top of 1e5 rad/s as well.
        fast = {**without(SMALL, "observe"), "instances": 1, "on_failure": "retry",
                "integrator": {"name": "rk4", "step_s": 0.02, "end_s": 0.1},
                "parameters": {"initial_angular_velocity_rad_s[2]": 1e5}}
        path = self.study(fast)
        mine, theirs = pty.openpty()
        run = subprocess.Popen([PROGRAM, "run", path, "--backend", "cpu"], cwd=self.path, stdout=subprocess.DEVNULL,
                               stderr=theirs, env={**os.environ, "TERM": "xterm"})
        os.close(theirs)
        said = b""
        try:
            while part := os.read(mine, 65536):
                said += part
        except OSError:
            pass  # nobody writes any more
        os.close(mine)
        self.assertEqual(run.wait(), 2)
        self.assertIn(b"retry 1 of 2, 1 instance at 1/4 of the step", said)
        self.assertIn(b"retry 2 of 2, 1 instance at 1/16 of the step", said)
        with h5py.File(self.path / "study.h5") as file:
            self.assertEqual(list(file["instance/certificate/runs"]), [3])


if __name__ == "__main__":
    unittest.main(verbosity=2)
