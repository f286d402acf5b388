"""Ensembles in memory: the bits of a run however they are cut, parameters that close a loop, views, resets, refusals."""

import gc
import signal
import sys
import threading
import time

import numpy
import pytest

import myriad
from conftest import INERTIA_KG_M2, STUDIES, TOPS, discs

STATES = ("position", "orientation", "velocity", "angular_velocity")


def assert_same_bits(ensemble, result):
    for name, values in ensemble.quantities.items():
        assert numpy.array_equal(values, result.quantities[name], equal_nan=True), name
    for name in STATES:
        assert numpy.array_equal(getattr(ensemble, name), result.final_state[name], equal_nan=True), name
    assert numpy.array_equal(ensemble.time_s, result.final_state["time"])
    assert numpy.array_equal(ensemble.status, result.status)


@pytest.mark.parametrize("count", [1, 31, 33, 1000])
@pytest.mark.parametrize("threads", [1, 3])
def test_bits_are_those_of_a_run_at_every_size(count, threads):
    study = myriad.Study(TOPS, instances=count)
    ensemble = study.start(threads=threads)

    assert not ensemble.advance()

    assert_same_bits(ensemble, study.run(progress=False))


@pytest.mark.parametrize("study, end_s", [
    ("double_pendulum.json", 0.3), ("slider_crank_iftomm.json", 0.1), ("puma560.json", 0.1), ("bouncing_ball.json", 0.7),
    ("free_rotation.json", 0.3), ("pendulum_wall.json", 0.5), ("spring_pendulum.json", 0.2)])
def test_bits_are_those_of_a_run_however_the_motion_is_cut(study, end_s):
    study = myriad.Study(STUDIES / study).replace({"integrator.end_s": end_s})
    if study.instances > 45 and study.to_dict()["design"]["kind"] != "grid":
        study = study.replace(instances=45)
    ensemble = study.start()
    generator = numpy.random.default_rng(2)

    until = 0.0
    while ensemble.advance(until):
        ensemble.channel("position")
        until += generator.uniform(0.0, 0.1) * end_s

    assert_same_bits(ensemble, study.run(progress=False, too_many_failed="warn"))


@pytest.mark.parametrize("integrator", [
    {"name": "dopri5", "relative_tolerance": 1e-6, "absolute_tolerance": 1e-8, "end_s": 0.05},
    {"name": "rk4", "step_s": 7e-4, "end_s": 0.05}])
def test_adaptive_steps_and_a_shorter_last_step_have_the_bits_of_a_run(integrator):
    study = myriad.Study(TOPS, integrator=integrator, observe=None)
    ensemble = study.start()
    while ensemble.advance(by=0.007):
        assert (ensemble.time_s[ensemble.running] >= 0.007 - 1e-12).all()

    assert_same_bits(ensemble, study.run(progress=False))


def test_single_precision_has_the_bits_of_a_run_and_views_of_floats():
    study = myriad.Study(TOPS, precision="fp32")
    ensemble = study.start()
    ensemble.advance(0.02)
    assert ensemble.state_tiles.dtype == numpy.float32
    ensemble.advance()

    assert_same_bits(ensemble, study.run(progress=False))


def test_a_range_has_the_rows_of_the_whole():
    study = myriad.Study(TOPS)
    part = study.start(range=(20, 53))
    part.advance()
    whole = study.run(progress=False)

    assert (part.first, part.instances) == (20, 33)
    assert numpy.array_equal(part.quantities["largest_tilt_rad"], whole.quantities["largest_tilt_rad"][20:53])


def test_it_stops_at_the_first_step_that_reaches_the_time():
    ensemble = myriad.Study(TOPS).start()

    assert ensemble.advance(0.0105)
    assert ensemble.time_s == pytest.approx(0.011, rel=1e-12)  # steps of a millisecond
    assert ensemble.advance(0.020)
    assert ensemble.time_s == pytest.approx(0.020, rel=1e-12)
    assert ensemble.advance(by=0.003)
    assert ensemble.time_s == pytest.approx(0.023, rel=1e-12)
    assert not ensemble.advance(99.0)
    assert set(ensemble.status) == {"ok"} and not ensemble.advance(by=1.0)


# Round-off and Newton's tolerance over 200 steps.
TOLERANCE = 1e-11


def euler(angle, rate, acceleration, step_s, steps):
    """What implicit Euler makes of a constant acceleration."""
    return (angle + steps * step_s * rate + step_s**2 * acceleration * steps * (steps + 1) / 2,
            rate + steps * step_s * acceleration)


def test_torques_set_between_pieces_act_from_the_next_step_on():
    torques, step_s = numpy.random.default_rng(1).uniform(-1, 1, 33), 1e-2
    ensemble = discs(torques, step_s=step_s).start()
    acceleration = torques / INERTIA_KG_M2

    ensemble.advance(1.0)
    angle, rate = euler(0, 0, acceleration, step_s, 100)
    assert ensemble.channel("angle") == pytest.approx(angle, abs=TOLERANCE)
    ensemble.parameters["parameters.torque_N_m"] = -2 * torques
    ensemble.advance(2.0)

    angle, rate = euler(angle, rate, -2 * acceleration, step_s, 100)
    assert ensemble.channel("rate") == pytest.approx(rate, abs=TOLERANCE)
    assert ensemble.channel("angle") == pytest.approx(angle, abs=TOLERANCE)
    assert numpy.array_equal(ensemble.parameters["parameters.torque_N_m"], -2 * torques)


@pytest.mark.parametrize("method", ["rk4", "generalized_alpha"])
def test_a_torque_acts_from_the_first_stage_of_the_next_step_on(method):
    ensemble = discs(numpy.ones(3), method, step_s=1e-2).start()
    ensemble.advance(1.0)
    ensemble.parameters["parameters.torque_N_m"] = -2.0
    ensemble.advance(2.0)

    assert ensemble.channel("rate") == pytest.approx((1.0 - 2.0) / INERTIA_KG_M2, abs=TOLERANCE)
    assert ensemble.channel("angle") == pytest.approx((0.5 + 1.0 - 1.0) / INERTIA_KG_M2, abs=TOLERANCE)


def test_values_that_are_none_end_their_instances_before_the_next_step():
    ensemble = myriad.Study(TOPS).start()
    ensemble.advance(0.01)
    masses = ensemble.parameters["mass_kg"]
    masses[[3, 40]] = -1.0
    ensemble.set_parameters({"mass_kg": masses}, trial=False)
    ensemble.advance(0.02)

    assert list(numpy.flatnonzero(ensemble.status != "running")) == [3, 40]
    assert set(ensemble.status[[3, 40]]) == {"invalid_parameter"}
    assert ensemble.time_s[[3, 40]] == pytest.approx(0.01) and ensemble.time_s[0] == pytest.approx(0.02)


def test_a_controller_in_python_brings_discs_to_rest_as_its_own_equation_says():
    stiffness, damping, step_s, control_s = 8.0, 4.0, 1e-3, 1e-2
    ensemble = discs(numpy.zeros(8), end_s=4.0, step_s=step_s).start()
    goals = numpy.linspace(-1, 1, 8)
    angle, rate = numpy.zeros(8), numpy.zeros(8)
    while True:
        torque = stiffness * (goals - ensemble.channel("angle")) - damping * ensemble.channel("rate")
        ensemble.parameters["parameters.torque_N_m"] = torque
        angle, rate = euler(angle, rate, (stiffness * (goals - angle) - damping * rate) / INERTIA_KG_M2, step_s, 10)
        if not ensemble.advance(by=control_s):
            break
        assert ensemble.channel("angle") == pytest.approx(angle, abs=TOLERANCE)

    # Both rates of decay are 4 /s: 4 s leave 17 e^-16 of the way.
    assert ensemble.channel("angle") == pytest.approx(goals, abs=1e-5)


def test_parameters_that_stay_the_same_change_no_bit():
    study = myriad.Study(TOPS)
    ensemble = study.start()
    while ensemble.advance(by=0.01):
        for name in ensemble.parameters:
            ensemble.parameters[name] = ensemble.parameters[name]

    assert_same_bits(ensemble, study.run(progress=False))


@pytest.mark.parametrize("trial", [True, False])
def test_several_parameters_are_set_at_once_or_not_at_all(trial):
    ensemble = myriad.Study(TOPS).start()
    ensemble.advance(0.01)
    before = {name: ensemble.parameters[name] for name in ensemble.parameters}
    with pytest.raises(myriad.InputError):
        ensemble.set_parameters({"mass_kg": 14.0, "initial_rotation_vector_rad[0]": numpy.ones(3)}, trial=trial)
    assert all(numpy.array_equal(ensemble.parameters[name], before[name]) for name in before)

    ensemble.set_parameters({"mass_kg": 14.0, "initial_rotation_vector_rad[0]": numpy.linspace(0, 1, 100)}, trial=trial)

    assert (ensemble.parameters["mass_kg"] == 14.0).all()
    assert numpy.array_equal(ensemble.parameters["initial_rotation_vector_rad[0]"], numpy.linspace(0, 1, 100))
    ensemble.reset()
    ensemble.advance()
    sampled = myriad.Study({key: TOPS[key] for key in ("system", "integrator", "quantities")}, samples={
        name: ensemble.parameters[name] for name in ensemble.parameters})
    assert_same_bits(ensemble, sampled.run(progress=False))


def test_reset_rows_begin_anew_and_others_do_not_notice():
    study = myriad.Study(TOPS)
    ensemble = study.start()
    ensemble.advance(0.02)
    rows = numpy.array([0, 7, 31, 32, 99])
    ensemble.reset(rows)
    assert (ensemble.time_s[rows] == 0).all() and (ensemble.time_s[[1, 98]] > 0.019).all()
    ensemble.advance()
    assert_same_bits(ensemble, study.run(progress=False))

    ensemble.reset()
    assert ensemble.running.all() and (ensemble.time_s == 0).all()
    ensemble.advance()
    assert_same_bits(ensemble, study.run(progress=False))


def test_a_mean_before_the_first_step_is_the_value_at_the_start():
    study = myriad.Study({
        "mechanism": {
            "bodies": {"slide": {"mass_kg": 1.5, "inertia_kg_m2": [0.1, 0.2, 0.3]}},
            "joints": {"rail": {"type": "prismatic", "bodies": ["ground", "slide"], "points_m": [[0, 0, 0], [0, 0, 0]],
                                "axes": [[0, 0, 1], [0, 0, 1]], "displacement_m": 0.35, "displacement_rate_m_s": 0.2}},
            "sensors": {"way": {"type": "displacement", "joint": "rail"}}},
        "integrator": {"name": "rk4", "step_s": 0.01, "end_s": 0.5}, "instances": 1,
        "quantities": {"mean_m": {"mean": "way"}, "mean_m_s": {"mean": "velocity.slide.z"}}})
    ensemble = study.start()

    assert ensemble.quantities == {"mean_m": [0.35], "mean_m_s": [0.2]}

    ensemble.advance()
    assert ensemble.quantities["mean_m"] == pytest.approx([0.35 + 0.2 * 0.5 / 2], abs=1e-14)  # round-off of 50 steps


def test_reset_rows_take_their_new_parameters():
    ensemble = discs(numpy.ones(5)).start()
    ensemble.advance(1.0)
    torques = numpy.array([1.0, 1.0, 3.0, 1.0, 1.0])
    ensemble.parameters["parameters.torque_N_m"] = torques
    ensemble.reset(torques == 3.0)
    ensemble.advance(1.0)

    assert ensemble.channel("rate")[2] == pytest.approx(3.0 / INERTIA_KG_M2, abs=TOLERANCE)
    assert ensemble.channel("rate")[1] == pytest.approx(1.0 / INERTIA_KG_M2, abs=TOLERANCE)


def test_tiles_are_a_view_that_follows_the_motion_and_keeps_its_memory():
    ensemble = myriad.Study(TOPS, instances=40).start()
    view = ensemble.state_tiles
    assert view.shape == (2, 13, 32) and not view.flags.owndata and not view.flags.writeable
    assert numpy.shares_memory(view, ensemble.state_tiles)
    before = view.copy()
    ensemble.advance(0.02)
    assert not numpy.array_equal(view, before)
    assert numpy.array_equal(view[1, 0:3, 5], ensemble.position[37, 0])
    assert numpy.array_equal(view[0, 3:7, 9], ensemble.orientation[9, 0])

    expected = view.copy()
    del ensemble
    gc.collect()
    assert numpy.array_equal(view, expected)


def test_channels_have_axes_of_bodies_and_components():
    ensemble = myriad.Study(STUDIES / "double_pendulum.json", instances=5).start()
    ensemble.advance(0.1)

    assert ensemble.channel("position").shape == (5, 2, 3)
    assert ensemble.channel("position.lower_rod").shape == (5, 3)
    assert ensemble.channel("position.lower_rod.z").shape == (5,)
    assert ensemble.channel("orientation").shape == (5, 2, 4)
    assert ensemble.channel("energy").shape == (5,)
    assert numpy.array_equal(ensemble.channel("position"), ensemble.position)
    norm = ensemble.channel("velocity.lower_rod.norm")
    assert norm == pytest.approx(numpy.linalg.norm(ensemble.velocity[:, 1], axis=1), rel=1e-14)


@pytest.mark.parametrize("values, said", [
    (numpy.ones(7), r"shape \(7,\)"), (numpy.ones((100, 1)), r"shape \(100, 1\)"), (["a"] * 100, "no array of numbers"),
    (numpy.ones(100, dtype=complex), "no array of numbers"), (numpy.full(100, numpy.nan), "not finite"),
    (numpy.full(100, -1.0), "instance 0: with its new parameters it could not begin: invalid_parameter")])
def test_parameters_of_the_wrong_shape_type_or_value_are_refused_and_change_nothing(values, said):
    study = myriad.Study(TOPS)
    ensemble = study.start()
    ensemble.advance(0.02)
    with pytest.raises(myriad.InputError, match=said):
        ensemble.parameters["mass_kg"] = values

    ensemble.advance()
    assert_same_bits(ensemble, study.run(progress=False))


def test_names_and_times_that_make_no_sense_are_refused():
    ensemble = myriad.Study(TOPS).start()
    with pytest.raises(myriad.UnknownName, match='did you mean "mass_kg"'):
        ensemble.parameters["mas_kg"] = 1.0
    with pytest.raises(myriad.InputError, match="same value in all instances(.|\n)*samples="):
        ensemble.parameters["centre_of_mass_m[1]"] = 1.0
    with pytest.raises(myriad.InputError, match='did you mean "tilt"'):
        ensemble.channel("tlt")
    with pytest.raises(myriad.InputError, match="not a number"):
        ensemble.advance(float("nan"))
    with pytest.raises(myriad.InputError, match="give one of them"):
        ensemble.advance(1.0, by=1.0)
    for by in (0, 0.0, -1e-3, float("-inf"), float("nan")):
        with pytest.raises(myriad.InputError, match=r"advance\(by=.*\n.*more than 0"):
            ensemble.advance(by=by)
    assert ensemble.advance(0.0) and (ensemble.time_s == 0).all()  # the present time: nothing is left to do
    for rows in ([100], [-1], [0.5], numpy.zeros(3, dtype=bool), [[1]]):
        with pytest.raises(myriad.InputError, match="reset"):
            ensemble.reset(rows)


def test_a_failed_instance_ends_alone():
    study = myriad.Study(TOPS, parameters={"mass_kg": {"discrete": {"values": [15.0, -1.0], "weights": [0.5, 0.5]}}})
    ensemble = study.start()
    ensemble.advance()

    assert_same_bits(ensemble, study.run(progress=False, too_many_failed="warn"))
    assert {"ok", "invalid_parameter"} == set(ensemble.status)


def wait_until_in_advance(thread):
    while sys._current_frames()[thread].f_code.co_name != "advance":
        time.sleep(0.01)


def test_ctrl_c_leaves_an_ensemble_that_goes_on():
    study = myriad.Study(TOPS, instances=33, integrator={"name": "rk4", "step_s": 1e-6, "end_s": 40.0}, observe=None)
    ensemble = study.start(threads=1)
    # A job in the background begins with the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    main = threading.get_ident()
    presser = threading.Thread(target=lambda: (wait_until_in_advance(main), signal.pthread_kill(main, signal.SIGINT)))
    try:
        with pytest.raises(KeyboardInterrupt):
            presser.start()
            ensemble.advance()
    finally:
        presser.join()
        signal.signal(signal.SIGINT, before)

    assert ensemble.running.all() and ensemble.time_s.min() == ensemble.time_s.max() < 40.0
    assert ensemble.advance(by=1e-3)


def test_two_threads_do_not_share_an_ensemble_by_accident():
    study = myriad.Study(TOPS, instances=64, integrator={"name": "rk4", "step_s": 1e-6, "end_s": 2.0}, observe=None)
    ensemble = study.start(threads=1)

    def advance():
        while True:
            try:
                return ensemble.advance()
            except myriad.InputError:
                pass  # the other one was first

    thread = threading.Thread(target=advance)
    thread.start()
    try:
        with pytest.raises(myriad.InputError, match="another thread"):
            while thread.is_alive():
                ensemble.time_s
    finally:
        thread.join()

    assert set(ensemble.status) == {"ok"}
