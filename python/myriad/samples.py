"""Samples of a study from arrays: checked, written as the table that the engine reads them from, and what the engine says of
that table in words of samples."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import weakref
from typing import Any, Mapping, Sequence

import numpy

from .errors import InputError

_SCRATCH, _TABLE = "myriad-", "samples.csv"  # where the engine reads them


class SampleTable:
    """Parameters from arrays [instance] by their address, in a file that goes with the last study that has them."""

    def __init__(self, samples: Mapping[str, Any], independent: bool) -> None:
        self._columns, self._independent = _columns(samples), independent
        scratch = tempfile.mkdtemp(prefix=_SCRATCH)
        self._finalizer = weakref.finalize(self, shutil.rmtree, scratch, True)
        self._path = os.path.join(scratch, _TABLE)
        _write_table(self._path, self._columns)

    def around(self, assignments: Sequence[str]) -> list[str]:
        """A study's assignments with those of its samples: before them how many rows there are, of which replace() may take
        the first ones; behind them where they stand."""
        count = len(next(iter(self._columns.values())))
        design = {"kind": "table", "file": self._path, **({"independent": True} if self._independent else {})}
        return [f"instances={count}", *assignments, f"design={json.dumps(design)}"]

    def in_words_of_samples(self, error: InputError) -> InputError:
        """What the engine says of the table."""
        def said(text: str) -> str:
            for of_table, instead in ((re.escape(f"table({self._path}, "), "samples("), (re.escape(self._path), "samples"),
                                      (r"\b(of|to) the table\b", r"\1 the samples"), (r"\bwith a table\b", "with samples"),
                                      (r'\n? *or name the columns to take: "columns": \[\.\.\.\] in the design', "")):
                text = re.sub(of_table, instead, text)
            return text

        if "is also a column of the table" in error.what:
            return InputError(error.where, "the study gives this parameter, and samples give it, too",
                              "leave it out of the study, or take study.with_samples(...), which puts samples in its place")
        return type(error)(*map(said, (error.where, error.what, error.remedy)))

    def __reduce__(self) -> tuple:
        return SampleTable, (self._columns, self._independent)


def came_from_samples(design: Mapping[str, Any]) -> bool:
    """Whether a result's design is the table that a study's samples were written to, which goes with the study."""
    folder, name = os.path.split(str(design.get("file", "")))
    return name == _TABLE and os.path.isabs(folder) and os.path.basename(folder).startswith(_SCRATCH)


def refuse_arrays(keys: Mapping[str, Any]) -> None:
    """InputError for an array where a study has the number or the distribution of a parameter: arrays are samples."""
    given = keys.get("parameters")
    found = [(str(name), value) for name, value in given.items()] if isinstance(given, Mapping) else []
    found += [(key[len("parameters."):], value) for key, value in keys.items() if key.startswith("parameters.")]
    for name, value in found:
        if isinstance(value, (list, tuple)) or getattr(value, "ndim", 0):
            shape = numpy.shape(value)
            raise InputError(f'parameters["{name}"]', f"an array of shape {shape} is no number and no distribution",
                             f'arrays are samples: Study(..., samples={{"{name}": [...]}}) without this parameter, or '
                             f'study.with_samples({{"{name}": [...]}}), one number for each instance')


def _columns(samples: Mapping[str, Any]) -> dict[str, numpy.ndarray]:
    """Checked: each a float64 [instance], finite, all of one length."""
    columns: dict[str, numpy.ndarray] = {}
    for name in samples.keys():
        where, given = f'samples["{name}"]', numpy.asarray(samples[name])
        if given.dtype.kind not in "fiu":
            raise InputError(where, f"an array of {given.dtype} is no array of numbers", "give real numbers")
        if given.ndim != 1:
            raise InputError(where, f"the array has the shape {given.shape}", "give one number for each instance")
        columns[str(name)] = column = numpy.array(given, dtype=numpy.float64)
        if not numpy.isfinite(column).all():
            row = int(numpy.flatnonzero(~numpy.isfinite(column))[0])
            raise InputError(f"{where}[{row}]", f"it is {column[row]}", "give finite numbers")
    lengths = {name: len(column) for name, column in columns.items()}
    if not columns or 0 in lengths.values():
        raise InputError("samples", "they hold no instances", "give arrays with one number for each instance")
    if len(set(lengths.values())) > 1:
        raise InputError("samples", "the arrays have different lengths: " +
                         ", ".join(f"{name} {length}" for name, length in lengths.items()),
                         "give each the same number of instances")
    return columns


def _write_table(path: str, columns: Mapping[str, numpy.ndarray]) -> None:
    """Numbers as Python writes them, which the engine reads back to the last bit."""
    with open(path, "w", encoding="utf-8") as table:
        table.write(",".join(f'"{name}"' for name in columns) + "\n")
        for row in zip(*(column.tolist() for column in columns.values())):
            table.write(",".join(map(repr, row)) + "\n")
