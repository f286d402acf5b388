"""The mean of a quantity by multilevel Monte Carlo, against closed forms and plain Monte Carlo."""

import math

import numpy
import pytest

import myriad
from conftest import DISC, INERTIA_KG_M2, STUDIES, TOPS
from myriad import multilevel

END_S, STEP_S = 0.8, 1e-2
MEAN_N_M, SPREAD_N_M = 3.0, 0.5
# The angle after END_S is torque t^2 / (2 J), by implicit Euler's step h (1 + h / t) times that.
EXACT_RAD = MEAN_N_M * END_S ** 2 / (2 * INERTIA_KG_M2)
AT_STEP_RAD = EXACT_RAD * (1 + STEP_S / END_S)


def discs(seed=1, integrator="implicit_euler", torque=None, **keys):
    distribution = torque or {"normal": {"mean": MEAN_N_M, "standard_deviation": SPREAD_N_M}}
    return myriad.Study(mechanism=DISC, integrator={"name": integrator, "step_s": STEP_S, "end_s": END_S}, instances=10,
                        design={"kind": "monte_carlo", "seed": seed}, parameters={"parameters.torque_N_m": distribution},
                        quantities={"final_rad": {"final": "angle"}}, **keys)


def test_it_is_unbiased_for_the_studys_step_and_its_standard_error_is_true():
    runs = 30
    scores = [(estimate.mean - AT_STEP_RAD) / estimate.standard_error for estimate in
              (multilevel(discs(seed), "final_rad", standard_error=0.02, halvings=1) for seed in range(runs))]
    # A sum of squares of normal numbers: its mean is 1 with a standard deviation of sqrt(2 / runs).
    assert abs(sum(scores)) < 4 * math.sqrt(runs)
    assert abs(sum(score ** 2 for score in scores) / runs - 1) < 4 * math.sqrt(2 / runs)


def test_its_interval_holds_the_mean_without_a_step():
    for seed in range(4):
        estimate = multilevel(discs(seed), "final_rad", standard_error=1e-3, confidence=0.9999)
        left = AT_STEP_RAD - EXACT_RAD
        assert left <= estimate.bias < 1.5 * left
        assert estimate.low < EXACT_RAD < estimate.high
        assert estimate.high - estimate.low == pytest.approx(2 * (3.8906 * estimate.standard_error + estimate.bias), 1e-4)


def test_it_reaches_the_standard_error_with_fewer_steps():
    study = discs()
    for halvings in (1, 3, 4):
        estimate = multilevel(study, "final_rad", standard_error=2e-3, halvings=halvings)
        assert estimate.standard_error < 1.05 * 2e-3
        assert estimate.cost < estimate.plain_cost
        # What plain Monte Carlo takes, by the closed form of the spread at the coarsest step.
        coarsest = 1 + STEP_S * 2 ** halvings / END_S
        variance = (SPREAD_N_M * END_S ** 2 / (2 * INERTIA_KG_M2) * coarsest) ** 2
        assert estimate.plain_cost == pytest.approx(variance / estimate.standard_error ** 2 * END_S / STEP_S, rel=0.2)
        steps = [END_S / STEP_S / 2 ** k for k in range(halvings, -1, -1)]
        assert estimate.cost == sum(level.instances * (own + (steps[k - 1] if k else 0))
                                    for k, (level, own) in enumerate(zip(estimate.levels, steps)))
        assert [level.step_s for level in estimate.levels] == pytest.approx([END_S / count for count in steps])
        assert all(after.variance < 0.3 * before.variance
                   for before, after in zip(estimate.levels, estimate.levels[1:]))


def test_it_may_be_asked_for_a_share_of_the_mean():
    estimate = multilevel(discs(), "final_rad", relative_standard_error=1e-3)
    assert 0.8e-3 * EXACT_RAD < estimate.standard_error < 1.05e-3 * EXACT_RAD


def test_it_agrees_with_plain_monte_carlo():
    study = myriad.Study(TOPS).replace({"integrator.step_s": 6.25e-4}, instances=20000)
    plain = study.run(progress=False).quantities["final_height_m"]
    estimate = multilevel(study, "final_height_m", standard_error=3e-4)
    both = math.hypot(estimate.standard_error, plain.std() / math.sqrt(len(plain)))
    assert abs(estimate.mean - plain.mean()) < 4 * both
    assert estimate.unit == "m"
    assert "times cheaper" in str(estimate) and "final_height_m" in str(estimate)


def test_its_numbers_are_those_of_the_seed():
    first, again, other = (multilevel(discs(seed), "final_rad", standard_error=1e-2) for seed in (5, 5, 6))
    assert first == again and first != other


def balls(strikes):
    return myriad.Study(mechanism=str(STUDIES.parent / "mechanisms/bouncing_ball.json"), instances=10,
                        integrator={"name": "moreau_midpoint", "step_s": 6.25e-3, "end_s": 2.0, "strikes": strikes},
                        parameters={"parameters.initial_height_m": {"uniform": {"low": 0.5, "high": 1.5}},
                                    "contacts.floor.normal_restitution": 0.9},
                        quantities={"last_m_s": {"final": "velocity.ball.y"}})


def test_impacts_at_ends_of_steps_are_refused():
    with pytest.raises(myriad.InputError, match="do not fall") as refusal:
        multilevel(balls("published"), "last_m_s", standard_error=1e-3)
    assert "impacts" in refusal.value.remedy


def test_impacts_within_steps_are_not_torn_apart():
    estimate = multilevel(balls("within_step"), "last_m_s", standard_error=1e-2)

    # Impact k has the speed e^k w before it, w = sqrt(2 g y_0), and is at w/g (1 + 2 (e + .. + e^k)).
    gravity, e = 9.81, 0.9
    first = numpy.sqrt(2 * gravity * (0.5 + (numpy.arange(100000) + 0.5) / 100000))
    ends = first / gravity
    velocity = -gravity * numpy.full_like(first, 2.0)
    for impact in range(1, 100):
        rebound = e ** impact * first
        velocity = numpy.where(ends < 2.0, rebound - gravity * (2.0 - ends), velocity)
        ends = ends + 2 * rebound / gravity
    assert abs(estimate.mean - velocity.mean()) < 4 * estimate.standard_error
    # Each difference of two steps is round-off.
    assert all(level.variance < 1e-24 for level in estimate.levels[1:])


def test_failures_are_told():
    # Beyond a quarter turn in a step the rotation's series ends.
    fast = myriad.Study(TOPS).replace({"integrator.step_s": 0.0125, "observe": None,
                                       "parameters.initial_angular_velocity_rad_s[2]": 400.0})
    with pytest.raises(myriad.RunFailure, match="instances failed"):
        multilevel(fast, "final_height_m", standard_error=1e-3, halvings=2)


@pytest.mark.parametrize("study, arguments, said", [
    (discs(), {"standard_error": 1e-3, "quantity": "final_ra"}, "final_rad"),
    (discs(), {}, "is missing"),
    (discs(), {"standard_error": 1e-3, "relative_standard_error": 1e-3}, "given twice"),
    (discs(), {"standard_error": -1.0}, "no standard error"),
    (discs(), {"standard_error": 1e-3, "halvings": 0}, "no number of halvings"),
    (discs(), {"standard_error": 1e-3, "halvings": 5}, "halvings=4"),
    (discs(), {"standard_error": 1e-3, "confidence": 95}, "no confidence"),
    (discs(), {"standard_error": 1e-6, "most_cost": 1e6}, "most_cost"),
    (discs(torque=3.0), {"standard_error": 1e-3}, "varies no parameter"),
    (discs(torque={"discrete": {"values": [-1.0, 1.0]}}), {"relative_standard_error": 1e-9}, "most_cost"),
    (discs(torque={"normal": {"mean": 0.0, "standard_deviation": 1e-280}}), {"relative_standard_error": 1e-300}, "share"),
    (myriad.Study(TOPS).replace({"integrator": {"name": "dopri5", "end_s": 0.05, "relative_tolerance": 1e-6,
                                                "absolute_tolerance": 1e-6}, "observe": None}),
     {"standard_error": 1e-3, "quantity": "final_height_m"}, "fixed steps"),
])
def test_what_it_cannot_be_asked_is_refused(study, arguments, said):
    quantity = arguments.pop("quantity", "final_rad")
    with pytest.raises(myriad.InputError) as refusal:
        multilevel(study, quantity, **arguments)
    assert said in str(refusal.value)
