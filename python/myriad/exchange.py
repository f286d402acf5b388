"""To and from other packages: SALib's problems and arrays, functions and distributions of OpenTURNS, Dakota's tabular files,
CSV. Columns that come from elsewhere become instances by Study.with_samples(), by address:

    columns = myriad.exchange.read_dakota("design.dat", columns={"m": "mass_kg", "w": "rate_rad_s"})
    result = study.with_samples(columns).run()
    myriad.exchange.write_dakota(result, "results.dat")

Failed instances are kept in every format: their quantities are NaN ("nan" in files).
"""

from __future__ import annotations

import csv
import math
import os
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Optional, Sequence, Union

import numpy

from .errors import InputError, required, unknown_name
from .files import PathLike, write_file
from .result import Result
from .study import Study, distribution_of_address

if TYPE_CHECKING:
    import openturns

# Which columns of a file to take; a mapping gives them other names, addresses as a rule.
Columns = Union[Sequence[str], Mapping[str, str], None]

_SALIB_TAKES = "normal, uniform, truncated_normal, lognormal and triangular (with its high end not below 0)"


def salib_problem(study: Study) -> dict[str, Any]:
    """The varied parameters of a study as a problem of SALib, in the values of the parameters: "num_vars", "names"
    (addresses), "bounds" and "dists". Its designs become instances by study.with_samples(dict(zip(problem["names"],
    design.T))). Raises InputError for correlated parameters and for distributions that SALib does not have."""
    distributions = _distributions(study)
    if study.to_dict().get("correlations"):
        raise InputError("correlations", "a problem of SALib has independent parameters", "leave the correlations out")
    made = [_to_salib(address, *distribution) for address, distribution in distributions.items()]
    return {"num_vars": len(made), "names": list(distributions), "bounds": [bounds for _, bounds in made],
            "dists": [kind for kind, _ in made]}


def parameters_of_salib(problem: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The `parameters` of a study from a problem of SALib whose names are addresses: names -> distributions. Raises
    InputError for groups, and for distributions that a study does not have (logunif, weibull)."""
    if problem.get("groups") and len(set(problem["groups"])) < len(problem["names"]):
        raise InputError("groups", "a study has no groups of parameters", "leave them out")
    kinds = problem.get("dists") or ["unif"] * len(problem["names"])
    return {name: _from_salib(name, kind, [float(bound) for bound in bounds])
            for name, kind, bounds in zip(problem["names"], kinds, problem["bounds"])}


def salib_arrays(result: Result, quantity: str) -> tuple[numpy.ndarray, numpy.ndarray]:
    """What SALib's analyses take: the parameters, float64 [instance, parameter] in the order of result.parameters, and the
    quantity, float64 [instance], NaN of failed instances. Leave rows with NaN out where an analysis takes any rows (delta,
    pawn, rbd_fast); where it takes a design of its own (sobol, morris) none may be missing."""
    addresses = list(result.parameters)
    columns = [result.parameters[address] for address in addresses]
    return (numpy.column_stack(columns) if columns else numpy.empty((result.instances, 0))), _values(result, quantity)


def openturns_function(study: Study, quantities: Optional[Sequence[str]] = None, **options: Any) -> "openturns.Function":
    """The study as a function of OpenTURNS, from its varied parameters to its quantities (or to these of them), which runs
    a whole sample at once; a single point costs a run, too. Inputs and outputs bear their names.

    Rows of failed instances are NaN, and MyriadWarning says how many where more failed than the study allows. `options`
    are those of Study.run; there is no bar unless progress=True."""
    openturns = required("openturns", "exchange.openturns_function")

    addresses = list(study.varied)
    names = list(study.quantities if quantities is None else quantities)
    for name in names:
        if name not in study.quantities:
            raise unknown_name("openturns_function", "quantities of the study", name, study.quantities, "study.quantities")
    if not addresses or not names:
        raise InputError("openturns_function", "the study varies no parameter" if not addresses else
                         "the study has no quantities", "a function needs both")
    settings = {"progress": False, "too_many_failed": "warn", **options}

    def of_sample(points: Any) -> numpy.ndarray:
        rows = numpy.asarray(points, dtype=numpy.float64).reshape(-1, len(addresses))
        with study.with_samples(dict(zip(addresses, rows.T))).run(**settings) as result:
            return numpy.column_stack([_values(result, name) for name in names])

    function = openturns.PythonFunction(len(addresses), len(names), func_sample=of_sample)
    function.setInputDescription(addresses)
    function.setOutputDescription(names)
    return function


def openturns_distribution(study: Study) -> "openturns.Distribution":
    """The joint distribution of the varied parameters of a study for OpenTURNS, correlations by the normal copula that the
    study has. Raises InputError for a table, which has no distributions."""
    openturns = required("openturns", "exchange.openturns_distribution")

    distributions = _distributions(study)
    marginals = [_to_openturns(openturns, address, *distribution) for address, distribution in distributions.items()]
    place = {address: i for i, address in enumerate(distributions)}
    matrix = openturns.CorrelationMatrix(len(marginals))
    for one in study.to_dict().get("correlations") or []:
        first, second = (place[address] for address in one["between"])
        matrix[first, second] = one["correlation"]
    joint = getattr(openturns, "JointDistribution", None) or openturns.ComposedDistribution
    made = joint(marginals, openturns.NormalCopula(matrix))
    made.setDescription(list(distributions))
    return made


def write_csv(result: Result, path: PathLike) -> None:
    """One row for each instance: instance, status, varied parameters, quantities, under a line with their names. Numbers
    are written so that reading gives the same bits. Raises OutputError where an HDF5 file, as results are, has that
    name."""
    columns = _result_columns(result)
    write_file(path, lambda file: csv.writer(file, lineterminator="\n").writerows(
        [["instance", "status", *columns], *zip(result.id.tolist(), result.status.tolist(),
                                                *(map(repr, column.tolist()) for column in columns.values()))]))


def read_csv(path: PathLike, columns: Columns = None) -> dict[str, numpy.ndarray]:
    """Columns of numbers under a line with their names, by name: float64 [row] each. `columns` chooses some, or gives them
    other names: {"m": "mass_kg"}. Raises InputError, with row and column, for what is no number."""
    rows = list(_lines(path, lambda file: csv.reader(file, skipinitialspace=True)))
    return _chosen(path, rows[0][1] if rows else [], rows[1:], columns)


def write_dakota(result: Result, path: PathLike) -> None:
    """Dakota's annotated tabular file: %eval_id (the instance's number and 1), interface (NO_ID), varied parameters,
    quantities. Failed instances have "nan" for their quantities. Raises OutputError as write_csv() does."""
    columns = _result_columns(result)
    for name in columns:
        if any(character.isspace() for character in name):
            raise InputError(f'"{name}"', "a name with a space cannot stand in a file of Dakota", "name it otherwise")

    def write(file: Any) -> None:
        file.write(" ".join(["%eval_id", "interface", *columns]) + "\n")
        for instance, *row in zip(result.id.tolist(), *(column.tolist() for column in columns.values())):
            file.write(" ".join([str(instance + 1), "NO_ID", *map(repr, row)]) + "\n")

    write_file(path, write)


def read_dakota(path: PathLike, columns: Columns = None) -> dict[str, numpy.ndarray]:
    """Variables and responses of Dakota's tabular file, by name: float64 [evaluation] each. The file has a line with names,
    as annotated files do; evaluation and interface ids are left out, and may be missing. `columns` is as for read_csv."""
    rows = list(_lines(path, lambda file: (line.split() for line in file)))
    header = rows[0][1] if rows else []
    names = [name.lstrip("%") for name in header]
    ids = {i for i, name in enumerate(names) if name in ("eval_id", "interface")}
    if header[:1] == ["%"]:
        raise InputError(f"{os.fspath(path)}:1", 'the "%" stands alone', 'write it before the first name, as "%eval_id"')

    def kept(row: list[str]) -> list[str]:
        return [one for i, one in enumerate(row) if i not in ids]

    return _chosen(path, kept(names), [(number, kept(row)) for number, row in rows[1:]], columns)


def _values(result: Result, quantity: str) -> numpy.ndarray:
    return numpy.where(result.ok, result.quantities[quantity], numpy.nan)


def _result_columns(result: Result) -> dict[str, numpy.ndarray]:
    """Parameters and quantities by the names of to_pandas()."""
    columns = {name: result.parameters[name] for name in result.parameters}
    for name in result.quantities:
        columns[name if name not in columns else f"quantities.{name}"] = _values(result, name)
    return columns


def _lines(path: PathLike, split: Any) -> Iterable[tuple[int, list[str]]]:
    """The lines that are not empty, each with its number."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            yield from ((number, row) for number, row in enumerate(split(file), 1) if row)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(os.fspath(path), f"it cannot be read: {getattr(error, 'strerror', None) or error}",
                         "give a file of text") from error


def _chosen(path: PathLike, header: list[str], rows: list[tuple[int, list[str]]],
            columns: Columns) -> dict[str, numpy.ndarray]:
    where = os.fspath(path)
    if not header:
        raise InputError(where, "it is empty", "give a file with a line of names and lines of numbers")
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise InputError(f"{where}:1", f'two columns are named "{twice}"', "name one otherwise")
    wanted = (dict(columns) if isinstance(columns, Mapping) else {name: name for name in columns or header})
    for name in wanted:
        if name not in header:
            raise unknown_name(where, "columns", name, header, "the file's first line")
    for number, row in rows:
        if len(row) != len(header):
            raise InputError(f"{where}:{number}", f"{len(row)} columns under {len(header)} names", "give one for each name")
    return {new: numpy.array([_number(where, number, name, row[place]) for number, row in rows])
            for name, new in wanted.items() for place in [header.index(name)]}


def _number(where: str, line: int, name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{where}:{line}", f'"{text}" in the column "{name}" is no number',
                         "name the columns that you want by columns=[...]") from None


def _distributions(study: Study) -> dict[str, tuple[str, dict[str, Any]]]:
    """Kind and numbers by address."""
    given = study.to_dict()["parameters"]
    found = {address: distribution_of_address(given.get(address)) for address in study.varied}
    for address, (kind, _) in found.items():
        if kind == "of a table":
            raise InputError(f"parameters: {address}", "it comes from a table, which has no distributions",
                             "take result.parameters, or a study with distributions")
    if not found:
        raise InputError("parameters", "the study varies none", "give some a distribution")
    return found


def _by_logarithm(numbers: Mapping[str, float]) -> tuple[float, float]:
    """Mean and standard deviation of the logarithm of a lognormal parameter."""
    if "median" in numbers:
        return math.log(numbers["median"]), math.log(numbers["geometric_standard_deviation"])
    squared = math.log1p((numbers["standard_deviation"] / numbers["mean"]) ** 2)
    return math.log(numbers["mean"]) - squared / 2, math.sqrt(squared)


def _to_salib(address: str, kind: str, numbers: Mapping[str, Any]) -> tuple[str, list[float]]:
    if kind == "uniform":
        return "unif", [numbers["low"], numbers["high"]]
    if kind == "normal":
        return "norm", [numbers["mean"], numbers["standard_deviation"]]
    if kind == "truncated_normal":
        return "truncnorm", [numbers.get("low", -math.inf), numbers.get("high", math.inf), numbers["mean"],
                             numbers["standard_deviation"]]
    if kind == "lognormal":
        return "lognorm", list(_by_logarithm(numbers))
    if kind == "triangular" and numbers["high"] >= 0.0:
        low, high = numbers["low"], numbers["high"]
        if numbers["mode"] < high:  # SALib has no peak at the high end
            return "triang", [low, high, (numbers["mode"] - low) / (high - low)]
    raise InputError(f"parameters: {address}", f"SALib has no {kind} distribution like this one",
                     f"it has {_SALIB_TAKES}; uncertainty.sobol(study) takes every continuous distribution of a study")


def _from_salib(name: str, kind: str, bounds: Sequence[float]) -> dict[str, Any]:
    if kind == "unif":
        return {"uniform": {"low": bounds[0], "high": bounds[1]}}
    if kind == "norm":
        return {"normal": {"mean": bounds[0], "standard_deviation": bounds[1]}}
    if kind == "truncnorm":
        ends = {key: bound for key, bound in zip(("low", "high"), bounds) if math.isfinite(bound)}
        return {"truncated_normal": {"mean": bounds[2], "standard_deviation": bounds[3], **ends}}
    if kind == "lognorm":
        return {"lognormal": {"median": math.exp(bounds[0]), "geometric_standard_deviation": math.exp(bounds[1])}}
    if kind == "triang" and len(bounds) == 3:
        low, high, peak = bounds
        return {"triangular": {"low": low, "high": high, "mode": low + peak * (high - low)}}
    raise InputError(f"dists: {name}", f'a study has no distribution like "{kind}" with {len(bounds)} bounds',
                     "give unif, norm, truncnorm, lognorm or triang, or samples by study.with_samples()")


def _to_openturns(openturns: Any, address: str, kind: str, numbers: Mapping[str, Any]) -> Any:
    if kind == "uniform":
        return openturns.Uniform(numbers["low"], numbers["high"])
    if kind == "normal":
        return openturns.Normal(numbers["mean"], numbers["standard_deviation"])
    if kind == "truncated_normal":
        whole = openturns.Normal(numbers["mean"], numbers["standard_deviation"])
        if "low" not in numbers and "high" not in numbers:
            return whole
        if "high" not in numbers:
            return openturns.TruncatedDistribution(whole, numbers["low"], openturns.TruncatedDistribution.LOWER)
        if "low" not in numbers:
            return openturns.TruncatedDistribution(whole, numbers["high"], openturns.TruncatedDistribution.UPPER)
        return openturns.TruncatedDistribution(whole, numbers["low"], numbers["high"])
    if kind == "lognormal":
        return openturns.LogNormal(*_by_logarithm(numbers), 0.0)
    if kind == "triangular":
        return openturns.Triangular(numbers["low"], numbers["mode"], numbers["high"])
    if kind == "beta":
        return openturns.Beta(numbers["alpha"], numbers["beta"], numbers.get("low", 0.0), numbers.get("high", 1.0))
    if kind == "discrete":
        weights = numbers.get("weights") or [1.0] * len(numbers["values"])
        return openturns.UserDefined([[value] for value in numbers["values"]], [weight / sum(weights) for weight in weights])
    raise InputError(f"parameters: {address}", f"there is no {kind} distribution in OpenTURNS", "give it another one")
