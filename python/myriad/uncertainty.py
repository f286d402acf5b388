"""Which parameters a quantity depends on, and how many instances a quantile needs.

sobol, morris   first-order and total Sobol indices, and screening, by the designs and estimators of SALib: they run a design
                of their own, for independent parameters
given_data      importance from a result as it is, whatever its design, also where its parameters are correlated; it says
                what its numbers mean then
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Callable, Optional

import numpy

from . import _engine
from .errors import InputError, RunFailure, required
from .estimates import Sample
from .result import Result
from .study import Study, distribution_of_address

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    import pandas

# Morris' levels end at 0 and 1, where the quantiles of unbounded distributions are infinite.
_SCREENED = (0.01, 0.99)
# A larger condition number of the ranks' correlations: one parameter is a function of others.
_DETERMINED = 1e8


@dataclass
class Sensitivities:
    """Indices of every quantity. `indices[quantity][index]` is float64 [parameter]; "<index>_conf" is half the width of its
    interval to the confidence asked for, "<index>_low" and "<index>_high" are its ends; NaN where there is none."""

    parameters: list[str]
    """addresses, in the order of the arrays"""
    confidence: float
    """of the intervals"""
    indices: dict[str, dict[str, numpy.ndarray]]
    result: Result = field(repr=False)
    """of the run that they come from"""
    correlated: tuple[tuple[str, str], ...] = ()
    """pairs of parameters that are correlated in the instances: each of a pair has what both could stand for"""
    meaning: str = "shares of the variance, for independent parameters"
    """of the indices, in words"""

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
    It needs SALib (pip install SALib): InputError where it is not installed.
    """
    analysis, design = (required(f"SALib.{part}.sobol", "uncertainty.sobol") for part in ("analyze", "sample"))

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
    analysis, design = (required(f"SALib.{part}.morris", "uncertainty.morris") for part in ("analyze", "sample"))

    problem, quantiles = _problem(study, _SCREENED)
    points = design.sample(problem, trajectories, num_levels=levels, seed=seed)
    result = _run(study, quantiles, points, options)
    # Effects are over differences of the points scaled to 0 .. 1, the range.
    unit = {**problem, "bounds": [[0.0, 1.0]] * problem["num_vars"]}
    scaled = (points - _SCREENED[0]) / (_SCREENED[1] - _SCREENED[0])
    return _analysed(problem, result, confidence, ("mu", "mu_star", "mu_star_conf", "sigma"),
                     lambda values: analysis.analyze(unit, scaled, values, num_levels=levels, conf_level=confidence,
                                                     seed=seed))


def given_data(result: Result, *, confidence: float = 0.95, **more: ArrayLike) -> Sensitivities:
    """Importance of every varied parameter for every quantity, from the instances that a result has. Failed instances, and
    those without the quantity, are left out.

    more         further quantities that you computed yourself, by name: numbers [instance], with a row for each failed
                 instance, NaN where there is none. given_data(result, swing_rad=highest - lowest)

    The indices, each float64 [parameter]:

    rank_correlation          Spearman's: +1 or -1 where the quantity only rises or only falls with the parameter
    partial_rank_correlation  the same at fixed ranks of all other parameters, by linear regression of ranks: it tells what a
                              parameter does itself from what it shares with correlated ones, where dependences rise or fall
                              only. It is relative to what the others leave, so that it is large also of a small effect
                              where there is no other; NaN where parameters determine each other, or below 20 instances.
                              With partial_rank_correlation_low and _high, by Fisher's transform for ranks, as of independent
                              instances: wider than they need to be in Latin hypercube and Sobol designs
    first_order               Var(E[quantity | parameter]) / Var(quantity), with first_order_low and first_order_high

    Both correlations of unrelated numbers are of the size 2 / sqrt(instances). Where parameters are independent,
    first_order is Sobol's first-order index, the share of the variance that the parameter explains alone. Where they are
    correlated (`correlated` names the pairs, `meaning` says it) it is the share that knowing the parameter explains,
    including what it tells of the others: the shares overlap, their sum may exceed 1, and a parameter without any effect of
    its own may have a large one. Designs without intervals (a grid, a table not declared independent) have NaN for its ends.
    """
    addresses = list(result.parameters)
    samples = {name: Sample.of_result(result, name) for name in result.quantities} | {
        name: _computed(result, name, values) for name, values in more.items()}
    if not addresses or not samples:
        raise InputError(result.path, "it has no varied parameters" if not addresses else "it has no quantities",
                         "run a study that has both")
    parameters = numpy.array([result.parameters[address] for address in addresses])
    ok = result.ok
    pairs = tuple((addresses[i], addresses[k]) for i, k in _engine.correlated_pairs(parameters, ok.astype(numpy.uint8)))
    indices = {}
    ranked: tuple[Any, Any] = (None, None)  # which instances, and the ranks of the parameters among them
    for quantity, sample in samples.items():
        found = _engine.sensitivities(parameters, sample.values, sample.included, sample.intervals, confidence)
        ends = numpy.array([estimate[:3] for _, estimate in found])
        counted = ok & numpy.isfinite(sample.values)
        if ranked[0] is None or not numpy.array_equal(ranked[0], counted):
            ranked = counted, _ranks(parameters[:, counted])
        partial = _partial(ranked[1], sample.values[counted])
        low, high = _fisher_interval(partial, int(counted.sum()) - (len(addresses) - 1), confidence)
        without = numpy.isnan(ends[:, 1])
        indices[quantity] = {"rank_correlation": numpy.array([rank for rank, _ in found]),
                             "partial_rank_correlation": partial,
                             "partial_rank_correlation_low": numpy.where(without, numpy.nan, low),
                             "partial_rank_correlation_high": numpy.where(without, numpy.nan, high),
                             "first_order": ends[:, 0], "first_order_low": ends[:, 1], "first_order_high": ends[:, 2]}
    meaning = "first_order: shares of the variance that parameters explain alone" if not pairs else (
        "first_order: shares of the variance that knowing one parameter explains, with what it tells of correlated ones "
        f"({'; '.join(f'{one} and {other}' for one, other in pairs)}); they overlap")
    return Sensitivities(addresses, confidence, indices, result, pairs, meaning)


def instances_for_quantile(probability: float, *, confidence: float = 0.95) -> int:
    """The fewest independent instances with which a quantile has an interval at all: 3,688 for 0.999 at 95 %. An interval
    that is of use needs several times as many."""
    return _engine.fewest_for_quantile(probability, confidence)


def _computed(result: Result, name: str, values: ArrayLike) -> Sample:
    """Numbers of the user, as the sample of a quantity of the result."""
    if name in result.quantities:
        raise InputError(f"given_data: {name}", "the result has a quantity of this name", "give yours another name")
    numbers = numpy.asarray(values)
    if numbers.dtype.kind not in "biuf":
        raise InputError(f"given_data: {name}", "these are no real numbers", "give an array of floats")
    if numbers.shape != (result.instances,):
        raise InputError(f"given_data: {name}",
                         f"its shape is {numbers.shape}, and the result has {result.instances} instances",
                         "give one number for each instance, and NaN for a failed one")
    if result.ok.any() and not numpy.isfinite(numbers[result.ok]).any():
        raise InputError(f"given_data: {name}", "no instance that ended well has a number",
                         "give finite numbers where result.ok is true")
    return Sample(numbers, result.ok, result._intervals(), name)


def _ranks(rows: numpy.ndarray) -> numpy.ndarray:
    """Of each row among its own numbers."""
    return _engine.mean_ranks(numpy.ascontiguousarray(rows))


def _partial(ranks_of_parameters: numpy.ndarray, values: numpy.ndarray) -> numpy.ndarray:
    """Partial rank correlations of values [instance] with each of the parameters, whose ranks are [parameter, instance]."""
    count = len(ranks_of_parameters)
    unknown = numpy.full(count, numpy.nan)
    if len(values) < max(20, count + 3):
        return unknown
    ranks = numpy.vstack([ranks_of_parameters, _ranks(values[None, :])])
    varying = numpy.ptp(ranks, axis=1) > 0
    if not varying[-1] or not varying[:-1].any():
        return unknown
    among = numpy.corrcoef(ranks[varying])
    if numpy.linalg.cond(among[:-1, :-1]) > _DETERMINED:
        return unknown
    # A quantity that is a function of the parameters' ranks alone makes the matrix singular; its limit is +-1.
    slopes = numpy.linalg.solve(among[:-1, :-1], among[:-1, -1])
    left = max(1.0 - float(slopes @ among[:-1, -1]), 0.0)
    own = slopes ** 2 / numpy.diag(numpy.linalg.inv(among[:-1, :-1]))
    with numpy.errstate(invalid="ignore"):  # 0 / 0: the others explain all, and it does nothing
        unknown[varying[:-1]] = numpy.sign(slopes) * numpy.sqrt(own / (own + left))
    return unknown


def _fisher_interval(correlations: numpy.ndarray, pairs: int, confidence: float) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Ends of the intervals of rank correlations of so many pairs, of partial ones less the parameters that are held fixed.

    artanh of a rank correlation is nearly normal with the variance 1.06 / (pairs - 3): Fieller, Hartley, Pearson, Tests for
    rank correlation coefficients I, Biometrika 44 (1957).
    """
    if pairs <= 3:
        return numpy.full_like(correlations, numpy.nan), numpy.full_like(correlations, numpy.nan)
    reach = NormalDist().inv_cdf(0.5 + 0.5 * confidence) * math.sqrt(1.06 / (pairs - 3))
    with numpy.errstate(divide="ignore"):  # of +-1: the end is +-1 as well
        middle = numpy.arctanh(correlations)
    return numpy.tanh(middle - reach), numpy.tanh(middle + reach)


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
                         "leave the correlations out, or take given_data(study.run()), which says what it means then")
    if not study.quantities:
        raise InputError("quantities", "there is nothing to be sensitive", "let the study have quantities")
    quantiles = {address: _quantile(address, entries["parameters"].get(address)) for address in study.varied}
    if not quantiles:
        raise InputError("parameters", "the study varies none", "give some a distribution")
    names = list(quantiles)
    return {"num_vars": len(names), "names": names, "bounds": [list(bounds)] * len(names)}, quantiles


def _run(study: Study, quantiles: dict[str, Callable], points: numpy.ndarray, options: dict[str, Any]) -> Result:
    columns = {address: quantile(points[:, i]) for i, (address, quantile) in enumerate(quantiles.items())}
    result = study.with_samples(columns).run(**{"too_many_failed": "warn", **options})
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
    stats = required("scipy.stats", "quantiles of a distribution")
    kind, numbers = distribution_of_address(given)
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
                     "give it one of: uniform, normal, truncated_normal, lognormal, triangular, beta; or take "
                     "given_data(study.run()), which takes any design")
