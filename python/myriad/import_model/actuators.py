"""MuJoCo's actuators on hinges and slides as forces on joints, their controls as named parameters.

With length l = gear * q and its rate, an actuator without states exerts on its joint

    gear * clamp((g_0 + g_1 l + g_2 l') * clamp(control) + b_0 + b_1 l + b_2 l')

g the gain, b the bias: a motor has g_0 alone, a position servo b_1 = -g_0, a velocity servo b_2 = -g_0. A position servo
without limits becomes a pd_controller, all others a joint_force. What has states (filters, muscles) or pulls on a tendon, a
site or a body is refused.
"""

from __future__ import annotations

from typing import Any

from ..errors import InputError
from .tree import Names, Tree


class Actuators:
    """Sections of the mechanism that the actuators of a model become, and what they do not have."""

    def __init__(self, tree: Tree, path: str, controls: Any, names: Names) -> None:
        self.tree, self.model, self._path, self._controls = tree, tree.model, path, controls
        self.forces: dict[str, dict[str, Any]] = {}
        self.parameters: dict[str, Any] = {}
        self.left_out: list[str] = []
        self._names = names
        for actuator in range(self.model.nu):
            self._of(actuator)

    def _of(self, actuator: int) -> None:
        model, given = self.model, self.model.actuator(actuator).name or f"number {actuator}"
        joint = self._joint_of(actuator, given)
        name = self._names.give(model.actuator(actuator).name, f"actuator_{actuator}")
        control = f"{name}_control"
        self.parameters[control] = float(self._controls[actuator])
        gear = float(model.actuator_gear[actuator, 0])
        gain = [float(one) for one in model.actuator_gainprm[actuator, :3]]
        if model.actuator_gaintype[actuator] == self.tree.mujoco.mjtGain.mjGAIN_FIXED:
            gain[1:] = [0.0, 0.0]
        bias = [float(one) for one in model.actuator_biasprm[actuator, :3]]
        if model.actuator_biastype[actuator] == self.tree.mujoco.mjtBias.mjBIAS_NONE:
            bias = [0.0, 0.0, 0.0]
        coordinate = self.tree.coordinate(joint)
        clamped = control
        if model.actuator_ctrllimited[actuator]:
            clamped = _clamp(control, model.actuator_ctrlrange[actuator])
        of_joint = bool(model.jnt_actfrclimited[joint])
        if (gain[0] > 0.0 and gain[1:] == [0.0, 0.0] and bias[0] == 0.0 and bias[1] == -gain[0]
                and not model.actuator_forcelimited[actuator] and not of_joint and gear):
            self.forces[name] = {
                "type": "pd_controller", "joint": self.tree.joint_names[joint], "proportional": gain[0] * gear**2,
                "derivative": -bias[2] * gear**2, "target": f"{clamped} / {_number(gear)}"}
            return
        rate = "rate" if coordinate == "angle" else "displacement_rate"
        formula = f"{_affine(gain, gear, coordinate, rate)} * {clamped} + {_affine(bias, gear, coordinate, rate)}"
        if model.actuator_forcelimited[actuator]:
            formula = _clamp(formula, model.actuator_forcerange[actuator])
        formula = f"{_number(gear)} * ({formula})"
        if of_joint:
            if self._alone_on(joint):
                formula = _clamp(formula, model.jnt_actfrcrange[joint])
            else:
                self.left_out.append(f"joint {self.tree.joint_names[joint]}: actuatorfrcrange, the limit of the sum of its "
                                     "actuators; each has its own limits alone")
        self.forces[name] = {"type": "joint_force", "joint": self.tree.joint_names[joint],
                                        "torque_N_m" if coordinate == "angle" else "force_N": formula}

    def _joint_of(self, actuator: int, given: str) -> int:
        model, mujoco = self.model, self.tree.mujoco
        if mujoco.mjtTrn(int(model.actuator_trntype[actuator])) not in (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT):
            raise self._refused(given, f"it acts by {_kind(mujoco.mjtTrn, model.actuator_trntype[actuator])}, and only joints "
                                "are driven here")
        joint = int(model.actuator_trnid[actuator, 0])
        if not (self.tree.is_hinge(joint) or self.tree.is_slide(joint)):
            raise self._refused(given, "it drives a ball or free joint, and only hinges and slides are driven here")
        if model.actuator_dyntype[actuator] != mujoco.mjtDyn.mjDYN_NONE:
            raise self._refused(given, f"it has a state of its own ({_kind(mujoco.mjtDyn, model.actuator_dyntype[actuator])}), "
                                "which forces here do not have")
        for kinds, table in ((mujoco.mjtGain, model.actuator_gaintype), (mujoco.mjtBias, model.actuator_biastype)):
            known = {int(getattr(kinds, name)) for name in dir(kinds) if name.endswith(("_FIXED", "_AFFINE", "_NONE"))}
            if int(table[actuator]) not in known:
                raise self._refused(given, f"its kind, {_kind(kinds, table[actuator])}, is unknown here")
        return joint

    def _alone_on(self, joint: int) -> bool:
        return sum(int(self.model.actuator_trnid[actuator, 0]) == joint for actuator in range(self.model.nu)) == 1

    def _refused(self, given: str, what: str) -> InputError:
        return InputError(f"{self._path}: actuator {given}", what,
                          'import without "actuators" (--without actuators), and write a joint_force into the mechanism')


def _kind(kinds: Any, value: Any) -> str:
    """"muscle" of mjDYN_MUSCLE."""
    return kinds(int(value)).name.split("_", 1)[1].lower()


def _number(value: float) -> str:
    return repr(value) if value >= 0.0 else f"({value!r})"


def _affine(terms: list[float], gear: float, coordinate: str, rate: str) -> str:
    parts = [_number(terms[0])] if terms[0] or not any(terms) else []
    parts += [f"{_number(term * gear)} * {of}" for term, of in zip(terms[1:], (coordinate, rate)) if term]
    return parts[0] if len(parts) == 1 else f"({' + '.join(parts)})"


def _clamp(formula: str, ends: Any) -> str:
    return f"min(max({formula}, {_number(float(ends[0]))}), {_number(float(ends[1]))})"
