"""Two hinges of a body, across each other and through one point, as a universal joint: a body without mass less.

Only models that have too many bodies otherwise are changed so. The angles are those of the hinges: the first turns about the
axis on the body that carries, the second about the axis on the body that is carried. A universal joint has no references, so
that its angles count from the poses in the file: these are the start, but for its own angles, which are zero there.
"""

from __future__ import annotations

import re
from typing import Any, Optional

import numpy

from .tree import Tree, plain

# Of a mechanism, as the engine measures them; and what measures one for itself.
MOST_ANGLES = 24
_MEASURING = ("torsional_spring_damper", "pd_controller")
# Axes are perpendicular, and meet, up to round-off of what files give with six digits.
_PERPENDICULAR, _MEET_M = 1e-6, 1e-6
_OWN = re.compile(r"(?<![\w.])(angle|rate)(?!\w)")
_OTHERS = re.compile(r"\b([A-Za-z]\w*)\.(angle|rate)\b")
# Of a hinge, and what they are called with a number in a universal joint.
_STARTS = {"angle_rad": "angle_{}_rad", "rate_rad_s": "rate_{}_rad_s", "rotor_inertia_kg_m2": "rotor_inertia_{}_kg_m2"}


def merge_hinges(tree: Tree, sections: dict[str, Any]) -> list[int]:
    """Merges what can be merged in the tree and in the sections of a mechanism; the numbers of MuJoCo's joints that it took."""
    hinges: dict[str, tuple[str, int]] = {}  # of a hinge that is merged: the universal joint, and which angle it is
    for between in list(tree.between):
        inner = next(name for name, joint in tree.joints.items() if joint["bodies"][1] == between)
        outer = next(name for name, joint in tree.joints.items() if joint["bodies"][0] == between)
        merged = _universal(tree.joints[inner], tree.joints[outer])
        if merged is None:
            continue
        name = tree.names_of_joints.give(f"{inner}_{outer}", "universal")
        hinges[inner], hinges[outer] = (name, 1), (name, 2)
        tree.origins["joints", name] = tree.origins["joints", inner]
        joints = {name if one == inner else one: merged if one == inner else joint for one, joint in tree.joints.items() if one != outer}
        tree.joints.clear()
        tree.joints.update(joints)
        carrier = tree.parents.pop(between)
        tree.parents = {body: carrier if parent == between else parent for body, parent in tree.parents.items()}
        tree.between.remove(between)
        del tree.bodies[between]
    taken = [joint for joint, name in enumerate(tree.joint_names) if name in hinges]
    for joint in taken:
        tree.joint_names[joint] = hinges[tree.joint_names[joint]][0]
    for section in ("forces", "contacts", "sensors", "drivers"):
        sections[section] = {name: _entry(entry, hinges) for name, entry in sections[section].items()}
    for coupling in sections["couplings"].values():
        for key in ("coordinate", "follows"):
            coupling[key] = _named(coupling[key], hinges)
    return taken


def _universal(inner: dict[str, Any], outer: dict[str, Any]) -> Optional[dict[str, Any]]:
    if inner["type"] != "revolute" or outer["type"] != "revolute":
        return None
    first, second = numpy.array(inner["axes"][1]), numpy.array(outer["axes"][0])  # both in the body between
    if abs(first @ second) > _PERPENDICULAR:
        return None
    apart = numpy.array(outer["points_m"][0]) - numpy.array(inner["points_m"][1])
    if abs(apart @ numpy.cross(first, second)) > _MEET_M:
        return None
    # Along each axis to where they meet.
    points = [numpy.array(inner["points_m"][0]) + (apart @ first) * numpy.array(inner["axes"][0]),
              numpy.array(outer["points_m"][1]) - (apart @ second) * numpy.array(outer["axes"][1])]
    entry: dict[str, Any] = {"type": "universal", "bodies": [inner["bodies"][0], outer["bodies"][1]],
                             "points_m": [plain(point) for point in points], "axes": [inner["axes"][0], outer["axes"][1]]}
    for number, hinge in ((1, inner), (2, outer)):
        entry.update({key.format(number): hinge[start] for start, key in _STARTS.items() if start in hinge})
    return entry


def _entry(entry: dict[str, Any], hinges: dict[str, tuple[str, int]]) -> dict[str, Any]:
    """An entry of a section with the joints that there are now."""
    joint, kind = entry.get("joint"), entry["type"]
    if joint not in hinges:
        return {key: _formula(value, hinges, None) for key, value in entry.items()}
    name, number = hinges[joint]
    entry = {key: _formula(value, hinges, number) for key, value in entry.items()}
    if kind in ("angle", "rate"):  # sensors and drivers
        return {**entry, "type": f"{kind}_{number}", "joint": name}
    entry.update(joint=name, coordinate=f"angle_{number}")
    return _as_formula(entry, f"angle_{number}", f"rate_{number}") if kind in _MEASURING else entry


def _as_formula(entry: dict[str, Any], angle: str, rate: str) -> dict[str, Any]:
    """A spring or controller of a hinge as a joint_force."""
    if entry["type"] == "pd_controller":
        formula = f"({entry['proportional']!r}) * ({entry['target']} - {angle}) - ({entry['derivative']!r}) * {rate}"
    else:
        formula = f"-({entry['stiffness_N_m_rad']!r}) * ({angle} - ({entry.get('rest_angle_rad', 0.0)!r}))"
    return {"type": "joint_force", **{key: entry[key] for key in ("joint", "coordinate") if key in entry}, "torque_N_m": formula}


def share_angles(tree: Tree, sections: dict[str, Any]) -> None:
    """Springs and controllers of hinges become formulas where they would measure more angles than a mechanism has: formulas,
    limits and sensors of a joint share one."""
    forces = sections["forces"]
    measuring = [name for name, entry in forces.items() if entry["type"] in _MEASURING and tree.joints[entry["joint"]]["type"] == "revolute"]
    angles = sum({"revolute": 1, "universal": 2}.get(joint["type"], 0) for joint in tree.joints.values())
    if angles + len(measuring) > MOST_ANGLES:
        forces.update({name: _as_formula(forces[name], "angle", "rate") for name in measuring})


def _formula(value: Any, hinges: dict[str, tuple[str, int]], number: Optional[int]) -> Any:
    """A formula with the coordinates that there are now; `number`: which of its joint it is about, None where it stays."""
    if not isinstance(value, str) or value in ("angle", "rate"):
        return value
    if number is not None:
        value = _OWN.sub(rf"\g<1>_{number}", value)
    return _OTHERS.sub(lambda found: _named(found[0], hinges), value)


def _named(coordinate: str, hinges: dict[str, tuple[str, int]]) -> str:
    joint, kind = coordinate.split(".")
    if joint not in hinges:
        return coordinate
    return f"{hinges[joint][0]}.{kind}_{hinges[joint][1]}"
