"""Studies whose instances fail, most of them beside healthy ones: each status, with its step and reason, is a result."""


def uniform(low, high):
    return {"uniform": {"low": low, "high": high}}


def by(name, step_s, end_s, **more):
    return {"name": name, "step_s": step_s, "end_s": end_s, **more}


TOP = {"system": "heavy_top", "instances": 33, "observe": {"every_steps": 5, "channels": ["position", "energy"]},
       "parameters": {"initial_rotation_vector_rad[0]": uniform(0.1, 1.0)}, "quantities": {"tilt_rad": {"max": "tilt"}}}
ROD = {"mass_kg": 1.0, "inertia_kg_m2": [0.02, 0.1, 0.1]}
HINGED = {"gravity_m_s2": [0.0, 0.0, -9.81], "bodies": {"rod": {**ROD, "position_m": [0.5, 0.0, 0.0]}},
          "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "rod"], "points_m": [[0.0, 0.0, 0.0], [-0.5, 0.0, 0.0]],
                               "axes": [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]}}}
DROPPED = {"gravity_m_s2": [0.0, 0.0, -9.81], "bodies": {"box": {**ROD, "position_m": [0.0, 0.0, 0.21]}},
           "contacts": {"floor": {"type": "box_plane", "bodies": ["ground", "box"], "plane_point_m": [0.0, 0.0, 0.0],
                                  "plane_normal": [0.0, 0.0, 1.0], "size_m": [0.4, 0.4, 0.4], "friction": 0.3,
                                  "normal_restitution": 0.5}}}
OVERLAPPING = {"gravity_m_s2": [0.0, 0.0, -9.81],
               "bodies": {"ball": {**ROD, "position_m": [0.0, 0.0, 0.2], "velocity_m_s": [0.3, 0.0, 0.0]}},
               "joints": {"rail": {"type": "planar", "bodies": ["ground", "ball"], "points_m": [[0, 0, 0], [0, 0, 0]],
                                   "axes": [[0, 1, 0], [0, 1, 0]], "references": [[1, 0, 0], [1, 0, 0]]}},
               "contacts": {"floor": {"type": "sphere_plane", "bodies": ["ground", "ball"], "plane_point_m": [0.0, 0.0, 0.0],
                                      "plane_normal": [0.0, 0.0, 1.0], "point_m": [0.0, 0.0, 0.0], "radius_m": 0.2,
                                      "friction": 0.3}}}
# A crank, a rod and a slider, whose rod may be too short to close the loop.
CRANK = {"parameters": {"rod_m": 0.5},
         "gravity_m_s2": [0.0, 0.0, -9.81],
         "bodies": {"crank": {**ROD, "position_m": [0.0, 0.0, 0.1]},
                    "rod": {**ROD, "position_m": [0.2, 0.0, 0.1]},
                    "slider": {**ROD, "position_m": [0.45, 0.0, 0.0]}},
         "joints": {"pivot": {"type": "revolute", "bodies": ["ground", "crank"], "points_m": [[0, 0, 0], [0, 0, -0.1]],
                              "axes": [[0, 1, 0], [0, 1, 0]]},
                    "pin": {"type": "spherical", "bodies": ["crank", "rod"], "points_m": [[0, 0, 0.1], ["-rod_m / 2", 0, 0]]},
                    "end": {"type": "universal", "bodies": ["rod", "slider"], "points_m": [["rod_m / 2", 0, 0], [0, 0, 0]],
                            "axes": [[0, 1, 0], [0, 0, 1]]},
                    "guide": {"type": "prismatic", "bodies": ["ground", "slider"], "points_m": [[0, 0, 0], [0, 0, 0]],
                              "axes": [[1, 0, 0], [1, 0, 0]]}},
         "drivers": {"turn": {"type": "angle", "joint": "pivot", "value_rad": "2 * t"}}}


def of_mechanism(mechanism, integrator, parameters, coordinates="joint", **more):
    return {"mechanism": mechanism, "coordinates": coordinates, "integrator": integrator, "instances": 33,
            "parameters": parameters, "observe": {"every_steps": 5, "channels": ["position", "energy"]}, **more}


def studies(read, source):
    """(name, study)"""
    slow = {"initial_angular_velocity_rad_s[1]": uniform(-3000.0, 3000.0), **TOP["parameters"]}
    yield "turned_too_far", {**TOP, "integrator": by("rk4", 1e-3, 0.05), "parameters": slow}
    yield "turned_too_far_adaptive", {**TOP, "observe": {"every_s": 0.01, "channels": ["energy"]}, "integrator": {
        "name": "dopri5", "end_s": 0.05, "relative_tolerance": 0.5, "absolute_tolerance": 100.0}, "parameters": slow}
    adaptive = {"name": "ode23", "end_s": 0.05, "relative_tolerance": 1e-9, "absolute_tolerance": 1e-9}
    spinning = {"initial_angular_velocity_rad_s[1]": uniform(0.0, 150.0)}
    top = {key: value for key, value in TOP.items() if key != "observe"}
    yield "step_limit", {**top, "integrator": {**adaptive, "most_attempts": 300}, "parameters": spinning}
    yield "step_too_small", {**top, "integrator": {**adaptive, "smallest_step_s": 1e-4}, "parameters": spinning}
    yield "not_positive_mass", {**TOP, "integrator": by("rk4", 1e-3, 0.05), "parameters": {"mass_kg": uniform(-5.0, 10.0)}}
    yield "not_positive_inertia", {**TOP, "integrator": by("generalized_alpha", 1e-3, 0.05),
                                   "parameters": {"inertia_kg_m2.xx": uniform(-0.2, 0.4)}}
    yield "boundless", {**TOP, "integrator": by("rk4", 1e-3, 0.05), "parameters": {"gravity_m_s2": uniform(-1e300, 1e308)}}
    for method in ("generalized_alpha", "implicit_euler", "energy_momentum", "energy_momentum_convective", "livens_midpoint"):
        yield "stalled", {**TOP, "integrator": by(method, 0.02, 0.4, most_newton_iterations=4), "parameters": {
            "initial_angular_velocity_rad_s[1]": uniform(0.0, 100.0), **TOP["parameters"]}}
    for chart, method in (("cardan_xyz", "rk4"), ("cardan_xyz", "dopri5"), ("euler_zxz", "generalized_alpha")):
        integrator = by(method, 1e-3, 0.05) if method != "dopri5" else {**adaptive, "name": "dopri5"}
        tilts = {"initial_rotation_vector_rad[0]": uniform(0.0, 0.05), "initial_rotation_vector_rad[1]": uniform(1.4, 1.6)}
        yield "singular_chart", {**(TOP if method != "dopri5" else top), "chart": chart, "integrator": integrator,
                                 "parameters": tilts}
    double = read(source / "ensembles" / "mechanisms" / "double_pendulum.json")
    lengths = {"parameters.upper_length_m": uniform(0.5, 6.0), "parameters.lower_length_m": uniform(0.1, 4.0)}
    for coordinates in ("joint", "body"):
        for method in ("generalized_alpha", "implicit_euler", "rk4"):
            if coordinates == "joint" or method != "rk4":
                yield "long_steps", of_mechanism(double, by(method, 0.3, 6.0), lengths, coordinates)
        yield "retried", of_mechanism(double, by("generalized_alpha", 0.3, 6.0), lengths, coordinates, on_failure="retry")
        yield "negative_mass", of_mechanism(HINGED, by("implicit_euler", 0.01, 0.2),
                                           {"bodies.rod.mass_kg": uniform(-1.0, 2.0)}, coordinates)
        yield "negative_moment", of_mechanism(HINGED, by("generalized_alpha", 0.01, 0.2),
                                              {"bodies.rod.inertia_kg_m2[1]": uniform(-0.1, 0.2)}, coordinates)
        for method in ("generalized_alpha", "dopri5", "energy_momentum_convective"):
            if method == ("energy_momentum_convective" if coordinates == "joint" else "dopri5"):
                continue
            integrator = by(method, 0.01, 0.2)
            if method == "dopri5":
                integrator = {**adaptive, "name": method, "relative_tolerance": 1e-6}
            study = of_mechanism(CRANK, integrator, {"parameters.rod_m": uniform(0.15, 0.6)}, coordinates)
            if method == "dopri5":
                del study["observe"]
            yield "open_loop", study
        tabled = {**HINGED, "tables": {"push": {"points": [[-1, 0], [0, 1], [1, 5]], "outside": "refuse"}},
                  "forces": {"push": {"type": "torque", "body": "rod", "torque_N_m": [0, "push(early + t)", 0]}},
                  "parameters": {"early": 0.5}}
        yield "outside_of_a_table", of_mechanism(tabled, by("implicit_euler", 0.01, 0.2),
                                                {"parameters.early": uniform(0.0, 0.95)}, coordinates)
        jumping = {**HINGED, "parameters": {"jump_rad": 0.0}, "drivers": {"turn": {
            "type": "angle", "joint": "hinge", "value_rad": "if(t < 0.1, t, 0.1 + max(0, jump_rad))"}}}
        if coordinates == "joint":
            yield "jumping", of_mechanism(jumping, by("generalized_alpha", 0.01, 0.2), {
                "parameters.jump_rad": uniform(-0.1, 0.1)})
        for method in ("nonsmooth_generalized_alpha", "moreau_midpoint", "nonsmooth_ed_alpha"):
            tumbles = {"contacts.floor.friction": uniform(0.0, 0.9),
                       "bodies.box.angular_velocity_rad_s[0]": uniform(-1.0, 1.0)}
            yield "few_prox_iterations", of_mechanism(DROPPED, by(method, 2e-3, 0.4, most_prox_iterations=4), tumbles,
                                                      coordinates)
        yield "overlap", of_mechanism(DROPPED, by("nonsmooth_bathe", 2e-3, 0.1),
                                      {"bodies.box.position_m[2]": uniform(0.15, 0.25)}, coordinates)
        yield "negative_friction", of_mechanism(DROPPED, by("moreau_midpoint", 2e-3, 0.1),
                                                {"contacts.floor.friction": uniform(-0.5, 0.5)}, coordinates)
        yield "too_much_restitution", of_mechanism(DROPPED, by("half_explicit", 2e-3, 0.1),
                                                   {"contacts.floor.normal_restitution": uniform(0.5, 1.5)}, coordinates)
    yield "equilibrium", of_mechanism(
        {**HINGED, "forces": {"spring": {"type": "torsional_spring_damper", "joint": "hinge", "stiffness_N_m_rad": 8.0}}},
        by("generalized_alpha", 0.01, 0.1), {"forces.spring.stiffness_N_m_rad": uniform(-2.0, 8.0)}, start="equilibrium")
    for name in ("slider_crank_flexible_2_elements", "slider_crank_flexible_2_modes"):
        yield f"negative_damping/{name}", {"system": name, "integrator": by("nonsmooth_bathe", 1e-5, 1e-3), "instances": 33,
                                           "parameters": {"rod.damping_time_s": uniform(-1e-5, 1e-5)}}
