"""The shards of a dataset on disk: arrays of NumPy that can be mapped into memory, tar files as WebDataset reads them, or
Parquet files as LeRobot reads them (lerobot_shards.py).

A layout is made for each part with its plan and has begin(name, count), add(rows) as often as there are rows, and end(), which
returns the shard's files. Every byte goes through a checksum on its way to the disk, so nothing is read again.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import os
import tarfile
from typing import Any, Mapping, Optional, Sequence, Union

import numpy

# What one shard's files are: path from the dataset's folder -> size and SHA-256.
Files = dict[str, dict[str, Union[int, str]]]
# Arrays of a sample by their path: "parameters", "trajectories/tip".
Rows = Mapping[str, numpy.ndarray]


@dataclasses.dataclass
class ShardPlan:
    """What the shards of a part hold, and what comes before them in the dataset."""

    shapes: Mapping[str, tuple[int, ...]]    # of a sample's arrays by path
    kind: numpy.dtype
    time_s: Optional[numpy.ndarray]          # of the rows of trajectories
    names: Mapping[str, Sequence[str]]       # of the components of each array, without the time
    features: Mapping[str, Sequence[str]]    # arrays that LeRobot has as one, by its name
    first_instance: int = 0                  # of the dataset's, in the order of parts
    first_shard: int = 0


class HashedFile:
    """A file that is written once from its beginning to its end."""

    def __init__(self, folder: str, path: str) -> None:
        self.path, self._size, self._sum = path, 0, hashlib.sha256()
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        self._file = open(os.path.join(folder, path), "wb")

    closed = False  # as pyarrow asks of a file

    def tell(self) -> int:
        return self._size

    def flush(self) -> None:
        self._file.flush()

    def write(self, data: Any) -> int:
        self._sum.update(data)
        written = self._file.write(data)
        self._size += written
        return written

    def close(self) -> Files:
        self._file.close()
        return {self.path: {"bytes": self._size, "sha256": self._sum.hexdigest()}}


def _header(kind: numpy.dtype, shape: tuple[int, ...]) -> bytes:
    made = io.BytesIO()
    numpy.lib.format.write_array_header_1_0(made, {"descr": numpy.lib.format.dtype_to_descr(kind), "fortran_order": False,
                                                   "shape": shape})
    return made.getvalue()


class NpyShards:
    """A folder for each shard with one .npy file for each array: <part>/<number>/<array>.npy, [row, ...]."""

    @staticmethod
    def sample_bytes(shapes: Mapping[str, tuple[int, ...]], itemsize: int) -> int:
        return 8 + itemsize * numbers_of(shapes)

    def __init__(self, folder: str, _: ShardPlan) -> None:
        self._folder, self._files, self._name, self._count = folder, {}, "", 0

    def begin(self, name: str, count: int) -> str:
        self._files, self._name, self._count = {}, name, count
        return name

    def add(self, rows: Rows) -> None:
        for path, values in rows.items():
            if path not in self._files:
                self._files[path] = HashedFile(self._folder, f"{self._name}/{path}.npy")
                self._files[path].write(_header(values.dtype, (self._count, *values.shape[1:])))
            self._files[path].write(numpy.ascontiguousarray(values).data.cast("B"))

    def end(self) -> Files:
        return {path: about for file in self._files.values() for path, about in file.close().items()}


class WebDatasetShards:
    """A tar file for each shard, a sample's arrays side by side: <id>.parameters.npy, <id>.trajectories.tip.npy. The tar
    files hold no times and no owners, so the same dataset has the same bytes."""

    @staticmethod
    def sample_bytes(shapes: Mapping[str, tuple[int, ...]], itemsize: int) -> int:
        overhead_bytes = 2048  # per array: a header of 512 bytes, one of NumPy, and what fills the last block
        return NpyShards.sample_bytes(shapes, itemsize) + overhead_bytes * (len(shapes) + 1)

    def __init__(self, folder: str, _: ShardPlan) -> None:
        self._folder = folder
        self._file: Optional[HashedFile] = None
        self._tar: Optional[tarfile.TarFile] = None

    def begin(self, name: str, count: int) -> str:
        self._file = HashedFile(self._folder, f"{name}.tar")
        self._tar = tarfile.open(fileobj=self._file, mode="w|", format=tarfile.PAX_FORMAT)
        return self._file.path

    def add(self, rows: Rows) -> None:
        arrays = [(path.replace("/", "."), _header(values.dtype, values.shape[1:]), values)
                  for path, values in rows.items()]
        for row, number in enumerate(rows["id"].tolist()):
            for path, header, values in arrays:
                content = header + values[row].tobytes()
                member = tarfile.TarInfo(f"{number:012d}.{path}.npy")
                member.size = len(content)
                self._tar.addfile(member, io.BytesIO(content))

    def end(self) -> Files:
        self._tar.close()
        return self._file.close()


def numbers_of(shapes: Mapping[str, tuple[int, ...]]) -> int:
    return sum(int(numpy.prod(shape)) for shape in shapes.values())


LAYOUTS = ("npy", "webdataset", "lerobot")


def layout_called(name: str) -> Any:
    if name == "lerobot":
        from .lerobot_shards import LeRobotShards
        return LeRobotShards
    return {"npy": NpyShards, "webdataset": WebDatasetShards}[name]
