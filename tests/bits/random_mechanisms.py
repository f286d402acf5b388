"""Mechanism files from a number: trees and loops of all joints, with forces, drivers, couplings and contacts.

random_mechanism(number) is the same text for all time. Hence it draws by integers, and takes square roots and the four
operations alone: C libraries and versions of Python differ in the last bits of the rest. Each part is written from points and
directions of the world, so the joints are closed as the bodies stand. Names of parts count from 0 in the order of the file.
"""

import math

KINDS = ("tree", "tree", "tree", "coordinates", "coordinates", "loops", "loops", "driven", "contacts", "contacts")
FREEDOMS = {"spherical": 3, "universal": 2, "revolute": 1, "cylindrical": 2, "prismatic": 1, "planar": 3, "translational": 3,
            "fixed": 0, "DP1": 5, "DP2": 5, "D": 5, "CD": 5}
TREE_TYPES = ("revolute", "spherical", "prismatic", "revolute", "universal", "cylindrical", "planar", "fixed", "revolute",
              "translational", "D", "DP2", "CD", "DP1")
LOOP_TYPES = ("spherical", "universal", "cylindrical", "D", "CD", "DP1", "DP2", "planar")
CONTACTS = ("sphere_plane", "point_plane", "box_plane", "capsule_plane", "sphere_sphere", "sphere_capsule", "point_slot",
            "joint_limits")
GROUND = -1


class Draws:
    """SplitMix64. It begins far from where other seeds do, as its states are all on one circle."""

    def __init__(self, seed):
        self.state = seed
        self.state = self.integer()

    def integer(self):
        self.state = z = self.state + 0x9e3779b97f4a7c15 & 0xffffffffffffffff
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & 0xffffffffffffffff
        z = (z ^ z >> 27) * 0x94d049bb133111eb & 0xffffffffffffffff
        return z ^ z >> 31

    def below(self, count):
        return self.integer() % count

    def one_of(self, choices):
        return choices[self.below(len(choices))]

    def maybe(self):
        return self.below(2) == 0

    def number(self, low, high):
        """In thousandths of the interval, so that files are short."""
        return round(low + (high - low) * self.below(1001) / 1000, 6)

    def vector(self, size):
        return [self.number(-size, size) for _ in range(3)]

    def direction(self):
        while True:
            v = self.vector(1.0)
            if 0.1 < dot(v, v) < 1.0:
                return unit(v)

    def rotation(self):
        """Columns: the axes of a body in the world."""
        x = self.direction()
        while True:
            y = cross(self.direction(), x)
            if dot(y, y) > 0.1:
                return [x, unit(y), cross(x, unit(y))]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def along(a, scale, b):
    """a + scale b"""
    return [a[k] + scale * b[k] for k in range(3)]


def unit(v):
    return along([0.0, 0.0, 0.0], 1.0 / math.sqrt(dot(v, v)), v)


def across(n):
    """A unit vector perpendicular to n."""
    least = min(range(3), key=lambda k: abs(n[k]))
    return unit(cross(n, [float(k == least) for k in range(3)]))


class RandomMechanism:
    def __init__(self, number):
        self.draw = Draws(number + 1)
        self.kind = KINDS[number % len(KINDS)]
        self.poses, self.joints, self.freedoms = [], [], 0  # (origin, axes); (name, type, A, B, axis)
        self.file = {"gravity_m_s2": self.draw.vector(10.0), "parameters": {"size": 1.0, "load": 1.0, "wobble": 0.05},
                     "bodies": {}, "joints": {}, "drivers": {}, "couplings": {}, "forces": {}, "contacts": {}, "sensors": {}}
        for b in range(1 + number // len(KINDS) % 4 + (self.kind == "loops")):
            self.add_body(b)
        for b in range(len(self.poses)):
            if self.kind == "contacts" and self.draw.below(3) > 0:
                continue  # free
            if self.kind == "tree" and b == 0 and self.draw.below(4) == 0:
                continue  # the tree flies
            types = TREE_TYPES[:7 if b == 0 else 8] if self.kind in ("coordinates", "contacts", "loops") else TREE_TYPES
            self.add_joint(self.draw.below(b + 1) - 1, b, self.draw.one_of(("revolute", "prismatic", "cylindrical")
                                                                           if self.kind == "driven" else types))
        if self.kind == "loops":
            self.close_loops()
        if self.kind == "driven":
            self.drive()
        if self.kind == "coordinates":
            self.act_on_coordinates()
        if self.kind == "contacts":
            self.add_contacts()
        else:
            self.add_forces()
        self.add_sensors()
        for part in ("joints", "drivers", "couplings", "forces", "contacts"):
            if not self.file[part]:
                del self.file[part]

    def add(self, part, entry):
        self.file[part][f"{part[0]}{len(self.file[part])}"] = entry

    def name(self, body):
        return "ground" if body == GROUND else f"b{body}"

    def point_on(self, body, world):
        return world if body == GROUND else self.direction_on(body, along(world, -1.0, self.poses[body][0]))

    def direction_on(self, body, world):
        return world if body == GROUND else [dot(axis, world) for axis in self.poses[body][1]]

    def two_bodies(self):
        b = self.draw.below(len(self.poses))
        return self.draw.below(b + 1) - 1, b

    def wobbling(self, about):
        return f"{about!r} + wobble * sin({self.draw.number(1.0, 5.0)!r} * t)"

    def add_body(self, b):
        draw = self.draw
        origin, axes = draw.vector(1.5), draw.rotation()
        self.poses.append((origin, axes))
        mass, moments = draw.number(0.5, 4.0), [draw.number(0.02, 0.5) for _ in range(3)]
        # Second moments of the mass along the axes of the inertia, which stand anywhere in the body.
        body = {"mass_kg": f"{mass!r} * size", "position_m": origin, "orientation": {"x_axis": axes[0], "y_axis": axes[1]},
                "inertia_kg_m2": [moments[1] + moments[2], moments[0] + moments[2], moments[0] + moments[1]]}
        if draw.maybe():
            body["centre_of_mass_m"] = draw.vector(0.3)
        if draw.maybe():
            x, y, _ = draw.rotation()
            body["inertia_frame"] = {"x_axis": x, "y_axis": y}
        if draw.below(8) == 0:
            body["angular_velocity_rad_s"] = draw.vector(1.0)
        self.file["bodies"][self.name(b)] = body

    def add_joint(self, a, b, kind):
        draw = self.draw
        p, n = draw.vector(1.5), draw.direction()
        m, q = across(n), p
        if kind in ("cylindrical", "prismatic"):
            q = along(p, draw.number(-0.5, 0.5), n)
        if kind == "planar":
            q = along(p, draw.number(-0.5, 0.5), m)
        if kind in ("DP2", "D", "CD"):
            q = along(p, draw.number(0.3, 1.0), draw.direction())
        if kind == "DP1":
            m = unit(along(m, draw.number(-0.5, 0.5), n))
        joint = {"type": kind, "bodies": [self.name(a), self.name(b)]}
        if kind != "DP1":
            joint["points_m"] = [self.point_on(a, p), self.point_on(b, q)]
        if kind in ("universal", "DP1"):
            joint["axes"] = [self.direction_on(a, n), self.direction_on(b, m)]
        if kind in ("revolute", "cylindrical", "prismatic", "planar"):
            joint["axes"] = [self.direction_on(a, n), self.direction_on(b, n)]
            if draw.maybe() or kind == "planar":
                joint["references"] = [self.direction_on(a, m), self.direction_on(b, m)]
        length = along(q, -1.0, p)
        if kind == "DP1":
            joint["value"] = dot(n, m)
        if kind == "DP2":
            joint.update(axis=self.direction_on(a, n), value_m=dot(n, length))
        if kind == "D":
            joint["value_m"] = math.sqrt(dot(length, length))
        if kind == "CD":
            joint.update(direction=n, value_m=dot(n, length))
        if self.kind in ("tree", "coordinates") and draw.maybe():
            rates = {"revolute": "rate_rad_s", "cylindrical": "rate_rad_s", "prismatic": "displacement_rate_m_s",
                     "universal": "rate_1_rad_s", "planar": "displacement_rate_1_m_s", "translational": "displacement_rate_3_m_s"}
            if kind in rates:
                joint[rates[kind]] = draw.number(-1.0, 1.0)
        self.joints.append((f"j{len(self.joints)}", kind, a, b, n))
        self.freedoms += FREEDOMS[kind]
        self.add("joints", joint)

    def close_loops(self):
        for _ in range(2):
            a, b = self.two_bodies()
            kind = self.draw.one_of(LOOP_TYPES)
            if a != b and self.freedoms + FREEDOMS[kind] > 6:
                self.add_joint(a, b, kind)
                self.freedoms -= 6

    def coordinates(self):
        """(joint, coordinate, whether it turns) of the joints that have one or two."""
        for name, kind, *_ in self.joints:
            if kind in ("revolute", "cylindrical"):
                yield name, "angle", True
            if kind in ("prismatic", "cylindrical"):
                yield name, "displacement", False

    def drive(self):
        """All coordinates of all joints, so that kinematics can follow."""
        for name, coordinate, turns in self.coordinates():
            start = 0.0
            if not turns:
                joint = self.file["joints"][name]
                a, b = [int(body[1:]) if body != "ground" else GROUND for body in joint["bodies"]]
                n = next(axis for known, _, _, _, axis in self.joints if known == name)
                points = [point if body == GROUND else self.world(body, point)
                          for body, point in zip((a, b), joint["points_m"])]
                start = dot(n, along(points[1], -1.0, points[0]))
            self.add("drivers", {"type": coordinate, "joint": name,
                                 "value_rad" if turns else "value_m": self.wobbling(start)})

    def world(self, body, point):
        origin, axes = self.poses[body]
        for k in range(3):
            origin = along(origin, point[k], axes[k])
        return origin

    def act_on_coordinates(self):
        draw = self.draw
        free = list(self.coordinates())
        for name, coordinate, turns in free:
            kind = self.file["joints"][name]["type"]
            if draw.maybe():
                friction = {"type": "joint_friction", "joint": name, "coordinate": coordinate}
                names = ("coulomb_N_m", "viscous_N_m_s_rad", "regularisation_rad_s") if turns else (
                    "coulomb_N", "viscous_N_s_m", "regularisation_m_s")
                friction.update(zip(names, (draw.number(0.1, 1.0), draw.number(0.0, 0.5), 0.1)))
                self.add("forces", friction)
            if draw.maybe() and kind != "cylindrical":
                self.file["joints"][name].update({"rotor_inertia_kg_m2" if turns else "rotor_inertia_kg": draw.number(0.01, 0.2),
                                                  "gear_ratio": draw.number(-3.0, 3.0)})
            if draw.maybe():
                rate = "rate" if turns else "displacement_rate"
                self.add("forces", {"type": "joint_force", "joint": name, "coordinate": coordinate,
                                    "torque_N_m" if turns else "force_N":
                                    f"-{draw.number(1.0, 9.0)!r} * {coordinate} - 0.1 * {rate} + load * cos(3 * t)"})
        if len(free) > 1 and draw.maybe():
            (one, first, turns), (two, second, _) = free[:2]
            if turns and second == "angle":
                self.add("couplings", {"coordinate": f"{two}.angle", "follows": f"{one}.angle", "ratio": draw.number(0.5, 2.0)})

    def add_forces(self):
        draw = self.draw
        a, b = self.two_bodies()
        p = draw.vector(1.5)
        if draw.maybe():
            q = along(p, draw.number(0.5, 1.0), draw.direction())
            self.add("forces", {"type": "spring_damper", "bodies": [self.name(a), self.name(b)],
                                "points_m": [self.point_on(a, p), self.point_on(b, q)], "stiffness_N_m": draw.number(10.0, 100.0),
                                "damping_N_s_m": draw.number(0.0, 2.0), "rest_length_m": self.wobbling(0.6)})
        elif draw.maybe():
            self.add("forces", {"type": "bushing", "bodies": [self.name(a), self.name(b)],
                                "points_m": [self.point_on(a, p), self.point_on(b, p)], "stiffness_N_m": [10.0, 20.0, 30.0],
                                "damping_N_s_m": [0.1, 0.2, 0.3], "stiffness_N_m_rad": [5.0, 7.5, 2.0],
                                "damping_N_m_s_rad": [0.1, 0.3, 0.2]})
        frame, functions = draw.one_of(("world", "body")), [self.wobbling(1.0), draw.number(-2.0, 2.0), "load * gust(t)"]
        self.file["tables"] = {"gust": {"points": [[-1, 0.2], [0, 0.5], [0.05, 1.5], [0.2, -0.5], [9, 1]],
                                        "interpolation": draw.one_of(("linear", "monotone_cubic", "cubic_spline")),
                                        "outside": "hold"}}
        if draw.maybe():
            self.add("forces", {"type": "force", "body": self.name(b), "point_m": draw.vector(0.5), "force_N": functions,
                                "frame": frame})
        else:
            self.add("forces", {"type": "torque", "body": self.name(b), "torque_N_m": functions, "frame": frame})
        if self.kind == "driven":
            return
        for name, coordinate, turns in self.coordinates():
            choice = draw.below(4)
            if choice == 0 and turns:
                self.add("forces", {"type": "torsional_spring_damper", "joint": name, "stiffness_N_m_rad": draw.number(1.0, 20.0),
                                    "damping_N_m_s_rad": draw.number(0.0, 1.0), "rest_angle_rad": self.wobbling(0.2)})
            if choice == 0 and not turns:
                self.add("forces", {"type": "linear_spring_damper", "joint": name, "stiffness_N_m": draw.number(10.0, 100.0),
                                    "damping_N_s_m": draw.number(0.0, 1.0), "rest_displacement_m": 0.1})
            if choice == 1 and self.file["joints"][name]["type"] != "cylindrical":
                self.add("forces", {"type": "pd_controller", "joint": name, "proportional": draw.number(1.0, 10.0),
                                    "derivative": draw.number(0.1, 1.0), "target": self.wobbling(0.1)})

    def add_contacts(self):
        draw = self.draw
        for k in range(1 + draw.below(3)):
            kind = CONTACTS[(draw.below(len(CONTACTS)) + k) % len(CONTACTS)]
            law = {"normal_restitution": draw.number(0.0, 0.9)}
            if kind == "joint_limits":
                turning = [name for name, coordinate, turns in self.coordinates() if turns]
                if turning:
                    self.file["joints"][turning[0]]["rate_rad_s"] = 1.5
                    self.add("contacts", {"type": kind, "joint": turning[0], "coordinate": "angle", "lower_rad": -0.05,
                                          "upper_rad": draw.number(0.05, 0.1), **law})
                continue
            law["friction"] = draw.one_of((0.0, 0.2, 0.5))
            if draw.maybe():
                law["tangential_restitution"] = draw.number(0.0, 0.5)
            b, n, gap = draw.below(len(self.poses)), draw.direction(), draw.number(0.005, 0.03)
            on_b = draw.vector(0.3)
            at, radius = self.world(b, on_b), draw.number(0.05, 0.3)
            # Gravity and velocity lead to the first contact.
            if k == 0:
                self.file["gravity_m_s2"] = along([0.0, 0.0, 0.0], -9.81, n)
                self.file["bodies"][self.name(b)].setdefault("velocity_m_s", along([0.0, 0.0, 0.0], -0.6, n))
            if kind in ("sphere_sphere", "sphere_capsule"):
                a = (b + 1) % len(self.poses)
                if a == b:
                    kind = "sphere_plane"
                else:
                    self.add_spheres(kind, a, b, at, on_b, gap, law)
                    continue
            entry = {"type": kind, "bodies": ["ground", self.name(b)]}
            if kind == "point_slot":
                entry.update(slot_point_m=at, slot_normal=n, clearance_m=gap, point_m=on_b)
            else:
                entry.update(plane_normal=n, plane_point_m=along(at, -gap - self.reach(kind, entry, b, n, on_b, at, radius), n))
            if draw.maybe():
                entry["tangents"] = 1
            self.add("contacts", {**entry, **law})

    def reach(self, kind, entry, b, n, on_b, at, radius):
        """How far the shape goes beyond `at` against n; writes the shape down."""
        if kind == "point_plane":
            entry["point_m"] = on_b
            return 0.0
        if kind == "sphere_plane":
            entry.update(point_m=on_b, radius_m=radius)
            return radius
        if kind == "capsule_plane":
            end = along(on_b, 1.0, self.draw.vector(0.4))
            entry.update(ends_m=[on_b, end], radius_m=radius)
            return radius + max(0.0, -dot(n, along(self.world(b, end), -1.0, at)))
        size = [self.draw.number(0.1, 0.5) for _ in range(3)]
        entry.update(centre_m=on_b, size_m=size)
        axes = self.poses[b][1]
        return 0.5 * (size[0] * abs(dot(axes[0], n)) + size[1] * abs(dot(axes[1], n)) + size[2] * abs(dot(axes[2], n)))

    def add_spheres(self, kind, a, b, at, on_b, gap, law):
        draw = self.draw
        on_a = draw.vector(0.3)
        entry = {"type": kind, "bodies": [self.name(a), self.name(b)]}
        towards = along(at, -1.0, self.world(a, on_a))
        distance = math.sqrt(dot(towards, towards)) - gap
        if kind == "sphere_capsule":
            # The capsule lies across the line to the sphere.
            half = across(unit(towards))
            on_capsule = self.direction_on(a, half)
            entry.update(ends_m=[along(on_a, -0.2, on_capsule), along(on_a, 0.2, on_capsule)], point_m=on_b)
        else:
            entry["points_m"] = [on_a, on_b]
        share = draw.number(0.3, 0.7)
        entry["radii_m"] = [share * distance, (1.0 - share) * distance]
        self.file["bodies"][self.name(b)]["velocity_m_s"] = along([0.0, 0.0, 0.0], -0.6, unit(towards))
        self.add("contacts", {**entry, **law})

    def add_sensors(self):
        sensors = self.file["sensors"]
        last = len(self.poses) - 1
        sensors["tip"] = {"type": "point", "body": self.name(last), "point_m": self.draw.vector(0.5)}
        sensors["tip_velocity"] = {"type": "point_velocity", "body": self.name(last), "point_m": self.draw.vector(0.5)}
        for name, coordinate, turns in self.coordinates():
            sensors[f"{name}_{coordinate}"] = {"type": coordinate, "joint": name}
        for name, kind, *_ in self.joints[:1]:
            sensors[f"{name}_force"] = {"type": "reaction_force", "joint": name}
            sensors[f"{name}_torque"] = {"type": "reaction_torque", "joint": name}


def random_mechanism(number):
    """The mechanism as a dict for JSON, and its kind."""
    mechanism = RandomMechanism(number)
    return mechanism.file, mechanism.kind
