"""Loops whose redundant constraints are left out, in poses that have turned far from the pose of the file.

Run by ctest with MYRIAD_PROGRAM (the program) and MYRIAD_SOURCE_DIR (the project) in the environment.
"""

import json
import math
import unittest

from program_case import ProgramTest

CRANK, COUPLER, ROCKER, BASE = 0.2, 0.6, 0.5, 0.7
X, Y, Z, DIAGONAL = [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]
# What projections and iterations leave of a loop, m or rad.
CLOSED = 1e-7
# N, of forces of some newtons: Newton's tolerance of positions, 1e-10, over the square of a step of 1e-3 s is 1e-4 m/s^2,
# and iterations end some orders below it.
FORCE = 1e-6
METHODS = {
    "rk4": {"step_s": 1e-3},
    "dopri5": {"relative_tolerance": 1e-9, "absolute_tolerance": 1e-9},
    "generalized_alpha": {"step_s": 1e-3},
    "moreau_midpoint": {"step_s": 1e-3},
    "half_explicit": {"step_s": 1e-3},
}


def rocker_direction(crank_rad):
    """From its pin on the base to the coupler, which lies above the line of the pins: two circles meet."""
    x, y = CRANK * math.cos(crank_rad) - BASE, CRANK * math.sin(crank_rad)
    distance = math.hypot(x, y)
    return math.atan2(y, x) - math.acos((distance**2 + ROCKER**2 - COUPLER**2) / (2 * distance * ROCKER))


def rod(start, end):
    length = math.dist(start, end)
    return {
        "mass_kg": length, "inertia_kg_m2": [0.001, length**3 / 12, length**3 / 12],
        "position_m": [(a + b) / 2 for a, b in zip(start, end)] + [0],
        "orientation": {"rotation_vector_rad": [0, 0, math.atan2(end[1] - start[1], end[0] - start[0])]},
    }


def pin(first, second, on_first, on_second, **keys):
    return {"type": "revolute", "bodies": [first, second], "points_m": [on_first, on_second], "axes": [Z, Z], **keys}


def four_bar(base="ground", start_rad=1.0):
    """In the plane z = 0, with the base's origin in the pin of the crank."""
    tip = (CRANK * math.cos(start_rad), CRANK * math.sin(start_rad))
    direction = rocker_direction(start_rad)
    joint = (BASE + ROCKER * math.cos(direction), ROCKER * math.sin(direction))
    return {
        "bodies": {"crank": rod((0, 0), tip), "coupler": rod(tip, joint), "rocker": rod((BASE, 0), joint)},
        "joints": {
            "drive": pin(base, "crank", [0, 0, 0], [-CRANK / 2, 0, 0]),
            "knee": pin("crank", "coupler", [CRANK / 2, 0, 0], [-COUPLER / 2, 0, 0]),
            "elbow": pin("coupler", "rocker", [COUPLER / 2, 0, 0], [ROCKER / 2, 0, 0]),
            "pivot": pin(base, "rocker", [BASE, 0, 0], [-ROCKER / 2, 0, 0]),
        },
        "sensors": {name: {"type": "angle", "joint": name} for name in ("drive", "knee", "elbow", "pivot")},
    }


def cranks(places, rate_rad_s=4.0):
    """A plate on parallel cranks of 0.3 m, which stand upright at the start."""
    mechanism = {"bodies": {"plate": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [0, 0.3, 0]}},
                 "joints": {}, "sensors": {}}
    for number, (x, y) in enumerate(places):
        name = f"crank_{number}"
        mechanism["bodies"][name] = rod((x, y), (x, y + 0.3))
        mechanism["joints"][f"foot_{number}"] = pin("ground", name, [x, y, 0], [-0.15, 0, 0])
        mechanism["joints"][f"head_{number}"] = pin(name, "plate", [0.15, 0, 0], [x, y, 0])
        mechanism["sensors"][f"angle_{number}"] = {"type": "angle", "joint": f"foot_{number}"}
    mechanism["joints"]["foot_0"]["rate_rad_s"] = rate_rad_s
    return mechanism


class TurningLoops(ProgramTest):
    def outcome(self, mechanism, name, settings, quantities, end_s, backend="cpu", expect=0):
        study = {"mechanism": mechanism, "integrator": {"name": name, "end_s": end_s, **settings},
                 "quantities": quantities}
        done = self.myriad("run", self.study(study), "--instances", 1, "--overwrite", "--backend", backend, "--format",
                           "json", "--threads", 1)
        self.assertEqual(done.returncode, expect, f"{name} on {backend}: {done.stderr}")
        return json.loads(done.stdout)

    def values(self, *arguments, **options):
        return {one["name"]: one["mean"]["value"] for one in self.outcome(*arguments, **options)["quantities"]}

    def test_a_driven_four_bar_on_a_turntable_keeps_its_angles_for_every_axis_of_the_turntable(self):
        end_s = 0.8  # 2.4 rad of the turntable, in which its plane stands upright once, and 4 rad of the crank
        crank_rad = 5.0 * end_s
        expected = rocker_direction(1.0 + crank_rad) - rocker_direction(1.0)
        for axis in (X, Y, DIAGONAL):
            mechanism = four_bar("table")
            mechanism["bodies"]["table"] = {"mass_kg": 5, "inertia_kg_m2": [1, 1, 1], "position_m": [0, 0, 0]}
            mechanism["joints"]["bearing"] = {"type": "revolute", "bodies": ["ground", "table"],
                                              "points_m": [[0, 0, 0], [0, 0, 0]], "axes": [axis, axis]}
            mechanism["drivers"] = {"motor": {"type": "angle", "joint": "drive", "value_rad": "5 * t"},
                                    "table_motor": {"type": "angle", "joint": "bearing", "value_rad": "3 * t"}}
            for name, settings in METHODS.items():
                for backend in ("cpu", "reference") if axis == DIAGONAL else ("cpu",):
                    with self.subTest(axis=axis, method=name, backend=backend):
                        found = self.values(mechanism, name, settings,
                                            {"drive": {"final": "drive"}, "pivot": {"final": "pivot"}}, end_s, backend)
                        self.assertAlmostEqual(found["drive"], crank_rad, delta=CLOSED)
                        turned = math.remainder(found["pivot"] - expected, 2 * math.pi)
                        self.assertAlmostEqual(turned, 0.0, delta=CLOSED)

    def test_a_four_bar_on_a_tumbling_base_keeps_its_energy_and_moves_as_in_body_coordinates(self):
        mechanism = four_bar("base")
        mechanism["gravity_m_s2"] = [0, 0, -9.81]
        mechanism["bodies"]["base"] = {
            "mass_kg": 5, "inertia_kg_m2": [1, 0.7, 0.4], "position_m": [0, 0, 0], "velocity_m_s": [0, 0, 3],
            "angular_velocity_rad_s": [1.5, 2, -0.7]}
        mechanism["joints"]["drive"]["rate_rad_s"] = 5
        quantities = {"drive": {"final": "drive"}, "most": {"max": "energy"}, "least": {"min": "energy"}}
        end_s = 1.0
        runs = {(name, backend): self.values(mechanism, name, METHODS[name], quantities, end_s, backend)
                for name in ("rk4", "dopri5") for backend in ("cpu", "reference")}
        for run, found in runs.items():
            # The global errors of both methods at these steps and tolerances.
            self.assertLess(found["most"] - found["least"], 1e-6, run)
            self.assertAlmostEqual(found["drive"], runs["rk4", "cpu"]["drive"], delta=1e-6, msg=str(run))
        # Second order: some h^2 times the cube of the largest rate, over a second.
        of_second_order = 1e-3
        in_bodies = self.values(dict(mechanism, coordinates="body"), "energy_momentum_convective", {"step_s": 5e-4},
                                quantities, end_s)
        alpha = self.values(mechanism, "generalized_alpha", {"step_s": 5e-4}, quantities, end_s)
        for found in (in_bodies, alpha):
            self.assertAlmostEqual(found["drive"], runs["rk4", "cpu"]["drive"], delta=of_second_order)

    def test_reactions_on_a_base_that_is_fixed_to_the_ground_are_those_on_the_ground(self):
        quantities = {"pivot": {"final": "pivot"}}
        for joint in ("drive", "knee", "elbow", "pivot"):
            for axis in "xy":
                quantities[f"{joint}_{axis}"] = {"final": f"{joint}_force.{axis}"}
                quantities[f"most_{joint}_{axis}"] = {"max": f"{joint}_force.{axis}"}
        quantities = dict(list(quantities.items())[:16])

        def on(base):
            mechanism = four_bar(base)
            mechanism["gravity_m_s2"] = [0, -9.81, 0]
            mechanism["joints"]["drive"]["rate_rad_s"] = 2
            for joint in ("drive", "knee", "elbow", "pivot"):
                mechanism["sensors"][f"{joint}_force"] = {"type": "reaction_force", "joint": joint}
            return mechanism

        on_body = on("base")
        on_body["bodies"]["base"] = {"mass_kg": 2, "inertia_kg_m2": [1, 1, 1], "position_m": [0, 0, 0]}
        on_body["joints"]["weld"] = {"type": "fixed", "bodies": ["ground", "base"],
                                     "points_m": [[0, 0, 0], [0, 0, 0]]}
        for name in ("rk4", "generalized_alpha"):
            for backend in ("cpu", "reference"):
                ground = self.values(on("ground"), name, METHODS[name], quantities, 0.3, backend)
                body = self.values(on_body, name, METHODS[name], quantities, 0.3, backend)
                for quantity, expected in ground.items():
                    self.assertAlmostEqual(body[quantity], expected, delta=FORCE, msg=f"{name} {backend} {quantity}")

    def test_three_parallel_cranks_in_line_turn_evenly_through_their_dead_points(self):
        end_s, rate = 1.0, 4.0  # past the first dead point, after a quarter of a turn
        quantities = {f"angle_{number}": {"final": f"angle_{number}"} for number in range(3)}
        for name in ("dopri5", "moreau_midpoint", "half_explicit", "generalized_alpha"):
            for backend in ("cpu", "reference"):
                found = self.values(cranks([(0, 0), (1, 0), (0.5, 0)], rate), name, METHODS[name], quantities, end_s,
                                    backend)
                for quantity, value in found.items():
                    self.assertAlmostEqual(value, rate * end_s, delta=1e-6, msg=f"{name} {backend} {quantity}")

    def test_cranks_out_of_line_end_a_method_that_needs_other_rows_and_the_advice_works(self):
        mechanism, end_s, rate = cranks([(0, 0), (1, 0), (0.4, 0.7)]), 2.0, 4.0
        quantities = {f"angle_{number}": {"final": f"angle_{number}"} for number in range(3)}
        ended = self.outcome(mechanism, "rk4", METHODS["rk4"], quantities, end_s, expect=2)
        self.assertEqual(ended["by_status"], {"singular_matrix": 1})
        reason, = ended["by_reason"]
        self.assertIn('take "generalized_alpha" with "iteration_matrix": "exact"', reason)
        advised = {"step_s": 1e-3, "iteration_matrix": "exact"}
        for quantity, value in self.values(mechanism, "generalized_alpha", advised, quantities, end_s).items():
            self.assertAlmostEqual(value, rate * end_s, delta=1e-6, msg=quantity)


if __name__ == "__main__":
    unittest.main()
