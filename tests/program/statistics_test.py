"""What a run and a report say of quantities: norms, windows, probabilities, shares of the variance, and why an interval
is missing. Norms and distances that come near 0 within a step, against closed forms of a straight flight."""

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


SPEED, START, END_S = 2.0, -0.7, 1.0
METHODS = [("rk4", {"step_s": 0.25}), ("generalized_alpha", {"step_s": 0.25}), ("moreau_midpoint", {"step_s": 0.25}),
           ("dopri5", {"relative_tolerance": 1e-3, "absolute_tolerance": 1e-3})]
# Cubics of a straight flight are exact; round-off of values below 2.
ROUND_OFF = 1e-12
# A time of a least value is known to the root of its round-off. Gauss's rule with three points does not follow the bend
# of a norm quite in parts of steps beside the least value.
ALLOWED = {"when": 1e-7, "mean": 1e-7, "part": 3e-6}


def study(miss, method, keys, coordinates, quantities, **forces):
    """The centre of mass passes the origin at the distance `miss`; the sensor measures from a point of the ground."""
    return {
        "mechanism": {
            "coordinates": coordinates,
            "bodies": {"ball": {"mass_kg": 1, "inertia_kg_m2": [0.01, 0.02, 0.03],
                                "position_m": [START, miss, 0], "velocity_m_s": [SPEED, 0, 0]}},
            "sensors": {"way": {"type": "distance", "bodies": ["ground", "ball"], "points_m": [[0, 0, 0], [0, 0, 0]]}},
            **forces},
        "integrator": {"name": method, "end_s": END_S, **keys}, "instances": 1, "quantities": quantities}


def all_of(channel):
    threshold = {"channel": channel, "threshold": 0.3}
    return {"least": {"min": channel}, "when": {"time_of_min": channel}, "mean": {"mean": channel},
            "most": {"max": channel}, "near": {"first_time_below": threshold},
            "part": {"mean": channel, "from_s": 0.3, "to_s": 0.9}}


def area(miss, place):
    """The integral of sqrt(miss^2 + x^2) from 0 to `place`."""
    bend = miss**2 * math.asinh(place / miss) if miss else 0.0
    return 0.5 * (place * math.hypot(miss, place) + bend)


def exact(miss):
    def mean(from_s, to_s):
        begin, end = START + SPEED * from_s, START + SPEED * to_s
        return (area(miss, end) - area(miss, begin)) / (end - begin)
    return {"least": miss, "when": -START / SPEED, "mean": mean(0.0, END_S), "part": mean(0.3, 0.9),
            "most": math.hypot(miss, START + SPEED * END_S),
            "near": (-START - math.sqrt(0.3**2 - miss**2)) / SPEED}


class Norms(ProgramTest):
    def values(self, given, backend):
        done = self.myriad("run", self.study(given), "--backend", backend, "--format", "json", "--overwrite")
        self.assertEqual(done.returncode, 0, done.stderr)
        summary = json.loads(done.stdout)
        self.assertEqual(summary["by_status"], {"ok": 1})
        return {row["name"]: row["mean"]["value"] for row in summary["quantities"]}

    def test_of_a_straight_flight_past_a_point_are_exact(self):
        for miss in [0.0, 0.001, 0.05, 0.2]:
            expected = exact(miss)
            for channel in "way", "position.ball.norm":
                for method, keys in METHODS:
                    for coordinates in ["joint", "body"] if method == "generalized_alpha" else ["joint"]:
                        for backend in "cpu", "reference":
                            with self.subTest(miss=miss, channel=channel, method=method, coordinates=coordinates,
                                              backend=backend):
                                found = self.values(study(miss, method, keys, coordinates, all_of(channel)), backend)
                                for name, value in expected.items():
                                    allowed = ALLOWED.get(name, ROUND_OFF) if miss else ROUND_OFF
                                    self.assertAlmostEqual(found[name], value, delta=allowed, msg=name)

    def test_of_a_speed_that_turns_around_come_down_to_zero(self):
        # The velocity is 2 - 4 t, in m/s.
        against = {"forces": {"pull": {"type": "force", "body": "ball", "force_N": ["-4", "0", "0"]}}}
        quantities = {"least": {"min": "velocity.ball.norm"}, "mean": {"mean": "velocity.ball.norm"}}
        for method, keys in [("rk4", {"step_s": 0.3}), ("generalized_alpha", {"step_s": 0.3}),
                             ("dopri5", {"relative_tolerance": 1e-3, "absolute_tolerance": 1e-3})]:
            for backend in "cpu", "reference":
                with self.subTest(method=method, backend=backend):
                    found = self.values(study(0.0, method, keys, "joint", quantities, **against), backend)
                    self.assertAlmostEqual(found["least"], 0.0, delta=ROUND_OFF)
                    self.assertAlmostEqual(found["mean"], 1.0, delta=ROUND_OFF)

    def test_without_rates_do_not_fall_below_zero(self):
        # The force in the joint is that of the driver, 18 sin(9 t) to first order, which passes 0 within steps.
        given = study(0.0, "rk4", {"step_s": 0.03}, "joint", {"least": {"min": "force.norm"}})
        given["mechanism"] |= {
            "joints": {"rail": {"type": "prismatic", "bodies": ["ground", "ball"], "points_m": [[0, 0, 0], [0, 0, 0]],
                                "axes": [[1, 0, 0], [1, 0, 0]]}},
            "drivers": {"motor": {"type": "displacement", "joint": "rail", "value_m": "0.2 * sin(9 * t)"}},
            "sensors": {"force": {"type": "reaction_force", "joint": "rail"}}}
        given["mechanism"]["bodies"]["ball"] |= {"position_m": [0, 0, 0]}
        del given["mechanism"]["bodies"]["ball"]["velocity_m_s"]
        for backend in "cpu", "reference":
            self.assertGreaterEqual(self.values(given, backend)["least"], 0.0)


if __name__ == "__main__":
    unittest.main()
