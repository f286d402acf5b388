"""Mechanisms with contacts through the whole program: closed forms, spoilt instances, and what runs warn of."""

import json
import unittest

import h5py
import numpy

from program_case import STUDIES, ProgramTest, datasets

GRAVITY = 9.81
STEP_S = 1e-3
# Constant accelerations are exact: Newton's and the contact problems' tolerances over a thousand steps.
SOLVED = 1e-7


class ContactMechanism(ProgramTest):
    def run_study(self, study, *arguments):
        done = self.myriad("run", study, "--out", "result.h5", "--overwrite", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return datasets(self.path / "result.h5")

    def bundled(self, name, *arguments):
        return self.run_study(STUDIES / f"{name}.json", *arguments)

    def test_a_slider_comes_back_from_its_stop_with_what_the_restitution_leaves(self):
        speed, end_s = 0.8, 1.0
        slider = {"bodies": {"block": {"mass_kg": 2, "inertia_kg_m2": [0.1, 0.1, 0.1]}},
                  "joints": {"rail": {"type": "prismatic", "bodies": ["ground", "block"], "points_m": [[0, 0, 0]] * 2,
                                      "axes": [[1, 0, 0]] * 2, "displacement_rate_m_s": speed}},
                  "contacts": {"buffer": {"type": "joint_limits", "joint": "rail", "upper_m": 0.4}},
                  "sensors": {"way": {"type": "displacement", "joint": "rail"}}}
        self.study(slider, "slider.json")
        study = {"mechanism": "slider.json", "instances": 33, "design": {"kind": "sobol", "seed": 3},
                 "integrator": {"name": "nonsmooth_bathe", "step_s": STEP_S, "end_s": end_s},
                 "parameters": {"contacts.buffer.upper_m": {"uniform": {"low": 0.2, "high": 0.6}},
                                "contacts.buffer.normal_restitution": {"uniform": {"low": 0, "high": 1}}},
                 "quantities": {"final_m": {"final": "way"}, "push_N_s": {"max": "contact_impulse.buffer.upper"}}}
        self.study(study)
        for backend in ("cpu", "reference"):
            result = self.run_study("study.json", "--backend", backend)
            self.assertEqual(set(result["instance/status"]), {0})
            upper = result["parameters/contacts.buffer.upper_m"]
            restitution = result["parameters/contacts.buffer.normal_restitution"]
            expected = upper - restitution * (speed * end_s - upper)
            # The impact comes up to a step late, and the way back begins as much later.
            numpy.testing.assert_allclose(result["quantities/final_m"], expected, rtol=0, atol=2 * speed * STEP_S)
            numpy.testing.assert_allclose(result["quantities/push_N_s"], 2 * speed * (1 + restitution), rtol=SOLVED)

    def test_a_pin_stays_between_the_walls_of_the_slot_that_it_drives(self):
        result = self.bundled("scotch_yoke", "--instances", 33)
        self.assertEqual(set(result["instance/status"]), {0})
        self.assertGreater(result["quantities/impacts"].min(), 1)
        play, first, second = (result["parameters/parameters.clearance_m"][:, None],
                               *(result["trajectory/gap"][..., wall] for wall in (0, 1)))
        # Wall 1 stands half the play before the pin's mean place, the way of the yoke.
        along = 0.153 * numpy.cos(result["trajectory/crank_angle"]) - result["trajectory/stroke"]
        numpy.testing.assert_allclose(first, play / 2 + along, rtol=0, atol=SOLVED)
        numpy.testing.assert_allclose(first + second, numpy.broadcast_to(play, first.shape), rtol=0, atol=SOLVED)
        # An impact comes at the end of its step: a step of 2e-5 s at up to 23 m/s.
        self.assertGreater(min(first.min(), second.min()), -2e-5 * 150 * 0.153)
        self.assertLess(first.min(), 1e-5)
        self.assertLess(second.min(), 1e-5)

    def test_does_not_call_an_error_what_friction_and_impacts_take(self):
        done = self.myriad("run", STUDIES / "bouncing_sphere.json", "--instances", 8, "--format", "json", "--out",
                           "result.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        summary = json.loads(done.stdout)
        self.assertEqual(summary["drifts"], [])
        self.assertIn("energy_balance_error", [figure["name"] for figure in summary["certificate"]])
        printed = self.myriad("run", STUDIES / "bouncing_sphere.json", "--instances", 8, "--out", "again.h5").stdout
        self.assertNotIn("energy_balance drift", printed)
        self.assertIn("largest energy balance error", printed)
        self.assertNotIn("energy_balance", self.myriad("report", "result.h5").stdout.split("dataset")[0])

    # A rod about its end: each swing from the wall and back takes two quarter periods, by the arithmetic-geometric mean,
    # and the speed of the next impact is the restitution's share.
    def test_pendulums_strike_their_wall_as_often_above_the_threshold_as_the_closed_form_says(self):
        threshold_N_s, end_s, gravity = 0.25, 5.0, 9.81
        result = self.bundled("pendulum_wall", "--instances", 100)
        e, length, angle = (result[f"parameters/{name}"] for name in (
            "contacts.wall.normal_restitution", "parameters.length_m", "parameters.angle_rad"))
        inertia = (3 * 0.01**2 + length**2) / 12 + length**2 / 4
        square = gravity * length / (2 * inertia)

        def quarter_period(rate):
            one, other = numpy.ones_like(rate), numpy.sqrt(1 - rate**2 / (4 * square))
            for _ in range(10):
                one, other = (one + other) / 2, numpy.sqrt(one * other)
            return numpy.pi / 2 / one / numpy.sqrt(square)

        rate = numpy.sqrt(2 * square * (1 - numpy.cos(angle)))
        time_s, hard, clear = quarter_period(rate), numpy.zeros(len(e)), numpy.ones(len(e), dtype=bool)
        for _ in range(8):
            impulse = (1 + e) * rate * inertia / length
            hard += (time_s < end_s) & (impulse > threshold_N_s)
            # Each impact is up to a step late, and a rate of 4 rad/s is known to its square times that of the step.
            clear &= (abs(time_s - end_s) > 8 * STEP_S) & (abs(impulse / threshold_N_s - 1) > 5 * STEP_S)
            rate = rate * e
            time_s = time_s + 2 * quarter_period(rate)
        self.assertGreater(clear.sum(), 90)
        numpy.testing.assert_array_equal(result["quantities/hard_impacts"][clear], hard[clear])
        self.assertGreater(len(set(hard)), 3)

    def test_planar_problems_take_a_sweep_or_two_over_pairs_of_corners(self):
        for integrator in ("moreau_midpoint", "nonsmooth_generalized_alpha"):
            crank = self.bundled("slider_crank_slot", "--instances", 128, "-o", f"integrator.name={integrator}")
            mean = crank["instance/certificate/mean_prox_iterations_largest"]
            self.assertLess(mean.mean(), 2, integrator)
            self.assertLess(mean.reshape(-1, 32).max(axis=1).max(), 4, integrator)  # the busiest of 32 lanes

    def test_a_spoilt_instance_has_a_status_and_harms_no_other(self):
        study = """{{"mechanism": "{mechanism}", "allowed_failed_share": 1, "design": {{"kind": "table", "file": "t.csv"}},
            "integrator": {{"name": "nonsmooth_generalized_alpha", "step_s": 1e-3, "end_s": 0.1{more}}}}}"""
        mechanism = STUDIES.parent / "mechanisms" / "rolling_sphere.json"
        columns = "contacts.floor.friction,contacts.floor.normal_restitution,contacts.floor.radius_m"
        healthy = [f"{0.1 + 0.01 * i},0,0.1" for i in range(33)]
        spoilt = dict(enumerate(healthy))
        spoilt.update({3: "-0.1,0,0.1", 17: "0.2,1.5,0.1", 20: "0.2,0,0.15", 31: "0.2,0,-0.1"})
        for more in ("", ', "initial_penetration": "project"'):
            self.study(study.format(mechanism=mechanism, more=more))
            (self.path / "t.csv").write_text("\n".join([columns, *healthy]) + "\n")
            good = self.run_study("study.json")
            self.assertEqual(set(good["instance/status"]), {0})
            (self.path / "t.csv").write_text("\n".join([columns, *spoilt.values()]) + "\n")
            mixed = self.run_study("study.json")
            printed = self.myriad("report", "result.h5").stdout
            overlapping = 0 if more else 1
            failed = {i for i, status in enumerate(mixed["instance/status"]) if status != 0}
            self.assertEqual(failed, {3, 17, 31} | ({20} if overlapping else set()))
            self.assertIn("invalid_parameter", printed)
            self.assertEqual("assembly_failed" in printed, bool(overlapping), printed)
            with h5py.File(self.path / "result.h5") as file:
                names = list(file["instance/detail"].attrs["names"])
            self.assertEqual({i: names[k] for i, k in enumerate(mixed["instance/detail"]) if k >= 0},
                             {20: "contacts.floor"} if overlapping else {})
            self.assertEqual('"initial_penetration": "project"' in printed, bool(overlapping), printed)
            self.assertEqual("contacts.floor\n" in printed, bool(overlapping), printed)
            for i in set(range(33)) - {3, 17, 20, 31}:
                self.assertEqual(mixed["state/final/position"][i].tobytes(), good["state/final/position"][i].tobytes())
            if not overlapping:
                self.assertAlmostEqual(mixed["state/final/position"][20][0][2], 0.15, delta=1e-8)

    def test_warns_of_contacts_that_a_step_does_not_see(self):
        ball = {"mass_kg": 0.01, "inertia_kg_m2": [4e-7] * 3}
        # A step of 90 mm leads each shot from before its target to behind it; the last one is met.
        shots = {f"shot_{i}": {**ball, "position_m": [-0.95, i, 0], "velocity_m_s": [90, 0, 0]} for i in range(3)}
        shots["shot_2"]["position_m"][0] = -0.9195
        study = {"mechanism": {
            "bodies": {**{f"target_{i}": {**ball, "position_m": [0, i, 0]} for i in range(3)}, **shots},
            "contacts": {f"hit_{i}": {"type": "sphere_sphere", "bodies": [f"target_{i}", f"shot_{i}"],
                                      "points_m": [[0, 0, 0], [0, 0, 0]], "radii_m": [0.01, 0.01]} for i in range(3)}},
            "integrator": {"name": "nonsmooth_bathe", "step_s": 1e-3, "end_s": 0.02, "strikes": "published"},
            "instances": 4}
        self.study(study)
        done = self.myriad("run", "study.json", "--out", "result.h5", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        told, = json.loads(done.stdout)["by_warning"].items()
        self.assertEqual(told[1], 4)
        # Of 90 m/s, 20 mm from the touch to the closest approach.
        for part in ("contacts.hit_0, hit_1:", "a step_s of 0.00022 s sees them all"):
            self.assertIn(part, told[0])
        self.assertIn("hit_0, hit_1", self.myriad("report", "result.h5").stdout)
        finer = self.myriad("run", "study.json", "--out", "finer.h5", "--format", "json", "-o", "integrator.step_s=2.2e-4")
        self.assertNotIn("pass through", finer.stdout + self.myriad("report", "finer.h5").stdout)

    def test_warns_of_bodies_that_sink_in(self):
        study = {"mechanism": {
            "gravity_m_s2": [0, 0, -9.81],
            "bodies": {"pellet": {"mass_kg": 0.004, "inertia_kg_m2": [4e-8] * 3, "position_m": [0, 0, 10.002]}},
            "contacts": {"floor": {"type": "sphere_plane", "bodies": ["ground", "pellet"], "plane_point_m": [0, 0, 0],
                                   "plane_normal": [0, 0, 1], "point_m": [0, 0, 0], "radius_m": 0.005}}},
            "integrator": {"name": "nonsmooth_bathe", "step_s": 1e-3, "end_s": 1.5, "strikes": "published"},
            "instances": 1}
        self.study(study)
        result = self.run_study("study.json")
        fall = 0.5 * GRAVITY * (STEP_S * numpy.arange(1500)) ** 2
        depth = (fall - 9.997)[fall >= 9.997][0]
        self.assertAlmostEqual(result["instance/certificate/sunk_depth_largest"][0], depth, delta=SOLVED)
        printed = " ".join(self.myriad("report", "result.h5").stdout.split())
        self.assertIn(f"1 in which a body sinks into another by more than a tenth of its size at contacts.floor, by at most {depth:.2g} m",
                      printed)

    def test_warns_of_steps_with_more_strikes_than_are_placed(self):
        """The first of eleven balls in a row hits the second, that the third: ten strikes in a step of 20 mm."""
        ball = {"mass_kg": 0.01, "inertia_kg_m2": [4e-7] * 3}
        row = {f"b{i}": {**ball, "position_m": [0.0203 * i, 0, 0]} for i in range(11)}
        row["b0"]["velocity_m_s"] = [20, 0, 0]
        contacts = {f"c{i}": {"type": "sphere_sphere", "bodies": [f"b{i}", f"b{i + 1}"], "points_m": [[0, 0, 0], [0, 0, 0]],
                              "radii_m": [0.01, 0.01], "normal_restitution": 1} for i in range(10)}
        self.study({"mechanism": {"bodies": row, "contacts": contacts}, "instances": 1,
                    "integrator": {"name": "nonsmooth_bathe", "step_s": 1e-3, "end_s": 0.002}})
        crowded = "instance/certificate/crowded_steps_largest"
        self.assertEqual(self.run_study("study.json")[crowded][0], 1)
        self.assertIn("with more strikes in a step", self.myriad("report", "result.h5").stdout)
        self.assertEqual(self.run_study("study.json", "-o", "integrator.step_s=1e-4")[crowded][0], 0)

    def test_warns_of_laws_by_which_an_impact_may_gain_energy(self):
        done = self.myriad("run", STUDIES / "slider_crank_slot.json", "--instances", 2, "-o",
                           "integrator.end_s=0.001", "-o", "observe.every_s=0.001", "--out", "r.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("may then gain energy", done.stderr)
        self.assertIn("lower_left, lower_right", done.stderr)
        smooth = self.myriad("run", STUDIES / "bouncing_sphere.json", "--instances", 2, "--out", "s.h5")
        self.assertNotIn("gain energy", smooth.stderr)


if __name__ == "__main__":
    unittest.main()
