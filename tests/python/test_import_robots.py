"""Robots on a floor and with welded parts: as heavy, as mobile and as upright as in MuJoCo."""

import re

import numpy
import pytest

import myriad
from conftest import written
from myriad import import_model
from myriad.import_model import survey

mujoco = pytest.importorskip("mujoco", reason="the package mujoco, whose loader reads URDF and MJCF, is not installed")


def link(name, at, axis, end, inner="", degrees="-80 80"):
    """A capsule from its joint to `end`, in the body that carries it."""
    return (f'<body name="{name}" pos="{at}"><joint name="{name}" axis="{axis}" range="{degrees}"/>'
            f'<geom name="{name}" fromto="0 0 0 {end}"/>{inner}</body>')


def foot(name, at):
    return (f'<body name="{name}" pos="{at}"><joint name="{name}" axis="0 1 0" range="-60 60"/>'
            f'<geom name="{name}" fromto="-0.12 0 -0.05 0.16 0 -0.05"/></body>')


def leg(name, at, thigh, shin):
    below = link(f"{name}_shin", thigh, "0 1 0", shin, foot(f"{name}_foot", shin))
    return link(f"{name}_thigh", at, "0 1 0", thigh, below)


def robot(trunk, joints, servos, height, root='<joint name="x" type="slide" axis="1 0 0" limited="false"/><joint name="z" type="slide" '
          'axis="0 0 1" limited="false"/><joint name="pitch" axis="0 1 0" limited="false"/>'):
    actuators = "".join(f'<position joint="{joint}" kp="{servos[0]}" kv="{servos[1]}"/>' for joint in joints)
    return (f'<mujoco><default><geom type="capsule" size="0.04" friction="0.9" density="900"/>'
            f'<joint limited="true" damping="0.5" armature="0.01"/></default><worldbody><geom name="floor" type="plane" size="9 9 1"/>'
            f'<body name="trunk" pos="0 0 {height}">{root}{trunk}</body></worldbody><actuator>{actuators}</actuator></mujoco>')


def planar_leg(name):
    return [f"{name}_{part}" for part in ("thigh", "shin", "foot")]


FREE = '<freejoint name="root"/>'
CORNERS = [("fl", 1, 1), ("fr", 1, -1), ("rl", -1, 1), ("rr", -1, -1)]
HOPPER = robot('<geom name="trunk" fromto="0 0 0 0 0 0.4"/>' + leg("a", "0 0 0", "0.03 0 -0.35", "-0.03 0 -0.35"), planar_leg("a"),
               (300, 20), 0.8)
WALKER = robot('<geom name="trunk" fromto="0 0 0 0 0 0.4"/>' + leg("a", "0 0.05 0", "0.03 0 -0.35", "-0.03 0 -0.35")
               + leg("b", "0 -0.05 0", "0.03 0 -0.35", "-0.03 0 -0.35"), planar_leg("a") + planar_leg("b"), (300, 20), 0.8)
HALF_CHEETAH = robot('<geom name="trunk" fromto="-0.5 0 0 0.5 0 0"/><geom name="head" fromto="0.5 0 0 0.6 0 0.2"/>'
                     + leg("rear", "-0.5 0 0", "0.1 0 -0.25", "-0.15 0 -0.25") + leg("front", "0.5 0 0", "-0.1 0 -0.25", "0.1 0 -0.25"),
                     planar_leg("rear") + planar_leg("front"), (200, 15), 0.6)
ANT = robot('<geom name="trunk" type="sphere" size="0.2"/>' + "".join(
    f'<body name="{name}_aux"><geom name="{name}_aux" fromto="0 0 0 {0.2 * x} {0.2 * y} 0"/>'
    + link(f"{name}_hip", f"{0.2 * x} {0.2 * y} 0", "0 0 1", f"{0.2 * x} {0.2 * y} 0",
           link(f"{name}_ankle", f"{0.2 * x} {0.2 * y} 0", f"{-y} {x} 0", f"{0.2 * x} {0.2 * y} -0.45"), "-30 30") + "</body>"
    for name, x, y in CORNERS), [f"{name}_{joint}" for name, _, _ in CORNERS for joint in ("hip", "ankle")], (60, 4), 0.5, FREE)
# Thirteen bodies that move, of eighteen of MuJoCo's.
QUADRUPED = robot('<geom name="trunk" type="box" size="0.2 0.06 0.05" mass="6" contype="0" conaffinity="0"/>'
                  '<body name="head" pos="0.25 0 0.03" euler="0 20 0"><inertial pos="0.01 0 0.02" mass="0.7" diaginertia="0.002 0.003 '
                  '0.001"/></body>' + "".join(
                      f'<body name="{name}_hip" pos="{0.2 * x} {0.06 * y} 0"><joint name="{name}_hip" axis="1 0 0" range="-40 40"/>'
                      '<inertial pos="0 0 0" mass="0.6" diaginertia="0.0006 0.0008 0.0005"/>'
                      f'<body name="{name}_thigh" pos="0 {0.08 * y} 0"><joint name="{name}_thigh" axis="0 1 0" range="-90 90"/>'
                      '<inertial pos="0 0 -0.08" mass="0.9" diaginertia="0.004 0.004 0.0008"/>'
                      f'<body name="{name}_calf" pos="-0.13 0 -0.17"><joint name="{name}_calf" axis="0 1 0" range="-90 90"/>'
                      '<inertial pos="0.06 0 -0.08" mass="0.2" diaginertia="0.001 0.001 0.00003"/>'
                      f'<body name="{name}_foot" pos="0.13 0 -0.17"><geom name="{name}_foot" type="sphere" size="0.022" mass="0.06"/>'
                      '</body></body></body></body>' for name, x, y in CORNERS),
                  [f"{name}_{joint}" for name, _, _ in CORNERS for joint in ("hip", "thigh", "calf")], (120, 6), 0.365, FREE)
ROBOTS = {"hopper": HOPPER, "walker": WALKER, "half_cheetah": HALF_CHEETAH, "ant": ANT, "quadruped": QUADRUPED}

STEP_S, END_S = 2e-3, 5.0
# MuJoCo's contacts and limits are springs, into which these robots sink by some millimetres; a robot that lies has lost some
# tenths of a metre.
SUNK_M = 0.01


def heights(imported, end_s=END_S):
    """Of the trunk's centre of mass at the start and at the end."""
    result = myriad.Study(mechanism=imported.mechanism, instances=1,
                          integrator={"name": "nonsmooth_generalized_alpha", "step_s": STEP_S, "end_s": end_s}).run(progress=False)
    assert result.ok.all()
    trunk = list(myriad.Mechanism(imported.mechanism).bodies).index("trunk")
    return result.initial_state["position"][0, trunk, 2], result.final_state["position"][0, trunk, 2]


@pytest.mark.parametrize("name", ROBOTS)
def test_a_robot_stands_on_the_floor_as_high_as_in_mujoco(tmp_path, name):
    path = written(tmp_path, ROBOTS[name])
    model = mujoco.MjModel.from_xml_path(str(path))
    # Myriad's limbs pass through each other.
    model.geom_contype[1:] = 0
    model.geom_conaffinity[1:] = numpy.where(model.geom_conaffinity[1:] != 0, 1, 0)
    # Its friction creeps: with the default settings the feet of the ant slip 0.1 m away in five seconds.
    model.opt.cone, model.opt.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 100.0
    data = mujoco.MjData(model)
    for _ in range(round(END_S / model.opt.timestep)):
        mujoco.mj_step(model, data)
    imported = import_model.read(path)

    start, end = heights(imported)

    body = model.body("trunk").id
    own = imported.mechanism["bodies"]["trunk"].get("centre_of_mass_m", [0, 0, 0])
    theirs = (data.xpos[body] + data.xmat[body].reshape(3, 3) @ own)[2]
    assert abs(end - start) < 0.2 * start
    assert end == pytest.approx(theirs, abs=SUNK_M)


def test_welded_bodies_are_one_body_that_weighs_and_moves_as_in_mujoco(tmp_path):
    path = written(tmp_path, QUADRUPED)
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, 5e-4
    imported = import_model.read(path, without=["limits", "contacts"])
    bodies = imported.mechanism["bodies"]
    assert model.nbody - 1 == 18 and len(bodies) == 13
    assert sum(body["mass_kg"] for body in bodies.values()) == pytest.approx(model.body_mass.sum(), rel=1e-14)
    # Servos that pull the legs away from where they are, so that all joints move.
    data, pulls = mujoco.MjData(model), numpy.linspace(-0.3, 0.4, model.nu)
    data.ctrl[:] = pulls
    for _ in range(200):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)

    controls = {f"parameters.actuator_{number}_control": [pull] for number, pull in enumerate(pulls)}
    result = myriad.Study(mechanism=imported.mechanism, integrator={"name": "rk4", "step_s": 5e-4, "end_s": 0.1}, samples=controls,
                          observe={"every_steps": 200, "channels": ["head_point", "fl_foot_point", "rr_foot_point", "fr_calf_angle"]}).run(progress=False)

    # Both take the same steps in the same coordinates: round-off of 200 steps, of accelerations up to 1e4 rad/s^2.
    for name in ("head", "fl_foot", "rr_foot"):
        assert numpy.abs(result.trajectories[f"{name}_point"][0, -1] - data.body(name).xpos).max() < 1e-10
    assert result.trajectories["fr_calf_angle"][0, -1] == pytest.approx(data.joint("fr_calf").qpos[0], abs=1e-10)
    assert abs(data.joint("fr_calf").qpos[0]) > 0.01


def chain(name, count):
    inner = ""
    for number in reversed(range(count)):
        inner = f'<body name="{name}_{number}" pos="0.1 0 0"><joint axis="0 1 0"/><geom size="0.02"/>{inner}</body>'
    return inner


def test_too_many_bodies_are_counted_after_joining_and_named_by_branch(tmp_path):
    text = ('<mujoco><worldbody><body name="base"><freejoint/><geom size="0.1"/><body name="tray"><geom size="0.1"/></body>'
            f'{chain("left", 9)}{chain("right", 7)}</body></worldbody></mujoco>')
    path = written(tmp_path, text)

    with pytest.raises(myriad.InputError, match=re.escape("17 bodies move, where welded ones count as one, and a mechanism has at most "
                                                          "16: 9 in left_0, 7 in right_0, 1 in base")) as raised:
        import_model.read(path)
    assert str(path) in str(raised.value)
    wide = ('<mujoco><worldbody><body name="trunk"><freejoint/><geom size="0.1"/>\n<body><joint/><joint axis="1 0 0"/><geom size="0.1"/></body>'
            f'{"".join(chain(f"leg_{number}", 1) for number in range(15))}</body></worldbody></mujoco>')
    with pytest.raises(myriad.InputError, match=re.escape(
            f"18 bodies move, where welded ones count as one, and a mechanism has at most 16: 2 in {path}:2, <body>, 1 in leg_0_0, ")
            + ".*, 9 in 9 others; one of these has no mass, and stands between the joints of a body that has two"):
        import_model.read(written(tmp_path, wide))
    path = written(tmp_path, text)
    fits = import_model.read(written(tmp_path, text.replace('<body name="right_6" pos="0.1 0 0"><joint axis="0 1 0"/>',
                                                            '<body name="right_6" pos="0.1 0 0">')))
    assert len(fits.mechanism["bodies"]) == 16 and fits.bodies[-1] == "right_5"


TOUCHING = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1" friction="0.3" margin="0.002"/>
  <body name="ball" pos="0 0 0.105"><freejoint/><geom name="ball" size="0.1" friction="0.7" margin="0.003"/></body>
  <body name="ice" pos="1 0 1"><freejoint/><geom name="ice" size="0.1" condim="1" priority="1"/></body>
  <body name="log" pos="2 0 1"><freejoint/><geom name="log" type="capsule" size="0.1 0.3" priority="2" friction="0.2"/></body>
  <body name="ghost" pos="3 0 1"><freejoint/><geom name="ghost" size="0.1" contype="2" conaffinity="2"/></body>
  <body name="crate" pos="4 0 1"><freejoint/><geom name="crate" type="box" size="0.1 0.1 0.1"/></body>
  <body name="roller" pos="5 0 1"><freejoint/><geom name="roller" size="0.1" condim="6"/></body>
  <body name="paired" pos="6 0 1"><freejoint/><geom name="paired" size="0.1" contype="0" conaffinity="0"/></body>
  <body name="guide" pos="8 0 0.05" mocap="true"><geom name="guide" size="0.1"/></body>
  <body name="excluded" pos="7 0 1"><freejoint/><geom name="excluded" size="0.1"/></body></worldbody>
  <contact><pair geom1="paired" geom2="floor" friction="0.45 0.45 0 0 0"/><exclude body1="world" body2="excluded"/></contact></mujoco>"""


def test_a_plane_touches_what_it_touches_in_mujoco_with_its_friction(tmp_path):
    path = written(tmp_path, TOUCHING)
    imported = import_model.read(path)
    contacts, left_out = imported.mechanism["contacts"], "\n".join(imported.left_out)

    assert {name: one["friction"] for name, one in contacts.items()} == {
        "ball": 0.7, "ice": 0.0, "log_end_1": 0.2, "log_end_2": 0.2, "roller": 1.0, "paired": 0.45}
    assert contacts["ball"]["plane_point_m"] == pytest.approx([0, 0, 0.005], abs=1e-15)
    assert [one["point_m"] for one in (contacts["log_end_1"], contacts["log_end_2"])] == [[0, 0, -0.3], [0, 0, 0.3]]
    for what in ("crate", "contact of a box with a plane", "condim 6", "contact between shapes ("):
        assert what in left_out
    assert "ghost" not in left_out and "excluded" not in left_out
    # The margins lift a ball in MuJoCo, too. It starts at rest there.
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    for _ in range(2000):
        mujoco.mj_step(model, data)
    result = myriad.Study(mechanism=imported.mechanism, instances=1,
                          integrator={"name": "nonsmooth_generalized_alpha", "step_s": STEP_S, "end_s": 4.0}).run(progress=False)
    ball = list(imported.mechanism["bodies"]).index("ball")
    assert result.final_state["position"][0, ball, 2] == pytest.approx(0.105, abs=1e-9)
    assert data.body("ball").xpos[2] == pytest.approx(0.105, abs=1e-3)  # it sinks in by less than a millimetre


def test_contacts_beyond_the_limit_are_named_and_the_lowest_are_kept(tmp_path):
    balls = "".join(f'<body name="ball_{number}" pos="{number} 0 {1 + 0.1 * number}"><freejoint/><geom name="ball_{number}" size="0.1"/>'
                    "</body>" for number in range(12))
    logs = "".join(f'<body name="log_{number}" pos="{number} 1 0.5" euler="0 {10 * number} 0"><freejoint/><geom name="log_{number}" '
                   'type="capsule" size="0.05 0.3"/></body>' for number in range(3))
    text = f'<mujoco><worldbody><geom type="plane" size="1 1 1"/>{balls}{logs}</worldbody></mujoco>'
    imported = import_model.read(written(tmp_path, text))

    assert len(imported.mechanism["contacts"]) == 16
    why = "contact with the floor: a mechanism has at most 16 contacts, of which limits of joints take 0"
    for number in (10, 11):
        assert any(line.startswith(f'{tmp_path}/robot.xml:1, <geom name="ball_{number}">: {why}') for line in imported.left_out)
    assert "ball_9" not in "\n".join(imported.left_out)
    assert not import_model.read(tmp_path / "robot.xml", without=["contacts"]).mechanism.get("contacts")


def many_legged(count):
    """A free trunk on legs whose hips have three hinges, the first two across each other, on slanted bodies."""
    legs = "".join(f'''<body name="thigh_{k}" pos="0.1 {0.1 * k} 0" euler="10 {5 * k} 20">
      <joint name="a_{k}" axis="1 0 0" pos="0 0 0.02" ref="{5 * k}" stiffness="3" springref="4" armature="0.02"/>
      <joint name="b_{k}" axis="0 0 1" pos="0 0 0.05" range="-90 90" limited="true" damping="0.2"/>
      <joint name="c_{k}" axis="0 1 0.2"/><geom type="capsule" fromto="0 0 0 0.02 0 -0.3" size="0.03"/>
      <body name="shin_{k}" pos="0.02 0 -0.3"><joint name="d_{k}" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02"/>
      </body></body>''' for k in range(count))
    motors = "".join(f'<position joint="a_{k}" kp="30" kv="1"/><motor joint="b_{k}" gear="2"/>' for k in range(count))
    return (f'<mujoco><worldbody><body name="trunk"><freejoint/><geom type="box" size="0.2 0.3 0.05"/>{legs}</body></worldbody>'
            f'<actuator>{motors}</actuator><keyframe><key name="bent" qpos="0 0 1 1 0 0 0 {" ".join(["0.4 -0.3 0.2 0.1"] * count)}"/>'
            "</keyframe></mujoco>")


def test_hinges_across_each_other_become_universal_joints_where_there_are_too_many_bodies(tmp_path):
    path = written(tmp_path, many_legged(4))  # a trunk, eight links and eight bodies without mass between their hinges
    imported = import_model.read(path, keyframe="bent", without=["limits", "contacts"])
    joints = imported.mechanism["joints"]
    assert len(imported.mechanism["bodies"]) == 13 and joints["a_0_b_0"]["type"] == "universal"
    assert imported.joints[1:3] == ["a_0_b_0"] * 2
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, 5e-4
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.ctrl[:] = 0.7
    for _ in range(200):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)

    names = [f"{hinge}_{k}" for k in range(4) for hinge in "abcd"]
    result = myriad.Study(mechanism=imported.mechanism, integrator={"name": "rk4", "step_s": 5e-4, "end_s": 0.1},
                          samples={f"parameters.actuator_{number}_control": [0.7] for number in range(model.nu)},
                          observe={"every_steps": 200, "channels": [f"{name}_angle" for name in names]}).run(progress=False)

    for name in names:
        assert result.trajectories[f"{name}_angle"][0, -1] == pytest.approx(data.joint(name).qpos[0], abs=1e-10)
    assert float(result.certificate["assembly_correction"][0]) < 1e-12
    limits = import_model.read(path).mechanism["contacts"]["b_0_limits"]
    assert limits["joint"] == "a_0_b_0" and limits["coordinate"] == "angle_2"
    # With fewer bodies the hinges stay.
    assert "a_0" in import_model.read(written(tmp_path, many_legged(3)), without=["limits"]).mechanism["joints"]


def test_a_start_inside_the_floor_is_told_with_its_depth_and_what_cures_it(tmp_path):
    text = ('<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="ball" pos="0 0 0.08"><freejoint/><geom name="ball" size="0.1"/>'
            "</body></worldbody></mujoco>")
    notes = "\n".join(import_model.read(written(tmp_path, text)).notes)

    assert 'name="ball">: at the start it is 0.02 m inside the floor' in notes and '"initial_penetration": "project"' in notes


def test_sixteen_hinges_keep_their_springs_servos_and_limits(tmp_path):
    inner = ""
    for number in reversed(range(16)):
        inner = (f'<body name="l{number}" pos="0.1 0 0.2"><joint name="j{number}" axis="0 {1 + number % 2} {number % 3}" range="-60 60" '
                 f'limited="true" stiffness="2" springref="{number}" damping="0.3" armature="0.02"/><geom size="0.03 0.1" type="capsule"/>'
                 f"{inner}</body>")
    servos = "".join(f'<position joint="j{number}" kp="5" kv="0.5"/>' for number in range(16))
    path = written(tmp_path, f"<mujoco><worldbody>{inner}</worldbody><actuator>{servos}</actuator></mujoco>")

    imported = import_model.read(path)

    assert sum(one["type"] == "joint_limits" for one in imported.mechanism["contacts"].values()) == 16
    # The springs and servos are the same as in MuJoCo, although they share their measured angles here.
    model = mujoco.MjModel.from_xml_path(str(path))
    assert survey.difference_of(model, str(path))[0] < 1e-9


def test_of_too_many_limits_those_are_kept_that_are_nearest_at_the_start(tmp_path):
    # Universal joints make room for more hinges than bodies.
    text = many_legged(4)
    for joint in "acd":
        text = text.replace(f'<joint name="{joint}_', f'<joint limited="true" range="-150 150" name="{joint}_')
    tail = '<body><joint name="tail" limited="true" range="-5 90" axis="0 1 0"/><geom size="0.1"/></body>'
    text = text[:text.index("<keyframe>")].replace('<geom type="box"', tail + '<geom type="box"') + "</mujoco>"
    imported = import_model.read(written(tmp_path, text), without=["contacts"])

    assert len(imported.mechanism["contacts"]) == 16 and "tail_limits" in imported.mechanism["contacts"]
    left_out = "\n".join(imported.left_out)
    assert left_out.count("its limits") == 1 and 'name="tail"' not in left_out
