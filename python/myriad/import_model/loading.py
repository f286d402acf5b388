"""MuJoCo's loader: from a file to its compiled model, without the meshes that no inertia needs.

URDF has no word for a base that moves freely, and names its meshes by packages of ROS; options of the import say both.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from shlex import quote
from typing import Any, Iterator, Mapping, Optional

import numpy

from ..errors import InputError
from .findings import Findings
from .places import Places

_PACKAGE = re.compile(r"(?:package|model)://?([^/]+)/(.*)")
# What MuJoCo's loader decodes.
_MESHES = (".stl", ".obj", ".msh")


@dataclass(frozen=True)
class Options:
    """What to do with a file before it is compiled.

    free_base         the body on the ground moves freely
    packages          folders of ROS packages by name; ROS_PACKAGE_PATH is looked through after these
    balance_inertia   inertias that no rigid body has become their mean about all axes
    """

    free_base: bool = False
    packages: Mapping[str, str] = field(default_factory=dict)
    balance_inertia: bool = False


def mujoco_module() -> Any:
    """The package mujoco, which only an import needs."""
    try:
        import mujoco
    except ImportError:
        raise InputError("import", "the Python package mujoco, whose loader reads URDF and MJCF, is not installed here",
                         "install it: pip install mujoco") from None
    return mujoco


@contextmanager
def _warnings_of(mujoco: Any) -> Iterator[list[str]]:
    """What MuJoCo warns of meanwhile; unless someone takes it, it goes to a file MUJOCO_LOG.TXT in the current folder."""
    said: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(said.append)
    try:
        yield said
    finally:
        mujoco.set_mju_user_warning(before)


def load(path: str, options: Options, findings: Findings) -> tuple[Any, Places]:
    """The compiled model, and where its elements stand."""
    mujoco = mujoco_module()
    for name, folder in options.packages.items():
        if not os.path.isdir(folder):
            raise InputError(f"--package {name}={folder}", f"there is no folder {folder}",
                             f"name the folder of the package {name}, in which its package.xml and meshes are")
    with _warnings_of(mujoco) as said:
        model, places = _load(mujoco, path, options, findings)
    for warning in map(_one_line, said):
        if not re.search("<mimic>|limit ignored", warning):  # the import has lines of its own on these
            findings.note(f"{places.in_message(warning) or path}: MuJoCo's loader warns: {warning}")
    return model, places


def _load(mujoco: Any, path: str, options: Options, findings: Findings) -> tuple[Any, Places]:
    if not os.path.isfile(path):
        raise InputError(path, "this is a folder" if os.path.isdir(path) else "there is no such file",
                         "give the path of a URDF or MJCF file")
    places = Places(path)
    _refuse_other_formats(path, places)
    try:
        specification = _specification(mujoco, path, places)
    except ValueError as error:
        raise _refused(places, error) from None
    of_urdf = places.root == "robot"
    if of_urdf:
        places.shapes_of_links(specification)
    missing = _with_packages(specification, path, options.packages)
    roots = [body for body in specification.worldbody.bodies if not body.joints]
    if options.free_base:
        _free(roots, places)
    elif of_urdf and roots:
        findings.note(f"{places.named('body', roots[0].name)}: it is fixed to the world, as URDF says no more; --free-base lets it "
                      "move")
    _without_needless_meshes(mujoco, specification, places)
    if options.balance_inertia:
        specification.compiler.balanceinertia = 1
        _tell_balanced(specification, places, findings)
    try:
        model = specification.compile()
    except ValueError as error:
        raise _not_compiled(mujoco, specification, places, missing, error) from None
    places.take_lines(specification)
    if model.nv == 0:
        raise InputError(path, "nothing in it moves: each body is fixed to the world"
                         + (f", and {places.named('body', roots[0].name)} carries them" if roots else ""),
                         "give a body a joint" + (", or let the base move freely: --free-base" if roots else ""))
    return model, places


def _refuse_other_formats(path: str, places: Places) -> None:
    if path.endswith(".xacro") or any(element.tag.startswith("xacro:") for element in places.elements):
        output = os.path.basename(path).removesuffix(".xacro")
        if output == os.path.basename(path):  # a shell would empty the file before xacro reads it
            output = os.path.splitext(output)[0] + "_expanded.urdf"
        output = output if output.lower().endswith(".urdf") else output + ".urdf"
        raise InputError(path, "this is a xacro file, from which the program xacro makes a URDF file",
                         f"run `xacro {quote(path)} > {quote(output)}` (ROS, or pip install xacro), and import {output}")
    if not places.root:
        raise InputError(path, "it begins with no XML element", "give a URDF file, whose root element is <robot>, or an MJCF file with "
                         "<mujoco>")
    if places.root not in ("robot", "mujoco"):
        raise InputError(f"{path}:1", f"its root element is <{places.root}>; a URDF file has <robot>, an MJCF file <mujoco>",
                         "convert the model to one of these" + (" (an included file is a part of one)"
                                                                if places.root == "mujocoinclude" else ""))


def _specification(mujoco: Any, path: str, places: Places) -> Any:
    if path.endswith((".xml", ".urdf")):
        return mujoco.MjSpec.from_file(path)
    # MuJoCo chooses its reader by the ending, in small letters; texts go by their root element.
    included = {}
    for file, name in places.included.items():
        with open(file, "rb") as text:
            included[name] = text.read()
    specification = mujoco.MjSpec.from_string(places.text.decode("utf-8", "replace"), include=included)
    specification.modelfiledir = os.path.dirname(os.path.abspath(path))
    return specification


def _with_packages(specification: Any, path: str, packages: Mapping[str, str]) -> set[str]:
    """Gives meshes of `package://name/...` their files, and returns the packages that were not found."""
    missing = set()
    for mesh in specification.meshes:
        mesh.file = mesh.file.removeprefix("file://")
        named = _PACKAGE.fullmatch(mesh.file)
        if not named:
            continue
        folder = _package(named[1], path, packages)
        if folder is None:
            missing.add(named[1])
        else:
            mesh.file = os.path.join(os.path.abspath(folder), named[2])
    return missing


def _package(name: str, path: str, packages: Mapping[str, str]) -> Optional[str]:
    """The folder of a package: as told, below ROS_PACKAGE_PATH, or above the model's file."""
    if name in packages:
        return packages[name]
    for folder in filter(None, os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)):
        for candidate in (os.path.join(folder, name), folder):
            if os.path.basename(os.path.normpath(candidate)) == name and os.path.isdir(candidate):
                return candidate
    above = os.path.dirname(os.path.abspath(path))
    while os.path.dirname(above) != above:
        if os.path.basename(above) == name:
            return above
        above = os.path.dirname(above)
    return None


def _free(roots: list[Any], places: Places) -> None:
    """Gives the one body on the ground that carries joints, or that is alone there, a free joint."""
    roots = [body for body in roots if body.find_all("joint")] or roots
    if len(roots) != 1:
        what = (f"{len(roots)} bodies are fixed to the world: {', '.join(body.name or 'one without a name' for body in roots)}"
                if roots else "no body is fixed to the world")
        raise InputError(places.path, f"free base, and {what}", "import without --free-base" + (
            ", and write a <freejoint/> into the body that moves" if roots else ""))
    roots[0].add_freejoint()


def _without_needless_meshes(mujoco: Any, specification: Any, places: Places) -> None:
    """Takes away the meshes of bodies whose inertia the file states, or that stand still: they need not be there. Balls stand for
    them, so that what they may touch is still known."""
    always_from_shapes = specification.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    for body in specification.bodies:
        if not (body.explicitinertial and not always_from_shapes) and not _stands(body):
            continue
        for geom in body.geoms:
            if geom.type == mujoco.mjtGeom.mjGEOM_MESH:
                geom.type, geom.meshname, geom.size, geom.mass = mujoco.mjtGeom.mjGEOM_SPHERE, "", [1.0, 0.0, 0.0], 0.0
                places.mark_as_mesh(geom)
    needed = {geom.meshname for geom in specification.geoms if geom.meshname}
    for mesh in list(specification.meshes):
        if mesh.name not in needed:
            specification.delete(mesh)


def _stands(body: Any) -> bool:
    """Whether nothing moves an editable model's body."""
    while not body.joints and body.parent:
        body = body.parent
    return not body.joints


def _tell_balanced(specification: Any, places: Places, findings: Findings) -> None:
    for body in specification.bodies:
        full = body.fullinertia
        if numpy.isfinite(full).all() and numpy.any(full):
            moments = numpy.linalg.eigvalsh([[full[0], full[3], full[4]], [full[3], full[1], full[5]], [full[4], full[5], full[2]]])
        else:
            moments = numpy.sort(body.inertia)
        if moments[0] + moments[1] < moments[2]:
            findings.note(f"{places.named('body', body.name)}: its principal moments {', '.join(f'{one:g}' for one in moments)} "
                          f"kg m^2, which no rigid body has, became {moments.mean():g} kg m^2 each")


def _not_compiled(mujoco: Any, specification: Any, places: Places, missing: set[str], error: Exception) -> InputError:
    """The message for what MuJoCo does not compile: a mesh that inertia needs, an inertia that none can be, or others."""
    text = _one_line(error)
    if "balanceinertia" in text:
        return InputError(places.in_message(text) or places.path, "its principal moments of inertia are none of a rigid body: the "
                          "largest is above the sum of the others", "correct them, or make all three their mean: --balance-inertia")
    if "mjMINVAL" in text:
        return InputError(places.in_message(text) or places.path, f"MuJoCo's loader refuses it: {text}",
                          "write an <inertial> into it: each body that moves has a mass, or carries one without moving against it")
    needing = [geom for geom in specification.geoms if geom.type == mujoco.mjtGeom.mjGEOM_MESH]
    file = re.search(r"'([^']*)'", text)
    if needing and file and ("resource" in text.lower() or "file" in text.lower()):
        return _without_inertia(specification, places, missing, needing, text)
    return _refused(places, error)


def _without_inertia(specification: Any, places: Places, missing: set[str], needing: list[Any], text: str) -> InputError:
    meshes = {mesh.name: mesh.file for mesh in specification.meshes}
    bodies: dict[str, list[str]] = {}
    for geom in needing:
        file = meshes.get(geom.meshname, geom.meshname)
        directory = specification.meshdir or ""
        looked = file if _PACKAGE.fullmatch(file) else os.path.normpath(
            os.path.join(os.path.dirname(os.path.abspath(places.path)), directory, file))
        bodies.setdefault(geom.parent.name, []).append(looked)
    gone = {name: [file for file in files if not os.path.isfile(file)] for name, files in bodies.items()}
    name, files = next(((name, files) for name, files in gone.items() if files), next(iter(bodies.items())))
    others = [one for one in bodies if one != name]
    where = places.named("body", name)
    what = "it has no <inertial>, so that mass and inertia come from meshes alone"
    if others:
        what += f" (as of {', '.join(others)})"
    package = named[1] if (named := _PACKAGE.fullmatch(files[0])) else ""
    if package in missing:
        absent = [one for one in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if one and not os.path.isdir(one)]
        what += f", and the package {package} of {files[0]} was not found"
        what += f" (ROS_PACKAGE_PATH names {absent[0]}, which is no folder)" if absent else ""
        return InputError(where, what,
                          f"say where it is: --package {package}=FOLDER, or ROS_PACKAGE_PATH; or write an <inertial>")
    if not os.path.isfile(files[0]):
        return InputError(where, f"{what}, and there is no file {files[0]}",
                          "write an <inertial>, or put the mesh where the file says that it is")
    unread = next((file for file in files if not file.lower().endswith(_MESHES)), None)
    if unread:
        return InputError(where, f"{what}, and MuJoCo reads no {os.path.splitext(unread)[1]} ({unread})",
                          f"write an <inertial>, or convert the mesh to one of {', '.join(_MESHES)}")
    return InputError(where, f"{what}, and MuJoCo cannot take these: {text}", "write an <inertial>, or correct the mesh")


def _one_line(error: object) -> str:
    text = re.sub(r"The static bodies of the spec were fused before this error, and remain so\.", "", str(error))
    return " ".join(text.split()).removeprefix("Error: ")


def _refused(places: Places, error: Exception) -> InputError:
    text = _one_line(error)
    return InputError(places.in_message(text) or places.path, f"MuJoCo's loader refuses it: {text}",
                      "correct the file there; one that MuJoCo's viewer opens is one that can be imported")
