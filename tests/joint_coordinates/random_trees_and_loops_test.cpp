// A thousand random mechanisms in joint coordinates: the state that they start from has the accelerations, reactions
// and energies of body coordinates and of the reference path, which knows no recursion; the whole derivative of the
// equations is that of differences; the simplified matrix leads to the same step.
#include <gtest/gtest.h>

#include <cmath>

#include "host/backends/reference/reference_model.hpp"
#include "host/mechanism/assembly/nominal_instance.hpp"
#include "host/mechanism/file/mechanism_file.hpp"
#include "host/reference/joint/joint_equations.hpp"
#include "host/text/user_error.hpp"
#include "kernels/mechanism/observe.hpp"
#include "tests/joint_coordinates/tree_instance.hpp"
#include "tests/properties/random_mechanisms.hpp"

namespace myriad::mechanism {
namespace {

struct JointFamily {
    const char* name;
    std::uint64_t first_seed;
    int count, least_bodies, most_bodies, loops;
    bool free, driven;
    friend void PrintTo(const JointFamily& family, std::ostream* out) { *out << family.name; }
};

// Random mechanisms come within 0.05 of a singular pose, where round-off of the accelerations counts some 400 times,
// and some thousand operations add theirs.
constexpr double same_start = 1e-8;
// Central differences over this displacement lose its square in curvature and gain round-off by its inverse.
constexpr double difference_step = 1e-5, same_derivative = 2e-6;
constexpr double step_s = 1e-3;

double distance(double a, double b, double scale) { return std::abs(a - b) / std::max(scale, 1.0); }

// The largest of the channels of one kind.
struct Compared {
    double largest = 0.0, difference = 0.0;
    std::string where;
};

bool is_compared(ChannelKind kind) {
    return kind != ChannelKind::newton_iterations && kind != ChannelKind::constraint_residual &&
           kind != ChannelKind::velocity_residual;
}

void expect_the_start_of_body_coordinates(const Mechanism& mechanism, TreeInstance& tree) {
    const auto nominal = std::make_unique<NominalInstance>(mechanism.table, mechanism.nominal_kernel_parameters());
    const Assembled<double> assembled = nominal->assemble();
    ASSERT_EQ(assembled.reason, 0.0);
    ASSERT_EQ(tree.reason, 0.0);
    const int of_bodies = mechanism.table.bodies * body_channels;
    // Forces and accelerations are compared with the largest of all.
    double scale = 1.0, worst = 0.0;
    int at = -1;
    std::vector<double> ours, theirs;
    for (int c = 0; c < of_bodies + mechanism.table.channels; ++c) {
        ours.push_back(tree.channel(c));
        theirs.push_back(nominal->system.channel(c, nominal->motion, nominal->memory));
        scale = std::max(scale, std::abs(theirs.back()));
    }
    for (int c = 0; c < of_bodies + mechanism.table.channels; ++c) {
        if (c >= of_bodies && !is_compared(mechanism.table.channel[c - of_bodies].kind)) continue;
        double b = theirs[static_cast<std::size_t>(c)];
        const int part = c % body_channels, first = c - part + orientation_channel;
        if (c < of_bodies && part >= orientation_channel && part < velocity_channel) {
            double along = 0.0;
            for (int k = 0; k < 4; ++k)
                along += ours[static_cast<std::size_t>(first + k)] * theirs[static_cast<std::size_t>(first + k)];
            if (along < 0.0) b = -b;
        }
        const double difference = distance(ours[static_cast<std::size_t>(c)], b, scale);
        if (!(difference <= worst)) worst = difference, at = c;
    }
    EXPECT_LE(worst, same_start) << "channel " << at << " of kind "
                                 << (at < of_bodies ? -1 : int(mechanism.table.channel[at - of_bodies].kind));
}

void expect_the_accelerations_of_the_reference_path(const Mechanism& mechanism, TreeInstance& tree) {
    const std::vector<double> parameters = mechanism.nominal_kernel_parameters();
    const reference::MechanismModel model = backends::reference_model(mechanism, parameters);
    reference::MechanismState state;
    for (int b = 0; b < mechanism.table.bodies; ++b) {
        const auto part = [&](int first) {
            return Eigen::Vector3d(tree.channel(b * body_channels + first), tree.channel(b * body_channels + first + 1),
                                   tree.channel(b * body_channels + first + 2));
        };
        const auto q = [&](int k) { return tree.channel(b * body_channels + orientation_channel + k); };
        reference::BodyState body;
        body.position = part(0), body.velocity = part(velocity_channel);
        body.angular_velocity = part(angular_velocity_channel);
        body.orientation = Eigen::Quaterniond(q(0), q(1), q(2), q(3)).normalized().toRotationMatrix();
        state.bodies.push_back(body);
    }
    for (const reference::ModelElement& element : model.elements)
        state.counted_angles.push_back(element.start_angle_rad);
    const reference::JointEquations equations(model, state);
    const reference::JointState start = equations.start();
    const reference::AccelerationSolution found = equations.accelerations(start);
    const reference::JointedBodies bodies = equations.bodies(start, found.acceleration);
    double scale = 1.0;
    for (Eigen::Index i = 0; i < bodies.acceleration.size(); ++i)
        scale = std::max(scale, std::abs(bodies.acceleration[i]));
    for (int b = 0; b < mechanism.table.bodies; ++b)
        for (int k = 0; k < 6; ++k) {
            const int of_bodies = mechanism.table.bodies * body_channels;
            // The first channels of the table are the bodies' accelerations, then their angular accelerations.
            int channel = -1;
            for (int c = 0; c < mechanism.table.channels; ++c) {
                const Channel& one = mechanism.table.channel[c];
                if (one.kind == (k < 3 ? ChannelKind::acceleration : ChannelKind::angular_acceleration) && one.a == b &&
                    one.b == k % 3)
                    channel = of_bodies + c;
            }
            EXPECT_LE(distance(tree.channel(channel), bodies.acceleration[6 * b + k], scale), same_start)
                << "body " << b << ", component " << k;
        }
}

void expect_the_derivative_of_differences(TreeInstance& tree, std::uint64_t seed) {
    Generic generic(seed);
    const JointLinearization<double> by{
        0.5 * step_s, 0.25 * step_s * step_s, 1.0 / (0.25 * step_s * step_s), Level::position, true, false};
    std::vector<double> x(static_cast<std::size_t>(tree.freedoms() + tree.rows()));
    for (double& one : x) one = generic.number(-1.0, 1.0);
    for (int i = 0; i < tree.system.topology.prescribed(); ++i)
        x[static_cast<std::size_t>(tree.system.topology.prescribed_coordinate(i).freedom)] = 0.0;
    // Displacements of some 1e-2 rad: c_q is small.
    const double size = difference_step / by.position;
    const std::vector<double> ahead = tree.residual(by, x, size), behind = tree.residual(by, x, -size);
    tree.residual(by, x, 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double slope = (ahead[i] - behind[i]) / (2.0 * size);
        const auto row = static_cast<int>(i) - tree.freedoms();
        (row < 0 ? tree.scratch.solution[static_cast<int>(i)] : tree.scratch.row_solution[row]) = slope;
    }
    for (int i = 0; i < tree.system.topology.prescribed(); ++i)
        tree.scratch.solution[tree.system.topology.prescribed_coordinate(i).freedom] = 0.0;
    TreeInstance::System::Velocity still;
    tree.system.set_still(still);
    const auto equations = tree.system.equations();
    const auto matrix =
        std::make_unique<ExactMatrix<double, JointTopology, TreeInstance::System::Parameters>>(equations);
    EXPECT_LT(matrix->solve(tree.motion.q, tree.motion.v, tree.memory.acceleration, still, tree.memory.multipliers.e,
                            by, tree.scratch),
              0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto row = static_cast<int>(i) - tree.freedoms();
        const double found = row < 0 ? tree.scratch.solution[static_cast<int>(i)] : tree.scratch.row_solution[row];
        EXPECT_LE(distance(found, x[i], 1.0), same_derivative) << "unknown " << i;
    }
}

// Both matrices end at the same step.
void expect_the_same_step(const Mechanism& mechanism) {
    const auto step = [&](double exact, std::vector<double>& end) {
        const auto tree = std::make_unique<TreeInstance>(mechanism);
        Schedule schedule{};
        schedule.step_s = schedule.end_s = step_s, schedule.full_steps = schedule.total_steps = 1.0;
        schedule.newton_tolerance = 1e-10, schedule.most_newton_iterations = 30, schedule.spectral_radius = 0.8;
        schedule.exact_matrix = exact;
        const Progress<double> progress{};
        auto after = std::make_unique<Motion<TreeInstance::System>>();
        auto memory = std::make_unique<ImplicitMemory<TreeInstance::System>>();
        after->q.fit(tree->system.topology), after->v.fit(tree->system.topology), memory->fit(tree->system.topology);
        const Attempt<double> attempt = Implicit<GeneralizedAlpha>::attempt(
            tree->system, schedule, progress, tree->motion, *after, tree->memory, *memory, true);
        EXPECT_EQ(attempt.reason, 0.0) << "exact: " << exact;
        for (int i = 0; i < tree->freedoms(); ++i) end.push_back(memory->acceleration[i]);
        for (int r = 0; r < tree->rows(); ++r) end.push_back(memory->multipliers[r]);
    };
    std::vector<double> simplified, exact;
    step(0.0, simplified), step(1.0, exact);
    double scale = 1.0;
    for (const double one : exact) scale = std::max(scale, std::abs(one));
    // Accelerations are met to 1e-8 of the largest one; random mechanisms are near singular poses.
    constexpr double same_step = 1e-5;
    for (std::size_t i = 0; i < exact.size(); ++i)
        EXPECT_LE(distance(simplified[i], exact[i], scale), same_step) << "unknown " << i;
}

void expect_all(const Mechanism& mechanism, std::uint64_t seed) {
    const auto tree = std::make_unique<TreeInstance>(mechanism);
    expect_the_start_of_body_coordinates(mechanism, *tree);
    expect_the_accelerations_of_the_reference_path(mechanism, *tree);
    expect_the_derivative_of_differences(*tree, seed);
    expect_the_same_step(mechanism);
}

class RandomJointMechanisms : public testing::TestWithParam<JointFamily> {};

TEST_P(RandomJointMechanisms, MoveAsInBodyCoordinatesAndOnTheReferencePath) {
    const JointFamily family = GetParam();
    int taken = 0;
    for (int n = 0; n < family.count; ++n) {
        const std::uint64_t seed = family.first_seed + static_cast<std::uint64_t>(n);
        const int bodies = family.least_bodies + n % (family.most_bodies - family.least_bodies + 1);
        const RandomMechanism random(seed, {bodies, family.loops, family.free, family.driven});
        SCOPED_TRACE(testing::Message() << family.name << " number " << n);
        const auto mechanism = parse_mechanism(random.text(), "random");
        if (mechanism->table.joint.tree.links == 0) continue;
        ++taken;
        expect_all(*mechanism, seed);
        if (HasFailure()) {
            std::cout << random.text() << '\n';
            break;
        }
    }
    EXPECT_GT(taken, family.count * 9 / 10);
}

INSTANTIATE_TEST_SUITE_P(Families, RandomJointMechanisms,
                         testing::Values(JointFamily{"trees", 10000, 300, 1, 5, 0, false, false},
                                         JointFamily{"free_trees", 20000, 100, 1, 5, 0, true, false},
                                         JointFamily{"loops", 30000, 300, 2, 5, 2, false, false},
                                         JointFamily{"free_loops", 40000, 100, 3, 5, 2, true, false},
                                         JointFamily{"driven", 50000, 180, 1, 4, 1, false, true},
                                         JointFamily{"large", 60000, 20, 6, 10, 2, false, false}),
                         [](const auto& given) { return std::string(given.param.name); });

// Body coordinates have no coordinates of joints to compare with.
TEST(RandomJointMechanisms, MoveAsOnTheReferencePathWhereFrictionRotorsAndFormulasActOnTheirCoordinates) {
    int on_coordinates = 0;
    for (int n = 0; n < 1000; ++n) {
        const std::uint64_t seed = 80000 + static_cast<std::uint64_t>(n);
        const RandomMechanism random(seed, {1 + n % 5, 0, n % 4 == 0, n % 5 == 1, true});
        SCOPED_TRACE(testing::Message() << "number " << n);
        const auto mechanism = parse_mechanism(random.text(), "random");
        const JointTable& joint = mechanism->table.joint;
        ASSERT_GT(joint.tree.links, 0) << mechanism->body_coordinates_because;
        on_coordinates += joint.frictions + joint.rotors + joint.coordinate_forces;
        const auto tree = std::make_unique<TreeInstance>(*mechanism);
        ASSERT_EQ(tree->reason, 0.0);
        expect_the_accelerations_of_the_reference_path(*mechanism, *tree);
        expect_the_derivative_of_differences(*tree, seed);
        expect_the_same_step(*mechanism);
        if (HasFailure()) {
            std::cout << random.text() << '\n';
            break;
        }
    }
    EXPECT_GT(on_coordinates, 1000);
}

// The mechanism with as many bodies without mass as joint coordinates take, and how many these are.
std::pair<std::shared_ptr<const Mechanism>, int> with_massless_bodies(const std::string& text) {
    nlohmann::json file = nlohmann::json::parse(text);
    auto mechanism = parse_mechanism(text, "random");
    int massless = 0;
    const std::vector<std::string> names = mechanism->body_names;
    for (const std::string& name : names) {
        nlohmann::json lighter = file;
        nlohmann::json& body = lighter["bodies"][name];
        body["mass_kg"] = 0.0;
        for (nlohmann::json& component : body["inertia_kg_m2"]) component = 0.0;
        try {
            const auto without = parse_mechanism(lighter.dump(), "random");
            if (without->table.joint.tree.links == 0) continue;
            file = lighter, mechanism = without, ++massless;
        } catch (const UserError&) {
            continue;  // nothing resists a joint
        }
    }
    return {mechanism, massless};
}

TEST(RandomJointMechanisms, MoveAsInBodyCoordinatesAndOnTheReferencePathWithoutTheMassOfManyBodies) {
    int bodies = 0, massless = 0;
    for (int n = 0; n < 100; ++n) {
        const std::uint64_t seed = 70000 + static_cast<std::uint64_t>(n);
        const RandomMechanism random(seed, {2 + n % 4, n % 3, n % 5 == 0, false});
        SCOPED_TRACE(testing::Message() << "number " << n);
        const auto [mechanism, without_mass] = with_massless_bodies(random.text());
        if (mechanism->table.joint.tree.links == 0) continue;
        bodies += mechanism->table.bodies, massless += without_mass;
        expect_all(*mechanism, seed);
        if (HasFailure()) {
            std::cout << mechanism->text << '\n';
            break;
        }
    }
    EXPECT_GT(massless, bodies / 5);
}

}  // namespace
}  // namespace myriad::mechanism
