"""Drivers with corners, by all methods of joint coordinates and on the reference path: against closed forms. Drivers
between points in centres of mass, and far from the origin, where lever arms say nothing about round-off."""

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


RATE = 0.3  # by which the driver lengthens the line, m/s
ROW_METHODS = ["rk4", "generalized_alpha", "implicit_euler", "moreau_midpoint", "half_explicit", "nonsmooth_bathe"]
DRIVERS = {"D": {"type": "D", "value_m": "1 + 0.3 * t"},
           "CD": {"type": "CD", "direction": [1, 0, 0], "value_m": "1 + 0.3 * t"},
           "DP2": {"type": "DP2", "axis": [1, 0, 0], "value_m": "1 + 0.3 * t"}}


def sliders(driver, place, arm, method):
    """Bodies of 1 kg and 2 kg on one rail along x, 1 m apart, which a driver pushes apart."""
    def body(mass, x):
        return {"mass_kg": mass, "inertia_kg_m2": [0.01] * 3, "position_m": [x, 0, 0]}

    def rail(name, x):
        return {"type": "prismatic", "bodies": ["ground", name], "points_m": [[x, arm, 0], [0, arm, 0]],
                "axes": [[1, 0, 0], [1, 0, 0]]}
    return {
        "mechanism": {
            "coordinates": "joint",
            "bodies": {"light": body(1, place), "heavy": body(2, place + 1)},
            "joints": {"first": rail("light", place), "second": rail("heavy", place + 1)},
            "drivers": {"push": {"bodies": ["light", "heavy"], "points_m": [[0, 0, 0], [0, 0, 0]], **DRIVERS[driver]}}},
        "integrator": {"name": method, "end_s": 0.1, "step_s": 1e-3}, "instances": 1,
        "quantities": {"light": {"final": "velocity.light.x"}, "heavy": {"final": "velocity.heavy.x"}}}


class Sizes(ProgramTest):
    def test_of_zero_and_small_ones_beside_the_mechanism_do_not_stall_a_method(self):
        for driver in DRIVERS:
            for place, arm in [(0, 0), (0, 1e-3), (0, 0.01), (10, 0.1), (10, 0), (1000, 0.3), (1000, 0)]:
                for method in ROW_METHODS:
                    with self.subTest(driver=driver, place=place, arm=arm, method=method):
                        given = self.study(sliders(driver, place, arm, method))
                        done = self.myriad("run", given, "--format", "json", "--overwrite")
                        self.assertEqual(done.returncode, 0, done.stderr)
                        summary = json.loads(done.stdout)
                        self.assertEqual(summary["by_status"], {"ok": 1})
                        found = {row["name"]: row["mean"]["value"] for row in summary["quantities"]}
                        # Momentum is kept. Round-off of positions over a step in the rates.
                        allowed = 1e-11 * max(1, place)
                        self.assertAlmostEqual(found["light"], -2 * RATE / 3, delta=allowed)
                        self.assertAlmostEqual(found["heavy"], RATE / 3, delta=allowed)


def five_bar(method, way):
    """Two driven and two free rods between two pins on the ground, under gravity."""
    half, long = 0.2, 0.5 * math.hypot(0.5, 0.5)

    def rod(x, y, angle):
        return {"mass_kg": 1, "inertia_kg_m2": [0.02] * 3, "position_m": [x, y, 0],
                "orientation": {"rotation_vector_rad": [0, 0, angle]}}

    def pin(a, b, on_a, on_b):
        return {"type": "revolute", "bodies": [a, b], "points_m": [[on_a, 0, 0], [on_b, 0, 0]],
                "axes": [[0, 0, 1], [0, 0, 1]]}
    return {
        "mechanism": {
            "coordinates": "joint", "gravity_m_s2": [0, -9.81, 0],
            "bodies": {"left": rod(0, 0.2, math.pi / 2), "upper": rod(0.25, 0.65, math.pi / 4),
                       "right": rod(1, 0.2, math.pi / 2), "other": rod(0.75, 0.65, 3 * math.pi / 4)},
            "joints": {"a": pin("ground", "left", 0, -half), "b": pin("left", "upper", half, -long),
                       "c": pin("upper", "other", long, long), "d": pin("right", "other", half, -long),
                       "e": pin("ground", "right", 1, -half)},
            "drivers": {"motor": {"type": "angle", "joint": "a", "value_rad": way}},
            "sensors": {"force": {"type": "reaction_force", "joint": "e"}, "rate": {"type": "rate", "joint": "e"}}},
        "integrator": {"name": method, "end_s": 0.4, "step_s": 1e-3}, "instances": 1,
        "quantities": {"force": {"max": "force.norm", "from_s": 0.01}, "rate": {"final": "rate"}}}


class DrivenLoops(ProgramTest):
    def test_have_the_forces_of_the_reference_path_by_methods_for_contact(self):
        for method in ["half_explicit", "moreau_midpoint", "nonsmooth_bathe"]:
            for way in ["0.2 * sin(9 * t)", "0.5 * t^2"]:
                with self.subTest(method=method, way=way):
                    found = {}
                    for backend in "cpu", "reference":
                        done = self.myriad("run", self.study(five_bar(method, way)), "--backend", backend, "--format",
                                           "json", "--overwrite")
                        self.assertEqual(done.returncode, 0, done.stderr)
                        rows = json.loads(done.stdout)["quantities"]
                        found[backend] = {row["name"]: row["mean"]["value"] for row in rows}
                    # What Newton's tolerance leaves of a force of 65 N.
                    for name in "force", "rate":
                        self.assertAlmostEqual(found["cpu"][name], found["reference"][name], delta=1e-7)


if __name__ == "__main__":
    unittest.main()
