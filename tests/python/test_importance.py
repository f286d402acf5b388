"""Importance of parameters from any result, correlated ones among them, against closed forms of linear quantities."""

import math

import numpy
import pytest

import myriad
from conftest import ANGLE_OF_RATE, ANGLE_OF_TORQUE, SOME_FAIL, TOPS, linear
from myriad import uncertainty

TORQUE, RATE = "parameters.torque_N_m", "parameters.rate_rad_s"
# Of a correlation of ranks of n pairs: five times 1 / sqrt(n).
COUNT = 2000
FAR = 5 / math.sqrt(COUNT)


def result_of(deviation_by_torque, deviation_by_rate, correlation, design="monte_carlo"):
    """The angle is a sum of two normal numbers with these standard deviations and this correlation."""
    study = linear({"normal": {"mean": 0.0, "standard_deviation": deviation_by_torque / ANGLE_OF_TORQUE}},
                   {"normal": {"mean": 0.3, "standard_deviation": deviation_by_rate / ANGLE_OF_RATE}},
                   design={"kind": design, "seed": 6},
                   correlations=[{"between": [TORQUE, RATE], "correlation": correlation}] if correlation else [])
    return study.replace(instances=COUNT).run(progress=False)


def of(found, index, address):
    return found.indices["angle_rad"][index][found.parameters.index(address)]


@pytest.mark.parametrize("design", ["monte_carlo", "latin_hypercube", "sobol"])
@pytest.mark.parametrize("correlation", [0.0, 0.6, -0.5])
def test_first_order_is_what_knowing_a_parameter_explains(design, correlation):
    found = uncertainty.given_data(result_of(2.0, 1.0, correlation, design), confidence=0.999)

    variance = 4.0 + 1.0 + 2 * 2.0 * correlation
    for address, own, other in ((TORQUE, 2.0, 1.0), (RATE, 1.0, 2.0)):
        # The square of the correlation of the sum with one of its parts.
        exact = (own + correlation * other) ** 2 / variance
        assert of(found, "first_order_low", address) < exact < of(found, "first_order_high", address)
        assert of(found, "first_order", address) == pytest.approx(exact, abs=0.08)
        # Between normal numbers, Spearman's is 6 / pi asin(rho / 2).
        rho = math.sqrt(exact) * math.copysign(1.0, own + correlation * other)
        assert of(found, "rank_correlation", address) == pytest.approx(6 / math.pi * math.asin(rho / 2), abs=FAR)
    assert bool(found.correlated) == ("knowing" in found.meaning) == (correlation != 0)


def test_a_parameter_without_effect_is_important_by_correlation_only():
    found = uncertainty.given_data(result_of(2.0, 1e-12, 0.8))

    assert of(found, "first_order", RATE) == pytest.approx(0.64, abs=0.08)
    assert found.correlated in (((TORQUE, RATE),), ((RATE, TORQUE),)) and RATE in found.meaning and "overlap" in found.meaning
    # With noise that neither explains it would be lost; here the torque explains all.
    assert of(found, "partial_rank_correlation", TORQUE) == pytest.approx(1.0, abs=1e-6)


def test_the_partial_rank_correlation_tells_an_effect_from_a_correlation():
    generator = numpy.random.default_rng(4)
    shared, own = generator.normal(size=(2, COUNT))
    torque, other = shared, 0.8 * shared + 0.6 * own
    noise = generator.normal(size=COUNT)
    found = uncertainty._partial(numpy.array([torque, other]), torque + noise)
    # Of normal numbers: correlation of what is left, 1 / sqrt(1 + 1 / (1 - 0.8^2)); ranks lose a little.
    left = 1 - 0.8 ** 2
    assert found[0] == pytest.approx(math.sqrt(left / (left + 1)), abs=FAR) and abs(found[1]) < FAR


def test_intervals_of_partial_rank_correlations_hold_the_true_one():
    # Between normal numbers, Spearman's is 6 / pi asin(rho / 2); the partial one follows from the inverse of all three.
    shared, draws, count, confidence = 0.7, 400, 60, 0.9
    of_quantity = numpy.array([1 + 0.5 * shared, shared + 0.5]) / math.sqrt(1 + 0.25 + shared + 1)
    pearson = numpy.array([[1, shared, of_quantity[0]], [shared, 1, of_quantity[1]], [*of_quantity, 1]])
    inverse = numpy.linalg.inv(6 / math.pi * numpy.arcsin(pearson / 2))
    true = -inverse[:2, 2] / numpy.sqrt(numpy.diag(inverse)[:2] * inverse[2, 2])
    generator, held = numpy.random.default_rng(8), 0
    for _ in range(draws):
        one, own, noise = generator.normal(size=(3, count))
        other = shared * one + math.sqrt(1 - shared ** 2) * own
        found = uncertainty._partial(numpy.array([one, other]), one + 0.5 * other + noise)
        low, high = uncertainty._fisher_interval(found, count - 1, confidence)
        held += (low < true) & (true < high)
    # Four standard deviations of a count at 0.9: 0.06.
    assert held / draws == pytest.approx([confidence, confidence], abs=0.06)


def test_parameters_that_determine_each_other_have_no_effect_of_their_own():
    numbers = numpy.random.default_rng(4).normal(size=(3, 33))
    found = uncertainty._partial(numpy.array([numbers[0], numbers[0], numbers[1]]), numbers[2])
    assert numpy.isnan(found).all()


@pytest.mark.parametrize("count", [1, 31, 33, 1000])
def test_indices_are_numbers_or_nan_for_any_number_of_instances(count):
    study = linear({"uniform": {"low": -1.0, "high": 1.0}}, {"uniform": {"low": -1.0, "high": 1.0}},
                   design={"kind": "monte_carlo", "seed": 1})
    found = uncertainty.given_data(study.replace(instances=count).run(progress=False))
    for values in found.indices["angle_rad"].values():
        assert values.shape == (2,) and numpy.isfinite(values).all() == (count > 20)


def test_a_table_that_is_not_independent_has_indices_without_intervals():
    generator = numpy.random.default_rng(2)
    study = linear(0.0, 0.0).with_samples({TORQUE: generator.normal(size=200), RATE: generator.normal(size=200)})
    found = uncertainty.given_data(study.run(progress=False))
    assert of(found, "first_order", TORQUE) == pytest.approx(0.5, abs=0.25)
    for index in ("first_order_low", "partial_rank_correlation_low", "partial_rank_correlation_high"):
        assert numpy.isnan(found.indices["angle_rad"][index]).all()
    assert numpy.isfinite(found.indices["angle_rad"]["partial_rank_correlation"]).all()


def test_without_parameters_or_quantities_it_is_refused():
    for study, said in ((linear(0.0, 0.0), "no varied parameters"), (myriad.Study(TOPS, quantities=None), "no quantities")):
        with study.run(progress=False) as result, pytest.raises(myriad.InputError, match=said):
            uncertainty.given_data(result)


def test_shares_of_numbers_of_the_user_are_those_of_their_parts():
    result = result_of(2.0, 1.0, 0.0, "sobol")
    torque, rate = result.parameters[TORQUE], result.parameters[RATE]
    difference = result.quantities["angle_rad"] - ANGLE_OF_TORQUE * torque
    found = uncertainty.given_data(result, difference_rad=difference, mixed=torque / torque.std() + 2 * rate / rate.std())

    assert list(found.indices) == ["angle_rad", "difference_rad", "mixed"]
    for name, exact in (("angle_rad", 0.8), ("difference_rad", 0.0), ("mixed", 0.2)):
        shares = found.indices[name]["first_order"]
        assert shares[found.parameters.index(TORQUE)] == pytest.approx(exact, abs=0.08)
        assert shares[found.parameters.index(RATE)] == pytest.approx(1.0 - exact, abs=0.08)


def test_numbers_of_the_user_count_as_the_same_quantity_does_without_failed_instances():
    with myriad.Study({**SOME_FAIL, "instances": 600}).run(progress=False) as result:
        assert 50 < result.failed < 550
        known = numpy.where(result.ok, result.quantities["largest_tilt_rad"], 1e9)
        found = uncertainty.given_data(result, known=known).indices
    for index, values in found["largest_tilt_rad"].items():
        numpy.testing.assert_array_equal(found["known"][index], values)


@pytest.mark.parametrize("values, said", [
    (numpy.zeros(31), r"its shape is \(31,\), and the result has 32 instances"), (1.0, r"its shape is \(\)"),
    (numpy.zeros((32, 1)), r"its shape is \(32, 1\)"), (["high"] * 32, "no real numbers"),
    (numpy.full(32, 1j), "no real numbers"), (numpy.full(32, numpy.nan), "no instance that ended well has a number")])
def test_numbers_that_do_not_fit_the_instances_are_refused(values, said):
    with linear({"uniform": {"low": -1.0, "high": 1.0}}, 0.3).run(progress=False) as result:
        with pytest.raises(myriad.InputError, match=f"swing.*{said}"):
            uncertainty.given_data(result, swing=values)
        with pytest.raises(myriad.InputError, match="angle_rad.*has a quantity of this name"):
            uncertainty.given_data(result, angle_rad=numpy.zeros(32))


def test_numbers_of_the_user_stand_for_quantities():
    with linear({"uniform": {"low": -1.0, "high": 1.0}}, 0.3, quantities=None).run(progress=False) as result:
        square = uncertainty.given_data(result, square=result.parameters[TORQUE] ** 2).indices["square"]
    assert square["first_order"] == pytest.approx([1.0], abs=0.08)


def test_the_table_has_a_row_for_each_quantity_and_parameter():
    pytest.importorskip("pandas")
    frame = uncertainty.given_data(result_of(2.0, 1.0, 0.0)).to_pandas()
    assert frame.loc[("angle_rad", TORQUE), "first_order"] == pytest.approx(0.8, abs=0.08)
