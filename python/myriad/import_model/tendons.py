"""MuJoCo's fixed tendons: lengths that are sums of coordinates of joints, so that a force in one is a force on each joint."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import numpy

from .findings import Findings
from .places import Places
from .tree import Names, Tree

# Joints and the coefficients of their coordinates.
Path = list[tuple[int, float]]


def path_of(mujoco: Any, model: Any, tendon: int) -> Optional[Path]:
    """The sum that a fixed tendon is; None of one along a path over bodies."""
    begin = int(model.tendon_adr[tendon])
    places = range(begin, begin + int(model.tendon_num[tendon]))
    if any(model.wrap_type[place] != mujoco.mjtWrap.mjWRAP_JOINT for place in places):
        return None
    return [(int(model.wrap_objid[place]), float(model.wrap_prm[place])) for place in places]


def number(value: float) -> str:
    return repr(value) if value >= 0.0 else f"({value!r})"


def times(factor: float, of: str) -> str:
    return of if factor == 1.0 else f"{number(factor)} * {of}"


def weighted(terms: list[tuple[float, str]]) -> str:
    """A sum of products in parentheses, as formulas take it; nothing of no terms."""
    parts = [times(factor, of) if of else number(factor) for factor, of in terms if factor]
    return f"({' + '.join(parts)})" if len(parts) > 1 else "".join(parts)


def coordinate_of(tree: Tree, joint: int, own: int, rate: bool = False) -> str:
    """A coordinate or rate in a formula of the joint `own`, where its own ones need no name."""
    kind = (("rate" if rate else "angle") if tree.is_hinge(joint) else ("displacement_rate" if rate else "displacement"))
    return kind if joint == own else f"{tree.joint_names[joint]}.{kind}"


def joint_force(tree: Tree, joint: int, formula: str) -> dict[str, Any]:
    return {"type": "joint_force", "joint": tree.joint_names[joint],
            "torque_N_m" if tree.is_hinge(joint) else "force_N": formula}


class Tendons:
    """Springs and dampers of fixed tendons as forces on joints; what else tendons exert is left out."""

    def __init__(self, tree: Tree, wanted: Mapping[str, bool], names: Names, places: Places, findings: Findings) -> None:
        self.tree, self.model, self._names, self._places, self._findings = tree, tree.model, names, places, findings
        self.forces: dict[str, dict[str, Any]] = {}
        self.origins: dict[tuple[str, str], str] = {}
        for tendon in range(self.model.ntendon):
            self._of(tendon, wanted)

    def place(self, tendon: int) -> str:
        return self._places.numbered("tendon", tendon, self.model.tendon(tendon).name, self.model.ntendon)

    def _of(self, tendon: int, wanted: Mapping[str, bool]) -> None:
        model, place = self.model, self.place(tendon)
        actuator = int(model.tendon_actuatorid[tendon]) if hasattr(model, "tendon_actuatorid") else -1
        gear = float(model.actuator_gear[model.actuator_outadr[actuator], 0]) if actuator >= 0 else 0.0
        armature = float(model.tendon_armature[tendon]) + (gear**2 * float(model.actuator_armature[actuator]) if actuator >= 0 else 0.0)
        damping = float(model.tendon_damping[tendon]) + (gear**2 * float(model.actuator_damping[actuator]) if actuator >= 0 else 0.0)
        stiffness = float(model.tendon_stiffness[tendon])
        limited = bool(model.tendon_limited[tendon]) and wanted["limits"]
        friction = float(model.tendon_frictionloss[tendon]) if wanted["friction"] else 0.0
        higher = [what for table, what, part in (("tendon_stiffnesspoly", "stiffness", "springs"), ("tendon_dampingpoly", "damping",
                                                                                                   "damping"))
                  if wanted[part] and hasattr(model, table) and numpy.any(getattr(model, table)[tendon])]
        stiffness, damping = (stiffness if wanted["springs"] else 0.0), (damping if wanted["damping"] else 0.0)
        path = path_of(self.tree.mujoco, model, tendon)
        lost = [what for what, value in (("its armature", armature), ("its frictionloss", friction), ("its limits", limited)) if value]
        lost += [f"the terms of higher order of its {what}" for what in higher]
        if path is None:
            lost += [what for what, value in (("its stiffness", stiffness), ("its damping", damping)) if value]
        if lost:
            self._findings.leave_out(place, f"{', '.join(lost)}: " + (
                "forces along paths over bodies are not modelled" if path is None else
                "of tendons that are sums of joints, only springs and dampers are taken"))
        elif path is None:
            self._findings.note(f"{place}: it is not imported, and exerts nothing")
        if path and (stiffness or damping):
            self._springs(tendon, path, stiffness, damping)

    def _springs(self, tendon: int, path: Path, stiffness: float, damping: float) -> None:
        model, tree = self.model, self.tree
        low, high = (float(end) for end in model.tendon_lengthspring[tendon])
        name = self._names.give(model.tendon(tendon).name, f"tendon_{tendon}")
        for own, coefficient in path:
            length = weighted([(factor, coordinate_of(tree, joint, own)) for joint, factor in path])
            rate = weighted([(factor, coordinate_of(tree, joint, own, True)) for joint, factor in path])
            # Between its two rest lengths a tendon is slack.
            beyond = (f"({length} - {number(low)})" if low == high else
                      f"(max({length} - {number(high)}, 0) + min({length} - {number(low)}, 0))")
            formula = times(-coefficient, weighted([(stiffness, beyond), (damping, rate)]))
            force = name if len(path) == 1 else self._names.give(f"{name}_on_{tree.joint_names[own]}", "tendon")
            self.forces[force] = joint_force(tree, own, formula)
            self.origins["forces", force] = self.place(tendon)
