"""Limits of MuJoCo's joints as stops of a mechanism."""

from __future__ import annotations

from typing import Any

from .tree import Tree

# Contacts of a mechanism at most; each end of a limit is one.
MOST_CONTACTS = 16


def stops(tree: Tree) -> tuple[dict[str, dict[str, Any]], int, list[str]]:
    """Entries of `contacts`, how many contacts they are, and what was left out."""
    entries: dict[str, dict[str, Any]] = {}
    left_out, count = [], 0
    for joint, name in enumerate(tree.joint_names):
        if not tree.model.jnt_limited[joint]:
            continue
        lower, upper = (float(end) for end in tree.model.jnt_range[joint])
        if not (tree.is_hinge(joint) or tree.is_slide(joint)):
            left_out.append(f"joint {name}: its limit of {upper:g} rad: a ball joint has no stops here")
        elif count + 2 > MOST_CONTACTS:
            left_out.append(f"joint {name}: its limits: a mechanism has at most {MOST_CONTACTS} contacts, and each end is one")
        else:
            unit = "rad" if tree.is_hinge(joint) else "m"
            entries[f"{name}_limits"] = {"type": "joint_limits", "joint": name, f"lower_{unit}": lower, f"upper_{unit}": upper}
            count += 2
    return entries, count, left_out
