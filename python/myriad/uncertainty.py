"""Sensitivity of quantities to parameters, by the designs and estimators of SALib: first-order and total Sobol indices, and
Morris' screening, with intervals. The study says what is uncertain and how; here it is only fed and read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Optional

import numpy

from .errors import InputError, RunFailure
from .result import Result
from .study import Study

if TYPE_CHECKING:
    import pandas

# Morris' levels end at 0 and 1, where the quantiles of unbounded distributions are infinite.
_SCREENED = (0.01, 0.99)


@dataclass
class Sensitivities:
    """Indices of every quantity. `indices[quantity][index]` is float64 [parameter]; "<index>_conf" is half the width of its
    interval, to the confidence asked for."""

    parameters: list[str]
    """addresses, in the order of the arrays"""
    confidence: float
    """of the intervals"""
    indices: dict[str, dict[str, numpy.ndarray]]
    result: Result = field(repr=False)
    """of the run that they come from"""

    def to_pandas(self) -> "pandas.DataFrame":
        """One row for each quantity and parameter."""
        import pandas

        return pandas.concat({quantity: pandas.DataFrame(values, index=pandas.Index(self.parameters, name="parameter"))
                              for quantity, values in self.indices.items()}, names=["quantity"])


def sobol(study: Study, samples: int = 1024, *, seed: Optional[int] = 1, confidence: float = 0.95,
          **options: Any) -> Sensitivities:
    """First-order ("S1") and total ("ST") Sobol indices of all quantities, by Saltelli's design.

    samples      a power of two; the run has samples * (parameters + 2) instances
    options      those of Study.run

    The parameters must be independent: with correlations a variance cannot be shared out, and InputError says so. Every
    instance must end ok, because an estimator cannot leave rows of its design out: RunFailure, with the result, otherwise.
    """
    from SALib.analyze import sobol as analysis
    from SALib.sample import sobol as design

    if samples < 1 or samples & (samples - 1):
        raise InputError(f"samples={samples}", "Sobol's sequence is balanced at powers of two only", "give 1024, 2048, ...")
    problem, quantiles = _problem(study, (0.0, 1.0))
    points = design.sample(problem, samples, calc_second_order=False, seed=seed)
    # Quantiles at 0 and at 1 may be infinite.
    points = numpy.clip(points, 2.0**-53, 1 - 2.0**-53)
    result = _run(study, quantiles, points, options)
    return _analysed(problem, result, confidence, ("S1", "S1_conf", "ST", "ST_conf"),
                     lambda values: analysis.analyze(problem, values, calc_second_order=False, conf_level=confidence,
                                                     seed=seed))


def morris(study: Study, trajectories: int = 50, *, levels: int = 4, seed: Optional[int] = 1, confidence: float = 0.95,
           **options: Any) -> Sensitivities:
    """Morris' screening: "mu", "mu_star" and "sigma" of the elementary effects, which are changes of the quantity over the
    whole range of a parameter, from its 1 % to its 99 % quantile. The run has trajectories * (parameters + 1) instances.

    The rest is as for sobol().
    """
    from SALib.analyze import morris as analysis
    from SALib.sample import morris as design

    problem, quantiles = _problem(study, _SCREENED)
    points = design.sample(problem, trajectories, num_levels=levels, seed=seed)
    result = _run(study, quantiles, points, options)
    # Effects are over differences of the points scaled to 0 .. 1, the range.
    unit = {**problem, "bounds": [[0.0, 1.0]] * problem["num_vars"]}
    scaled = (points - _SCREENED[0]) / (_SCREENED[1] - _SCREENED[0])
    return _analysed(problem, result, confidence, ("mu", "mu_star", "mu_star_conf", "sigma"),
                     lambda values: analysis.analyze(unit, scaled, values, num_levels=levels, conf_level=confidence,
                                                     seed=seed))


def _analysed(problem: dict[str, Any], result: Result, confidence: float, names: tuple[str, ...],
              analyse: Callable[[numpy.ndarray], Any]) -> Sensitivities:
    indices = {}
    for quantity in result.quantities:
        found = analyse(result.quantities[quantity])
        indices[quantity] = {name: numpy.asarray(found[name], dtype=numpy.float64) for name in names}
    return Sensitivities(problem["names"], confidence, indices, result)


def _problem(study: Study, bounds: tuple[float, float]) -> tuple[dict[str, Any], dict[str, Callable]]:
    """SALib's problem in quantiles of the parameters, and the functions from quantiles to values."""
    entries = study.to_dict()
    if entries.get("correlations"):
        raise InputError("correlations", "the indices share a variance out among independent parameters, and these are not",
                         "leave the correlations out, or look at result.statistics of the study itself")
    if not study.quantities:
        raise InputError("quantities", "there is nothing to be sensitive", "let the study have quantities")
    quantiles = {address: _quantile(address, entries["parameters"].get(address)) for address in study.varied}
    if not quantiles:
        raise InputError("parameters", "the study varies none", "give some a distribution")
    names = list(quantiles)
    return {"num_vars": len(names), "names": names, "bounds": [list(bounds)] * len(names)}, quantiles


def _run(study: Study, quantiles: dict[str, Callable], points: numpy.ndarray, options: dict[str, Any]) -> Result:
    entries = {key: value for key, value in study.to_dict().items() if key not in ("design", "instances", "sensitivity")}
    entries["parameters"] = {address: value for address, value in entries["parameters"].items() if address not in quantiles}
    columns = {address: quantile(points[:, i]) for i, (address, quantile) in enumerate(quantiles.items())}
    result = Study(entries, samples=columns).run(**{"too_many_failed": "warn", **options})
    undefined = [name for name in result.quantities if not numpy.isfinite(result.quantities[name]).all()]
    if result.failed or undefined:
        what = (f"{result.failed} of {result.instances} instances failed" if result.failed else
                f"the quantity {undefined[0]} is undefined for some instances")
        failure = RunFailure("sensitivity", f"{what}, and the estimators need every row of their design",
                             "narrow the distributions, or mend what fails: the exception's result has the rows")
        failure.result = result
        raise failure
    return result


def _quantile(address: str, given: Any) -> Callable[[numpy.ndarray], numpy.ndarray]:
    """The quantile function of a distribution of a study."""
    from scipy import stats

    # Beside a distribution may stand the levels of a grid.
    kinds = [key for key in given if key != "levels"] if isinstance(given, dict) else ["of a table"]
    kind = kinds[0]
    numbers: dict[str, Any] = given[kind] if isinstance(given, dict) else {}
    if kind == "uniform":
        return stats.uniform(numbers["low"], numbers["high"] - numbers["low"]).ppf
    if kind == "normal":
        return stats.norm(numbers["mean"], numbers["standard_deviation"]).ppf
    if kind == "truncated_normal":
        mean, deviation = numbers["mean"], numbers["standard_deviation"]
        low, high = numbers.get("low", -numpy.inf), numbers.get("high", numpy.inf)
        return stats.truncnorm((low - mean) / deviation, (high - mean) / deviation, mean, deviation).ppf
    if kind == "lognormal" and "median" in numbers:
        return stats.lognorm(numpy.log(numbers["geometric_standard_deviation"]), scale=numbers["median"]).ppf
    if kind == "lognormal":
        squared = numpy.log1p((numbers["standard_deviation"] / numbers["mean"]) ** 2)
        return stats.lognorm(numpy.sqrt(squared), scale=numbers["mean"] * numpy.exp(-squared / 2)).ppf
    if kind == "triangular":
        low, high = numbers["low"], numbers["high"]
        return stats.triang((numbers["mode"] - low) / (high - low), low, high - low).ppf
    if kind == "beta":
        low = numbers.get("low", 0.0)
        return stats.beta(numbers["alpha"], numbers["beta"], low, numbers.get("high", 1.0) - low).ppf
    raise InputError(f"parameters: {address}", f"the indices are for continuous distributions, and this is {kind}",
                     "give it one of: uniform, normal, truncated_normal, lognormal, triangular, beta")
