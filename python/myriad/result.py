"""A result: what a run has kept of its instances, read from its file when it is asked for."""

from __future__ import annotations

import json
import os
import shutil
import weakref
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Optional, Sequence, Union

import numpy

from . import _engine
from .convergence import Convergence, convergence_of
from .distributions import Bins, EmpiricalDistribution, Histogram, distribution_of, histogram_of
from .errors import InputError, unknown_name
from .estimates import Estimate, Sample, statistic_of
from .samples import came_from_samples
from .texts import counted

if TYPE_CHECKING:
    import pandas
    import xarray

    from .study import Study


class Datasets(Mapping[str, numpy.ndarray]):
    """The datasets of one folder of a result, by name. Each look reads the file: keep the array, not the mapping.

    Arrays are NumPy's, [instance, ...], with failed instances among them (Result.ok tells them apart).
    """

    def __init__(self, result: "Result", folder: str, left_out: tuple[str, ...] = ()) -> None:
        self._result, self._folder, self._left_out = result, folder, left_out

    def _path(self, name: str) -> str:
        if name not in self:
            raise unknown_name(self._result.path, f"{self._folder.strip('/')} here", name, self, "list(...)")
        return f"{self._folder}/{name}"

    def __getitem__(self, name: str) -> numpy.ndarray:
        return self._result._read(self._path(name))

    def read(self, name: str, first: int = 0, count: Optional[int] = None) -> numpy.ndarray:
        """Rows first <= i < first + count of a dataset, without reading the others."""
        rows = self._result.instances
        count = rows - first if count is None else count
        if not (0 <= first and 0 <= count and first + count <= rows):
            raise InputError(name, f"rows {first} to {first + count} are not all among {rows}", "give rows of the result")
        return self._result._file.read(self._path(name), first, count)

    def attributes(self, name: str) -> dict[str, Any]:
        """The attributes of a dataset: unit, frame, description, ..."""
        return self._result._file.attributes(self._path(name))

    def unit(self, name: str) -> str:
        """SI units as text: "N m", "1" of a pure number, "" where a study gives none."""
        return self.attributes(name).get("unit", "")

    def shape(self, name: str) -> tuple[int, ...]:
        return tuple(self._result._file.shape(self._path(name)))

    def __contains__(self, name: object) -> bool:
        return f"{self._folder}/{name}" in self._result._paths and name not in self._left_out

    def __iter__(self) -> Iterator[str]:
        beginning = self._folder + "/"
        for path in self._result._paths:
            name = path[len(beginning):]
            if path.startswith(beginning) and "/" not in name and name not in self._left_out:
                yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"{self._folder.strip('/')}: " + (", ".join(f"{name} {self.shape(name)}" for name in self) or "nothing")


class Result:
    """A result file, opened. Nothing but names is read before it is asked for.

    result.quantities["reach_m"]    float64 [instance]
    result.parameters[address]      float64 [instance], what the study varied
    result.trajectories[channel]    float64 [instance, time, ...], where the study observes; result.time_s is [time]
    result.statistics["mean"]       over the instances that ended ok, [quantity]; names in statistics["quantity"]
    result.initial_state, result.final_state
                                    "position" [instance, body, 3] m in the world, "orientation" [instance, body, 4]
                                    (w, x, y, z; body to world), "velocity" m/s in the world, "angular_velocity" rad/s in
                                    the body, "time" [instance] s
    result.certificate              error monitors: residuals, drifts, counts, [instance]
    result.status                   how each instance ended: "ok", "newton_stalled", ... [instance]
    result.to_pandas(), result.to_xarray(), print(result.summary())
    result.mean(quantity), quantile(quantity, 0.999), probability(quantity, above=3.0)
                                    estimates with intervals, which say what they are taken over
    result.histogram(quantity), distribution(quantity), convergence(quantity)
                                    as arrays, and as pandas by their to_pandas()
    result.report("page.html")      one page with tables, plots and an animation, which works offline
    result.extend(instances)        more instances of the same study

    Rows of failed instances are there and flagged; statistics leave them out. One file is read by one thread at a time,
    and not while this process runs a study. An object like this one can be sent to another process: it opens the file
    again there.
    """

    def __init__(self, path: Union[str, os.PathLike], *, scratch: Optional[str] = None) -> None:
        self.path = os.fspath(path)
        self._file = _engine.ResultFile(self.path)
        self._paths = dict.fromkeys(self._file.datasets())
        self._finalizer = weakref.finalize(self, shutil.rmtree, scratch, True) if scratch else None
        self._design_intervals: Optional[Any] = None

    def close(self) -> None:
        """Close the file; reading ends here. A temporary one is removed."""
        self._file.close()
        if self._finalizer:
            self._finalizer()

    def __enter__(self) -> "Result":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def instances(self) -> int:
        """Rows: instances that the file holds."""
        return self._file.instances

    @property
    def id(self) -> numpy.ndarray:
        """int64 [instance]: their numbers in the study, which `replay` takes."""
        return self._file.read("/instance/id")

    @property
    def status(self) -> numpy.ndarray:
        """Text [instance]: "ok", or how the instance failed."""
        names = numpy.array(self._file.attributes("/instance/status")["names"])
        return names[self._file.read("/instance/status")]

    @property
    def ok(self) -> numpy.ndarray:
        """bool [instance]: ended ok."""
        return self._file.read("/instance/status") == 0

    @property
    def failed(self) -> int:
        """How many instances did not end ok."""
        return int((~self.ok).sum())

    @property
    def warnings(self) -> list[str]:
        """What the run warned of, a sentence each with the number of instances; empty where there is nothing."""
        return list(self.attributes.get("warnings", []))

    @property
    def quantities(self) -> Datasets:
        return Datasets(self, "/quantities")

    @property
    def parameters(self) -> Datasets:
        return Datasets(self, "/parameters")

    @property
    def trajectories(self) -> Datasets:
        return Datasets(self, "/trajectory", ("time",))

    @property
    def time_s(self) -> Optional[numpy.ndarray]:
        """The times of the rows of trajectories, s: [time], the same of all instances; None without any."""
        return self._file.read("/trajectory/time") if "/trajectory/time" in self._paths else None

    @property
    def initial_state(self) -> Datasets:
        return Datasets(self, "/state/initial")

    @property
    def final_state(self) -> Datasets:
        return Datasets(self, "/state/final")

    @property
    def certificate(self) -> Datasets:
        return Datasets(self, "/instance/certificate")

    @property
    def statistics(self) -> Datasets:
        return Datasets(self, "/statistics")

    @property
    def attributes(self) -> dict[str, Any]:
        """About the file: study, seed, integrator, precision, version, commit, compiler, device, wall time, ..."""
        return self._file.attributes("/")

    @property
    def datasets(self) -> list[str]:
        """The paths of all datasets, as h5py sees them."""
        return list(self._paths)

    def read(self, path: str) -> numpy.ndarray:
        """A dataset by its path: read("/instance/failed_time_s")."""
        if path not in self._paths:
            raise unknown_name(self.path, "datasets", path, self._paths, "result.datasets")
        return self._read(path)

    def _read(self, path: str) -> numpy.ndarray:
        values = self._file.read(path)
        if isinstance(values, list):
            return numpy.array(values, dtype=object).reshape(self._file.shape(path))
        return values

    def summary(self) -> str:
        """The statistics of all quantities with their intervals, as the program prints them."""
        head = counted(self.instances, "instance") + (f", {self.failed:,} of them failed" if self.failed else "") + "\n"
        head += "".join(f"warning: {warning}\n" for warning in self.warnings)
        return head + (self._file.statistics_text() or "")

    def to_pandas(self) -> "pandas.DataFrame":
        """One row for each instance: status, varied parameters, quantities. `attrs["units"]` has the units."""
        import pandas

        columns: dict[str, Any] = {"status": pandas.Categorical(self.status)}
        units: dict[str, str] = {}
        for group in (self.parameters, self.quantities):
            for name in group:
                column = name if name not in columns else f"{group._folder.strip('/')}.{name}"
                columns[column], units[column] = group[name], group.unit(name)
        frame = pandas.DataFrame(columns, index=pandas.Index(self.id, name="instance"))
        frame.attrs["units"] = units
        return frame

    def to_xarray(self) -> "xarray.Dataset":
        """Everything by instance: parameters, quantities and status [instance], trajectories [instance, time, ...] with
        the bodies' and components' names as coordinates; units as attributes."""
        import xarray

        variables: dict[str, Any] = {}
        coordinates: dict[str, Any] = {"instance": ("instance", self.id)}
        time = self.time_s
        if time is not None:
            coordinates["time"] = ("time", time, {"unit": "s"})
        variables["status"] = ("instance", self.status)
        groups = (self.parameters, self.quantities, self.trajectories)
        axes = [(group, name, self._axes(group, name)) for group in groups for name in group]
        owners = _owners([axis for _, _, some in axes for axis in some])
        for group, name, some in axes:
            dimensions = ["instance"]
            for label, places in some:
                plain = places is None or owners.get(label) == places
                dimensions.append(label if plain else f"{label}_of_{name}")
                if places is not None:
                    coordinates[dimensions[-1]] = (dimensions[-1], list(places))
            about = {key: value for key, value in group.attributes(name).items() if key not in _LABELS.values()}
            variable = name if name not in variables else f"{group._folder.strip('/')}.{name}"
            variables[variable] = (tuple(dimensions), group[name], about)
        return xarray.Dataset(variables, coordinates, {"title": str(self.attributes.get("title", ""))})

    def _axes(self, group: Datasets, name: str) -> list[tuple[str, Optional[tuple[str, ...]]]]:
        """Label and named places of each axis behind that of the instances."""
        about = group.attributes(name)
        axes: list[tuple[str, Optional[tuple[str, ...]]]] = []
        for label, scale in self._file.dimensions(f"{group._folder}/{name}")[1:]:
            kind = label.split("_")[0]  # of other components than x, y, z the file has the names in the label
            label = kind if kind in _LABELS else label
            places = about.get(_LABELS.get(label, ""))
            if places is None and scale and label != "time":
                named = self._read(scale)
                places = named if named.dtype == object else None
            axes.append((label, None if places is None else tuple(places)))
        return axes

    def extend(self, instances: int, **options: Any) -> "Result":
        """Run the same study on until it has so many instances, in the same file, and return this result with all of
        them: the bits are those of a run with as many from the start. `options` are those of Study.run, without `out`.

        For designs whose first instances do not depend on how many there are: monte_carlo, sobol, and a table with that
        many rows. Raises InputError for others, for a smaller number and for a file of another version of the engine; the
        file is then as it was. Interrupted, it goes on when it is called again. A study with samples goes on by
        Study.run with longer arrays and `resume=True`.
        """
        from .study import Study

        about = self.attributes
        build, ours = (about.get("program_version"), about.get("program_commit")), (_engine.version, _engine.commit)
        if build != ours:
            raise InputError(f"{self.path}: extend", "it was computed by another build, myriad "
                             f"{build[0]}-{build[1]}, this is myriad {ours[0]}-{ours[1]}: their bits may differ",
                             "extend it by that build, or run the study again with as many instances")
        folder = os.path.dirname(os.path.abspath(str(about.get("study_file", ""))))
        try:
            study = Study(json.loads(about["study"]), instances=instances, folder=folder)
            self._grow(study, {"too_many_failed": "warn", **options, "resume": True})
        except InputError as error:
            design = json.loads(about["study"]).get("design", {})
            if not came_from_samples(design) or design["file"] not in str(error):
                raise
            raise InputError(f"{self.path}: extend", "the samples of this result were arrays, which its file does not name",
                             "run the study with longer arrays: Study(..., samples=longer).run(path, resume=True)") from None
        return self

    def _grow(self, study: "Study", options: dict[str, Any]) -> None:
        """Run the study, which is this one with more instances, on in the same file."""
        ran = study.run(self.path, **options)
        self._file, self._paths = ran._file, ran._paths

    def _intervals(self) -> Any:
        """The conclusions that the study's design allows about errors of sampling."""
        if self._design_intervals is None:
            self._design_intervals = _engine.Intervals.of_study(self.attributes["study"], f"{self.path} (study)")
        return self._design_intervals

    def mean(self, quantity: str, *, confidence: float = 0.95) -> Estimate:
        """The mean of a quantity over the instances that have it, with its interval."""
        return Sample.of_result(self, quantity).estimate(statistic_of(), confidence)

    def quantile(self, quantity: str, probability: float, *, confidence: float = 0.95) -> Estimate:
        """The value below which this share of the instances lies, 0 < probability < 1, with an interval that assumes
        nothing about the distribution. It needs instances on both sides: without enough of them there is no interval, and
        the remark says how many would do; uncertainty.instances_for_quantile(0.999) says it beforehand."""
        return Sample.of_result(self, quantity).estimate(statistic_of(quantile=probability), confidence)

    def probability(self, quantity: str, *, above: Optional[float] = None, below: Optional[float] = None,
                    confidence: float = 0.95) -> Estimate:
        """The probability that a quantity lies above a threshold, below one, or, with both, between them; thresholds in
        its unit, ends excluded. It is the share of the instances that ended ok, with Clopper's and Pearson's interval;
        failed ones are left out and counted, and those without a value count as outside."""
        if above is None and below is None:
            raise InputError("probability", "there is no threshold", "give above, below, or both for what lies between")
        return Sample.of_result(self, quantity).estimate(statistic_of(above=above, below=below), confidence)

    def histogram(self, quantity: str, bins: Bins = "freedman_diaconis") -> Histogram:
        """Counts and density of a quantity in bins: a rule ("freedman_diaconis", "scott", "sturges"), a number of bins of
        equal width, or their edges in the quantity's unit. Raises InputError where a rule asks for more than 10,000 bins."""
        return histogram_of(Sample.of_result(self, quantity), bins)

    def distribution(self, quantity: str, *, confidence: float = 0.95) -> EmpiricalDistribution:
        """The empirical distribution function of a quantity, with a band for the whole true one."""
        return distribution_of(Sample.of_result(self, quantity), confidence)

    def convergence(self, quantity: str, *, quantile: Optional[float] = None, above: Optional[float] = None,
                    below: Optional[float] = None, sizes: Optional[Sequence[int]] = None,
                    confidence: float = 0.95) -> Convergence:
        """How the mean of a quantity, its quantile or its probability above or below a threshold settles: estimates from
        the first instances, at these numbers of them (None: two for each doubling)."""
        return convergence_of(Sample.of_result(self, quantity), statistic_of(quantile, above, below), confidence, sizes)

    def report(self, path: Union[str, os.PathLike], *, animation: Optional[bool] = None,
               overwrite: bool = False) -> str:
        """Write one page about this result that works offline, with tables, plots and an animation: report.write."""
        from .report import write

        return write(self, path, animation=animation, overwrite=overwrite)

    def __reduce__(self) -> tuple:
        return Result, (self.path,)

    def __repr__(self) -> str:
        parts = [counted(len(self.quantities), "quantity", "quantities"),
                 counted(len(self.parameters), "varied parameter")]
        if len(self.trajectories):
            rows = self._file.shape("/trajectory/time")[-1]
            parts.append(f"{counted(len(self.trajectories), 'trajectory', 'trajectories')} of {counted(rows, 'row')}")
        return f"Result({self.path!r}: {counted(self.instances, 'instance')}, {', '.join(parts)})"


# The attribute of a dataset that names the places along an axis.
_LABELS = {"body": "bodies", "component": "components"}


def _owners(axes: list[tuple[str, Optional[tuple[str, ...]]]]) -> dict[str, tuple[str, ...]]:
    """Whose places an axis of each label stands for: those most variables have, of as many the shortest (x, y, z)."""
    counts = Counter((label, places) for label, places in axes if places is not None)
    return dict(sorted(counts, key=lambda axis: (counts[axis], -len(axis[1]))))


def merge(parts: Iterable[Union[str, os.PathLike]], out: Union[str, os.PathLike], *, link: bool = False,
          overwrite: bool = False) -> Result:
    """Put the results of all ranges or shards of a study together, in any order: the datasets of one run, bit for bit.

    link        show the parts' rows instead of copying them; the parts stay, in the folder of `out` or below
    overwrite   replace a result of the same name

    Raises InputError where instances are missing or there twice, or where a part belongs to another run.
    """
    _engine.merge([os.fspath(part) for part in parts], os.fspath(out), link, overwrite)
    return Result(out)


def open(path: Union[str, os.PathLike]) -> Result:
    """Open a result file. Raises InputError for a file that is none, or is damaged."""
    return Result(path)
