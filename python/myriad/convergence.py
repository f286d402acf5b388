"""How an estimate settles as instances are added, and runs that go on until its interval is narrow enough.

Looking at growing sets of the same instances is honest as a picture. As a rule that decides when to stop it favours sets
whose interval happens to be narrow: such intervals hold the true value slightly less often than their confidence says. A
first look at enough instances and growth by a quarter at least, by four times at most, keep the loss small; for a normal
quantity it is measured in tests/python/test_convergence.py.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy

from . import _engine
from .errors import InputError, RunFailure, unknown_name
from .estimates import Estimate, Sample, Statistic

if TYPE_CHECKING:
    import pandas

    from .result import Result
    from .study import Study

# The smallest set that is looked at unasked.
_FEWEST = 16
# From look to look the instances grow by one of these factors, or one between.
_LEAST_GROWTH, _MOST_GROWTH = 1.25, 4.0
# More than the half width asks for, so that one more look suffices as a rule.
_RESERVE = 1.1


@dataclass(frozen=True)
class Convergence:
    """Estimates of one statistic from growing numbers of instances, in the order of their ids. All arrays are [look].

    instances        int64: how many were looked at, failed ones included
    count, failed    int64: of these have counted; have failed
    value, low, high, half_width, standard_error
                     float64, in the statistic's unit; NaN where the estimate has none
    """

    quantity: str
    statistic: str
    unit: str
    confidence: float
    instances: numpy.ndarray
    count: numpy.ndarray
    failed: numpy.ndarray
    value: numpy.ndarray
    low: numpy.ndarray
    high: numpy.ndarray
    half_width: numpy.ndarray
    standard_error: numpy.ndarray

    def to_pandas(self) -> "pandas.DataFrame":
        """One row for each look, by the number of instances."""
        import pandas

        frame = pandas.DataFrame({name: getattr(self, name) for name in _COLUMNS},
                                 index=pandas.Index(self.instances, name="instances"))
        frame.attrs.update(quantity=self.quantity, statistic=self.statistic, unit=self.unit, confidence=self.confidence)
        return frame


_COLUMNS = ("count", "failed", "value", "low", "high", "half_width", "standard_error")


@dataclass(frozen=True)
class StoppedRun:
    """What run_until() has come to. `print()` says all of it.

    result     of all instances that were run
    estimate   of the statistic, from them
    reached    whether the interval is as narrow as was asked for
    why        it stopped, in words
    looks      the estimates at which it was decided to go on or to stop
    """

    result: "Result" = field(repr=False)
    estimate: Estimate
    reached: bool
    why: str
    looks: Convergence

    def __str__(self) -> str:
        text = f"{self.estimate}\n  {'reached' if self.reached else 'not reached'}: {self.why}"
        count = len(self.looks.instances)
        if self.reached and count > 1:
            text += (f"\n  after {count} looks: an interval that decides when to stop holds the true value slightly less "
                     f"often than in {100 * self.estimate.confidence:g} % of studies")
        return text


def convergence_of(sample: Sample, statistic: Statistic, confidence: float,
                   sizes: Optional[Sequence[int]] = None) -> Convergence:
    total = len(sample.values)
    if sizes is None:
        wanted = _balanced_sizes(sample, total)
    else:
        given = numpy.asarray(sizes)
        if (given.ndim != 1 or not len(given) or given.dtype.kind not in "iu" or not 1 <= given[0] <= given[-1] <= total
                or (given[1:] <= given[:-1]).any()):
            raise InputError("sizes", f"they are no ascending numbers of instances among the {total:,} of the result",
                             f"give whole numbers from 1 to {total}, each larger than the one before")
        wanted = given.tolist()
    return _table(sample.estimates(statistic, confidence, wanted), wanted)


def _balanced_sizes(sample: Sample, total: int) -> list[int]:
    """Two for each doubling; of a sobol design those at which every replicate is balanced."""
    if sample.intervals.is_replicated:
        sizes = [sample.intervals.replicates << k for k in range(1, 64) if sample.intervals.replicates << k < total]
    else:
        halvings = int(2 * math.log2(max(1.0, total / _FEWEST)))
        sizes = [round(total / 2 ** (k / 2)) for k in range(halvings, 0, -1)]
    return sorted({*sizes, total})


def _table(estimates: list[Estimate], sizes: list[int]) -> Convergence:
    columns = {name: numpy.array([getattr(one, name) for one in estimates],
                                 dtype=numpy.int64 if name in ("count", "failed") else numpy.float64) for name in _COLUMNS}
    last = estimates[-1]
    return Convergence(last.quantity, last.statistic, last.unit, last.confidence, numpy.array(sizes, dtype=numpy.int64),
                       **columns)


@dataclass(frozen=True)
class StopRule:
    """An interval's half width is to be at most `half_width`, in the statistic's unit, or `relative` times its value."""

    half_width: Optional[float]
    relative: Optional[float]
    minimum: int
    cap: int

    def __post_init__(self) -> None:
        given = [one for one in (self.half_width, self.relative) if one is not None]
        if len(given) != 1:
            raise InputError("run_until", "the width to reach is " + ("given twice" if given else "missing"),
                             "give half_width, in the unit of the statistic, or relative, a share of its value")
        if self.half_width is not None and not 0.0 < self.half_width < math.inf:
            raise InputError(f"half_width={self.half_width}", "no interval becomes this narrow", "give a positive number")
        if self.relative is not None and not 0.0 < self.relative < 1.0:
            raise InputError(f"relative={self.relative}", "this is no share of a value that an interval could have",
                             "give a number between 0 and 1: 0.01 for one per cent")
        if self.minimum < 2:
            raise InputError(f"minimum={self.minimum}", "so few instances have no interval",
                             "give at least 2, better 100 or more")
        if self.cap < self.minimum:
            raise InputError(f"cap={self.cap}", f"it is less than the {self.minimum:,} instances of the first look",
                             "give a larger cap or a smaller minimum")

    def target(self, estimate: Estimate) -> float:
        return self.relative * abs(estimate.value) if self.relative is not None else self.half_width or 0.0

    def is_met(self, estimate: Estimate) -> bool:
        return estimate.half_width <= self.target(estimate)

    def first_size(self, intervals: Any, statistic: Statistic, confidence: float) -> int:
        """Instances of the first look: where an interval of a quantile can exist, at least."""
        size = self.minimum
        if statistic.quantile is not None:
            size = max(size, _engine.fewest_for_quantile(statistic.quantile, confidence))
        return min(_balanced(size, intervals), self.cap)

    def next_size(self, estimate: Estimate, size: int, intervals: Any) -> int:
        """Instances of the next look. Intervals narrow as 1 / sqrt(instances), those of sobol designs at least so."""
        target, factor = self.target(estimate), _MOST_GROWTH
        if target > 0.0 and estimate.half_width < 2.0 * target:
            factor = max(_LEAST_GROWTH, min(_MOST_GROWTH, _RESERVE * (estimate.half_width / target) ** 2))
        return min(_balanced(math.ceil(size * factor), intervals), self.cap)

    def verdict(self, estimate: Estimate) -> str:
        """Why it ends here."""
        width = (f"half the width of the interval is {estimate.half_width:.3g}" if not math.isnan(estimate.low) else
                 f"there is no interval ({estimate.remark})")
        asked = (f"{self.half_width:g} was asked for" if self.half_width is not None else
                 f"{self.relative:g} of the value, {self.target(estimate):.3g}, was asked for")
        text = f"{width}, and {asked}"
        if self.is_met(estimate):
            return text + ("; all values are equal as far as the interval shows" if estimate.half_width == 0.0 else "")
        if self.relative is not None and estimate.low <= 0.0 <= estimate.high:
            text += "; the interval holds zero, a share of which no interval can reach: give half_width"
        return f"{text}; {self.cap:,} instances are the cap"


def _balanced(size: int, intervals: Any) -> int:
    """Not less than `size`; of a sobol design a power of two in each replicate."""
    if not intervals.is_replicated:
        return size
    return intervals.replicates << max(1, math.ceil(math.log2(size / intervals.replicates)))


def _begun(study: "Study", out: Any) -> "Result":
    """The result that is there already, of the first instances of the same study."""
    from .result import Result

    begun = Result(out)
    instances, about = begun.instances, begun.attributes
    same = study.replace(instances=instances)._engine.fingerprint
    if about["study_instances"] != instances or not about["study_fingerprint"].startswith(same):
        raise InputError(os.fspath(out), "it is the result of another study, or of a part of one",
                         "give another out, or overwrite=True in place of resume=True")
    return begun


def run_until(study: "Study", quantity: str, statistic: Statistic, rule: StopRule, confidence: float,
              out: Optional[Any], options: dict[str, Any]) -> StoppedRun:
    if quantity not in study.quantities:
        raise unknown_name("run_until", "quantities of the study", quantity, study.quantities, "study.quantities")
    refused = sorted({"range", "shard"} & set(options))
    if refused:
        raise InputError(refused[0], "a part of a study has no end to run to", "run the whole study")
    intervals = _engine.Intervals.of_study(study.text, "study")
    if not (intervals.is_independent or intervals.is_replicated):
        raise InputError("design", "it cannot grow with intervals" if intervals.no_interval_reason is None else
                         f"it has no intervals: {intervals.no_interval_reason}",
                         'give {"kind": "monte_carlo"}, "sobol", or a table with "independent": true')
    _engine.fewest_for_quantile(0.5, confidence)  # refuses what is no confidence
    study.replace(instances=rule.cap)  # refuses a cap that the design cannot reach
    size = rule.first_size(intervals, statistic, confidence)
    result = _begun(study, out) if options.get("resume") and out is not None and os.path.exists(out) else None
    if result is None:
        result = study.replace(instances=size).run(out, **options)
    elif result.instances < size:
        result._grow(study.replace(instances=size), {**options, "overwrite": False})
    size = result.instances
    options = {**options, "resume": True, "overwrite": False}
    estimates, sizes = [], []
    while True:
        estimate = Sample.of_result(result, quantity).estimate(statistic, confidence)
        estimates.append(estimate)
        sizes.append(size)
        if math.isnan(estimate.value):
            failure = RunFailure("run_until", f"{estimate.statistic} of {quantity} has no value after {size:,} instances: "
                                 f"{estimate.remark}", "look at the status of the exception's result")
            failure.result = result
            raise failure
        if rule.is_met(estimate) or size >= rule.cap:
            return StoppedRun(result, estimate, rule.is_met(estimate), rule.verdict(estimate), _table(estimates, sizes))
        size = rule.next_size(estimate, size, intervals)
        result._grow(study.replace(instances=size), options)
