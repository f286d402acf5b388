"""The orders that `list` states are those by which errors fall: of positions and velocities, of accelerations and reactions."""

import json
import math
import unittest

import h5py
import numpy
from program_case import STUDIES, ProgramTest

MECHANISM = STUDIES.parent / "mechanisms" / "double_pendulum.json"
END_S, STEP_S, ROWS = 0.5, 5e-3, 10
# The part of the next power of the step at these steps.
NEXT_TERM = 0.1
CHANNELS = {"motion_order": ["position", "velocity"], "force_order": ["acceleration", "multiplier.shoulder"]}


class Orders(ProgramTest):
    def largest_difference(self, one, other):
        """Over the second half of the span, after the first steps, in which some methods settle."""
        late = slice(ROWS // 2, None)
        return max(numpy.abs(one[name][:, late] - other[name][:, late]).max() for name in one)

    def rows(self, integrator, step_s, channels):
        study = {"mechanism": str(MECHANISM), "integrator": {
            "name": integrator, "step_s": step_s, "end_s": END_S, "newton_tolerance": 1e-13}, "instances": 1,
            "observe": {"every_s": END_S / ROWS, "channels": channels}}
        if integrator in ("generalized_alpha", "nonsmooth_generalized_alpha", "nonsmooth_ed_alpha"):
            study["integrator"]["spectral_radius"] = 0.5
        if integrator.startswith("nonsmooth") or integrator in ("moreau_midpoint", "half_explicit"):
            study["coordinates"] = "body"  # where joints are rows; those of a tree without rows lose no order
        self.run_study(study, "--overwrite")
        with h5py.File(self.path / "study.h5") as result:
            return {name: result["trajectory"][name][...] for name in result["trajectory"] if name != "time"}

    def test_are_those_of_a_double_pendulum(self):
        methods = json.loads(self.myriad("list", "--format", "json").stdout)["integrators"]
        stated = {method["name"]: method for method in methods}
        for name in ("generalized_alpha", "implicit_euler", "moreau_midpoint", "half_explicit", "nonsmooth_generalized_alpha",
                     "nonsmooth_bathe", "nonsmooth_ed_alpha", "energy_momentum", "livens_midpoint",
                     "energy_momentum_convective"):
            for kind, channels in CHANNELS.items():
                coarse, middle, fine = (self.rows(name, STEP_S / 2**level, channels) for level in range(3))
                order = math.log2(self.largest_difference(coarse, middle) / self.largest_difference(middle, fine))
                self.assertAlmostEqual(order, stated[name][kind], delta=NEXT_TERM, msg=f"{name}, {kind}")

    def test_every_method_states_its_orders(self):
        for method in json.loads(self.myriad("list", "--format", "json").stdout)["integrators"]:
            if method["name"] == "kinematics":
                self.assertEqual((method["motion_order"], method["force_order"]), (0, 0))
            else:
                self.assertGreaterEqual(method["motion_order"], method["force_order"], method)
                self.assertGreaterEqual(method["force_order"], 1, method)
        self.assertRegex(self.myriad("list").stdout, r"nonsmooth_bathe .* 2, accelerations")


if __name__ == "__main__":
    unittest.main()
