// Sensors show those reactions of joints and drivers on a body that its motion needs: Newton's and Euler's equations of
// the free body, written down here once more, for every type of joint and driver, in kernels and twin.
//
//   m a = m g + F + F_load,   R (J w' + w x J w) = T + (p - r) x F + T_load      about the centre of mass r
//
// F, T: reactions on the body, T about p, the joint's point on body B.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/backends/reference/reference_mechanism.hpp"
#include "host/mechanism/file/mechanism_file.hpp"
#include "host/mechanism/mechanism_keys.hpp"
#include "tests/mechanism/kernel_runs.hpp"

namespace myriad::mechanism {

namespace {

using Eigen::Vector3d;
using nlohmann::json;

constexpr int balanced_steps = 20;
constexpr double balanced_step_s = 2e-3;
// Forces of some ten N and torques of some ten N m. Newton's last correction is below 1e-12 and what is left after it
// the square of that times some 10, as full Newton's iteration converges quadratically; round-off of positions is
// carried by accelerations over h^2/4: 1e-16 m / 1e-6 s^2, times matrices of condition 100.
constexpr double balanced_N = 1e-7;
// The stopping rule for a matrix that a step keeps leaves 1e-8 of the largest acceleration (newton.hpp), some 30 m/s^2
// of some kg.
constexpr double balanced_in_joint_coordinates_N = 1e-6;

struct JointUnderTest {
    const char *name, *joint, *driver;  // JSON; "" without a driver
    friend void PrintTo(const JointUnderTest& one, std::ostream* out) { *out << one.name; }
};

// Points lie away from centres of mass, axes across all coordinate axes.
const char* const points = R"("points_m": [[0.4, -0.2, 0.3], [-0.5, 0.3, 0.2]])";
const char* const axes = R"("axes": [[1, 2, 0.5], [0.3, 1, 0.8]])";
// The same of the arm first, so that it is assembled from the same pose.
const char* const turned_points = R"("points_m": [[-0.5, 0.3, 0.2], [0.4, -0.2, 0.3]])";
const char* const turned_axes = R"("axes": [[0.3, 1, 0.8], [1, 2, 0.5]])";

const JointUnderTest joints[] = {
    {"spherical", R"json({"type": "spherical", POINTS})json", ""},
    {"universal", R"json({"type": "universal", POINTS, AXES})json", ""},
    {"revolute", R"json({"type": "revolute", POINTS, AXES})json", ""},
    {"cylindrical", R"json({"type": "cylindrical", POINTS, AXES})json", ""},
    {"prismatic", R"json({"type": "prismatic", POINTS, AXES})json", ""},
    {"fixed", R"json({"type": "fixed", POINTS})json", ""},
    {"DP1", R"json({"type": "DP1", AXES, "value": 0.3})json", ""},
    {"DP2", R"json({"type": "DP2", "axis": [1, 2, 0.5], POINTS, "value_m": 0.2})json", ""},
    {"D", R"json({"type": "D", POINTS, "value_m": 0.9})json", ""},
    {"CD", R"json({"type": "CD", "direction": [1, 2, 0.5], POINTS, "value_m": 0.2})json", ""},
    {"driven_revolute", R"json({"type": "revolute", POINTS, AXES})json",
     R"json({"type": "angle", "joint": "joint", "value_rad": "0.3 + 2 * t + sin(3 * t)"})json"},
    {"driven_cylindrical", R"json({"type": "cylindrical", POINTS, AXES})json",
     R"json({"type": "angle", "joint": "joint", "value_rad": "0.3 + 2 * t + sin(3 * t)"})json"},
    {"driven_prismatic", R"json({"type": "prismatic", POINTS, AXES})json",
     R"json({"type": "displacement", "joint": "joint", "value_m": "0.4 + t + 0.2 * sin(5 * t)"})json"},
    {"shifted_cylindrical", R"json({"type": "cylindrical", POINTS, AXES})json",
     R"json({"type": "displacement", "joint": "joint", "value_m": "0.4 + t + 0.2 * sin(5 * t)"})json"},
    {"driven_universal_about_a", R"json({"type": "universal", POINTS, AXES})json",
     R"json({"type": "angle_1", "joint": "joint", "value_rad": "0.3 + 2 * t + sin(3 * t)"})json"},
    {"driven_universal_about_b", R"json({"type": "universal", POINTS, AXES})json",
     R"json({"type": "angle_2", "joint": "joint", "value_rad": "0.3 + 2 * t + sin(3 * t)"})json"},
    {"planar", R"json({"type": "planar", POINTS, AXES})json", ""},
    {"turned_planar", R"json({"type": "planar", POINTS, AXES})json",
     R"json({"type": "angle", "joint": "joint", "value_rad": "0.3 + 2 * t + sin(3 * t)"})json"},
    {"shifted_planar_1", R"json({"type": "planar", POINTS, AXES})json",
     R"json({"type": "displacement_1", "joint": "joint", "value_m": "0.4 + t + 0.2 * sin(5 * t)"})json"},
    {"shifted_planar_2", R"json({"type": "planar", POINTS, AXES})json",
     R"json({"type": "displacement_2", "joint": "joint", "value_m": "0.4 + t + 0.2 * sin(5 * t)"})json"},
    {"translational", R"json({"type": "translational", POINTS, AXES})json", ""},
    {"shifted_translational_1", R"json({"type": "translational", POINTS, AXES})json",
     R"json({"type": "displacement_1", "joint": "joint", "value_m": "0.4 + t + 0.2 * sin(5 * t)"})json"},
    {"shifted_translational_3", R"json({"type": "translational", POINTS, AXES})json",
     R"json({"type": "displacement_3", "joint": "joint", "value_m": "0.4 + t + 0.2 * sin(5 * t)"})json"},
    {"driven_DP1", R"json({"type": "spherical", POINTS})json",
     R"json({"type": "DP1", BODIES, AXES, "value": "0.3 + 0.1 * sin(4 * t)"})json"},
    {"driven_DP2", R"json({"type": "D", POINTS, "value_m": 0.9})json",
     R"json({"type": "DP2", BODIES, "axis": [1, 2, 0.5], "points_m": [[0.1, 0.2, 0.3], [0.3, -0.4, 0.1]], "value_m": "0.3 + t"})json"},
    {"driven_D", R"json({"type": "DP1", AXES, "value": 0.3})json",
     R"json({"type": "D", BODIES, "points_m": [[0.1, 0.2, 0.3], [0.3, -0.4, 0.1]], "value_m": "1 + 0.2 * sin(4 * t)"})json"},
    {"driven_CD", R"json({"type": "DP1", AXES, "value": 0.3})json",
     R"json({"type": "CD", BODIES, "direction": [1, 2, 0.5], "points_m": [[0.1, 0.2, 0.3], [0.3, -0.4, 0.1]], "value_m": "VALUE"})json"},
};

std::string filled(std::string text, const std::string& bodies) {
    const auto replace = [&](const std::string& word, const std::string& by) {
        for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word))
            text.replace(at, word.size(), by);
    };
    const bool is_turned = bodies.starts_with("[\"arm\"");
    replace("POINTS", std::string("BODIES, ") + (is_turned ? turned_points : points));
    replace("BODIES", "\"bodies\": " + bodies);
    replace("VALUE", is_turned ? "-0.3 - t" : "0.3 + t");
    replace("AXES", std::string(text.find("\"bodies\"") == std::string::npos ? "\"bodies\": " + bodies + ", " : "") +
                        (is_turned ? turned_axes : axes));
    return text;
}

// The arm under gravity, a force and a torque; it hangs on a carrier that flies, or on the ground.
json mechanism_text(const JointUnderTest& of, const std::string& bodies) {
    json text = json::parse(R"({
        "gravity_m_s2": [1, -2, -9.81],
        "bodies": {
            "carrier": {"mass_kg": 3.0, "inertia_kg_m2": [0.4, 0.5, 0.3], "centre_of_mass_m": [0.1, -0.1, 0.05],
                "position_m": [0.3, 0.2, -0.1], "orientation": {"rotation_vector_rad": [0.2, -0.3, 0.4]},
                "velocity_m_s": [0.5, -0.2, 0.3], "angular_velocity_rad_s": [0.6, 1.1, -0.8]},
            "arm": {"mass_kg": 2.0, "inertia_kg_m2": [0.2, 0.3, 0.25], "centre_of_mass_m": [0.2, 0.1, -0.15],
                "position_m": [0.9, 0.1, 0.3], "orientation": {"rotation_vector_rad": [-0.1, 0.2, 0.3]},
                "velocity_m_s": [-0.4, 0.7, 0.2], "angular_velocity_rad_s": [-1.2, 0.4, 1.5]}},
        "forces": {
            "pull": {"type": "force", "body": "arm", "point_m": [0.3, 0.2, 0.1], "force_N": [3, -4, "5 + 6 * t"]},
            "twist": {"type": "torque", "body": "arm", "torque_N_m": [1, "2 * t", -1.5]}}})");
    text["joints"]["joint"] = json::parse(filled(of.joint, bodies));
    text["sensors"]["joint_force"] = {{"type", "reaction_force"}, {"joint", "joint"}};
    text["sensors"]["joint_torque"] = {{"type", "reaction_torque"}, {"joint", "joint"}};
    if (*of.driver == '\0') return text;
    text["drivers"]["driver"] = json::parse(filled(of.driver, bodies));
    text["sensors"]["driver_force"] = {{"type", "reaction_force"}, {"joint", "driver"}};
    text["sensors"]["driver_torque"] = {{"type", "reaction_torque"}, {"joint", "driver"}};
    return text;
}

Vector3d vector_of(const json& numbers) {
    return {numbers[0].get<double>(), numbers[1].get<double>(), numbers[2].get<double>()};
}

class Balance {
  public:
    Balance(const JointUnderTest& of, const std::string& bodies) : text_(mechanism_text(of, bodies)) {
        mechanism_ = parse_mechanism(text_.dump(), "balance.json");
        arm_ = mechanism_->body_names[0] == "arm" ? 0 : 1;
        for (int k = 0; k < 13; ++k) channels_.push_back(13 * arm_ + k);
        for (const char* name : {"acceleration", "angular_acceleration"}) add(name, "arm");
        for (const char* name : {"joint_force", "joint_torque"}) add(name, "");
        if (text_.contains("drivers"))
            for (const char* name : {"driver_force", "driver_torque"}) add(name, "");
    }

    const Mechanism& mechanism() const { return *mechanism_; }
    const std::vector<int>& channels() const { return channels_; }

    // How far the arm is from its equations, in force and torque; `row` is of channels().
    std::pair<double, double> error(const std::vector<double>& row, double time_s) const {
        const auto vector = [&](std::size_t first) { return Vector3d(row[first], row[first + 1], row[first + 2]); };
        const json& arm = text_["bodies"]["arm"];
        const double mass = arm["mass_kg"];
        const Vector3d inertia = vector_of(arm["inertia_kg_m2"]), centre = vector_of(arm["centre_of_mass_m"]);
        const Vector3d position = vector(0), w = vector(10), a = vector(13), w_rate = vector(16);
        const Eigen::Matrix3d turn = Eigen::Quaterniond(row[3], row[4], row[5], row[6]).toRotationMatrix();
        const Vector3d load(3, -4, 5 + 6 * time_s), load_point = turn * (Vector3d(0.3, 0.2, 0.1) - centre);
        Vector3d force = mass * vector_of(text_["gravity_m_s2"]) + load,
                 torque = Vector3d(1, 2 * time_s, -1.5) + load_point.cross(load);
        std::size_t at = 19;
        for (const char* section : {"joints", "drivers"}) {
            if (!text_.contains(section)) continue;
            const json& entry = text_[section].begin().value();
            const Vector3d reaction = vector(at), moment = vector(at + 3);
            at += 6;
            const json& place = entry.contains("bodies") ? entry : text_["joints"]["joint"];
            const bool is_second = place["bodies"][1] == "arm";
            // On body B; the arm as body A has the opposite of it, about the same point.
            const double sign = is_second ? 1.0 : -1.0;
            Vector3d lever = Vector3d::Zero();
            if (place.contains("points_m")) {
                const Vector3d point = vector_of(place["points_m"][1]);
                lever = is_second ? Vector3d(turn * (point - centre)) : Vector3d(point - position);
            }
            force += sign * reaction, torque += sign * (moment + lever.cross(reaction));
        }
        const Vector3d momentum_rate = turn * (inertia.cwiseProduct(w_rate) + w.cross(inertia.cwiseProduct(w)));
        return {(force - mass * a).norm(), (torque - momentum_rate).norm()};
    }

    void expect_balanced(const std::vector<std::vector<double>>& rows, double tolerance_N) const {
        ASSERT_EQ(rows.size(), static_cast<std::size_t>(balanced_steps + 1));
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const auto [force, torque] = error(rows[row], balanced_step_s * static_cast<double>(row));
            EXPECT_LE(force, tolerance_N) << "row " << row;
            EXPECT_LE(torque, tolerance_N) << "row " << row;
        }
    }

  private:
    void add(const std::string& name, const std::string& body) {
        for (const NamedChannels& channels : mechanism_->channels)
            if (channels.name == name && channels.body == body)
                for (int k = 0; k < 3; ++k)
                    channels_.push_back(13 * mechanism_->table.bodies + channels.first_channel + k);
    }

    json text_;
    std::shared_ptr<const Mechanism> mechanism_;
    int arm_ = 0;
    std::vector<int> channels_;
};

constexpr Coordinates both_coordinates[] = {Coordinates::body, Coordinates::joint};

// Bodies A and B: the arm as B of a body that flies and turns, as B of the ground, and as A of the ground.
class Reactions : public testing::TestWithParam<std::tuple<JointUnderTest, const char*>> {
  protected:
    Balance balance() const { return {std::get<0>(GetParam()), std::get<1>(GetParam())}; }
};

TEST_P(Reactions, OfKernelsBalanceTheMovingBody) {
    const Balance of = balance();
    for (const Coordinates coordinates : both_coordinates) {
        RunSetup setup{};
        setup.coordinates = coordinates;
        setup.step_s = balanced_step_s, setup.steps = balanced_steps, setup.observed = of.channels();
        setup.newton_tolerance = 1e-12;
        SCOPED_TRACE(coordinates_names[static_cast<std::size_t>(coordinates)]);
        const InstanceEnd end = run_nominal(of.mechanism(), setup);
        ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        of.expect_balanced(end.rows, coordinates == Coordinates::joint ? balanced_in_joint_coordinates_N : balanced_N);
    }
}

TEST_P(Reactions, OfTheTwinBalanceTheMovingBody) {
    const Balance of = balance();
    const MechanismTable& table = of.mechanism().table;
    const std::vector<double> parameters = of.mechanism().nominal_kernel_parameters();
    const reference::MechanismModel model = backends::reference_model(of.mechanism(), parameters);
    for (const Coordinates coordinates : both_coordinates) {
        SCOPED_TRACE(coordinates_names[static_cast<std::size_t>(coordinates)]);
        std::vector<std::vector<double>> rows;
        reference::MechanismSettings settings;
        settings.joint_coordinates = coordinates == Coordinates::joint;
        settings.end_s = balanced_steps * balanced_step_s, settings.step_s = balanced_step_s;
        settings.after_step = [&](const reference::MechanismSample& sample) {
            rows.emplace_back();
            for (const int channel : of.channels())
                rows.back().push_back(backends::reference_channel(table, parameters, model, sample, channel));
        };
        const reference::MechanismResult result = run_reference_mechanism(model, settings);
        ASSERT_EQ(result.status, "ok") << result.reason;
        of.expect_balanced(rows, balanced_N);
    }
}

INSTANTIATE_TEST_SUITE_P(Joints, Reactions,
                         testing::Combine(testing::ValuesIn(joints),
                                          testing::Values(R"(["carrier", "arm"])", R"(["ground", "arm"])",
                                                          R"(["arm", "ground"])")),
                         [](const auto& given) {
                             const std::string bodies = std::get<1>(given.param);
                             return std::string(std::get<0>(given.param).name) +
                                    (bodies.find("carrier") != std::string::npos ? "_on_a_carrier"
                                     : bodies.find("[\"ground") == 0             ? "_on_the_ground"
                                                                                 : "_of_the_ground");
                         });

}  // namespace

}  // namespace myriad::mechanism
