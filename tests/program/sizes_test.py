"""Drivers between points in centres of mass, and far from the origin, where lever arms say nothing about round-off."""

import json
import math
import unittest

from program_case import ProgramTest

RATE = 0.3  # by which the driver lengthens the line, m/s
METHODS = ["rk4", "generalized_alpha", "implicit_euler", "moreau_midpoint", "half_explicit", "nonsmooth_bathe"]
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
                for method in METHODS:
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
