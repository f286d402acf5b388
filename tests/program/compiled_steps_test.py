"""Mechanisms at random: steps compiled for one have the bits of those that read its tables, whatever lies in the memory that
they do not set."""

import os
import random
import shutil
import unittest

from program_case import LONGER, ProgramTest, datasets, same_bits

MECHANISMS = 5 * LONGER
INSTANCES = 33
MOST_CONTACTS = 16  # of a mechanism; a box has one for each corner
WIDTHS = (8, 1, 4)
FREE_METHODS = ("generalized_alpha", "implicit_euler", "rk4")
CONTACT_METHODS = ("moreau_midpoint", "half_explicit", "nonsmooth_generalized_alpha", "nonsmooth_bathe", "nonsmooth_ed_alpha")
PLANAR_JOINTS = ("revolute", "revolute", "prismatic", "free")
JOINTS = ("revolute", "prismatic", "cylindrical", "universal", "spherical", "translational", "planar", "free")
COMPILER = """#!/bin/sh
command -v clang++ >/dev/null && set -- clang++ "$@" || set -- g++ "$@"
exec "$@" -ftrivial-auto-var-init=pattern
"""


class RandomMechanism:
    """A tree of one to four bodies over a floor and below a ceiling, some of them in a plane."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.is_planar = self.draw.random() < 0.4
        self.tangents = {"tangents": 1} if self.draw.random() < 0.5 else {}
        self.bodies, self.joints, self.contacts, self.forces, self.drivers = {}, {}, {}, {}, {}
        self.room = MOST_CONTACTS - 1
        for _ in range(self.draw.choice((1, 2, 2, 3, 4))):
            self.add_body()
        if len(self.bodies) > 1 and self.happens(0.3):
            self.contacts["balls"] = {"type": "sphere_sphere", "bodies": ["body_0", "body_1"], "points_m": [[0, 0, 0]] * 2,
                                      "radii_m": [0.05, 0.05], **self.law()}

    def number(self, low, high):
        return round(self.draw.uniform(low, high), 3)

    def happens(self, share):
        return self.draw.random() < share

    def has_room(self, contacts):
        if contacts > self.room:
            return False
        self.room -= contacts
        return True

    def law(self):
        restitution = self.number(0, 0.8)
        return {"friction": self.number(0, 0.6), "normal_restitution": restitution,
                **({"tangential_restitution": restitution} if self.happens(0.5) else {})}

    def add_body(self):
        number = len(self.bodies)
        parent = "ground" if number == 0 or self.happens(0.2) else f"body_{self.draw.randrange(number)}"
        start = [0, 0, 0.8] if parent == "ground" else self.bodies[parent]["position_m"]
        offset = [self.number(0.2, 0.5), 0 if self.is_planar else self.number(-0.3, 0.3), self.number(-0.1, 0.1)]
        place = [round(a + b, 3) for a, b in zip(start, offset)]
        name = f"body_{number}"
        self.bodies[name] = {"mass_kg": self.number(0.3, 2), "inertia_kg_m2": [self.number(0.02, 0.035) for _ in range(3)],
                             "position_m": place}
        kind = self.draw.choice(PLANAR_JOINTS if self.is_planar else JOINTS)
        if kind != "free" or parent != "ground":
            self.add_joint(f"joint_{number}", "revolute" if kind == "free" else kind, parent, name)
        self.add_contacts(name, place)

    def add_joint(self, name, kind, parent, body):
        start = [0, 0, 0] if parent == "ground" else self.bodies[parent]["position_m"]
        place = self.bodies[body]["position_m"]
        axes = {"universal": [[1, 0, 0], [0, 1, 0]], "spherical": None, "translational": None}.get(
            kind, [[0, 1, 0] if self.is_planar and kind == "revolute" else [0.3, self.number(-0.3, 0.3), 1]] * 2)
        if self.is_planar and kind == "prismatic":
            axes = [[1, 0, 1]] * 2
        middle = [(a + b) / 2 for a, b in zip(start, place)]
        self.joints[name] = {"type": kind, "bodies": [parent, body],
                             "points_m": [[round(m - p, 4) for m, p in zip(middle, of)] for of in (start, place)],
                             **({"axes": axes} if axes else {})}
        if kind not in ("revolute", "prismatic"):
            return
        unit, force = ("rad", "N_m") if kind == "revolute" else ("m", "N")
        if kind == "revolute" and self.happens(0.15):
            self.drivers[f"{name}_drive"] = {"type": "angle", "joint": name, "value_rad": "0.2 * sin(5 * t)"}
        elif self.has_room(2) and self.happens(0.3):
            self.contacts[f"{name}_stop"] = {"type": "joint_limits", "joint": name, f"lower_{unit}": self.number(-0.5, -0.05),
                                             f"upper_{unit}": self.number(0.05, 0.5),
                                             "normal_restitution": self.number(0, 0.8)}
        elif self.happens(0.3):
            self.forces[f"{name}_friction"] = {"type": "joint_friction", "joint": name, f"coulomb_{force}": self.number(0.1, 2),
                                               f"regularisation_{unit}_s": 0.01}
            if self.happens(0.5):
                self.forces[f"{name}_friction"].update({"friction": self.number(0, 0.4), **(
                    {"radius_m": self.number(0.01, 0.1)} if kind == "revolute" else {})})

    def sticks(self):
        return any("friction" in force for force in self.forces.values())

    def add_contacts(self, body, place):
        def on(height, normal):
            return {"bodies": ["ground", body], "plane_point_m": [0, 0, round(place[2] + height, 3)], "plane_normal": normal,
                    **self.law(), **self.tangents}

        floor = self.number(-0.3, -0.08)
        kind, contacts = self.draw.choice((("corners", 4), ("corners", 4), ("sphere", 1), ("capsule", 2), ("box", 8), ("none", 0)))
        if not self.has_room(contacts):
            return
        if kind == "corners":
            for x in self.draw.choice(((-0.06,), (-0.06, 0.06))):
                for side, height, normal in (("low", floor, [0, 0, 1]), ("high", 0.12, [0, 0, -1])):
                    self.contacts[f"{body}_{side}_{x}".replace(".", "_").replace("-", "m")] = {
                        "type": "point_plane", "point_m": [x, 0, 0], **on(height, normal)}
        elif kind == "sphere":
            self.contacts[f"{body}_floor"] = {"type": "sphere_plane", "point_m": [0, 0, 0], "radius_m": 0.05,
                                              **on(floor, [0, 0, 1])}
        elif kind == "capsule":
            self.contacts[f"{body}_floor"] = {"type": "capsule_plane", "ends_m": [[-0.1, 0, 0], [0.1, 0, 0.01]],
                                              "radius_m": 0.03, **on(floor, [0, 0, 1])}
        elif kind == "box":
            self.contacts[f"{body}_floor"] = {"type": "box_plane", "size_m": [0.2, 0.1, 0.06], **on(floor, [0, 0, 1])}

    def study(self):
        parts = {"joints": self.joints, "contacts": self.contacts, "forces": self.forces, "drivers": self.drivers}
        return {
            "mechanism": {"gravity_m_s2": [0.3, 0 if self.is_planar else -0.2, -9.81], "bodies": self.bodies,
                          **{name: part for name, part in parts.items() if part}},
            "coordinates": "joint",
            "integrator": {"name": self.draw.choice(CONTACT_METHODS if self.contacts or self.sticks() else FREE_METHODS),
                           "step_s": 1e-3, "end_s": 0.3},
            "instances": INSTANCES, "allowed_failed_share": 1,
            "parameters": {"gravity_m_s2[0]": {"uniform": {"low": -3, "high": 3}},
                           "bodies.body_0.mass_kg": {"uniform": {"low": 0.3, "high": 2}},
                           "bodies.body_0.angular_velocity_rad_s[1]": {"uniform": {"low": -2, "high": 2}}},
            "observe": {"every_s": 0.02, "channels": ["position", "energy"]},
            "quantities": {"last_energy_J": {"final": "energy"}, "farthest_m": {"max": "position.body_0.x"}},
        }


@unittest.skipUnless(shutil.which("clang++") or shutil.which("g++"), "this machine has no compiler")
class CompiledSteps(ProgramTest):
    def has_width(self, width):
        """Whether this build has steps of vectors of `width` doubles; a user's has the widest ones and single steps."""
        file = self.study({"system": "heavy_top", "integrator": {"name": "rk4", "step_s": 1e-3, "end_s": 1e-3}, "instances": 1})
        done = self.myriad("run", file, "--backend", "cpu", "--width", width, "--out", "width.h5", "--overwrite")
        if done.returncode != 0:
            self.assertIn("has no vectors of", done.stderr)
        return done.returncode == 0

    def test_of_mechanisms_at_random_have_the_bits_of_their_tables(self):
        compiler = self.path / "compiler"
        compiler.write_text(COMPILER)
        compiler.chmod(0o755)
        environment = {**os.environ, "MYRIAD_COMPILER": str(compiler), "XDG_CACHE_HOME": str(self.path / "cache")}
        widths = [width for width in WIDTHS if self.has_width(width)]
        for seed in range(MECHANISMS):
            with self.subTest(seed=seed):
                file = self.study(RandomMechanism(seed).study())
                found = []
                for kernels in ("table", "compiled"):
                    done = self.myriad("run", file, "--backend", "cpu", "--width", widths[seed % len(widths)], "--kernels",
                                       kernels, "--out", f"{kernels}.h5", "--overwrite", env=environment)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    found.append(datasets(self.path / f"{kernels}.h5"))
                tables, compiled = found
                self.assertEqual([], [name for name in tables if name not in compiled or not same_bits(
                    {name: tables[name]}, {name: compiled[name]})])


if __name__ == "__main__":
    unittest.main()
