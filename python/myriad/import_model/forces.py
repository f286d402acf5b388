"""Springs, damping and dry friction of MuJoCo's joints, and weight that is taken off bodies, as force elements of a mechanism."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple

import numpy

from .findings import Findings
from .places import Places
from .tendons import coordinate_of, joint_force, number, weighted
from .tree import GROUND, Names, Tree, plain

# Rates over which dry friction turns round in methods without contact, as named parameters that the file's user may change.
FRICTION_RATE = 1e-3
_RATES = {"angle": "friction_turns_over_rad_s", "displacement": "friction_turns_over_m_s"}
# Of a tetrahedron, and half the side of the cube that it is in.
_CORNERS = ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))
_SIDE_M = 0.5**0.5


class Damper(NamedTuple):
    """Of a ball or free joint, and the force elements that it is."""

    place: str
    entry: dict[str, Any]  # of the one element that takes their place
    name: str
    elements: list[str]


class JointForces:
    """Passive forces of the joints of a tree: sections of the mechanism."""

    def __init__(self, tree: Tree, coordinates: Any, wanted: Mapping[str, bool], places: Places, findings: Findings) -> None:
        self.tree, self.model, self._places, self._findings = tree, tree.model, places, findings
        self.forces: dict[str, dict[str, Any]] = {}
        self.parameters: dict[str, Any] = {}
        self.origins: dict[tuple[str, str], str] = {}
        self.names = Names()
        self._dampers: list[Damper] = []
        self._wanted, self._coordinates = wanted, coordinates
        for joint in range(self.model.njnt):
            self._of(joint)

    def _of(self, joint: int) -> None:
        model, at = self.model, int(self.model.jnt_dofadr[joint])
        name, place = self.tree.joint_names[joint], self.tree.place_of_joint(joint)
        stiffness = float(model.jnt_stiffness[joint]) if self._wanted["springs"] else 0.0
        damping = self.tree.of_rotor(joint, "damping") if self._wanted["damping"] else 0.0
        friction = float(model.dof_frictionloss[at]) if self._wanted["friction"] else 0.0
        tables = (("jnt_stiffnesspoly", joint, "springs"), ("dof_dampingpoly", at, "damping"))
        higher = [(table, index, part) for table, index, part in tables
                  if self._wanted[part] and hasattr(model, table) and numpy.any(getattr(model, table)[index])]
        before = set(self.forces)
        if self.tree.is_hinge(joint) or self.tree.is_slide(joint):
            self._on_coordinate(joint, name, stiffness, damping, friction)
            for table, index, part in higher:
                self._of_higher_order(joint, name, [float(one) for one in getattr(model, table)[index]], part)
        else:
            for _, _, part in higher:
                self._findings.leave_out(place, f"the terms of higher order of its {'stiffness' if part == 'springs' else part}")
            if name is None:
                for value, what in ((stiffness, "stiffness"), (friction, "frictionloss")):
                    if value:
                        self._findings.leave_out(place, f"its {what}: a free body has no joint here")
                if damping:
                    body = self.tree.carriers[int(model.jnt_bodyid[joint])][0]
                    entry = {"bodies": [GROUND, body], "points_m": [[0.0] * 3] * 2}
                    self._damp(place, body, {"type": "bushing", **entry, "damping_N_s_m": [damping] * 3}, damping)
            else:
                self._on_ball(joint, name, stiffness, damping, friction)
        self.origins.update({("forces", force): place for force in set(self.forces) - before})

    def _of_higher_order(self, joint: int, name: str, terms: list[float], part: str) -> None:
        """-(k_2 x^2 + k_3 x^3) of a spring, -(d_2 |v| v + d_3 v^3) of a damper: MuJoCo's damping turns its sign with the rate."""
        x = coordinate_of(self.tree, joint, joint, part == "damping")
        if part == "springs":
            x = f"({x} - {number(float(self.model.qpos_spring[self.model.jnt_qposadr[joint]]))})"
        powers = [(-term, f"abs({x})^{order - 1} * {x}" if part == "damping" else f"{x}^{order}") for order, term in enumerate(terms, 2)]
        self.forces[self.names.give(f"{name}_{part}_of_higher_order", part)] = joint_force(self.tree, joint, weighted(powers))

    def _on_coordinate(self, joint: int, name: str, stiffness: float, damping: float, friction: float) -> None:
        coordinate = self.tree.coordinate(joint)
        angular = coordinate == "angle"
        if stiffness:
            rest = float(self.model.qpos_spring[self.model.jnt_qposadr[joint]])
            self.forces[self.names.give(f"{name}_spring", "spring")] = (
                {"type": "torsional_spring_damper", "joint": name, "stiffness_N_m_rad": stiffness, "rest_angle_rad": rest}
                if angular else
                {"type": "linear_spring_damper", "joint": name, "stiffness_N_m": stiffness, "rest_displacement_m": rest})
        if not damping and not friction:
            return
        entry: dict[str, Any] = {"type": "joint_friction", "joint": name}
        if damping:
            entry["viscous_N_m_s_rad" if angular else "viscous_N_s_m"] = damping
        if friction:
            self.parameters[_RATES[coordinate]] = FRICTION_RATE
            entry["coulomb_N_m" if angular else "coulomb_N"] = friction
            entry["regularisation_rad_s" if angular else "regularisation_m_s"] = _RATES[coordinate]
        self.forces[self.names.give(f"{name}_friction", "friction")] = entry

    def _damp(self, place: str, name: str, bushing: dict[str, Any], damping: float) -> None:
        """-d v at a point of the second body and -d w, relative to the first: what dampers of d / 4 exert together at the corners of a
        tetrahedron about the point, for which (d / 4) 8 r^2 / 3 = d, and r^2 = 3 / 2."""
        elements, (first, second) = [self.names.give(f"{name}_damping", "damping") for _ in _CORNERS], bushing["points_m"]
        for element, corner in zip(elements, _CORNERS):
            self.forces[element] = {
                "type": "bushing", "bodies": bushing["bodies"],
                "points_m": [first, [at + side * _SIDE_M for at, side in zip(second, corner)]],
                "damping_N_s_m": [damping / len(_CORNERS)] * 3}
        self._dampers.append(Damper(place, {**bushing, "damping_N_m_s_rad": [damping] * 3}, self.names.give(f"{name}_bushing", "bushing"),
                                    elements))

    @property
    def rows(self) -> int:
        """Of bushings: each axis along or about which one acts."""
        return sum(3 for force in self.forces.values() if force["type"] == "bushing")

    def damp_with_fewer(self, forces: dict[str, dict[str, Any]]) -> bool:
        """Takes one bushing for each of these dampers, where a mechanism has too many elements; whether there are any."""
        dampers, self._dampers = self._dampers, []
        for place, entry, name, elements in dampers:
            for element in elements:
                del forces[element]
            self._findings.differ(f"{place}: its damping acts on the rate of the rotation vector from the start, in MuJoCo on the angular "
                                  "velocity; these are the same to first order in the turn, and there is no room for more elements")
            forces[name] = entry
            self.tree.measure_from_start(entry["bodies"])
            self.origins["forces", name] = place
        return bool(dampers)

    def _on_ball(self, joint: int, name: str, stiffness: float, damping: float, friction: float) -> None:
        at, entry, place = int(self.model.jnt_qposadr[joint]), self.tree.joints[name], self.tree.place_of_joint(joint)
        rest = self.model.qpos_spring[at:at + 4]
        if friction:
            self._findings.leave_out(place, f"its frictionloss, {friction:g} N m: a ball joint has no dry friction here")
        if stiffness and not numpy.array_equal(rest, self._coordinates[at:at + 4]):
            self._findings.leave_out(place, f"its stiffness, {stiffness:g} N m/rad: a bushing is at rest where a mechanism starts, and "
                                     "this one starts elsewhere")
            stiffness = 0.0
        bushing = {"type": "bushing", "bodies": entry["bodies"], "points_m": entry["points_m"]}
        if damping:
            self._damp(place, name, bushing, damping)
        if stiffness:
            # Alike about all three axes, so that their directions do not matter.
            self.tree.measure_from_start(entry["bodies"])
            self.forces[self.names.give(f"{name}_spring", "bushing")] = {**bushing, "stiffness_N_m_rad": [stiffness] * 3}


def weight_taken_off(tree: Tree, gravity: Any, compensates: bool, names: Names) -> dict[str, dict[str, Any]]:
    """Forces that carry weight: that of armature, and a share of the others at their centres of mass (MuJoCo's gravcomp), if MuJoCo
    compensates it."""
    forces, model = {}, tree.model

    def carry(what: str, body: str, point: Any, mass: float) -> None:
        forces[names.give(f"{body}_{what}", what)] = {"type": "force", "body": body, "point_m": plain(point),
                                                      "force_N": plain(-mass * numpy.asarray(gravity))}

    for body in range(1, model.nbody) if numpy.any(gravity) else ():
        share, (carrier, inner) = float(model.body_gravcomp[body]), tree.carriers[body]
        if share and compensates and carrier in tree.bodies:
            carry("gravcomp", carrier, inner.of(model.body_ipos[body]), share * float(model.body_mass[body]))
        if tree.armature_of_free(body):
            carry("armature", carrier, inner.position, tree.armature_of_free(body))
    return forces
