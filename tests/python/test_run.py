"""A study run from Python: the program's bits, progress, interruption, failures. What is shown of a run: a bar in a terminal
and in a notebook, nothing in a pipe."""

import gc
import json
import os
import pty
import re
import signal
import sys
import threading
import types

import numpy
import pytest

import myriad
from conftest import LONG, STUDIES, TOPS, datasets_of, run_program, run_python
from myriad.progress import Progress, Shown, bar_text


@pytest.mark.parametrize("study", ["heavy_top.json", "double_pendulum.json", "bouncing_ball.json", "free_rotation.json"])
def test_a_run_has_the_datasets_of_the_program_bit_for_bit(tmp_path, study):
    changes = {"instances": 70, "integrator.end_s": 0.2} if study != "bouncing_ball.json" else {"instances": 70}
    assignments = [argument for key, value in changes.items() for argument in ("-o", f"{key}={value}")]
    done = run_program("run", STUDIES / study, "--out", tmp_path / "program.h5", *assignments)
    assert done.returncode == 0, done.stderr

    myriad.Study(STUDIES / study).replace(changes).run(tmp_path / "python.h5", progress=False)

    assert datasets_of(tmp_path / "python.h5") == datasets_of(tmp_path / "program.h5")


def test_ranges_and_shards_are_rows_of_the_whole(tmp_path, tops):
    whole = tops.run(progress=False)

    some, shard = tops.run(range=(20, 53), progress=False), tops.run(shard="2/3", progress=False)

    assert list(some.id) == list(range(20, 53)) and list(shard.id) == list(range(66, 100))
    for part in (some, shard):
        for name in whole.quantities:
            assert numpy.array_equal(part.quantities[name], whole.quantities[name][part.id])
    with pytest.raises(myriad.InputError, match="range"):
        tops.run(range=(90, 101), progress=False)


def test_progress_is_told_and_ends_with_all(tops):
    told = []

    tops.run(progress=told.append)

    assert told and told[-1].saved == tops.instances and told[-1].share == 1.0
    assert all(0.0 <= now.share <= 1.0 for now in told)


def test_an_exception_in_progress_ends_the_run_and_keeps_what_is_finished(tmp_path):
    class Enough(Exception):
        pass

    def stop(now):
        if now.saved:
            raise Enough

    study, out = myriad.Study(LONG), tmp_path / "r.h5"
    with pytest.raises(Enough):
        study.run(out, progress=stop, chunk=100)

    assert not out.exists() and out.with_name("r.h5.journal").exists()
    shorter = myriad.Study(TOPS)
    with pytest.raises(myriad.InputError, match="another"):
        shorter.run(out, resume=True, progress=False)


def test_ctrl_c_keeps_what_is_finished_and_the_resumed_run_has_the_same_bits(tmp_path):
    study = myriad.Study(LONG, integrator={"name": "rk4", "step_s": 1e-4, "end_s": 2.0}, instances=600,
                          observe={"every_steps": 10000, "channels": ["position"]})
    whole = study.run(tmp_path / "whole.h5", progress=False)
    interrupted, out = threading.Event(), tmp_path / "r.h5"

    def press_once(now):
        if now.saved and not interrupted.is_set():
            interrupted.set()
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(myriad.Interrupted) as caught:
        study.run(out, progress=press_once, chunk=100)
    assert 0 < caught.value.finished < 600 and "resume=True" in str(caught.value)
    resumed = study.run(out, resume=True, progress=False)

    assert datasets_of(out)[0] == datasets_of(tmp_path / "whole.h5")[0]
    assert resumed.instances == whole.instances
    again = study.run(out, resume=True, progress=False)
    assert again.instances == 600


def test_an_alarm_of_the_users_ends_a_run_before_its_end(tmp_path):
    class TooLong(Exception):
        pass

    def ring(*_):
        raise TooLong

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(TooLong):
            myriad.Study(LONG, instances=20000).run(tmp_path / "r.h5", progress=False)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

    assert not (tmp_path / "r.h5").exists()


def test_an_extended_run_is_the_longer_one(tmp_path, tops):
    out = tmp_path / "r.h5"
    tops.run(out, progress=False)

    longer = tops.replace(instances=150).run(out, resume=True, progress=False)

    fresh = tops.replace(instances=150).run(progress=False)
    assert longer.instances == 150
    for name in fresh.quantities:
        assert numpy.array_equal(longer.quantities[name], fresh.quantities[name])


@pytest.mark.parametrize("design", [{"kind": "monte_carlo", "seed": 3}, {"kind": "sobol", "seed": 2}])
@pytest.mark.parametrize("out", ["r.h5", None])
def test_a_result_extends_itself_with_the_bits_of_a_longer_run(tmp_path, design, out):
    study = myriad.Study(TOPS, design=design, instances=64)
    result = study.run(None if out is None else tmp_path / out, progress=False)
    few = result.quantities["largest_tilt_rad"]

    assert result.extend(200, progress=False) is result

    assert result.instances == 200 and numpy.array_equal(result.quantities["largest_tilt_rad"][:64], few)
    longer = study.replace(instances=200).run(tmp_path / "longer.h5", progress=False)
    assert datasets_of(result.path)[0] == datasets_of(longer.path)[0]


def test_what_cannot_be_extended_is_refused_and_stays(tmp_path):
    latin = myriad.Study(TOPS, design={"kind": "latin_hypercube", "seed": 1}, instances=40).run(
        tmp_path / "latin.h5", progress=False)
    with pytest.raises(myriad.InputError, match="Latin hypercube has a fixed size"):
        latin.extend(80, progress=False)
    assert latin.instances == 40 and latin.quantities["largest_tilt_rad"].shape == (40,)

    result = myriad.Study(TOPS).run(tmp_path / "r.h5", progress=False)
    with pytest.raises(myriad.InputError, match="100"):
        result.extend(50, progress=False)
    assert result.instances == 100


def test_arrays_as_samples_are_extended_by_a_longer_table(tmp_path):
    masses = numpy.linspace(14, 16, 50)
    rest = {key: TOPS[key] for key in ("system", "integrator", "quantities")}
    study = myriad.Study(rest, samples={"mass_kg": masses[:20]})
    result = study.run(tmp_path / "r.h5", progress=False)
    with pytest.raises(myriad.InputError, match="longer arrays: .*resume=True"):
        result.extend(50, progress=False)
    del study
    gc.collect()
    with pytest.raises(myriad.InputError, match="longer arrays: .*resume=True"):
        result.extend(50, progress=False)

    longer = myriad.Study(rest, samples={"mass_kg": masses}).run(tmp_path / "r.h5", resume=True, progress=False)

    assert numpy.array_equal(longer.parameters["mass_kg"], masses)


def test_a_result_that_stands_is_not_replaced_unless_asked(tmp_path, tops):
    out = tmp_path / "r.h5"
    tops.run(out, progress=False)
    with pytest.raises(myriad.MyriadError, match="overwrite=True"):
        tops.run(out, progress=False)
    tops.replace(instances=3).run(out, overwrite=True, progress=False)
    assert myriad.open(out).instances == 3

    foreign = tmp_path / "notes.h5"
    foreign.write_text("notes of years")
    with pytest.raises(myriad.OutputError, match="not a result of Myriad"):
        tops.run(foreign, overwrite=True, progress=False)
    assert foreign.read_text() == "notes of years"


@pytest.mark.parametrize("arguments, error, said", [
    ({"out": "r.csv"}, myriad.InputError, "HDF5 file"),
    ({"backend": "gpu"}, myriad.InputError, "use one of: auto"),
    ({"backend": "cuda"}, myriad.DeviceError, "driver|toolkit|GPU|CUDA"),
    ({"threads": -2}, myriad.InputError, "threads"),
    ({"resume": True}, myriad.InputError, "give its path"),
    ({"too_many_failed": "ignore"}, myriad.InputError, "raise"),
    ({"check_step": 3.0}, myriad.InputError, "share"),
    ({"out": "/proc/nowhere/r.h5"}, myriad.OutputError, "nowhere")])
def test_wrong_arguments_are_refused_in_words(tops, arguments, error, said):
    if arguments.get("backend") == "cuda" and not myriad.backends()["cuda"].startswith("not available"):
        pytest.skip("this machine has a GPU")
    with pytest.raises(error, match=said):
        tops.run(**arguments, progress=False)


def test_too_many_failed_instances_raise_with_the_complete_result(tmp_path):
    wrong = {**TOPS, "parameters": {"mass_kg": {"discrete": {"values": [15.0, -1.0], "weights": [0.5, 0.5]}}}}
    study = myriad.Study(wrong)

    with pytest.raises(myriad.RunFailure, match="more than the study allows") as failure:
        study.run(progress=False)

    result = failure.value.result
    bad = result.parameters["mass_kg"] < 0
    assert 0 < result.failed == bad.sum() < result.instances
    assert set(result.status[bad]) == {"invalid_parameter"} and set(result.status[~bad]) == {"ok"}
    with pytest.warns(myriad.MyriadWarning, match="failed") as shown:
        assert study.run(progress=False, too_many_failed="warn").failed == bad.sum()
    assert shown[0].filename == __file__
    study.replace(allowed_failed_share=0.9).run(progress=False)


def test_what_the_program_warns_of_at_the_end_is_a_warning_and_stays_with_the_result(tmp_path):
    # In steps of 1 ms, 90 mm each, the shot goes from 40 mm before the target to 50 mm behind it.
    ball = {"mass_kg": 0.01, "inertia_kg_m2": [4e-7] * 3}
    study = myriad.Study({
        "mechanism": {"bodies": {"target": ball, "shot": {**ball, "position_m": [-0.94, 0, 0], "velocity_m_s": [90, 0, 0]}},
                      "contacts": {"hit": {"type": "sphere_sphere", "bodies": ["target", "shot"],
                                           "points_m": [[0, 0, 0], [0, 0, 0]], "radii_m": [0.01, 0.01]}}},
        "integrator": {"name": "nonsmooth_bathe", "step_s": 1e-3, "end_s": 0.02, "strikes": "published"}, "instances": 1})

    with pytest.warns(myriad.MyriadWarning, match=r"contacts\.hit") as shown:
        result = study.run(tmp_path / "jumped.h5", progress=False)

    assert shown[0].filename == __file__
    assert len(result.warnings) == 1 and result.warnings[0] == str(shown[0].message)
    assert result.certificate["jumped_contacts_largest"] == [1.0]
    assert "contacts.hit" in result.summary()
    assert study.replace({"integrator.step_s": 1e-5}).run(progress=False).warnings == []


def test_threads_of_python_may_run_studies_at_once(tops):
    expected = tops.run(progress=False).quantities["largest_tilt_rad"]
    found, errors = [], []

    def run():
        try:
            for _ in range(3):
                found.append(tops.run(progress=False).quantities["largest_tilt_rad"])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not errors and len(found) == 12
    assert all(numpy.array_equal(one, expected) for one in found)


def test_a_study_file_that_changes_later_does_not_change_the_study(tmp_path):
    path = tmp_path / "tops.json"
    path.write_text(json.dumps(TOPS))
    study = myriad.Study(path)
    path.write_text("{}")

    assert study.replace(instances=4).run(progress=False).instances == 4


def test_the_error_of_the_step_is_measured_where_asked(tops):
    result = tops.run(check_step=0.1, progress=False)

    assert "step_error_95" in result.statistics and numpy.isfinite(result.statistics["step_error_95"]).all()


def test_an_interruption_after_the_last_instance_is_not_lost(tmp_path):
    def at_the_end(now):
        if now.saved == now.instances:
            raise KeyboardInterrupt

    with pytest.raises(myriad.Interrupted, match="complete by then") as interrupted:
        myriad.Study(TOPS).run(tmp_path / "r.h5", progress=at_the_end)
    with interrupted.value.result as result:
        assert interrupted.value.finished == result.instances == len(result.ok)
    assert not (tmp_path / "r.h5.journal").exists()


# In chunks, so that there is something to show before the end.
IN_CHUNKS = {**TOPS, "integrator": {"name": "rk4", "step_s": 1e-5, "end_s": 0.05}}


def test_the_bar_says_how_much_is_done_and_how_long_the_rest_takes():
    half = bar_text(Progress(10000, 4900, 0.5, 30.0, 30.0))

    assert half == "[" + 20 * "#" + 20 * "." + "]  50.0 %  4,900 of 10,000 saved, 30 s left"
    assert "time left unknown" in bar_text(Progress(10, 0, 0.0, 0.0, None))
    assert "0 of 10 saved, retry 1 of 2, time" in bar_text(Progress(10, 0, 0.0, 0.0, None, "retry 1 of 2"))
    assert "25 min left" in bar_text(Progress(10, 1, 0.1, 9.0, 1500.0))
    assert "2.0 h left" in bar_text(Progress(10, 1, 0.1, 9.0, 7200.0))


def test_a_terminal_shows_a_bar_and_is_left_empty():
    parent, said = pty.fork()
    if parent == 0:
        code = f"import myriad; myriad.Study({IN_CHUNKS!r}).run(chunk=25)"
        os.execve(sys.executable, [sys.executable, "-c", code], {**os.environ, "TERM": "xterm"})
    text = b""
    while True:
        try:
            part = os.read(said, 65536)
        except OSError:  # Linux' way of saying that the terminal has closed
            break
        if not part:
            break
        text += part
    os.close(said)
    assert os.waitpid(parent, 0)[1] == 0

    assert re.search(rb"\r\[#+\.*\] +\d+\.\d %  \d+ of 100 saved", text)
    assert text.endswith(b"\r\x1b[K")


def test_a_pipe_gets_a_bar_only_where_it_is_asked_for():
    run = f"import myriad; myriad.Study({IN_CHUNKS!r}).run(chunk=25%s)"

    assert run_python(run % "") == (0, "", "")
    assert run_python(run % ", progress=False") == (0, "", "")
    code, said, errors = run_python(run % ", progress=True")
    assert (code, said) == (0, "") and "of 100 saved" in errors


def test_lines_instead_of_a_bar_where_no_control_sequences_are_wanted(monkeypatch, capsys):
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as changed:
            changed.setenv(name, value)
            myriad.Study(IN_CHUNKS).run(chunk=25, progress=True)
        said = capsys.readouterr().err

        assert "\x1b" not in said and "\r" not in said
        assert 1 <= said.count(" of 100 saved") <= 10


def test_a_notebook_replaces_one_line(monkeypatch):
    shown = []

    class Handle:
        def update(self, data, raw):
            assert raw
            shown.append(data["text/plain"])

    class ZMQInteractiveShell:
        pass

    def display(data, raw, display_id):
        assert raw and display_id
        return Handle()

    notebook = types.SimpleNamespace(get_ipython=ZMQInteractiveShell, display=types.SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython", notebook)

    myriad.Study(IN_CHUNKS).run(chunk=25)

    assert any("of 100 saved" in text for text in shown) and shown[-1] == ""


def test_what_was_finished_before_does_not_count_for_the_pace():
    told = []
    shown = Shown(told.append)
    shown.begin(500)
    shown(1000, 600, 0.0, 10.0)

    assert told == [Progress(1000, 600, 0.6, 10.0, 40.0)]


def spring_on(force, joint, drawn, backend):
    """Statuses of a body on a joint, of which one number of a force is drawn."""
    mechanism = {"bodies": {"bob": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.1, 0.1]}},
                 "joints": {"joint": {"type": joint, "bodies": ["ground", "bob"], "axes": [[0, 0, 1], [0, 0, 1]],
                                      "points_m": [[0, 0, 0], [0, 0, 0]]}},
                 "forces": {"force": force}}
    study = myriad.Study(mechanism=mechanism, integrator={"name": "generalized_alpha", "step_s": 1e-3, "end_s": 0.01},
                         samples={f"forces.force.{drawn}": [1.0, -1e-9, 0.0, -5.0]})
    return study.run(backend=backend, too_many_failed="warn", progress=False)


BETWEEN = {"bodies": ["ground", "bob"], "points_m": [[0, 0, 2], [0, 0, 0]]}
DRAWN = [({"type": "spring_damper", **BETWEEN, "rest_length_m": 2, "stiffness_N_m": 3}, "prismatic", "stiffness_N_m"),
         ({"type": "spring_damper", **BETWEEN, "damping_N_s_m": 3}, "prismatic", "damping_N_s_m"),
         ({"type": "linear_spring_damper", "joint": "joint", "damping_N_s_m": 3}, "prismatic", "damping_N_s_m"),
         ({"type": "torsional_spring_damper", "joint": "joint", "stiffness_N_m_rad": 3}, "revolute", "stiffness_N_m_rad"),
         ({"type": "bushing", **BETWEEN, "stiffness_N_m": [1, 1, 1], "damping_N_s_m": [1, 1, 1]}, "prismatic", "damping_N_s_m[1]"),
         ({"type": "bushing", **BETWEEN, "stiffness_N_m_rad": [1, 1, 1]}, "revolute", "stiffness_N_m_rad[2]")]


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("force, joint, drawn", DRAWN)
def test_a_drawn_value_that_the_file_may_not_have_ends_its_instance(force, joint, drawn, backend):
    result = spring_on(force, joint, drawn, backend)

    assert list(result.status) == ["ok", "invalid_parameter", "ok", "invalid_parameter"]


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_a_gain_of_a_controller_may_be_negative(backend):
    controller = {"type": "pd_controller", "joint": "joint", "target": 0.1, "proportional": 1, "derivative": 1}

    assert spring_on(controller, "revolute", "proportional", backend).ok.all()


# Sums of three products at round-off, in N.
FORCE_TOLERANCE_N = 1e-10


@pytest.mark.parametrize("method", ["energy_momentum_convective", "generalized_alpha", "rk4"])
@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_a_force_is_shown_in_the_shown_state(method, backend):
    points = {"bodies": ["ground", "bob"], "points_m": [[0, 0, 0], [0, 0, 0]]}
    mechanism = {"gravity_m_s2": [0, 0, 0],
                 "bodies": {"bob": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [0.5, 0, 0]}},
                 "forces": {"mount": {"type": "bushing", **points, "stiffness_N_m": [100, 100, 100], "damping_N_s_m": [2, 2, 2]},
                            "spring": {"type": "spring_damper", **points, "stiffness_N_m": 80, "rest_length_m": 0.2}},
                 "sensors": {"force": {"type": "exerted_force", "force": "mount"}, "tension": {"type": "tension", "force": "spring"}}}
    channels = ["force.x", "tension", "position.bob.x", "velocity.bob.x"]
    study = myriad.Study(mechanism=mechanism, integrator={"name": method, "step_s": 1e-2, "end_s": 0.05}, instances=1,
                         observe={"every_steps": 1, "channels": channels})

    force, tension, position, velocity = (study.run(backend=backend, progress=False).trajectories[name].ravel() for name in channels)

    assert numpy.abs(force + 100 * position + 2 * velocity).max() <= FORCE_TOLERANCE_N
    assert numpy.abs(tension - 80 * (position - 0.2)).max() <= FORCE_TOLERANCE_N
    assert numpy.ptp(force) > 1.0
