"""`bench import FOLDER`: what becomes of the models below a folder, and how far their accelerations are from MuJoCo's."""

import subprocess
import sys

import pytest

pytest.importorskip("mujoco", reason="the package mujoco, whose loader reads URDF and MJCF, is not installed")

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
