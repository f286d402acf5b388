"""A study: what is simulated, how, how often, and what is kept of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import warnings
import weakref
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

import numpy

from . import _engine
from .convergence import StoppedRun, StopRule, run_until
from .ensemble import Ensemble
from .errors import InputError, Interrupted, MyriadWarning, OutputError, RunFailure
from .estimates import statistic_of
from .files import PathLike, write_text
from .progress import ProgressChoice, Shown
from .result import Result
from .texts import counted, json_text

_SCRATCH, _TABLE_OF_SAMPLES = "myriad-", "samples.csv"  # where the engine reads a study's samples

Range = Union[str, Tuple[int, int]]


class Study:
    """A study, checked, with every name resolved and every default filled in.

    Study("study.json")                        from a file: JSON, comments and trailing commas allowed
    Study("study.json", instances=500)         the same with other values of its keys
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
        _refuse_arrays({**(source if isinstance(source, Mapping) else {}), **keys})
        if independent and samples is None:
            raise InputError("independent", "it is said of samples, and there are none", "give samples, or leave it out")
        self._samples, self._independent = None if samples is None else _columns(samples), independent
        folder = os.fspath(folder) if folder is not None else os.getcwd()
        if isinstance(source, (str, os.PathLike)):
            path, assignments = Path(source), tuple(_assignments(keys))
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
        of_rows, of_design = self._assignments_of_samples()
        try:
            self._engine = _engine.Study.from_text(text, name, folder, [*of_rows, *assignments, *of_design])
        except InputError as error:
            if self._samples is None:
                raise
            raise _of_samples(error, self._table) from None
        for warning in self._engine.warnings:
            warnings.warn(warning, MyriadWarning, stacklevel=3)

    def _assignments_of_samples(self) -> tuple[list[str], list[str]]:
        """How many rows there are, of which replace() may take the first ones; and where they stand."""
        if self._samples is None:
            return [], []
        if not hasattr(self, "_table"):
            scratch = tempfile.mkdtemp(prefix=_SCRATCH)
            self._finalizer = weakref.finalize(self, shutil.rmtree, scratch, True)
            self._table = os.path.join(scratch, _TABLE_OF_SAMPLES)
            _write_table(self._table, self._samples)
        count = len(next(iter(self._samples.values())))
        design = {"kind": "table", "file": self._table, **({"independent": True} if self._independent else {})}
        return [f"instances={count}"], [f"design={json.dumps(design)}"]

    def replace(self, values: Optional[Mapping[str, Any]] = None, /, **keys: Any) -> "Study":
        """The same study with other values: replace({"integrator.step_s": 1e-4}, instances=500). None takes a key away."""
        _refuse_arrays({**(values or {}), **keys})
        text, name, folder, assignments = self._source
        return _remade((text, name, folder, assignments + tuple(_assignments({**(values or {}), **keys}))),
                       self._samples, self._independent)

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
        if too_many_failed not in ("raise", "warn"):
            raise InputError("too_many_failed", f'"{too_many_failed}" is unknown', 'give "raise" or "warn"')
        if check_step is not None and not 1e-9 <= check_step <= 1:
            raise InputError(f"check_step={check_step}", "this is no share of the instances", "give a number from 1e-9 to 1")
        if client is not None:
            return self._run_on(client, out, shards, range if range is not None else shard, too_many_failed, progress, {
                "backend": backend, "devices": devices, "threads": threads, "chunk": chunk, "resume": resume,
                "overwrite": overwrite, "check_step": check_step})
        if shards is not None:
            raise InputError("shards", "there is no client to run them", "give a client, or one shard=(k, shards) here")
        scratch = None
        if out is None:
            if resume:
                raise InputError("resume", "there is no result to go on with", "give its path as out=")
            scratch = tempfile.mkdtemp(prefix="myriad-")
            out = os.path.join(scratch, "result.h5")
        out = _result_path(out)
        shown = Shown(progress)
        try:
            ended = _engine.run(
                self._engine, out, backend, list(devices), threads, chunk, _part(range, ":"), _part(shard, "/"), resume,
                overwrite, 0.0 if check_step is None else check_step, lambda _device, finished: shown.begin(finished), shown,
                lambda text: warnings.warn(text, MyriadWarning, stacklevel=3))
            return self._ended(ended, scratch, too_many_failed)
        except BaseException as error:
            if scratch and getattr(error, "result", None) is None:
                shutil.rmtree(scratch, ignore_errors=True)
            raise
        finally:
            shown.end()

    def _run_on(self, client: Any, out: Optional[PathLike], shards: Optional[int], part: Optional[Range],
                too_many_failed: str, progress: ProgressChoice, options: dict[str, Any]) -> Result:
        from . import cluster

        cluster.check_client(client)
        if part is not None:
            raise InputError("range, shard", "with a client the whole study is run", "leave them out")
        if out is None:
            raise InputError("out", "workers need a place to write to", "give a path in a folder that all workers share")
        out, shown = _result_path(out), Shown(progress)
        try:
            failed = cluster.run_on(client, self, out, shards, options, shown)
        finally:
            shown.end()
        return self._ended({"ending": "complete", "exception": None, "out": out, "instances": self.instances,
                            "finished": self.instances, "failed": failed}, None, too_many_failed)

    def _ended(self, ended: dict[str, Any], scratch: Optional[str], too_many_failed: str) -> Result:
        exception, kept = ended["exception"], f"{ended['finished']:,} of {ended['instances']:,} instances"
        if ended["ending"] == "interrupted":
            where = "nothing is kept of a run without out=" if scratch else f"are finished and kept in {ended['journal']}"
            message = f"{kept} {where}" + ("" if scratch else "; run(out=..., resume=True) goes on")
            if isinstance(exception, KeyboardInterrupt):
                raise Interrupted(message, ended["finished"], ended["instances"], ended["journal"]) from None
            if hasattr(exception, "add_note"):
                exception.add_note(message)
            raise exception
        if ended["ending"] == "stopped_on_failure":
            raise RunFailure("run", f'an instance failed and the study says on_failure "stop"; {kept} are kept in '
                             f"{ended['journal']}", "go on with resume=True and the study's on_failure \"continue\"")
        if exception is not None and not isinstance(exception, KeyboardInterrupt):
            raise exception
        result = Result(ended["out"], scratch=scratch)
        if exception is not None:
            late = Interrupted(f"the run was complete by then: all {ended['instances']:,} instances are in {ended['out']}",
                               ended["finished"], ended["instances"])
            late.result = result
            raise late from None
        if ended["ending"] == "complete" and ended["failed"] > self._engine.allowed_failed_share * ended["instances"]:
            what = (f"{ended['failed']:,} of {ended['instances']:,} instances failed, more than the study allows "
                    f"(allowed_failed_share {self._engine.allowed_failed_share:g}); the result is complete all the same")
            if too_many_failed == "warn":
                warnings.warn(what, MyriadWarning, stacklevel=4)
            else:
                failure = RunFailure("run", what, "look at it as the exception's result, or give "
                                     'too_many_failed="warn" or a larger allowed_failed_share')
                failure.result = result
                raise failure
        return result

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
        return Ensemble(self, _engine.Ensemble.start(self._engine, backend, device, threads, _part(range, ":"),
                                                     _part(shard, "/")))

    def save(self, path: PathLike) -> None:
        """Write the study, with every default, as a file that the program reads. OutputError where that fails or a
        result has that name."""
        if self._samples is not None:
            raise OutputError(os.fspath(path), "the study's samples are arrays, which a study file does not hold",
                              "write them as CSV yourself, and name that file in the study's design")
        write_text(path, self.text + "\n")

    def __reduce__(self) -> tuple:
        return _remade, (self._source, self._samples, self._independent)

    def __repr__(self) -> str:
        step = "adaptive steps" if self.step_s is None else f"step {self.step_s:g} s"
        return (f"Study({self.title or self.system!r}: {counted(self.instances, 'instance')} of {self.system}, "
                f"{self.integrator}, {step}, {self.end_s:g} s)")


def came_from_samples(design: Mapping[str, Any]) -> bool:
    """Whether a result's design is the table that a study's samples were written to, which goes with the study."""
    folder, name = os.path.split(str(design.get("file", "")))
    return name == _TABLE_OF_SAMPLES and os.path.isabs(folder) and os.path.basename(folder).startswith(_SCRATCH)


def _remade(source: tuple, samples: Optional[dict[str, numpy.ndarray]], independent: bool) -> Study:
    made = Study.__new__(Study)
    made._source, made._samples, made._independent = source, samples, independent
    made._read()
    return made


def distribution_of_address(given: Any) -> tuple[str, dict[str, Any]]:
    """Kind and numbers of a distribution as the dictionary of a study has it; "of a table" where it has none."""
    # Beside a distribution may stand the levels of a grid.
    kinds = [key for key in given if key != "levels"] if isinstance(given, dict) else ["of a table"]
    return kinds[0], given[kinds[0]] if isinstance(given, dict) else {}


def _assignments(values: Mapping[str, Any]) -> list[str]:
    return [f"{key}={json_text(value, key)}" for key, value in values.items()]


def _refuse_arrays(keys: Mapping[str, Any]) -> None:
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


def _of_samples(error: InputError, table: str) -> InputError:
    """What the engine says of the table that samples are written to, in words of samples."""
    def said(text: str) -> str:
        for of_table, instead in ((re.escape(f"table({table}, "), "samples("), (re.escape(table), "samples"),
                                  (r"\b(of|to) the table\b", r"\1 the samples"), (r"\bwith a table\b", "with samples"),
                                  (r'\n? *or name the columns to take: "columns": \[\.\.\.\] in the design', "")):
            text = re.sub(of_table, instead, text)
        return text

    if "is also a column of the table" in error.what:
        return InputError(error.where, "the study gives this parameter, and samples give it, too",
                          "leave it out of the study, or take study.with_samples(...), which puts samples in its place")
    return type(error)(*map(said, (error.where, error.what, error.remedy)))


def _part(part: Optional[Range], separator: str) -> Optional[str]:
    if part is None or isinstance(part, str):
        return part
    first, second = part
    return f"{int(first)}{separator}{int(second)}"


def _result_path(out: PathLike) -> str:
    out = os.fspath(out)
    if os.path.splitext(out)[1] not in ("", ".h5", ".hdf5"):
        raise InputError(f"out={out}", "a result is an HDF5 file, and this names another kind",
                         f"write out={os.path.splitext(out)[0]}.h5; Result.to_pandas() makes other formats")
    return out


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
