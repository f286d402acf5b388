"""Where the elements of a model stand in its files: `robot.xml:41, <motor name="lift">`.

MuJoCo's loader tells lines of the main file alone, so the files are read once more here, includes in their places.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple, Optional
from xml.parsers import expat


class Element(NamedTuple):
    """An element of a file: kind as MuJoCo counts it ("actuator"), or its tag."""

    path: str
    line: int
    kind: str
    tag: str
    name: str


# Children of these sections are of one kind whatever their tag is.
_SECTIONS = {"actuator": "actuator", "equality": "equality", "tendon": "tendon", "sensor": "sensor"}
_TAGS = {"body": "body", "link": "body", "joint": "joint", "freejoint": "joint", "geom": "geom", "site": "site", "mesh": "mesh"}
_MAKERS = ("attach", "replicate", "composite", "flexcomp")


class Places:
    """The elements of a URDF or MJCF file and of what it includes, in their order."""

    def __init__(self, path: str) -> None:
        self.path, self.root = path, ""
        self.elements: list[Element] = []
        self.text = _text_of(path)
        self.included: dict[str, str] = {}
        self._read(path, self.text, [])
        self._of_names: dict[tuple[str, str], Element] = {}
        self._of_kinds: dict[str, list[Element]] = {}
        for element in self.elements:
            self._of_names.setdefault((element.kind, element.name), element)
            self._of_kinds.setdefault(element.kind, []).append(element)
        # Elements that make others, so that MuJoCo has more of a kind than the file.
        self._made = any(element.tag in _MAKERS for element in self.elements)

    def named(self, kind: str, name: str) -> str:
        """The place of the element of this kind and name; the file and the name where it is not found."""
        found = self._of_names.get((kind, name))
        return _place(found) if found else f"{self.path}, {kind} {name}"

    def numbered(self, kind: str, number: int, name: str, count: int) -> str:
        """Likewise of MuJoCo's number `number` of `count` elements of a kind, by its name if it has one."""
        if name:
            return self.named(kind, name)
        of_kind = self._of_kinds.get(kind, [])
        if len(of_kind) == count and not self._made:
            return _place(of_kind[number])
        return f"{self.path}, {kind} number {number}"

    def in_message(self, message: str) -> Optional[str]:
        """The place of the element that a message of MuJoCo's loader names, if it names one."""
        named = re.search(r"Element (?:name )?'([^']*)'", message)
        line = re.search(r"line (\d+)", message)
        at_line = [one for one in self.elements if line and one.path == self.path and one.line == int(line[1])]
        if at_line:
            return _place(next((one for one in at_line if named and named[1] in (one.name, one.tag)), at_line[0]))
        found = [one for one in self.elements if named and named[1] and one.name == named[1]]
        found.sort(key=lambda one: one.kind not in ("body", "geom"))
        return _place(found[0]) if found else None

    def _read(self, path: str, text: bytes, open_tags: list[str]) -> None:
        parser, depth, first = expat.ParserCreate(), len(open_tags), True

        def starts(tag: str, attributes: dict[str, str]) -> None:
            nonlocal first
            if first and depth:
                # The root element of what is included stands for nothing: its children are in place of the include.
                first = False
                return
            first = False
            if not open_tags:
                self.root = tag
            self.elements.append(Element(path, parser.CurrentLineNumber, _kind(tag, open_tags), tag, attributes.get("name", "")))
            if tag == "include" and "file" in attributes:
                self._include(attributes["file"], open_tags)
            open_tags.append(tag)

        def ends(_: str) -> None:
            if len(open_tags) > depth:
                open_tags.pop()

        parser.StartElementHandler, parser.EndElementHandler = starts, ends
        try:
            parser.Parse(text, True)
        except expat.ExpatError:  # MuJoCo's own loader says what it refuses
            del open_tags[depth:]

    def _include(self, file: str, open_tags: list[str]) -> None:
        included = os.path.join(os.path.dirname(self.path), file)
        if included not in self.included and os.path.isfile(included):
            self.included[included] = file
            self._read(included, _text_of(included), open_tags)


def _kind(tag: str, open_tags: list[str]) -> str:
    section = open_tags[1] if len(open_tags) > 1 else ""
    if section in _SECTIONS and len(open_tags) == 2:
        return _SECTIONS[section]
    if section in ("", "worldbody", "asset", "link"):
        return _TAGS.get(tag, f"<{tag}>")
    return f"{tag} of {section}"


def _text_of(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _place(element: Element) -> str:
    name = f' name="{element.name}"' if element.name else ""
    return f"{element.path}:{element.line}, <{element.tag}{name}>"
