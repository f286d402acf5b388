// Body parameters against Eigen.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "tests/mechanism/element_values.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"

namespace myriad::mechanism {
namespace {

using Eigen::AngleAxisd;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

Matrix3d inertia_at(const std::vector<double>& parameters, int first) {
    const Vector3d diagonal = vector_at(parameters, first), off = vector_at(parameters, first + 3);
    Matrix3d inertia;
    inertia << diagonal[0], off[0], off[1], off[0], diagonal[1], off[2], off[1], off[2], diagonal[2];
    return inertia;
}
Matrix3d cardan(double a, double b, double c) {
    return (AngleAxisd(a, Vector3d::UnitX()) * AngleAxisd(b, Vector3d::UnitY()) * AngleAxisd(c, Vector3d::UnitZ()))
        .toRotationMatrix();
}

TEST(MechanismBodies, BecomeStatesOfTheirCentresOfMass) {
    const auto mechanism = parsed(two_bodies());
    const std::vector<double> p = mechanism->nominal_kernel_parameters();
    ASSERT_EQ(mechanism->body_names, (std::vector<std::string>{"crank", "rod"}));
    EXPECT_EQ(mechanism->freedoms, 12);
    EXPECT_EQ(vector_at(p, gravity_parameter), Vector3d(0.3, -0.4, -9.7));
    EXPECT_EQ(p[length_scale_parameter], 1.0);

    const Vector3d turning(0.3, -0.5, 0.8), centre(0.1, -0.2, 0.3), omega(1.0, -2.0, 0.5);
    const Matrix3d r = AngleAxisd(turning.norm(), turning.normalized()).toRotationMatrix();
    EXPECT_EQ(p[static_cast<std::size_t>(body_parameter(0, body_mass))], 2.5);
    EXPECT_LE((rotation_at(p, body_parameter(0, body_orientation)).toRotationMatrix() - r).norm(), few_roundings);
    EXPECT_LE((vector_at(p, body_parameter(0, body_position)) - (Vector3d(1, 2, 3) + r * centre)).norm(),
              few_roundings);
    EXPECT_LE(
        (vector_at(p, body_parameter(0, body_velocity)) - (Vector3d(0.5, 0.6, -0.7) + r * omega.cross(centre))).norm(),
        few_roundings);
    EXPECT_EQ(vector_at(p, body_parameter(0, body_angular_velocity)), omega);
}

TEST(MechanismBodies, TurnTheirInertiaAndTheirAngularVelocityIntoTheirOwnAxes) {
    const auto mechanism = parsed(two_bodies());
    const std::vector<double> p = mechanism->nominal_kernel_parameters();
    const Matrix3d frame = cardan(0.2, 0.4, -0.6), r = cardan(-0.4, 0.2, 1.1);
    const Matrix3d inertia = frame * Vector3d(0.11, 0.12, 0.05).asDiagonal() * frame.transpose();
    EXPECT_LE((inertia_at(p, body_parameter(1, body_inertia)) - inertia).norm(), few_roundings);
    const Vector3d omega = r.transpose() * Vector3d(0.4, 0.3, -1.5), centre(-0.3, 0.05, 0.15);
    EXPECT_LE((vector_at(p, body_parameter(1, body_angular_velocity)) - omega).norm(), few_roundings);
    EXPECT_LE(
        (vector_at(p, body_parameter(1, body_velocity)) - (Vector3d(0.1, 0.9, 0.4) + r * omega.cross(centre))).norm(),
        few_roundings);
    Matrix3d given;
    given << 0.3, 0.02, -0.03, 0.02, 0.4, 0.01, -0.03, 0.01, 0.5;
    EXPECT_EQ(inertia_at(p, body_parameter(0, body_inertia)), given) << "without a frame not one bit changes";
}

TEST(MechanismBodies, TakeAnOrientationInEveryForm) {
    const Matrix3d expected = cardan(0.7, -0.3, 2.1);
    const auto row = [&](int i) { return nlohmann::json{expected(i, 0), expected(i, 1), expected(i, 2)}; };
    const auto column = [&](int j) {
        return nlohmann::json{3.0 * expected(0, j), 3.0 * expected(1, j), 3.0 * expected(2, j)};
    };
    const AngleAxisd turn(expected);
    const Vector3d vector = turn.angle() * turn.axis();
    const Quaterniond q(expected);
    // The third column plus a part of the first: the second direction is made perpendicular.
    nlohmann::json skew = column(2);
    for (int k = 0; k < 3; ++k) skew[static_cast<std::size_t>(k)] = expected(k, 2) + 0.5 * expected(k, 0);
    const std::vector<nlohmann::json> forms = {
        {{"cardan_xyz_rad", {0.7, -0.3, 2.1}}},
        {{"rotation_vector_rad", {vector[0], vector[1], vector[2]}}},
        {{"quaternion", {-2.0 * q.w(), -2.0 * q.x(), -2.0 * q.y(), -2.0 * q.z()}}},
        {{"matrix", {row(0), row(1), row(2)}}},
        {{"x_axis", column(0)}, {"y_axis", column(1)}},
        {{"y_axis", column(1)}, {"z_axis", column(2)}},
        {{"x_axis", column(0)}, {"z_axis", skew}},
    };
    for (const nlohmann::json& form : forms) {
        nlohmann::json json = two_bodies();
        json["bodies"]["rod"]["orientation"] = form;
        const std::vector<double> p = parsed(json)->nominal_kernel_parameters();
        EXPECT_LE((rotation_at(p, body_parameter(1, body_orientation)).toRotationMatrix() - expected).norm(),
                  few_roundings)
            << form;
    }
}

TEST(MechanismBodies, TakeTheNearestRotationOfARoundedMatrix) {
    const Matrix3d exact = cardan(0.7, -0.3, 2.1);
    Matrix3d rounded;
    nlohmann::json rows = nlohmann::json::array();
    for (int i = 0; i < 3; ++i) {
        rows.push_back(nlohmann::json::array());
        for (int j = 0; j < 3; ++j) {
            rounded(i, j) = std::round(exact(i, j) * 1e4) / 1e4;
            rows.back().push_back(rounded(i, j));
        }
    }
    const Eigen::JacobiSVD<Matrix3d> svd(rounded, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const Matrix3d nearest = svd.matrixU() * svd.matrixV().transpose();
    nlohmann::json json = two_bodies();
    json["bodies"]["rod"]["orientation"] = {{"matrix", rows}};
    const std::vector<double> p = parsed(json)->nominal_kernel_parameters();
    EXPECT_LE((rotation_at(p, body_parameter(1, body_orientation)).toRotationMatrix() - nearest).norm(), few_roundings);
    EXPECT_GT((nearest - exact).norm(), 1e-6) << "the rounding must be visible";
}

TEST(MechanismBodies, HaveDefaultsThatAreAddresses) {
    const auto mechanism =
        parsed(nlohmann::json::parse(R"({"bodies": {"top": {"mass_kg": 15, "inertia_kg_m2": [0.2, 0.2, 0.5]}}})"));
    for (const char* address :
         {"gravity_m_s2[2]", "bodies.top.centre_of_mass_m[0]", "bodies.top.position_m[1]", "bodies.top.velocity_m_s[2]",
          "bodies.top.angular_velocity_rad_s[0]", "bodies.top.orientation.rotation_vector_rad[1]",
          "bodies.top.inertia_frame.rotation_vector_rad[2]"})
        EXPECT_EQ(mechanism->numbers[number_of(*mechanism, address)].value, 0.0) << address;
    const std::vector<double> p = mechanism->nominal_kernel_parameters();
    EXPECT_EQ(rotation_at(p, body_parameter(0, body_orientation)).coeffs(), Quaterniond::Identity().coeffs());
}

TEST(MechanismBodies, AreWarnedAboutWhereNoMassHasTheirInertia) {
    EXPECT_TRUE(parsed(two_bodies())->warnings.empty());
    const auto warnings = [](const std::string& inertia) {
        return parsed(changed(two_bodies(), "/bodies/rod/inertia_kg_m2", inertia))->warnings;
    };
    ASSERT_EQ(warnings("[0.1, 0.1, 0.0]").size(), 1u);
    EXPECT_NE(warnings("[0.1, 0.1, 0.0]").front().find("/bodies/rod/inertia_kg_m2: the inertia is singular"),
              std::string::npos);
    ASSERT_EQ(warnings("[0.1, 0.1, 0.3]").size(), 1u);
    EXPECT_NE(warnings("[0.1, 0.1, 0.3]").front().find("exceeds the sum"), std::string::npos);
}

TEST(MechanismBodies, ArePinned) {
    const auto mechanism = parsed(changed(two_bodies(), "/bodies/rod/pinned", R"(["orientation"])"));
    EXPECT_EQ(mechanism->table.pinned[0] & 3, 0);
    EXPECT_EQ(mechanism->table.pinned[1] & 3, 2);
}

}  // namespace
}  // namespace myriad::mechanism
