"""What of a model becomes no part of a mechanism, each kind or property in a line."""

from __future__ import annotations

from typing import Any, Iterable

from .findings import Findings
from .places import Places
from .tables import unread, unread_options
from .tree import GROUND, Tree

_NAMES = {"body": "body", "jnt": "joint", "eq": "equality", "tendon": "tendon", "geom": "geom"}


def tell_remaining(tree: Tree, passive: bool, contacts: bool, places: Places, findings: Findings) -> None:
    """passive    MuJoCo exerts passive forces
    contacts   contact is wanted
    """
    model = tree.model
    if model.nflex:
        findings.leave_out(places.path, f"{model.nflex} flexible bod{'ies' if model.nflex > 1 else 'y'}: bodies are rigid here")
    if passive and (model.opt.density or model.opt.viscosity):
        findings.leave_out(places.path, "forces of the medium (density, viscosity): there is no air or water here")
    for body in range(1, model.nbody):
        if model.body_mocapid[body] >= 0:
            findings.leave_out(tree.place_of_body(body), "mocap: what is moved from outside stands still here")
        if passive and model.body_gravcomp[body] and tree.carriers[body][0] != GROUND:
            _tell_limited_gravcomp(tree, body, findings)
    _tell_unread(tree, contacts, places, findings)
    if model.opt.enableflags & int(getattr(tree.mujoco.mjtEnableBit, "mjENBL_SLEEP", 0)):
        findings.differ("what comes to rest keeps its small motions, where MuJoCo lets it sleep (flag sleep)")
        for number in (model.tree_sleep_policy == int(tree.mujoco.mjtSleepPolicy.mjSLEEP_INIT)).nonzero()[0]:
            findings.leave_out(tree.place_of_body(int((model.body_treeid == number).argmax())), 'sleep="init": MuJoCo holds it still until '
                               "something touches it, and here it moves from the start")
    if model.nsensor:
        findings.note(f"{places.path}: {model.nsensor} sensor{'s are' if model.nsensor > 1 else ' is'} not imported; coordinates and "
                      "rates of all joints are channels")


def tell_switched_off(model: Any, without: Iterable[str], is_off: Any, places: Places, findings: Findings) -> None:
    """A note for each flag of <option> that switches off what the model has. `is_off`: whether a flag of MuJoCo's name does."""
    for flag, part, what, there in (
            ("gravity", "", "gravity", model.opt.gravity.any()),
            ("contact", "contacts", "contacts", model.npair or (model.ngeom > 1 and model.geom_contype.any())),
            ("limit", "limits", "limits", model.jnt_limited.any() or model.tendon_limited.any()),
            ("frictionloss", "friction", "dry friction", model.dof_frictionloss.any() or model.tendon_frictionloss.any()),
            ("equality", "equalities", "equalities", model.eq_active0.any()),
            ("constraint", "", "contacts, limits, dry friction and equalities", True),
            ("spring", "springs", "springs", model.jnt_stiffness.any() or model.tendon_stiffness.any()),
            ("damper", "damping", "dampers", model.dof_damping.any() or model.tendon_damping.any()),
            ("actuation", "actuators", "actuators", model.nu),
            ("clampctrl", "actuators", "limits of controls", model.actuator_ctrllimited.any())):
        if there and part not in without and is_off(model, flag.upper()):
            findings.note(f"{_place_of_flag(flag, places)}: it switches off {what}, here as in MuJoCo")


def _place_of_flag(name: str, places: Places) -> str:
    found = [one for one in places.elements if one.tag == "flag" and name in one.attributes]
    return f'{found[-1].path}:{found[-1].line}, <flag {name}="{found[-1].attributes[name]}">' if found else places.path


def _tell_limited_gravcomp(tree: Tree, body: int, findings: Findings) -> None:
    """Gravity compensation that MuJoCo lets actuators exert counts in the limit of their sum."""
    model = tree.model
    while body:
        for joint in range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body]):
            if model.jnt_actgravcomp[joint] and model.jnt_actfrclimited[joint]:
                findings.leave_out(tree.place_of_joint(joint), "actuatorgravcomp: weight that is taken off is not in the limit of its "
                                   "actuators' sum here")
        body = int(model.body_parentid[body])


def _tell_unread(tree: Tree, contacts: bool, places: Places, findings: Findings) -> None:
    model = tree.model
    counts = {"body": model.nbody, "jnt": model.njnt, "eq": model.neq, "tendon": model.ntendon, "geom": model.ngeom}
    given = {"body": model.body, "jnt": model.joint, "eq": model.equality, "tendon": model.tendon, "geom": model.geom}
    for kind, name in _NAMES.items():
        for number, properties in unread(model, kind).items():
            if kind == "geom" and not (contacts and (model.geom_contype[number] or model.geom_conaffinity[number])):
                continue
            place = (tree.place_of_body(number) if kind == "body" else
                     places.numbered(name, number, given[kind](number).name, counts[kind]))
            findings.leave_out(place, f"properties that nothing here has: {', '.join(properties)}")
    for number, properties in unread(model, "pair").items() if contacts else ():
        findings.leave_out(places.numbered("pair of contact", number, "", model.npair), "properties that nothing here has: "
                           + ", ".join(properties))
    for number, properties in unread(model, "dof").items():
        findings.leave_out(tree.place_of_joint(int(model.dof_jntid[number])), f"properties that nothing here has: {', '.join(properties)}")
    for option in unread_options(model):
        findings.leave_out(places.path, f"option {option}: it is unknown here")
