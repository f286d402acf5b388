"""Python's objects as JSON that the engine reads; numbers of things in words."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy

from .errors import InputError


def json_text(value: Any, where: str) -> str:
    """JSON of dictionaries, lists, numbers and texts, with NumPy's among them; InputError at `where` for others."""

    def plain(other: Any) -> Any:
        if isinstance(other, numpy.generic):
            return other.item()
        if isinstance(other, numpy.ndarray):
            return other.tolist()
        if isinstance(other, os.PathLike):
            return os.fspath(other)
        if hasattr(other, "text") and hasattr(other, "freedoms"):  # a Mechanism
            return json.loads(other.text)
        raise InputError(where, f"a {type(other).__name__} is nothing that JSON holds",
                         "give numbers, texts, lists, dictionaries and NumPy arrays")

    try:
        return json.dumps(value, default=plain, allow_nan=False)
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(where, "it holds NaN or an infinity", "give finite numbers") from None
    except TypeError as error:
        raise InputError(where, str(error), "give texts as keys") from None


def counted(number: int, thing: str, things: str = "") -> str:
    """ "1 body", "2 bodies": a number with its noun, whose plural is `things`, or has an s."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def freedoms_text(number: int) -> str:
    return counted(number, "degree of freedom", "degrees of freedom")
