"""One page with a picture of a mechanism and its parts."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Optional, Union

from ..mechanism import Mechanism
from . import tables
from .page import picture_page, save
from .picture import picture_of_mechanism


def show(mechanism: Union[Mechanism, str, os.PathLike, Mapping[str, Any]],
         path: Union[str, os.PathLike, None] = None) -> str:
    """Draw a mechanism as its file describes it, at the start of a run, on one page; returns the page's path.

    mechanism   a Mechanism, a file, or a dictionary with the keys of such a file
    path        of the page; by default the mechanism's name with .html, in the current folder

    It needs no plotly. Raises InputError for what is no mechanism, and where its bodies cannot be put together.
    """
    made = mechanism if isinstance(mechanism, Mechanism) else Mechanism(mechanism)
    entries = json.loads(made.text)
    values = made.parameters
    bodies = [(name, float(values[f"bodies.{name}.mass_kg"]["value"])) for name in made.bodies]
    sections = [("Bodies", tables.table(("body", "mass [kg]"), bodies,
                                        f"{made.freedoms} degrees of freedom at this pose."))]
    for key in ("joints", "forces", "contacts", "drivers", "couplings"):
        if entries.get(key):
            sections.append((key.capitalize(), tables.table(("name", "type", "between"), [
                (name, str(one.get("type", "")), _between(one)) for name, one in entries[key].items()])))
    where = path if path is not None else f"{made.name}.html"
    return save(where, picture_page(made.title or made.name, picture_of_mechanism(made), sections))


def _between(entry: Mapping[str, Any]) -> str:
    found: Optional[Any] = entry.get("bodies") or entry.get("body") or entry.get("joints") or entry.get("joint")
    return ", ".join(map(str, found)) if isinstance(found, list) else str(found or "")
