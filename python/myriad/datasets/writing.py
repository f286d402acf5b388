"""Writes a result as a dataset: block by block into the shards of its parts, and the index last."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import shutil
from typing import Any, Iterator, Optional, Sequence

import numpy

from .. import _engine
from ..errors import InputError, OutputError, unknown_name
from ..files import PathLike
from ..result import Result
from .index import INDEX
from .shards import LAYOUTS, Rows, ShardPlan, layout_called, numbers_of
from .split import PARTS, SPLIT_RULE, part_of, shares_of
from .statistics import Moments

# Of the result that is read at once; a few such blocks exist side by side.
_BLOCK_BYTES = 4e6


def write(result: Result, folder: PathLike, *, channels: Optional[Sequence[str]] = None,
          parameters: Optional[Sequence[str]] = None, quantities: Sequence[str] = (), dtype: str = "float32",
          fractions: Sequence[float] = (0.8, 0.1, 0.1), split_seed: int = 0, shard_MB: float = 64.0,
          layout: str = "npy", actions: Sequence[str] = ()) -> dict[str, Any]:
    """Write the instances of a result that ended ok as a dataset, and return its index, which is also folder/index.json.

    folder       a new or an empty one
    channels     of result.trajectories; None takes all, () none
    parameters   of result.parameters; None takes all, () none
    quantities   of result.quantities; where one has no value it is NaN
    dtype        "float32" or "float64"
    fractions    shares of train, validation and test, which sum to 1; a share of 0 leaves that part out. Which part an
                 instance is in follows from its number and `split_seed` alone, so it stays there when the study is extended
    shard_MB     size of a shard, 1e6 bytes; a sample is never divided
    layout       "npy": arrays that Samples maps into memory; "webdataset": tar files for the package of this name; "lerobot":
                 Parquet files and tables as LeRobot 3.0 reads them, an episode for each instance; needs pyarrow
    actions      lerobot alone: the channels that are its "action"; the others are "observation.state", the parameters
                 "observation.environment_state"

    A sample has the arrays "id" (int64, the instance's number in its study), "parameters" [parameter], "quantities"
    [quantity] and "trajectories/<channel>" [time, ...]; the index has the times as "time_s". Its "normalisation" has mean,
    standard deviation, min and max over the training part alone, of float64 before rounding: of each parameter and
    quantity, and of each component of a channel over all times. The index is written last: a folder without it is unfinished.

    Reads the result block by block and never holds more than a few of them. Raises InputError for a part that stays empty,
    a result without trajectories, no instance that ended ok, a folder that is not empty; UnknownName for names; OutputError
    where the disk refuses; what was written is then removed.
    """
    folder = os.fspath(folder)
    kind = _one_of("dtype", dtype, ("float32", "float64"))
    shards_of = layout_called(_one_of("layout", layout, LAYOUTS))
    if not shard_MB > 0:
        raise InputError(f"shard_MB={shard_MB}", "a shard of this size holds nothing", "give a positive number of MB")
    source = _Source(result, channels, parameters, quantities, numpy.dtype(kind).newbyteorder("<"))
    plan = _plan(result, source, actions, layout)
    ids, ok = result.id, result.ok
    parts = part_of(ids, fractions, split_seed)
    counts = _counts(result, parts, ok, fractions)
    made = not os.path.isdir(folder)
    _refuse_what_is_there(folder)
    try:
        os.makedirs(folder, exist_ok=True)
        per_shard = max(1, int(shard_MB * 1e6 // shards_of.sample_bytes(source.shapes, source.kind.itemsize)))
        parts_made: dict[str, _Part] = {}
        for name in PARTS:
            if counts[name]:
                parts_made[name] = _Part(shards_of(folder, plan), name, counts[name], per_shard)
                plan = dataclasses.replace(plan, first_instance=plan.first_instance + counts[name],
                                           first_shard=plan.first_shard + -(-counts[name] // per_shard))
        moments: dict[str, Moments] = {path: Moments(shape) for path, shape in source.columns.items()}
        for first, count in _blocks(result.instances, source.sample_numbers()):
            rows = slice(first, first + count)
            _write_block(source.read(first, count, ids[rows]), source.kind, parts[rows], ok[rows], parts_made, moments)
        index = _index(result, source, fractions, split_seed, layout, parts_made, moments, ids, ok)
        if layout == "lerobot":
            from .lerobot_shards import write_tables
            index["files"] = write_tables(folder, plan, index, {name: ids[ok & (parts == PARTS.index(name))]
                                                                for name in parts_made})
        with open(os.path.join(folder, INDEX), "w", encoding="utf-8") as file:
            file.write(json.dumps(index, indent=1, allow_nan=False) + "\n")
    except BaseException as error:
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            path = os.path.join(folder, name)
            shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.remove(path)
        if made:
            shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError) and not isinstance(error, OutputError):
            raise OutputError(folder, f"the dataset could not be written: {error.strerror or error}",
                              "look at the disk's free space and the folder's permissions") from error
        raise
    return index


class _Source:
    """What is taken of a result: columns by their path, without the axis of instances."""

    def __init__(self, result: Result, channels: Optional[Sequence[str]], parameters: Optional[Sequence[str]],
                 quantities: Sequence[str], kind: numpy.dtype) -> None:
        self.result, self.kind = result, kind
        self.parameters = _chosen("parameters", parameters, result.parameters)
        self.quantities = _chosen("quantities", quantities, result.quantities)
        if not len(result.trajectories) and (channels is None or len(channels)):
            raise InputError(result.path, "the result has no trajectories",
                             'let the study keep some ("observe": {"every_s": 0.01, "channels": [...]}), or give channels=()')
        self.channels = _chosen("channels", channels, result.trajectories)
        self.columns: dict[str, tuple[int, ...]] = {}  # those with statistics: the shape of which
        self.shapes: dict[str, tuple[int, ...]] = {}
        for name, chosen in (("parameters", self.parameters), ("quantities", self.quantities)):
            if chosen:
                self.shapes[name] = self.columns[name] = (len(chosen),)
        self.time_s = result.time_s if self.channels else None
        for name in self.channels:
            self.shapes[f"trajectories/{name}"] = shape = result.trajectories.shape(name)[1:]
            self.columns[f"trajectories/{name}"] = shape[1:]
        if not self.columns:
            raise InputError("channels, parameters", "nothing is left to write", "name channels, parameters or quantities")

    def sample_numbers(self) -> int:
        return 1 + numbers_of(self.shapes)

    def read(self, first: int, count: int, ids: numpy.ndarray) -> dict[str, numpy.ndarray]:
        """Rows of every column, float64, and "id"."""
        result = self.result
        rows: dict[str, numpy.ndarray] = {"id": ids}
        for path, group, names in (("parameters", result.parameters, self.parameters),
                                   ("quantities", result.quantities, self.quantities)):
            if names:
                rows[path] = numpy.stack([group.read(name, first, count).astype(numpy.float64) for name in names], axis=1)
        for name in self.channels:
            rows[f"trajectories/{name}"] = result.trajectories.read(name, first, count)
        return rows


def _plan(result: Result, source: _Source, actions: Sequence[str], layout: str) -> ShardPlan:
    if actions and layout != "lerobot":
        raise InputError(f"actions={list(actions)}", f'the layout "{layout}" has no actions', 'leave them out, or take "lerobot"')
    acting = [f"trajectories/{name}" for name in _chosen("channels", actions, source.channels)]
    names: dict[str, Sequence[str]] = {"parameters": source.parameters, "quantities": source.quantities}
    for name in source.channels:
        about = result.trajectories.attributes(name)
        axes = [[str(one) for one in about[key]] for key in ("bodies", "components") if key in about]
        shape = source.columns[f"trajectories/{name}"]
        if [len(axis) for axis in axes] != list(shape):
            axes = [[str(i) for i in range(width)] for width in shape]
        names[f"trajectories/{name}"] = [".".join((name, *one)) for one in itertools.product(*axes)]
    states = [f"trajectories/{name}" for name in source.channels if f"trajectories/{name}" not in acting]
    features = {"observation.state": states, "action": acting,
                "observation.environment_state": ["parameters"] if source.parameters else []}
    return ShardPlan(source.shapes, source.kind, source.time_s, names, {name: paths for name, paths in features.items() if paths})


class _Part:
    """Writes one part, shard after shard."""

    def __init__(self, layout: Any, name: str, count: int, per_shard: int) -> None:
        self._layout, self._name, self.count, self._per_shard = layout, name, count, per_shard
        self._written, self._open = 0, 0  # rows; those of the present shard that are still to come
        self.shards: list[dict[str, Any]] = []

    def add(self, rows: Rows) -> None:
        at, count = 0, len(rows["id"])
        while at < count:
            if not self._open:
                self._open = min(self._per_shard, self.count - self._written)
                path = self._layout.begin(f"{self._name}/{len(self.shards):05d}", self._open)
                self.shards.append({"path": path, "instances": self._open})
            taken = min(self._open, count - at)
            self._layout.add({path: values[at:at + taken] for path, values in rows.items()})
            at, self._written, self._open = at + taken, self._written + taken, self._open - taken
            if not self._open:
                self.shards[-1]["files"] = self._layout.end()


def _write_block(rows: dict[str, numpy.ndarray], kind: numpy.dtype, parts: numpy.ndarray, ok: numpy.ndarray,
                 made: dict[str, _Part], moments: dict[str, Moments]) -> None:
    for number, name in enumerate(PARTS):
        chosen = ok & (parts == number)
        if not chosen.any():
            continue
        taken = {path: values[chosen] for path, values in rows.items()}
        if name == "train":
            for path, of_column in moments.items():
                of_column.add(taken[path])
        with numpy.errstate(over="ignore"):  # float32 has infinities where float64 has larger numbers
            made[name].add({path: values if path == "id" else values.astype(kind) for path, values in taken.items()})


def _index(result: Result, source: _Source, fractions: Sequence[float], split_seed: int, layout: str,
           parts: dict[str, _Part], moments: dict[str, Moments], ids: numpy.ndarray, ok: numpy.ndarray) -> dict[str, Any]:
    about, statuses = result.attributes, result.status
    columns: dict[str, Any] = {}
    for path, group, names in (("parameters", result.parameters, source.parameters),
                               ("quantities", result.quantities, source.quantities)):
        if names:
            columns[path] = {"shape": list(source.shapes[path]), "names": names, "units": [group.unit(name) for name in names]}
    for name in source.channels:
        attributes = result.trajectories.attributes(name)
        columns[f"trajectories/{name}"] = {"shape": list(source.shapes[f"trajectories/{name}"]), **{
            key: list(value) if isinstance(value, (list, tuple, numpy.ndarray)) else value
            for key, value in attributes.items() if key in ("unit", "frame", "bodies", "components")}}
    left_out = {str(status): ids[statuses == status].tolist() for status in numpy.unique(statuses[~ok])}
    return {
        "format": "myriad dataset", "schema_version": 1, "layout": layout, "dtype": source.kind.name, "columns": columns,
        "time_s": None if source.time_s is None else source.time_s.tolist(),
        "split": {"rule": SPLIT_RULE, "seed": int(split_seed), "fractions": dict(zip(PARTS, shares_of(fractions)))},
        "parts": {name: {"instances": part.count, "shards": part.shards} for name, part in parts.items()},
        "left_out": {"count": int((~ok).sum()), "ids_by_status": left_out},
        "normalisation": {"over": "the instances of train, float64", **{path: of_column.to_dict()
                                                                        for path, of_column in moments.items()}},
        "provenance": {"result_instances": result.instances, "package_version": _engine.version,
                       "numpy_version": numpy.__version__, **{key: about[key] for key in (
                           "study", "study_fingerprint", "seed", "program_version", "program_commit", "device", "compiler",
                           "precision", "first_instance", "study_instances") if key in about}}}


def _counts(result: Result, parts: numpy.ndarray, ok: numpy.ndarray, fractions: Sequence[float]) -> dict[str, int]:
    if not ok.any():
        raise InputError(result.path, f"none of the {result.instances:,} instances ended ok",
                         "result.status says how they failed")
    counts = {name: int((ok & (parts == number)).sum()) for number, name in enumerate(PARTS)}
    for name, share in zip(PARTS, shares_of(fractions)):
        if share and not counts[name]:
            raise InputError(f"fractions={tuple(fractions)}",
                             f"the part {name} is empty: none of the {int(ok.sum()):,} instances that ended ok falls into it",
                             "give another split_seed, other fractions (0 leaves a part out) or a result with more instances")
    return counts


def _chosen(kind: str, wanted: Optional[Sequence[str]], there: Any) -> list[str]:
    if isinstance(wanted, str):
        raise InputError(f'{kind}="{wanted}"', "a list of names is expected", f'write {kind}=["{wanted}"]')
    known = list(there)
    names = known if wanted is None else list(dict.fromkeys(wanted))
    for name in names:
        if name not in there:
            attribute = "trajectories" if kind == "channels" else kind
            raise unknown_name(f"datasets.write, {kind}", kind, name, known, f"list(result.{attribute})")
    return names


def _one_of(argument: str, value: str, known: Any) -> str:
    if value not in known:
        raise InputError(f"{argument}={value!r}", "this is unknown", "give " + " or ".join(f'"{one}"' for one in known))
    return value


def _refuse_what_is_there(folder: str) -> None:
    if os.path.isdir(folder) and os.listdir(folder) or os.path.isfile(folder):
        raise InputError(folder, "there is something at this place already", "name a new or an empty folder, or remove it")


def _blocks(instances: int, sample_numbers: int) -> Iterator[tuple[int, int]]:
    count = max(1, int(_BLOCK_BYTES // (8 * sample_numbers)))
    return ((first, min(count, instances - first)) for first in range(0, instances, count))
