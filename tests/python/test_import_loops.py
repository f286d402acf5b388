"""Equalities of a model: sites close loops as bodies do, sums of joints are couplings, and a gap at the start is told."""

import numpy
import pytest

import myriad
from myriad import import_model

mujoco = pytest.importorskip("mujoco", reason="the package mujoco, whose loader reads URDF and MJCF, is not installed")

END_S = 0.5
# Both step alike, in the same coordinates.
SAME = 1e-12
# Of a motion with a constant acceleration, to round-off of some hundred steps.
ROUND_OFF = 1e-10

# A four-bar; the site of the rod and the site of the rocker are where it closes, turned alike in the world.
FOUR_BAR = """<mujoco><compiler angle="radian"/><worldbody>
  <body name="crank"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.02" mass="1"/>
    <body name="rod" pos="0 0 0.3"><joint name="b" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.6 0 0.2" size="0.02" mass="1"/>
      <site name="end" pos="0.6 0 0.2" quat="0.8 0.6 0 0"/></body></body>
  <body name="rocker" pos="0.6 0 0" quat="0.6 0 0.8 0"><joint name="c" axis="0 1 0"/>
    <geom type="capsule" pos="0.1 0 0" size="0.02 0.1" mass="1"/>
    <site name="tip" pos="{tip}" quat="{turn}"/></body>
  </worldbody><equality><{kind} name="pin" {sides}/></equality></mujoco>"""


def four_bar(folder, kind, sides, shift=0.0):
    # The tip in the rocker's axes: [0, 0, 0.5] of the world, turned back; and the quaternion that has both sites alike.
    back = numpy.array([0.6, 0.0, -0.8, 0.0])
    tip, turn = numpy.empty(3), numpy.empty(4)
    mujoco.mju_rotVecQuat(tip, numpy.array([0.0, 0.0, 0.5 + shift]), back)
    mujoco.mju_mulQuat(turn, back, numpy.array([0.8, 0.6, 0.0, 0.0]))
    text = FOUR_BAR.format(kind=kind, sides=sides, tip=" ".join(map(repr, tip.tolist())), turn=" ".join(map(repr, turn.tolist())))
    path = folder / f"{kind}_{sides.split('=')[0]}_{shift}.xml"
    path.write_text(text, encoding="utf-8")
    return path


def final_angle(imported):
    study = myriad.Study(mechanism=imported.mechanism, integrator={"name": "rk4", "step_s": 1e-3, "end_s": END_S}, instances=1,
                         quantities={"crank_rad": {"final": "a_angle"}})
    result = study.run(progress=False)
    assert result.ok.all()
    return result.quantities["crank_rad"][0]


def test_a_connect_of_sites_is_that_of_the_same_points_of_bodies(tmp_path):
    of_sites = import_model.read(four_bar(tmp_path, "connect", 'site1="end" site2="tip"'), without=["contacts"])
    of_bodies = import_model.read(four_bar(tmp_path, "connect", 'body1="rod" body2="rocker" anchor="0.6 0 0.2"'), without=["contacts"])

    assert myriad.Mechanism(of_sites.mechanism).freedoms == 1 and not of_sites.left_out
    assert numpy.allclose(of_sites.mechanism["joints"]["pin"]["points_m"], of_bodies.mechanism["joints"]["pin"]["points_m"],
                          rtol=0, atol=SAME)
    angle = final_angle(of_bodies)
    assert abs(angle) > 0.1 and final_angle(of_sites) == pytest.approx(angle, abs=SAME)


def test_a_weld_of_sites_holds_their_frames_together(tmp_path):
    welded = import_model.read(four_bar(tmp_path, "weld", 'site1="end" site2="tip"'), without=["contacts"])

    assert welded.mechanism["joints"]["pin"]["type"] == "fixed"
    assert myriad.Mechanism(welded.mechanism).freedoms == 0


def test_a_weld_of_sites_that_start_apart_is_left_out_with_the_distance(tmp_path):
    path = four_bar(tmp_path, "weld", 'site1="end" site2="tip"', shift=0.02)

    left_out, = import_model.read(path, without=["contacts"]).left_out

    assert left_out.startswith(f'{path}:8, <weld name="pin">: it holds another pose than the one at the start, 0.02 m and ')

def test_a_gap_at_the_start_is_closed_by_assembly_and_told(tmp_path):
    path = four_bar(tmp_path, "connect", 'site1="end" site2="tip"', shift=0.005)

    imported = import_model.read(path, without=["contacts"])

    assert imported.differs[0].startswith(f'{path}:8, <connect name="pin">: its points are 0.005 m apart at the start')
    assert abs(final_angle(imported)) > 0.1


# Three wheels that do not touch.
WHEELS = """<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>
  <body><joint name="a" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 0.3"/></body>
  <body><joint name="b" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 0.2"/></body>
  <body><joint name="c" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 0.1"/></body></worldbody>
  <equality>
    {equalities}
  </equality><actuator><motor name="drive" joint="b"/></actuator><keyframe><key name="driven" ctrl="0.7"/></keyframe></mujoco>"""
GEARS = '<joint joint1="a" joint2="b" polycoef="0 2 0 0 0"/><joint joint1="b" joint2="c" polycoef="0.1 -0.5 0 0 0"/>\n    '


# a = 2 b, b = 0.1 - c / 2, so that a = 0.2 - c.
@pytest.mark.parametrize("third, freedoms, title, what", [
    ('<joint name="same" joint1="a" joint2="b" polycoef="0 2 0 0 0"/>', 1, "notes", "it follows from the equalities before it, and is left out"),
    ('<joint name="back" joint1="b" joint2="a" polycoef="0 0.5 0 0 0"/>', 1, "notes", "it follows from the equalities before it"),
    ('<joint name="round" joint1="c" joint2="a" polycoef="0.2 -1 0 0 0"/>', 1, "notes", "it follows from the equalities before it"),
    ('<joint name="else" joint1="c" joint2="a" polycoef="0.5 -1 0 0 0"/>', 1, "left_out", "it contradicts the equalities before it by 0.3"),
    # a = c + 0.3 holds with a = 0.2 - c at c = -0.05 alone.
    ('<joint name="fixes" joint1="a" joint2="c" polycoef="0.3 1 0 0 0"/>', 0, "notes", ""),
], ids=["the same", "reversed", "round a circle", "a contradiction", "a value"])
def test_equalities_that_follow_from_others_are_left_out_by_name(tmp_path, third, freedoms, title, what):
    path = tmp_path / "wheels.xml"
    path.write_text(WHEELS.format(equalities=GEARS + third), encoding="utf-8")

    imported = import_model.read(path, keyframe="driven")

    name = third.split('"')[1]
    assert myriad.Mechanism(imported.mechanism).freedoms == freedoms
    assert any(line.startswith(f'{path}:7, <joint name="{name}">: {what}') for line in getattr(imported, title)) == bool(what)
    study = myriad.Study(mechanism=imported.mechanism, integrator={"name": "rk4", "step_s": 1e-3, "end_s": END_S}, instances=1,
                         quantities={name: {"final": f"{name}_angle"} for name in "abc"})
    a, b, c = (float(study.run(progress=False).quantities[name][0]) for name in "abc")
    # MuJoCo's start has all at zero; the wheel that the others follow stays there.
    turned = 0.5 * 0.7 / (0.2 + 2**2 * 0.3 + 2**2 * 0.1) * END_S**2
    assert [a, b, c] == pytest.approx([0.25, 0.125, -0.05] if not freedoms else [0.2 + 2 * turned, 0.1 + turned, -2 * turned], abs=ROUND_OFF)


# Two carriages on a rail; the sum of one and twice the other is a tendon.
CARRIAGES = """<mujoco><option gravity="0 0 0"/><worldbody>
  <body><joint name="x" type="slide" axis="1 0 0" ref="0.1"/><geom size="0.1" mass="2" contype="0" conaffinity="0"/></body>
  <body pos="0 1 0"><joint name="y" type="slide" axis="1 0 0"/><geom size="0.1" mass="3" contype="0" conaffinity="0"/></body>
  <body pos="0 2 0"><joint name="z" type="slide" axis="1 0 0"/><geom size="0.1" mass="1" contype="0" conaffinity="0"/></body></worldbody>
  <tendon><fixed name="sum"><joint joint="x" coef="1"/><joint joint="y" coef="2"/></fixed>
    <fixed name="single"><joint joint="z" coef="-4"/></fixed></tendon>
  <equality>{equality}</equality><actuator><motor name="pull" joint="y"/></actuator>
  <keyframe><key name="pulled" qpos="0.1 0 0" ctrl="0.7"/></keyframe></mujoco>"""


def carriages(folder, equality):
    path = folder / "carriages.xml"
    path.write_text(CARRIAGES.format(equality=equality), encoding="utf-8")
    return path


def test_a_tendon_that_keeps_its_length_couples_two_joints(tmp_path):
    imported = import_model.read(carriages(tmp_path, '<tendon name="rope" tendon1="sum" polycoef="0.04"/>'), keyframe="pulled",
                                 strict=True)
    # x + 2 y is 0.1 at the initial coordinates, and 0.04 more is asked for: x starts at 0.14.
    study = myriad.Study(mechanism=imported.mechanism, integrator={"name": "rk4", "step_s": 1e-3, "end_s": END_S}, instances=1,
                         quantities={"x": {"final": "x_displacement"}, "y": {"final": "y_displacement"}})

    final = study.run(progress=False).quantities

    assert 'name="x">: it starts at 0.14, not at 0.1, because it follows y' in imported.notes[0]
    y = 0.7 / (3 + 2**2 * 2) * END_S**2 / 2
    assert final["y"][0] == pytest.approx(y, abs=ROUND_OFF)
    assert final["x"][0] == pytest.approx(0.14 - 2 * y, abs=ROUND_OFF)


def test_a_tendon_that_another_follows_may_relate_two_joints_or_is_left_out(tmp_path):
    path = carriages(tmp_path, '<tendon name="held" tendon1="single" polycoef="0.2"/>\n'
                     '<tendon name="three" tendon1="sum" tendon2="single" polycoef="0 0.5 0 0 0"/>')

    imported = import_model.read(path)

    driver, = imported.mechanism["drivers"].values()
    assert driver["joint"] == "z" and driver["value_m"] == pytest.approx(-0.05, abs=SAME)
    assert imported.left_out == [f'{path}:8, <tendon name="three">: it relates 3 coordinates; couplings relate two here']
