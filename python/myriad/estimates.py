"""What the instances of a result say of the distribution that they come from: estimates with intervals.

Definitions and intervals are the engine's own (host/statistics), so that they agree with the statistics of the result file:
a mean with Student's t; a quantile (type 7 of Hyndman and Fan) between two order statistics; a probability with the interval
of Clopper and Pearson, which is never too narrow. A sobol design has them from the spread of its replicates; a grid, or a
table that is not declared independent, has none and says so. Failed instances are left out and counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

import numpy

from . import _engine
from .errors import InputError
from .texts import counted

if TYPE_CHECKING:
    from .result import Result


@dataclass(frozen=True)
class Estimate:
    """A number that is known from instances, with its interval. value, low, high and standard_error have its unit.

    low, high        of the interval; NaN where there is none, and `remark` says why ("needs 3688 instances")
    confidence       such intervals hold the true value in this share of studies with other seeds
    standard_error   of a mean or a probability; NaN of a quantile
    method           how the interval is made
    remark           "conservative": it is wider than it needs to be; or why there is none
    count            instances that the number is taken over
    failed           instances that did not end ok, left out: nothing is known of them
    undefined        instances that ended ok without a value: left out, but counted as outside by a probability
    """

    quantity: str
    statistic: str
    unit: str
    value: float
    low: float
    high: float
    confidence: float
    standard_error: float
    method: str
    remark: str
    count: int
    failed: int
    undefined: int

    @property
    def half_width(self) -> float:
        """Half the width of the interval; NaN without one."""
        return (self.high - self.low) / 2

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit not in ("", "1") else ""
        text = f"{self.statistic} of {self.quantity}: {self.value:.8g}{unit}, "
        if math.isnan(self.low):
            text += f"no interval ({self.remark})"
        else:
            remark = f", {self.remark}" if self.remark else ""
            text += f"{self.low:.8g} to {self.high:.8g} at {100 * self.confidence:g} % ({self.method}{remark})"
        text += f", over {counted(self.count, 'instance')}"
        if self.failed:
            text += f"; {self.failed:,} failed ones are left out"
        if self.undefined:
            text += f"; {self.undefined:,} have no value and " + (
                "count as outside" if self.statistic.startswith("probability") else "are left out")
        return text


@dataclass(frozen=True)
class Statistic:
    """What is estimated: the mean, a quantile, or the probability of an event."""

    quantile: Optional[float] = None
    above: Optional[float] = None
    below: Optional[float] = None

    @property
    def is_probability(self) -> bool:
        return self.above is not None or self.below is not None

    @property
    def name(self) -> str:
        if self.quantile is not None:
            return f"quantile {self.quantile:.12g}"
        if not self.is_probability:
            return "mean"
        if self.below is None:
            return f"probability above {self.above:.12g}"
        if self.above is None:
            return f"probability below {self.below:.12g}"
        return f"probability between {self.above:.12g} and {self.below:.12g}"


def statistic_of(quantile: Optional[float] = None, above: Optional[float] = None,
                 below: Optional[float] = None) -> Statistic:
    """The statistic that these arguments ask for, checked: the mean where all are None."""
    for name, value in (("above", above), ("below", below)):
        if value is not None and not math.isfinite(value):
            raise InputError(f"{name}={value}", "this is no threshold", "give a finite number, in the quantity's unit")
    if quantile is not None and (above is not None or below is not None):
        raise InputError("statistic", "it is asked for a quantile and for a probability", "ask for one of them")
    if quantile is not None and not 0.0 < quantile < 1.0:
        raise InputError(f"quantile={quantile}", "a quantile has a probability between 0 and 1", "give 0.95, for example")
    if above is not None and below is not None and not above < below:
        raise InputError(f"above={above}, below={below}", "nothing lies above the one and below the other",
                         "give above < below; outside of two thresholds lie those that are not between them")
    return Statistic(quantile, above, below)


class Sample:
    """The values of one quantity in the order of instances, and the intervals that their design allows.

    values     float64 [instance]
    included   uint8 [instance], 0 where the instance failed
    """

    def __init__(self, values: numpy.ndarray, included: numpy.ndarray, intervals: Any, quantity: str = "quantity",
                 unit: str = "") -> None:
        self.values = numpy.ascontiguousarray(values, dtype=numpy.float64)
        self.included = numpy.ascontiguousarray(included, dtype=numpy.uint8)
        self.intervals, self.quantity, self.unit = intervals, quantity, unit

    @classmethod
    def of_result(cls, result: "Result", quantity: str) -> "Sample":
        return cls(result.quantities[quantity], result.ok, result._intervals(), quantity, result.quantities.unit(quantity))

    def counted(self) -> numpy.ndarray:
        """The values that count, float64 [instance]: finite ones, of instances that ended ok."""
        return self.values[(self.included != 0) & numpy.isfinite(self.values)]

    @property
    def failed(self) -> int:
        return int((self.included == 0).sum())

    @property
    def undefined(self) -> int:
        """Instances that ended ok without a finite value."""
        return int(((self.included != 0) & ~numpy.isfinite(self.values)).sum())

    def left_out(self) -> str:
        """In words, with a semicolon in front; empty where all instances have a value."""
        parts = [f"; {self.failed:,} failed ones"] if self.failed else []
        parts += [f"; {self.undefined:,} without a value"] if self.undefined else []
        return "".join(parts) + (" are left out" if parts else "")

    def estimate(self, statistic: Statistic, confidence: float) -> Estimate:
        return self.estimates(statistic, confidence, [len(self.values)])[0]

    def estimates(self, statistic: Statistic, confidence: float, sizes: list[int]) -> list[Estimate]:
        """The estimates from the first instances, of each size."""
        values = self.values
        if statistic.is_probability:
            # What is not finite is no value, and neither above nor below.
            inside = numpy.isfinite(values)
            if statistic.above is not None:
                inside &= values > statistic.above
            if statistic.below is not None:
                inside &= values < statistic.below
            values = inside.astype(numpy.float64)
        return [self._estimate(values[:size], size, statistic, confidence) for size in sizes]

    def _estimate(self, values: numpy.ndarray, size: int, statistic: Statistic, confidence: float) -> Estimate:
        included = self.included[:size]
        quantiles = [] if statistic.quantile is None else [statistic.quantile]
        found = _engine.statistics(values, included, self.intervals, confidence, quantiles, statistic.is_probability)
        if statistic.is_probability:
            estimate = found["share"]
        elif statistic.quantile is not None:
            estimate = found["quantiles"][0] if found["quantiles"] else None
        else:
            estimate = found["mean"]
        value, low, high, remark = estimate or (math.nan, math.nan, math.nan, self._why_no_value(found["count"]))
        undefined = found["undefined"]
        if statistic.is_probability:
            undefined = int(((included != 0) & ~numpy.isfinite(self.values[:size])).sum())
        return Estimate(self.quantity, statistic.name, "1" if statistic.is_probability else self.unit, value, low, high,
                        confidence, math.nan if quantiles else self._standard_error(found, confidence),
                        self._method(statistic), remark, found["count"], found["failed"], undefined)

    def _why_no_value(self, count: int) -> str:
        return "its sums overflow" if count else "no instance has a value"

    def _standard_error(self, found: dict[str, Any], confidence: float) -> float:
        if not found["mean"]:
            return math.nan
        _, low, high, _ = found["mean"]
        freedoms = (self.intervals.replicates if self.intervals.is_replicated else found["count"]) - 1
        return math.nan if math.isnan(low) else (high - low) / 2 / _engine.student_t(freedoms, confidence)

    def _method(self, statistic: Statistic) -> str:
        if self.intervals.is_replicated:
            return f"from the spread of {self.intervals.replicates} replicates"
        if statistic.is_probability:
            return "Clopper and Pearson"
        return "Student's t" if statistic.quantile is None else "order statistics"
