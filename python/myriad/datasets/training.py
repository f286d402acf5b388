"""Datasets of PyTorch: a written one, mapped into memory, and one that is simulated while a model trains."""

from __future__ import annotations

import contextlib
import os
import pickle
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Iterator, Optional, Union

import numpy
import torch
from torch.utils.data import IterableDataset, get_worker_info

from ..errors import InputError, MyriadWarning, unknown_name
from ..files import PathLike
from ..study import Study
from .index import read_index

# The largest number of instances of one study.
_MOST_INSTANCES = 10_000_000_000
# Workers of one DataLoader whose passes are counted.
_MOST_WORKERS = 4096

# "id", "parameters", "quantities" -> tensor; "trajectories" -> {channel: tensor}.
Sample = dict[str, Any]


class Samples(torch.utils.data.Dataset):
    """One part of a dataset that datasets.write made with the layout "npy", as PyTorch's DataLoader takes it.

    samples = myriad.datasets.Samples("swings", "train", normalise=True)
    samples[3]              {"id": int64 [], "parameters": [parameter], "trajectories": {"tip": [time, 3]}}
    samples[[3, 5, 8]]      the same with an axis of samples in front: DataLoader(samples, batch_size=None,
                            sampler=BatchSampler(RandomSampler(samples), 256, False)) takes batches this way, far faster

    normalise=True subtracts the mean and divides by the standard deviation (1 where it is 0) of the training part, in the
    dataset's own precision. Files are mapped when they are first looked at, by each process for
    itself; nothing of the simulator is used, so workers may be forked or spawned. Raises InputError for a folder without a
    finished dataset, UnknownName for a part that is not there.
    """

    def __init__(self, folder: PathLike, part: str = "train", *, normalise: bool = False) -> None:
        self.folder, self.part, self.normalise = os.fspath(folder), part, normalise
        self.index = read_index(folder)
        if self.index["layout"] != "npy":
            raise InputError(self.folder, f'its layout is "{self.index["layout"]}"',
                             'Samples reads the layout "npy"; read tar files with the package webdataset, Parquet files with '
                             "LeRobot's own loader")
        if part not in self.index["parts"]:
            raise unknown_name(self.folder, "parts", part, self.index["parts"], "read_index(folder)['parts']")
        shards = self.index["parts"][part]["shards"]
        self._paths = [shard["path"] for shard in shards]
        self._ends = numpy.cumsum([shard["instances"] for shard in shards])
        self._maps: dict[tuple[int, str], numpy.ndarray] = {}
        self._scales = {path: self._scale(path) for path in self.index["columns"]} if normalise else {}

    def _scale(self, path: str) -> Optional[tuple[numpy.ndarray, numpy.ndarray]]:
        about = self.index["normalisation"].get(path)
        if about is None:
            return None
        mean, spread = (numpy.array(about[key], dtype=float) for key in ("mean", "standard_deviation"))
        # A constant column becomes 0; one without any value, whose mean is NaN, stays NaN.
        kind = self.index["dtype"]
        return mean.astype(kind), numpy.where(spread > 0, spread, 1.0).astype(kind)

    @property
    def time_s(self) -> Optional[numpy.ndarray]:
        """float64 [time]: of the trajectories' rows; None without any."""
        return None if self.index["time_s"] is None else numpy.array(self.index["time_s"])

    def __len__(self) -> int:
        return int(self._ends[-1])

    def __getitem__(self, rows: Union[int, Sequence[int], numpy.ndarray, torch.Tensor]) -> Sample:
        wanted = numpy.asarray(rows)
        flat = wanted.reshape(-1).astype(numpy.int64)
        if flat.size and not (-len(self) <= flat.min() and flat.max() < len(self)):
            raise IndexError(f"there are {len(self)} samples in {self.part}")
        flat = numpy.where(flat < 0, flat + len(self), flat)
        shards = numpy.searchsorted(self._ends, flat, side="right")
        return _nested({path: torch.from_numpy(self._rows(path, flat, shards).reshape((*wanted.shape, *self._shape(path))))
                        for path in ("id", *self.index["columns"])})

    def _shape(self, path: str) -> list[int]:
        return [] if path == "id" else self.index["columns"][path]["shape"]

    def _rows(self, path: str, flat: numpy.ndarray, shards: numpy.ndarray) -> numpy.ndarray:
        made = numpy.empty((len(flat), *self._shape(path)), numpy.int64 if path == "id" else self.index["dtype"])
        for shard in numpy.unique(shards):
            mine = shards == shard
            before = self._ends[shard - 1] if shard else 0
            made[mine] = self._map(int(shard), path)[flat[mine] - before]
        scale = self._scales.get(path)
        return made if scale is None else (made - scale[0]) / scale[1]

    def _map(self, shard: int, path: str) -> numpy.ndarray:
        if (shard, path) not in self._maps:
            name = os.path.join(self.folder, self._paths[shard], f"{path}.npy")
            try:
                self._maps[shard, path] = numpy.load(name, mmap_mode="r")
            except (OSError, ValueError) as error:
                raise InputError(name, f"this file of the dataset cannot be read: {error}",
                                 "datasets.read_index(folder, check=True) compares all with their checksums") from None
        return self._maps[shard, path]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_maps": {}}

    def __repr__(self) -> str:
        return f"Samples({self.folder!r}, {self.part!r}: {len(self):,} samples)"


class Simulated(IterableDataset):
    """Fresh instances of a study, simulated while a model trains: samples like those of Samples, from successive ranges of the
    study's instances. None comes twice, and the same seed gives the same ones, with the bits of Study.run.

    for batch in DataLoader(myriad.datasets.Simulated(study, batch=256), batch_size=None): ...
    DataLoader(Simulated(study, batch=256), batch_size=None, num_workers=2, multiprocessing_context="spawn")

    study       of a design without end: monte_carlo or sobol. It may observe channels and have quantities
    batch       samples put together; the last of a pass may be smaller. None gives single ones
    chunk       instances that are simulated at once
    instances   of one pass (epoch): each pass takes the next ones. None is a pass without end, of which there is one
    first       the first instance of the first pass: to go on after a training that was ended
    seed        of the study's design; None keeps the study's own
    threads     of the processor; None takes all, or in workers an equal share
    channels, quantities   names; None takes all that the study keeps
    dtype       "float32" or "float64"

    With several workers each takes every so many-th chunk: the instances of a pass are the same, their order is another, but
    the same again for as many workers. Instances that fail are left out; MyriadWarning says how many where they are more than
    the study allows. A worker must be spawned: a forked one raises DeviceError. Raises InputError for other designs.
    """

    def __init__(self, study: Study, *, batch: Optional[int] = None, chunk: int = 1024, instances: Optional[int] = None,
                 first: int = 0, seed: Optional[int] = None, threads: Optional[int] = None,
                 channels: Optional[Sequence[str]] = None, quantities: Optional[Sequence[str]] = None,
                 dtype: str = "float32", backend: str = "auto") -> None:
        design = study.to_dict().get("design", {}).get("kind")
        if design not in ("monte_carlo", "sobol"):
            raise InputError("design", f'"{design}" has a fixed number of instances, so none are fresh after them',
                             'give the study the design "monte_carlo" or "sobol"')
        for name, value, least in (("batch", batch, 1), ("chunk", chunk, 1), ("instances", instances, 1), ("first", first, 0)):
            if value is not None and value < least:
                raise InputError(f"{name}={value}", "this is too small", f"give {least} or more")
        if dtype not in ("float32", "float64"):
            raise InputError(f"dtype={dtype!r}", "this is unknown", 'give "float32" or "float64"')
        observed = (study.to_dict().get("observe") or {}).get("channels", [])
        self.channels = _names("channels", channels, observed)
        self.quantities = _names("quantities", quantities, study.quantities)
        self.parameters = list(study.varied)
        with _never_in_one_file():
            self.study = study.replace({} if seed is None else {"design.seed": seed}, instances=_MOST_INSTANCES)
        self.batch, self.chunk, self.instances, self.first = batch, chunk, instances, first
        self.threads, self.backend, self.dtype = threads, backend, dtype
        # Passes that each worker has begun. The memory is shared, because a DataLoader copies its dataset into new workers.
        self._passes = torch.zeros(_MOST_WORKERS, dtype=torch.int64).share_memory_()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "study": pickle.dumps(self.study)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        with _never_in_one_file():  # a worker reads the study again
            self.__dict__.update(state, study=pickle.loads(state["study"]))

    def __iter__(self) -> Iterator[Sample]:
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        number = int(self._passes[worker])
        if number and self.instances is None:
            raise InputError("Simulated", "its pass has no end, and a second one would begin with the same instances",
                             "keep one iterator, or say instances=... of a pass")
        self._passes[worker] += 1
        begin = self.first + number * (self.instances or 0)
        end = _MOST_INSTANCES if self.instances is None else begin + self.instances
        if end > _MOST_INSTANCES:
            raise InputError("Simulated", f"instances {begin} to {end} are beyond the {_MOST_INSTANCES} of a study",
                             "go on with another seed and first=0")
        return self._simulated(range(begin + worker * self.chunk, end, workers * self.chunk), end, workers)

    def _simulated(self, firsts: range, end: int, workers: int) -> Iterator[Sample]:
        threads = self.threads or (0 if workers == 1 else max(1, len(os.sched_getaffinity(0)) // workers))
        kept: Optional[dict[str, torch.Tensor]] = None
        for first in firsts:
            rows = self._run(first, min(first + self.chunk, end), threads)
            if self.batch is None:
                yield from (_nested({path: values[row] for path, values in rows.items()}) for row in range(len(rows["id"])))
                continue
            kept = rows if kept is None else {path: torch.cat((kept[path], rows[path])) for path in rows}
            while len(kept["id"]) >= self.batch:
                yield _nested({path: values[:self.batch] for path, values in kept.items()})
                kept = {path: values[self.batch:] for path, values in kept.items()}
        if kept is not None and len(kept["id"]):
            yield _nested(kept)

    def _run(self, first: int, end: int, threads: int) -> dict[str, torch.Tensor]:
        """The instances first <= i < end that ended ok."""
        with self.study.run(range=(first, end), threads=threads, backend=self.backend, progress=False,
                            too_many_failed="warn") as result:
            ok, rows = result.ok, {"id": result.id}
            for path, group, names in (("parameters", result.parameters, self.parameters),
                                       ("quantities", result.quantities, self.quantities)):
                if names:
                    rows[path] = numpy.stack([group[name] for name in names], axis=1)
            rows.update((f"trajectories/{name}", result.trajectories[name]) for name in self.channels)
        return {path: torch.from_numpy(values[ok] if path == "id" else values[ok].astype(self.dtype))
                for path, values in rows.items()}


@contextlib.contextmanager
def _never_in_one_file() -> Iterator[None]:
    """Keeps back what a study says of the size of its trajectories: all its instances never lie in one file here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*: the trajectories take .* GB", MyriadWarning)
        yield


def _names(kind: str, wanted: Optional[Sequence[str]], known: Any) -> list[str]:
    names = list(known) if wanted is None else list(wanted)
    for name in names:
        if name not in known:
            raise unknown_name(f"Simulated, {kind}", f"{kind} that the study keeps", name, known, f"the study's {kind}")
    return names


def _nested(columns: Mapping[str, Any]) -> Sample:
    """Columns by path, with the channels in a dictionary of their own."""
    sample: Sample = {}
    for path, values in columns.items():
        folder, _, name = path.partition("/")
        if name:
            sample.setdefault(folder, {})[name] = values
        else:
            sample[path] = values
    return sample
