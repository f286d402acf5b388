"""MuJoCo's equality constraints: those of joints as couplings, those of points as joints that close loops."""

from __future__ import annotations

from typing import Any

import numpy

from .tree import Names, Pose, Tree, plain, product

# A weld whose bodies are farther from it than this at the start (m, or of a quaternion) would hold another pose.
_WELD_CLOSE = 1e-6


class Equalities:
    """Sections of the mechanism that the equalities of a model become, and what they do not have. Loops are added to the
    tree's joints."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.model = tree, tree.model
        self.couplings: dict[str, dict[str, Any]] = {}
        self.drivers: dict[str, dict[str, Any]] = {}
        self.left_out: list[str] = []
        self._names = Names()
        kinds = tree.mujoco.mjtEq
        for equality in range(self.model.neq):
            given = self.model.equality(equality).name
            label = f"equality {given or equality}"
            kind = kinds(int(self.model.eq_type[equality]))
            of_bodies = self.model.eq_objtype[equality] == tree.mujoco.mjtObj.mjOBJ_BODY
            if not self.model.eq_active0[equality]:
                self.left_out.append(f"{label}: it is not active")
            elif kind == kinds.mjEQ_JOINT:
                self._of_joints(equality, self._names.give(given, f"coupling_{equality}"), label)
            elif kind in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD) and of_bodies:
                self._of_bodies(equality, given, label, kind == kinds.mjEQ_WELD)
            else:
                self.left_out.append(f"{label}: {kind.name.split('_')[1].lower()} of this kind has no equal here")

    def _of_joints(self, equality: int, name: str, label: str) -> None:
        model, tree = self.model, self.tree
        first, second = int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality])
        constant, ratio, *higher = (float(one) for one in model.eq_data[equality, :5])
        at_zero = float(model.qpos0[model.jnt_qposadr[first]])
        follower, coordinate = tree.joint_names[first], tree.coordinate(first)
        if second < 0 or (ratio == 0.0 and not any(higher)):
            value = "value_rad" if coordinate == "angle" else "value_m"
            self.drivers[name] = {"type": coordinate, "joint": follower, value: at_zero + constant}
        elif any(higher):
            self.left_out.append(f"{label}: a polynomial of degree 2 or more; couplings are linear here")
        else:
            other = float(model.qpos0[model.jnt_qposadr[second]])
            self.couplings[name] = {"coordinate": f"{follower}.{coordinate}", "ratio": ratio,
                                    "follows": f"{tree.joint_names[second]}.{tree.coordinate(second)}",
                                    "offset": at_zero + constant - ratio * other}

    def _of_bodies(self, equality: int, given: str, label: str, weld: bool) -> None:
        model, tree = self.model, self.tree
        first, second = int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality])
        data = model.eq_data[equality]
        (name_1, in_1), (name_2, in_2) = tree.carriers[first], tree.carriers[second]
        if name_1 == name_2:
            self.left_out.append(f"{label}: both bodies are the same one here")
            return
        points = [plain(in_1.of(data[0:3])), plain(in_2.of(data[3:6]))]
        if weld:
            # The pose of body 2 in body 1; the anchor is a point of body 2.
            held = tree.start_of(first).then(Pose(data[3:6], data[6:10] / numpy.linalg.norm(data[6:10])))
            now = tree.start_of(second)
            turned = abs(product(held.quaternion * [1.0, -1.0, -1.0, -1.0], now.quaternion)[1:]).max()
            if max(abs(held.position - now.position).max(), turned) > _WELD_CLOSE:
                self.left_out.append(f"{label}: it holds another pose than the one at the start")
                return
            points = [plain(in_1.of(data[3:6])), plain(in_2.position)]
        name = tree.names_of_joints.give(given, f"loop_{equality}")
        tree.joints[name] = {"type": "fixed" if weld else "spherical", "bodies": [name_1, name_2], "points_m": points}
