"""Studies that start at an equilibrium, and eigenfrequencies and damping ratios as quantities: from the command line to
the result file."""

import json
import unittest

import h5py
import numpy

from program_case import PENDULUM, ProgramTest, datasets, same_bits, without

ONE_STEP = {"name": "generalized_alpha", "step_s": 1e-3, "end_s": 1e-3}
HANGING = {
    "mechanism": PENDULUM,
    "start": "equilibrium",
    "integrator": ONE_STEP,
    "instances": 1000,
    "design": {"kind": "sobol", "seed": 5},
    "parameters": {"parameters.length_m": {"uniform": {"low": 0.5, "high": 4.0}}},
    "quantities": {"first_Hz": {"eigenfrequency_Hz": 1, "probability": {"above": 0.5}},
                   "fastest_J": {"max": "kinetic_energy"},
                   "omega_rad_s": {"eigenfrequency_rad_s": 1},
                   "zeta": {"damping_ratio": 1}},
}
# A uniform rod at its end, to round-off of its equilibrium.
SAME_FREQUENCY = 1e-11


def rod_Hz(length_m):
    return numpy.sqrt(1.5 * 9.81 / length_m) / (2 * numpy.pi)


def sprung(**forces):
    return {
        "gravity_m_s2": [0, 0, -9.81],
        "bodies": {"mass": {"mass_kg": 2, "inertia_kg_m2": [1, 1, 1]}},
        "joints": {"guide": {"type": "prismatic", "bodies": ["ground", "mass"], "points_m": [[0, 0, 0], [0, 0, 0]],
                             "axes": [[0, 0, -1], [0, 0, -1]]}},
        "forces": {"spring": {"type": "linear_spring_damper", "joint": "guide", "stiffness_N_m": 50,
                              "damping_N_s_m": 4, **forces}},
    }


class NaturalFrequencies(ProgramTest):
    def test_follow_the_length_of_a_rod_in_a_thousand_instances(self):
        summary = self.run_study(HANGING)
        found = datasets(self.path / "study.h5")
        expected = rod_Hz(found["parameters/parameters.length_m"])
        self.assertLess(numpy.max(numpy.abs(found["quantities/first_Hz"] / expected - 1)), SAME_FREQUENCY)
        self.assertTrue(numpy.allclose(found["quantities/omega_rad_s"], 2 * numpy.pi * found["quantities/first_Hz"],
                                       rtol=1e-15))
        self.assertEqual(numpy.max(numpy.abs(found["quantities/zeta"])), 0.0)
        self.assertLess(numpy.max(found["quantities/fastest_J"]), 1e-20)
        self.assertTrue(numpy.all(found["instance/equilibrium"] == 1))
        by_name = {one["name"]: one for one in summary["quantities"]}
        self.assertLess(abs(by_name["first_Hz"]["mean"]["value"] / numpy.mean(expected) - 1), 1e-10)
        with h5py.File(self.path / "study.h5") as file:
            self.assertEqual(file["quantities/first_Hz"].attrs["unit"], "Hz")
            self.assertEqual(file["quantities/omega_rad_s"].attrs["unit"], "rad/s")
            self.assertEqual(list(file["instance/equilibrium"].attrs["names"]), ["none", "stable", "free", "unstable"])
        replayed = self.myriad("replay", "study.h5", "--instance", 17, "--format", "json")
        self.assertEqual(replayed.returncode, 0, replayed.stderr)
        difference = {one["what"]: one for one in json.loads(replayed.stdout)["differences"]}["quantities first_Hz"]
        self.assertLess(difference["largest"], 1e-8)

    def test_have_the_same_bits_however_the_study_is_cut(self):
        for instances in (1, 31, 33, 1000):
            with self.subTest(instances=instances):
                whole = {**HANGING, "instances": instances, "design": {"kind": "monte_carlo", "seed": 5}}
                self.run_study(whole, "--out", "whole.h5", "--overwrite")
                expected = datasets(self.path / "whole.h5")
                for options in (("--threads", 1, "--chunk", 7 if instances < 1000 else 170), ("--width", 1)):
                    self.run_study(whole, *options, "--out", "part.h5", "--overwrite")
                    self.assertTrue(same_bits(datasets(self.path / "part.h5"), expected), options)
        self.run_study(whole, "--range", "0:313")
        self.run_study(whole, "--range", "313:1000")
        merged = self.myriad("merge", "study.0-313.h5", "study.313-1000.h5", "--out", "merged.h5")
        self.assertEqual(merged.returncode, 0, merged.stderr)
        self.assertTrue(same_bits(datasets(self.path / "merged.h5"), expected))
        self.run_study({**whole, "instances": 33}, "--out", "grown.h5")
        self.run_study(whole, "--out", "grown.h5", "--resume")
        self.assertTrue(same_bits(datasets(self.path / "grown.h5"), expected))

    def test_are_those_of_the_reference_path(self):
        study = {**HANGING, "instances": 33}
        self.run_study(study)
        done = self.myriad("run", self.study(study), "--backend", "reference", "--out", "reference.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        ours, theirs = (datasets(self.path / name)["quantities/first_Hz"] for name in ("study.h5", "reference.h5"))
        self.assertLess(numpy.max(numpy.abs(ours - theirs)), 1e-8)
        self.assertFalse(numpy.array_equal(ours, theirs))

    def test_of_an_instance_without_equilibrium_are_undefined_and_it_says_so(self):
        rows = [50.0, 0.0, 200.0]
        (self.path / "springs.csv").write_text("forces.spring.stiffness_N_m\n" + "\n".join(map(str, rows)) + "\n")
        study = {**without(HANGING, "instances", "parameters"), "mechanism": sprung(),
                 "design": {"kind": "table", "file": "springs.csv"},
                 "quantities": {"first_Hz": {"eigenfrequency_Hz": 1}, "zeta": {"damping_ratio": 1}}}
        summary = self.run_study(study, expect=2)
        found = datasets(self.path / "study.h5")
        self.assertEqual(found["instance/equilibrium"].tolist(), [1, 0, 1])
        with h5py.File(self.path / "study.h5") as file:
            self.assertEqual(file["instance/status"].attrs["names"][found["instance/status"][1]], "assembly_failed")
        self.assertTrue(numpy.isnan(found["quantities/first_Hz"][1]))
        for i in (0, 2):
            omega = numpy.sqrt(rows[i] / 2)
            self.assertAlmostEqual(found["quantities/first_Hz"][i], omega / (2 * numpy.pi), delta=1e-11)
            self.assertAlmostEqual(found["quantities/zeta"][i], 4 / (2 * 2 * omega), delta=1e-11)
        self.assertEqual(summary["by_status"]["assembly_failed"] if "by_status" in summary else 1, 1)

    def test_of_an_unstable_equilibrium_are_counted_in_a_warning(self):
        pushed = {**sprung(), "parameters": {"push_N_s_m": 5}}
        pushed["forces"]["push"] = {"type": "joint_force", "joint": "guide", "force_N": "push_N_s_m * displacement_rate"}
        study = {**HANGING, "mechanism": pushed, "instances": 10,
                 "parameters": {"parameters.push_N_s_m": {"uniform": {"low": 5, "high": 6}}},
                 "quantities": {"zeta": {"damping_ratio": 1, "probability": {"below": 0}}}}
        done = self.myriad("run", self.study(study), "--backend", "cpu")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("that are linearised at an unstable equilibrium", done.stdout + done.stderr)
        found = datasets(self.path / "study.h5")
        self.assertTrue(numpy.all(found["instance/equilibrium"] == 3))
        # (c - push) / (2 sqrt(k m))
        expected = (4 - found["parameters/parameters.push_N_s_m"]) / (2 * numpy.sqrt(50 * 2))
        self.assertLess(numpy.max(numpy.abs(found["quantities/zeta"] - expected)), 1e-11)

    def test_need_no_file_that_asks_for_an_equilibrium_and_leave_one_that_does(self):
        assembled = without(HANGING, "start", "quantities")
        heights = {}
        for name, study, options in (
                ("assembled", assembled, ()), ("equilibrium", {**assembled, "start": "equilibrium"}, ()),
                ("option", assembled, ("-o", "start=equilibrium")),
                ("file", {**assembled, "mechanism": {**PENDULUM, "start": "equilibrium"}}, ()),
                ("back", {**assembled, "mechanism": {**PENDULUM, "start": "equilibrium"}, "start": "assembled"}, ())):
            self.run_study({**study, "instances": 5}, "--out", name + ".h5", *options)
            heights[name] = datasets(self.path / (name + ".h5"))["state/initial/position"][:, 0, 2]
        self.assertTrue(numpy.all(heights["assembled"] == 0.0))
        self.assertTrue(numpy.all(heights["equilibrium"] < -0.2))
        for name in ("option", "file"):
            self.assertTrue(numpy.array_equal(heights[name], heights["equilibrium"]), name)
        self.assertTrue(numpy.array_equal(heights["back"], heights["assembled"]))


if __name__ == "__main__":
    unittest.main()
