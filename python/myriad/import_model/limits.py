"""Limits of MuJoCo's joints as stops of a mechanism."""

from __future__ import annotations

from typing import Any

from .findings import Findings
from .tree import Tree

# Contacts of a mechanism at most; both ends of a limit are one.
MOST_CONTACTS = 16


def stops(tree: Tree, findings: Findings) -> tuple[dict[str, dict[str, Any]], int]:
    """Entries of `contacts`, and how many contacts they are."""
    entries: dict[str, dict[str, Any]] = {}
    count = 0
    for joint, name in enumerate(tree.joint_names):
        if not tree.model.jnt_limited[joint]:
            continue
        place = tree.place_of_joint(joint)
        lower, upper = (float(end) for end in tree.model.jnt_range[joint])
        if not (tree.is_hinge(joint) or tree.is_slide(joint)):
            findings.leave_out(place, f"its limit of {upper:g} rad: a ball joint has no stops here")
        elif count == MOST_CONTACTS:
            findings.leave_out(place, f"its limits: a mechanism has at most {MOST_CONTACTS} contacts, and the limits of a joint are one")
        else:
            unit, margin = "rad" if tree.is_hinge(joint) else "m", float(tree.model.jnt_margin[joint])
            entries[f"{name}_limits"] = {"type": "joint_limits", "joint": name, f"lower_{unit}": lower + margin,
                                         f"upper_{unit}": upper - margin}
            count += 1
    return entries, count
