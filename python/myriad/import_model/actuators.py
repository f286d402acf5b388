"""MuJoCo's actuators on hinges, slides and fixed tendons as forces on joints, their controls as named parameters.

With length l = gear * (sum of coefficient * coordinate) and its rate, an actuator without states exerts on each joint

    gear * coefficient * clamp((g_0 + g_1 l + g_2 l') * clamp(control) + b_0 + b_1 l + b_2 l')

g the gain, b the bias: a motor has g_0 alone, a position servo b_1 = -g_0, a velocity servo b_2 = -g_0. A position servo
of one joint without limits becomes a pd_controller, all others joint_forces. What has states (filters, muscles, plugins,
delays) or pulls on a path over bodies, a site or a body is left out.
"""

from __future__ import annotations

from typing import Any, Optional

from .findings import Findings
from .places import Places
from .tables import unread
from .tendons import Path, coordinate_of, joint_force, number, path_of, times, weighted
from .tree import Names, Tree

# In place of a limit of zero, by which a sum would be divided: N or N m, and fp32 holds it.
_LEAST = 1e-30


class Actuators:
    """Sections of the mechanism that the actuators of a model become."""

    def __init__(self, tree: Tree, controls: Any, clamps: bool, names: Names, places: Places, findings: Findings) -> None:
        self.tree, self.model, self._controls, self._clamps = tree, tree.model, controls, clamps
        self.forces: dict[str, dict[str, Any]] = {}
        self.parameters: dict[str, Any] = {}
        self.origins: dict[tuple[str, str], str] = {}
        self._names, self._places, self._findings = names, places, findings
        self._count = count_of(self.model)
        self._unread = unread(self.model, "actuator")
        # Of each joint: names of forces, their formulas and places.
        self._on: dict[int, list[tuple[str, str, str]]] = {}
        # Of each tendon that limits the sum of its actuators, and of each of its joints: gears, names, formulas and places.
        self._along: dict[tuple[int, int], list[tuple[float, str, str, str]]] = {}
        for actuator in range(self._count):
            self._of(actuator)
        for tendon, joint in self._along:
            self._pull(tendon, joint)
        for joint in self._on:
            self._exert_on(joint)

    def _of(self, actuator: int) -> None:
        model, given = self.model, self.model.actuator(actuator).name
        place = self._places.numbered("actuator", actuator, given, self._count)
        plugin = int(model.actuator_plugin[actuator]) >= 0  # MuJoCo calls one even where its group is switched off
        if model.opt.disableactuator & (1 << int(model.actuator_group[actuator])) and not plugin:
            self._findings.note(f"{place}: its group {int(model.actuator_group[actuator])} is switched off by actuatorgroupdisable, and "
                                "it is not imported")
            return
        path = self._path_of(actuator)
        why = self._why_not(actuator, path)
        if why:
            self._findings.leave_out(place, why)
            return
        name = self._names.give(given, f"actuator_{actuator}")
        control, number_of_control = f"{name}_control", int(model.actuator_ctrladr[actuator])
        self.parameters[control] = float(self._controls[number_of_control])
        limited = bool(model.actuator_ctrllimited[number_of_control]) and self._clamps
        clamped = _clamp(control, model.actuator_ctrlrange[number_of_control]) if limited else control
        gear = float(model.actuator_gear[model.actuator_outadr[actuator], 0])
        tendon = self._limited_tendon(actuator)
        path = [(joint, coefficient * gear) for joint, coefficient in path if coefficient]
        gain, bias = self._gain(actuator), self._bias(actuator)
        force_range = [model.actuator_forcerange[actuator]] if model.actuator_forcelimited[actuator] else []
        if (len(path) == 1 and gear and gain[0] > 0.0 and gain[1:] == [0.0, 0.0] and bias[0] == 0.0 and bias[1] == -gain[0]
                and not force_range and tendon is None and not model.jnt_actfrclimited[path[0][0]]):
            (joint, factor), = path
            self.forces[name] = {
                "type": "pd_controller", "joint": self.tree.joint_names[joint], "proportional": gain[0] * factor**2,
                "derivative": 0.0 - bias[2] * factor**2, "target": f"{clamped} / {number(factor)}"}
            self.origins["forces", name] = place
            return
        for own, factor in path:
            by_control = self._affine(gain, path, own)
            driven = (clamped if by_control == "1.0" else f"{by_control} * {clamped}") if by_control else "0.0"
            rest = self._affine(bias, path, own)
            formula = f"({driven} + {rest})" if rest else driven
            for ends in force_range:
                formula = _clamp(formula, ends)
            if tendon is not None:
                self._along.setdefault((tendon, own), []).append((gear, name, formula, place))
                continue
            force = name if len(path) == 1 else self._names.give(f"{name}_on_{self.tree.joint_names[own]}", "force")
            self._on.setdefault(own, []).append((force, times(factor, formula), place))

    def _transmission(self, actuator: int) -> Any:
        return self.tree.mujoco.mjtTrn(int(self.model.actuator_trntype[actuator]))

    def _path_of(self, actuator: int) -> Optional[Path]:
        """The joints that it drives, with coefficients; None where these are none with a coordinate."""
        model, kinds, kind = self.model, self.tree.mujoco.mjtTrn, self._transmission(actuator)
        number_of = int(model.actuator_trnid[actuator, 0])
        if kind in (kinds.mjTRN_JOINT, kinds.mjTRN_JOINTINPARENT):
            return [(number_of, 1.0)] if self.tree.is_hinge(number_of) or self.tree.is_slide(number_of) else None
        return path_of(self.tree.mujoco, model, number_of) if kind == kinds.mjTRN_TENDON else None

    def _why_not(self, actuator: int, path: Optional[Path]) -> str:
        model, mujoco = self.model, self.tree.mujoco
        kinds, kind = mujoco.mjtTrn, self._transmission(actuator)
        if model.actuator_dyntype[actuator] != mujoco.mjtDyn.mjDYN_NONE:
            return (f"it has a state of its own ({_kind(mujoco.mjtDyn, model.actuator_dyntype[actuator])}), which forces here do not "
                    "have")
        if path is None and kind in (kinds.mjTRN_JOINT, kinds.mjTRN_JOINTINPARENT):
            return "it drives a ball or free joint, and only hinges and slides are driven here"
        if path is None:
            return (f"it acts by {'a tendon along a path over bodies' if kind == kinds.mjTRN_TENDON else _kind(kinds, kind)}, and only "
                    "joints and sums of joints are driven here")
        for of, table, taken in ((mujoco.mjtGain, model.actuator_gaintype, ("_FIXED", "_AFFINE")),
                                 (mujoco.mjtBias, model.actuator_biastype, ("_NONE", "_AFFINE"))):
            if not of(int(table[actuator])).name.endswith(taken):
                return f"its kind, {_kind(of, table[actuator])}, is unknown here"
        if model.actuator_ctrlnum[actuator] != 1 or model.actuator_outnum[actuator] != 1:
            return "it has several controls or forces, and forces here have one"
        if actuator in self._unread:
            return f"it has properties that forces here do not have: {', '.join(self._unread[actuator])}"
        return ""

    def _gain(self, actuator: int) -> list[float]:
        gain = [float(one) for one in self.model.actuator_gainprm[actuator, :3]]
        return gain if self.model.actuator_gaintype[actuator] == self.tree.mujoco.mjtGain.mjGAIN_AFFINE else [gain[0], 0.0, 0.0]

    def _bias(self, actuator: int) -> list[float]:
        none = self.model.actuator_biastype[actuator] == self.tree.mujoco.mjtBias.mjBIAS_NONE
        return [0.0, 0.0, 0.0] if none else [float(one) for one in self.model.actuator_biasprm[actuator, :3]]

    def _limited_tendon(self, actuator: int) -> Optional[int]:
        """The tendon that an actuator pulls on, if it limits the sum of what its actuators exert."""
        tendon = int(self.model.actuator_trnid[actuator, 0])
        of_tendon = self._transmission(actuator) == self.tree.mujoco.mjtTrn.mjTRN_TENDON
        return tendon if of_tendon and self.model.tendon_actfrclimited[tendon] else None

    def _affine(self, terms: list[float], path: Path, own: int) -> str:
        constant, by_length, by_rate = terms
        return weighted([(constant, ""), *((by_length * factor, coordinate_of(self.tree, joint, own)) for joint, factor in path),
                         *((by_rate * factor, coordinate_of(self.tree, joint, own, True)) for joint, factor in path)])

    def _pull(self, tendon: int, joint: int) -> None:
        """The force of a tendon on a joint. The tendon limits the sum before gears, and shortens all parts alike."""
        parts, low_high = self._along[tendon, joint], self.model.tendon_actfrcrange[tendon]
        gears, total = {gear for gear, *_ in parts}, " + ".join(formula for _, _, formula, _ in parts)
        if len(gears) == 1:
            formula = times(gears.pop(), _clamp(total, low_high))
        else:
            low, high = min(float(low_high[0]), -_LEAST), max(float(low_high[1]), _LEAST)
            pulled = weighted([(gear, formula) for gear, _, formula, _ in parts])
            formula = f"{pulled} * {number(high)} / max({total}, {number(high)}) * {number(low)} / min({total}, {number(low)})"
        name = parts[0][1] if len(parts) == 1 else f"{self.model.tendon(tendon).name or f'tendon_{tendon}'}_actuators"
        coefficient = dict(path_of(self.tree.mujoco, self.model, tendon) or [])[joint]
        several = sum(one == tendon for one, _ in self._along) > 1
        name = self._names.give(f"{name}_on_{self.tree.joint_names[joint]}", "force") if several or len(parts) > 1 else name
        self._on.setdefault(joint, []).append((name, times(coefficient, formula), parts[0][3]))

    def _exert_on(self, joint: int) -> None:
        """The forces on a joint; as one where the joint limits their sum."""
        parts, model = self._on[joint], self.model
        if model.jnt_actfrclimited[joint]:
            total = " + ".join(formula for _, formula, _ in parts)
            name = parts[0][0] if len(parts) == 1 else self._names.give(f"{self.tree.joint_names[joint]}_actuators", "forces")
            parts = [(name, _clamp(total, model.jnt_actfrcrange[joint]), parts[0][2])]
        for name, formula, place in parts:
            self.forces[name] = joint_force(self.tree, joint, formula)
            self.origins["forces", name] = place


def count_of(model: Any) -> int:
    """Actuators of a model: before MuJoCo 4, as many as controls."""
    return int(getattr(model, "nactuator", model.nu))


def _kind(kinds: Any, value: Any) -> str:
    """"muscle" of mjDYN_MUSCLE."""
    return kinds(int(value)).name.split("_", 1)[1].lower()


def _clamp(formula: str, ends: Any) -> str:
    return f"min(max({formula}, {number(float(ends[0]))}), {number(float(ends[1]))})"
