// Random trees and loops with couplings between their coordinates: how they start, their accelerations and multipliers,
// and steps of implicit and explicit methods, on the reference path too; and the derivative of the equations.
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/mechanism/file/mechanism_file.hpp"
#include "host/text/user_error.hpp"
#include "tests/joint_coordinates/derivative_of_differences.hpp"
#include "tests/joint_coordinates/reference_rows.hpp"
#include "tests/properties/random_mechanisms.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;

struct CoupledFamily {
    const char* name;
    std::uint64_t first_seed;
    int count, least_bodies, most_bodies, loops;
    bool free;
    friend void PrintTo(const CoupledFamily& family, std::ostream* out) { *out << family.name; }
};

struct OneCoordinate {
    std::string joint, name;
};
// Those of joints with one angle or displacement, of a universal and of a cylindrical joint.
std::vector<OneCoordinate> coordinates_in(const json& file) {
    std::vector<OneCoordinate> all;
    for (const auto& [name, joint] : file["joints"].items()) {
        const std::string type = joint["type"];
        if (type == "revolute" || type == "cylindrical") all.push_back({name, "angle"});
        if (type == "prismatic" || type == "cylindrical") all.push_back({name, "displacement"});
        if (type == "universal") all.push_back({name, "angle_1"}), all.push_back({name, "angle_2"});
    }
    return all;
}

// The mechanism with up to two couplings that its pose meets but for a little; nothing where none can be added.
std::shared_ptr<const Mechanism> with_couplings(const std::string& text, std::uint64_t seed) {
    json file = json::parse(text);
    Generic generic(seed ^ 0x5bd1e995u);
    const std::vector<OneCoordinate> all = coordinates_in(file);
    std::shared_ptr<const Mechanism> coupled;
    for (int tried = 0; tried < 6 && all.size() > 1; ++tried) {
        const OneCoordinate &one = all[static_cast<std::size_t>(generic.index(static_cast<int>(all.size())))],
                            &other = all[static_cast<std::size_t>(generic.index(static_cast<int>(all.size())))];
        const double ratio = generic.number(0.3, 2.0) * (generic.index(2) == 0 ? 1.0 : -1.0);
        const double offset = generic.number(-0.02, 0.02);
        json more = file;
        json& entry = more["couplings"]["pair" + std::to_string(tried)];
        entry = {{"coordinate", one.joint + "." + one.name},
                 {"follows", other.joint + "." + other.name},
                 {"ratio", ratio},
                 {"offset", 0.0}};
        try {
            const auto trial = parse_unassembled(more.dump(), "random");
            // Where the bodies stand the coupling is off by `offset`.
            const auto bodies = parse_mechanism(file.dump(), "random");
            if (bodies->table.joint.tree.links == 0) return nullptr;
            const auto tree = std::make_unique<TreeInstance>(*bodies);
            const CoordinateCoupling& coupling = trial->table.joint.coupling[trial->table.joint.couplings - 1];
            entry["offset"] = coordinate(tree->motion.q, coupling.freedom[1]) -
                              ratio * coordinate(tree->motion.q, coupling.freedom[0]) + offset;
            const auto mechanism = parse_mechanism(more.dump(), "random");
            if (mechanism->couplings.back().is_redundant) continue;
            file = more, coupled = mechanism;
            if (mechanism->couplings.size() == 2) break;
        } catch (const UserError&) {
            continue;  // a joint that was cut, a circle of couplings, or no freedom left for it
        }
    }
    return coupled;
}

// Random mechanisms come within 0.05 of a singular pose, and couplings bring them nearer to one.
constexpr double same_as_reference = 1e-7;

std::vector<int> observed_of(const Mechanism& mechanism) {
    std::vector<int> observed;
    for (int b = 0; b < mechanism.table.bodies; ++b)
        for (const int part : {0, 1, 2, 7, 8, 9, 10, 11, 12}) observed.push_back(b * body_channels + part);
    for (int c = 0; c < mechanism.table.channels; ++c) {
        const ChannelKind kind = mechanism.table.channel[c].kind;
        if (kind == ChannelKind::acceleration || kind == ChannelKind::angular_acceleration ||
            kind == ChannelKind::coupling_multiplier || kind == ChannelKind::joint_force ||
            kind == ChannelKind::joint_torque || kind == ChannelKind::total_energy || kind == ChannelKind::work)
            observed.push_back(mechanism.table.bodies * body_channels + c);
    }
    return observed;
}

void expect_the_reference_path(const Mechanism& mechanism) {
    for (const Method method : {Method::generalized_alpha, Method::rk4, Method::dopri5}) {
        RunSetup setup;
        setup.coordinates = Coordinates::joint, setup.method = method, setup.step_s = 1e-3, setup.steps = 2;
        setup.observed = observed_of(mechanism);
        if (setup.observed.size() > 120) setup.observed.resize(120);
        // Newton to round-off: the default leaves 1e-8 of the largest acceleration, more than the two may differ by.
        RunSetup to_round_off = setup;
        to_round_off.newton_tolerance = 1e-17;
        const InstanceEnd end = run_nominal(mechanism, to_round_off);
        ASSERT_EQ(end.status, Status::ok) << sentence_of(end.reason);
        EXPECT_LE(largest_difference(end.rows, reference_rows(mechanism, setup)), same_as_reference)
            << "method " << static_cast<int>(method);
        EXPECT_LE(end.constraint_residual, 1e-11);
    }
}

// Couplings bring the mechanisms near to singular poses.
constexpr double same_coupled_derivative = 1e-4;

class CoupledTrees : public testing::TestWithParam<CoupledFamily> {};

TEST_P(CoupledTrees, MoveAsOnTheReferencePath) {
    const CoupledFamily family = GetParam();
    int taken = 0;
    for (int n = 0; n < family.count && !HasFailure(); ++n) {
        const std::uint64_t seed = family.first_seed + static_cast<std::uint64_t>(n);
        const int bodies = family.least_bodies + n % (family.most_bodies - family.least_bodies + 1);
        const RandomMechanism random(seed, {bodies, family.loops, family.free, false});
        SCOPED_TRACE(testing::Message() << family.name << " number " << n);
        const auto mechanism = with_couplings(random.text(), seed);
        if (!mechanism) continue;
        ++taken;
        expect_the_reference_path(*mechanism);
        const auto tree = std::make_unique<TreeInstance>(*mechanism);
        ASSERT_EQ(tree->reason, 0.0);
        expect_the_derivative_of_differences(*tree, seed, same_coupled_derivative);
        if (HasFailure()) std::cout << mechanism->text << '\n';
    }
    EXPECT_GT(taken, family.count / 3);
}

INSTANTIATE_TEST_SUITE_P(Families, CoupledTrees,
                         testing::Values(CoupledFamily{"trees", 110000, 150, 2, 5, 0, false},
                                         CoupledFamily{"free_trees", 120000, 50, 3, 5, 0, true},
                                         CoupledFamily{"loops", 130000, 100, 3, 5, 1, false}),
                         [](const auto& given) { return std::string(given.param.name); });

}  // namespace
}  // namespace myriad::mechanism
