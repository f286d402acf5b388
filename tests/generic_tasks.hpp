// Tasks for every member of the catalog with bodies that have no symmetry: every parameter varies, every reduction is
// taken, some channels are observed, and the span is no multiple of the step. An instance's values depend on nothing
// but its number, so that any selection of instances in any order can be compared with any other.
#pragma once
#include <cmath>
#include <cstring>
#include <ostream>
#include <stdexcept>

#include "host/backends/backends.hpp"
#include "host/backends/cpu/step_by_step.hpp"
#include "host/catalog/system_description.hpp"
#include "kernels/run/reductions.hpp"

namespace myriad::backends {

struct Member {
    std::string system, chart, integrator;
    bool adaptive;
    std::string name() const { return system + " " + chart + " " + integrator; }
    friend void PrintTo(const Member& member, std::ostream* out) { *out << member.name(); }
};

inline std::vector<Member> catalog_members() {
    std::vector<Member> members;
    for (const auto& system : study::systems())
        for (const auto& chart : study::charts_of(system))
            for (const auto& integrator : study::integrators_of(system))
                if (takes(system, integrator, chart))
                    members.push_back({system.name, chart.name, integrator.name, integrator.adaptive});
    return members;
}

// Those that are compiled in this precision.
inline std::vector<Member> catalog_members(Precision precision) {
    std::vector<Member> members = catalog_members();
    std::erase_if(members, [&](const Member& member) {
        return precision == Precision::fp32 &&
               !study::takes_fp32(study::find_system(member.system, "test"), study::find_chart(member.chart, "test"),
                                  study::find_integrator(member.integrator, "test"));
    });
    return members;
}

inline bool has_flexible_rod(const std::string& system) { return system.starts_with("slider_crank_flexible"); }
inline bool has_contact(const Member& member) { return study::find_system(member.system, "test").has_contact; }

// Those whose motion has no impacts, in which a method has its order and two codes stay together.
inline std::vector<Member> smooth_members() {
    std::vector<Member> members = catalog_members();
    std::erase_if(members, has_contact);
    return members;
}

// Uniform in [0, 1), by the finalizer of SplitMix64: integers only, so every compiler draws the same.
inline double uniform(std::uint64_t instance, std::uint64_t draw) {
    std::uint64_t z = (instance * 64 + draw + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

inline double generic_value(const std::string& address, double unit) {
    struct Range {
        const char* prefix;
        double from, to;
    };
    // The first prefix that fits counts. The inertias are those of real bodies: diagonally dominant, near isotropic.
    constexpr Range ranges[] = {{"mass_kg", 1.0, 3.0},
                                {"centre_of_mass_m", 0.2, 0.6},
                                {"inertia_kg_m2.xx", 0.8, 1.4},
                                {"inertia_kg_m2.yy", 0.8, 1.4},
                                {"inertia_kg_m2.zz", 0.8, 1.4},
                                {"inertia_kg_m2.", -0.1, 0.1},
                                {"gravity_m_s2", 3.0, 10.0},
                                {"initial_angle_rad", -1.0, 1.0},
                                {"initial_rate_rad_s", -1.0, 1.0},
                                {"stiffness_N_m", 1.0, 3.0},
                                {"axial_stiffness_N_m", 10.0, 30.0},
                                {"rest_length_m", 0.8, 1.2},
                                {"width_m", 0.05, 0.2},
                                {"potential_factor", 0.25, 0.5},
                                {"initial_elongation_m", -0.3, 0.3},
                                {"initial_rate_m_s", -1.0, 1.0},
                                {"initial_length_m", 0.8, 1.2},
                                {"initial_length_rate_m_s", -0.5, 0.5},
                                {"friction", 0.0, 0.5},
                                {"normal_restitution", 0.2, 0.8},
                                {"tangential_restitution", 0.0, 0.4},
                                {"crank.length_m", 0.15, 0.3},
                                {"rod.length_m", 0.4, 0.6},
                                {"slider.half_length_m", 0.05, 0.1},
                                {"slider.half_height_m", 0.02, 0.05},
                                {"clearance_m", 0.01, 0.02},
                                {"crank.mass_kg", 1.0, 3.0},
                                {"rod.mass_kg", 1.0, 3.0},
                                {"slider.mass_kg", 1.0, 3.0},
                                {"crank.inertia_kg_m2", 0.01, 0.03},
                                {"rod.inertia_kg_m2", 0.03, 0.1},
                                {"slider.inertia_kg_m2", 0.005, 0.01},
                                {"crank.torque_N_m", -0.5, 0.5},
                                {"small_angle_rad", -0.005, 0.005},
                                {"tiny_angle_rad", -0.0003, 0.0003},
                                {"narrow_clearance_m", 0.0005, 0.001},
                                {"flexible_rod_inertia_kg_m2", 0.1, 0.2},
                                {"rod.bending_stiffness_N_m2", 10.0, 30.0},
                                {"rod.axial_stiffness_N", 1e4, 3e4},
                                {"rod.damping_time_s", 0.0, 1e-3},
                                {"rod.bending_turns_sections", 0.0, 1.0},
                                {"initial_deformation_rate_1_s", -0.01, 0.01},
                                {"initial_deformation", -1e-5, 1e-5},
                                {"load_N", -1.0, 1.0},
                                {"load_rate_rad_s", 1.0, 5.0},
                                {"polar_angle_rad", 1.0, 2.0},
                                {"initial_position_m", -2.0, 2.0},
                                {"initial_rotation_vector_rad", -0.5, 0.5},
                                {"initial_velocity_m_s", -3.0, 3.0},
                                {"initial_angular_velocity_rad_s", -2.0, 2.0}};
    for (const Range& range : ranges)
        if (address.starts_with(range.prefix)) return range.from + (range.to - range.from) * unit;
    throw std::logic_error("generic_tasks.hpp has no range for " + address);
}

// [instance][parameter]
using Instances = std::vector<std::vector<double>>;

inline std::vector<double> generic_instance(const std::string& system, std::uint64_t instance) {
    std::vector<double> values;
    struct Other {
        const char *system, *address, *range;
    };
    // Away from the axis of spherical coordinates; without an overlap at the start.
    constexpr Other others[] = {{"spring_pendulum", "initial_angle_rad[0]", "polar_angle_rad"},
                                {"slider_crank_clearance", "initial_angle_rad[0]", "small_angle_rad"},
                                {"slider_crank_clearance", "initial_angle_rad[1]", "small_angle_rad"},
                                {"slider_crank_clearance", "initial_angle_rad[2]", "small_angle_rad"}};
    // So near to the walls that the rod's short steps reach them.
    constexpr Other of_flexible_rods[] = {{"", "initial_angle_rad[0]", "tiny_angle_rad"},
                                          {"", "initial_angle_rad[1]", "tiny_angle_rad"},
                                          {"", "initial_angle_rad[2]", "tiny_angle_rad"},
                                          {"", "clearance_m", "narrow_clearance_m"},
                                          {"", "rod.inertia_kg_m2", "flexible_rod_inertia_kg_m2"}};
    for (const auto& parameter : study::find_system(system, "test").parameters) {
        std::string address = parameter.address;
        if (has_flexible_rod(system))
            for (const Other& other : of_flexible_rods)
                if (parameter.address == other.address) address = other.range;
        for (const Other& other : others)
            if (system == other.system && parameter.address == other.address) address = other.range;
        values.push_back(generic_value(address, uniform(instance, values.size())));
    }
    return values;
}
inline Instances generic_instances(const std::string& system, std::uint64_t count) {
    Instances instances;
    for (std::uint64_t i = 0; i < count; ++i) instances.push_back(generic_instance(system, i));
    return instances;
}

inline int parameter_index(const std::string& system, const std::string& address) {
    return static_cast<int>(study::find_system(system, "test").find_parameter(address).value());
}

constexpr int reduction_count = Reductions::count;
constexpr int observed_every_steps = 7;

// Everything of a task but its schedule.
inline Task unscheduled_task(const Member& member, Precision precision) {
    Task task;
    task.system = member.system, task.chart = member.chart, task.integrator = member.integrator;
    task.precision = precision;
    const study::SystemDescription& system = study::find_system(member.system, "test");
    task.plan.varied_count = static_cast<int>(system.parameters.size());
    for (int i = 0; i < task.plan.varied_count; ++i) task.plan.varied[i] = i;
    task.parameters.assign(system.parameters.size(), 0.0);
    const char* channels[] = {"angular_velocity.x", "energy",        "angular_velocity.y", "orientation.w",
                              "position.z",         "orientation.x", "angular_velocity.x", "orientation.w"};
    for (int i = 0; i < reduction_count; ++i) {
        task.plan.reductions[i] = static_cast<Reduction>(i);
        // The body stands between name and component of a channel that each body has.
        std::string address = channels[static_cast<std::size_t>(i) % std::size(channels)];
        const auto dot = address.find('.');
        if (dot != std::string::npos) address.insert(dot, "." + system.body_names[0]);
        task.plan.quantity_channels[i] = system.scalar_channel(address, "test");
        task.thresholds.push_back(0.6);
    }
    task.plan.quantity_count = reduction_count;
    for (const int channel : {0, 3, 6, 9, 10, 12, 13, 17})
        task.plan.observed_channels[task.plan.observed_count++] = channel;
    // The channels of a method for contact stand last.
    for (int channel = system.channel_count - 14; system.has_contact && channel < system.channel_count; ++channel)
        task.plan.observed_channels[task.plan.observed_count++] = channel;
    return task;
}

// `steps` steps of a fixed-step method, the last one shorter; an adaptive one runs 0.7 s.
inline Task generic_task(const Member& member, Precision precision, int steps = 200, double step_s = 0.01) {
    Task task = unscheduled_task(member, precision);
    Schedule& schedule = task.schedule;
    if (member.adaptive) {
        const bool fp64 = precision == Precision::fp64;
        schedule.end_s = 0.7, schedule.observe_s = 0.25, schedule.rows = 3;
        schedule.relative_tolerance = fp64 ? 1e-6 : 1e-4, schedule.absolute_tolerance = fp64 ? 1e-8 : 1e-5;
        schedule.initial_step_s = 0.05, schedule.largest_step_s = 1e9, schedule.smallest_step_s = 1e-9,
        schedule.most_attempts = 3000;
        return task;
    }
    if (has_flexible_rod(member.system)) step_s *= 0.01;  // its vibrations, for explicit methods
    schedule.step_s = step_s, schedule.full_steps = steps - 1, schedule.total_steps = steps;
    schedule.last_step_s = 0.375 * step_s;
    schedule.spectral_radius = 0.7;
    if (study::find_integrator(member.integrator, "test").implicit) schedule.tangent_operator = 1.0;
    schedule.most_newton_iterations = 20, schedule.newton_tolerance = precision == Precision::fp64 ? 1e-10 : 1e-4;
    const bool fp64 = precision == Precision::fp64;
    schedule.prox_tolerance = fp64 ? 1e-12 : 1e-5, schedule.most_prox_iterations = 200;
    schedule.gap_tolerance_m = fp64 ? 1e-9 : 1e-6;
    schedule.impact_threshold_N_s = 0.01, schedule.ed_alpha_ratio = 1.0 / 6.0;
    schedule.end_s = schedule.full_steps * step_s + schedule.last_step_s;
    schedule.observe_steps = observed_every_steps;
    const int rows = steps / observed_every_steps + 1;
    schedule.rows = rows;
    schedule.most_attempts = steps;
    return task;
}

// [parameter][instance], as Backend::start takes them.
inline std::vector<double> columns(const Instances& instances, std::size_t first, std::size_t count) {
    std::vector<double> varied;
    for (std::size_t parameter = 0; parameter < instances[first].size(); ++parameter)
        for (std::size_t i = first; i < first + count; ++i) varied.push_back(instances[i][parameter]);
    return varied;
}

inline void append(Chunk& all, const Chunk& chunk) {
    const auto join = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    all.count += chunk.count;
    join(all.status, chunk.status), join(all.reason, chunk.reason), join(all.warnings, chunk.warnings);
    join(all.steps, chunk.steps), join(all.rejected, chunk.rejected), join(all.time_s, chunk.time_s);
    join(all.initial_state, chunk.initial_state), join(all.final_state, chunk.final_state);
    join(all.invariants_initial, chunk.invariants_initial), join(all.invariants_drift, chunk.invariants_drift);
    join(all.quantities, chunk.quantities), join(all.trajectory, chunk.trajectory);
}

// All instances through one backend object, `per_call` to each start() and finish().
inline Chunk run_on_cpu(const Task& task, const Settings& settings, const Instances& instances,
                        std::size_t per_call = 100'000) {
    const auto backend = make_backend("cpu", settings);
    backend->prepare(task, instances.size());
    const std::atomic<bool> stop{false};
    Chunk all;
    for (std::size_t first = 0; first < instances.size(); first += per_call) {
        const std::size_t count = std::min(per_call, instances.size() - first);
        Chunk chunk;
        backend->start(0, count, columns(instances, first, count).data());
        if (!backend->finish(0, chunk, stop)) throw std::logic_error("finish() without stop gave false");
        append(all, chunk);
    }
    return all;
}

// All instances in launches of at most so many trial steps, in vectors of that width.
inline Chunk run_in_launches(const Task& task, const Instances& instances, int width, long long attempts) {
    StepByStep run(task, instances.size(), columns(instances, 0, instances.size()).data(), width);
    while (run.advance(attempts)) continue;
    return run.chunk();
}

// Every number of one instance's result, trajectory rows and quantities included, as words. A NaN is one whatever its
// sign and payload, which compilers choose where both operands are NaN.
using Bits = std::vector<std::uint64_t>;

inline Bits bits_of(const Chunk& chunk, std::uint64_t instance) {
    Bits bits;
    const auto add = [&](const auto& values) {
        const std::uint64_t row = values.size() / chunk.count;
        for (std::uint64_t i = instance * row; i < (instance + 1) * row; ++i) {
            std::uint64_t word = 0;
            std::memcpy(&word, &values[i], sizeof values[i]);
            bits.push_back(values[i] == values[i] ? word : ~std::uint64_t{0});
        }
    };
    add(chunk.status), add(chunk.reason), add(chunk.warnings), add(chunk.steps), add(chunk.rejected);
    add(chunk.time_s), add(chunk.initial_state), add(chunk.final_state);
    add(chunk.invariants_initial), add(chunk.invariants_drift), add(chunk.quantities), add(chunk.trajectory);
    return bits;
}

inline std::vector<Bits> bits_of(const Chunk& chunk) {
    std::vector<Bits> all;
    for (std::uint64_t i = 0; i < chunk.count; ++i) all.push_back(bits_of(chunk, i));
    return all;
}

// How many instances differ, to be compared with zero: a readable message where thousands are compared.
inline std::uint64_t differing(const std::vector<Bits>& a, const std::vector<Bits>& b) {
    std::uint64_t count = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += a[i] != b[i];
    return count;
}

inline std::uint64_t count_of(const Chunk& chunk, int status) {
    std::uint64_t count = 0;
    for (const int of_instance : chunk.status) count += of_instance == status;
    return count;
}

}  // namespace myriad::backends
