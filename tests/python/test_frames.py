"""What docs/frames_and_units.md says about units, frames and signs, checked by small experiments with known outcomes."""

import json
import math
import re

import numpy
import pytest

import myriad
from conftest import SOURCE, run_program

ROUND_OFF = 1e-12  # relative to lengths, angles and weights near 1: sums of a few terms
MASS_KG, GRAVITY_M_S2 = 2.0, 10.0
WEIGHT_N = MASS_KG * GRAVITY_M_S2
BLOCK = {"mass_kg": MASS_KG, "inertia_kg_m2": [0.1, 0.2, 0.3]}
QUARTER_TURN = math.pi / 2
ALONG_Y = {"rotation_vector_rad": [0, 0, QUARTER_TURN]}  # body x is world y, body y is world -x
Z_AXES = {"axes": [[0, 0, 1], [0, 0, 1]]}
STEP_S = 1e-3


def start(mechanism, integrator="generalized_alpha", step_s=STEP_S):
    return myriad.Study(mechanism=mechanism, integrator={"name": integrator, "step_s": step_s, "end_s": 10 * step_s},
                        instances=1).start()


def block(**keys):
    return {"bodies": {"block": {**BLOCK, **keys}}}


def points(**places):
    """Sensors of points of the block, by name."""
    return {"sensors": {name: {"type": "point", "body": "block", "point_m": place} for name, place in places.items()}}


def value(ensemble, channel):
    return ensemble.channel(channel).ravel()


def same(found, expected, tolerance=ROUND_OFF):
    numpy.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


def shown(orientation):
    """Where the x, y and z axes of a block with this orientation point in the world, as columns."""
    sensors = points(o=[0, 0, 0], x=[1, 0, 0], y=[0, 1, 0], z=[0, 0, 1])
    ensemble = start({**block(orientation=orientation), **sensors}, "rk4")
    return numpy.array([value(ensemble, axis) - value(ensemble, "o") for axis in "xyz"]).T


def test_without_gravity_a_body_stays_and_with_it_falls_along_the_vector():
    still, falling = start(block(), "rk4"), start({**block(), "gravity_m_s2": [0, 0, -GRAVITY_M_S2]}, "rk4")
    still.advance(), falling.advance()

    same(value(still, "position"), [0, 0, 0])
    same(value(falling, "position"), [0, 0, -GRAVITY_M_S2 / 2 * falling.time_s[0]**2])


def test_position_m_places_the_origin_and_the_channel_position_shows_the_centre_of_mass():
    ensemble = start({**block(position_m=[1, 2, 3], orientation=ALONG_Y, centre_of_mass_m=[0.1, 0, 0]),
                      **points(origin=[0, 0, 0])}, "rk4")

    same(value(ensemble, "origin"), [1, 2, 3])
    same(value(ensemble, "position"), [1, 2.1, 3])


def test_velocity_m_s_is_that_of_the_origin_and_the_channel_velocity_that_of_the_centre_of_mass_both_in_the_world():
    ensemble = start(block(orientation=ALONG_Y, centre_of_mass_m=[0.1, 0, 0], velocity_m_s=[0.5, 0, 0],
                           angular_velocity_rad_s=[0, 0, 2]), "rk4")

    same(value(ensemble, "velocity"), [0.5 - 2 * 0.1, 0, 0])


def test_angular_velocities_are_in_the_body_unless_the_key_says_world():
    body, world = ({"angular_velocity_rad_s": [3, 0, 0]}, {"angular_velocity_world_rad_s": [3, 0, 0]})

    same(value(start(block(orientation=ALONG_Y, **body), "rk4"), "angular_velocity"), [3, 0, 0])
    same(value(start(block(orientation=ALONG_Y, **world), "rk4"), "angular_velocity"), [0, -3, 0])


def test_quaternions_are_w_x_y_z_and_turn_the_body_to_the_world():
    half = math.cos(QUARTER_TURN / 2)
    quaternion = [half, 0, 0, half]
    turned = shown({"quaternion": quaternion})

    same(turned @ [1, 0, 0], [0, 1, 0])
    same(turned @ [0, 1, 0], [-1, 0, 0])
    same(value(start(block(orientation=ALONG_Y), "rk4"), "orientation"), quaternion)


def test_a_quaternion_of_any_length_is_scaled():
    same(shown({"quaternion": [7, 0, 0, 7]}), shown(ALONG_Y))


def test_cardan_angles_turn_about_x_then_the_new_y_then_the_new_z():
    a, b, c = 0.3, -0.4, 0.5
    x = numpy.array([[1, 0, 0], [0, math.cos(a), -math.sin(a)], [0, math.sin(a), math.cos(a)]])
    y = numpy.array([[math.cos(b), 0, math.sin(b)], [0, 1, 0], [-math.sin(b), 0, math.cos(b)]])
    z = numpy.array([[math.cos(c), -math.sin(c), 0], [math.sin(c), math.cos(c), 0], [0, 0, 1]])

    same(shown({"cardan_xyz_rad": [a, b, c]}), x @ y @ z)


def test_axes_and_columns_of_the_matrix_are_the_axes_of_the_body_in_the_world():
    wanted = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]

    same(shown({"matrix": wanted}), wanted)
    for axes in ({"x_axis": [0, 5, 0], "y_axis": [-1, 0, 0]}, {"y_axis": [-1, 0, 0], "z_axis": [0, 0, 3]},
                 {"x_axis": [0, 1, 0], "z_axis": [0, 0, 1]}):
        same(shown(axes), wanted)


def test_inertia_is_about_the_centre_of_mass_in_the_axes_of_the_body():
    torque = {"forces": {"twist": {"type": "torque", "body": "block", "torque_N_m": [0, 0.6, 0]}}}
    ensemble = start({**block(orientation=ALONG_Y, centre_of_mass_m=[0.5, 0, 0]), **torque}, "rk4")

    # World y is body x, whose moment of inertia is 0.1.
    same(value(ensemble, "angular_acceleration"), [0.6 / 0.1, 0, 0])
    same(value(ensemble, "acceleration"), [0, 0, 0])


@pytest.mark.parametrize("frame, expected", [("world", [3, 0, 0]), ("body", [0, 3, 0])])
def test_a_force_is_in_the_world_unless_its_frame_is_the_body(frame, expected):
    push = {"forces": {"push": {"type": "force", "body": "block", "force_N": [6, 0, 0], "frame": frame}}}

    same(value(start({**block(orientation=ALONG_Y), **push}, "rk4"), "acceleration"), expected)


def hinge(bodies=("ground", "block"), points_m=((0, 0, 0), (0, 0, 0)), **more):
    return {"type": "revolute", "bodies": list(bodies), "points_m": [list(point) for point in points_m], **Z_AXES, **more}


def test_points_of_a_joint_are_from_the_origin_of_each_body_in_its_frame_and_on_the_ground_in_the_world():
    pin = hinge(points_m=((1, 2, 0), (-0.5, 0, 0)))
    ensemble = start({**block(position_m=[1, 2.5, 0], orientation=ALONG_Y), "joints": {"pin": pin}})

    same(value(ensemble, "assembly_correction"), 0)
    same(value(ensemble, "position"), [1, 2.5, 0])


def angle_of(joint, **body):
    ensemble = start({**block(**body), "joints": {"pin": joint}, "sensors": {
        "angle": {"type": "angle", "joint": "pin"}, "rate": {"type": "rate", "joint": "pin"}}})
    return value(ensemble, "angle")[0], value(ensemble, "rate")[0]


def test_an_angle_counts_from_a_to_b_by_the_right_hand_about_the_axis_of_a():
    _, rate = angle_of(hinge(), angular_velocity_rad_s=[0, 0, 2])
    _, swapped = angle_of(hinge(("block", "ground")), angular_velocity_rad_s=[0, 0, 2])

    same(rate, 2)
    same(swapped, -2)


def test_an_angle_is_zero_in_the_file_s_poses_unless_references_say_from_where_it_counts():
    angle, _ = angle_of(hinge(), orientation=ALONG_Y)
    counted, _ = angle_of(hinge(references=[[1, 0, 0], [1, 0, 0]]), orientation=ALONG_Y)

    same(angle, 0)
    same(counted, QUARTER_TURN)


def test_a_driver_and_a_start_value_set_the_same_angle():
    references = {"references": [[1, 0, 0], [1, 0, 0]]}
    driven = start({**block(), "joints": {"pin": hinge(**references)},
                    "drivers": {"turn": {"type": "angle", "joint": "pin", "value_rad": 0.7}}})
    started = start({**block(), "joints": {"pin": hinge(angle_rad=0.7, **references)}})
    turned = [math.cos(0.35), 0, 0, math.sin(0.35)]

    same(value(driven, "orientation"), turned)
    same(value(started, "orientation"), turned)


def test_a_displacement_is_that_of_b_s_point_from_a_s_point_along_the_axis_of_a():
    slide = {"type": "prismatic", "bodies": ["ground", "block"], "points_m": [[1, 0, 0], [0.25, 0, 0]],
             "axes": [[1, 0, 0], [1, 0, 0]]}
    ensemble = start({**block(position_m=[3, 0, 0]), "joints": {"rail": slide},
                      "sensors": {"way": {"type": "displacement", "joint": "rail"}}})

    same(value(ensemble, "way"), 3 + 0.25 - 1)


def test_the_angles_of_a_universal_joint_are_about_the_axis_of_a_then_that_of_b():
    cross = {"type": "universal", "bodies": ["ground", "block"], "points_m": [[0, 0, 0], [0, 0, 0]],
             "axes": [[1, 0, 0], [0, 1, 0]], "angle_1_rad": 0.3, "angle_2_rad": 0.5}
    ensemble = start({**block(), "joints": {"cross": cross}, **points(z=[0, 0, 1])})
    y_turned = numpy.array([math.sin(0.5), 0, math.cos(0.5)])

    same(value(ensemble, "z"), [y_turned[0], -math.sin(0.3) * y_turned[2], math.cos(0.3) * y_turned[2]])


def test_a_spherical_joint_shows_the_orientation_of_b_relative_to_a():
    ball = {"type": "spherical", "bodies": ["ground", "block"], "points_m": [[0, 0, 0], [0, 0, 0]]}
    ensemble = start({**block(orientation=ALONG_Y, angular_velocity_rad_s=[3, 0, 0]), "joints": {"ball": ball}, "sensors": {
        "turn": {"type": "orientation", "joint": "ball"}, "spin": {"type": "angular_velocity", "joint": "ball"}}})

    same(value(ensemble, "turn"), [math.sqrt(0.5), 0, 0, math.sqrt(0.5)])
    same(value(ensemble, "spin"), [3, 0, 0])


@pytest.mark.parametrize("coordinates", ["joint", "body"])
@pytest.mark.parametrize("bodies, sign", [(("ground", "block"), 1), (("block", "ground"), -1)])
def test_a_reaction_is_the_force_on_b_in_the_world(bodies, sign, coordinates):
    hook = {"type": "spherical", "bodies": list(bodies), "points_m": [[0, 0, 0]] * 2}
    hook["points_m"][bodies.index("block")] = [0.5, 0, 0]
    # Body x points up, so that the axes of the body and of the world differ.
    upright = {"x_axis": [0, 0, 1], "y_axis": [0, 1, 0]}
    ensemble = start({**block(position_m=[0, 0, -0.5], orientation=upright), "gravity_m_s2": [0, 0, -GRAVITY_M_S2],
                      "coordinates": coordinates, "joints": {"hook": hook},
                      "sensors": {"force": {"type": "reaction_force", "joint": "hook"}}})

    same(value(ensemble, "force"), [0, 0, sign * WEIGHT_N], ROUND_OFF * WEIGHT_N)


@pytest.mark.parametrize("coordinates", ["joint", "body"])
def test_a_reaction_torque_acts_on_b_about_its_point_there_in_the_world(coordinates):
    weld = {"type": "fixed", "bodies": ["ground", "block"], "points_m": [[0, 0, 0], [-0.5, 0, 0]]}
    ensemble = start({**block(position_m=[0.5, 0, 0]), "gravity_m_s2": [0, 0, -GRAVITY_M_S2], "joints": {"weld": weld},
                      "coordinates": coordinates,
                      "sensors": {"force": {"type": "reaction_force", "joint": "weld"},
                                  "torque": {"type": "reaction_torque", "joint": "weld"}}})

    # The weight turns the block about +y, the wall turns it back.
    same(value(ensemble, "force"), [0, 0, WEIGHT_N], ROUND_OFF * WEIGHT_N)
    same(value(ensemble, "torque"), [0, -0.5 * WEIGHT_N, 0], ROUND_OFF * WEIGHT_N)


def test_a_stretched_spring_has_a_positive_tension_and_pulls_b_towards_a():
    spring = {"type": "spring_damper", "bodies": ["ground", "block"], "points_m": [[0, 0, 0], [0, 0, 0]],
              "stiffness_N_m": 100, "rest_length_m": 0.8}
    ensemble = start({**block(position_m=[1, 0, 0]), "forces": {"spring": spring}, "sensors": {
        "tension": {"type": "tension", "force": "spring"}, "on_b": {"type": "exerted_force", "force": "spring"}}}, "rk4")

    same(value(ensemble, "tension"), 20, ROUND_OFF * 100)
    same(value(ensemble, "on_b"), [-20, 0, 0], ROUND_OFF * 100)


def test_a_torque_on_a_joint_turns_b_by_the_right_hand_about_the_axis_of_a():
    motor = {"motor": {"type": "joint_force", "joint": "pin", "torque_N_m": 0.6}}
    ensemble = start({**block(), "joints": {"pin": hinge()}, "forces": motor})

    same(value(ensemble, "angular_acceleration"), [0, 0, 0.6 / 0.3])


def test_a_torque_on_a_joint_acts_on_a_in_the_opposite_direction():
    other = {**BLOCK, "inertia_kg_m2": [0.1, 0.2, 0.5]}
    ensemble = start({"bodies": {"one": other, "two": BLOCK}, "joints": {"pin": hinge(("one", "two"))},
                      "forces": {"motor": {"type": "joint_force", "joint": "pin", "torque_N_m": 0.6}}})

    same(value(ensemble, "angular_acceleration"), [0, 0, -0.6 / 0.5, 0, 0, 0.6 / 0.3])


def test_a_stop_counts_the_angle_as_its_joint_does():
    stop = {"type": "joint_limits", "joint": "pin", "lower_rad": -0.5, "upper_rad": 0.01}
    spun = {"bodies": {"block": {**BLOCK, "angular_velocity_rad_s": [0, 0, 2]}}, "joints": {"pin": hinge()},
            "contacts": {"stop": stop}, "sensors": {"angle": {"type": "angle", "joint": "pin"}}}
    ensemble = start(spun, "moreau_midpoint")
    ensemble.advance()

    # It would have turned by 0.02 rad. The impact is late by at most a step.
    assert 0.01 <= value(ensemble, "angle")[0] <= 0.01 + 2 * STEP_S


def test_the_force_of_a_contact_acts_on_b_and_its_normal_component_points_from_a_to_b():
    floor = {"type": "point_plane", "bodies": ["ground", "block"], "plane_point_m": [0, 0, 0], "plane_normal": [0, 0, 1],
             "point_m": [0, 0, 0]}
    ensemble = start({**block(), "gravity_m_s2": [0, 0, -GRAVITY_M_S2], "contacts": {"floor": floor},
                      "sensors": {"force": {"type": "contact_force", "contact": "floor"}}}, "nonsmooth_bathe")
    ensemble.advance()

    same(value(ensemble, "force"), [0, 0, WEIGHT_N], 1e-9 * WEIGHT_N)  # the tolerance of the laws of contact is 1e-12


def test_the_potential_energy_of_gravity_is_zero_at_the_origin_of_the_world():
    ensemble = start({**block(position_m=[0, 0, 3]), "gravity_m_s2": [0, 0, -GRAVITY_M_S2]}, "rk4")

    same(value(ensemble, "potential_energy"), 3 * WEIGHT_N, ROUND_OFF * 100)


def test_the_example_of_the_page_is_turned_as_its_picture_shows():
    page = (SOURCE / "docs" / "frames_and_units.md").read_text(encoding="utf-8")
    ensemble = start(json.loads(page.split("```json mechanism\n")[1].split("```")[0]))

    same(value(ensemble, "angle"), math.pi / 6)
    same(value(ensemble, "assembly_correction"), 0)
    same(value(ensemble, "pin_force"), [0, 0, 0])


def test_a_key_ends_with_the_unit_of_its_value_except_gains():
    checked = 0
    for file in sorted((SOURCE / "ensembles" / "mechanisms").glob("*.json")):
        said = json.loads(run_program("list", "--mechanism", file, "--format", "json").stdout)
        for number in said["numbers"]:
            key = re.sub(r"\[\d+\]", "", number["address"]).split(".")[-1]
            ending = re.sub(r"[/ ]", "_", number["unit"].replace("^", ""))
            if number["unit"] and key not in ("proportional", "derivative"):
                assert key.endswith("_" + ending), number
                checked += 1
    assert checked > 1000
