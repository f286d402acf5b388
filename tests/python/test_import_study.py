"""The study that `import` writes runs as it is, from a model to a page with an animation; `bench import FOLDER` says what becomes of
models, and how far their accelerations are from MuJoCo's."""

import json
import re
import subprocess
import sys

import numpy
import pytest

import myriad
from conftest import SOURCE, written
from myriad import import_model
from myriad.import_model import command

pytest.importorskip("mujoco", reason="the package mujoco, whose loader reads URDF and MJCF, is not installed")

MODELS = sorted((SOURCE / "tests" / "python" / "models").iterdir())
# The engine leaves gaps that are this deep as they are.
GAP_TOLERANCE = 1e-9


def imported(folder, monkeypatch, capsys, *arguments):
    """What the command prints, and a few instances of the study that it writes."""
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


ARM = """<mujoco><worldbody><body><joint name="a" axis="0 1 0" damping="0.2" armature="0.01"/><geom size="0.05 0.2" type="capsule"/>
  <body pos="0 0 0.4"><joint name="b" axis="1 0 0" stiffness="2"/><geom size="0.05 0.2" type="capsule"/><body pos="0 0 0.4">
  <joint name="c" type="slide" axis="1 1 0"/><geom size="0.03 0.04 0.05" type="box"/></body></body></body></worldbody>
  <actuator><position joint="b" kp="30" kv="2"/></actuator></mujoco>"""
# Its tendon runs over bodies and pulls with a spring, which is left out.
PULLED = """<mujoco><worldbody><site name="s" pos="0 0 1"/><body><joint axis="0 1 0"/><geom size="0.05" pos="0.2 0 0"/>
  <site name="t" pos="0.3 0 0"/></body></worldbody><tendon><spatial stiffness="90" springlength="0"><site site="s"/><site site="t"/>
  </spatial></tendon></mujoco>"""
FILES = {"arm.xml": ARM, "deep/pulled.xml": PULLED, "deep/settings.xml": "<settings/>", "part.xml": "<mujocoinclude/>",
         "stone.xml": '<mujoco><worldbody><geom size="1"/></worldbody></mujoco>', "broken.xml": "<mujoco><worldbody><what/></worldbody></mujoco>",
         "crowd.xml": "<mujoco><worldbody>" + 17 * '<body><joint/><geom size="0.1"/></body>' + "</worldbody></mujoco>"}
# Round-off of two accelerations.
SAME = 1e-13


def test_the_models_of_a_folder_are_counted_and_compared(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / "models" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    done = subprocess.run([sys.executable, "-m", "myriad", "bench", "import", tmp_path / "models", "--out", tmp_path / "list.tsv", "--jobs",
                           "1"], capture_output=True, text=True, check=False, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    for line in ("5 files; MuJoCo loads 4, and in 3 something moves", "import: 2 of 3 (67 %)",
                 "of articulated ones (3 joints or more, files of one size once): 1 of 2 (50 %)",
                 "accelerations agree with MuJoCo to 1e-06: 1 of 2 (50 %)", "refused: 1", "bodies move",
                 "of models of which all that acts is imported: 1 of 1 (100 %)", "differ, and a line says what is left out: 1", "deep/pulled.xml"):
        assert line in done.stdout
    rows = {row.split("\t")[0]: row.split("\t")[1:] for row in (tmp_path / "list.tsv").read_text().splitlines()}
    assert {name: row[0] for name, row in rows.items()} == {
        "arm.xml": "imports", "deep/pulled.xml": "imports", "stone.xml": "nothing moves", "broken.xml": "not loaded", "crowd.xml": "refused"}
    assert float(rows["arm.xml"][1].split(",")[0]) < SAME
    assert float(rows["deep/pulled.xml"][1].split(",")[0]) > 0.01


def test_a_folder_that_is_not_there_is_named(tmp_path):
    done = subprocess.run([sys.executable, "-m", "myriad", "bench", "import", tmp_path / "nowhere"], capture_output=True, text=True, check=False)

    assert done.returncode == 1 and "nowhere: there is no such folder" in done.stderr
