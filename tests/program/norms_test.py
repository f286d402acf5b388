"""Norms and distances that come near 0 within a step: a body flies straight past the origin. Against closed forms."""

import json
import math
import unittest

from program_case import ProgramTest

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
