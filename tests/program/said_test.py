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
ROUND_OFF = 1e-10  # of some thousand steps of rk4 of motions that are smooth over a second

# A plate that turns about its centre of mass, which moves straight on; its origin, at rest at first, runs on a cycloid.
PLATE = {
    "mechanism": {
        "bodies": {"plate": {"mass_kg": 1.5, "inertia_kg_m2": [0.2, 0.2, 0.3], "centre_of_mass_m": [0.5, 0, 0],
                             "velocity_m_s": [0, 0, 0], "angular_velocity_rad_s": [0, 0, 2]}},
        "sensors": {"origin": {"type": "point", "body": "plate", "point_m": [0, 0, 0]}}},
    "integrator": {"name": "rk4", "step_s": 1e-3, "end_s": 1.0},
    "instances": 1,
    "quantities": {"centre_y_m": {"final": "position.plate.y"}, "origin_y_m": {"final": "origin.y"}},
}

# A rack of 3 kg falls along z and turns a pinion, whose hinge lies 0.1 m beside it.
RACK_KG, PINION_KG, PINION_KG_M2, RADIUS_M = 3.0, 1.2, 0.02, 0.1
RACK = {
    "mechanism": {
        "gravity_m_s2": [0, 0, -GRAVITY_M_S2],
        "bodies": {"rack": {"mass_kg": RACK_KG, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [RADIUS_M, 0, 0]},
                   "pinion": {"mass_kg": PINION_KG, "inertia_kg_m2": [PINION_KG_M2] * 3}},
        "joints": {"rail": {"type": "prismatic", "bodies": ["ground", "rack"], "points_m": [[RADIUS_M, 0, 0], [0, 0, 0]],
                            "axes": [[0, 0, 1], [0, 0, 1]]},
                   "axle": {"type": "revolute", "bodies": ["ground", "pinion"], "points_m": [[0, 0, 0], [0, 0, 0]],
                            "axes": [[0, 1, 0], [0, 1, 0]]}},
        "couplings": {"teeth": {"coordinate": "rail.displacement", "follows": "axle.angle", "ratio": -RADIUS_M}},
        "sensors": {"bearing": {"type": "reaction_force", "joint": "axle"}}},
    "integrator": {"name": "rk4", "step_s": 1e-3, "end_s": 0.5},
    "instances": 1,
    "quantities": {"bearing_N": {"final": "bearing.z"}, "teeth_N": {"final": "multiplier.teeth"}},
}


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

    def test_the_position_of_a_body_is_that_of_its_centre_of_mass(self):
        summary = self.run_study(PLATE)
        self.assertAlmostEqual(self.value(summary, "centre_y_m"), 1.0, delta=ROUND_OFF)
        self.assertAlmostEqual(self.value(summary, "origin_y_m"), 1.0 - 0.5 * math.sin(2.0), delta=ROUND_OFF)
        self.assertIn("centre of mass", self.myriad("schema", "study").stdout)
        self.study(PLATE["mechanism"], "plate.json")
        said = self.myriad("list", "--mechanism", "plate.json").stdout
        self.assertRegex(said, r"position\.<body>\.\S*.* m +world +centre of mass")

    def test_no_reaction_holds_the_force_between_teeth(self):
        summary = self.run_study(RACK)
        teeth_N = RACK_KG * GRAVITY_M_S2 * (1 - RACK_KG / (RACK_KG + PINION_KG_M2 / RADIUS_M**2))
        self.assertAlmostEqual(self.value(summary, "bearing_N"), PINION_KG * GRAVITY_M_S2, delta=ROUND_OFF)
        self.assertAlmostEqual(abs(self.value(summary, "teeth_N")), teeth_N, delta=ROUND_OFF)
        self.study(RACK["mechanism"], "rack.json")
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
