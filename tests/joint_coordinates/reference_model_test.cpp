// The reference path reads the definitions of a file: it has what the kernels' rows and links have, and none of it from
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "host/backends/reference/reference_channels.hpp"
#include "host/reference/mechanism/mechanism_equations.hpp"
#include "kernels/system/description.hpp"
#include "kernels/tree/links.hpp"
#include "tests/mechanism/kernel_runs.hpp"
#include "tests/properties/random_mechanisms.hpp"
#include "tests/source_dir.hpp"

namespace myriad::mechanism {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// The numbers of rows, loads, formulas, contacts and all that acts on coordinates of the table, in body and in joint
// coordinates, and those of bodies and links; of a start only what start values of joints change.
std::vector<double> without_definitions(const MechanismTable& table, std::vector<double> parameters) {
    const auto spoil = [&](int first, int count) {
        for (int k = 0; k < count && first >= 0; ++k) parameters[static_cast<std::size_t>(first + k)] = not_a_number;
    };
    const auto spoil_elements = [&](const Element* elements, int count) {
        for (int e = 0; e < count; ++e) {
            const int laws = elements[e].has_law ? 2 * rows_of(elements[e].kind) : 0;
            spoil(elements[e].parameter, geometry_parameters(elements[e].kind) + laws);
        }
    };
    spoil_elements(table.element, table.elements);
    spoil_elements(table.joint.element, table.joint.elements);
    spoil(table.joint.link_parameter, table.joint.tree.links * link_parameter_count);
    for (int l = 0; l < table.loads; ++l)
        if (table.load[l].kind == LoadKind::force_world || table.load[l].kind == LoadKind::force_body)
            spoil(table.load[l].parameter, 3);
    for (int c = 0; c < table.contacts; ++c) {
        const Contact& contact = table.contact[c];
        const int of_kind = contact.kind == ContactKind::sphere_plane     ? 12
                            : contact.kind == ContactKind::sphere_capsule ? 9
                            : contact.kind == ContactKind::sphere_sphere  ? 6
                                                                          : 1;
        spoil(contact.parameter, of_kind), spoil(contact.law, 3);
        for (const int size : {contact.radius[0], contact.radius[1], contact.play, contact.size}) spoil(size, 1);
    }
    const auto spoil_formulas = [&](const Instruction* instructions, int count) {
        for (int i = 0; i < count; ++i)
            if (instructions[i].operation == Operation::parameter) spoil(instructions[i].a, 1);
    };
    spoil_formulas(table.instruction, table.instructions);
    spoil_formulas(table.joint.coordinate_instruction, table.joint.coordinate_instructions);
    for (int i = 0; i < table.joint.frictions; ++i)
        spoil(table.joint.friction[i].parameter, 3), spoil(table.joint.friction[i].bearing, 2);
    for (int i = 0; i < table.joint.rotors; ++i) spoil(table.joint.rotor[i].parameter, 2);
    for (int i = 0; i < table.joint.couplings; ++i) spoil(table.joint.coupling[i].parameter, 2);
    for (int b = 0; b < table.bodies; ++b) {
        spoil(body_parameter(b, body_mass), 1), spoil(body_parameter(b, body_inertia), 6);
        if (table.open_start_row == 0) spoil(body_parameter(b, 0), body_parameters);
        if (const int origin = table.start_motion[b][StartMotion::origin]; origin > 0) spoil(origin, 3);
    }
    spoil(gravity_parameter, 3), spoil(length_scale_parameter, 2);
    return parameters;
}

Eigen::VectorXd numbers_of(const reference::MechanismModel& model) {
    std::vector<double> all;
    const auto add = [&](const auto& matrix) { all.insert(all.end(), matrix.data(), matrix.data() + matrix.size()); };
    add(model.gravity_m_s2), all.push_back(model.length_scale_m);
    for (const reference::ModelBody& body : model.bodies) {
        all.push_back(body.mass_kg), add(body.inertia_kg_m2), add(body.orientation);
        for (const auto& vector : {body.position_m, body.velocity_m_s, body.angular_velocity_rad_s}) add(vector);
    }
    for (const reference::ModelStartMotion& motion : model.start_motions) add(motion.from_origin);
    for (const reference::ModelElement& element : model.elements) {
        for (const auto& vector : {element.point[0], element.point[1], element.direction, element.first, element.second,
                                   element.other, element.stiffness, element.damping})
            add(vector);
        for (const Eigen::Matrix3d& frame : element.frame) add(frame);
    }
    for (const reference::ModelLoad& load : model.loads) add(load.point);
    for (const reference::ModelContact& contact : model.contacts) {
        for (const auto& vector : {contact.point[0], contact.point[1], contact.normal, contact.tangent, contact.end})
            add(vector);
        all.insert(all.end(), {contact.radius_m[0], contact.radius_m[1], contact.play_m, contact.bound,
                               contact.friction, contact.normal_restitution, contact.tangential_restitution});
    }
    for (const reference::HangingBody& hanging : model.tree.bodies)
        for (const auto& vector : {hanging.point[0], hanging.point[1], hanging.axis.along, hanging.second.along})
            add(vector);
    for (const reference::ModelFriction& friction : model.frictions)
        all.insert(all.end(), {friction.dry, friction.viscous, friction.rate, friction.by_force});
    for (const reference::ModelRotor& rotor : model.rotors) all.insert(all.end(), {rotor.inertia, rotor.ratio});
    for (const reference::TreeCoupling& coupling : model.tree.couplings)
        all.insert(all.end(), {coupling.ratio, coupling.offset});
    constexpr double some_time_s = 0.3;
    for (const reference::TimeFunction& function : model.functions) all.push_back(function(some_time_s));
    for (const reference::ModelCoordinateForce& force : model.coordinate_forces)
        all.push_back(force.formula(some_time_s, std::vector<double>(force.variables.size(), some_time_s)));
    return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

// The bundled ones, and random ones of every type of joint, force and contact.
std::vector<std::shared_ptr<const Mechanism>> mechanisms_of_every_kind() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(source_dir() / "ensembles/mechanisms"))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<std::shared_ptr<const Mechanism>> all;
    for (const auto& file : files) all.push_back(read_mechanism(file));
    for (int n = 0; n < 60; ++n) {
        const bool has_loops = n % 2 == 0;
        RandomShape shape;
        shape.bodies = 1 + n % 5, shape.loops = has_loops ? 2 : 0, shape.free = n % 4 == 0, shape.driven = n % 5 == 1;
        shape.on_coordinates = !has_loops, shape.every_type = true, shape.contacts = n % 3;
        all.push_back(parse_mechanism(RandomMechanism(90000 + static_cast<std::uint64_t>(n), shape).text(),
                                      "random " + std::to_string(n)));
    }
    return all;
}

TEST(ReferenceModel, ReadsNothingOfTheKernelsThatMovesOrActs) {
    for (const auto& mechanism : mechanisms_of_every_kind()) {
        SCOPED_TRACE(mechanism->name);
        const std::vector<double> parameters = mechanism->nominal_kernel_parameters();
        const Eigen::VectorXd whole = numbers_of(backends::reference_model(*mechanism, parameters)),
                              alone = numbers_of(backends::reference_model(
                                  *mechanism, without_definitions(mechanism->table, parameters)));
        EXPECT_TRUE(whole.allFinite());
        EXPECT_EQ(whole, alone);
    }
}

// Round-off of rows of lengths of some metres.
constexpr double same_row = 1e-13;

// In the order of kernels/mechanism/topology.hpp; of frames none.
std::vector<Eigen::Vector3d> parts_of(const reference::ModelElement& element, ElementKind kind) {
    const auto& [on_i, on_j] = element.point;
    switch (kind) {
        case ElementKind::point:
        case ElementKind::distance:
            return {on_i, on_j};
        case ElementKind::coordinate_difference:
            return {element.direction, on_i, on_j};
        case ElementKind::dot_1:
            return {element.first, element.other};
        case ElementKind::dot_2:
            return {element.first, on_i, on_j};
        case ElementKind::driven_angle:
            return {element.first, element.second, element.other};
        case ElementKind::angle:
            return {element.first.cross(element.second), element.first, element.second, element.other};
        default:
            return {};
    }
}

TEST(ReferenceModel, HasTheRowsAndTheStartOfTheKernels) {
    for (const auto& mechanism : mechanisms_of_every_kind()) {
        SCOPED_TRACE(mechanism->name);
        const MechanismTable& table = mechanism->table;
        const std::vector<double> parameters = mechanism->nominal_kernel_parameters();
        const reference::MechanismModel model = backends::reference_model(*mechanism, parameters);
        const auto in_the_table = [&](int parameter) {
            return Eigen::Vector3d(&parameters[static_cast<std::size_t>(parameter)]);
        };
        ASSERT_GE(model.functions.size(), static_cast<std::size_t>(table.functions));
        for (int e = 0; e < table.elements; ++e) {
            const Element& row = table.element[e];
            const reference::ModelElement& own = model.elements[static_cast<std::size_t>(e)];
            EXPECT_EQ(own.body, (std::array{row.body[0], row.body[1]}));
            EXPECT_EQ(own.function, row.function);
            EXPECT_EQ(own.is_sensor, row.is_sensor);
            const std::vector<Eigen::Vector3d> parts = parts_of(own, row.kind);
            for (std::size_t k = 0; k < parts.size(); ++k)
                EXPECT_LE((parts[k] - in_the_table(row.parameter + 3 * static_cast<int>(k))).norm(), same_row)
                    << "element " << e << " of kind " << static_cast<int>(row.kind) << ", part " << k;
        }
        EXPECT_NEAR(model.length_scale_m, parameters[length_scale_parameter], same_row);
        for (int b = 0; b < table.bodies; ++b) {
            const reference::ModelBody& own = model.bodies[static_cast<std::size_t>(b)];
            const Eigen::Quaterniond q(own.orientation);
            // Behind the position: a function of the kernels has the constant's name.
            const double* const given = &parameters[static_cast<std::size_t>(body_parameter(b, body_position)) + 3];
            EXPECT_NEAR(std::abs(q.coeffs().dot(Eigen::Vector4d(given[1], given[2], given[3], given[0]))), 1.0,
                        same_row);
            for (const auto& [vector, offset] :
                 {std::pair{own.position_m, body_position}, std::pair{own.velocity_m_s, body_velocity},
                  std::pair{own.angular_velocity_rad_s, body_angular_velocity}})
                EXPECT_LE((vector - in_the_table(body_parameter(b, offset))).norm(), same_row) << b << ' ' << offset;
            EXPECT_EQ(own.position_is_pinned, (table.pinned[b] & 1) != 0);
            EXPECT_EQ(own.orientation_is_pinned, (table.pinned[b] & 2) != 0);
        }
        ASSERT_EQ(model.contacts.size(), static_cast<std::size_t>(table.contacts));
        for (int c = 0; c < table.contacts; ++c) {
            const Contact& contact = table.contact[c];
            const reference::ModelContact& own = model.contacts[static_cast<std::size_t>(c)];
            if (contact.kind != ContactKind::sphere_plane) continue;
            const Eigen::Vector3d* const parts[] = {&own.point[0], &own.normal, &own.tangent, &own.point[1]};
            for (int k = 0; k < 4; ++k)
                EXPECT_LE((*parts[k] - in_the_table(contact.parameter + 3 * k)).norm(), same_row) << c << ' ' << k;
        }
    }
}

// A reader that takes a point of a joint with a wrong sign gives the kernels another tree, and the reference path
// the file's: a bent arm whose own weight turns it.
TEST(ReferenceModel, DisagreesWithAWrongRowOfTheKernels) {
    const auto arm = parse_mechanism(R"json({
        "gravity_m_s2": [0, -9.81, 0],
        "bodies": {"arm": {"mass_kg": 2.0, "inertia_kg_m2": [0.1, 0.1, 0.1]}},
        "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "arm"], "axes": [[0, 0, 1], [0, 0, 1]],
                             "points_m": [[0, 0, 0], [0.5, 0.2, 0]]}}})json",
                                     "arm.json");
    RunSetup setup{};
    setup.steps = 100, setup.coordinates = Coordinates::joint;
    const int turn = body_channels - 1;
    const auto last_rate_of_the_kernels = [&](const std::vector<double>& parameters) {
        const InstanceEnd end = run_instances(*arm, {parameters}, setup).front();
        EXPECT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        return end.final_state[static_cast<std::size_t>(turn)];
    };
    const auto last_rate_of_the_reference_path = [&](const std::vector<double>& parameters) {
        reference::MechanismSettings settings;
        settings.step_s = setup.step_s, settings.end_s = setup.steps * setup.step_s;
        settings.spectral_radius = setup.spectral_radius, settings.joint_coordinates = true;
        const auto result = run_reference_mechanism(backends::reference_model(*arm, parameters), settings);
        EXPECT_EQ(result.status, "ok") << result.reason;
        return result.last.motion.state.bodies[0].angular_velocity[2];
    };
    const std::vector<double> right = arm->nominal_kernel_parameters();
    std::vector<double> wrong = right;
    const int link = arm->table.joint.link_parameter;
    for (const int of_link : {link_centre, link_first_moment}) wrong[static_cast<std::size_t>(link + of_link)] *= -1.0;
    constexpr double converged = 1e-9, rad_s = 0.1;
    EXPECT_NEAR(last_rate_of_the_reference_path(right), last_rate_of_the_kernels(right), converged);
    EXPECT_GT(std::abs(last_rate_of_the_reference_path(wrong) - last_rate_of_the_kernels(wrong)), rad_s);
}

}  // namespace

}  // namespace myriad::mechanism
