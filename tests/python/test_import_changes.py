"""Imports change nothing in silence: what a mechanism takes of a model accelerates it as MuJoCo does, and the rest is named by
its file, its line and its tag, also where it has no name."""

import re

import numpy
import pytest

import myriad
from conftest import written
from myriad import import_model

mujoco = pytest.importorskip("mujoco", reason="the package mujoco, whose loader reads URDF and MJCF, is not installed")

# The one-sided difference of second order has an error of the second derivative of the accelerations times its square.
SHORT_S = 1e-6
# Of the largest one: that error, for derivatives of 1e4 /s^2, and round-off of rates of order 1, divided by the time.
ACCELERATION_TOLERANCE = 1e-8


def accelerations_in_mujoco(path, keyframe=None):
    """Unconstrained ones of hinges and slides by their names, at the start."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    if keyframe:
        mujoco.mj_resetDataKeyframe(model, data, mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_KEY, keyframe))
    mujoco.mj_forward(model, data)
    return {model.joint(joint).name: data.qacc_smooth[model.jnt_dofadr[joint]] for joint in range(model.njnt)
            if model.jnt_type[joint] >= int(mujoco.mjtJoint.mjJNT_SLIDE)}


def accelerations(imported):
    """Of the same joints in the mechanism: the change of their rates over a short time."""
    rates = {name: f"{name}_rate" if joint["type"] == "revolute" else f"{name}_displacement_rate"
             for name, joint in imported.mechanism["joints"].items() if joint["type"] in ("revolute", "prismatic")}
    result = myriad.Study(mechanism=imported.mechanism, integrator={"name": "rk4", "step_s": SHORT_S, "end_s": 2 * SHORT_S},
                          instances=1, observe={"every_steps": 1, "channels": list(rates.values())}).run(progress=False)
    assert result.ok.all()
    courses = {name: result.trajectories[rate][0].ravel() for name, rate in rates.items()}
    return {name: (4 * course[1] - 3 * course[0] - course[2]) / (2 * SHORT_S) for name, course in courses.items()}


def assert_same_accelerations(imported, theirs):
    ours = accelerations(imported)
    largest = max(abs(one) for one in theirs.values())
    assert largest > 0.1  # it would say little of a model at rest
    for name, one in theirs.items():
        assert abs(float(ours[name]) - one) <= ACCELERATION_TOLERANCE * max(1.0, largest), name


# A carriage on a rail carries two fingers that slide apart; bodies touch nothing.
GRIPPER = """<mujoco>
  <compiler angle="radian"/>
  <option {option}>{flags}</option>
  <worldbody>
    <body name="wrist" gravcomp="{gravcomp}">
      <joint name="turn" axis="0 1 0" {turn}/>
      <geom type="capsule" fromto="0 0 0 0.2 0 0.05" size="0.02" mass="0.7" contype="0" conaffinity="0"/>
      <body name="left" pos="0.2 0.02 0.05"><joint name="left" type="slide" axis="0 0.6 0.8" {left}/>
        <geom type="box" size="0.03 0.01 0.01" mass="0.2" contype="0" conaffinity="0"/><site name="tip" pos="0.03 0 0"/></body>
      <body name="right" pos="0.2 -0.02 0.05"><joint name="right" type="slide" axis="0 -0.6 0.8"/>
        <geom type="box" size="0.03 0.01 0.01" mass="0.3" contype="0" conaffinity="0"/></body>
    </body>
  </worldbody>
  <tendon><fixed name="spread" {spread}><joint joint="left" coef="0.5"/><joint joint="right" coef="-0.3"/></fixed></tendon>
  <actuator>
    {actuators}
  </actuator>
  <keyframe><key name="start" qpos="0.4 0.01 -0.02" qvel="0.5 0.2 -0.3" {control}/></keyframe>
</mujoco>"""


def gripper(folder, **parts):
    given = dict.fromkeys(("option", "flags", "turn", "left", "spread", "actuators", "control"), "") | {"gravcomp": 0} | parts
    return written(folder, GRIPPER.format(**given))


@pytest.mark.parametrize("parts", [
    # Fixed tendons are sums of joints: a motor, a servo with a limited force, a limit of the tendon's force, springs with slack.
    {"actuators": '<motor tendon="spread" gear="3"/>', "control": 'ctrl="0.8"'},
    {"actuators": '<position tendon="spread" kp="90" kv="4" gear="-2" forcerange="-1.5 1.5"/>', "control": 'ctrl="0.2"'},
    {"actuators": '<motor tendon="spread"/>', "control": 'ctrl="5"', "spread": 'actuatorfrcrange="-2 3"'},
    {"spread": 'stiffness="300" damping="7" springlength="0.001 0.002"'},
    {"spread": 'stiffness="300" springlength="0.02"'},
    # A limit of a tendon is for the sum of its motors, before their gears.
    {"actuators": '<motor tendon="spread" gear="2"/><motor tendon="spread" gear="2"/>', "control": 'ctrl="3 1.5"',
     "spread": 'actuatorfrcrange="-2 3"'},
    {"actuators": '<motor tendon="spread" gear="2"/><motor tendon="spread" gear="-5"/>', "control": 'ctrl="3 1.5"',
     "spread": 'actuatorfrcrange="-2 3"'},
    {"actuators": '<motor tendon="spread" gear="2"/><motor tendon="spread" gear="-5"/>', "control": 'ctrl="-3 0.5"',
     "spread": 'actuatorfrcrange="-2 0"'},
    {"actuators": '<motor tendon="spread" gear="2"/><motor tendon="spread" gear="-5"/><motor joint="left"/>', "control": 'ctrl="0.6 0.5 1"',
     "spread": 'actuatorfrcrange="0 3"', "left": 'actuatorfrcrange="-0.4 0.4"'},
    # The limit of a joint is for the sum of its actuators.
    {"actuators": '<motor joint="left"/><motor tendon="spread" gear="2"/><position joint="left" kp="50"/>',
     "control": 'ctrl="2 1.5 0.1"', "left": 'actuatorfrcrange="-3 1.2"'},
    # Rotors and dampers of actuators act behind their gears.
    {"actuators": '<motor joint="turn" gear="3" armature="0.02" damping="0.1"/>', "control": 'ctrl="0.4"', "turn": 'armature="0.05"'},
    # Springs and dampers of higher order.
    {"turn": 'stiffness="2 3 5" damping="0.3 0.2 0.7" springref="0.1"', "left": 'stiffness="20 300 -50" damping="1 2 3"'},
    # Controls are not clamped if a flag says so, and a group that is switched off exerts nothing.
    {"actuators": '<motor joint="turn" ctrlrange="-1 1"/><motor joint="left" group="2"/>', "control": 'ctrl="3 7"',
     "flags": '<flag clampctrl="disable"/>', "option": 'actuatorgroupdisable="2"'},
    {"actuators": '<motor joint="turn" ctrlrange="-1 1"/>', "control": 'ctrl="3"'},
    {"gravcomp": 0.7},
    # Flags switch off more than their names say.
    {"gravcomp": 0.7, "flags": '<flag spring="disable" damper="disable"/>', "option": 'density="1000"', "turn": 'damping="2"'},
    {"actuators": '<motor joint="turn" gear="3" armature="0.02"/>', "control": 'ctrl="0.4"', "flags": '<flag actuation="disable"/>'},
    {"gravcomp": 0.7, "flags": '<flag gravity="disable"/>', "turn": 'stiffness="2"'},
], ids=str)
def test_what_an_import_takes_accelerates_as_in_mujoco(tmp_path, parts):
    path = gripper(tmp_path, **parts)

    imported = import_model.read(path, keyframe="start", strict=True)

    assert_same_accelerations(imported, accelerations_in_mujoco(path, "start"))


PLUGIN = ('<extension><plugin plugin="mujoco.pid"><instance name="hold"><config key="kp" value="40"/></instance></plugin></extension>'
          "<worldbody>")


@pytest.mark.parametrize("actuator, why", [
    ('<muscle name="other" joint="turn" lengthrange="0 1"/>', r"it has a state of its own \(muscle\)"),
    ('<general name="other" joint="turn" dyntype="filter" dynprm="0.1"/>', r"it has a state of its own \(filter\)"),
    ('<general name="other" joint="turn" delay="0.01" nsample="3"/>', "it has properties that forces here do not have: delay"),
    ('<motor name="other" site="tip" gear="1 0 0 0 0 0"/>', "it acts by site"),
    ('<plugin name="other" joint="turn" plugin="mujoco.pid" instance="hold"/>', "it has properties that forces here do not have: plugin"),
])
def test_an_actuator_that_is_not_taken_leaves_itself_out_with_its_place(tmp_path, actuator, why):
    path = gripper(tmp_path, actuators=f'<motor name="lift" joint="turn"/>\n    {actuator}', control='ctrl="0.3 0.9"')
    if "<plugin" in actuator:
        path.write_text(path.read_text().replace("<worldbody>", PLUGIN))

    imported = import_model.read(path, keyframe="start")

    line = path.read_text().splitlines().index(f"    {actuator}") + 1
    left_out, = imported.left_out
    assert re.search(rf'^{path}:{line}, <\w+ name="other">: {why}', left_out)
    assert list(imported.mechanism["forces"]) == ["lift"]
    (tmp_path / "alone").mkdir()
    alone = gripper(tmp_path / "alone", actuators='<motor name="lift" joint="turn"/>', control='ctrl="0.3"')
    assert_same_accelerations(imported, accelerations_in_mujoco(alone, "start"))
    with pytest.raises(myriad.InputError, match="strict, and 1 part would be left out:(?s:.*)" + why):
        import_model.read(path, keyframe="start", strict=True)
    assert not import_model.read(path, without=["actuators"], strict=True).left_out


def test_what_is_not_taken_is_listed_with_its_place(tmp_path):
    path = written(tmp_path, """<mujoco><option density="1.2"/><worldbody>
      <body name="b"><joint name="j" type="ball" armature="0.1"/><geom size="0.1"/><site name="s"/></body>
      <body name="f" pos="3 0 0"><freejoint name="afloat"/><geom size="0.1"/></body>
      <body name="c" pos="1 0 0"><joint name="k" springref="0.1"/><geom size="0.1"/>
        <body name="d" pos="1 0 0"><joint name="l"/><geom size="0.1"/><site name="e"/></body></body></worldbody>
      <tendon><spatial name="rope" stiffness="5"><site site="s"/><site site="e"/></spatial>
        <fixed name="cable" armature="1"><joint joint="k" coef="1"/></fixed></tendon>
      <sensor><gyro site="s"/></sensor>
      <equality><joint name="cubic" joint1="k" joint2="l" polycoef="0 1 0 2 0"/>
        <tendon name="held" tendon1="rope"/><weld name="off" body1="c" body2="b" active="false"/></equality></mujoco>""")
    path.write_text(path.read_text().replace('<freejoint name="afloat"/>', '<joint type="free" name="afloat" stiffness="0.3"/>'))

    imported = import_model.read(path)

    for line, what in ((2, '<joint name="j">: its armature'), (3, '<joint name="afloat">: its stiffness'),
                       (6, '<spatial name="rope">: its stiffness'), (7, '<fixed name="cable">: its armature'),
                       (9, '<joint name="cubic">: a polynomial'), (10, '<tendon name="held">')):
        assert any(left.startswith(f"{path}:{line}, {what}") for left in imported.left_out), what
    left_out, notes = "\n".join(imported.left_out), "\n".join(imported.notes)
    assert "medium" in left_out and "contact between shapes" in left_out
    assert "1 sensor" in notes and 'name="off">: it is not active' in notes


# A ball over a floor and a wheel on a stop; what else it has stands in the blanks.
BALL_AND_WHEELS = """<mujoco><compiler angle="radian"/>
  <option {option}>{flags}</option>
  <worldbody><geom name="floor" type="plane" size="1 1 1" friction="0.8" margin="0.003"/>
    <body name="ball" pos="0 0 0.11" {ball}><freejoint/><geom name="ball" size="0.1" friction="0.6"/></body>
    {wheels}
    <body name="wheel" pos="1 0 1"><joint name="wheel" axis="0 1 0" range="-1 1" frictionloss="0.1" stiffness="2" damping="0.3"/>
      <inertial pos="0 0 -0.1" mass="1" diaginertia="0.1 0.1 0.1"/></body></worldbody>
  <contact>{pairs}</contact>
  <actuator>
    <motor name="pull" joint="wheel" ctrlrange="-1 1"/>{actuators}
  </actuator>
  <equality><joint name="rest" joint1="wheel" polycoef="{held} 0 0 0 0"/></equality>
</mujoco>"""


def ball_and_wheels(folder, **parts):
    given = dict.fromkeys(("option", "flags", "ball", "wheels", "pairs", "actuators"), "") | {"held": 0} | parts
    return written(folder, BALL_AND_WHEELS.format(**given))


@pytest.mark.parametrize("parts, title, lines", [
    ({"flags": '<flag sleep="enable"/>', "ball": 'sleep="init"'}, "left_out",
     [':4, <body name="ball">: sleep="init": MuJoCo holds it still until something touches it, and here it moves from the start']),
    ({"ball": 'sleep="init"'}, "left_out", []),
    ({"pairs": '<pair geom1="ball" geom2="floor" friction="0.5 0.2 0.01 0 0"/>'}, "left_out",
     [':4, <geom name="ball">: friction of 0.2 in its second direction: contacts here have that of the first, 0.5, in all directions']),
    ({"pairs": '<pair geom1="ball" geom2="floor" friction="0.5 0.5 0.01 0 0"/>'}, "left_out", []),
    ({"option": 'o_friction="0.5 0.2 0.01 0 0"', "flags": '<flag override="enable"/>'}, "left_out",
     [':4, <geom name="ball">: friction of 0.2 in its second direction: contacts here have that of the first, 0.5, in all directions']),
    ({"option": 'o_friction="0.5 0.2 0.01 0 0"'}, "left_out", []),
    ({"held": 2}, "left_out", [':6, <joint name="wheel">: its limits: an equality holds it beyond them']),
    *(({"flags": f'<flag {flag}="disable"/>'}, "notes", [f':2, <flag {flag}="disable">: it switches off {what}, here as in MuJoCo'])
      for flag, what in (("gravity", "gravity"), ("contact", "contacts"), ("limit", "limits"), ("frictionloss", "dry friction"),
                         ("equality", "equalities"), ("constraint", "contacts, limits, dry friction and equalities"),
                         ("spring", "springs"), ("damper", "dampers"), ("actuation", "actuators"), ("clampctrl", "limits of controls"))),
    ({"flags": '<flag warmstart="disable" eulerdamp="disable"/>'}, "notes", []),
    # A copy stands where its original does.
    ({"wheels": '<replicate count="2"><body name="disc"><joint name="turn" axis="0 0 1"/><inertial pos="0 0 0" mass="1" '
                'diaginertia="1 1 1"/></body></replicate>',
      "actuators": '\n    <muscle name="twist" joint="turn" lengthrange="0 1"/><muscle joint="turn" lengthrange="0 1"/>'}, "left_out",
     [f':11, <muscle{name}: it has a state of its own (muscle), which forces here do not have'
      for name in (' name="twist">, its copy twist0', ">", ' name="twist">, its copy twist1')]),
], ids=str)
def test_a_change_that_a_model_asks_for_is_told_with_its_place(tmp_path, parts, title, lines):
    path = ball_and_wheels(tmp_path, **parts)

    assert getattr(import_model.read(path), title) == [f"{path}{line}" for line in lines]


def test_options_for_all_contacts_count_as_in_mujoco(tmp_path):
    path = ball_and_wheels(tmp_path, option='o_margin="0.02" o_friction="0.3 0.3 0.01 0 0"', flags='<flag override="enable"/>')
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)

    contact, = (entry for entry in import_model.read(path, strict=True).mechanism["contacts"].values() if entry["type"] == "sphere_plane")

    assert contact["friction"] == data.contact.friction[0, 0] == 0.3
    assert contact["plane_point_m"] == [0.0, 0.0, data.contact.includemargin[0]] == [0.0, 0.0, 0.02]


def test_a_property_that_nothing_here_reads_is_named(tmp_path):
    # Plastic springs yield: MuJoCo's table of their thresholds is not read here.
    path = gripper(tmp_path, turn='stiffness="2" springyield="0.1"')

    left_out, = import_model.read(path).left_out

    assert left_out == f'{path}:6, <joint name="turn">: properties that nothing here has: springyield'


def test_a_floor_that_moves_its_surface_is_named(tmp_path):
    path = written(tmp_path, '<mujoco><worldbody><geom name="belt" type="plane" size="1 1 1" surfacevel="0.3 0 0 0 0 0"/>\n'
                   '<body pos="0 0 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>')

    assert f'{path}:1, <geom name="belt">: properties that nothing here has: surfacevel' in import_model.read(path).left_out
    assert not import_model.read(path, without=["contacts"], strict=True).left_out


def test_an_element_of_an_included_file_is_named_there(tmp_path):
    written(tmp_path, '<mujocoinclude>\n<actuator>\n\n<motor joint="j" gear="2"/><muscle joint="j" lengthrange="0 1"/>\n</actuator>'
            "</mujocoinclude>", "drives.xml")
    path = written(tmp_path, '<mujoco><worldbody><body><joint name="j"/><geom size="0.1" mass="1" contype="0" conaffinity="0"/></body>'
                   '</worldbody><include file="drives.xml"/></mujoco>')

    left_out, = import_model.read(path).left_out

    assert left_out.startswith(f"{tmp_path / 'drives.xml'}:4, <muscle>: ")


def test_an_entry_that_the_engine_refuses_is_named_by_its_element(tmp_path):
    # More formulas than the program has room for: it counts 32 of them.
    actuators = "\n".join(f'<motor name="m{number}" joint="turn"/>' for number in range(33))
    path = gripper(tmp_path, actuators=actuators, control=f'ctrl="{"0 " * 33}"')

    with pytest.raises(myriad.InputError, match=rf'^{path}:48, <motor name="m32">: .* more than 32 '):
        import_model.read(path, keyframe="start")


# Shapes of a body stand before and behind those of the body that it carries.
NAMELESS = """<mujoco><worldbody>
  <geom type="plane" size="1 1 1"/>
  <body pos="0 0 1"><freejoint/>
    <body><joint axis="0 1 0"/>
      <geom type="box" size="0.1 0.1 0.1"/>
    </body>
    <geom size="0.1"/>
    <geom type="cylinder" size="0.1 0.1"/>
  </body>
  {more}
</worldbody></mujoco>"""


def lines_of(imported, what):
    return [line.split(": ", 1)[0] for line in imported.left_out if what in line]


def test_shapes_without_names_are_found_in_any_order(tmp_path):
    path = written(tmp_path, NAMELESS.format(more=""))

    imported = import_model.read(path)

    assert lines_of(imported, "contact of a box") == [f"{path}:5, <geom>"]
    assert lines_of(imported, "contact of a cylinder") == [f"{path}:8, <geom>"]


def test_copies_have_the_line_of_what_they_are_copies_of(tmp_path):
    copies = '<replicate count="2" offset="1 0 0"><body pos="0 3 1"><freejoint/>\n<geom type="ellipsoid" size="0.1 0.1 0.2"/></body></replicate>'
    path = written(tmp_path, NAMELESS.format(more=copies))

    imported = import_model.read(path)

    assert lines_of(imported, "contact of an ellipsoid") == [f"{path}:11, <geom>"]
    assert lines_of(imported, "contact of a box") == [f"{path}:5, <geom>"]


def test_shapes_of_included_files_have_their_lines_there(tmp_path):
    part = written(tmp_path, '<mujocoinclude>\n\n<body pos="4 0 1"><freejoint/>\n<geom type="ellipsoid" size="0.1 0.1 0.2"/></body>\n'
                   "</mujocoinclude>", "part.xml")
    path = written(tmp_path, NAMELESS.format(more='<include file="part.xml"/>'))

    imported = import_model.read(path)

    assert lines_of(imported, "contact of an ellipsoid") == [f"{part}:4, <geom>"]
    assert lines_of(imported, "contact of a cylinder") == [f"{path}:8, <geom>"]


def test_contact_between_shapes_names_two_that_may_touch_and_the_option_that_leaves_it_out(tmp_path):
    path = written(tmp_path, '<mujoco><worldbody>\n<body name="a"><freejoint/>\n<geom name="nose" size="0.1"/></body>\n'
                   '<body name="b" pos="1 0 0"><freejoint/>\n<geom size="0.1"/></body></worldbody></mujoco>')

    line, = import_model.read(path).left_out

    assert line.startswith(f'{path}:3, <geom name="nose">: contact between shapes (1 pair; here with {path}:5, <geom>)')
    assert line.endswith("--without contacts")


def test_contacts_for_which_there_is_no_room_are_named_one_by_one(tmp_path):
    balls = "".join(f'\n<body pos="{number} 0 {1 + 0.1 * number}"><freejoint/><geom size="0.1"/></body>' for number in range(14))
    path = written(tmp_path, f'<mujoco><worldbody><geom type="plane" size="1 1 1"/>{balls}\n<body pos="0 2 0.5"><freejoint/>'
                   '<geom type="capsule" size="0.05" fromto="0 0 0 0 0 3"/></body>\n<body pos="0 3 0.5"><freejoint/>'
                   '<geom type="capsule" size="0.05" fromto="0 0 0 0 0 0.1"/></body></worldbody></mujoco>')

    imported = import_model.read(path)

    assert lines_of(imported, "contact with the floor: a mechanism has at most 16 contacts") == [f"{path}:15, <geom>"]
    # MuJoCo's axis of a capsule points from its second point to its first.
    assert lines_of(imported, "contact of end 1 with the floor: a mechanism has at most 16 contacts") == [f"{path}:16, <geom>"]


MESHES = """<mujoco><asset><mesh name="shell" file="not_here.stl"/></asset><worldbody>
  {floor}
  <geom type="mesh" mesh="shell" contype="0" conaffinity="0"/>
  <body name="a" pos="0 0 1"><joint name="j" axis="0 1 0"/><inertial pos="0.1 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
    <geom type="mesh" mesh="shell"/>
    <body name="b"><joint name="k" axis="0 1 0"/><inertial pos="0.1 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
      <geom type="mesh" mesh="shell" {more}/></body></body></worldbody></mujoco>"""


def test_a_mesh_that_may_touch_nothing_is_nothing_that_is_left_out(tmp_path):
    path = written(tmp_path, MESHES.format(floor="", more=""))

    imported = import_model.read(path, strict=True)

    # A body and the one that carries it do not touch in MuJoCo. The mass is that of the file, not of a shape.
    assert not imported.left_out and not imported.mechanism.get("contacts")
    assert [body["mass_kg"] for body in imported.mechanism["bodies"].values()] == [1.0, 1.0]
    assert numpy.allclose(imported.mechanism["bodies"]["b"]["inertia_kg_m2"], 0.1)


def test_a_mesh_that_may_touch_the_floor_is_left_out_with_the_option_that_says_so(tmp_path):
    path = written(tmp_path, MESHES.format(floor='<geom type="plane" size="1 1 1"/>', more='contype="0" conaffinity="0"'))

    imported = import_model.read(path)

    assert imported.left_out == [f"{path}:5, <geom>: contact of a mesh with a plane: only spheres and capsules have it here; leave all "
                                 "contact out: --without contacts"]
    assert not import_model.read(path, without=["contacts"], strict=True).left_out


def test_shapes_of_links_have_their_lines(tmp_path):
    link = ('<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>\n'
            '<visual><geometry><sphere radius="1"/></geometry></visual>\n'
            '<collision><origin xyz="{1} 0 0"/><geometry><sphere radius="0.1"/></geometry></collision></link>\n')
    joint = ('<joint name="to_{1}" type="{2}"><parent link="{0}"/><child link="{1}"/><axis xyz="0 1 0"/></joint>\n')
    # Links stand in another order than they carry each other, and one is welded to another.
    path = written(tmp_path, '<robot name="r">\n' + link.format("hand", 3) + link.format("tool", 4) + link.format("upper", 1)
                   + link.format("fore", 2) + '<link name="base"/>' + joint.format("base", "upper", "continuous")
                   + joint.format("upper", "fore", "continuous") + joint.format("fore", "hand", "continuous")
                   + joint.format("hand", "tool", "fixed") + "</robot>", "robot.urdf")

    line, = import_model.read(path).left_out

    # The upper arm's shape may touch those of the hand and of its tool; neighbours do not touch.
    assert line.startswith(f"{path}:10, <collision>: contact between shapes (2 pairs; here with {path}:4, <collision>)")
