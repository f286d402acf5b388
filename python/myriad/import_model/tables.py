"""The guard against silent changes: what of a compiled model's tables nothing here reads must hold nothing.

MuJoCo's tables are named by kind (`actuator_delay`). Those below are read by the import or change no motion of rigid bodies;
any other one, also of a later MuJoCo, counts as a property that is not taken where an element has a value in it.
"""

from __future__ import annotations

from typing import Any

import numpy

from .loading import mujoco_module

_KNOWN = {
    "body": "parentid rootid weldid mocapid jntnum jntadr dofnum dofadr treeid geomnum geomadr simple sameframe pos quat ipos iquat "
            "mass subtreemass inertia invweight0 gravcomp margin contype conaffinity bvhadr bvhnum user",
    "jnt": "type qposadr dofadr bodyid actuatorid group limited actfrclimited actgravcomp solref solimp pos axis stiffness "
           "stiffnesspoly range actfrcrange margin user",
    "dof": "bodyid jntid parentid treeid Madr simplenum solref solimp frictionloss armature damping dampingpoly invweight0 M0 length "
           "hasfrictionloss",
    "tendon": "type adr num matid actuatorid group treenum treeid limited actfrclimited width solref_lim solimp_lim solref_fri "
              "solimp_fri range actfrcrange margin stiffness stiffnesspoly damping dampingpoly armature frictionloss lengthspring "
              "length0 invweight0 user rgba",
    # Of shapes that may touch others; a fluid is told as a whole.
    "geom": "aabb bodyid castshadow conaffinity condim contype dataid fluid friction group margin matid plugin pos priority quat rbound "
            "rgba sameframe size solimp solmix solref type user",
    "pair": "dim friction geom1 geom2 margin signature solimp solref solreffriction",
    "eq": "type obj1id obj2id objtype active0 solref solimp data",
    # Activations (act..., dynprm) belong to kinds that are not taken.
    "actuator": "trntype dyntype gaintype biastype ctrladr ctrlnum ctrlspec outadr outnum actadr actnum trnid cranklength dynprm "
                "gainprm biasprm actlimited actrange actearly damping armature group user forcelimited forcerange ctrllimited "
                "ctrlrange gear acc0 length0 lengthrange",
}
_OPTIONS = ("ccd_iterations ccd_tolerance cone density disableactuator disableflags enableflags gravity impratio integrator iterations "
            "jacobian ls_iterations ls_tolerance magnetic noslip_iterations noslip_tolerance o_friction o_margin o_solimp o_solref "
            "sdf_initpoints sdf_iterations sleep_tolerance solver timestep tolerance viscosity wind apirate").split()
_FLAGS = ("ACTUATION AUTORESET CLAMPCTRL CONSTRAINT CONTACT DAMPER EQUALITY EULERDAMP FILTERPARENT FRICTIONLOSS GRAVITY ISLAND LIMIT "
          "MIDPHASE MULTICCD NATIVECCD PASSIVE REFSAFE SENSOR SPRING WARMSTART").split()


def unread(model: Any, kind: str) -> dict[int, list[str]]:
    """For the elements of a kind that have one: names of the properties that nothing here reads."""
    known, found = set(_KNOWN[kind].split()), {}
    for table in dir(model):
        prefix, _, name = table.partition("_")
        if prefix != kind or not name or name in known or name.endswith("adr"):  # an address says nothing by itself
            continue
        values = numpy.asarray(getattr(model, table))
        rows = values.reshape(len(values), -1) if values.size else values.reshape(0, 1)
        is_used = rows >= 0 if name == "plugin" else (rows != 0) & (rows != -1)
        for number in numpy.nonzero(is_used.any(axis=1))[0]:
            found.setdefault(int(number), []).append(name)
    return found


def unread_options(model: Any) -> list[str]:
    """Options of the model that nothing here reads and that are not MuJoCo's defaults."""
    mujoco = mujoco_module()
    default = mujoco.MjModel.from_xml_string("<mujoco/>").opt
    other = [name for name in dir(model.opt) if not name.startswith("_") and name not in _OPTIONS
             and not numpy.array_equal(getattr(model.opt, name), getattr(default, name))]
    bits = mujoco.mjtDisableBit
    return other + [name.removeprefix("mjDSBL_").lower() + " disabled" for name in dir(bits) if name.startswith("mjDSBL_")
                    and name.removeprefix("mjDSBL_") not in _FLAGS and model.opt.disableflags & int(getattr(bits, name))]
