"""Starts at an equilibrium from anywhere: a stable one, the same on both paths, and a word where there is none."""

import unittest

import numpy

from program_case import ProgramTest, datasets, without

GRAVITY_M_S2 = 9.81
LENGTH_M = 0.5
# m, rad: the last correction is below 1e-11, and a soft freedom multiplies what it leaves.
SETTLED_M = 1e-9
# rad: how far the two paths' differences of their forces move an equilibrium.
SAME_POSE = 1e-7
UNSTABLE = 8
ONE_STEP = {"name": "rk4", "step_s": 1e-3, "end_s": 1e-3}


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
    return {"mechanism": chain(links), "start": "equilibrium", "integrator": ONE_STEP, "instances": instances,
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
        study = {"mechanism": body_on_springs(), "start": "equilibrium", "integrator": ONE_STEP, "instances": 300,
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
                study = {"mechanism": pushed, "start": "equilibrium", "integrator": ONE_STEP, "instances": 3,
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
