"""Studies that start at an equilibrium, and eigenfrequencies and damping ratios as quantities: from the command line to
the result file. Equilibria from anywhere: stable ones, the same on both paths, and a word where there is none."""

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


GRAVITY_M_S2 = 9.81
LENGTH_M = 0.5
# m, rad: the last correction is below 1e-11, and a soft freedom multiplies what it leaves.
SETTLED_M = 1e-9
# rad: how far the two paths' differences of their forces move an equilibrium.
SAME_POSE = 1e-7
UNSTABLE = 8
A_STEP = {"name": "rk4", "step_s": 1e-3, "end_s": 1e-3}


def chain(links):
    """Uniform bodies that hang on hinges, each from the end of the one before; angles count from hanging."""
    bodies, joints, before, point = {}, {}, "ground", [0, 0, 0]
    for k in range(links):
        name = f"link{k}"
        bodies[name] = {"mass_kg": 1.2, "inertia_kg_m2": [0.02, 0.02, 0.02]}
        joints[f"hinge{k}"] = {"type": "revolute", "bodies": [before, name],
                               "points_m": [point, [0, 0, LENGTH_M / 2]], "axes": [[0, 1, 0], [0, 1, 0]],
                               "references": [[1, 0, 0], [1, 0, 0]], "angle_rad": f"angle{k}_rad"}
        before, point = name, [0, 0, -LENGTH_M / 2]
    return {"gravity_m_s2": [0, 0, -GRAVITY_M_S2], "parameters": {f"angle{k}_rad": 0.0 for k in range(links)},
            "bodies": bodies, "joints": joints}


def starts_of_chain(links, instances):
    return {"mechanism": chain(links), "start": "equilibrium", "integrator": A_STEP, "instances": instances,
            "design": {"kind": "sobol", "seed": 21},
            "parameters": {f"parameters.angle{k}_rad": {"uniform": {"low": -3.1, "high": 3.1}} for k in range(links)},
            "quantities": {f"z{k}_m": {"final": f"position.link{k}.z"} for k in range(links)}}


# A body between two springs, each on a point beside its centre of mass.
SPRINGS = ((((0, 0, 0), (0, 0, 0.12), 90.0, 0.45)), (((0.6, 0, 0), (0.1, 0, 0), 70.0, 0.4)))
MASS_KG = 0.9


def body_on_springs():
    return {"gravity_m_s2": [0, 0, -GRAVITY_M_S2], "parameters": {"x_m": 0.1, "z_m": 0.5},
            "bodies": {"body": {"mass_kg": MASS_KG, "inertia_kg_m2": [0.01, 0.02, 0.025],
                                "position_m": ["x_m", 0.02, "z_m"]}},
            "forces": {f"spring{n}": {"type": "spring_damper", "bodies": ["ground", "body"],
                                      "points_m": [list(ground), list(own)], "stiffness_N_m": stiffness,
                                      "rest_length_m": rest, "damping_N_s_m": 1.0}
                       for n, (ground, own, stiffness, rest) in enumerate(SPRINGS)}}


def turned(w, x, y, z):
    return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def energy_J(position, orientation, moved):
    """Of weight and springs, after a displacement and a turn about fixed axes."""
    angle = numpy.linalg.norm(moved[3:])
    axis = moved[3:] / angle if angle > 0 else moved[3:]
    turn = turned(numpy.cos(angle / 2), *(numpy.sin(angle / 2) * axis)) @ turned(*orientation)
    at = position + moved[:3]
    energy = MASS_KG * GRAVITY_M_S2 * at[2]
    for ground, own, stiffness, rest in SPRINGS:
        energy += 0.5 * stiffness * (numpy.linalg.norm(at + turn @ numpy.array(own) - ground) - rest) ** 2
    return energy


def slope_and_curvature(position, orientation, h=1e-4):
    unit = h * numpy.eye(6)
    at = lambda moved: energy_J(position, orientation, moved)
    slope = numpy.array([(at(u) - at(-u)) / (2 * h) for u in unit])
    curvature = numpy.array([[(at(u + v) - at(u - v) - at(v - u) + at(-u - v)) / (4 * h * h) for u in unit]
                             for v in unit])
    return slope, curvature


class Equilibria(ProgramTest):
    def results(self, study, *options, backend="cpu"):
        done = self.myriad("run", self.study(study), "--backend", backend, "--overwrite", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return datasets(self.path / "study.h5"), done.stdout + done.stderr

    def test_of_hanging_links_are_the_lowest_from_anywhere(self):
        for links in (1, 2, 3, 4):
            for backend, instances in (("cpu", 300), ("reference", 40)):
                with self.subTest(links=links, backend=backend):
                    found, said = self.results(starts_of_chain(links, instances), backend=backend)
                    self.assertTrue(numpy.all(found["instance/warnings"] == 0))
                    for k in range(links):
                        miss = numpy.abs(found[f"quantities/z{k}_m"] + (k + 0.5) * LENGTH_M)
                        self.assertLess(numpy.max(miss), SETTLED_M)

    def of_angles(self, angles, backend):
        study = without(starts_of_chain(len(angles), 1), "parameters", "design")
        study["mechanism"]["parameters"] = {f"angle{k}_rad": angle for k, angle in enumerate(angles)}
        return self.results(study, backend=backend)

    def test_that_a_start_gives_exactly_are_kept_and_unstable_ones_are_warned_of(self):
        for angles, heights_m in (((numpy.pi,), (0.25,)), ((numpy.pi, 0), (0.25, 0.75)), ((0, numpy.pi), (-0.25, -0.25))):
            for backend in ("cpu", "reference"):
                with self.subTest(angles=angles, backend=backend):
                    found, said = self.of_angles(angles, backend)
                    self.assertEqual(found["instance/warnings"].tolist(), [UNSTABLE])
                    self.assertIn("that start at an unstable equilibrium", said)
                    for k, height_m in enumerate(heights_m):
                        self.assertLess(abs(found[f"quantities/z{k}_m"][0] - height_m), 1e-5)

    def test_that_are_unstable_are_left(self):
        half, near = numpy.pi, numpy.pi - 1e-8
        for angles in ((near,), (near, 0), (0, near), (half, near), (near, 0, 0), (0, near, half, 0), (2, 0)):
            for backend in ("cpu", "reference"):
                with self.subTest(angles=angles, backend=backend):
                    found, said = self.of_angles(angles, backend)
                    self.assertEqual(found["instance/warnings"].tolist(), [0], said)
                    last = len(angles) - 1
                    self.assertLess(abs(found[f"quantities/z{last}_m"][0] + (last + 0.5) * LENGTH_M), SETTLED_M)

    def test_of_a_body_on_springs_are_minima_of_the_energy(self):
        study = {"mechanism": body_on_springs(), "start": "equilibrium", "integrator": A_STEP, "instances": 300,
                 "design": {"kind": "sobol", "seed": 22},
                 "parameters": {"parameters.x_m": {"uniform": {"low": -0.6, "high": 1.0}},
                                "parameters.z_m": {"uniform": {"low": -0.8, "high": 0.8}}},
                 "quantities": {"energy_J": {"final": "potential_energy"}}}
        found, said = self.results(study)
        self.assertTrue(numpy.all(found["instance/status"] == 0), said)
        self.assertTrue(numpy.all(found["instance/warnings"] == 0), said)
        for i in range(300):
            position, orientation = found["state/initial/position"][i], found["state/initial/orientation"][i]
            slope, curvature = slope_and_curvature(position.ravel(), orientation.ravel())
            scale = numpy.abs(curvature).max()
            # Differences over h leave h^2 of the slope, and round-off over h^2 of the curvature.
            self.assertLess(numpy.abs(slope).max(), 1e-6 * scale, i)
            self.assertGreater(numpy.linalg.eigvalsh(curvature)[0], -1e-5 * scale, i)
        theirs, said = self.results({**study, "instances": 24}, backend="reference")
        self.assertLess(numpy.max(numpy.abs(theirs["state/initial/position"] - found["state/initial/position"][:24])),
                        SAME_POSE)

    def test_have_the_same_bits_in_packs_chunks_and_threads(self):
        study = starts_of_chain(3, 61)
        expected, _ = self.results(study)
        for options in (("--width", 1), ("--chunk", 7, "--threads", 2)):
            found, _ = self.results(study, *options)
            for name in ("quantities/z2_m", "state/initial/orientation", "instance/warnings"):
                self.assertEqual(found[name].tobytes(), expected[name].tobytes(), (name, options))

    def test_without_a_stable_one_are_warned_of(self):
        pushed = {"bodies": {"mass": {"mass_kg": 2, "inertia_kg_m2": [1, 1, 1]}},
                  "joints": {"guide": {"type": "prismatic", "bodies": ["ground", "mass"],
                                       "points_m": [[0, 0, 0], [0, 0, 0]], "axes": [[1, 0, 0], [1, 0, 0]]}},
                  "forces": {"push": {"type": "joint_force", "joint": "guide", "force_N": "30 * displacement"}}}
        for backend in ("cpu", "reference"):
            with self.subTest(backend=backend):
                study = {"mechanism": pushed, "start": "equilibrium", "integrator": A_STEP, "instances": 3,
                         "quantities": {"x_m": {"final": "position.mass.x"}}}
                found, said = self.results(study, backend=backend)
                self.assertTrue(numpy.all(found["instance/warnings"] == UNSTABLE))
                self.assertTrue(numpy.all(numpy.abs(found["quantities/x_m"]) < SETTLED_M))
                self.assertIn("that start at an unstable equilibrium", said)

    def test_are_at_rest_and_a_given_velocity_that_they_drop_is_told(self):
        for of_body in (False, True):
            for backend in ("cpu", "reference"):
                with self.subTest(of_body=of_body, backend=backend):
                    study = without(starts_of_chain(1, 2), "parameters", "design")
                    if of_body:
                        study["mechanism"]["bodies"]["link0"]["angular_velocity_rad_s"] = [0, 3.0, 0]
                    else:
                        study["mechanism"]["joints"]["hinge0"]["rate_rad_s"] = 3.0
                    study["quantities"]["most_J"] = {"max": "kinetic_energy"}
                    found, said = self.results(study, backend=backend)
                    self.assertLess(numpy.max(found["quantities/most_J"]), 1e-20)
                    changes = found["instance/certificate/velocity_correction"]
                    self.assertLess(numpy.max(numpy.abs(changes - 3.0)), 1e-9)
                    self.assertIn("or a start at rest", said)


if __name__ == "__main__":
    unittest.main()
