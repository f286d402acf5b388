"""Lines of an import name the element that they are about by its file, its line and its tag, also where it has no name."""

import numpy
import pytest

from myriad import import_model

pytest.importorskip("mujoco", reason="the package mujoco, whose loader reads URDF and MJCF, is not installed")


def written(folder, text, name="robot.xml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# Shapes of a body stand before and behind the shapes of the body that it carries.
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

    # The upper arm's shape may touch the shapes of the hand and of its tool; neighbours do not touch.
    assert line.startswith(f"{path}:10, <collision>: contact between shapes (2 pairs; here with {path}:4, <collision>)")
