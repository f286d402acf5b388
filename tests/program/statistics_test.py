"""What a run and a report say of quantities: norms, windows, probabilities, shares of the variance, and why an interval
is missing."""

import json
import math
import unittest

import h5py
import numpy

from program_case import SMALL, ProgramTest, without

FIRST, LAST = 0.0125, 0.0375  # between rows of every 0.01 s, so that two rows of a step each lie inside
QUANTITIES = {
    "speed_m_s": {"max": "velocity.top.norm", "from_s": FIRST, "to_s": LAST, "between": "steps",
                  "probability": {"above": 4.665}},
    "at_end_m_s": {"final": "velocity.top.norm"},
    "early_s": {"first_time_above": {"channel": "tilt", "threshold": 1.0}, "probability": {"below": 0.001}},
}
STUDY = {
    **SMALL, "quantities": QUANTITIES, "observe": {"every_steps": 1, "channels": ["velocity", "velocity.top.norm"]},
    "statistics": {"quantiles": [0.5, 0.999], "sensitivity": True},
}


class Quantities(ProgramTest):
    def test_norms_and_windows_are_those_of_the_trajectory(self):
        self.run_study(STUDY)
        with h5py.File(self.path / "study.h5") as file:
            speed = file["trajectory/velocity.top.norm"][:]
            self.assertEqual(file["trajectory/velocity.top.norm"].attrs["unit"], "m/s")
            velocity = file["trajectory/velocity"][:].reshape(200, -1, 3)
            # The squares are added in another order here.
            self.assertLess(abs(speed - numpy.linalg.norm(velocity, axis=-1)).max(), 1e-14)
            time = file["trajectory/time"][:]
            inside = (time >= FIRST) & (time <= LAST)
            self.assertTrue((file["quantities/speed_m_s"][:] == speed[:, inside].max(axis=1)).all())
            self.assertTrue((file["quantities/at_end_m_s"][:] == speed[:, -1]).all())

    def test_the_table_the_file_and_the_report_say_the_same(self):
        summary = self.run_study(STUDY)
        by_name = {quantity["name"]: quantity for quantity in summary["quantities"]}
        with h5py.File(self.path / "study.h5") as file:
            names = [name.decode() for name in file["statistics/quantity"][:]]
            above = (file["quantities/speed_m_s"][:] > 4.665).mean()
            early = file["quantities/early_s"][:]
            row = names.index("speed_m_s")
            self.assertEqual(by_name["speed_m_s"]["probability"]["value"], above)
            self.assertEqual(file["statistics/probability"][row], above)
            low, high = file["statistics/probability_low"][row], file["statistics/probability_high"][row]
            self.assertTrue(low < above < high)
            self.assertEqual(by_name["speed_m_s"]["probability"]["above"], 4.665)
            # Undefined where the tilt stays below: neither early nor late, but one of all.
            self.assertTrue(numpy.isnan(early).any())
            self.assertEqual(by_name["early_s"]["probability"]["value"], (early < 0.001).sum() / 200)
            self.assertTrue(math.isnan(file["statistics/probability"][names.index("at_end_m_s")]))
            # 0.999^n is above 0.025 up to n = 3687.
            self.assertEqual(file["statistics/quantile_remark"][row, 1], b"needs 3688 instances")
            self.assertTrue(math.isnan(file["statistics/quantile_low"][row, 1]))
            shares = file["statistics/first_order"][row]
            parameters = [name.decode() for name in file["statistics/parameter"][:]]
            tilt = parameters.index("initial_rotation_vector_rad[0]")
            # 0.81 by 5,000 instances, whose interval is a fifth as wide.
            low, high = file["statistics/first_order_low"][row, tilt], file["statistics/first_order_high"][row, tilt]
            self.assertTrue(low < 0.81 < high and low < shares[tilt] < high)
            found = by_name["speed_m_s"]["sensitivity"]["initial_rotation_vector_rad[0]"]["first_order"]
            self.assertEqual(found["value"], shares[tilt])
        table = self.myriad("run", self.path / "study.json", "--backend", "cpu", "--overwrite").stdout
        report = self.myriad("report", "study.h5").stdout
        for text in (table, report):
            for part in ("probability above 4.665", "needs 3688 instances", "share of",
                         "neither"):
                self.assertIn(part, text)
        lines = [line for line in table.splitlines() if "quantile" in line or "probability" in line or "mean" in line]
        for line in lines:
            self.assertIn(line.rstrip(), report)

    def test_a_grid_and_a_table_say_why_they_have_no_intervals(self):
        grid = {**without(STUDY, "instances"), "design": {"kind": "grid"}, "parameters": {
            "mass_kg": {"uniform": {"low": 14, "high": 16}, "levels": 5},
            "initial_rotation_vector_rad[0]": {"uniform": {"low": 0.1, "high": 1.0}, "levels": 7}}}
        self.run_study(grid)
        self.assertIn("a grid draws nothing at random", self.myriad("report", "study.h5").stdout)
        angles = numpy.linspace(0.1, 1.0, 40)
        rows = "".join(f"{15 + angle},{angle}\n" for angle in angles)
        (self.path / "table.csv").write_text("mass_kg,initial_rotation_vector_rad[0]\n" + rows)
        table = {**without(STUDY, "instances", "parameters"), "design": {"kind": "table", "file": "table.csv"}}
        summary = self.run_study(table, "--overwrite")
        for quantity in summary["quantities"]:
            if quantity["name"] == "at_end_m_s":
                self.assertEqual(quantity["mean"]["no_interval"], "the design does not say \"independent\": true")
        # Both columns rise together: each explains what the other does.
        self.assertEqual(summary["correlated_parameters"], ["mass_kg and initial_rotation_vector_rad[0]"])
        text = self.myriad("report", "study.h5").stdout
        self.assertIn("shares overlap", text)
        self.assertIn("mass_kg and initial_rotation_vector_rad[0]", text)
        declared = {**table, "design": {**table["design"], "independent": True}}
        summary = self.run_study(declared, "--overwrite")
        self.assertTrue(all("low" in quantity["mean"] for quantity in summary["quantities"] if quantity["mean"]))

    def test_correlated_parameters_are_named(self):
        summary = self.run_study({**STUDY, "correlations": [
            {"between": ["mass_kg", "initial_rotation_vector_rad[0]"], "correlation": 0.8}]})
        self.assertEqual(len(summary["correlated_parameters"]), 1)
        self.assertNotIn("correlated_parameters", self.run_study(STUDY, "--overwrite"))

    def test_replicates_say_how_many_instances_a_far_quantile_needs(self):
        summary = self.run_study({**STUDY, "design": {"kind": "sobol"}})
        far = summary["quantities"][0]["quantiles"][1]
        self.assertEqual(far["probability"], 0.999)
        self.assertNotIn("low", far)
        needed = int(far["no_interval"].split()[1])
        self.assertTrue(3688 < needed < 20000, needed)
        summary = self.run_study({**STUDY, "design": {"kind": "sobol"}}, "--overwrite", "--instances", 2 * needed)
        self.assertIn("low", summary["quantities"][0]["quantiles"][1])


if __name__ == "__main__":
    unittest.main()
