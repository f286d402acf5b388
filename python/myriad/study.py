"""A study: what is simulated, how, how often, and what is kept of it."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Union

import numpy

from . import _engine
from .convergence import StoppedRun, StopRule, run_until
from .ensemble import Ensemble
from .errors import InputError, MyriadWarning, OutputError
from .estimates import statistic_of
from .files import PathLike, write_text
from .progress import ProgressChoice
from .result import Result
from .runs import Range, part_text, run
from .samples import SampleTable, refuse_arrays
from .texts import counted, json_text


class Study:
    """A study, checked, with every name resolved and every default filled in.

    Study("study.json")                        from a file: JSON, comments and trailing commas allowed
    Study("study.json", instances=500)         the same with other values of its keys
    Study("heavy_top")                         a study that comes with the package, where there is no such file: examples()
    Study({"system": "heavy_top", ...})        from a dictionary with the keys of such a file
    Study(system="heavy_top", integrator={"name": "rk4", "step_s": 1e-4, "end_s": 1.0}, instances=1000,
          parameters={"mass_kg": {"normal": {"mean": 15, "standard_deviation": 0.15}}},
          quantities={"tilt": {"max": "tilt"}})
    Study(mechanism=Mechanism("four_bar.json"), ...)
                                               `mechanism` may be a path, a dictionary or a Mechanism
    Study(..., samples={"mass_kg": array})     parameters from arrays [instance] (or columns of a pandas DataFrame):
                                               row i is instance i; for designs of other packages, and for numbers
                                               that are set while the ensemble is in memory. independent=True says that
                                               the rows were drawn independently, so that statistics have intervals

    `parameters` themselves take numbers and distributions. A keyword that is None takes a key away. `folder` is where
    relative paths in a dictionary begin (default: the current folder). Raises InputError with the JSON path of what is
    wrong, and the nearest name that exists.
    """

    def __init__(self, source: Union[PathLike, Mapping[str, Any], None] = None, /, *,
                 samples: Optional[Mapping[str, Any]] = None, independent: bool = False,
                 folder: Optional[PathLike] = None, **keys: Any) -> None:
        refuse_arrays({**(source if isinstance(source, Mapping) else {}), **keys})
        if independent and samples is None:
            raise InputError("independent", "it is said of samples, and there are none", "give samples, or leave it out")
        self._samples = None if samples is None else SampleTable(samples, independent)
        folder = os.fspath(folder) if folder is not None else os.getcwd()
        if isinstance(source, (str, os.PathLike)):
            path, assignments = Path(_engine.study_file(os.fspath(source))), tuple(_assignments(keys))
            try:
                text = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                _engine.Study.from_file(str(path), [])  # says why
                raise
            # The text is kept: what becomes of the file does not matter.
            self._source = (text, str(path), str(path.resolve().parent), assignments)
        else:
            entries = {key: value for key, value in {**(source or {}), **keys}.items() if value is not None}
            self._source = (json_text(entries, "study"), "study", folder, ())
        self._read()

    def _read(self) -> None:
        text, name, folder, assignments = self._source
        given = list(assignments) if self._samples is None else self._samples.around(assignments)
        try:
            self._engine = _engine.Study.from_text(text, name, folder, given)
        except InputError as error:
            if self._samples is None:
                raise
            raise self._samples.in_words_of_samples(error) from None
        for warning in self._engine.warnings:
            warnings.warn(warning, MyriadWarning, stacklevel=3)

    def replace(self, values: Optional[Mapping[str, Any]] = None, /, **keys: Any) -> "Study":
        """The same study with other values: replace({"integrator.step_s": 1e-4}, instances=500). None takes a key away."""
        refuse_arrays({**(values or {}), **keys})
        text, name, folder, assignments = self._source
        return _remade((text, name, folder, assignments + tuple(_assignments({**(values or {}), **keys}))), self._samples)

    @property
    def instances(self) -> int:
        """How many instances there are."""
        return self._engine.instances

    @property
    def title(self) -> str:
        return self._engine.title

    @property
    def system(self) -> str:
        """The name of the system or mechanism."""
        return self._engine.system

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies, in the order of arrays over bodies."""
        return self._engine.bodies

    @property
    def integrator(self) -> str:
        return self._engine.integrator

    @property
    def end_s(self) -> float:
        """The time that an instance is simulated for, s."""
        return self._engine.end_s

    @property
    def step_s(self) -> Optional[float]:
        """The step, s; None of an adaptive method."""
        return None if self._engine.is_adaptive else self._engine.step_s

    @property
    def coordinates(self) -> Optional[str]:
        """"joint" or "body" of a mechanism; None of a system that is code."""
        return self._engine.coordinates

    @property
    def varied(self) -> dict[str, dict[str, str]]:
        """The parameters that differ from instance to instance: address -> {"unit", "distribution"}."""
        return {one.pop("address"): one for one in self._engine.varied}

    @property
    def quantities(self) -> dict[str, dict[str, str]]:
        """name -> {"unit", "channel"}; of a mode about the equilibrium "mode 1" stands for the channel."""
        return {one.pop("name"): one for one in self._engine.quantities}

    @property
    def channels(self) -> dict[str, dict[str, Any]]:
        """Everything that can be observed: name -> {"unit", "frame", "components", "of_body", "meaning"}."""
        return {one.pop("name"): one for one in self._engine.channels}

    @property
    def channel_addresses(self) -> list[str]:
        """Every address that `observe` and `quantities` take: "position.rod.z", ..."""
        return self._engine.channel_addresses

    @property
    def parameter_addresses(self) -> list[str]:
        """Every number that the study may set or vary."""
        return self._engine.parameter_addresses

    @property
    def text(self) -> str:
        """The whole study with every default, as JSON."""
        return self._engine.canonical_json

    def to_dict(self) -> dict[str, Any]:
        """The whole study with every default, as a dictionary."""
        return json.loads(self.text)

    def sample(self, first: int = 0, count: Optional[int] = None) -> numpy.ndarray:
        """The varied parameters of instances first <= i < first + count: float64 [instance, varied], as `varied` orders
        them. They are those of a run."""
        count = self.instances - first if count is None else count
        if not (0 <= first and 0 <= count and first + count <= self.instances):
            raise InputError("sample", f"instances {first} to {first + count} are not all among {self.instances}",
                             "give a range of the study's instances")
        return self._engine.samples(first, count)

    def run(self, out: Optional[PathLike] = None, *, backend: str = "auto", devices: Sequence[int] = (), threads: int = 0,
            chunk: int = 0, range: Optional[Range] = None, shard: Optional[Range] = None, resume: bool = False,
            overwrite: bool = False, check_step: Optional[float] = None, progress: ProgressChoice = None,
            too_many_failed: str = "raise", client: Optional[Any] = None, shards: Optional[int] = None) -> Result:
        """Run the study and return its Result.

        out             the result file (HDF5); None keeps it in a temporary folder for as long as the Result lives
        backend         "auto" (a GPU, else the processor), "cpu", "cuda" or "reference"
        devices         GPUs by their numbers, (0, 1); none takes all of them
        threads         of the processor; 0 takes all
        chunk           instances that are computed and kept at once; 0 takes as many as last about 10 s
        range, shard    a part of the study: (A, B) or "A:B" is A <= i < B; (K, R) or "K/R" is part K of R
        resume          go on with a run that was interrupted, or that has fewer instances than the study has now
        overwrite       replace a result or an unfinished run of the same name
        check_step      run this share of the instances (0.01) again at half the step, to measure the error of the step
        progress        None shows a bar in a terminal and in a notebook, True wherever it is, False nowhere; a function
                        is called with a Progress about once a second
        too_many_failed "raise" a RunFailure where more instances failed than the study allows, or "warn"
        client          a dask.distributed.Client: its workers run the study as shards, each into a file of its own beside
                        `out`, and `out` becomes the index that shows them all. `out` lies in a folder that the client and
                        all workers see at the same path. `threads` 0 takes those that each worker has
        shards          how many, with a client; None makes four for each worker

        Ctrl-C raises Interrupted; what was finished is kept beside `out`, and resume=True goes on. Where it came after the
        last instance, the exception's `result` is complete. An exception in `progress` ends the run in the same way.
        """
        return run(self, out, range=range, shard=shard, client=client, shards=shards, progress=progress,
                   too_many_failed=too_many_failed, options={
                       "backend": backend, "devices": devices, "threads": threads, "chunk": chunk, "resume": resume,
                       "overwrite": overwrite, "check_step": check_step})

    def run_until(self, quantity: str, out: Optional[PathLike] = None, *, half_width: Optional[float] = None,
                  relative: Optional[float] = None, cap: int, quantile: Optional[float] = None,
                  above: Optional[float] = None, below: Optional[float] = None, minimum: int = 256,
                  confidence: float = 0.95, **options: Any) -> StoppedRun:
        """Run ever more instances until the interval of a statistic of a quantity is narrow enough, or `cap` is reached.

        quantile           0.95: of this quantile; otherwise
        above, below       of the probability above a threshold, below it, or between both; otherwise of the mean
        half_width         at most half the width of the interval, in the unit of the statistic (1 of a probability); or
        relative           the same as a share of the estimate: 0.01
        cap                instances at most; the study's own number of instances does not matter
        minimum            instances of the first look; fewer make the stop less trustworthy
        out, options       those of run(); resume=True goes on with an interrupted run_until() with the same arguments

        The instances are those, bit for bit, of one run of that size. For designs that grow with intervals: monte_carlo,
        sobol, a table with "independent": true. An interval that decides when to stop holds the true value slightly less
        often than `confidence` says. Where the cap ends it, reached is False and `why` says what is missing. Raises
        RunFailure, with the result, where no instance has a value; Interrupted, as run() does, at Ctrl-C: the file of the
        last look stays whole, what was finished since is kept beside it.
        """
        return run_until(self, quantity, statistic_of(quantile, above, below), StopRule(half_width, relative, minimum, cap),
                         confidence, out, options)

    def with_samples(self, samples: Mapping[str, Any], *, independent: bool = False) -> "Study":
        """This study with parameters from arrays [instance] by address (or columns of a pandas DataFrame) in place of its
        design: row i is instance i. For designs of other packages. `independent` says that the rows were drawn
        independently, so that statistics have intervals. Raises InputError where the study varies others as well."""
        entries = {key: value for key, value in self.to_dict().items() if key not in ("design", "instances", "correlations")}
        entries["parameters"] = {address: value for address, value in entries["parameters"].items()
                                 if address not in samples}
        return Study(entries, samples=samples, independent=independent, folder=self._source[2])

    def start(self, *, backend: str = "cpu", device: int = 0, threads: int = 0, range: Optional[Range] = None,
              shard: Optional[Range] = None) -> Ensemble:
        """Begin the instances in memory, to be advanced piece by piece: see Ensemble.

        backend "cuda" keeps them in the memory of the GPU with the number `device`, "auto" does so where there is one.
        """
        return Ensemble(self, _engine.Ensemble.start(self._engine, backend, device, threads, part_text(range, ":"),
                                                     part_text(shard, "/")))

    def save(self, path: PathLike) -> None:
        """Write the study, with every default, as a file that the program reads. OutputError where that fails or a
        result has that name."""
        if self._samples is not None:
            raise OutputError(os.fspath(path), "the study's samples are arrays, which a study file does not hold",
                              "write them as CSV yourself, and name that file in the study's design")
        write_text(path, self.text + "\n")

    def __reduce__(self) -> tuple:
        return _remade, (self._source, self._samples)

    def __repr__(self) -> str:
        step = "adaptive steps" if self.step_s is None else f"step {self.step_s:g} s"
        return (f"Study({self.title or self.system!r}: {counted(self.instances, 'instance')} of {self.system}, "
                f"{self.integrator}, {step}, {self.end_s:g} s)")


def _remade(source: tuple, samples: Optional[SampleTable]) -> Study:
    made = Study.__new__(Study)
    made._source, made._samples = source, samples
    made._read()
    return made


def distribution_of_address(given: Any) -> tuple[str, dict[str, Any]]:
    """Kind and numbers of a distribution as the dictionary of a study has it; "of a table" where it has none."""
    # Beside a distribution may stand the levels of a grid.
    kinds = [key for key in given if key != "levels"] if isinstance(given, dict) else ["of a table"]
    return kinds[0], given[kinds[0]] if isinstance(given, dict) else {}


def _assignments(values: Mapping[str, Any]) -> list[str]:
    return [f"{key}={json_text(value, key)}" for key, value in values.items()]
