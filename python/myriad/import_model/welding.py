"""Bodies that no joint of MuJoCo's moves against each other are one body of a mechanism: masses and moments of inertia
add up, and the frames of the joined ones stay as points."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy

from ..errors import InputError
from .loading import mujoco_module

if TYPE_CHECKING:
    from .findings import Findings
    from .places import Places
    from .tree import Names, Tree

# Of a mechanism, as the engine has them.
MOST_BODIES = 16
# Of loops, couplings and force elements between two bodies, beside a tree of joints: explicit methods need the tree.
MOST_ROWS = 48
# Branches that a message names.
_MOST_NAMED = 8
# Points take channels, which bodies and joints need as well.
MOST_POINTS = 24


def inertia_of(model: Any, root: int, armature: float = 0.0) -> dict[str, Any]:
    """Mass, centre and inertia of a body and of all that is welded to it, in its frame. `armature`: of its free joint."""
    frames = {root: (numpy.zeros(3), numpy.eye(3))}  # origin and axes of each, in the root's
    for body in range(root + 1, model.nbody):
        if model.body_weldid[body] == root:
            origin, axes = frames[model.body_parentid[body]]
            frames[body] = (origin + axes @ model.body_pos[body], axes @ _matrix(model.body_quat[body]))
    solid = [body for body in frames if model.body_mass[body] or model.body_inertia[body].any()]
    if not armature and solid in ([], [root]):
        return _alone(model, root)
    # To the six rates of a free joint, armature is a mass at the origin with the same inertia about all axes.
    masses = numpy.append(model.body_mass[solid], armature)
    centres = numpy.array([frames[body][0] + frames[body][1] @ model.body_ipos[body] for body in solid] + [numpy.zeros(3)])
    mass = float(masses.sum())
    centre = masses @ centres / mass if mass else centres[:-1].mean(axis=0)
    inertia = armature * numpy.eye(3)
    for body in solid:
        principal = frames[body][1] @ _matrix(model.body_iquat[body])
        inertia += principal @ numpy.diag(model.body_inertia[body]) @ principal.T
    for own_mass, arm in zip(masses, centres - centre):
        inertia += own_mass * (arm @ arm * numpy.eye(3) - numpy.outer(arm, arm))
    moments = {name: float(inertia["xyz".index(name[0]), "xyz".index(name[1])]) + 0.0
               for name in ("xx", "yy", "zz", "xy", "xz", "yz")}
    return {"mass_kg": mass, "inertia_kg_m2": moments, "centre_of_mass_m": _plain(centre)}


def _alone(model: Any, body: int) -> dict[str, Any]:
    entry: dict[str, Any] = {"mass_kg": float(model.body_mass[body]), "inertia_kg_m2": _plain(model.body_inertia[body])}
    if not numpy.array_equal(model.body_iquat[body], [1.0, 0.0, 0.0, 0.0]):
        entry["inertia_frame"] = {"quaternion": _plain(model.body_iquat[body])}
    if model.body_ipos[body].any():
        entry["centre_of_mass_m"] = _plain(model.body_ipos[body])
    return entry


def _matrix(quaternion: Any) -> numpy.ndarray:
    """That turns components of a frame into those of the frame that the quaternion is in."""
    matrix = numpy.empty(9)
    mujoco_module().mju_quat2Mat(matrix, numpy.asarray(quaternion, dtype=float))
    return matrix.reshape(3, 3)


def _plain(values: Any) -> list[float]:
    """Numbers for JSON, without negative zeros."""
    return [float(value) + 0.0 for value in values]


def points(tree: Tree, names: Names, places: Places, findings: Findings) -> dict[str, dict[str, Any]]:
    """Sensors at the origins of the joined bodies that have names."""
    model, sensors, beyond = tree.model, {}, []
    for body in range(1, model.nbody):
        root = int(model.body_weldid[body])
        carrier, pose = tree.carriers[body]
        if root in (0, body) or carrier not in tree.bodies or not model.body(body).name:
            continue
        if len(sensors) == MOST_POINTS:
            beyond.append(model.body(body).name)
            continue
        sensors[names.give(f"{model.body(body).name}_point", f"body_{body}")] = {
            "type": "point", "body": carrier, "point_m": _plain(pose.position)}
    if beyond:
        findings.note(f"{places.path}: {', '.join(beyond)} belong to the bodies that they are welded to, without points; write sensors "
                      "by hand")
    return sensors


def require_room(tree: Tree, path: str, may_merge: bool = False) -> None:
    """Refuses more bodies than a mechanism has, and names the branches that they are in. `may_merge`: those without mass between
    joints may still become fewer."""
    if len(tree.bodies) - (len(tree.between) if may_merge else 0) <= MOST_BODIES:
        return
    without_mass = len(tree.between)
    between = ("" if not without_mass else "; one of these has no mass, and stands between the joints of a body that has two"
               if without_mass == 1 else
               f"; {without_mass} of these have no mass, and stand between the joints of bodies that have several")
    branches = _branches(tree)
    named = ", ".join(f"{count} in {name}" for name, count in branches[:_MOST_NAMED])
    rest = branches[_MOST_NAMED:]
    more = f", {sum(count for _, count in rest)} in {len(rest)} others" if rest else ""
    raise InputError(path, f"{len(tree.bodies)} bodies move, where welded ones count as one, and a mechanism has at most "
                     f"{MOST_BODIES}: {named}{more}{between}",
                     "take the joints of a branch out of the file, so that it is welded to what carries it")


def _branches(tree: Tree) -> list[tuple[str, int]]:
    """Bodies with the counts of those they carry, themselves among them: where the tree first divides, the largest first."""
    carried: dict[str, list[str]] = {"": []}
    for name, parent in tree.parents.items():
        carried.setdefault(parent if parent in tree.bodies else "", []).append(name)

    def count(name: str) -> int:
        return 1 + sum(count(one) for one in carried.get(name, []))

    trunk, heads = [], carried[""]
    while len(heads) == 1 and carried.get(heads[0]):
        trunk.append(heads[0])
        heads = carried[heads[0]]
    counts: Counter[str] = Counter()
    for name in heads + trunk:
        counts[_label(tree, name)] += count(name) if name in heads else 1
    return counts.most_common()


def _label(tree: Tree, name: str) -> str:
    """The model's name of a body, its place where it has none; of one between joints, that of the body that has these."""
    while name in tree.between:
        name = next(child for child, parent in tree.parents.items() if parent == name)
    number = next(number for number, (carrier, _) in enumerate(tree.carriers) if carrier == name)
    return tree.model.body(number).name or tree.place_of_body(number)
