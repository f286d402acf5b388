// Parameters that change between two launches, on the members of the catalog: equal values change no bit, others count
// from the next step on, whatever the vectors and the neighbours, and instances that have ended stay as they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/backends/cpu/cpu.hpp"
#include "host/text/user_error.hpp"
#include "kernels/system/status.hpp"
#include "tests/kernels/twin_runs.hpp"
#include "tests/same_bits/instances_past_a_tile.hpp"

namespace myriad::backends {
namespace {

constexpr int steps = 30;

// One of each family of systems and methods.
std::vector<Member> some_of_each() {
    std::vector<Member> members = {{"heavy_top", "rotation", "rk4", false},
                                   {"heavy_top", "rotation", "dopri5", true},
                                   {"heavy_top", "rotation", "generalized_alpha", false},
                                   {"heavy_top", "rotation", "energy_momentum", false},
                                   {"heavy_top", "rotation", "energy_momentum_convective", false},
                                   {"mass_spring", "rotation", "livens_midpoint", false}};
    for (const Member& member : catalog_members())
        if (has_contact(member) && !has_flexible_rod(member.system)) members.push_back(member);
    return members;
}

// These parameters say nothing of the state in which an instance begins.
bool acts_on_the_way(const std::string& address) {
    return std::ranges::any_of(std::array{"mass_kg", "gravity_m_s2", "stiffness_N_m", "inertia_kg_m2"},
                               [&](const char* beginning) { return address.starts_with(beginning); });
}
Instances with_others_on_the_way(const std::string& system, Instances instances) {
    constexpr std::uint64_t others = 5000;
    const auto& parameters = study::find_system(system, "test").parameters;
    for (std::uint64_t i = 0; i < instances.size(); ++i) {
        const std::vector<double> other = generic_instance(system, others + i);
        for (std::size_t k = 0; k < parameters.size(); ++k)
            if (acts_on_the_way(parameters[k].address)) instances[i][k] = other[k];
    }
    return instances;
}
std::vector<double> columns_of(const Instances& instances) { return columns(instances, 0, instances.size()); }

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
}
std::uint64_t differing_records(const StepByStep& a, const StepByStep& b, std::uint64_t count) {
    std::uint64_t differing = 0;
    for (std::uint64_t i = 0; i < count; ++i) differing += !same_bits(a.record(i), b.record(i));
    return differing;
}

TEST(ChangedParameters, ThatAreEqualOrTakenBackChangeNoBit) {
    for (const Member& member : some_of_each()) {
        SCOPED_TRACE(member.name());
        const Task task = generic_task(member, Precision::fp64, steps);
        const Instances instances = generic_instances(member.system, instances_past_a_tile);
        const std::vector<double> own = columns_of(instances),
                                  other = columns_of(with_others_on_the_way(member.system, instances));
        StepByStep undisturbed(task, instances.size(), own.data()), set(task, instances.size(), own.data());
        for (int piece = 0; piece < 4; ++piece) {
            undisturbed.advance(5), set.advance(5);
            if (piece > 1) set.set_varied(other.data());
            set.set_varied(own.data());
        }
        undisturbed.advance(steps), set.advance(steps);
        EXPECT_EQ(differing_records(undisturbed, set, instances.size()), 0u);
        EXPECT_EQ(differing(bits_of(undisturbed.chunk()), bits_of(set.chunk())), 0u);
    }
}

TEST(ChangedParameters, ThatOnlySomeInstancesGetChangeNoBitOfTheOthers) {
    const Member member{"heavy_top", "rotation", "generalized_alpha", false};
    const Task task = generic_task(member, Precision::fp64, steps);
    const Instances instances = generic_instances(member.system, 1000);
    Instances some = with_others_on_the_way(member.system, instances);
    for (std::uint64_t i = 0; i < instances.size(); ++i)
        if (i % 7 != 3) some[i] = instances[i];
    StepByStep undisturbed(task, instances.size(), columns_of(instances).data()),
        set(task, instances.size(), columns_of(instances).data());
    undisturbed.advance(9), set.advance(9);
    set.set_varied(columns_of(some).data());
    undisturbed.advance(9), set.advance(9);
    for (std::uint64_t i = 0; i < instances.size(); ++i)
        EXPECT_EQ(same_bits(undisturbed.record(i), set.record(i)), i % 7 != 3) << i;
}

// The method's start is from positions and velocities alone, so that a parameter set there is one that the instance has
// begun with: to the last bit of all that it carries, its certificate included.
TEST(ChangedParameters, AtTheStartAreThoseOfAnInstanceThatBeganWithThem) {
    for (const Member& member : smooth_members()) {
        SCOPED_TRACE(member.name());
        const Task task = plain_task(member, steps, 1e-2);  // quantities have seen the start
        for (const std::uint64_t count : {1, 31, 33}) {
            const Instances instances = generic_instances(member.system, count),
                            others = with_others_on_the_way(member.system, instances);
            StepByStep set(task, count, columns_of(instances).data()), begun(task, count, columns_of(others).data());
            set.set_varied(columns_of(others).data());
            set.advance(1), begun.advance(1);
            ASSERT_EQ(differing_records(set, begun, count), 0u) << count;
            set.advance(steps), begun.advance(steps);
            ASSERT_EQ(differing_records(set, begun, count), 0u) << count;
        }
    }
}

// A method with contacts passes its own beginning before; the size of the energy is that of the new values all the
// same. The largest kinetic energy, V and -V end a record.
TEST(ChangedParameters, AtTheStartOfAMethodWithContactsGiveTheSizeOfTheEnergy) {
    const int steps_before_a_change_counts = 1;
    for (const Member& member : catalog_members()) {
        if (!has_contact(member) || has_flexible_rod(member.system)) continue;
        SCOPED_TRACE(member.name());
        const Task task = generic_task(member, Precision::fp64, steps_before_a_change_counts);
        const Instances instances = generic_instances(member.system, 31),
                        others = with_others_on_the_way(member.system, instances);
        StepByStep set(task, 31, columns_of(instances).data()), begun(task, 31, columns_of(others).data());
        set.set_varied(columns_of(others).data());
        set.advance(1), begun.advance(1);
        for (std::uint64_t i = 0; i < 31; ++i) {
            const std::vector<double> first = set.record(i), second = begun.record(i);
            ASSERT_EQ(first.size(), second.size());
            EXPECT_EQ(first[first.size() - 3], second[second.size() - 3]) << i;
        }
    }
}

TEST(ChangedParameters, HaveTheSameBitsInEveryWidthAndCompany) {
    for (const Member& member : some_of_each()) {
        SCOPED_TRACE(member.name());
        const Task task = generic_task(member, Precision::fp64, steps);
        const auto after_a_change = [&](std::uint64_t count, int width, int threads) {
            const Instances instances = generic_instances(member.system, count);
            StepByStep run(task, count, columns_of(instances).data(), width, threads);
            run.advance(7);
            run.set_varied(columns_of(with_others_on_the_way(member.system, instances)).data());
            run.advance(4), run.advance(8);
            return run;
        };
        const StepByStep all = after_a_change(instances_past_a_tile, 0, 1);
        for (const int width : cpu_widths())
            EXPECT_EQ(differing_records(after_a_change(instances_past_a_tile, width, 1), all, instances_past_a_tile),
                      0u)
                << width;
        for (const std::uint64_t count : {1, 31})
            EXPECT_EQ(differing_records(after_a_change(count, 0, 1), all, count), 0u) << count;
        if (!has_contact(member))
            EXPECT_EQ(differing_records(after_a_change(1000, 0, 3), all, instances_past_a_tile), 0u);
    }
}

TEST(ChangedParameters, EndWhoHasNoneToGoOnWithAndNobodyElse) {
    for (const char* integrator : {"rk4", "generalized_alpha"}) {
        const Member member{"heavy_top", "rotation", integrator, false};
        const Task task = generic_task(member, Precision::fp64, steps);
        const Instances instances = generic_instances(member.system, instances_past_a_tile);
        const auto mass = static_cast<std::size_t>(parameter_index(member.system, "mass_kg"));
        Instances spoilt = instances;
        spoilt[5][mass] = -1.0;
        StepByStep undisturbed(task, instances.size(), columns_of(instances).data()),
            run(task, instances.size(), columns_of(instances).data());
        undisturbed.advance(10), run.advance(10);
        const Progress<double> before = run.progress(5);
        run.set_varied(columns_of(spoilt).data());
        undisturbed.advance(5), run.advance(5);
        const Progress<double> after = run.progress(5);
        EXPECT_EQ(after.status, static_cast<double>(Status::invalid_parameter));
        EXPECT_EQ(after.reason, static_cast<double>(Reason::mass_not_positive));
        EXPECT_EQ(after.time_s, before.time_s);
        for (std::uint64_t i = 0; i < instances.size(); ++i)
            if (i != 5) EXPECT_TRUE(same_bits(run.record(i), undisturbed.record(i))) << i;

        const std::vector<double> ended = run.record(5);
        run.set_varied(columns_of(instances).data());
        run.advance(5);
        EXPECT_TRUE(same_bits(run.record(5), ended)) << "who has ended stays so";
        run.begin_again({5});
        StepByStep anew(task, instances.size(), columns_of(instances).data());
        EXPECT_TRUE(same_bits(run.record(5), anew.record(5))) << "until it begins again";
    }
}

// Energy jumps with a mass; what counts as an error of the method does not.
TEST(ChangedParameters, AreNoErrorOfTheMethod) {
    const Member member{"heavy_top", "rotation", "rk4", false};
    const Task task = plain_task(member, steps, 1e-3);
    const Instances instances = generic_instances(member.system, 31),
                    others = with_others_on_the_way(member.system, instances);
    StepByStep run(task, instances.size(), columns_of(instances).data());
    run.advance(steps / 2);
    const Chunk before = run.chunk();
    run.set_varied(columns_of(others).data());
    run.advance(steps);
    const Chunk after = run.chunk();
    constexpr double drift_of_rk4_J = 1e-8, jump_J = 1.0;  // over 30 steps of a millisecond
    const std::size_t invariants = after.invariants_drift.size() / instances.size();
    double largest_jump_J = 0.0;
    for (std::size_t i = 0; i < instances.size() * invariants; i += invariants) {
        largest_jump_J = std::max(largest_jump_J, std::abs(after.invariants_initial[i] - before.invariants_initial[i]));
        EXPECT_LT(after.invariants_drift[i], drift_of_rk4_J);
    }
    EXPECT_GT(largest_jump_J, jump_J);
}

// A rotation vector of at most half a turn.
std::vector<double> rotation_vector(const double* quaternion) {
    const double sign = quaternion[0] < 0.0 ? -1.0 : 1.0,
                 sine = std::hypot(quaternion[1], quaternion[2], quaternion[3]),
                 scale = sine > 0.0 ? sign * 2.0 * std::atan2(sine, sign * quaternion[0]) / sine : 0.0;
    return {scale * quaternion[1], scale * quaternion[2], scale * quaternion[3]};
}

// The largest distance from the twin that begins in the state at the change, with the new parameters.
double distance_from_the_restarted_twin(const char* integrator, int refinement) {
    constexpr int pieces = 100;
    constexpr double piece_s = 2e-3;
    const Member member{"heavy_top", "rotation", integrator, false};
    const int each = pieces * refinement;
    Task task = plain_task(member, 2 * each, piece_s / refinement);
    const Instances instances = generic_instances(member.system, 8),
                    others = with_others_on_the_way(member.system, instances);
    StepByStep run(task, instances.size(), columns_of(instances).data());
    run.advance(each);
    const Chunk there = run.chunk();
    run.set_varied(columns_of(others).data());
    run.advance(each);
    const Chunk end = run.chunk();
    EXPECT_EQ(count_of(end, static_cast<int>(Status::ok)), instances.size());
    task.schedule.end_s = 0.5 * task.schedule.end_s;
    double largest = 0.0;
    for (std::size_t i = 0; i < instances.size(); ++i) {
        std::vector<double> restarted = others[i];
        const double* state = &there.final_state[13 * i];
        const std::vector<double> turn = rotation_vector(state + 3);
        for (std::size_t k = 0; k < 3; ++k) {
            const std::string component = "[" + std::to_string(k) + "]";
            const auto place = [&](const std::string& address) {
                return static_cast<std::size_t>(parameter_index(member.system, address + component));
            };
            restarted[place("initial_rotation_vector_rad")] = turn[k];
            restarted[place("initial_angular_velocity_rad_s")] = state[10 + k];
        }
        largest = std::max(largest, distance_to_twin(end, run_twin(task, restarted), i));
    }
    return largest;
}

TEST(ChangedParameters, FollowTheTwinThatBeginsAnewThere) {
    constexpr double round_off = 1e-11;  // of a few hundred steps
    for (const char* integrator : {"rk4", "implicit_euler"})
        EXPECT_LT(distance_from_the_restarted_twin(integrator, 1), round_off) << integrator;
    // Its algorithmic acceleration goes on beside the one that a new run begins with: a difference of the method's
    // order.
    const double coarse = distance_from_the_restarted_twin("generalized_alpha", 1),
                 fine = distance_from_the_restarted_twin("generalized_alpha", 2);
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.35) << coarse << ", " << fine;
}

}  // namespace
}  // namespace myriad::backends
