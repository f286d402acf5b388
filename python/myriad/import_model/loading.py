"""MuJoCo's loader: from a file to its compiled model, without the meshes that no inertia needs."""

from __future__ import annotations

import os
from typing import Any

from ..errors import InputError, unknown_name


def mujoco_module() -> Any:
    """The package mujoco, which only an import needs."""
    try:
        import mujoco
    except ImportError:
        raise InputError("import", "the Python package mujoco, whose loader reads URDF and MJCF, is not installed here",
                         "install it: pip install mujoco") from None
    return mujoco


def load(path: str) -> tuple[Any, list[str]]:
    """The compiled model, and what was left out of the file beforehand."""
    mujoco = mujoco_module()
    if not os.path.isfile(path):
        raise InputError(path, "there is no such file", "give the path of a URDF or MJCF file")
    try:
        specification = mujoco.MjSpec.from_file(path)
    except ValueError as error:
        raise _refused(path, error) from None
    left_out = _without_needless_meshes(mujoco, specification)
    try:
        return specification.compile(), left_out
    except ValueError as error:
        needing = sorted({geom.parent.name for geom in specification.geoms if geom.type == mujoco.mjtGeom.mjGEOM_MESH})
        if needing and ("mesh" in str(error) or "resource" in str(error).lower() or "file" in str(error).lower()):
            raise InputError(path, f"{_bodies(needing)} no <inertial>, so that mass and inertia come from meshes alone, and "
                             f"MuJoCo cannot take these: {_one_line(error)}",
                             "write an <inertial> for each, or put the meshes where the file says that they are") from None
        raise _refused(path, error) from None


def start_of(model: Any, path: str, keyframe: str | None) -> tuple[Any, Any, Any]:
    """Coordinates, rates and controls of a keyframe, or of the model as its file describes it."""
    if keyframe is None:
        return model.qpos0.copy(), [0.0] * model.nv, [0.0] * model.nu
    names = [model.key(number).name for number in range(model.nkey)]
    if keyframe not in names:
        raise unknown_name(f"{path}: keyframe", "keyframes", keyframe, [name for name in names if name], "the file's <keyframe>")
    number = names.index(keyframe)
    return model.key_qpos[number].copy(), model.key_qvel[number].tolist(), model.key_ctrl[number].tolist()


def _without_needless_meshes(mujoco: Any, specification: Any) -> list[str]:
    """Takes away the meshes of bodies whose inertia the file states: they need not be there."""
    always_from_shapes = specification.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    of_bodies: dict[str, int] = {}
    for geom in list(specification.geoms):
        body = geom.parent
        if geom.type != mujoco.mjtGeom.mjGEOM_MESH:
            continue
        of_bodies[body.name] = of_bodies.get(body.name, 0) + 1
        if body.explicitinertial and not always_from_shapes:
            specification.delete(geom)
    needed = {geom.meshname for geom in specification.geoms if geom.meshname}
    for mesh in list(specification.meshes):
        if mesh.name not in needed:
            specification.delete(mesh)
    return [f"body {name}: {count} mesh{'es' if count > 1 else ''}, which contact does not take"
            for name, count in of_bodies.items()]


def _bodies(names: list[str]) -> str:
    return (f"body {names[0]} has" if len(names) == 1 else f"bodies {', '.join(names)} have")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()).removeprefix("Error: ")


def _refused(path: str, error: Exception) -> InputError:
    return InputError(path, f"MuJoCo's loader refuses it: {_one_line(error)}",
                      "correct the file there; one that MuJoCo's viewer opens is one that can be imported")
