"""Means, quantiles and probabilities with intervals, histograms and distribution functions: closed forms, the engine's own
statistics, and how often intervals hold what they should."""

import math

import numpy
import pytest

import myriad
from conftest import SOME_FAIL, TOPS, linear
from myriad import _engine
from myriad.distributions import distribution_of, histogram_of
from myriad.estimates import Sample, statistic_of

SIZES = [1, 31, 33, 1000]
CONFIDENCE, TAIL = 0.95, 0.025
MEAN, QUANTILE_90, ABOVE_1 = statistic_of(), statistic_of(quantile=0.9), statistic_of(above=1.0)

GRID = myriad.Study(TOPS, instances=None, design={"kind": "grid"}, parameters={
    address: {**distribution, "levels": 8} for address, distribution in TOPS["parameters"].items()})


def sample_of(values, failed=()):
    included = numpy.ones(len(values))
    included[list(failed)] = 0
    return Sample(values, included, _engine.Intervals.independent(), "length_m", "m")


def binomial_at_most(events, count, probability):
    def term(k):
        return math.comb(count, k) * probability ** k * (1 - probability) ** (count - k)

    return math.fsum(map(term, range(events + 1)))


def share_that_hold(truth, statistic, values_of_seed, seeds):
    hits = 0
    for seed in range(seeds):
        estimate = sample_of(values_of_seed(numpy.random.default_rng(seed))).estimate(statistic, CONFIDENCE)
        hits += estimate.low <= truth <= estimate.high
    return hits / seeds


@pytest.mark.parametrize("design", [{"kind": "monte_carlo", "seed": 3}, {"kind": "sobol", "seed": 3, "replicates": 8},
                                    {"kind": "latin_hypercube", "seed": 3}, {"kind": "grid"}])
def test_they_are_the_engines_own_to_the_last_bit(design):
    probability, threshold = [0.003, 0.1, 0.5, 0.97], 1.2
    study = GRID if design["kind"] == "grid" else myriad.Study(TOPS, instances=1000, design=design)
    study = study.replace({"statistics": {"quantiles": probability, "confidence": 0.9},
                           "quantities.largest_tilt_rad.probability": {"above": threshold},
                           "quantities.final_height_m.probability": {"below": 0.3}})
    result = study.run(progress=False)
    for row, quantity in enumerate(result.statistics["quantity"]):
        events = {"above": threshold} if quantity == "largest_tilt_rad" else {"below": 0.3}
        pairs = [(result.mean(quantity, confidence=0.9), "mean", row),
                 (result.probability(quantity, confidence=0.9, **events), "probability", row)]
        pairs += [(result.quantile(quantity, p, confidence=0.9), "quantile", (row, k)) for k, p in enumerate(probability)]
        for estimate, name, place in pairs:
            stored = [result.statistics[name + end][place] for end in ("", "_low", "_high", "_remark")]
            assert numpy.array_equal([estimate.value, estimate.low, estimate.high], stored[:3], equal_nan=True), estimate
            assert estimate.remark == stored[3]


@pytest.mark.parametrize("count", SIZES)
def test_an_interval_of_a_probability_is_where_binomial_tails_are_what_is_missed(count):
    values = numpy.arange(count, dtype=float)
    for events in {0, 1, count // 3, count}:
        estimate = sample_of(values).estimate(statistic_of(below=events - 0.5), CONFIDENCE)
        assert estimate.value == events / count and estimate.count == count and estimate.unit == "1"
        # To the accuracy of the sums of binomial terms.
        if events < count:
            assert binomial_at_most(events, count, estimate.high) == pytest.approx(TAIL, rel=1e-9)
        else:
            assert estimate.high == 1.0
        if events > 0:
            assert 1 - binomial_at_most(events - 1, count, estimate.low) == pytest.approx(TAIL, rel=1e-9)
        else:
            assert estimate.low == 0.0


@pytest.mark.parametrize("count", SIZES)
def test_between_is_what_lies_above_the_one_and_not_above_the_other(count):
    sample = sample_of(numpy.random.default_rng(count).normal(size=count))
    above = [sample.estimate(statistic_of(above=x), CONFIDENCE).value for x in (-0.3, 0.8)]

    between = sample.estimate(statistic_of(above=-0.3, below=0.8), CONFIDENCE)

    assert between.value == pytest.approx(above[0] - above[1], abs=1e-15)
    assert between.statistic == "probability between -0.3 and 0.8"


@pytest.mark.parametrize("quantile", [0.001, 0.05, 0.5, 0.9, 0.999])
def test_a_quantile_has_an_interval_from_the_number_of_instances_on_that_is_said(quantile):
    fewest = myriad.uncertainty.instances_for_quantile(quantile)
    # Missed where all values lie on one side, which has this probability.
    assert max(quantile, 1 - quantile) ** fewest <= TAIL < max(quantile, 1 - quantile) ** (fewest - 1)
    values = numpy.random.default_rng(1).normal(size=fewest)
    statistic = statistic_of(quantile=quantile)

    enough = sample_of(values).estimate(statistic, CONFIDENCE)
    short = sample_of(values[1:]).estimate(statistic, CONFIDENCE)

    assert enough.low <= enough.value <= enough.high
    assert math.isnan(short.low) and short.remark == f"needs {fewest} instances" and "no interval" in str(short)
    assert short.value == pytest.approx(numpy.quantile(values[1:], quantile), rel=1e-13)


@pytest.mark.parametrize("statistic, truth, least, most", [
    # An exponential distribution: skewed, so that Student's interval of 100 values is a little short. Three standard
    # deviations of a share of 1000 are 0.02; order statistics and binomial counts go by steps, to the safe side.
    (MEAN, 1.0, 0.92, 0.965), (QUANTILE_90, math.log(10.0), 0.95 - 0.02, 0.99),
    (ABOVE_1, math.exp(-1.0), 0.95 - 0.02, 0.99)])
def test_intervals_hold_the_truth_as_often_as_they_say(statistic, truth, least, most):
    assert least <= share_that_hold(truth, statistic, lambda generator: generator.exponential(size=100), 1000) <= most


def test_failures_are_left_out_counted_and_said():
    values = numpy.array([1.0, 2.0, numpy.nan, 4.0, 100.0, numpy.inf])
    sample = sample_of(values, failed=[4])

    mean, above = sample.estimate(MEAN, CONFIDENCE), sample.estimate(statistic_of(above=1.5), CONFIDENCE)

    assert (mean.value, mean.count, mean.failed, mean.undefined) == (7 / 3, 3, 1, 2)
    assert "1 failed ones are left out" in str(mean) and "2 have no value and are left out" in str(mean)
    # What is no value is not above: 2 of the 5 that ended ok.
    assert (above.count, above.failed, above.undefined) == (5, 1, 2) and above.value == 2 / 5
    assert "2 have no value and count as outside" in str(above)


def test_a_run_with_failures_says_over_what_its_numbers_are():
    result = myriad.Study(SOME_FAIL).run(progress=False)

    estimate = result.probability("final_height_m", above=0.3)

    assert 0 < estimate.failed == result.failed < result.instances and estimate.count + estimate.failed == 100
    assert estimate.value == (result.quantities["final_height_m"][result.ok] > 0.3).mean()
    histogram = result.histogram("final_height_m")
    assert histogram.counts.sum() + histogram.failed == 100


def test_all_failed_is_no_number_and_says_why():
    sample = sample_of(numpy.array([1.0, 2.0]), failed=[0, 1])
    for statistic in (MEAN, QUANTILE_90, ABOVE_1):
        estimate = sample.estimate(statistic, CONFIDENCE)
        assert math.isnan(estimate.value) and estimate.remark == "no instance has a value" and estimate.failed == 2
    for make in (lambda: histogram_of(sample, 3), lambda: distribution_of(sample, CONFIDENCE)):
        with pytest.raises(myriad.InputError, match="2 failed ones are left out"):
            make()


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("rule, of_numpy", [("freedman_diaconis", "fd"), ("scott", "scott"), ("sturges", "sturges")])
def test_histograms_have_the_bins_of_their_rule_and_lose_nothing(count, rule, of_numpy):
    values = numpy.random.default_rng(count).normal(size=count)

    histogram = histogram_of(sample_of(values), rule)

    assert histogram.edges == pytest.approx(numpy.histogram_bin_edges(values, of_numpy), rel=1e-12)
    assert histogram.counts.sum() == count and histogram.below == histogram.above == 0
    assert (histogram.density * numpy.diff(histogram.edges)).sum() == pytest.approx(1.0, rel=1e-12)
    assert histogram.rule == rule and histogram.unit == "m"


def test_histograms_count_what_lies_beyond_given_edges():
    histogram = histogram_of(sample_of(numpy.array([-5.0, 0.0, 0.5, 1.0, 2.0, 3.0])), [0.0, 1.0, 2.0])
    assert (list(histogram.counts), histogram.below, histogram.above) == ([2, 2], 1, 1)
    assert histogram.density == pytest.approx([2 / 6, 2 / 6])


@pytest.mark.parametrize("values", [[3.0], [3.0] * 33, [1e300] * 5, [0.0, 5e-324], [1.0] * 40 + [2.0], [-1e-300, 1e-300]])
def test_histograms_of_few_numbers_exist(values):
    for bins in ("freedman_diaconis", "scott", "sturges", 7):
        histogram = histogram_of(sample_of(numpy.array(values)), bins)
        assert histogram.counts.sum() == len(values) and (numpy.diff(histogram.edges) > 0).all()


@pytest.mark.parametrize("values, bins, said", [
    (numpy.append(numpy.random.default_rng(1).normal(size=1000), 1e9), "freedman_diaconis", "give the edges"),
    ([-1.7e308, 1.7e308], 10, "overflows"), ([1.0, 2.0], 0, "bins=0"), ([1.0, 2.0], "freedman", "did you mean"),
    ([1.0, 2.0], [1.0], "no edges"), ([1.0, 2.0], [2.0, 1.0], "no edges"), ([1.0, 2.0], [0.0, numpy.nan], "no edges"),
    ([1.0, 2.0], True, "no edges"), ([1.0, 2.0], None, "no edges")])
def test_histograms_that_cannot_be_meant_are_refused(values, bins, said):
    with pytest.raises(myriad.InputError) as refused:
        histogram_of(sample_of(numpy.array(values)), bins)
    assert said in str(refused.value)


@pytest.mark.parametrize("count", SIZES)
def test_the_distribution_function_is_the_share_at_or_below(count):
    values = numpy.round(numpy.random.default_rng(count).normal(size=count), 1)

    distribution = distribution_of(sample_of(values), CONFIDENCE)

    for x in (-9.0, -0.3, 0.0, values[0], 9.0):
        assert distribution(x) == (values <= x).mean()
    assert distribution(distribution.values[-1]) == 1.0 and distribution.probability[-1] == 1.0
    # Half the band: sqrt(ln(2 / 0.05) / (2 n)).
    assert distribution.high[0] == pytest.approx(min(1.0, 1 / count + math.sqrt(math.log(40.0) / 2 / count)))


def test_the_band_holds_the_whole_distribution_as_often_as_it_says():
    seeds, count = 1000, 33
    held = 0
    for seed in range(seeds):
        distribution = distribution_of(sample_of(numpy.random.default_rng(seed).uniform(size=count)), CONFIDENCE)
        true = distribution.values
        # The band is a stair: it leaves the truth at its upper ends behind a value or before it.
        before = distribution.high - 1 / count
        held += ((distribution.low <= true) & (true <= numpy.where(distribution.high < 1, before, 1.0))).all()
    # Three standard deviations of a share of 1000; Massart's bound is safe, by little.
    assert 0.95 - 0.02 <= held / seeds <= 0.98


def test_designs_without_independent_instances_have_no_band():
    sobol = myriad.Study(TOPS, design={"kind": "sobol"}, instances=64)
    for study, said in ((sobol, "independent instances"), (GRID, "draws nothing at random")):
        distribution = study.run(progress=False).distribution("largest_tilt_rad")
        assert numpy.isnan(distribution.low).all() and said in distribution.remark


def test_the_moments_of_a_linear_quantity_lie_in_their_intervals():
    study = linear({"normal": {"mean": 0.0, "standard_deviation": 2.0}},
                   {"normal": {"mean": 0.3, "standard_deviation": 1.0}}, design={"kind": "monte_carlo", "seed": 2}).replace(instances=4000)
    result, deviation = study.run(progress=False), math.sqrt(5.0)

    for estimate, truth in ((result.mean("angle_rad", confidence=0.999), 0.3),
                            (result.quantile("angle_rad", 0.99, confidence=0.999), 0.3 + 2.3263479 * deviation),
                            (result.probability("angle_rad", above=0.3 + 1.6448536 * deviation, confidence=0.999), 0.05)):
        assert estimate.low < truth < estimate.high, estimate
    assert result.mean("angle_rad").standard_error == pytest.approx(deviation / math.sqrt(4000), rel=0.05)


def test_tables_for_pandas():
    pytest.importorskip("pandas")
    sample = sample_of(numpy.random.default_rng(1).normal(size=33))
    histogram, distribution = histogram_of(sample, 5), distribution_of(sample, CONFIDENCE)

    assert list(histogram.to_pandas().columns) == ["low", "high", "count", "density"]
    assert len(histogram.to_pandas()) == 5 and histogram.to_pandas().attrs["unit"] == "m"
    assert list(distribution.to_pandas()["value"]) == sorted(sample.values)


@pytest.mark.parametrize("ask, said", [
    (lambda result: result.mean("largest_tilt_ra"), "did you mean"),
    (lambda result: result.probability("largest_tilt_rad"), "no threshold"),
    (lambda result: result.probability("largest_tilt_rad", above=2.0, below=1.0), "above < below"),
    (lambda result: result.probability("largest_tilt_rad", above=math.nan), "no threshold"),
    (lambda result: result.quantile("largest_tilt_rad", 95), "between 0 and 1"),
    (lambda result: result.mean("largest_tilt_rad", confidence=95), "between 0 and 1"),
    (lambda result: result.distribution("largest_tilt_rad", confidence=0.0), "no confidence"),
    (lambda result: myriad.uncertainty.instances_for_quantile(1.0), "between 0 and 1"),
    (lambda result: result.convergence("largest_tilt_rad", quantile=0.5, above=1.0), "ask for one of them")])
def test_what_cannot_be_asked_is_refused(tops, ask, said):
    with tops.replace(instances=5).run(progress=False) as result, pytest.raises(myriad.InputError) as refused:
        ask(result)
    assert said in str(refused.value)
