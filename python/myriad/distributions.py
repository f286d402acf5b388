"""The distribution of a quantity over the instances: histograms and empirical distribution functions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Sequence, Union

import numpy

from .errors import InputError, unknown_name
from .estimates import Sample

if TYPE_CHECKING:
    import pandas

Bins = Union[str, int, Sequence[float], numpy.ndarray]

# A rule that asks for more bins has met values far beyond the others.
_MOST_BINS = 10_000


def _freedman_diaconis(values: numpy.ndarray) -> float:
    low, high = numpy.quantile(values, [0.25, 0.75])
    return 2.0 * (high - low) / len(values) ** (1 / 3)


def _scott(values: numpy.ndarray) -> float:
    return (24.0 * math.sqrt(math.pi) / len(values)) ** (1 / 3) * float(values.std())


def _sturges(values: numpy.ndarray) -> float:
    return float(numpy.ptp(values)) / (math.log2(len(values)) + 1.0)


# The width of a bin, by the rules of their authors.
_RULES = {"freedman_diaconis": _freedman_diaconis, "scott": _scott, "sturges": _sturges}


@dataclass(frozen=True)
class Histogram:
    """How many instances have a value in each bin. A bin holds its lower edge; the last one holds both.

    edges        float64 [bin + 1], in the quantity's unit
    counts       int64 [bin]
    density      float64 [bin], per unit: the share of all values in a bin over its width; its integral is 1 where no value
                 lies below the first or above the last edge
    below, above values beyond the edges
    failed, undefined   instances that are left out: failed, and ended ok without a finite value
    rule         what the edges come from
    """

    quantity: str
    unit: str
    edges: numpy.ndarray
    counts: numpy.ndarray
    density: numpy.ndarray
    below: int
    above: int
    failed: int
    undefined: int
    rule: str

    def to_pandas(self) -> "pandas.DataFrame":
        """One row for each bin: low, high, count, density."""
        import pandas

        frame = pandas.DataFrame({"low": self.edges[:-1], "high": self.edges[1:], "count": self.counts,
                                  "density": self.density})
        frame.attrs.update(quantity=self.quantity, unit=self.unit, rule=self.rule)
        return frame


@dataclass(frozen=True)
class EmpiricalDistribution:
    """The share of the instances with a value at or below x, as steps. Call it: distribution(x) for any array x.

    values       float64 [n], ascending, in the quantity's unit
    probability  float64 [n]: k / n behind the k-th value
    low, high    float64 [n]: the band of Dvoretzky, Kiefer, Wolfowitz and Massart, which holds the whole true distribution
                 function at once to `confidence`; NaN where the design has none, and `remark` says why
    failed, undefined   instances that are left out: failed, and ended ok without a finite value
    """

    quantity: str
    unit: str
    values: numpy.ndarray
    probability: numpy.ndarray
    low: numpy.ndarray
    high: numpy.ndarray
    confidence: float
    failed: int
    undefined: int
    remark: str

    def __call__(self, x: Union[float, numpy.ndarray]) -> numpy.ndarray:
        """The share at or below x, float64 of the shape of x."""
        return numpy.searchsorted(self.values, x, side="right") / len(self.values)

    def to_pandas(self) -> "pandas.DataFrame":
        """One row for each value: value, probability, low, high."""
        import pandas

        frame = pandas.DataFrame({"value": self.values, "probability": self.probability, "low": self.low,
                                  "high": self.high})
        frame.attrs.update(quantity=self.quantity, unit=self.unit, confidence=self.confidence, remark=self.remark)
        return frame


def histogram_of(sample: Sample, bins: Bins) -> Histogram:
    values = _values_of(sample)
    edges, rule = _edges(values, bins, sample.quantity)
    counts, _ = numpy.histogram(values, edges)
    with numpy.errstate(over="ignore"):  # of bins as narrow as the smallest numbers
        density = counts / len(values) / numpy.diff(edges)
    return Histogram(sample.quantity, sample.unit, edges, counts.astype(numpy.int64), density,
                     int((values < edges[0]).sum()), int((values > edges[-1]).sum()), sample.failed, sample.undefined, rule)


def distribution_of(sample: Sample, confidence: float) -> EmpiricalDistribution:
    if not 0.0 < confidence < 1.0:
        raise InputError(f"confidence={confidence}", "this is no confidence", "give a number between 0 and 1")
    values = numpy.sort(_values_of(sample))
    probability = numpy.arange(1, len(values) + 1) / len(values)
    if sample.intervals.is_independent:
        # P(sup |F_n - F| > e) <= 2 exp(-2 n e^2): Massart, Ann. Probab. 18, 1990.
        half = math.sqrt(math.log(2.0 / (1.0 - confidence)) / (2.0 * len(values)))
        low, high = numpy.clip(probability - half, 0.0, 1.0), numpy.clip(probability + half, 0.0, 1.0)
        remark = ""
    else:
        low = high = numpy.full(len(values), numpy.nan)
        remark = sample.intervals.no_interval_reason or "the band is proven for independent instances: monte_carlo"
    return EmpiricalDistribution(sample.quantity, sample.unit, values, probability, low, high, confidence, sample.failed,
                                 sample.undefined, remark)


def _values_of(sample: Sample) -> numpy.ndarray:
    values = sample.counted()
    if not len(values):
        raise InputError(sample.quantity, f"none of the {len(sample.values):,} instances has a value{sample.left_out()}",
                         "look at the result's status")
    return values


def _edges(values: numpy.ndarray, bins: Bins, quantity: str) -> tuple[numpy.ndarray, str]:
    if isinstance(bins, (str, int, numpy.integer)) and not isinstance(bins, bool):
        low, high = float(values.min()), float(values.max())
        if not math.isfinite(high - low):
            raise InputError(quantity, "the range of its values overflows", "give the edges of the bins")
        if isinstance(bins, str):
            count, rule = _count_by_rule(values, bins, quantity), bins
        else:
            count, rule = int(bins), f"{bins} bins of equal width"
        if not 1 <= count <= _MOST_BINS:
            raise InputError(f"bins={bins!r}", f"{quantity} would have {count:,} bins, of 1 to {_MOST_BINS:,}",
                             "give the edges of bins where most values are; what lies beyond is counted as below and above")
        if low == high:
            half = max(0.5, 4.0 * float(numpy.spacing(abs(low))))
            return numpy.array([low - half, high + half]), rule
        # Edges that round to the same number are one.
        return numpy.unique(numpy.linspace(low, high, count + 1)), rule
    try:
        edges = numpy.asarray(bins, dtype=numpy.float64)
    except (TypeError, ValueError):
        edges = numpy.empty(0)
    if edges.ndim != 1 or len(edges) < 2 or not numpy.isfinite(edges).all() or not (numpy.diff(edges) > 0).all():
        raise InputError("bins", "they are no edges of bins",
                         "give two or more ascending finite numbers, a number of bins, or one of " + ", ".join(_RULES))
    return edges, "given edges"


def _count_by_rule(values: numpy.ndarray, rule: str, quantity: str) -> int:
    if rule not in _RULES:
        raise unknown_name("bins", "rules", rule, _RULES, "help(myriad.Result.histogram)")
    spread, width = float(numpy.ptp(values)), _RULES[rule](values)
    if width <= 0.0:
        # More than half of the values are the same number.
        width = _scott(values)
    if width <= 0.0 or spread == 0.0:
        return 1
    return min(math.ceil(spread / width), 2**62) if math.isfinite(spread / width) else 2**62
