"""URDF files of robots: what the format leaves open is an option, and a message names file, line, element and remedy."""

import subprocess
import sys

import numpy
import pytest

import myriad
from conftest import written
from myriad import import_model

mujoco = pytest.importorskip("mujoco", reason="the package mujoco, whose loader reads URDF and MJCF, is not installed")

GRAVITY = 9.81
# Of a fall with a constant acceleration, to round-off of some hundred steps.
FALL_TOLERANCE_M = 1e-9
COUPLING_TOLERANCE = 1e-10


def link(name, mass, moments, centre="0 0 0"):
    return (f'<link name="{name}"><inertial><origin xyz="{centre}"/><mass value="{mass}"/><inertia ixx="{moments[0]}" iyy="{moments[1]}" '
            f'izz="{moments[2]}" ixy="0" ixz="0" iyz="0"/></inertial></link>\n')


def joint(name, parent, child, more="", kind="continuous"):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><axis xyz="0 1 0"/>{more}</joint>\n')


WALKER = ('<robot name="walker">\n' + link("trunk", 5, (0.1, 0.2, 0.15)) + link("leg", 1, (0.01, 0.01, 0.002), "0 0 -0.2")
          + joint("hip", "trunk", "leg") + "</robot>")


def test_a_trunk_is_fixed_with_a_line_or_falls_freely(tmp_path):
    path = written(tmp_path, WALKER)

    fixed = import_model.read(path)
    free = import_model.read(path, free_base=True)

    assert f'{path}:2, <link name="trunk">: it is fixed to the world' in fixed.notes[0] and "--free-base" in fixed.notes[0]
    assert myriad.Mechanism(fixed.mechanism).freedoms == 1 and myriad.Mechanism(free.mechanism).freedoms == 7
    assert not free.notes
    result = myriad.Study(mechanism=free.mechanism, integrator={"name": "rk4", "step_s": 1e-3, "end_s": 0.4}, instances=1,
                          quantities={"z": {"final": "position.trunk.z"}}).run(progress=False)
    # Nothing turns the leg against the trunk while both fall.
    assert result.quantities["z"][0] == pytest.approx(-GRAVITY * 0.4**2 / 2, abs=FALL_TOLERANCE_M)


def test_a_model_in_which_nothing_moves_is_refused_with_the_option_that_frees_it(tmp_path):
    path = written(tmp_path, '<robot name="crate">\n' + link("crate", 2, (1, 1, 1)) + "</robot>")

    with pytest.raises(myriad.InputError, match=rf'nothing in it moves(?s:.*){path}:2, <link name="crate">(?s:.*)--free-base'):
        import_model.read(path)
    assert myriad.Mechanism(import_model.read(path, free_base=True).mechanism).freedoms == 6


@pytest.mark.parametrize("name", ["WALKER.URDF", "walker.xml.txt"])
def test_the_ending_of_the_name_does_not_matter(tmp_path, name):
    assert myriad.Mechanism(import_model.read(written(tmp_path, WALKER, name)).mechanism).freedoms == 1


def test_a_free_base_is_one_body(tmp_path):
    body = '<body name="{}"><geom size="0.1"/><body name="{}"><joint/><geom size="0.1"/></body></body>'
    path = written(tmp_path, f"<mujoco><worldbody>{body.format('a', 'b')}{body.format('c', 'd')}</worldbody></mujoco>", "two.xml")

    with pytest.raises(myriad.InputError, match="2 bodies are fixed to the world: a, c"):
        import_model.read(path, free_base=True)
    # A table that carries nothing stays where it is.
    path = written(tmp_path, f"<mujoco><worldbody><body><geom size='1'/></body>{body.format('a', 'b')}</worldbody></mujoco>", "one.xml")
    assert myriad.Mechanism(import_model.read(path, free_base=True).mechanism).freedoms == 7


def test_xacro_and_other_formats_are_named_with_what_to_run(tmp_path):
    xacro = ('<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="m" value="1"/>'
             '<link name="base"/></robot>')
    for name, output in (("arm.urdf.xacro", "arm.urdf"), ("arm.urdf", "arm_expanded.urdf")):
        path = written(tmp_path, xacro, name)
        with pytest.raises(myriad.InputError, match=rf"this is a xacro file(?s:.*)`xacro {path} > {output}`"):
            import_model.read(path)
    for text in ("", "a robot", '{"bodies": {}}'):
        with pytest.raises(myriad.InputError, match="it begins with no XML element(?s:.*)URDF"):
            import_model.read(written(tmp_path, text, "arm.urdf"))
    # What a comment keeps of it is no xacro.
    expanded = written(tmp_path, WALKER.replace("</robot>", '<!-- <xacro:include filename="wheel.xacro"/> --></robot>'))
    assert myriad.Mechanism(import_model.read(expanded).mechanism).freedoms == 1
    with pytest.raises(myriad.InputError, match="its root element is <sdf>"):
        import_model.read(written(tmp_path, '<sdf version="1.9"/>', "arm.sdf"))


MESHED = ('<robot name="r"><link name="base"/>\n<link name="arm"><collision><geometry><mesh filename="{}"/></geometry></collision></link>\n'
          + joint("j", "base", "arm") + "</robot>")
# A tetrahedron with corners on the axes.
OBJ = "v 0 0 0\nv 0.6 0 0\nv 0 0.6 0\nv 0 0 0.6\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.mark.parametrize("mesh, what, remedy", [
    ("file:///no/arm.obj", "there is no file /no/arm.obj", "write an <inertial>"),
    ("package://kit/meshes/arm.obj", "the package kit of package://kit/meshes/arm.obj was not found", "--package kit=FOLDER"),
    ("meshes/arm.obj", "there is no file {folder}/meshes/arm.obj", "write an <inertial>"),
    ("arm.dae", "MuJoCo reads no .dae", "convert the mesh"),
])
def test_a_link_without_inertia_is_named_with_the_mesh_that_was_looked_for(tmp_path, mesh, what, remedy):
    path = written(tmp_path, MESHED.format(mesh))
    written(tmp_path, "", "arm.dae")

    with pytest.raises(myriad.InputError) as raised:
        import_model.read(path)

    assert raised.value.where == f'{path}:2, <link name="arm">' and "it has no <inertial>" in raised.value.what
    assert what.format(folder=tmp_path) in raised.value.what and remedy in raised.value.remedy


def test_meshes_beside_a_file_are_found_whatever_its_ending_is(tmp_path):
    written(tmp_path, OBJ, "arm.obj")

    imported = import_model.read(written(tmp_path, MESHED.format("arm.obj"), "robot.URDF"))

    assert imported.mechanism["bodies"]["arm"]["mass_kg"] == pytest.approx(1000 * 0.6**3 / 6, rel=1e-6)


@pytest.mark.parametrize("way", ["option", "environment", "folder above"])
def test_packages_are_found(tmp_path, monkeypatch, way):
    package = tmp_path / "share" / "kit"
    (package / "meshes").mkdir(parents=True)
    written(package / "meshes", OBJ, "arm.obj")
    path = written(package if way == "folder above" else tmp_path, MESHED.format("package://kit/meshes/arm.obj"))
    if way == "environment":
        monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "share"))

    imported = import_model.read(path, packages={"kit": str(package)} if way == "option" else None)

    # The volume of the tetrahedron, of 1000 kg/m^3; as MuJoCo computes it in single precision.
    assert imported.mechanism["bodies"]["arm"]["mass_kg"] == pytest.approx(1000 * 0.6**3 / 6, rel=1e-6)


def moments(body):
    inertia = body["inertia_kg_m2"]
    if isinstance(inertia, list):
        return inertia
    matrix = [[inertia["".join(sorted((row, column)))] for column in "xyz"] for row in "xyz"]
    return numpy.linalg.eigvalsh(matrix)


def test_inertias_of_no_body_are_refused_or_balanced(tmp_path):
    path = written(tmp_path, '<robot name="r"><link name="base"/>\n' + link("arm", 1, (0.01, 0.01, 0.01), "0.2 0 0")
                   + link("camera", 0.01, (1e-6, 1e-6, 1e-5)) + joint("j", "base", "arm") + joint("c", "arm", "camera", kind="fixed")
                   + "</robot>")

    with pytest.raises(myriad.InputError, match=rf'^{path}:3, <link name="camera">: its principal moments(?s:.*)--balance-inertia'):
        import_model.read(path)
    balanced = import_model.read(path, balance_inertia=True)

    assert any(f'{path}:3, <link name="camera">: its principal moments 1e-06, 1e-06, 1e-05' in note and "4e-06" in note
               for note in balanced.notes)
    # The camera at the arm's origin, 0.2 m from its centre of mass, is welded to it: along the line between them the moments add.
    arm = balanced.mechanism["bodies"]["arm"]
    assert arm["mass_kg"] == pytest.approx(1.01) and min(moments(arm)) == pytest.approx(0.01 + 4e-6)


GRIPPER = ('<robot name="gripper">\n' + link("palm", 3, (0.1, 0.1, 0.1))
           + link("l", 1, (1, 1, 1), "0.1 0 0") + link("r", 1, (1, 1, 1), "0.1 0 0")
           + joint("jl", "palm", "l", '<limit lower="0.1" upper="0.8" effort="10" velocity="2"/>', "revolute")
           + joint("jr", "palm", "r", '<limit lower="-0.9" upper="0.9" effort="10" velocity="2"/>'
                   '<mimic joint="jl" multiplier="-1" offset="0.05"/>', "revolute") + "</robot>")


def test_a_joint_that_follows_starts_where_it_follows_to(tmp_path):
    path = written(tmp_path, GRIPPER)

    imported = import_model.read(path)
    started = import_model.read(path, start={"jl": 0.3})

    assert f'{path}:6, <joint name="jr">: it starts at 0.05, not at 0, because it follows jl' in imported.notes
    assert any(f'{path}:5, <joint name="jl">: it starts at 0 rad, beyond its limits 0.1 and 0.8 rad; start at a limit: --start jl=0.1'
               in note for note in imported.notes)
    assert not any("beyond" in note for note in started.notes)
    assert started.mechanism["joints"]["jl"]["angle_rad"] == 0.3
    with pytest.raises(myriad.InputError, match="it follows another joint"):
        import_model.read(path, start={"jr": 0.3})
    with pytest.raises(myriad.UnknownName, match="jl"):
        import_model.read(path, start={"jll": 0.3})


@pytest.mark.parametrize("without, method", [(["limits"], "generalized_alpha"), ([], "nonsmooth_generalized_alpha")])
def test_starts_of_a_joint_that_others_follow_may_be_varied(tmp_path, without, method):
    imported = import_model.read(written(tmp_path, GRIPPER), start={"jl": 0.3}, without=without)
    study = myriad.Study(mechanism=imported.mechanism, integrator={"name": method, "step_s": 1e-3, "end_s": 0.02},
                         samples={"joints.jl.angle_rad": [0.15, 0.4, 0.7]},
                         observe={"every_steps": 1, "channels": ["jl_angle", "jr_angle"]})

    result = study.run(progress=False)

    assert result.ok.all()
    # Its pose in the file is no contradiction.
    assert result.certificate["assembly_correction"].max() <= COUPLING_TOLERANCE
    left, right = (result.trajectories[f"{side}_angle"].reshape(3, -1) for side in ("jl", "jr"))
    assert numpy.allclose(left[:, 0], [0.15, 0.4, 0.7], rtol=0, atol=COUPLING_TOLERANCE)
    assert numpy.abs(right - (0.05 - left)).max() <= COUPLING_TOLERANCE


def imported_by_command(folder, *arguments):
    return subprocess.run([sys.executable, "-m", "myriad", "import", *map(str, arguments)], capture_output=True, text=True, check=False,
                          cwd=folder)


def test_the_command_has_the_options(tmp_path):
    path = written(tmp_path, GRIPPER)

    done = imported_by_command(tmp_path, "--start", "jl=0.2", path, "--free-base", "--without", "limits", "--strict")
    assert done.returncode == 0, done.stderr
    assert "7 degrees of freedom" in done.stdout
    for arguments, what in ((["--start", "jl"], '"jl" is no name, = and value'), (["--start", "jl=here"], '"here" is no number'),
                            (["--package", "=x"], '"=x" is no name'), (["--start", "jl=0", "--start", "jl=1"], '"jl" is given twice'),
                            (["--output", "robot.h5"], "write robot.json"), (["--witout", "limits"], 'did you mean "--without"?'),
                            (["--output", "no/robot.json"], "no/robot.json: it cannot be written")):
        refused = imported_by_command(tmp_path, path, *arguments)
        assert refused.returncode == (4 if "written" in what else 1) and what in refused.stderr
    assert "this is a folder" in imported_by_command(tmp_path, tmp_path).stderr


def test_the_command_leaves_its_own_files_alone_where_mujoco_warns(tmp_path):
    path = written(tmp_path, GRIPPER.replace('<mimic joint="jl"', '<mimic joint="gone"'))

    assert imported_by_command(tmp_path, path).returncode == 0
    assert {file.name for file in tmp_path.iterdir()} == {"robot.xml", "robot.json", "robot_study.json"}


def test_a_mimic_of_a_joint_that_is_not_there_is_left_out_with_a_line(tmp_path):
    for mimicked, kind, what in (("jll", "revolute", 'it mimics "jll", which is no joint of the file, so that it moves freely; correct its '
                                  '<mimic> in line 6, or delete it (did you mean "jl"?'),
                                 ("weld", "revolute", 'it mimics "weld", which is fixed and does not have one coordinate'),
                                 ("jl", "planar", "it mimics a joint and is planar, with more coordinates than one")):
        text = GRIPPER.replace('<mimic joint="jl"', f'<mimic joint="{mimicked}"').replace('"jr" type="revolute"', f'"jr" type="{kind}"')
        text = text.replace("</robot>", link("tip", 1, (1, 1, 1)) + joint("weld", "l", "tip", kind="fixed") + "</robot>")
        path = written(tmp_path, text)

        imported = import_model.read(path)

        line, = imported.left_out
        assert line.startswith(f'{path}:6, <joint name="jr">: {what}')
        assert not imported.mechanism.get("couplings")
        with pytest.raises(myriad.InputError, match="strict, and 1 part would be left out"):
            import_model.read(path, strict=True)
        assert not import_model.read(path, without=["equalities"], strict=True).left_out


@pytest.mark.parametrize("limits, told", [('lower="0.4" upper="0.4"', "its limits 0.4 and 0.4 leave no range"),
                                          ('lower="1" upper="-1"', "its limits 1 and -1 leave no range"),
                                          ('upper="1"', "its <limit> has one of lower and upper"), ("", ""), ('lower="0" upper="1"', "")])
def test_limits_that_the_loader_ignores_are_told(tmp_path, capfd, monkeypatch, limits, told):
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, GRIPPER.replace('lower="0.1" upper="0.8"', limits))

    imported = import_model.read(path)

    notes = [note for note in imported.notes if f'{path}:5, <joint name="jl">: ' in note]
    assert [note.split(": ", 1)[1][:len(told)] for note in notes] == ([told] if told else [])
    assert ("jl_limits" in imported.mechanism["contacts"]) == (limits == 'lower="0" upper="1"')
    # Warnings of MuJoCo's go to the terminal and into a file if nothing takes them.
    assert not capfd.readouterr().err and [one.name for one in tmp_path.iterdir()] == [path.name]


def test_a_package_whose_folder_is_not_there_is_named(tmp_path, monkeypatch):
    path = written(tmp_path, MESHED.format("package://kit/meshes/arm.obj"))

    refused = imported_by_command(tmp_path, path, "--package", f"kit={tmp_path}/none")
    assert refused.returncode == 1
    assert f"--package kit={tmp_path}/none: there is no folder {tmp_path}/none" in refused.stderr
    assert "name the folder of the package kit" in refused.stderr
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"{tmp_path}/nowhere:{tmp_path}")
    with pytest.raises(myriad.InputError, match=f"ROS_PACKAGE_PATH names {tmp_path}/nowhere, which is no folder"):
        import_model.read(path)
