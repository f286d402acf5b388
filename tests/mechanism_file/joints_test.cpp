// Joints, drivers and force elements become rows that vanish where the joint is closed, and only there. The poses are
// built from the definition of each joint, the rows evaluated with Eigen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <functional>

#include "tests/mechanism/element_values.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"

namespace myriad::mechanism {
namespace {

using Eigen::AngleAxisd;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using nlohmann::json;

// Roundings of lengths and products of size one to three.
constexpr double roundings_of_products = 2e-14;

const Vector3d point_a(0.4, -0.1, 0.7), point_b(-0.2, 0.6, 0.1);
const Vector3d axis_a(1.0, 2.0, -0.5), axis_b(0.3, -1.0, 0.8);
const Vector3d reference_a(0.2, 0.3, 1.0), reference_b(1.0, 0.1, 0.4);

json list(const Vector3d& v) { return {v[0], v[1], v[2]}; }
json both(const Vector3d& a, const Vector3d& b) { return {list(a), list(b)}; }

// A body frame with this axis as z and this reference, made perpendicular, as x.
Matrix3d frame_of(const Vector3d& axis, const Vector3d& reference) {
    const Vector3d z = axis.normalized(), x = (reference - reference.dot(z) * z).normalized();
    Matrix3d frame;
    frame << x, z.cross(x), z;
    return frame;
}

json joint(const std::string& type, bool with_references = true) {
    json joint = {{"type", type}, {"bodies", {"crank", "rod"}}, {"points_m", both(point_a, point_b)}};
    if (type != "spherical" && type != "fixed") joint["axes"] = both(axis_a, axis_b);
    const bool has_angle = type != "spherical" && type != "fixed" && type != "universal";
    if (has_angle && with_references) joint["references"] = both(reference_a, reference_b);
    return joint;
}

// The pose in which the rod has, relative to the crank's joint frame, this rotation and this displacement.
Poses closed_pose(const Mechanism& mechanism, const Matrix3d& turn, const Vector3d& displacement) {
    const std::vector<double> p = mechanism.nominal_kernel_parameters();
    Poses pose = initial_poses(mechanism, p);
    const Vector3d centre_a(0.1, -0.2, 0.3), centre_b(-0.3, 0.05, 0.15);
    const Matrix3d on_a = frame_of(axis_a, reference_a), on_b = frame_of(axis_b, reference_b);
    pose.orientation[1] = pose.orientation[0] * on_a * turn * on_b.transpose();
    pose.position[1] = pose.position[0] + pose.orientation[0] * (point_a - centre_a + on_a * displacement) -
                       pose.orientation[1] * (point_b - centre_b);
    return pose;
}

std::vector<double> constraint_rows(const Mechanism& mechanism, const Poses& pose) {
    const std::vector<double> p = mechanism.nominal_kernel_parameters();
    std::vector<double> rows;
    for (int e = 0; e < mechanism.table.elements; ++e) {
        if (mechanism.table.element[e].has_law) continue;
        const Eigen::VectorXd values = rows_without_function(mechanism.table.element[e], p, pose);
        rows.insert(rows.end(), values.data(), values.data() + values.size());
    }
    return rows;
}
double largest(const std::vector<double>& rows) {
    return Eigen::Map<const Eigen::VectorXd>(rows.data(), static_cast<Eigen::Index>(rows.size())).cwiseAbs().maxCoeff();
}

// How many independent motions of the rod the rows allow, by differences.
Eigen::Index free_motions(const Mechanism& mechanism, const Poses& pose) {
    constexpr double step = 1e-6, zero = 1e-6;
    const std::size_t count = constraint_rows(mechanism, pose).size();
    Eigen::MatrixXd jacobian(static_cast<Eigen::Index>(count), 6);
    for (int k = 0; k < 6; ++k) {
        Poses ahead = pose, behind = pose;
        const Vector3d unit = Vector3d::Unit(k % 3);
        for (auto [moved, sign] : {std::pair{&ahead, 1.0}, std::pair{&behind, -1.0}}) {
            if (k < 3)
                moved->position[1] += sign * step * unit;
            else
                moved->orientation[1] = pose.orientation[1] * AngleAxisd(sign * step, unit).toRotationMatrix();
        }
        const auto up = constraint_rows(mechanism, ahead), down = constraint_rows(mechanism, behind);
        for (std::size_t r = 0; r < count; ++r)
            jacobian(static_cast<Eigen::Index>(r), k) = (up[r] - down[r]) / (2 * step);
    }
    Eigen::JacobiSVD<Eigen::MatrixXd> svd(jacobian);
    svd.setThreshold(zero);
    return 6 - svd.rank();
}

struct JointClaim {
    const char* type;
    std::size_t rows;
    Eigen::Index freedoms;
    Matrix3d turn;
    Vector3d displacement;
};

Matrix3d about_z(double angle) { return AngleAxisd(angle, Vector3d::UnitZ()).toRotationMatrix(); }

std::vector<JointClaim> claims() {
    const Matrix3d any = AngleAxisd(1.1, Vector3d(1, -2, 0.5).normalized()).toRotationMatrix();
    // The rod's z axis perpendicular to the crank's.
    const Matrix3d crossed = about_z(0.4) * AngleAxisd(M_PI / 2, Vector3d::UnitX()).toRotationMatrix() * about_z(-0.9);
    const Vector3d none(0, 0, 0), along(0, 0, 0.35);
    return {{"spherical", 3, 3, any, none},
            {"universal", 4, 2, crossed, none},
            {"revolute", 5, 1, about_z(2.5), none},
            {"cylindrical", 4, 2, about_z(-1.2), along},
            {"prismatic", 5, 1, about_z(0.0), along},
            {"planar", 3, 3, about_z(0.7), Vector3d(0.2, -0.4, 0.0)},
            {"translational", 3, 3, about_z(0.0), Vector3d(0.2, -0.4, 0.35)}};
}

TEST(MechanismJoints, HaveRowsThatVanishWhereTheyAreClosedAndLeaveTheirFreedoms) {
    for (const JointClaim& claim : claims()) {
        json text = two_bodies();
        text["joints"]["hinge"] = joint(claim.type);
        const auto mechanism = parsed(text);
        const Poses pose = closed_pose(*mechanism, claim.turn, claim.displacement);
        const auto rows = constraint_rows(*mechanism, pose);
        ASSERT_EQ(rows.size(), claim.rows) << claim.type;
        EXPECT_EQ(mechanism->table.rows, static_cast<int>(claim.rows)) << claim.type;
        EXPECT_EQ(mechanism->freedoms, 12 - static_cast<int>(claim.rows)) << claim.type;
        EXPECT_LE(largest(rows), roundings_of_products) << claim.type;
        EXPECT_EQ(free_motions(*mechanism, pose), claim.freedoms) << claim.type;
        // Any other pose opens it.
        EXPECT_GT(
            largest(constraint_rows(*mechanism, initial_poses(*mechanism, mechanism->nominal_kernel_parameters()))),
            0.1)
            << claim.type;
    }
}

TEST(MechanismJoints, FixedKeepsTheFilesRelativeOrientation) {
    json text = two_bodies();
    text["joints"]["weld"] = joint("fixed");
    const auto mechanism = parsed(text);
    Poses pose = initial_poses(*mechanism, mechanism->nominal_kernel_parameters());
    const Matrix3d turn = AngleAxisd(0.8, Vector3d(1, 1, -2).normalized()).toRotationMatrix();
    const Vector3d centre_a(0.1, -0.2, 0.3), centre_b(-0.3, 0.05, 0.15);
    for (Matrix3d& orientation : pose.orientation) orientation = turn * orientation;
    pose.position[1] =
        pose.position[0] + pose.orientation[0] * (point_a - centre_a) - pose.orientation[1] * (point_b - centre_b);
    EXPECT_EQ(constraint_rows(*mechanism, pose).size(), 6u);
    EXPECT_LE(largest(constraint_rows(*mechanism, pose)), roundings_of_products);
    EXPECT_EQ(free_motions(*mechanism, pose), 0);
}

TEST(MechanismJoints, TranslationalWithoutAxesKeepsTheFilesRelativeOrientation) {
    json text = two_bodies();
    text["joints"]["table"] = joint("translational");
    text["joints"]["table"].erase("axes"), text["joints"]["table"].erase("references");
    const auto mechanism = parsed(text);
    Poses pose = initial_poses(*mechanism, mechanism->nominal_kernel_parameters());
    pose.position[1] += Vector3d(0.3, -1.2, 0.7);
    const Matrix3d turn = AngleAxisd(0.8, Vector3d(1, 1, -2).normalized()).toRotationMatrix();
    for (Matrix3d& orientation : pose.orientation) orientation = turn * orientation;
    EXPECT_EQ(constraint_rows(*mechanism, pose).size(), 3u);
    EXPECT_LE(largest(constraint_rows(*mechanism, pose)), roundings_of_products);
    EXPECT_EQ(free_motions(*mechanism, pose), 3);
}

// The value of the last sensor, which is the only one, where the rod has this rotation and displacement in the frame of
// the joint on the crank.
double sensed(const std::string& type, const std::string& sensor, const Matrix3d& turn, const Vector3d& displacement) {
    json text = two_bodies();
    text["joints"]["hinge"] = joint(type);
    text["sensors"]["sensor"] = {{"type", sensor}, {"joint", "hinge"}};
    const auto mechanism = parsed(text);
    const Element& element = mechanism->table.element[mechanism->table.elements - 1];
    EXPECT_TRUE(element.is_sensor);
    return rows_without_function(element, mechanism->nominal_kernel_parameters(),
                                 closed_pose(*mechanism, turn, displacement))[0];
}

TEST(MechanismJoints, PlanarAndTranslationalCoordinatesAreAlongTheReferenceAcrossBothAndAlongTheAxis) {
    const Vector3d in_plane(0.2, -0.4, 0.0), in_space(0.2, -0.4, 0.35);
    const char* names[] = {"displacement_1", "displacement_2", "displacement_3"};
    for (int k = 0; k < 3; ++k) {
        if (k < 2) EXPECT_NEAR(sensed("planar", names[k], about_z(0.7), in_plane), in_plane[k], roundings_of_products);
        EXPECT_NEAR(sensed("translational", names[k], about_z(0.0), in_space), in_space[k], roundings_of_products);
    }
    EXPECT_NEAR(sensed("planar", "angle", about_z(0.7), in_plane), 0.7, roundings_of_products);
    EXPECT_NEAR(sensed("planar", "angle", about_z(-2.9), in_plane), -2.9, roundings_of_products);
}

TEST(MechanismJoints, UniversalAnglesTurnAboutTheAxisOfEachBodyFromTheFilesOrientations) {
    // The axes are exactly perpendicular in the orientations of the file.
    json text = two_bodies();
    text["joints"]["cross"] = joint("universal");
    const auto raw = parsed(text);
    const Poses file = initial_poses(*raw, raw->nominal_kernel_parameters());
    const Vector3d n_a = axis_a.normalized(), n_b_on_a = Vector3d(0.7, -0.2, 0.3).cross(n_a).normalized();
    const Matrix3d relative = file.orientation[0].transpose() * file.orientation[1];
    const Vector3d n_b = relative.transpose() * n_b_on_a;
    text["joints"]["cross"]["axes"] = both(axis_a, 1.7 * n_b);
    text["sensors"] = {{"first", {{"type", "angle_1"}, {"joint", "cross"}}},
                       {"second", {{"type", "angle_2"}, {"joint", "cross"}}}};
    const auto mechanism = parsed(text);
    const std::vector<double> p = mechanism->nominal_kernel_parameters();
    for (const auto& [first, second] : {std::pair{0.0, 0.0}, std::pair{0.4, -1.1}, std::pair{-2.8, 2.5}}) {
        Poses pose = file;
        pose.orientation[1] = file.orientation[0] * AngleAxisd(first, n_a).toRotationMatrix() * relative *
                              AngleAxisd(second, n_b).toRotationMatrix();
        const Element* sensors = mechanism->table.element + mechanism->table.elements - 2;
        EXPECT_NEAR(rows_without_function(sensors[0], p, pose)[0], first, roundings_of_products);
        EXPECT_NEAR(rows_without_function(sensors[1], p, pose)[0], second, roundings_of_products);
    }
}

TEST(MechanismJoints, WithTheGroundTakeItsPointsAndAxesFromTheWorld) {
    for (const JointClaim& claim : claims()) {
        json text = two_bodies();
        text["joints"]["hinge"] = joint(claim.type);
        text["joints"]["hinge"]["bodies"] = {"ground", "rod"};
        const auto mechanism = parsed(text);
        Poses pose = initial_poses(*mechanism, mechanism->nominal_kernel_parameters());
        const Matrix3d on_a = frame_of(axis_a, reference_a), on_b = frame_of(axis_b, reference_b);
        pose.orientation[1] = on_a * claim.turn * on_b.transpose();
        pose.position[1] =
            point_a + on_a * claim.displacement - pose.orientation[1] * (point_b - Vector3d(-0.3, 0.05, 0.15));
        EXPECT_LE(largest(constraint_rows(*mechanism, pose)), roundings_of_products) << claim.type;
        EXPECT_EQ(mechanism->table.element[0].body[0], -1);
        EXPECT_EQ(mechanism->table.element[0].body[1], 1);
    }
}

TEST(MechanismJoints, AngleCountsFromReferenceAToReferenceBAboutAxisA) {
    json text = two_bodies();
    text["joints"]["hinge"] = joint("revolute");
    text["sensors"]["turn"] = {{"type", "angle"}, {"joint", "hinge"}};
    const auto mechanism = parsed(text);
    const Element& element = mechanism->table.element[mechanism->table.elements - 1];
    ASSERT_EQ(element.kind, ElementKind::angle);
    for (double angle : {-2.9, -0.4, 0.0, 1.3, 3.0}) {
        const Poses pose = closed_pose(*mechanism, about_z(angle), Vector3d::Zero());
        EXPECT_NEAR(rows_without_function(element, mechanism->nominal_kernel_parameters(), pose)[0], angle,
                    roundings_of_products);
    }
}

TEST(MechanismJoints, WithoutReferencesCountTheAngleFromTheFilesInitialOrientations) {
    json text = two_bodies();
    text["joints"]["hinge"] = joint("revolute", false);
    text["joints"]["hinge"]["axes"] = {{0, 0, 1}, {0.2, 0.1, 1}};
    text["bodies"]["rod"]["orientation"] = text["bodies"]["crank"]["orientation"];
    text["sensors"]["turn"] = {{"type", "angle"}, {"joint", "hinge"}};
    const auto mechanism = parsed(text);
    const std::vector<double> p = mechanism->nominal_kernel_parameters();
    const Element& element = mechanism->table.element[mechanism->table.elements - 1];
    // The axes of the file are not quite parallel: what is left of A's reference on B is not quite parallel either, but
    // turned about an axis across both.
    EXPECT_NEAR(rows_without_function(element, p, initial_poses(*mechanism, p))[0], 0.0, 0.02);
    const Vector3d n = vector_at(p, element.parameter), a = vector_at(p, element.parameter + 3),
                   g = vector_at(p, element.parameter + 6), b = vector_at(p, element.parameter + 9);
    EXPECT_LE((n.cross(a) - g).norm(), roundings_of_products);
    EXPECT_NEAR(n.dot(a), 0.0, roundings_of_products);
    EXPECT_NEAR(b.dot(Vector3d(0.2, 0.1, 1)), 0.0, roundings_of_products);
}

TEST(MechanismJoints, KeepThePerpendicularDirectionsOfTheNominalAxis) {
    // Near (1, 1, 0.9) the farthest axis is z, near (1, 0.9, 1) it is y: instances stay with the nominal one.
    json text = two_bodies();
    text["joints"]["hinge"] = joint("revolute");
    text["joints"]["hinge"]["axes"][1] = {1.0, 1.0, 0.9};
    const auto mechanism = parsed(text);
    std::vector<double> values;
    for (const Number& number : mechanism->numbers) values.push_back(number.value);
    values[number_of(*mechanism, "joints.hinge.axes[1][1]")] = 0.9;
    values[number_of(*mechanism, "joints.hinge.axes[1][2]")] = 1.0;
    const auto p = mechanism->kernel_parameters(values, std::vector<unsigned char>(values.size(), 0));
    const Vector3d normal = vector_at(p, mechanism->table.element[1].parameter + 3);
    EXPECT_NEAR(normal.dot(Vector3d(1.0, 0.9, 1.0)), 0.0, roundings_of_products);
    EXPECT_GT(normal[2], 0.7) << "made from z";
    // An axis that comes close to z itself takes another one.
    values[number_of(*mechanism, "joints.hinge.axes[1][2]")] = 1e9;
    const auto q = mechanism->kernel_parameters(values, std::vector<unsigned char>(values.size(), 0));
    const Vector3d other = vector_at(q, mechanism->table.element[1].parameter + 3);
    EXPECT_NEAR(other.norm(), 1.0, roundings_of_products);
    EXPECT_NEAR(other.dot(Vector3d(1.0, 0.9, 1e9).normalized()), 0.0, roundings_of_products);
}

TEST(MechanismJoints, OfTheBasicKindsHaveTheirPhi) {
    json text = two_bodies();
    text["joints"] = {
        {"a_dot_1", {{"type", "DP1"}, {"bodies", {"crank", "rod"}}, {"axes", both(axis_a, axis_b)}, {"value", 0.3}}},
        {"b_dot_2",
         {{"type", "DP2"}, {"bodies", {"crank", "rod"}}, {"axis", list(axis_a)}, {"points_m", both(point_a, point_b)}}},
        {"c_distance",
         {{"type", "D"}, {"bodies", {"crank", "rod"}}, {"points_m", both(point_a, point_b)}, {"value_m", "0.5 + 1"}}},
        {"d_coordinate",
         {{"type", "CD"},
          {"bodies", {"ground", "rod"}},
          {"direction", list(axis_b)},
          {"points_m", both(point_a, point_b)}}}};
    const auto mechanism = parsed(text);
    const std::vector<double> p = mechanism->nominal_kernel_parameters();
    const Poses pose = initial_poses(*mechanism, p);
    const Matrix3d r_a = pose.orientation[0], r_b = pose.orientation[1];
    const Vector3d origin_a(1.0, 2.0, 3.0), origin_b(0.7, -1.2, 0.4);
    const Vector3d d = origin_b + r_b * point_b - origin_a - r_a * point_a;
    const Vector3d from_ground = origin_b + r_b * point_b - point_a;
    const std::vector<double> expected = {(r_a * axis_a.normalized()).dot(r_b * axis_b.normalized()),
                                          (r_a * axis_a.normalized()).dot(d), d.norm(),
                                          axis_b.normalized().dot(from_ground)};
    EXPECT_THAT(constraint_rows(*mechanism, pose),
                testing::Pointwise(testing::DoubleNear(roundings_of_products), expected));
    EXPECT_GE(mechanism->table.element[0].function, 0);
    EXPECT_EQ(mechanism->table.element[1].function, -1) << "a value that the file leaves out is 0";
    EXPECT_GE(mechanism->table.element[2].function, 0);
    EXPECT_EQ(mechanism->numbers[number_of(*mechanism, "joints.c_distance.value_m")].value, 1.5);
}

TEST(MechanismDrivers, DriveTheAngleAndTheDisplacementThatSensorsMeasure) {
    json text = two_bodies();
    text["joints"]["hinge"] = joint("cylindrical");
    text["drivers"] = {{"turn", {{"type", "angle"}, {"joint", "hinge"}, {"value_rad", "0.3 * t"}}},
                       {"shift", {{"type", "displacement"}, {"joint", "hinge"}, {"value_m", "0.1 * sin(t)"}}}};
    const auto mechanism = parsed(text);
    ASSERT_EQ(mechanism->drivers.size(), 2u);
    const std::vector<double> p = mechanism->nominal_kernel_parameters();
    const Element &shift = mechanism->table.element[mechanism->drivers[0].first_element],
                  &turn = mechanism->table.element[mechanism->drivers[1].first_element];
    for (double angle : {-2.0, 0.7}) {
        const Poses pose = closed_pose(*mechanism, about_z(angle), Vector3d(0, 0, -0.45));
        EXPECT_NEAR(rows_without_function(turn, p, pose)[0], std::sin(angle), roundings_of_products);
        EXPECT_NEAR(rows_without_function(shift, p, pose)[0], -0.45, roundings_of_products);
    }
    EXPECT_EQ(mechanism->freedoms, 12 - 4 - 2);
}

TEST(MechanismForces, BushingIsRelaxedInTheFilesOrientationsAndActsAlongItsFrame) {
    const Matrix3d frame = AngleAxisd(0.6, Vector3d(1, 2, -1).normalized()).toRotationMatrix();
    json text = two_bodies();
    text["forces"]["mount"] = {{"type", "bushing"},
                               {"bodies", {"crank", "rod"}},
                               {"points_m", both(point_a, point_b)},
                               {"frame", {{"x_axis", list(frame.col(0))}, {"y_axis", list(frame.col(1))}}},
                               {"stiffness_N_m", {100, 200, 300}},
                               {"damping_N_s_m", {1, 2, 3}},
                               {"stiffness_N_m_rad", {7, 8, 9}}};
    const auto mechanism = parsed(text);
    const std::vector<double> p = mechanism->nominal_kernel_parameters();
    Poses pose = initial_poses(*mechanism, p);
    ASSERT_EQ(mechanism->table.elements, 4);
    EXPECT_EQ(mechanism->table.rows, 6);
    EXPECT_EQ(mechanism->freedoms, 12) << "laws are no constraints";
    const Vector3d d =
        Vector3d(0.7, -1.2, 0.4) + pose.orientation[1] * point_b - Vector3d(1, 2, 3) - pose.orientation[0] * point_a;
    const Vector3d in_frame = (pose.orientation[0] * frame).transpose() * d;
    for (int k = 0; k < 3; ++k) {
        const Element& element = mechanism->table.element[k];
        EXPECT_NEAR(rows_without_function(element, p, pose)[0], in_frame[k], roundings_of_products);
        EXPECT_EQ(p[static_cast<std::size_t>(element.parameter + 9)], 100.0 * (k + 1));
        EXPECT_EQ(p[static_cast<std::size_t>(element.parameter + 10)], k + 1.0);
    }
    const Element& turning = mechanism->table.element[3];
    EXPECT_LE(rows_without_function(turning, p, pose).norm(), 1e-7) << "an angle of round-off, as a square root of it";
    EXPECT_EQ(vector_at(p, turning.parameter + 8), Vector3d(7, 8, 9));
    EXPECT_EQ(vector_at(p, turning.parameter + 11), Vector3d(0, 0, 0));
    // B turned by theta about directions fixed on A, whose components along the frame's axes the rows are.
    const Vector3d theta(0.4, -0.7, 1.1);
    const Vector3d about = pose.orientation[0] * frame * theta;
    pose.orientation[1] = AngleAxisd(about.norm(), about.normalized()).toRotationMatrix() * pose.orientation[1];
    EXPECT_LE((rows_without_function(turning, p, pose) - theta).norm(), roundings_of_products);
}

TEST(MechanismForces, LoadsActAtTheCentreOfMassUnlessTheFileSaysWhere) {
    json text = two_bodies();
    text["forces"] = {
        {"pull", {{"type", "force"}, {"body", "rod"}, {"force_N", {"2*t", 0, "sin(t)"}}}},
        {"push",
         {{"type", "force"}, {"body", "rod"}, {"point_m", {1, 2, 3}}, {"force_N", {1, 2, 3}}, {"frame", "body"}}},
        {"twist", {{"type", "torque"}, {"body", "crank"}, {"torque_N_m", {0, 0, "t^2"}}}}};
    const auto mechanism = parsed(text);
    const std::vector<double> p = mechanism->nominal_kernel_parameters();
    ASSERT_EQ(mechanism->table.loads, 3);
    const Load* load = mechanism->table.load;
    EXPECT_EQ(load[0].kind, LoadKind::force_world);
    EXPECT_EQ(vector_at(p, load[0].parameter), Vector3d(0, 0, 0));
    EXPECT_EQ(load[1].kind, LoadKind::force_body);
    EXPECT_LE((vector_at(p, load[1].parameter) - Vector3d(1.3, 1.95, 2.85)).norm(), roundings_of_products);
    EXPECT_EQ(load[2].kind, LoadKind::torque_world);
    EXPECT_EQ(load[2].parameter, -1);
    EXPECT_EQ(load[2].body, 0);
    EXPECT_EQ(mechanism->table.functions, 9);
    // The default point follows the centre of mass, and a study can move it away.
    EXPECT_EQ(mechanism->numbers[number_of(*mechanism, "forces.pull.point_m[0]")].value, -0.3);
}

TEST(MechanismLength, IsTheLargestDistanceOfAPointFromItsCentreOfMass) {
    json text = two_bodies();
    text["joints"]["hinge"] = joint("spherical");
    text["sensors"]["far"] = {{"type", "point"}, {"body", "rod"}, {"point_m", {100, 0, 0}}};
    const double expected =
        std::max((point_a - Vector3d(0.1, -0.2, 0.3)).norm(), (point_b - Vector3d(-0.3, 0.05, 0.15)).norm());
    const auto scale = [](const json& one) { return parsed(one)->nominal_kernel_parameters()[length_scale_parameter]; };
    EXPECT_NEAR(scale(text), expected, roundings_of_products) << "a sensor has no part in it";
    text["joints"]["hinge"]["points_m"] = both(Vector3d(0.1, -0.2, 0.3), Vector3d(-0.3, 0.05, 0.15));
    EXPECT_EQ(scale(text), 1e-3) << "no less than a millimetre";
}

TEST(MechanismExtent, CountsTensOfLengthScalesFromTheOrigin) {
    json text = two_bodies();
    text["joints"]["hinge"] = joint("spherical");
    const auto extent = [&] { return parsed(text)->nominal_kernel_parameters()[extent_parameter]; };
    const auto scale = [&] { return parsed(text)->nominal_kernel_parameters()[length_scale_parameter]; };
    EXPECT_EQ(extent(), 1.0) << "no less than 1";
    text["bodies"]["rod"]["position_m"] = {400, 0, 300};
    EXPECT_NEAR(extent() * scale(), 50.0, 50.0 * roundings_of_products);
    text["joints"]["anchor"] = joint("spherical");
    text["joints"]["anchor"]["bodies"] = {"ground", "rod"};
    text["joints"]["anchor"]["points_m"][0] = {0, -1200, 500};
    EXPECT_NEAR(extent() * scale(), 130.0, 130.0 * roundings_of_products) << "a point of the ground";
}

}  // namespace
}  // namespace myriad::mechanism
