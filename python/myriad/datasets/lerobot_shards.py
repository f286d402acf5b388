"""The layout of LeRobot's datasets, version 3.0: Parquet files of frames, one episode for each instance, and the tables in meta/
that LeRobot's loader reads. Parquet is written by pyarrow, which is imported when this layout is used.

    data/chunk-000/file-000.parquet           frames: observation.state, action, observation.environment_state, timestamp, ...
    meta/info.json, stats.json, tasks.parquet, episodes/chunk-000/file-000.parquet

Episodes of a part have consecutive numbers: train begins at 0, then validation, then test, as "splits" in info.json says.
"""

from __future__ import annotations

import json
from typing import Any, Mapping, Sequence

import numpy

from ..errors import InputError
from .shards import Files, HashedFile, Rows, ShardPlan

try:
    import pyarrow
    import pyarrow.parquet
except ModuleNotFoundError as error:
    raise ImportError('the layout "lerobot" needs pyarrow, which is not installed here: pip install pyarrow',
                      name="pyarrow") from error

_FILES_PER_CHUNK = 1000
_TASK = "simulate the mechanism"
# Of a row's time, as a share of the interval: LeRobot's loader takes 1e-4 s.
_TIME_TOLERANCE = 1e-6


class LeRobotShards:
    """A Parquet file for each shard, a row group for each episode."""

    @staticmethod
    def sample_bytes(shapes: Mapping[str, tuple[int, ...]], itemsize: int) -> int:
        rows = _rows_of(shapes)
        of_frame = sum(_width(path, shape) for path, shape in shapes.items() if path != "quantities")
        return rows * (of_frame * itemsize + 36)

    def __init__(self, folder: str, plan: ShardPlan) -> None:
        self._folder, self._plan = folder, plan
        self._features = features_of(plan)
        self._rate = frames_per_second(plan)
        self._rows = _rows_of(plan.shapes)
        self._episode = plan.first_instance

    def begin(self, name: str, count: int) -> str:
        part, number = name.split("/")
        chunk, file = divmod(self._plan.first_shard + int(number), _FILES_PER_CHUNK)
        self._file = HashedFile(self._folder, f"data/chunk-{chunk:03d}/file-{file:03d}.parquet")
        self._writer = None
        return self._file.path

    def add(self, rows: Rows) -> None:
        count, times = len(rows["id"]), self._rows
        episodes = numpy.arange(self._episode, self._episode + count)
        columns: dict[str, pyarrow.Array] = {}
        for name, paths in self._plan.features.items():
            parts = [_frames(path, rows[path], times) for path in paths]
            columns[name] = _column(numpy.concatenate(parts, axis=1))
        frame = numpy.tile(numpy.arange(times), count)
        columns["timestamp"] = pyarrow.array((frame / self._rate).astype("float32"))
        columns["frame_index"] = pyarrow.array(frame)
        columns["episode_index"] = pyarrow.array(numpy.repeat(episodes, times))
        columns["index"] = pyarrow.array(numpy.arange(episodes[0] * times, (episodes[-1] + 1) * times))
        columns["task_index"] = pyarrow.array(numpy.zeros(count * times, dtype="int64"))
        table = pyarrow.table(columns)
        if self._writer is None:
            self._writer = pyarrow.parquet.ParquetWriter(pyarrow.PythonFile(self._file, mode="w"), table.schema)
        self._writer.write_table(table, row_group_size=times)
        self._episode += count

    def end(self) -> Files:
        self._writer.close()
        return self._file.close()


def features_of(plan: ShardPlan) -> dict[str, Any]:
    """As meta/info.json has them."""
    features = {}
    for name, paths in plan.features.items():
        names = [one for path in paths for one in plan.names[path]]
        features[name] = {"dtype": plan.kind.name, "shape": [len(names)], "names": names}
    for name, kind in (("timestamp", "float32"), ("frame_index", "int64"), ("episode_index", "int64"), ("index", "int64"),
                       ("task_index", "int64")):
        features[name] = {"dtype": kind, "shape": [1], "names": None}
    return features


def frames_per_second(plan: ShardPlan) -> int:
    """LeRobot's clock: frame i at i / rate s. Raises InputError for times that have no such rate."""
    if plan.time_s is None:
        raise InputError("channels=()", "an episode of LeRobot is frames over time, and there are none",
                         "name channels, or take another layout")
    times = numpy.asarray(plan.time_s)
    interval = (times[-1] - times[0]) / max(1, len(times) - 1)
    rate = round(1.0 / interval) if interval > 0 else 0
    if not rate or abs(times - numpy.arange(len(times)) / rate).max() > _TIME_TOLERANCE / rate:
        raise InputError("layout='lerobot'", "LeRobot counts frames from 0 at a whole number of them per second, and the rows of "
                         f"this result are at {times[0]:g}, {times[min(1, len(times) - 1)]:g} ... {times[-1]:g} s",
                         'observe every 1/n s ("observe": {"every_s": 0.02}), or take another layout')
    return rate


def write_tables(folder: str, plan: ShardPlan, index: Mapping[str, Any], ids: Mapping[str, Sequence[int]]) -> Files:
    """What is in meta/. `index`: the dataset's own, of which parts and normalisation are taken; `ids`: of each part."""
    rows = _rows_of(plan.shapes)
    episodes: dict[str, list[Any]] = {name: [] for name in (
        "episode_index", "tasks", "length", "data/chunk_index", "data/file_index", "dataset_from_index", "dataset_to_index",
        "meta/episodes/chunk_index", "meta/episodes/file_index", "instance")}
    splits, at, shard = {}, 0, 0
    for name, part in index["parts"].items():
        splits[name] = f"{at}:{at + part['instances']}"
        episodes["instance"].extend(int(one) for one in ids[name])
        for one in part["shards"]:
            chunk, file = divmod(shard, _FILES_PER_CHUNK)
            for _ in range(one["instances"]):
                for column, value in (("episode_index", at), ("tasks", [_TASK]), ("length", rows), ("data/chunk_index", chunk),
                                      ("data/file_index", file), ("dataset_from_index", at * rows),
                                      ("dataset_to_index", (at + 1) * rows), ("meta/episodes/chunk_index", 0),
                                      ("meta/episodes/file_index", 0)):
                    episodes[column].append(value)
                at += 1
            shard += 1
    info = {"codebase_version": "v3.0", "robot_type": None, "total_episodes": at, "total_frames": at * rows, "total_tasks": 1,
            "chunks_size": _FILES_PER_CHUNK, "fps": frames_per_second(plan), "splits": splits,
            "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet", "video_path": None,
            "features": features_of(plan)}
    files: Files = {}
    for path, content in (("meta/info.json", info), ("meta/stats.json", _statistics(plan, index, rows))):
        file = HashedFile(folder, path)
        file.write((json.dumps(content, indent=4, allow_nan=False) + "\n").encode())
        files.update(file.close())
    tasks = pyarrow.table({"task_index": pyarrow.array([0]), "task": pyarrow.array([_TASK])})
    # pandas takes the task as the index of its rows, as LeRobot's own files have it.
    described = {"index_columns": ["task"], "column_indexes": [], "columns": [
        {"name": name, "field_name": name, "pandas_type": kind, "numpy_type": numpy_kind, "metadata": None}
        for name, kind, numpy_kind in (("task_index", "int64", "int64"), ("task", "unicode", "object"))]}
    tasks = tasks.replace_schema_metadata({"pandas": json.dumps(described)})
    for path, table in (("meta/tasks.parquet", tasks), ("meta/episodes/chunk-000/file-000.parquet", pyarrow.table(episodes))):
        file = HashedFile(folder, path)
        pyarrow.parquet.write_table(table, pyarrow.PythonFile(file, mode="w"))
        files.update(file.close())
    return files


def _statistics(plan: ShardPlan, index: Mapping[str, Any], rows: int) -> dict[str, Any]:
    """Over the training part, by LeRobot's names. A component without a finite value has zeros, and its count says so."""
    found = {}
    for name, paths in plan.features.items():
        of = {key: [] for key in ("min", "max", "mean", "standard_deviation", "count")}
        for path in paths:
            about = index["normalisation"][path]
            for key, values in of.items():
                values.extend(0.0 if one is None else one for one in numpy.ravel(numpy.array(about[key], dtype=object)).tolist())
        counts = [int(one) * (rows if paths == ["parameters"] else 1) for one in of["count"]]
        found[name] = {"min": of["min"], "max": of["max"], "mean": of["mean"], "std": of["standard_deviation"],
                       "count": [max(counts)]}
    return found


def _rows_of(shapes: Mapping[str, tuple[int, ...]]) -> int:
    return next((shape[0] for path, shape in shapes.items() if path.startswith("trajectories/")), 1)


def _width(path: str, shape: tuple[int, ...]) -> int:
    return int(numpy.prod(shape if path == "parameters" else shape[1:]))


def _frames(path: str, values: numpy.ndarray, times: int) -> numpy.ndarray:
    """[frame, component] of some episodes."""
    if path == "parameters":
        return numpy.repeat(values, times, axis=0)
    return values.reshape(len(values) * times, -1)


def _column(values: numpy.ndarray) -> pyarrow.Array:
    """[frame, component] as a list of fixed size in each row; one component alone as plain numbers."""
    flat = pyarrow.array(numpy.ascontiguousarray(values).reshape(-1))
    return flat if values.shape[1] == 1 else pyarrow.FixedSizeListArray.from_arrays(flat, values.shape[1])
