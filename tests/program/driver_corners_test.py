"""Drivers with corners, by all methods of joint coordinates and on the reference path: against closed forms."""

import json
import math
import unittest

from program_case import ProgramTest

MASS, ARM, INERTIA = 1.0, 0.5, 0.02
BY_SPEED = MASS * ARM / (INERTIA + MASS * ARM**2)  # what a jump of the carriage adds to the bob's rate
FIXED = ["rk4", "rk67", "generalized_alpha", "implicit_euler"]
CONTACT = ["moreau_midpoint", "half_explicit", "nonsmooth_generalized_alpha", "nonsmooth_bathe", "nonsmooth_ed_alpha"]
ADAPTIVE = ["dopri5", "ode23"]


def study(way, integrator, end_s, step_s=None, quantities=None, **more):
    """A bob that hangs on a carriage, which a driver moves along x; no gravity."""
    def body(height):
        return {"mass_kg": MASS, "inertia_kg_m2": [INERTIA] * 3, "position_m": [0, 0, height]}
    method = {"name": integrator, "end_s": end_s}
    if integrator in ADAPTIVE:
        method |= {"relative_tolerance": 1e-9, "absolute_tolerance": 1e-9}
    else:
        method["step_s"] = step_s
    return {
        "mechanism": {
            "parameters": {"place_s": 0.1},
            "coordinates": "joint",
            "bodies": {"carriage": body(0), "bob": body(-ARM)},
            "joints": {
                "rail": {"type": "prismatic", "bodies": ["ground", "carriage"], "points_m": [[0, 0, 0], [0, 0, 0]],
                         "axes": [[1, 0, 0], [1, 0, 0]]},
                "pin": {"type": "revolute", "bodies": ["carriage", "bob"], "points_m": [[0, 0, 0], [0, 0, ARM]],
                        "axes": [[0, 1, 0], [0, 1, 0]]}},
            "drivers": {"motor": {"type": "displacement", "joint": "rail", "value_m": way}},
            "sensors": {"rate": {"type": "rate", "joint": "pin"},
                        "force": {"type": "reaction_force", "joint": "pin"}}},
        "integrator": method, "instances": 1, "quantities": quantities or {"rate": {"final": "rate"}}, **more}


def tent(begin_s, length_s, speed_m_s):
    """The bob's rate after the carriage has gone ahead and back within twice the length."""
    angle = rate = 0.0
    for jump in (speed_m_s, -2 * speed_m_s, speed_m_s):
        rate += BY_SPEED * jump * math.cos(angle)
        angle += rate * length_s
    return rate


def accelerated(acceleration, seconds):
    """The largest force along x between carriage and bob from rest on, by Runge and Kutta's rule."""
    steps = 20000
    h, angle, rate, largest = seconds / steps, 0.0, 0.0, 0.0
    def turned(at):
        return BY_SPEED * acceleration * math.cos(at)
    for _ in range(steps + 1):
        largest = max(largest, MASS * (acceleration - ARM * (turned(angle) * math.cos(angle)
                                                             - rate**2 * math.sin(angle))))
        middle = angle + h / 2 * rate + h**2 / 8 * turned(angle)
        angle, rate = (angle + h * rate + h**2 / 6 * (turned(angle) + 2 * turned(middle)),
                       rate + h / 6 * (turned(angle) + 4 * turned(middle)
                                       + turned(angle + h * rate + h**2 / 2 * turned(middle))))
    return largest


class DriverCorners(ProgramTest):
    def run_on(self, backend, given):
        done = self.myriad("run", self.study(given), "--backend", backend, "--format", "json", "--overwrite")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def value(self, given, name="rate", backend="cpu"):
        summary = self.run_on(backend, given)
        self.assertEqual(summary["by_status"], {"ok": 1})
        return next(row for row in summary["quantities"] if row["name"] == name)["mean"]["value"]

    def test_pulses_have_the_rate_of_the_closed_form(self):
        pulses = {"if(t < 0.1, 0, if(t < 0.11, 5 * (t - 0.1), if(t < 0.12, 0.05 - 5 * (t - 0.11), 0)))":
                  tent(0.1, 0.01, 5.0),
                  "max(0, 0.5 * min(t - 0.1, 0.2 - t))": tent(0.1, 0.05, 0.5)}
        for way, rate in pulses.items():
            for method in ADAPTIVE + FIXED + CONTACT:
                for backend in ["cpu"] + ["reference"] * (method in ["dopri5", "rk4", "moreau_midpoint"]):
                    with self.subTest(way=way, method=method, backend=backend):
                        # All jumps lie at the ends of steps.
                        self.assertAlmostEqual(self.value(study(way, method, 0.3, 1e-3), backend=backend), rate,
                                               delta=1e-6)

    def test_corners_that_an_instance_meets_end_it_on_both_paths(self):
        for method in ADAPTIVE + FIXED + CONTACT:
            for backend in ["cpu", "reference"]:
                with self.subTest(method=method, backend=backend):
                    given = study("sqrt((t - place_s)^2)", method, 0.2, 1e-3, instances=2,
                                  parameters={"parameters.place_s": {"uniform": {"low": 0.05, "high": 0.15}}},
                                  allowed_failed_share=1)
                    summary = self.run_on(backend, given)
                    self.assertEqual(summary["by_status"], {"invalid_parameter": 2})
                    self.assertIn("comes to a corner of sqrt", next(iter(summary["by_reason"])))

    def test_poles_that_an_instance_meets_end_it_on_both_paths(self):
        for method in ADAPTIVE + FIXED + CONTACT:
            for backend in ["cpu", "reference"]:
                with self.subTest(method=method, backend=backend):
                    given = study("1e-6 / (t - place_s)", method, 0.2, 1e-3, instances=2,
                                  parameters={"parameters.place_s": {"uniform": {"low": 0.05, "high": 0.15}}},
                                  allowed_failed_share=1)
                    summary = self.run_on(backend, given)
                    self.assertEqual(summary["by_status"], {"invalid_parameter": 2})
                    self.assertIn("or to a pole", next(iter(summary["by_reason"])))

    def test_the_force_after_a_jump_of_an_acceleration_is_that_of_the_closed_form(self):
        right = accelerated(10.0, 0.1)
        for method in CONTACT + FIXED:
            for backend in ["cpu"] + ["reference"] * (method in ["moreau_midpoint", "rk4"]):
                for step_s in 1e-3, 1e-4:
                    with self.subTest(method=method, backend=backend, step_s=step_s):
                        given = study("5 * max(0, t - 0.1)^2", method, 0.2, step_s, {"force": {"max": "force.x"}})
                        # All err by the first order of the step at most.
                        self.assertAlmostEqual(self.value(given, "force", backend), right, delta=15 * step_s)


if __name__ == "__main__":
    unittest.main()
