"""MuJoCo's equality constraints: linear ones of joints and of fixed tendons as couplings and drivers, those of points as joints
that close loops."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy

from .findings import Findings
from .places import Places
from .tendons import path_of
from .tree import IDENTITY, Names, Pose, Tree, plain, product

# A loop whose sides are farther from each other than this at the start (m, or of a quaternion) would begin with a jump.
_CLOSE = 1e-6
# A gap of round-off, m: start values of the joints of the loop hold it.
_CLOSED = 1e-9
# Equalities are the same up to round-off of what files give with six digits: of ratios, and rad or m of offsets.
_ALIKE = 1e-5


class Relation(NamedTuple):
    """follower = ratio * leader + offset, of coordinates of joints by their numbers; no leader: a constant."""

    equality: int
    follower: int
    leader: Optional[int]
    ratio: float
    offset: float


def label(model: Any, places: Places, equality: int) -> str:
    return places.numbered("equality", equality, model.equality(equality).name, model.neq)


def relations(mujoco: Any, model: Any, places: Places, findings: Findings) -> list[Relation]:
    """Of active equalities of joints and tendons that are linear in two coordinates or one; each joint follows one other at most."""
    found, chains = [], _Chains()
    for equality in range(model.neq):
        kind = mujoco.mjtEq(int(model.eq_type[equality]))
        if not model.eq_active0[equality] or kind not in (mujoco.mjtEq.mjEQ_JOINT, mujoco.mjtEq.mjEQ_TENDON):
            continue
        sides, place = _sides(mujoco, model, equality, kind), label(model, places, equality)
        constant, ratio, *higher = (float(one) for one in model.eq_data[equality, :5])
        if sides is None:
            findings.leave_out(place, "it holds a tendon along a path over bodies, and only sums of joints are taken")
            continue
        first, second = sides
        if second and any(higher):
            findings.leave_out(place, "a polynomial of degree 2 or more; couplings are linear here")
            continue
        terms: dict[int, float] = {}
        for side, factor in ((first, 1.0), (second, -ratio)):
            for joint, coefficient in side:
                terms[joint] = terms.get(joint, 0.0) + factor * coefficient
        offset = constant + sum(factor * float(model.qpos0[model.jnt_qposadr[joint]]) for joint, factor in terms.items())
        terms = {joint: factor for joint, factor in terms.items() if factor}
        if not terms or len(terms) > 2:
            findings.leave_out(place, f"it relates {len(terms)} coordinates; couplings relate two here")
            continue
        follower, leader = (*terms, None)[:2]
        given = Relation(equality, follower, leader, -terms[leader] / terms[follower] if leader is not None else 0.0,
                         offset / terms[follower])
        relation, by = chains.add(given)
        if relation:
            found.append(relation)
        elif abs(by) <= _ALIKE:
            findings.note(f"{place}: it follows from the equalities before it, and is left out")
        else:
            findings.leave_out(place, f"it contradicts the equalities before it by {abs(by):.3g}")
    return found


class _Chains:
    """Relations in their order: what each joint follows in the end, so that none follows itself, or two others."""

    def __init__(self) -> None:
        self._following: dict[int, Relation] = {}

    def add(self, given: Relation) -> tuple[Optional[Relation], float]:
        """The relation for the last joint that the follower depends on, which follows nothing yet; none where all are related
        already, and what the given one is off by there."""
        ends = [self._end(given.follower), (None, 0.0, 0.0) if given.leader is None else self._end(given.leader)]
        (own, own_ratio, own_offset), (end, end_ratio, end_offset) = ends
        # own_ratio * own - ratio * end_ratio * end = offset
        terms, offset = {own: own_ratio}, given.ratio * end_offset + given.offset - own_offset
        terms[end] = terms.get(end, 0.0) - given.ratio * end_ratio
        terms = {joint: factor for joint, factor in terms.items()
                 if joint is not None and abs(factor) > (_ALIKE * max(1.0, abs(own_ratio)) if own == end else 0.0)}
        if not terms:
            return None, offset
        last, other = (*terms, None)[:2]
        relation = (given if last == given.follower and own != end else
                    Relation(given.equality, last, other, -terms[other] / terms[last] if other is not None else 0.0, offset / terms[last]))
        self._following[last] = relation
        return relation, 0.0

    def _end(self, joint: int) -> tuple[Optional[int], float, float]:
        """joint = ratio * end + offset; a joint that is held has no end."""
        ratio, offset, end = 1.0, 0.0, joint
        while end in self._following:
            step = self._following[end]
            offset, ratio = offset + ratio * step.offset, ratio * step.ratio
            if step.leader is None:
                return None, 0.0, offset
            end = step.leader
        return end, ratio, offset


def _sides(mujoco: Any, model: Any, equality: int, kind: Any) -> Any:
    """Both sides as sums of coordinates: pairs of a joint and its coefficient; None where a tendon is none."""
    sides = []
    for number in (int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality])):
        if number < 0:
            sides.append([])
        elif kind == mujoco.mjtEq.mjEQ_JOINT:
            sides.append([(number, 1.0)])
        else:
            path = path_of(mujoco, model, number)
            if path is None:
                return None
            sides.append(path)
    return sides


class Equalities:
    """Sections of the mechanism that the equalities of a model become. Loops are added to the tree's joints."""

    def __init__(self, tree: Tree, linear: list[Relation], places: Places, findings: Findings) -> None:
        self.tree, self.model, self._places, self._findings = tree, tree.model, places, findings
        self.couplings: dict[str, dict[str, Any]] = {}
        self.drivers: dict[str, dict[str, Any]] = {}
        self.origins: dict[tuple[str, str], str] = {}
        names, kinds, objects = Names(), tree.mujoco.mjtEq, tree.mujoco.mjtObj
        for relation in linear:
            self._of_coordinates(relation, names)
        for equality in range(self.model.neq):
            place, kind = label(self.model, places, equality), kinds(int(self.model.eq_type[equality]))
            of = objects(int(self.model.eq_objtype[equality]))
            if not self.model.eq_active0[equality]:
                findings.note(f"{place}: it is not active, and not imported")
            elif kind in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD) and of in (objects.mjOBJ_BODY, objects.mjOBJ_SITE):
                self._of_bodies(equality, place, kind == kinds.mjEQ_WELD, of == objects.mjOBJ_SITE)
            elif kind not in (kinds.mjEQ_JOINT, kinds.mjEQ_TENDON):
                findings.leave_out(place, f"{kind.name.split('_')[1].lower()} of this kind has no equal here")

    def _of_coordinates(self, relation: Relation, names: Names) -> None:
        tree = self.tree
        name = names.give(self.model.equality(relation.equality).name, f"coupling_{relation.equality}")
        follower, coordinate = tree.joint_names[relation.follower], tree.coordinate(relation.follower)
        section = "drivers" if relation.leader is None else "couplings"
        if relation.leader is None:
            self.drivers[name] = {"type": coordinate, "joint": follower,
                                  "value_rad" if coordinate == "angle" else "value_m": relation.offset}
        else:
            leader = relation.leader
            self.couplings[name] = {"coordinate": f"{follower}.{coordinate}", "ratio": relation.ratio,
                                    "follows": f"{tree.joint_names[leader]}.{tree.coordinate(leader)}", "offset": relation.offset}
        self.origins[section, name] = label(self.model, self._places, relation.equality)

    def _of_bodies(self, equality: int, place: str, weld: bool, of_sites: bool) -> None:
        model, tree = self.model, self.tree
        numbers = [int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality])]
        data, inner = model.eq_data[equality], [IDENTITY, IDENTITY]
        if of_sites:
            inner = [Pose(model.site_pos[number], model.site_quat[number]) for number in numbers]
            numbers = [int(model.site_bodyid[number]) for number in numbers]
        elif weld:
            # The pose of body 2 in body 1.
            inner[0] = Pose(data[3:6], data[6:10] / numpy.linalg.norm(data[6:10]))
        else:
            inner = [Pose(data[3 * side:3 * side + 3], IDENTITY.quaternion) for side in (0, 1)]
        (name_1, in_1), (name_2, in_2) = (tree.carriers[number] for number in numbers)
        if name_1 == name_2:
            self._findings.note(f"{place}: both sides are of the same body here, and it is not imported")
            return
        if weld and not data[10]:
            self._findings.leave_out(place, "its torquescale is 0, so that it holds no orientation; write a connect")
            return
        first, second = (tree.start_of(number).then(pose) for number, pose in zip(numbers, inner))
        apart = float(numpy.linalg.norm(first.position - second.position))
        turned = float(abs(product(first.quaternion * [1.0, -1.0, -1.0, -1.0], second.quaternion)[1:]).max()) if weld else 0.0
        if weld and max(apart, turned) > _CLOSE:
            self._findings.leave_out(place, f"it holds another pose than the one at the start, {apart:.3g} m and "
                                     f"{2.0 * numpy.arcsin(min(turned, 1.0)):.3g} rad from it")
            return
        if apart > _CLOSED:
            tree.open_loop(name_1, name_2)
            self._findings.differ(f"{place}: its points are {apart:.3g} m apart at the start; assembly joins them before the first "
                                  "step, MuJoCo draws them together")
        name = tree.names_of_joints.give(model.equality(equality).name, f"loop_{equality}")
        tree.joints[name] = {"type": "fixed" if weld else "spherical", "bodies": [name_1, name_2],
                             "points_m": [plain(pose.of(end.position)) for pose, end in zip((in_1, in_2), inner)]}
        self.origins["joints", name] = place
