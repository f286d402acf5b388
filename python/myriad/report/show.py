"""One page with a picture of a mechanism and its parts."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Optional, Union

from ..mechanism import Mechanism
from ..texts import freedoms_text
from . import tables
from .page import check_place, picture_page, save
from .picture import picture_of_mechanism


def show(mechanism: Union[Mechanism, str, os.PathLike, Mapping[str, Any]],
         path: Union[str, os.PathLike, None] = None, *, overwrite: bool = False) -> str:
    """Draw a mechanism as its file describes it, at the start of a run, on one page; returns the page's path.

    mechanism   a Mechanism, a file, or a dictionary with the keys of such a file
    path        of the page; by default the mechanism's name with .html, in the current folder
    overwrite   replace a file that is no page of Myriad; a page is replaced without

    It needs no plotly. Raises InputError for what is no mechanism, where its bodies cannot be put together, and for a
    path that does not end in .html; OutputError where the page cannot be written.
    """
    made = mechanism if isinstance(mechanism, Mechanism) else Mechanism(mechanism)
    where = path if path is not None else f"{made.name}.html"
    check_place(where, overwrite)
    entries = json.loads(made.text)
    values = made.parameters
    bodies = [(name, float(values[f"bodies.{name}.mass_kg"]["value"])) for name in made.bodies]
    sections = [("Bodies", tables.table(("body", "mass [kg]"), bodies,
                                        f"{freedoms_text(made.freedoms)} at this pose."))]
    for key in ("joints", "forces", "contacts", "drivers", "couplings"):
        if entries.get(key):
            sections.append((key.capitalize(), tables.table(("name", "type", "between"), [
                (name, str(one.get("type", "")), _between(one)) for name, one in entries[key].items()])))
    return save(where, picture_page(made.title or made.name, picture_of_mechanism(made), sections))


def _between(entry: Mapping[str, Any]) -> str:
    found: Optional[Any] = entry.get("bodies") or entry.get("body") or entry.get("joints") or entry.get("joint")
    return ", ".join(map(str, found)) if isinstance(found, list) else str(found or "")
