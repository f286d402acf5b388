"""Models of MuJoCo's as mechanisms: the same mass matrix and motion as in MuJoCo itself, and what cannot be taken is said."""

import json
import re
import subprocess
import sys

import numpy
import pytest

import myriad
from conftest import SOURCE, written
from myriad import import_model
from myriad.import_model.tree import Pose

mujoco = pytest.importorskip("mujoco", reason="the package mujoco, whose loader reads URDF and MJCF, is not installed")

MODELS = SOURCE / "tests" / "python" / "models"
# The models, and the keyframe that moves; a URDF file has none.
FIVE = [("double_pendulum.xml", "swung"), ("six_hinge_arm.xml", "bent"), ("cart_pole.xml", "thrown"), ("ball_joint.xml", "moving"),
        ("arm.urdf", None)]
# Of the largest entry: sums of some dozen products at round-off.
MASS_MATRIX_TOLERANCE = 1e-12
# Both take the classical Runge-Kutta steps in the same coordinates, so only round-off of 2000 steps is between them.
STEP_S, END_S, MOTION_TOLERANCE = 5e-4, 1.0, 1e-12
# The error of generalized_alpha is of second order: a quarter at half the step, within this.
ORDER_TOLERANCE = 0.1


def in_mujoco(name, keyframe):
    """MuJoCo's own model, read past our loader, and its data at the keyframe; stops, dry friction and contact off."""
    # The URDF's pictures are not there.
    text = re.sub(r"<(visual|collision)>.*?</\1>", "", (MODELS / name).read_text(encoding="utf-8"))
    model = mujoco.MjModel.from_xml_string(text)
    flags = mujoco.mjtDisableBit
    model.opt.disableflags |= int(flags.mjDSBL_CONTACT) | int(flags.mjDSBL_LIMIT) | int(flags.mjDSBL_FRICTIONLOSS)
    data = mujoco.MjData(model)
    if keyframe:
        mujoco.mj_resetDataKeyframe(model, data, mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_KEY, keyframe))
    mujoco.mj_forward(model, data)
    return model, data


def rate_addresses(model, imported):
    """For each of MuJoCo's rates the number of the mechanism that it is at the start."""
    addresses = []
    for joint, name in enumerate(imported.joints):
        kind = model.jnt_type[joint]
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            body = model.body(model.jnt_bodyid[joint]).name
            addresses += [f"bodies.{body}.{rate}[{axis}]" for rate in ("velocity_m_s", "angular_velocity_rad_s") for axis in range(3)]
        elif kind == mujoco.mjtJoint.mjJNT_BALL:
            addresses += [f"joints.{name}.angular_velocity_rad_s[{axis}]" for axis in range(3)]
        else:
            addresses.append(f"joints.{name}." + ("rate_rad_s" if kind == mujoco.mjtJoint.mjJNT_HINGE else "displacement_rate_m_s"))
    return addresses


def kinetic_energies(imported, addresses, rates):
    """Of the mechanism at its start, with the rows of `rates` as rates there."""
    study = myriad.Study(mechanism=imported.mechanism, integrator={"name": "rk4", "step_s": 1e-6, "end_s": 1e-6},
                         samples=dict(zip(addresses, rates.T)), observe={"every_steps": 1, "channels": ["kinetic_energy"]})
    result = study.run(progress=False)
    assert result.ok.all()
    return result.trajectories["kinetic_energy"][:, 0]


def final_poses(imported, step_s, method="rk4"):
    """Centre of mass and quaternion of each body at the end."""
    result = myriad.Study(mechanism=imported.mechanism, integrator={"name": method, "step_s": step_s, "end_s": END_S},
                          instances=1).run(progress=False)
    assert result.ok.all()
    state = result.final_state
    return {name: (state["position"][0, row], state["orientation"][0, row])
            for row, name in enumerate(myriad.Mechanism(imported.mechanism).bodies)}


@pytest.mark.parametrize("name, keyframe", FIVE)
def test_the_mass_matrix_is_that_of_mujoco(name, keyframe):
    model, data = in_mujoco(name, keyframe)
    imported = import_model.read(MODELS / name, keyframe=keyframe, without=["limits", "friction"])
    theirs = numpy.empty((model.nv, model.nv))
    mujoco.mj_fullM(model, data, theirs)

    # T(v) = v^T M v / 2, so M_ij = T(e_i + e_j) - T(e_i) - T(e_j).
    units, count = numpy.eye(model.nv), model.nv
    pairs = numpy.array([units[i] + units[j] for i in range(count) for j in range(count)])
    energies = kinetic_energies(imported, rate_addresses(model, imported), numpy.concatenate([units, pairs]))
    single = energies[:count]
    ours = energies[count:].reshape(count, count) - single[:, None] - single[None, :]

    assert numpy.abs(ours - theirs).max() <= MASS_MATRIX_TOLERANCE * numpy.abs(theirs).max()


@pytest.mark.parametrize("name, keyframe", FIVE)
def test_the_motion_is_that_of_mujoco(name, keyframe):
    model, data = in_mujoco(name, keyframe)
    imported = import_model.read(MODELS / name, keyframe=keyframe, without=["limits", "friction"])
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, STEP_S
    for _ in range(round(END_S / STEP_S)):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)

    ours = final_poses(imported, STEP_S)

    for body in range(1, model.nbody):
        if imported.bodies[body] == "ground":
            continue
        # Of the body that it is welded to, if it is.
        centre = imported.mechanism["bodies"][imported.bodies[body]].get("centre_of_mass_m", [0, 0, 0])
        pose = Pose(*ours[imported.bodies[body]])
        position = pose.of(imported.frames[body].of(model.body_ipos[body]) - centre)
        quaternion = pose.then(imported.frames[body]).quaternion
        theirs = data.xquat[body] * numpy.sign(quaternion @ data.xquat[body])  # q and -q are the same orientation
        assert numpy.abs(position - data.xipos[body]).max() <= MOTION_TOLERANCE
        assert numpy.abs(quaternion - theirs).max() <= MOTION_TOLERANCE
    # The test would say little of a model that stands still.
    assert numpy.abs(data.qpos - model.qpos0).max() > 0.1


@pytest.mark.parametrize("name, keyframe", FIVE)
def test_an_implicit_method_comes_to_the_same_motion_with_its_order(name, keyframe):
    imported = import_model.read(MODELS / name, keyframe=keyframe, without=["limits", "friction"])
    exact = final_poses(imported, STEP_S)

    coarse, fine = (max(numpy.abs(position - exact[body][0]).max() for body, (position, _) in
                        final_poses(imported, step, "generalized_alpha").items()) for step in (2 * STEP_S, STEP_S))

    assert coarse / fine == pytest.approx(4.0, rel=ORDER_TOLERANCE)


BALL = """<mujoco><worldbody><body name="bob" pos="0 0 1"><joint name="socket" type="ball" pos="0.1 0 0" damping="{damping}" stiffness="{stiffness}"/>
  <geom type="box" pos="0.01 0.02 -0.2" size="0.05 0.08 0.2" mass="2"/></body></worldbody></mujoco>"""


# A spring stays below half a turn; dampers do not mind how far they turn.
@pytest.mark.parametrize("damping, stiffness, rates", [(0.3, 4, [0.5, -1.0, 2.0]), (0.1, 0, [4.0, -6.0, 9.0])])
def test_a_ball_joint_has_its_stiffness_and_damping(tmp_path, damping, stiffness, rates):
    path = written(tmp_path, BALL.format(damping=damping, stiffness=stiffness))
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.qvel[:] = rates
    model.opt.gravity[:] = 0.0
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, STEP_S
    for _ in range(round(END_S / STEP_S)):
        mujoco.mj_step(model, data)

    imported = import_model.read(path, strict=True)
    imported.mechanism.update(gravity_m_s2=[0, 0, 0])
    imported.mechanism["joints"]["socket"]["angular_velocity_rad_s"] = rates
    orientation = final_poses(imported, STEP_S)["bob"][1]

    assert numpy.abs(orientation[1:]).max() > 0.01 and not imported.differs
    assert numpy.abs(orientation - data.qpos * numpy.sign(orientation @ data.qpos)).max() <= MOTION_TOLERANCE


ROPE = '<body pos="0 0 -0.2"><joint type="ball" damping="0.01"/><geom size="0.05" contype="0" conaffinity="0"/>'


def test_many_damped_ball_joints_take_fewer_elements_with_a_line(tmp_path):
    path = written(tmp_path, f"<mujoco><worldbody>{15 * ROPE}{15 * '</body>'}</worldbody></mujoco>")

    imported = import_model.read(path)

    assert f"{path}:1, <joint>: its damping acts on the rate of the rotation vector from the start" in imported.differs[0]
    assert len(imported.mechanism["forces"]) == 15
    # Explicit methods need joint coordinates, which have no room for more.
    assert final_poses(imported, END_S / 100)


SATELLITE = """<mujoco><worldbody><body name="hub" pos="0 0 1"><joint name="float" type="free" damping="0.7" armature="0.4"/>
  <geom type="box" size="0.1 0.2 0.05" pos="0.1 0.05 0" mass="2"/>
  <body name="boom" pos="0.2 0 0" euler="0 0 30"><geom type="box" size="0.1 0.02 0.05" mass="0.5"/></body>
  <body name="arm" pos="0 0.2 0"><joint name="swing" axis="0 0 1"/><geom type="capsule" fromto="0 0 0 0 0.3 0" size="0.03" mass="1"/></body>
  <body name="tail" pos="-0.2 0 0"><joint type="ball" stiffness="3" damping="0.1"/><geom type="box" size="0.1 0.02 0.01" mass="1"/></body>
  </body></worldbody><keyframe><key name="tumbling" qpos="0 0 1 0.8 0.6 0 0 0.3 1 0 0 0" qvel="1 2 -1 4 -3 5 2 3 -1 2"/></keyframe></mujoco>"""


def test_a_tumbling_free_body_has_its_damping_and_armature_and_what_it_carries_its_spring(tmp_path):
    path = written(tmp_path, SATELLITE)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, STEP_S
    for _ in range(round(END_S / STEP_S)):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)

    imported = import_model.read(path, keyframe="tumbling", strict=True, without=["contacts"])
    poses = final_poses(imported, STEP_S)

    assert f'{path}:1, <joint name="float">: its armature is 0.4 kg of the mass here' in imported.notes[0]
    for body in ("hub", "arm", "tail"):
        theirs = data.body(body).xquat * numpy.sign(poses[body][1] @ data.body(body).xquat)
        assert numpy.abs(poses[body][1] - theirs).max() <= MOTION_TOLERANCE
    assert numpy.abs(poses["arm"][0] - data.body("arm").xipos).max() <= MOTION_TOLERANCE


def test_limits_are_stops_that_hold_the_arm():
    imported = import_model.read(MODELS / "six_hinge_arm.xml")

    stop = imported.mechanism["contacts"]["elbow_limits"]
    assert stop["lower_rad"] == pytest.approx(numpy.deg2rad(-150)) and stop["upper_rad"] == pytest.approx(numpy.deg2rad(150))
    assert imported.mechanism["forces"]["pitch_friction"]["coulomb_N_m"] == 0.2
    study = myriad.Study(mechanism=imported.mechanism, integrator={"name": "nonsmooth_bathe", "step_s": 2e-3, "end_s": 3.0},
                         instances=1, quantities={"angle_rad": {"min": "shoulder_angle"}})
    result = study.run(progress=False)
    assert result.ok.all()
    # The arm falls onto the shoulder's stop, at most a step's way late.
    assert result.quantities["angle_rad"][0] == pytest.approx(numpy.deg2rad(-120), abs=0.02)


def test_the_command_writes_a_mechanism_and_says_what_is_other_than_in_mujoco(tmp_path):
    done = subprocess.run([sys.executable, "-m", "myriad", "import", MODELS / "arm.urdf", "--output", tmp_path / "arm.json", "--strict"],
                          capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "3 degrees of freedom" in done.stdout
    assert "other than in MuJoCo:\n  dry friction" in done.stdout
    # Its mesh, which is not there, could touch nothing.
    assert "left out" not in done.stdout
    assert myriad.Mechanism(tmp_path / "arm.json").text == myriad.Mechanism(import_model.read(MODELS / "arm.urdf").mechanism).text
    assert json.loads((tmp_path / "arm.json").read_text())["joints"]["extend"]["type"] == "prismatic"


ACTUATED = """<mujoco><compiler angle="radian"/><worldbody>
  <body name="arm"><joint name="hinge" axis="0 1 0" damping="0.1"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.03" mass="1"/>
    <body name="carriage" pos="0.5 0 0"><joint name="slide" type="slide" axis="1 0 0"/><geom type="box" size="0.05 0.04 0.03" mass="0.6"/>
      <body name="hand"><joint name="wrist" axis="0 0 1" actuatorfrcrange="-0.05 0.04"/>
        <geom type="box" pos="0.1 0 0" size="0.1 0.02 0.01" mass="0.2"/></body></body></body>
  </worldbody><actuator>{actuators}</actuator>
  <keyframe><key name="start" qpos="0.3 0.02 -0.4" qvel="0.5 0.2 -1" ctrl="{control}"/></keyframe></mujoco>"""


@pytest.mark.parametrize("actuators, control, kinds", [
    ('<motor joint="hinge" gear="3"/><position joint="slide" kp="80" kv="5" gear="-2"/><velocity joint="wrist" kv="0.2"/>',
     "0.9 0.1 1.5", ["joint_force", "pd_controller", "joint_force"]),
    ('<motor joint="hinge" gear="-2" ctrlrange="-0.5 0.7" ctrllimited="true"/>'
     '<position joint="slide" kp="200" kv="9" forcerange="-3 4"/><motor joint="wrist" gear="0.5"/>',
     "2 0.3 -0.06", ["joint_force"] * 3),
    ('<general joint="hinge" gaintype="affine" gainprm="2 0.7 -0.3" biastype="affine" biasprm="0.4 -1.1 -0.2" gear="1.5"/>'
     '<position joint="slide" kp="60" ctrlrange="-0.1 0.1" ctrllimited="true"/><motor joint="wrist"/>',
     "1.2 0.5 0.02", ["joint_force", "pd_controller", "joint_force"]),
])
def test_actuators_move_the_joints_as_in_mujoco(tmp_path, actuators, control, kinds):
    path = written(tmp_path, ACTUATED.format(actuators=actuators, control=control))
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, STEP_S
    for _ in range(round(END_S / STEP_S)):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)

    imported = import_model.read(path, keyframe="start")
    forces = imported.mechanism["forces"]
    poses = final_poses(imported, STEP_S)

    assert [forces[f"actuator_{number}"]["type"] for number in range(3)] == kinds
    for body in ("arm", "carriage", "hand"):
        # Where a clamp lets go within a step both methods are of a lower order there, and they step alike.
        assert numpy.abs(poses[body][0] - data.body(body).xipos).max() <= MOTION_TOLERANCE


# Its shortest time constant, inertia over damping, is 1.4e-5 s, and rk4 is stable with steps of up to 2.8 of them.
SERVO = """<mujoco><compiler angle="radian"/><worldbody><body name="arm"><joint name="hinge" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.02" mass="0.1" contype="0" conaffinity="0"/></body></worldbody>
  <actuator><position name="servo" joint="hinge" kp="2000" kv="100"/></actuator>
  <keyframe><key name="turned" ctrl="0.5"/></keyframe></mujoco>"""


def test_the_study_that_an_import_writes_is_stable_for_a_stiff_servo(tmp_path):
    path = written(tmp_path, SERVO)
    subprocess.run([sys.executable, "-m", "myriad", "import", path, "--keyframe", "turned"], check=True, cwd=tmp_path)

    study = json.loads(re.sub("^//.*", "", (tmp_path / "robot_study.json").read_text(), flags=re.MULTILINE))
    result = myriad.Study({**study, "mechanism": str(tmp_path / "robot.json"), "instances": 2}).run(progress=False)

    assert study["integrator"]["name"] == "generalized_alpha" and result.ok.all()
    # It creeps to the angle at which the servo carries half of the weight at 0.1 m, with the time constant kv / kp = 0.05 s:
    # 2000 (0.5 - angle) = -0.1 g 0.1 cos(angle) about the y axis, which points down there.
    angle = 0.5
    for _ in range(20):
        angle = 0.5 + 0.1 * 9.81 * 0.1 * numpy.cos(angle) / 2000
    assert numpy.abs(result.quantities["final_hinge_angle"] - angle).max() <= 1e-5


GEARED = """<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>
  <body name="wheel"><joint name="wheel" axis="0 0 1" ref="0.2"/><inertial pos="0 0 0" mass="1" diaginertia="0.2 0.2 0.3"/></body>
  <body name="pinion" pos="1 0 0"><joint name="pinion" axis="0 0 1" ref="-0.5"/>
    <inertial pos="0 0 0" mass="1" diaginertia="0.05 0.05 0.08"/></body></worldbody>
  <equality><joint name="gear" joint1="wheel" joint2="pinion" polycoef="0.1 -0.25 0 0 0"/></equality>
  <actuator><motor name="motor" joint="pinion"/></actuator>
  <keyframe><key name="pushed" qpos="0.3 -0.5" ctrl="0.7"/></keyframe></mujoco>"""


def test_coupled_wheels_turn_as_one_inertia(tmp_path):
    imported = import_model.read(written(tmp_path, GEARED), keyframe="pushed")
    # wheel - 0.2 = 0.1 - 0.25 (pinion + 0.5)
    coupling = imported.mechanism["couplings"]["gear"]
    assert coupling["ratio"] == -0.25 and coupling["offset"] == pytest.approx(0.175, abs=1e-15)
    study = myriad.Study(mechanism=imported.mechanism, integrator={"name": "rk4", "step_s": 1e-3, "end_s": END_S}, instances=1,
                         quantities={"wheel": {"final": "wheel_angle"}, "pinion": {"final": "pinion_angle"}})

    final = study.run(progress=False).quantities

    # Of a motion with a constant acceleration, to round-off of a thousand steps.
    pinion = -0.5 + 0.7 / (0.08 + 0.25**2 * 0.3) * END_S**2 / 2
    assert final["pinion"][0] == pytest.approx(pinion, abs=1e-10)
    assert final["wheel"][0] == pytest.approx(0.175 - 0.25 * pinion, abs=1e-10)


FOUR_BAR = """<mujoco><compiler angle="radian"/><worldbody>
  <body name="crank"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.02" mass="1"/>
    <body name="rod" pos="0 0 0.3"><joint name="b" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.6 0 0.2" size="0.02" mass="1"/></body>
  </body>
  <body name="rocker" pos="0.6 0 0"><joint name="c" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.5" size="0.02" mass="1"/></body>
  </worldbody><equality><{kind}/></equality></mujoco>"""


def test_a_loop_is_closed_by_a_joint(tmp_path):
    kind = 'connect name="pin" body1="rod" body2="rocker" anchor="0.6 0 0.2"'
    imported = import_model.read(written(tmp_path, FOUR_BAR.format(kind=kind)))
    mechanism = myriad.Mechanism(imported.mechanism)
    assert imported.mechanism["joints"]["pin"]["points_m"] == [[0.6, 0, 0.2], [0, 0, 0.5]]
    assert mechanism.freedoms == 1

    welded = import_model.read(written(tmp_path, FOUR_BAR.format(kind='weld name="pin" body1="rod" body2="rocker"')))
    assert myriad.Mechanism(welded.mechanism).freedoms == 0


@pytest.mark.parametrize("text, name, message", [
    ("<mujoco><worldbody><body><joint/></worldbody></mujoco>", "model.xml", "MuJoCo's loader refuses it"),
    ("<mujoco><worldbody><body><joint type='twist'/></body></worldbody></mujoco>", "model.xml", "twist"),
    ("<mujoco><worldbody><body name='b'><joint/></body></worldbody></mujoco>", "model.xml", "mass and inertia of moving bodies"),
    ("<robot name='r'><link name='a'/><link name='b'><collision><geometry><mesh filename='b.stl'/></geometry></collision></link>"
     "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/></joint></robot>", "model.urdf",
     '<link name="b">: it has no <inertial>, so that mass and inertia come from meshes alone'),
])
def test_a_model_that_cannot_be_read_is_refused_with_the_place(tmp_path, text, name, message):
    path = written(tmp_path, text, name)

    with pytest.raises(myriad.InputError, match=re.escape(message)) as raised:
        import_model.read(path)

    assert str(path) in str(raised.value)


def test_names_that_do_not_exist_are_named(tmp_path):
    with pytest.raises(myriad.UnknownName, match="limits"):
        import_model.read(MODELS / "arm.urdf", without=["limit"])
    with pytest.raises(myriad.UnknownName, match="swung"):
        import_model.read(MODELS / "double_pendulum.xml", keyframe="swing")
    with pytest.raises(myriad.InputError, match="no such file"):
        import_model.read(tmp_path / "nowhere.xml")
