"""Springs, damping and dry friction of MuJoCo's joints as force elements of a mechanism."""

from __future__ import annotations

from typing import Any, Mapping

import numpy

from .tree import Names, Tree

# Rates over which dry friction turns round in methods without contact, as named parameters that the file's user may change.
FRICTION_RATE = 1e-3
_RATES = {"angle": "friction_turns_over_rad_s", "displacement": "friction_turns_over_m_s"}


class JointForces:
    """Passive forces of the joints of a tree: sections of the mechanism, and what they do not have."""

    def __init__(self, tree: Tree, coordinates: Any, wanted: Mapping[str, bool]) -> None:
        self.tree, self.model = tree, tree.model
        self.forces: dict[str, dict[str, Any]] = {}
        self.parameters: dict[str, Any] = {}
        self.left_out: list[str] = []
        self.differs: list[str] = []
        self.names = Names()
        self._wanted, self._coordinates = wanted, coordinates
        for joint in range(self.model.njnt):
            self._of(joint)

    def _of(self, joint: int) -> None:
        model, at = self.model, int(self.model.jnt_dofadr[joint])
        name = self.tree.joint_names[joint]
        stiffness = float(model.jnt_stiffness[joint]) if self._wanted["springs"] else 0.0
        damping = float(model.dof_damping[at]) if self._wanted["damping"] else 0.0
        friction = float(model.dof_frictionloss[at]) if self._wanted["friction"] else 0.0
        for table, index, what in (("jnt_stiffnesspoly", joint, "stiffness"), ("dof_dampingpoly", at, "damping")):
            if hasattr(model, table) and numpy.any(getattr(model, table)[index]):
                self.left_out.append(f"joint {name}: the terms of higher order of its {what}, only the linear one is taken")
        if name is None:
            for value, what in ((stiffness, "stiffness"), (damping, "damping"), (friction, "frictionloss")):
                if value:
                    self.left_out.append(f"free joint of body {self.model.body(model.jnt_bodyid[joint]).name}: its {what}: "
                                         "a free body has no joint here")
        elif self.tree.is_hinge(joint) or self.tree.is_slide(joint):
            self._on_coordinate(joint, name, stiffness, damping, friction)
        else:
            self._on_ball(joint, name, stiffness, damping, friction)

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

    def _on_ball(self, joint: int, name: str, stiffness: float, damping: float, friction: float) -> None:
        at, entry = int(self.model.jnt_qposadr[joint]), self.tree.joints[name]
        rest = self.model.qpos_spring[at:at + 4]
        if friction:
            self.left_out.append(f"joint {name}: its frictionloss, {friction:g} N m: a ball joint has no dry friction here")
        if stiffness and not numpy.array_equal(rest, self._coordinates[at:at + 4]):
            self.left_out.append(f"joint {name}: its stiffness, {stiffness:g} N m/rad: a bushing is at rest where a mechanism "
                                 "starts, and this one starts elsewhere")
            stiffness = 0.0
        if damping:
            self.differs.append(f"joint {name}: its damping acts on the rate of the rotation vector from the start, in MuJoCo on "
                                "the angular velocity; these are the same to first order in the turn, which stays below a half")
        if stiffness or damping:
            # Alike about all three axes, so that their directions do not matter.
            self.forces[self.names.give(f"{name}_bushing", "bushing")] = {
                "type": "bushing", "bodies": entry["bodies"], "points_m": entry["points_m"],
                "stiffness_N_m_rad": [stiffness] * 3, "damping_N_m_s_rad": [damping] * 3}
