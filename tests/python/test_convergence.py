"""Estimates from growing numbers of instances, and runs that end when an interval is narrow enough."""

import math

import h5py
import numpy
import pytest

import myriad
from conftest import SOME_FAIL, TOPS, linear
from myriad import _engine
from myriad.convergence import StopRule, convergence_of
from myriad.estimates import Sample, statistic_of

TILT = "largest_tilt_rad"


def discs(torque=None, seed=3, **more):
    """The angle is normal with mean 2 and standard deviation 0.5."""
    torque = torque or {"normal": {"mean": 2.0, "standard_deviation": 0.5}}
    return linear(torque, 0.0, design={"kind": "monte_carlo", "seed": seed}, **more)


def sample_of(values):
    return Sample(values, numpy.ones(len(values)), _engine.Intervals.independent(), "length_m", "m")


def require_same_datasets(one, other):
    with h5py.File(one) as first, h5py.File(other) as second:
        paths = []
        first.visititems(lambda path, item: paths.append(path) if isinstance(item, h5py.Dataset) else None)
        assert paths
        for path in paths:
            assert numpy.array_equal(first[path][()], second[path][()], equal_nan=first[path].dtype.kind == "f"), path


@pytest.mark.parametrize("count", [1, 31, 33, 1000])
@pytest.mark.parametrize("statistic", [statistic_of(), statistic_of(quantile=0.7), statistic_of(above=0.2)])
def test_each_look_is_the_estimate_from_the_first_instances(count, statistic):
    values = numpy.random.default_rng(count).normal(size=count)

    looks = convergence_of(sample_of(values), statistic, 0.9)

    assert looks.instances[-1] == count and (numpy.diff(looks.instances) > 0).all() and looks.instances[0] <= max(16, count)
    for k, size in enumerate(looks.instances):
        alone = sample_of(values[:size]).estimate(statistic, 0.9)
        for name in ("value", "low", "high", "half_width", "standard_error"):
            assert numpy.array_equal(getattr(looks, name)[k], getattr(alone, name), equal_nan=True)


def test_the_standard_error_of_the_mean_is_that_of_independent_values():
    values = numpy.random.default_rng(5).exponential(size=500)
    looks = convergence_of(sample_of(values), statistic_of(), 0.95, [2, 31, 500])
    for k, size in enumerate((2, 31, 500)):
        # Sums of up to 500 numbers in another order; Student's quantile goes in and out.
        assert looks.standard_error[k] == pytest.approx(values[:size].std(ddof=1) / math.sqrt(size), rel=1e-11)


def test_a_sobol_design_is_looked_at_where_its_replicates_are_balanced():
    study = myriad.Study(TOPS, instances=256, design={"kind": "sobol", "seed": 2, "replicates": 8})
    result = study.run(progress=False)

    looks = result.convergence(TILT)

    assert list(looks.instances) == [16, 32, 64, 128, 256]
    replicates = result.quantities[TILT].reshape(32, 8).mean(axis=0)
    # Sectioning: the spread of the replicates' means.
    assert looks.standard_error[-1] == pytest.approx(replicates.std(ddof=1) / math.sqrt(8), rel=1e-9)


def test_failures_are_counted_at_each_look():
    result = myriad.Study(SOME_FAIL).run(progress=False)
    looks = result.convergence("final_height_m", sizes=[10, 50, 100])
    assert list(looks.failed) == [(~result.ok[:size]).sum() for size in (10, 50, 100)] and looks.failed[-1] > 0
    assert list(looks.count + looks.failed) == [10, 50, 100]


@pytest.mark.parametrize("sizes", [[], [0], [5, 5], [5, 3], [11], [1.5], [[1]], "all"])
def test_sizes_that_are_none_are_refused(sizes):
    with pytest.raises(myriad.InputError, match="from 1 to 10"):
        convergence_of(sample_of(numpy.arange(10.0)), statistic_of(), 0.95, sizes)


@pytest.mark.parametrize("study, arguments", [
    (discs(), {"half_width": 0.02}), (discs(), {"relative": 0.012, "quantile": 0.9}),
    (discs(), {"half_width": 0.02, "above": 2.0}),
    (linear({"uniform": {"low": -1.0, "high": 5.0}}, {"uniform": {"low": 0.0, "high": 1.0}},
            design={"kind": "sobol", "seed": 1}), {"half_width": 2e-3, "minimum": 31})])
def test_it_ends_when_the_interval_is_narrow_with_the_bits_of_one_run(tmp_path, study, arguments):
    stopped = study.run_until("angle_rad", tmp_path / "grown.h5", cap=100_000, progress=False, **arguments)

    estimate, size = stopped.estimate, stopped.result.instances
    wanted = arguments.get("half_width") or arguments["relative"] * estimate.value
    assert stopped.reached and 0 < estimate.half_width <= wanted
    assert len(stopped.looks.instances) > 1 and stopped.looks.instances[-1] == size < 100_000
    assert (stopped.looks.half_width[:-1] > wanted).all() and "slightly less" in str(stopped)
    study.replace(instances=size).run(tmp_path / "once.h5", progress=False)
    require_same_datasets(tmp_path / "grown.h5", tmp_path / "once.h5")


def test_how_many_instances_it_takes_is_what_the_spread_asks_for():
    stopped = discs().run_until("angle_rad", half_width=0.01, cap=100_000, progress=False)
    # 1.96 * 0.5 / sqrt(n) = 0.01, and up to a tenth more, or a fourfold step.
    assert 0.9 * 9604 < stopped.result.instances < 1.3 * 9604
    assert stopped.estimate.low < 2.0 < stopped.estimate.high


@pytest.mark.parametrize("study, arguments, said", [
    (discs(), {"half_width": 1e-6}, "700 instances are the cap"),
    (discs({"normal": {"mean": 0.0, "standard_deviation": 1.0}}), {"relative": 0.01}, "holds zero"),
    (discs(), {"above": 99.0, "relative": 0.1}, "holds zero"),
    (discs(), {"quantile": 0.9999, "half_width": 0.1}, "needs 36887 instances")])
def test_a_rule_that_is_not_met_ends_at_the_cap_and_says_so(study, arguments, said):
    stopped = study.run_until("angle_rad", cap=700, progress=False, **arguments)

    assert not stopped.reached and stopped.result.instances == 700 and said in stopped.why
    assert "not reached" in str(stopped) and stopped.looks.instances[-1] == 700


def test_a_quantity_without_spread_is_known_at_once_and_said():
    same = discs({"normal": {"mean": 1.0, "standard_deviation": 1e-300}})
    stopped = same.run_until("angle_rad", half_width=1e-3, cap=10_000, progress=False)
    assert stopped.reached and stopped.result.instances == 256 and "all values are equal" in stopped.why


def test_where_all_fail_there_is_an_error_with_the_result():
    too_fast = {"initial_angular_velocity_rad_s[2]": {"uniform": {"low": 900, "high": 999}}}
    hopeless = myriad.Study(SOME_FAIL, parameters=too_fast)
    with pytest.raises(myriad.RunFailure, match="no instance has a value") as failure:
        hopeless.run_until("final_height_m", half_width=0.1, cap=500, progress=False)
    assert failure.value.result.instances == failure.value.result.failed == 256


def test_failures_beyond_what_the_study_allows_end_it_with_the_result():
    strict = myriad.Study(SOME_FAIL, allowed_failed_share=0.0)
    with pytest.raises(myriad.RunFailure, match="more than the study allows") as failure:
        strict.run_until("final_height_m", half_width=1e-3, cap=500, progress=False)
    assert failure.value.result.instances == 256
    stopped = myriad.Study(SOME_FAIL).run_until("final_height_m", half_width=1e-3, cap=300, progress=False)
    assert stopped.estimate.failed == stopped.result.failed > 0 and "failed ones are left out" in str(stopped)


def test_interrupted_it_keeps_the_file_and_goes_on_to_the_same_end(tmp_path):
    study = myriad.Study(TOPS, integrator={"name": "rk4", "step_s": 2e-5, "end_s": 1.0}, observe=None)
    rule = {"half_width": 0.02, "cap": 50_000, "minimum": 64, "chunk": 16}  # so that much is left when Ctrl-C comes
    out, interrupted = tmp_path / "r.h5", []

    def in_the_third_look(now):
        if now.instances > 256 and now.saved > 256:
            interrupted.append(now.instances)
            raise KeyboardInterrupt

    with pytest.raises(myriad.Interrupted):
        study.run_until(TILT, out, progress=in_the_third_look, **rule)
    with myriad.open(out) as kept:
        assert kept.instances == 256 and kept.ok.all()
    assert (tmp_path / "r.h5.journal").exists()

    again = study.run_until(TILT, out, resume=True, progress=False, **rule)

    whole = study.run_until(TILT, tmp_path / "whole.h5", progress=False, **rule)
    assert list(whole.looks.instances) == [64, 256, interrupted[0]] == [64, *again.looks.instances]
    require_same_datasets(out, tmp_path / "whole.h5")


def test_a_result_that_is_there_is_neither_lost_nor_mistaken(tmp_path):
    study, out = discs(), tmp_path / "r.h5"
    study.replace(instances=2000).run(out, progress=False)
    with pytest.raises(myriad.MyriadError, match="r.h5"):
        study.run_until("angle_rad", out, half_width=0.1, cap=5000, progress=False)
    with pytest.raises(myriad.InputError):
        discs(seed=4).run_until("angle_rad", out, half_width=0.1, cap=5000, progress=False, resume=True)

    stopped = study.run_until("angle_rad", out, half_width=0.1, cap=5000, progress=False, resume=True)

    assert stopped.result.instances == 2000 and stopped.reached and len(stopped.looks.instances) == 1


def test_intervals_that_decide_when_to_stop_hold_nearly_as_often_as_they_say():
    rule, runs, hits = StopRule(half_width=0.05, relative=None, minimum=256, cap=100_000), 1000, 0
    for seed in range(runs):
        generator = numpy.random.default_rng(seed)
        size = rule.first_size(_engine.Intervals.independent(), statistic_of(), 0.95)
        values = generator.normal(size=size)
        while True:
            sample = sample_of(values)
            estimate = sample.estimate(statistic_of(), 0.95)
            if rule.is_met(estimate):
                break
            size = rule.next_size(estimate, size, sample.intervals)
            values = numpy.append(values, generator.normal(size=size - len(values)))
        hits += estimate.low <= 0.0 <= estimate.high
    # Three standard deviations of a share of 1000 are 0.02.
    assert 0.95 - 0.02 <= hits / runs <= 0.95 + 0.02


@pytest.mark.parametrize("study, arguments, said", [
    (discs(), {"half_width": 0.0}, "half_width=0.0"), (discs(), {"half_width": -1.0}, "no interval becomes this narrow"),
    (discs(), {"half_width": math.nan}, "positive number"), (discs(), {"relative": 1.0}, "relative=1.0"),
    (discs(), {}, "is missing"), (discs(), {"half_width": 1.0, "relative": 0.1}, "given twice"),
    (discs(), {"half_width": 1.0, "cap": 100}, "first look"), (discs(), {"half_width": 1.0, "minimum": 1}, "minimum=1"),
    (discs(), {"half_width": 1.0, "quantile": 0.5, "above": 1.0}, "ask for one"),
    (discs(), {"half_width": 1.0, "confidence": 95}, "between 0 and 1"),
    (discs(), {"half_width": 1.0, "quantity": "angle_ra"}, "did you mean"),
    (discs(), {"half_width": 1.0, "shard": (0, 2)}, "whole study"),
    (discs().replace({"design": {"kind": "latin_hypercube", "seed": 1}}), {"half_width": 1.0}, "cannot grow with intervals"),
    (discs().with_samples({"parameters.torque_N_m": numpy.arange(9.0)}), {"half_width": 1.0}, "independent")])
def test_a_rule_that_cannot_be_meant_is_refused_before_anything_runs(study, arguments, said):
    arguments = {"quantity": "angle_rad", "cap": 500, **arguments}
    with pytest.raises(myriad.InputError) as refused:
        study.run_until(arguments.pop("quantity"), progress=False, **arguments)
    assert said in str(refused.value)


def test_a_table_ends_with_its_rows():
    torques = numpy.random.default_rng(1).normal(2.0, 0.5, size=400)
    study = discs().with_samples({"parameters.torque_N_m": torques}, independent=True)
    with pytest.raises(myriad.InputError, match="400"):
        study.run_until("angle_rad", half_width=1e-9, cap=401, progress=False)

    stopped = study.run_until("angle_rad", half_width=1e-9, cap=400, progress=False)

    assert list(stopped.looks.instances) == [256, 400] and not stopped.reached
    assert stopped.result.quantities["angle_rad"] == pytest.approx(torques, rel=1e-12)


def test_looks_are_a_table_for_pandas():
    pytest.importorskip("pandas")
    frame = convergence_of(sample_of(numpy.arange(100.0)), statistic_of(), 0.95, [10, 100]).to_pandas()
    assert list(frame.index) == [10, 100] and frame.loc[100, "value"] == 49.5 and frame.attrs["unit"] == "m"
