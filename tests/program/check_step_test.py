"""--check-step: what the step leaves in each quantity, from instances that are run again with finer steps; and the orders
that `list` states are those by which errors fall: of positions and velocities, of accelerations and reactions."""

import json
import math
import unittest

import h5py
import numpy

from program_case import PENDULUM, ProgramTest, SMALL, STUDIES, SWINGS, datasets, same_bits


def with_integrator(study, **keys):
    return {**study, "integrator": {**study["integrator"], **keys}}


ADAPTIVE = {**SMALL, "integrator": {"name": "dopri5", "end_s": 0.05, "relative_tolerance": 1e-5,
                                    "absolute_tolerance": 1e-6}, "observe": {"every_s": 0.01, "channels": ["position"]}}


class CheckStep(ProgramTest):
    def check(self, study, finer, finest):
        """The datasets of a run with a check, which must hold what plain runs with finer steps give."""
        summary = self.run_study(study, "--check-step", "0.03", "--out", "checked.h5")
        plain = [("plain.h5", study), ("finer.h5", finer), ("finest.h5", finest)]
        for name, other in plain:
            self.run_study(other, "--out", name)
        checked = datasets(self.path / "checked.h5")
        at_step, at_half, at_quarter = (datasets(self.path / name) for name, _ in plain)
        for name, values in at_step.items():
            numpy.testing.assert_array_equal(checked[name], values, name)
        instances = checked["check_step_instance"]
        self.assertEqual(instances.tolist(), list(range(0, 200, 34)))  # 34 = ceil(1 / 0.03)
        for row, quantity in zip(summary["quantities"], study["quantities"]):
            self.assertEqual(row["name"], quantity)
            half, quarter = checked["check_step/" + quantity].T
            path = "quantities/" + quantity
            numpy.testing.assert_array_equal(half, at_half[path][instances])
            is_quartered = instances % (4 * 34) == 0
            numpy.testing.assert_array_equal(quarter[is_quartered], at_quarter[path][instances][is_quartered])
            self.assertTrue(numpy.isnan(quarter[~is_quartered]).all())
            change = half - at_step[path][instances]
            error = row["step_error"]
            self.assertEqual(error["instances"], len(instances))
            self.assertEqual(error["change_of_95_percent"], abs(change).max())  # of six values all
            self.assertAlmostEqual(error["shift_of_the_mean"], change.mean(), delta=1e-15 * abs(half).max())
        return summary

    def test_holds_what_runs_at_finer_steps_give(self):
        self.check(SMALL, with_integrator(SMALL, step_s=5e-4), with_integrator(SMALL, step_s=2.5e-4))

    def test_of_adaptive_methods_divides_the_tolerances_by_32_and_halves_the_largest_step(self):
        finer = [with_integrator(ADAPTIVE, relative_tolerance=1e-5 / 32 ** k, absolute_tolerance=1e-6 / 32 ** k,
                                 largest_step_s=0.05 / 256 * (1 / 32 ** k) ** 0.2) for k in (1, 2)]
        self.check(ADAPTIVE, *finer)

    def test_shrinks_as_the_order_of_the_method_says(self):
        self.study(PENDULUM, "pendulum.json")
        study = {**with_integrator(SWINGS, step_s=0.02), "observe": {"every_steps": 1, "channels": ["tip"]}}
        summary = self.run_study(study, "--check-step", "1", "--out", "checked.h5")
        error = summary["quantities"][0]["step_error"]
        self.assertEqual(error["instances"], 100)
        self.assertTrue(error["shrinks"])
        self.assertAlmostEqual(error["shrinkage"], 0.25, delta=0.05)  # order 2

    def test_of_ranges_is_that_of_the_whole(self):
        study = {**SMALL, "design": {"kind": "sobol", "seed": 4}}
        self.run_study(study, "--check-step", "5%", "--out", "whole.h5")
        parts = []
        for first, end in ((0, 33), (33, 34), (34, 200)):
            parts.append(f"{first}.h5")
            self.run_study(study, "--check-step", "5%", "--range", f"{first}:{end}", "--out", parts[-1])
        done = self.myriad("merge", *parts, "--out", "merged.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        whole, merged = datasets(self.path / "whole.h5"), datasets(self.path / "merged.h5")
        self.assertTrue(same_bits(whole, merged))
        self.assertIn("step error", self.myriad("report", "merged.h5").stdout)

        self.run_study(study, "--range", "34:200", "--out", "34.h5", "--overwrite")
        done = self.myriad("merge", *parts, "--out", "again.h5")
        self.assertEqual(done.returncode, 1)
        self.assertIn("without", done.stderr)
        self.assertIn("--check-step", done.stderr)

    def test_stands_in_the_table(self):
        done = self.myriad("run", self.study(SMALL), "--backend", "cpu", "--check-step", "0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        head = next(line for line in done.stdout.splitlines() if line.lstrip().startswith("quantity"))
        self.assertIn("step error", head)
        self.assertIn("20 instances were run again at half the step", done.stdout)

    def test_refuses_what_is_no_share(self):
        for share in ("0", "-0.1", "1.5", "150%", "x", "", "nan"):
            done = self.myriad("run", self.study(SMALL), "--check-step", share)
            self.assertEqual(done.returncode, 1, share)
            self.assertIn("--check-step", done.stderr)
        self.assertFalse((self.path / "study.h5").exists())

    def test_says_that_there_is_nothing_to_check(self):
        study = {key: value for key, value in SMALL.items() if key != "quantities"}
        done = self.myriad("run", self.study(study), "--backend", "cpu", "--check-step", "0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no quantities", done.stderr)


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
