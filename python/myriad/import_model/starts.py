"""Where a model starts: a keyframe or MuJoCo's initial coordinates, values that the user gives, and joints that follow others."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Optional

from ..errors import InputError, unknown_name
from .equalities import Relation
from .findings import Findings
from .places import Places

# Values of a follower's start closer than this to the given one are no news.
_SAME = 1e-9


class Start:
    """Coordinates, rates and controls at the start.

    keyframe   the name of the file's <keyframe>, None for MuJoCo's initial coordinates
    given      coordinates by joints' names, rad or m
    """

    def __init__(self, mujoco: Any, model: Any, keyframe: Optional[str], given: Mapping[str, float], relations: Iterable[Relation],
                 places: Places, findings: Findings) -> None:
        self._mujoco, self._model, self._places = mujoco, model, places
        self.coordinates, self.rates, self.controls = model.qpos0.copy(), [0.0] * model.nv, [0.0] * model.nu
        if keyframe is not None:
            names = [model.key(number).name for number in range(model.nkey)]
            if keyframe not in names:
                raise unknown_name(f"{places.path}: keyframe", "keyframes", keyframe, [name for name in names if name],
                                   "the file's <keyframe>")
            number = names.index(keyframe)
            self.coordinates, self.rates = model.key_qpos[number].copy(), model.key_qvel[number].tolist()
            self.controls = model.key_ctrl[number].tolist()
        relations = list(relations)
        self.following = {relation.follower for relation in relations}
        self.held = {relation.follower for relation in relations if relation.leader is None}
        for name, value in given.items():
            self.coordinates[model.jnt_qposadr[self._joint(name)]] = float(value)
        for _ in relations:  # a follower may lead others
            for relation in relations:
                self._follow(relation)
        for relation in relations:
            self._tell(relation, keyframe, findings)

    def place(self, joint: int) -> str:
        return self._places.numbered("joint", joint, self._model.joint(joint).name, self._model.njnt)

    def _unit(self, joint: int) -> str:
        """Of the coordinate of a hinge or slide; nothing of other joints."""
        kinds = self._mujoco.mjtJoint
        return {kinds.mjJNT_HINGE: "rad", kinds.mjJNT_SLIDE: "m"}.get(kinds(int(self._model.jnt_type[joint])), "")

    def _joint(self, name: str) -> int:
        model = self._model
        with_coordinate = {model.joint(joint).name: joint for joint in range(model.njnt) if self._unit(joint)}
        if name not in with_coordinate:
            raise unknown_name(f"{self._places.path}: start", "hinges and slides", name, [one for one in with_coordinate if one],
                               "the joints of the file")
        if with_coordinate[name] in self.following:
            raise InputError(self.place(with_coordinate[name]), "it follows another joint or is held, so that its start is no choice",
                             "give the start of the joint that it follows")
        return with_coordinate[name]

    def _follow(self, relation: Relation) -> None:
        model = self._model
        value, rate = relation.offset, 0.0
        if relation.leader is not None:
            value += relation.ratio * float(self.coordinates[model.jnt_qposadr[relation.leader]])
            rate = relation.ratio * float(self.rates[model.jnt_dofadr[relation.leader]])
        self.coordinates[model.jnt_qposadr[relation.follower]] = value
        self.rates[model.jnt_dofadr[relation.follower]] = rate

    def _tell(self, relation: Relation, keyframe: Optional[str], findings: Findings) -> None:
        model, number = self._model, None
        at = model.jnt_qposadr[relation.follower]
        if keyframe is not None:
            number = [model.key(one).name for one in range(model.nkey)].index(keyframe)
        file = float(model.qpos0[at] if number is None else model.key_qpos[number, at])
        value = float(self.coordinates[at])
        if abs(value - file) > _SAME:
            findings.note(f"{self.place(relation.follower)}: it starts at {value:g}, not at {file:g}, because it "
                          + ("is held there" if relation.leader is None else f"follows {model.joint(relation.leader).name}"))

    def tell_beyond_limits(self, findings: Findings) -> bool:
        """Joints that start beyond their limits, which methods with contact refuse; whether there are any."""
        model, found = self._model, False
        for joint in range(model.njnt):
            unit = self._unit(joint)
            if not model.jnt_limited[joint] or not unit:
                continue
            margin = float(model.jnt_margin[joint])
            lower, upper = float(model.jnt_range[joint, 0]) + margin, float(model.jnt_range[joint, 1]) - margin
            value = float(self.coordinates[model.jnt_qposadr[joint]])
            if not lower <= value <= upper:
                found, name = True, model.joint(joint).name
                cure = (f"start at a limit: --start {name}={_within(min(max(value, lower), upper), lower, upper)}"
                        if name and joint not in self.following
                        else "start the joint that it follows elsewhere (--start)" if name else "choose a --keyframe")
                findings.note(f"{self.place(joint)}: it starts at {value:g} {unit}, beyond its limits {lower:g} and {upper:g} {unit}; "
                              f"{cure}, or leave limits out: --without limits")
        return found


def _within(value: float, lower: float, upper: float) -> str:
    """A number in six digits, or in all where these are beyond the limits."""
    return f"{value:g}" if lower <= float(f"{value:g}") <= upper else repr(value)
