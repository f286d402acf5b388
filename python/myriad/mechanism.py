"""A mechanism: bodies, joints, forces and contacts, from a file, a dictionary or keyword arguments."""

from __future__ import annotations

import os
from typing import Any, Mapping, Union

from . import _engine
from .errors import InputError
from .files import write_text
from .texts import counted, freedoms_text, json_text


class Mechanism:
    """A mechanism, checked and assembled once at its nominal numbers.

    Mechanism("four_bar.json")             from a file: JSON, comments and trailing commas allowed
    Mechanism({"bodies": {...}, ...})      from a dictionary with the keys of such a file
    Mechanism(bodies={...}, joints={...})  from its sections as keyword arguments, which also replace a dictionary's

    NumPy numbers and arrays may stand wherever numbers may. Raises InputError with the JSON path of what is wrong.
    """

    def __init__(self, source: Union[str, os.PathLike, Mapping[str, Any], None] = None, /, **sections: Any) -> None:
        if isinstance(source, (str, os.PathLike)):
            if sections:
                raise InputError(str(source), "a file and keyword arguments are given",
                                 "give one of them, or read the file into a dictionary first")
            self._engine = _engine.Mechanism.from_file(os.fspath(source))
        else:
            entries = {**(source or {}), **sections}
            self._engine = _engine.Mechanism.from_text(json_text(entries, "mechanism"), "mechanism")

    @property
    def text(self) -> str:
        """The mechanism as JSON, without comments."""
        return self._engine.text

    @property
    def name(self) -> str:
        return self._engine.name

    @property
    def title(self) -> str:
        return self._engine.title

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies, in the order of arrays over bodies."""
        return self._engine.bodies

    @property
    def joints(self) -> list[str]:
        return self._engine.joints

    @property
    def freedoms(self) -> int:
        """Degrees of freedom at the nominal pose."""
        return self._engine.freedoms

    @property
    def parameters(self) -> dict[str, dict[str, Any]]:
        """Every number that a study may vary: address -> {"unit", "value", "meaning"}."""
        return {one.pop("address"): one for one in self._engine.parameters}

    @property
    def channels(self) -> dict[str, dict[str, Any]]:
        """Everything that can be observed: name -> {"unit", "frame", "components", "of_body", "meaning"}."""
        return {one.pop("name"): one for one in self._engine.channels}

    @property
    def channel_addresses(self) -> list[str]:
        """Every address that `observe` and `quantities` of a study take: "position.rod.z", ..."""
        return self._engine.channel_addresses

    @property
    def warnings(self) -> list[str]:
        return self._engine.warnings

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Write the mechanism as a file that the program reads. OutputError where that fails or a result has that
        name."""
        write_text(path, self.text + "\n")

    def __reduce__(self) -> tuple:
        return _from_text, (self.text,)

    def __repr__(self) -> str:
        return (f"Mechanism({self.title or self.name!r}: {counted(len(self.bodies), 'body', 'bodies')}, "
                f"{counted(len(self.joints), 'joint')}, {freedoms_text(self.freedoms)})")


def _from_text(text: str) -> Mechanism:
    made = Mechanism.__new__(Mechanism)
    made._engine = _engine.Mechanism.from_text(text, "mechanism")
    return made
