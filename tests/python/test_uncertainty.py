"""Sobol indices and Morris' screening by SALib, against closed forms."""

import numpy
import pytest

import myriad
from conftest import ANGLE_OF_TORQUE, ANGLE_OF_RATE, linear

pytest.importorskip("SALib")
from myriad import uncertainty  # noqa: E402

def test_sobol_indices_of_a_linear_quantity_are_the_shares_of_its_variance():
    study = linear({"normal": {"mean": 0.0, "standard_deviation": 0.2 / ANGLE_OF_TORQUE}},
                   {"normal": {"mean": 0.3, "standard_deviation": 0.1}})

    found = uncertainty.sobol(study, 1024, progress=False)

    indices, torque = found.indices["angle_rad"], found.parameters.index("parameters.torque_N_m")
    assert found.result.instances == 1024 * 4
    for name in ("S1", "ST"):
        # Three times the half width of the interval to 95 %.
        assert indices[name][torque] == pytest.approx(0.8, abs=1.5 * indices[f"{name}_conf"][torque] + 0.01)
        assert indices[name][1 - torque] == pytest.approx(0.2, abs=1.5 * indices[f"{name}_conf"][1 - torque] + 0.01)
        assert (indices[f"{name}_conf"] < 0.15).all()


def test_morris_effects_of_a_linear_quantity_are_its_slopes():
    study = linear({"uniform": {"low": -1.0, "high": 1.0}}, {"uniform": {"low": 0.0, "high": 0.5}})

    found = uncertainty.morris(study, 10, progress=False)

    indices, torque = found.indices["angle_rad"], found.parameters.index("parameters.torque_N_m")
    # Over 98 % of a uniform range; rk4 gives a quadratic motion to round-off.
    assert indices["mu_star"][torque] == pytest.approx(0.98 * 2.0 * ANGLE_OF_TORQUE, rel=1e-10)
    assert indices["mu"][1 - torque] == pytest.approx(0.98 * 0.5 * ANGLE_OF_RATE, rel=1e-10)
    assert indices["sigma"] == pytest.approx([0, 0], abs=1e-10)


@pytest.mark.parametrize("spread", [
    {"uniform": {"low": -1.0, "high": 2.0}}, {"normal": {"mean": 1.0, "standard_deviation": 0.5}},
    {"truncated_normal": {"mean": 1.0, "standard_deviation": 0.5, "low": 0.8}},
    {"lognormal": {"mean": 2.0, "standard_deviation": 0.7}},
    {"lognormal": {"median": 2.0, "geometric_standard_deviation": 1.4}},
    {"triangular": {"low": -1.0, "mode": 0.2, "high": 2.0}}, {"beta": {"alpha": 2.0, "beta": 5.0, "low": 1, "high": 3}}])
def test_quantiles_are_those_of_the_studys_own_samples(spread):
    count = 4096
    study = linear(spread, 0.0).replace({"design": {"kind": "latin_hypercube", "seed": 1}}, instances=count)
    own = numpy.sort(study.sample()[:, 0])

    _, quantiles = uncertainty._problem(study, (0.0, 1.0))
    quantile = quantiles["parameters.torque_N_m"]

    # A Latin hypercube has one sample in each of its layers.
    layers = quantile(numpy.linspace(0, 1, count + 1))
    assert (layers[:-1] <= own * (1 + 1e-9) + 1e-9).all() and (own <= layers[1:] + 1e-9 * abs(layers[1:]) + 1e-9).all()


SPREAD = {"uniform": {"low": -1.0, "high": 1.0}}


@pytest.mark.parametrize("study, samples, said", [
    (linear({"discrete": {"values": [0, 1]}}, SPREAD), 64, "continuous distributions"),
    (linear(SPREAD, SPREAD, correlations=[
        {"between": ["parameters.torque_N_m", "parameters.rate_rad_s"], "correlation": 0.5}]), 64, "independent"),
    (linear(SPREAD, SPREAD), 100, "powers of two"), (linear(0.0, 0.0), 64, "varies none"),
    (linear(SPREAD, SPREAD).replace({"quantities": None}), 64, "nothing to be sensitive")])
def test_what_has_no_such_indices_is_refused(study, samples, said):
    with pytest.raises(myriad.InputError, match=said):
        uncertainty.sobol(study, samples, progress=False)


def test_a_failed_row_is_no_estimate_but_an_error_with_the_rows():
    study = myriad.Study(linear(SPREAD, SPREAD).to_dict(), quantities={
        "when_s": {"first_time_above": {"channel": "angle", "threshold": 0.1}}})
    with pytest.raises(myriad.RunFailure, match="when_s is undefined") as failure:
        uncertainty.sobol(study, 64, progress=False)
    assert failure.value.result.instances == 256
