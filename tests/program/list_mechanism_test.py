"""`myriad list --mechanism` and `myriad schema mechanism` from outside.

Run by ctest with MYRIAD_PROGRAM (the program) and MYRIAD_SOURCE_DIR (the project) in the environment.
"""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from program_case import PROGRAM, STUDIES

MECHANISMS = STUDIES.parent / "mechanisms"


def myriad(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)


def listed(file):
    done = myriad("list", "--mechanism", file, "--format", "json")
    return json.loads(done.stdout)


class ListMechanism(unittest.TestCase):
    def test_shows_freedoms_as_counted_by_hand(self):
        # 6 per body less the constraints: of the driven ones 6, 18 and 18 by Table 7 of the rA paper.
        freedoms = {"double_pendulum": 2, "four_link": 0, "heavy_top": 3, "high_speed_rotor": 6, "pendulum": 0,
                    "puma560": 6, "slider_crank_haug": 0, "slider_crank_iftomm": 1, "box_on_incline": 6,
                    "pendulum_wall": 1, "slider_crank_slot": 3, "scotch_yoke": 2, "sphere_cradle": 2,
                    "bouncing_ball": 1, "sliding_block": 3, "rolling_disc": 3, "three_masses": 3, "three_masses_held": 2}
        for name, expected in freedoms.items():
            mechanism = listed(MECHANISMS / f"{name}.json")
            self.assertEqual(mechanism["degrees_of_freedom"], expected, name)
            self.assertEqual(mechanism["redundant_rows"], [], name)

    def test_shows_joints_with_their_bodies_and_freedoms(self):
        joints = {joint["name"]: joint for joint in listed(MECHANISMS / "puma560.json")["joints"]}
        self.assertEqual(joints["shoulder"], {"name": "shoulder", "type": "revolute", "bodies": ["link_1", "link_2"],
                                              "rows": 5, "freedoms": 1})

    def test_shows_every_number_with_unit_value_and_expression(self):
        numbers = {number["address"]: number for number in listed(MECHANISMS / "puma560.json")["numbers"]}
        self.assertEqual(numbers["bodies.link_2.mass_kg"]["value"], 17.4)
        self.assertEqual(numbers["bodies.link_2.mass_kg"]["unit"], "kg")
        self.assertNotIn("expression", numbers["bodies.link_2.mass_kg"])
        self.assertEqual(numbers["joints.elbow.points_m[1][0]"]["expression"], "-a3_m")
        self.assertEqual(numbers["joints.elbow.points_m[1][0]"]["value"], -0.0203)

    def test_shows_contacts_with_their_bodies_and_parts(self):
        slope, = listed(MECHANISMS / "box_on_incline.json")["contacts"]
        self.assertAlmostEqual(slope.pop("smallest_initial_gap_m"), 0.0, delta=1e-15)
        self.assertEqual(slope, {"name": "slope", "type": "box_plane", "bodies": ["ground", "box"],
                                 "contacts": [f"slope.corner_{k}" for k in range(1, 9)]})
        floor, = listed(MECHANISMS / "bouncing_sphere.json")["contacts"]
        self.assertAlmostEqual(floor["smallest_initial_gap_m"], 1.0, delta=1e-15)
        self.assertEqual(listed(MECHANISMS / "puma560.json")["contacts"], [])
        done = myriad("list", "--mechanism", MECHANISMS / "box_on_incline.json")
        for part in ("box_plane", "ground, box", "slope.corner_1 to slope.corner_8", "gap.slope.corner_8",
                     "contact_force.slope.corner_1.{normal tangent_1 tangent_2 norm}", "wear_work",
                     "contacts.slope.friction"):
            self.assertIn(part, done.stdout)

    def test_shows_limits_of_joints_with_their_bodies_and_the_way_to_them(self):
        text = {"bodies": {"rod": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [0.5, 0, 0]}},
                "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "rod"], "points_m": [[0, 0, 0],
                           [-0.5, 0, 0]], "axes": [[0, 1, 0]] * 2, "angle_rad": 0.5}},
                "contacts": {"stop": {"type": "joint_limits", "joint": "hinge", "lower_rad": -1, "upper_rad": 0.75}}}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "stopped.json"
            file.write_text(json.dumps(text))
            mechanism = listed(file)
            done = myriad("list", "--mechanism", file)
            in_bodies = myriad("list", "--mechanism", file, "--coordinates", "body")
        stop, = mechanism["contacts"]
        self.assertAlmostEqual(stop.pop("smallest_initial_gap_rad"), 0.25, delta=1e-15)
        self.assertEqual(stop, {"name": "stop", "type": "joint_limits", "bodies": ["ground", "rod"],
                                "contacts": ["stop.lower", "stop.upper"]})
        for part in ("joint_limits", "stop.lower to stop.upper", "0.25 rad", "coordinates: joint",
                     "contact_force.stop.upper", "contacts.stop.upper_rad"):
            self.assertIn(part, done.stdout)
        self.assertEqual(in_bodies.returncode, 1)
        self.assertIn("joints.hinge has a limit, which acts in joint coordinates alone", in_bodies.stderr)

    def test_for_people_names_the_same(self):
        done = myriad("list", "--mechanism", MECHANISMS / "puma560.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("Puma 560", "assumed", "degrees of freedom: 6", "redundant rows: 0", "tool.{x y z norm}",
                     "bodies.link_2.mass_kg", "wrist_pitch", "revolute", "link_4, link_5"):
            self.assertIn(part, done.stdout)

    def test_shows_the_tree_of_joints_and_what_was_cut(self):
        tree = listed(MECHANISMS / "slider_crank_iftomm.json")["tree"]
        self.assertEqual(tree["bodies"], [
            {"body": "crank", "parent": "ground", "joint": "pivot", "type": "revolute", "backwards": False,
             "freedoms": 1},
            {"body": "slider", "parent": "ground", "joint": "guide", "type": "prismatic", "backwards": False,
             "freedoms": 1},
            {"body": "rod", "parent": "slider", "joint": "cross", "type": "universal", "backwards": True,
             "freedoms": 2}])
        self.assertEqual(tree["cut_joints"], [{"joint": "ball", "reason": "loop", "rows": 3,
                                               "loop": ["pivot", "guide", "cross"]}])
        ball = listed(MECHANISMS / "bouncing_sphere.json")["tree"]["bodies"]
        self.assertEqual(ball, [{"body": "ball", "parent": "ground", "type": "free", "freedoms": 6}])
        done = myriad("list", "--mechanism", MECHANISMS / "slider_crank_iftomm.json")
        words = " ".join(done.stdout.split())
        for part in ("tree of joint coordinates", "cross, from B to A", "closes a loop with pivot, guide, cross",
                     "joint coordinates 4 0 3 0 0 0 0 7 body coordinates 18 0 17 0 0 0 0 35"):
            self.assertIn(part, words)
        done = myriad("list", "--mechanism", MECHANISMS / "slider_crank_haug.json")
        self.assertIn("DP2 is rows in every tree", done.stdout)

    def test_shows_the_unknowns_of_both_coordinates(self):
        # Joint coordinates: freedoms of the tree less driven ones, and rows of cut joints, drivers and forces.
        unknowns = {"double_pendulum": (2, 22), "four_bar_loop": (36, 36), "four_link": (6, 36), "heavy_top": (3, 9),
                    "high_speed_rotor": (12, 12), "pendulum": (2, 12), "puma560": (6, 72), "scotch_yoke": (2, 22),
                    "slider_crank_haug": (8, 36), "slider_crank_iftomm": (7, 35), "slider_crank_slot": (3, 33)}
        for name, expected in unknowns.items():
            counts = listed(MECHANISMS / f"{name}.json")["tree"]["unknowns"]
            self.assertEqual(tuple(counts[of]["unknowns"] for of in ("joint_coordinates", "body_coordinates")),
                             expected, name)
            for count in counts.values():
                self.assertEqual(count["unknowns"], count["freedoms"] - count["prescribed"] + count["joint_rows"] +
                                 count["driver_rows"] + count["force_rows"] - count["redundant_rows"], name)

    def test_counts_what_a_step_costs(self):
        # v, v', A and three v' before of both hinges, their angles with whole turns, and a contraction. In body coordinates
        # 7 numbers of pose and six times 6 rates a body, 10 multipliers and two counted angles.
        both = listed(MECHANISMS / "double_pendulum.json")["tree"]["unknowns"]
        joint, body = both["joint_coordinates"], both["body_coordinates"]
        self.assertEqual(body["state_numbers"] - joint["state_numbers"], 2 * (7 + 6 * 6) + 10 + 2 - (6 * 2 + 4))
        self.assertLess(joint["operations_of_a_step"], 2000)
        self.assertGreater(body["operations_of_a_step"], 3 * joint["operations_of_a_step"])
        done = myriad("list", "--mechanism", MECHANISMS / "double_pendulum.json")
        self.assertIn("a step of generalized_alpha at 1e-3 s  operations  numbers of state\n", done.stdout)
        self.assertNotIn("operations_of_a_step",
                         listed(MECHANISMS / "bouncing_sphere.json")["tree"]["unknowns"]["joint_coordinates"])

    def test_shows_what_a_traced_step_consists_of(self):
        # rk4 of an open tree solves no equations; generalized_alpha and the loop of the crank correct by Newton's method.
        # What a graph leaves out makes its steps shorter than those that the kernels count, where an fma is two.
        for name, corrects in (("double_pendulum", False), ("heavy_top", False), ("slider_crank_iftomm", True)):
            mechanism = listed(MECHANISMS / f"{name}.json")
            steps = mechanism["traced_steps"]
            self.assertEqual(list(steps), ["rk4", "generalized_alpha"], name)
            self.assertEqual(steps["rk4"]["operations_of_a_further_correction"] > 0, corrects, name)
            implicit = steps["generalized_alpha"]
            self.assertGreater(implicit["operations_of_a_further_correction"], 0, name)
            self.assertLess(implicit["arithmetic_of_a_further_correction"], implicit["arithmetic"], name)
            self.assertLess(implicit["arithmetic"],
                            mechanism["tree"]["unknowns"]["joint_coordinates"]["operations_of_a_step"], name)
            for step in steps.values():
                self.assertLess(step["arithmetic"], step["operations"], name)
                # The certificate comes with each thousandth step or so, in all methods the same.
                self.assertEqual(step["operations_where_wanted"], implicit["operations_where_wanted"], name)
                parts = ("operations", "operations_of_a_further_correction", "operations_where_wanted")
                self.assertLess(step["instructions"], 1.5 * sum(step[part] for part in parts), name)
                # The record lies in slots, and what it needs before its end.
                self.assertGreaterEqual(step["numbers_alive"],
                                        mechanism["tree"]["unknowns"]["joint_coordinates"]["freedoms"] * 2, name)
        # Operations grow with the bodies.
        puma, top = (listed(MECHANISMS / f"{name}.json")["traced_steps"]["rk4"] for name in ("puma560", "heavy_top"))
        self.assertGreater(puma["operations"], 3 * top["operations"])
        done = myriad("list", "--mechanism", MECHANISMS / "double_pendulum.json")
        for part in ("a traced step in", "each further", "numbers", "instructions"):
            self.assertIn(part, done.stdout)

    def test_shows_no_traced_step_where_none_is_traced(self):
        for name in ("bouncing_sphere", "box_on_incline"):
            self.assertEqual(listed(MECHANISMS / f"{name}.json")["traced_steps"], {}, name)
            self.assertNotIn("a traced step", myriad("list", "--mechanism", MECHANISMS / f"{name}.json").stdout)

    def test_says_above_which_step_the_exact_matrix_pays(self):
        def hinge(a, b, rate):
            return {"type": "revolute", "bodies": [a, b], "points_m": [[0, 0, 0], [0, 1, 0]], "axes": [[1, 0, 0]] * 2,
                    "rate_rad_s": rate}
        body = {"mass_kg": 1, "inertia_kg_m2": [1, 1, 1]}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "two.json"
            file.write_text(json.dumps({"bodies": {"upper": body, "lower": body},
                                        "joints": {"one": hinge("ground", "upper", 2), "two": hinge("upper", "lower", 3)}}))
            self.assertAlmostEqual(listed(file)["tree"]["exact_iteration_matrix_above_step_s"], 0.05 / 5, 9)
            self.assertIn("At steps above 0.01 s, in which lower turns by more than 0.05 rad on a turning body",
                          myriad("list", "--mechanism", file).stdout)
        self.assertNotIn("exact_iteration_matrix_above_step_s", listed(MECHANISMS / "double_pendulum.json")["tree"])

    def test_shows_drivers_of_a_universal_joint_and_sensors_of_a_spherical_one(self):
        body = {"mass_kg": 1, "inertia_kg_m2": [1, 1, 1]}
        points = [[0, 0, 0], [0, 1, 0]]
        mechanism = {
            "bodies": {"arm": body, "bob": body},
            "joints": {"cross": {"type": "universal", "bodies": ["ground", "arm"], "points_m": points,
                                 "axes": [[0, 0, 1], [1, 0, 0]]},
                       "ball": {"type": "spherical", "bodies": ["arm", "bob"], "points_m": points}},
            "drivers": {"turn": {"type": "angle_1", "joint": "cross", "value_rad": "2 * t"},
                        "nod": {"type": "angle_2", "joint": "cross", "value_rad": "sin(t)"}},
            "sensors": {"attitude": {"type": "orientation", "joint": "ball"},
                        "spin": {"type": "angular_velocity", "joint": "ball"}}}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "two.json"
            file.write_text(json.dumps(mechanism))
            shown = listed(file)
            self.assertEqual([(one["name"], one["type"], one["rows"]) for one in shown["drivers"]],
                             [("turn", "angle_1", 1), ("nod", "angle_2", 1)])
            unknowns = shown["tree"]["unknowns"]["joint_coordinates"]
            self.assertEqual((unknowns["freedoms"], unknowns["prescribed"], unknowns["driver_rows"]), (5, 2, 0))
            channels = {channel["address"]: channel for channel in shown["channels"]}
            self.assertEqual([channels["attitude"][key] for key in ("components", "unit", "frame")],
                             ["w x y z", "1", "bob to arm"])
            self.assertEqual([channels["spin"][key] for key in ("components", "unit", "frame")],
                             ["x y z", "rad/s", "bob"])
            text = myriad("list", "--mechanism", file).stdout
            self.assertIn("attitude.{w x y z}", text)
            self.assertIn("spin.{x y z norm}", text)
            mechanism["drivers"]["nod"]["joint"] = "ball"
            file.write_text(json.dumps(mechanism))
            done = myriad("list", "--mechanism", file)
            self.assertEqual(done.returncode, 1)
            self.assertIn("/drivers/nod/joint: this joint is spherical and has no angle_2", done.stderr)
            self.assertIn("name a joint that has one: universal", done.stderr)

    def test_says_in_which_coordinates_the_mechanism_runs(self):
        for name in ("puma560", "bouncing_sphere", "pendulum_wall"):
            mechanism = listed(MECHANISMS / f"{name}.json")
            self.assertEqual((mechanism["coordinates"], mechanism["because"]), ("joint", ""), name)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "asked.json"
            file.write_text(json.dumps({"coordinates": "body",
                                        "bodies": {"rod": {"mass_kg": 1, "inertia_kg_m2": [1, 1, 1]}}}))
            asked = listed(file)
        self.assertEqual((asked["coordinates"], asked["because"]), ("body", "the file asks for them"))
        done = myriad("list", "--mechanism", MECHANISMS / "puma560.json", "--coordinates", "body")
        self.assertIn("coordinates: body, because the command asks for them\n", done.stdout)
        done = myriad("list", "--mechanism", MECHANISMS / "bouncing_sphere.json", "--coordinates", "joint")
        self.assertIn("coordinates: joint\n", done.stdout)
        done = myriad("list", "--mechanism", MECHANISMS / "puma560.json", "--coordinates", "polar")
        self.assertEqual(done.returncode, 1)
        self.assertIn("polar", done.stderr)

    def test_proposes_one_tangent_where_the_mechanism_moves_in_a_plane(self):
        idle = "Nothing moves along tangent_2 of"
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "slot.json")
            file.write_text((MECHANISMS / "slider_crank_slot.json").read_text().replace('"tangents": 1,', ""))
            crank = myriad("list", "--mechanism", file).stdout
        self.assertIn(f"{idle} lower_left, lower_right, upper_left, upper_right: \"tangents\": 1", crank)
        # Ours do as they are told, and between spheres a file has no such key.
        for mechanism in sorted(MECHANISMS.glob("*.json")):
            with self.subTest(mechanism=mechanism.name):
                self.assertNotIn(idle, myriad("list", "--mechanism", mechanism).stdout)

    def test_names_reactions_that_redundant_rows_share(self):
        # A square of four revolutes in the x-y plane: what holds it in the plane is shared.
        def hinge(a, b, on_a, on_b):
            return {"type": "revolute", "bodies": [a, b], "points_m": [on_a, on_b], "axes": [[0, 0, 1]] * 2}
        bodies = {name: {"mass_kg": 1, "inertia_kg_m2": [1, 1, 1], "position_m": place}
                  for name, place in {"left": [0, 0, 0], "top": [0, 1, 0], "right": [1, 0, 0]}.items()}
        joints = {"one": hinge("ground", "left", [0, 0, 0], [0, 0, 0]),
                  "two": hinge("left", "top", [0, 1, 0], [0, 0, 0]),
                  "three": hinge("top", "right", [1, 0, 0], [0, 1, 0]),
                  "four": hinge("right", "ground", [0, 0, 0], [1, 0, 0])}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "four_bar.json"
            file.write_text(json.dumps({"bodies": bodies, "joints": joints,
                                        "sensors": {"force": {"type": "reaction_force", "joint": "two"}}}))
            four_bar, done = listed(file), myriad("list", "--mechanism", file)
        self.assertEqual(four_bar["undetermined_reactions"],
                         [{"joint": f"joints.{name}", "force": "z", "torque": "x y"}
                          for name in ("one", "two", "three", "four")])
        self.assertEqual({row["joint"] for row in four_bar["redundant_rows"]}, {"joints.four"})
        for part in ("joints.four: z of its force, x y of its torque", "not determined: z"):
            self.assertIn(part, done.stdout)
        self.assertEqual(listed(MECHANISMS / "puma560.json")["undetermined_reactions"], [])

    def test_shows_a_joint_that_the_file_cuts(self):
        body = {"mass_kg": 1, "inertia_kg_m2": [1, 1, 1]}
        hinge = {"type": "spherical", "bodies": ["ground", "rod"], "points_m": [[0, 0, 0]] * 2, "cut": True}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "cut.json"
            file.write_text(json.dumps({"bodies": {"rod": {**body, "position_m": [0, 0, 0]}},
                                        "joints": {"hinge": hinge}}))
            tree = listed(file)["tree"]
            self.assertEqual(tree["cut_joints"], [{"joint": "hinge", "reason": "asked", "rows": 3}])
            self.assertEqual(tree["unknowns"]["joint_coordinates"]["unknowns"], 9)
            self.assertIn("asked for by \"cut\"", myriad("list", "--mechanism", file).stdout)
            file.write_text(json.dumps({"bodies": {"rod": body}, "joints": {"hinge": hinge}}))
            self.assertEqual(listed(file)["tree"], tree, "the joint places the body, cut or not")

    def test_is_refused_beside_another_system(self):
        self.assertEqual(myriad("list", "--system", "heavy_top", "--mechanism", "a.json").returncode, 1)


class Schema(unittest.TestCase):
    def test_of_a_mechanism_is_another_one_than_that_of_a_study(self):
        mechanism = json.loads(myriad("schema", "mechanism").stdout)
        self.assertIn("bodies", mechanism["required"])
        self.assertEqual(json.loads(myriad("schema").stdout), json.loads(myriad("schema", "study").stdout))
        self.assertEqual(myriad("schema", "result").returncode, 1)


if __name__ == "__main__":
    unittest.main()
