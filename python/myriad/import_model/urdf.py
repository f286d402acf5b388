"""What a URDF file says and MuJoCo's loader passes over: joints that mimic none that moves, and limits that it ignores."""

from __future__ import annotations

from .. import _engine
from .findings import Findings
from .places import Element, Places

# Types of joints with one coordinate, which alone can mimic and be mimicked.
_WITH_COORDINATE = ("revolute", "continuous", "prismatic")


def tell_mimics_of_nothing(places: Places, findings: Findings) -> None:
    """Joints that move freely here, and in MuJoCo, because what they mimic has no coordinate."""
    joints = {one.name: one for one in places.elements if one.kind == "joint"}
    for joint, mimic in _children(places, "mimic"):
        leader, kind = mimic.attributes.get("joint", ""), joint.attributes.get("type", "")
        if kind == "fixed":
            continue
        if leader not in joints:
            known = [one.name for one in joints.values() if one.attributes.get("type") in _WITH_COORDINATE and one is not joint]
            why, cure = f'it mimics "{leader}", which is no joint of the file', _engine.suggestion(leader, known, "joints", "the file")
        elif joints[leader].attributes.get("type") not in _WITH_COORDINATE:
            of_type = joints[leader].attributes.get("type", "without a type")
            why = f'it mimics "{leader}", which is {of_type} and does not have one coordinate'
            cure = "let it mimic a joint with one coordinate"
        elif kind not in _WITH_COORDINATE:
            why, cure = f"it mimics a joint and is {kind}, with more coordinates than one", "give it a type with one coordinate"
        else:
            continue
        findings.leave_out(places.of(joint), f"{why}, so that it moves freely; correct its <mimic> in line {mimic.line}, or delete it "
                           f"({cure})")


def tell_ignored_limits(places: Places, findings: Findings) -> None:
    """Joints whose limits MuJoCo's loader ignores."""
    for joint, limit in _children(places, "limit"):
        if joint.attributes.get("type") not in ("revolute", "prismatic"):
            continue
        ends = [limit.attributes[end] for end in ("lower", "upper") if end in limit.attributes]
        try:
            empty = len(ends) == 2 and float(ends[0]) >= float(ends[1])
        except ValueError:  # MuJoCo's loader refuses it
            continue
        if len(ends) == 1:
            findings.note(f"{places.of(joint)}: its <limit> has one of lower and upper, and MuJoCo then takes neither; give both")
        elif empty:
            findings.note(f"{places.of(joint)}: its limits {ends[0]} and {ends[1]} leave no range, so that it has none, as in MuJoCo; "
                          "correct them, or give it the type fixed")


def _children(places: Places, tag: str) -> list[tuple[Element, Element]]:
    """Joints of a URDF file with a child of this tag."""
    found, joint = [], None
    for element in places.elements if places.root == "robot" else []:
        joint = element if element.kind == "joint" else joint
        if joint and element.kind == f"{tag} of joint":
            found.append((joint, element))
    return found
