"""Limits of MuJoCo's joints as stops of a mechanism."""

from __future__ import annotations

from typing import Any

from .findings import Findings
from .tree import Tree

# Contacts of a mechanism at most; both ends of a limit are one.
MOST_CONTACTS = 16


def stops(tree: Tree, coordinates: Any, held: set[int], findings: Findings) -> tuple[dict[str, dict[str, Any]], int]:
    """Entries of `contacts` for a tree with these coordinates at the start, and how many contacts they are. No stop is for a joint
    that an equality holds."""
    model, limited = tree.model, []
    for joint, name in enumerate(tree.joint_names):
        if not model.jnt_limited[joint]:
            continue
        if joint in held:
            at = float(coordinates[model.jnt_qposadr[joint]])
            if not model.jnt_range[joint, 0] <= at <= model.jnt_range[joint, 1]:
                findings.leave_out(tree.place_of_joint(joint), "its limits: an equality holds it beyond them")
        elif tree.is_hinge(joint) or tree.is_slide(joint):
            limited.append(joint)
        else:
            findings.leave_out(tree.place_of_joint(joint), f"its limit of {float(model.jnt_range[joint, 1]):g} rad: a ball joint has no "
                               "stops here")
    # Those that start nearest to their limits, as a share of the range, are kept.
    kept = sorted(limited, key=lambda joint: _share_left(model, coordinates, joint))[:MOST_CONTACTS]
    entries: dict[str, dict[str, Any]] = {}
    for joint in limited:
        if joint not in kept:
            findings.leave_out(tree.place_of_joint(joint), f"its limits: a mechanism has at most {MOST_CONTACTS} contacts, the limits of a "
                               "joint are one, and other joints start nearer to theirs")
            continue
        name, unit, margin = tree.joint_names[joint], "rad" if tree.is_hinge(joint) else "m", float(model.jnt_margin[joint])
        lower, upper = (float(end) for end in model.jnt_range[joint])
        entries[f"{name}_limits"] = {"type": "joint_limits", "joint": name, f"lower_{unit}": lower + margin, f"upper_{unit}": upper - margin}
    return entries, len(kept)


def _share_left(model: Any, coordinates: Any, joint: int) -> float:
    lower, upper = (float(end) for end in model.jnt_range[joint])
    at = float(coordinates[model.jnt_qposadr[joint]])
    return min(at - lower, upper - at) / (upper - lower) if upper > lower else 0.0
