"""The study that `import` writes: it runs as it is, from a model to a page with an animation."""

import json
import re

import numpy
import pytest

import myriad
from conftest import SOURCE
from myriad import import_model
from myriad.import_model import command

pytest.importorskip("mujoco", reason="the package mujoco, whose loader reads URDF and MJCF, is not installed")

MODELS = sorted((SOURCE / "tests" / "python" / "models").iterdir())
# The engine leaves gaps that are this deep as they are.
GAP_TOLERANCE = 1e-9


def written(folder, text, name="robot.xml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def imported(folder, monkeypatch, capsys, *arguments):
    """What the command prints, and the study that it writes, of which a few instances are enough."""
    monkeypatch.chdir(folder)
    assert command.run(["import", *map(str, arguments)]) == 0
    study, = folder.glob("*_study.json")
    entries = json.loads(re.sub("^//.*", "", study.read_text(encoding="utf-8"), flags=re.MULTILINE))
    return capsys.readouterr().out, myriad.Study({**entries, "instances": 2}), entries


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.stem)
def test_bundled_models_come_to_a_page_with_an_animation(tmp_path, monkeypatch, capsys, model):
    said, study, _ = imported(tmp_path, monkeypatch, capsys, model)

    result = study.run(progress=False)
    page = myriad.report.write(result, tmp_path / "page.html", animation=True)

    assert result.ok.all() and "a study to start from; run it with: myriad run" in said
    text = (tmp_path / page).read_text(encoding="utf-8")
    assert 'id="picture-play"' in text and "bodies, joints and contacts of its mechanism's file" in text


HINGE = ('<mujoco><compiler angle="radian"/><worldbody><body name="arm"><joint name="j" axis="0 0 1" {}/>'
         '<geom size="0.1" pos="0.5 0 0" contype="0" conaffinity="0"/></body></worldbody></mujoco>')


@pytest.mark.parametrize("limits, without, method", [
    ("", [], "generalized_alpha"), ('limited="true" range="-1 1"', [], "nonsmooth_generalized_alpha"),
    ('limited="true" range="-1 1"', ["--without", "limits"], "generalized_alpha")])
def test_the_method_is_one_that_knows_what_the_mechanism_has(tmp_path, monkeypatch, capsys, limits, without, method):
    _, study, entries = imported(tmp_path, monkeypatch, capsys, written(tmp_path, HINGE.format(limits)), *without)

    assert entries["integrator"] == {"name": method, "step_s": 1e-3, "end_s": 1.0}
    assert study.run(progress=False).ok.all()


def test_a_study_that_is_there_is_kept(tmp_path, monkeypatch, capsys):
    path, study = written(tmp_path, HINGE.format("")), tmp_path / "robot_study.json"
    study.write_text("{}", encoding="utf-8")

    monkeypatch.chdir(tmp_path)
    assert command.run(["import", str(path)]) == 0

    assert "robot_study.json: it was there, and is kept" in capsys.readouterr().out and study.read_text(encoding="utf-8") == "{}"


def test_a_ball_that_starts_inside_the_floor_is_moved_out(tmp_path, monkeypatch, capsys):
    path = written(tmp_path, '<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="ball" pos="0 0 0.08"><freejoint/>'
                   '<geom name="ball" size="0.1"/></body></worldbody></mujoco>')

    said, study, entries = imported(tmp_path, monkeypatch, capsys, path)

    assert entries["integrator"]["initial_penetration"] == "project"
    assert 'its "initial_penetration": "project" first moves the model out of the floor' in said
    assert import_model.read(path).overlaps and not import_model.read(path, without=["contacts"]).overlaps
    # It rests on the floor, one radius above it, from the start to the end.
    heights = study.run(progress=False).trajectories["position"][:, :, 0, 2]
    assert numpy.abs(heights - 0.1).max() <= GAP_TOLERANCE


@pytest.mark.parametrize("limits", ['range="0.7853981234 2"', 'range="-2 -0.7853984999"', 'range="0.7 2" margin="0.0853981234"'])
def test_a_start_beyond_a_limit_is_cured_by_what_the_note_says(tmp_path, monkeypatch, capsys, limits):
    path = written(tmp_path, HINGE.format(f'limited="true" {limits}'))
    said, study, entries = imported(tmp_path, monkeypatch, capsys, path)

    cure = re.search(r"--start j=(\S+), or leave limits out", said)[1]
    started = import_model.read(path, start={"j": float(cure)})

    assert not started.overlaps and not any("beyond" in note for note in started.notes)
    assert import_model.read(path).overlaps and not import_model.read(path, without=["limits"]).overlaps
    # The study itself begins at the limit.
    assert entries["integrator"]["initial_penetration"] == "project"
    start = study.run(progress=False).trajectories["j_angle"][0, 0]
    assert start == pytest.approx(float(cure), abs=1e-6)
