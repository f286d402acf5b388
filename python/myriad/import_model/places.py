"""Where the elements of a model stand in its files: `robot.xml:41, <motor name="lift">`.

MuJoCo's loader tells lines without their files, so the files are read once more here, includes in their places.
"""

from __future__ import annotations

import os
import re
from typing import Any, Mapping, NamedTuple, Optional
from xml.parsers import expat


class Element(NamedTuple):
    """An element of a file: kind as MuJoCo counts it ("actuator"), or its tag. `body`: the number of the body or link that it is in."""

    path: str
    line: int
    kind: str
    tag: str
    name: str
    attributes: Mapping[str, str]
    body: int


# Children of these sections are of one kind whatever their tag is.
_SECTIONS = {"actuator": "actuator", "equality": "equality", "tendon": "tendon", "sensor": "sensor"}
_TAGS = {"body": "body", "link": "body", "joint": "joint", "freejoint": "joint", "geom": "geom", "site": "site", "mesh": "mesh"}
_MAKERS = ("attach", "replicate", "composite", "flexcomp")
# Lists of MuJoCo's editable model by the kind of their elements.
_LISTS = {"body": "bodies", "joint": "joints", "geom": "geoms", "actuator": "actuators", "equality": "equalities", "tendon": "tendons",
          "pair of contact": "pairs"}
_STANDS_FOR_MESH = " stands for a mesh"


class Places:
    """The elements of a URDF or MJCF file and of what it includes, in their order."""

    def __init__(self, path: str) -> None:
        self.path, self.root, self._bodies = path, "", 0
        self.elements: list[Element] = []
        self.text = _text_of(path)
        self.included: dict[str, str] = {}
        self._read(path, self.text, [])
        self._of_names: dict[tuple[str, str], Element] = {}
        self._of_kinds: dict[str, list[Element]] = {}
        for element in self.elements:
            if element.name and element.tag != "visual":
                self._of_names.setdefault((element.kind, element.name), element)
            self._of_kinds.setdefault(element.kind, []).append(element)
        # MuJoCo counts body by body. Links of a URDF file may stand in any order, and some elements of MJCF make others.
        for elements in self._of_kinds.values():
            elements.sort(key=lambda element: element.body)
        tags = {element.tag for element in self.elements}
        self._in_order = self.root == "mujoco" and tags.isdisjoint(_MAKERS)
        # Lines by MuJoCo's numbers; of parts attached from another model, they are lines of its file.
        self._lines: dict[tuple[str, int], int] = {}
        self._attaches = "attach" in tags
        self.meshes: set[int] = set()  # numbers of the shapes that stand for meshes that nothing reads

    def named(self, kind: str, name: str) -> str:
        """The place of the element of this kind and name; the file and the name where it is not found."""
        found = self._of_names.get((kind, name))
        return _place(found) if found else f"{self.path}, {kind} {name}"

    def of(self, element: Element) -> str:
        return _place(element)

    def numbered(self, kind: str, number: int, name: str, count: int) -> str:
        """Likewise of MuJoCo's number `number` of `count` elements of a kind, by its name if it has one. Bodies count without the
        world."""
        if name and (kind, name) in self._of_names:
            return self.named(kind, name)
        line, of_kind = self._lines.get((kind, number)), self._of_kinds.get(kind, [])
        if not name and len(of_kind) == count and self._in_order:
            return _place(of_kind[number])
        at_line = [one for one in of_kind if one.path == self.path and one.line == line
                   and (one.name in name if one.name else not name and not self._attaches)]
        found = {_place(one) for one in at_line}
        if len(found) == 1:
            return f"{found.pop()}, its copy {name}" if name else found.pop()
        return self.named(kind, name) if name else f"{self.path}, {kind} {number + 1} of {count}"

    def take_lines(self, specification: Any) -> None:
        """Lines of a compiled model's elements, which copies (<replicate>) have from what they are of."""
        for kind, elements in _LISTS.items():
            for element in getattr(specification, elements):
                line, number = re.match(r"line (\d+)", element.info), element.id - (kind == "body")
                if line and int(line[1]):
                    self._lines[kind, number] = int(line[1])
                if kind == "geom" and element.info.endswith(_STANDS_FOR_MESH):
                    self.meshes.add(number)

    def mark_as_mesh(self, shape: Any) -> None:
        """Of an editable model, before it is compiled."""
        shape.info += _STANDS_FOR_MESH

    def shapes_of_links(self, specification: Any) -> None:
        """Tells shapes of a URDF file their lines, which MuJoCo's reader does not: it takes a link's pictures first."""
        links = {element.name: element.body for element in self._of_kinds.get("body", [])}
        for body in specification.bodies:
            own = [one for one in self._of_kinds.get("geom", []) if one.body == links.get(body.name)]
            collisions = [one for one in own if one.tag == "collision"]
            shapes, found = list(body.geoms), [one for one in own if one.tag == "visual"] + collisions
            for shape, element in zip(shapes, collisions if len(shapes) == len(collisions) else found):
                shape.info = f"line {element.line}"

    def in_message(self, message: str) -> Optional[str]:
        """The place of the element that a message of MuJoCo's loader names, if it names one."""
        named = re.search(r"(?:Element (?:name )?|joint |body |geom )'([^']*)'", message)
        line = re.search(r"[Ll]ine(?: number=| )(\d+)", message)
        at_line = [one for one in self.elements if line and one.line == int(line[1])]
        exact = [one for one in at_line if named and named[1] in (one.name, one.tag)]
        if exact or (at_line and not self.included):
            return _place((exact or at_line)[0])
        found = [one for one in self.elements if named and named[1] and one.name == named[1]]
        found.sort(key=lambda one: one.kind not in ("body", "geom"))
        if found:
            return _place(found[0])
        return f"{self.path}:{line[1]}" if line and not self.included else None

    def _read(self, path: str, text: bytes, around: list[Element]) -> None:
        parser, depth, first = expat.ParserCreate(), len(around), True

        def starts(tag: str, attributes: dict[str, str]) -> None:
            nonlocal first
            if first and depth:
                # The root element of an included file stands for nothing: its children are in place of the include.
                first = False
                return
            first = False
            if not around:
                self.root = tag
            kind = _kind(tag, [one.tag for one in around])
            self._bodies += kind == "body"
            body = self._bodies if kind == "body" else around[-1].body if around else 0
            element = Element(path, parser.CurrentLineNumber, kind, tag, attributes.get("name", ""), attributes, body)
            self.elements.append(element)
            if tag == "include" and "file" in attributes:
                self._include(attributes["file"], around)
            around.append(element)

        def ends(_: str) -> None:
            if len(around) > depth:
                around.pop()

        parser.StartElementHandler, parser.EndElementHandler = starts, ends
        try:
            parser.Parse(text, True)
        except expat.ExpatError:  # MuJoCo's own loader says what it refuses
            del around[depth:]

    def _include(self, file: str, around: list[Element]) -> None:
        included = os.path.join(os.path.dirname(self.path), file)
        if included not in self.included and os.path.isfile(included):
            self.included[included] = file
            self._read(included, _text_of(included), around)


def _kind(tag: str, open_tags: list[str]) -> str:
    section = open_tags[1] if len(open_tags) > 1 else ""
    if section in _SECTIONS and len(open_tags) == 2:
        return _SECTIONS[section]
    if section == "link" and tag in ("visual", "collision"):
        return "geom"
    if section in ("", "worldbody", "asset", "link"):
        return _TAGS.get(tag, f"<{tag}>")
    return f"{tag} of {section}"


def _text_of(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _place(element: Element) -> str:
    name = f' name="{element.name}"' if element.name else ""
    return f"{element.path}:{element.line}, <{element.tag}{name}>"
