"""Multilevel Monte Carlo over the time step: the mean of a quantity at the price of coarse steps.

E[Q_L] = E[Q_0] + sum over l = 1 .. L of E[Q_l - Q_(l-1)]

Q_l is the quantity at step h_l = 2^(L - l) h_L, h_L the study's own. Each mean has instances of its own; both steps of a
difference see the same instances. Where V_l = var(Q_l - Q_(l-1)) falls fast with the step, few instances need fine steps:
n_l ~ sqrt(V_l / C_l) for the costs C_l is the cheapest choice of a given standard error (Giles 2008). The estimate is
unbiased for the study's own step. What that step leaves is estimated from the last two levels and widens the interval. Not
handled: adaptive methods, other statistics than the mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Callable, Optional

import numpy

from .errors import InputError, RunFailure, unknown_name
from .study import Study

# Instances of the first look at a level: their variance is known to some 10 %.
_PILOT = 200
# A variance that does not fall at least to this share of the one before gives no gain, and a method of order 1 on a smooth
# quantity falls to a quarter.
_LEAST_FALL = 0.5
# Differences below this share of the quantity's spread are those of round-off.
_ROUND_OFF = 1e-9
# The bias of a method of order 1, as a share of the last difference; higher orders are believed up to order 4.
_LEAST_RATIO, _LARGEST_RATIO = 2.0, 16.0
_MOST_ROUNDS = 20
_SEED_OF_LEVEL = 1_000_003


@dataclass(frozen=True)
class Level:
    """One mean of the sum: of the quantity at the coarsest step, or of a difference of two steps."""

    step_s: float
    instances: int
    failed: int
    mean: float
    variance: float
    steps_per_instance: float  # both runs of a difference


@dataclass(frozen=True)
class MultilevelEstimate:
    """The mean of a quantity, with what is not known of it. Numbers have the quantity's unit; costs are time steps.

    mean             unbiased for the study's own step
    standard_error   of the mean, from the spread of the instances
    bias             what the study's own step is estimated to leave, with the error of that estimate
    low, high        mean -+ (z standard_error + bias) at `confidence`
    cost             steps of all instances of all levels
    plain_cost       steps that plain Monte Carlo at the study's own step takes for the same standard error, by the
                     variance of the quantity at the coarsest step
    """

    quantity: str
    unit: str
    mean: float
    standard_error: float
    bias: float
    low: float
    high: float
    confidence: float
    levels: tuple[Level, ...]
    cost: float
    plain_cost: float

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit and self.unit != "1" else ""
        lines = [f"{self.quantity}: {self.mean:.8g}{unit}, {100 * self.confidence:g} % of such intervals hold the mean: "
                 f"{self.low:.8g} to {self.high:.8g}{unit}",
                 f"  standard error {self.standard_error:.3g}, bias of the step at most {self.bias:.3g}; "
                 f"{self.plain_cost / self.cost:.3g} times cheaper than plain Monte Carlo",
                 f"  {'step, s':>12} {'instances':>12} {'mean':>14} {'variance':>12}"]
        lines += [f"  {level.step_s:>12.6g} {level.instances:>12,} {level.mean:>14.6g} {level.variance:>12.4g}"
                  for level in self.levels]
        return "\n".join(lines)


class _Sums:
    """Instances of one level so far, and the sums that are left of them."""

    def __init__(self, fine: Study, coarse: Optional[Study], step_s: float, quantity: str,
                 run: Callable[[Study, int, int], Any]) -> None:
        self._studies, self._quantity, self._run = [fine] + ([coarse] if coarse else []), quantity, run
        self.step_s = step_s
        self.drawn = self.count = 0
        self._mean = self._squares = self._steps = 0.0

    def grow(self, instances: int) -> None:
        """Runs instances until that many are drawn. Those that failed at either step count as failed."""
        if instances <= self.drawn:
            return
        kept, values = None, []
        for study in self._studies:
            with self._run(study, self.drawn, instances) as result:
                found = result.quantities[self._quantity]
                ok = result.ok & numpy.isfinite(found)
                self._steps += float(result.certificate["steps"].sum())
            kept = ok if kept is None else kept & ok
            values.append(found)
        sample = (values[0] - values[1] if len(values) > 1 else values[0])[kept]
        self.drawn = instances
        if len(sample) == 0:
            return
        mean = float(sample.mean())
        squares = float(((sample - mean) ** 2).sum())
        # Two samples' sums of squares about their common mean.
        both = self.count + len(sample)
        self._squares += squares + (mean - self._mean) ** 2 * self.count * len(sample) / both
        self._mean += (mean - self._mean) * len(sample) / both
        self.count = both

    @property
    def mean(self) -> float:
        return self._mean

    @property
    def variance(self) -> float:
        return self._squares / (self.count - 1)

    @property
    def steps_per_instance(self) -> float:
        return self._steps / self.drawn

    def level(self) -> Level:
        return Level(self.step_s, self.count, self.drawn - self.count, self.mean, self.variance, self.steps_per_instance)


def multilevel(study: Study, quantity: str, *, standard_error: Optional[float] = None,
               relative_standard_error: Optional[float] = None, halvings: int = 3, confidence: float = 0.95,
               most_cost: float = 1e12, backend: str = "auto", threads: int = 0) -> MultilevelEstimate:
    """The mean of a quantity of a study over its parameters, to a given standard error.

    standard_error           in the quantity's unit; or
    relative_standard_error  as a share of the mean
    halvings                 L: the coarsest step is 2^L times the study's own
    most_cost                time steps of all instances; InputError where the standard error would cost more

    The study's instances, observations and other quantities do not matter; its design becomes monte_carlo with its seed.
    Raises InputError for a study or quantity that this cannot be asked of, and where the variances of the differences do
    not fall, as with impacts at ends of steps, with extremes that jump, and with chaos; RunFailure where more instances failed than the
    study allows.
    """
    wanted_error, is_share = _wanted_error(standard_error, relative_standard_error)
    _require_numbers(halvings, confidence)
    steps = _steps_of(study, quantity, halvings)
    allowed = study.to_dict()["allowed_failed_share"]

    def run(one: Study, first: int, end: int) -> Any:
        return one.run(backend=backend, threads=threads, range=(first, end), progress=False, too_many_failed="warn")

    studies = _studies_of(study, quantity, steps)
    sums = [_Sums(fine, coarse, step_s, quantity, run) for (fine, coarse), step_s in zip(studies, steps)]
    for one in sums:
        one.grow(_PILOT)
        _require_few_failures(one, allowed)
    _require_falling(study, quantity, sums)
    for _ in range(_MOST_ROUNDS):
        target = wanted_error * abs(_mean(sums)) if is_share else wanted_error
        wanted = _allocation(sums, target)
        cost = sum(count * one.steps_per_instance for count, one in zip(wanted, sums))
        if not cost <= most_cost:
            raise InputError("multilevel", f"a standard error of {target:.3g} takes {cost:.3g} time steps, and most_cost is "
                             f"{most_cost:.3g}", "ask for a larger standard error, or give a larger most_cost")
        if all(count <= one.drawn for count, one in zip(wanted, sums)):
            break
        for count, one in zip(wanted, sums):
            # A variance of few instances may be far too small: towards the goal by at most four times at once.
            one.grow(min(math.ceil(count), 4 * one.drawn))
            _require_few_failures(one, allowed)
    _require_falling(study, quantity, sums)
    return _estimate(study, quantity, sums, confidence)


def _wanted_error(standard_error: Optional[float], relative: Optional[float]) -> tuple[float, bool]:
    """The one that is given, and whether it is a share of the mean."""
    given = [(name, value) for name, value in (("standard_error", standard_error), ("relative_standard_error", relative))
             if value is not None]
    if len(given) != 1:
        raise InputError("multilevel", "the standard error to reach is " + ("given twice" if given else "missing"),
                         "give standard_error or relative_standard_error")
    name, value = given[0]
    if not 0.0 < value < math.inf:
        raise InputError(f"{name}={value}", "this is no standard error", "give a positive number")
    return value, relative is not None


def _require_numbers(halvings: int, confidence: float) -> None:
    if not (isinstance(halvings, int) and 1 <= halvings <= 20):
        raise InputError(f"halvings={halvings}", "this is no number of halvings", "give a whole number from 1 to 20")
    if not 0.0 < confidence < 1.0:
        raise InputError(f"confidence={confidence}", "this is no confidence", "give a share such as 0.95")


def _steps_of(study: Study, quantity: str, halvings: int) -> list[float]:
    """The steps of the levels, the coarsest first."""
    if quantity not in study.quantities:
        raise unknown_name("quantity", "quantities of the study", quantity, study.quantities, "study.quantities")
    if study.step_s is None:
        raise InputError("multilevel", f"{study.integrator} chooses its steps by itself", "take a method of fixed steps")
    if not study.varied:
        raise InputError("multilevel", "the study varies no parameter, so its mean is one instance",
                         "give a distribution to a parameter")
    design = study.to_dict()["design"]["kind"]
    if design in ("grid", "table"):
        raise InputError("multilevel", f"a design of the kind {design} draws no new instances",
                         "give the parameters distributions, with the design monte_carlo")
    count = study.end_s / study.step_s
    whole, most = round(count), 0
    if abs(count - whole) > 1e-6:
        raise InputError("multilevel", f"the span {study.end_s:g} s is no multiple of the step {study.step_s:g} s",
                         "choose a step that divides it")
    while whole % 2 ** (most + 1) == 0:
        most += 1
    if most < halvings:
        raise InputError("multilevel", f"{whole:,} steps cannot be halved {halvings} times",
                         f"take halvings={most}" if most > 0 else
                         f"take step_s={study.end_s / (2 ** halvings * math.ceil(whole / 2 ** halvings)):.12g}")
    return [study.step_s * 2 ** k for k in range(halvings, -1, -1)]


def _studies_of(study: Study, quantity: str, steps: list[float]) -> list[tuple[Study, Optional[Study]]]:
    """For each level the study at its step and, but for the first, at the step before, with instances of its own."""
    whole = study.to_dict()
    seed = int(whole["design"].get("seed", 1))
    most_instances = 1_000_000_000  # room for the range of any round

    kept = {key: value for key, value in whole.items() if key not in ("observe", "statistics")}

    def at(step_s: float, level: int) -> Study:
        return Study({**kept, "integrator": {**whole["integrator"], "step_s": step_s}, "instances": most_instances,
                      "design": {"kind": "monte_carlo", "seed": seed + _SEED_OF_LEVEL * level},
                      "quantities": {quantity: whole["quantities"][quantity]}, "results": {"keep": ["quantities"]}})

    return [(at(step_s, level), at(steps[level - 1], level) if level else None) for level, step_s in enumerate(steps)]


def _mean(sums: list[_Sums]) -> float:
    return sum(one.mean for one in sums)


def _allocation(sums: list[_Sums], standard_error: float) -> list[float]:
    """Instances of each level for this standard error at least cost."""
    if not standard_error > 0.0:
        raise InputError("relative_standard_error", "the mean is 0, and no share of it is a standard error",
                         "give standard_error")
    whole = sum(math.sqrt(one.variance * one.steps_per_instance) for one in sums)
    return [max(_PILOT, whole / standard_error * (math.sqrt(one.variance / one.steps_per_instance) / standard_error))
            for one in sums]


def _require_few_failures(one: _Sums, allowed: float) -> None:
    failed = one.drawn - one.count
    if failed > allowed * one.drawn or one.count < 2:
        raise RunFailure("multilevel", f"{failed:,} of {one.drawn:,} instances failed or have no value at the step "
                         f"{one.step_s:g} s or at twice that, more than the study allows",
                         "begin with a finer step (fewer halvings), or allow a larger allowed_failed_share")


def _require_falling(study: Study, quantity: str, sums: list[_Sums]) -> None:
    floor = _ROUND_OFF ** 2 * sums[0].variance
    for before, one in zip(sums, sums[1:]):
        if one.variance > max(_LEAST_FALL * before.variance, floor):
            listed = ", ".join(f"{level.variance:.3g} at {level.step_s:g} s" for level in sums)
            raise InputError(
                "multilevel", f"the variances of the differences of {quantity} do not fall with the step: {listed}",
                "take plain Monte Carlo (study.run): impacts at ends of steps, extremes that jump and chaos tear the two "
                "steps of an instance apart. Or take fewer halvings, if the coarsest step is too long for the mechanism")


def _estimate(study: Study, quantity: str, sums: list[_Sums], confidence: float) -> MultilevelEstimate:
    z = NormalDist().inv_cdf(0.5 + 0.5 * confidence)
    mean, standard_error = _mean(sums), math.sqrt(sum(one.variance / one.count for one in sums))
    bias = _bias(sums, z)
    half = z * standard_error + bias
    cost = sum(one.drawn * one.steps_per_instance for one in sums)
    finest = study.end_s / sums[-1].step_s
    plain = sums[0].variance / standard_error ** 2 if standard_error > 0.0 else _PILOT
    return MultilevelEstimate(quantity, study.quantities[quantity]["unit"], mean, standard_error, bias, mean - half,
                              mean + half, confidence, tuple(one.level() for one in sums), cost,
                              plain * finest)


def _bias(sums: list[_Sums], z: float) -> float:
    """The sum of the differences that finer steps would add, each smaller than the one before by the ratio of the last two.

    They are as large as they may be within their own errors, and the ratio as small.
    """
    def bound(one: _Sums, sign: float) -> float:
        return max(0.0, abs(one.mean) + sign * z * math.sqrt(one.variance / one.count))

    last, ratio = bound(sums[-1], 1.0), _LEAST_RATIO
    if len(sums) > 2 and last > 0.0:
        ratio = min(max(bound(sums[-2], -1.0) / last, _LEAST_RATIO), _LARGEST_RATIO)
    return last / (ratio - 1.0)


__all__ = ["Level", "MultilevelEstimate", "multilevel"]
