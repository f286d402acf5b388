// Properties of the motion itself, without a second code: halving the step shrinks the error by the order of the
// method, and so does the difference between both kinds of coordinates; the energy changes by the work that is done,
// and constraints stay closed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/mechanism/mechanism.hpp"
#include "kernels/mechanism/certificate.hpp"
#include "kernels/system/description.hpp"
#include "kernels/system/status.hpp"
#include "tests/properties/forms.hpp"
#include "tests/properties/scenes.hpp"

namespace myriad::properties {
namespace {

// Most mechanisms have the method's order at these steps; the median of some dozen lies this near to it.
constexpr double same_order = 0.35;
// Below this error in m, rad or as a share of the energy, round-off of the steps counts.
constexpr double above_round_off = 1e-11;
constexpr int coarse_steps = 4, finest = 4;
// As a share of the energy, after 16 ms in steps of 1 ms at rates of some 10/s: by a method of order 1, and the factor
// h w of each further order. In longer steps of higher orders h w grows as the steps do.
constexpr double most_unbalanced = 2e-2, angle_of_a_step = 1e-2;
// Newton's last correction is below 1e-10 of the size and contracts by h |w| / 2 < 1e-2 at least; then round-off.
constexpr double open_constraint = 2e-12;

struct End {
    std::vector<double> state;
    double unbalanced = 0.0;  // of the energy, as a share of the largest kinetic or potential one
};

double longer_of(const Method& method) { return std::max(1, method.integrator.motion_order - 2); }

std::optional<End> end_of(const Scene& scene, const Method& method, int refinement, const std::string& coordinates) {
    Settings settings;
    // Errors of high orders are above round-off at long steps.
    const double longer = longer_of(method);
    settings.steps = coarse_steps * refinement, settings.step_factor = finest * longer / refinement;
    // What the first reactions of ED-alpha err by dies out slowly at a larger one.
    settings.damps_most = method.integrator.has_ed_alpha_ratio;
    settings.coordinates = coordinates, settings.varies = settings.reduces = false;
    settings.newton_tolerance = 1e-13;
    settings.observed = {"energy", "work", "kinetic_energy", "potential_energy"};
    const auto study = study_of(scene, method, settings);
    if (!study) return std::nullopt;
    const backends::Chunk chunk = kernel_forms().front().run(study->task(), {{}});
    if (chunk.status.front() != static_cast<int>(Status::ok)) return std::nullopt;
    const std::vector<double>& rows = chunk.trajectory;
    const std::size_t last = rows.size() - 4;
    double size = 1.0;
    for (std::size_t at = 0; at < rows.size(); at += 4)
        size = std::max({size, std::abs(rows[at + 2]), std::abs(rows[at + 3])});
    return End{chunk.final_state, ((rows[last] - rows[0]) - (rows[last + 1] - rows[1])) / size};
}

// Of two states; a quaternion and its opposite are one orientation.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::size_t part = i % body_channels;
        const bool has_two_signs = part >= orientation_channel && part < velocity_channel;
        largest = std::max(
            largest, has_two_signs ? std::min(std::abs(a[i] - b[i]), std::abs(a[i] + b[i])) : std::abs(a[i] - b[i]));
    }
    return largest;
}
double median(std::vector<double> values) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

std::vector<Method> methods_of_fixed_steps() {
    std::vector<Method> methods = methods_of_mechanisms();
    std::erase_if(methods,
                  [](const Method& method) { return method.integrator.adaptive || method.integrator.kinematic; });
    return methods;
}

class Motion : public testing::TestWithParam<Method> {};

// Contacts stay open here; impacts have order 1.
TEST_P(Motion, HasTheOrderOfTheMethodTheEnergyOfTheWorkAndTheSameEndInBothCoordinates) {
    std::vector<double> orders, orders_of_energy, orders_between;
    double worst_unbalanced = 0.0;
    std::vector<Scene> scenes;
    for (const Scene& scene : bundled_scenes())
        if (scene.subject.contains("mechanism") && !scene.has_contacts) scenes.push_back(scene);
    const std::size_t bundled = scenes.size();  // some are stiff, and no step of theirs is short
    for (const RandomScenes& family : some_of_each_random_family()) {
        if (family.contacts > 0) continue;
        std::ranges::copy(scenes_of(family), std::back_inserter(scenes));
    }
    for (std::size_t n = 0; n < scenes.size(); ++n) {
        const Scene& scene = scenes[n];
        std::vector<std::vector<End>> in_coordinates;
        for (const std::string& coordinates : coordinates_of(scene)) {
            std::vector<End> ends;
            for (const int refinement : {1, 2, finest})
                if (const auto end = end_of(scene, GetParam(), refinement, coordinates)) ends.push_back(*end);
            if (ends.size() < 3) continue;
            const double first = distance(ends[0].state, ends[1].state),
                         second = distance(ends[1].state, ends[2].state);
            if (second > above_round_off) orders.push_back(std::log2(first / second));
            const double middle = std::abs(ends[1].unbalanced), fine = std::abs(ends[2].unbalanced);
            if (n >= bundled) worst_unbalanced = std::max(worst_unbalanced, fine);
            if (fine > above_round_off) orders_of_energy.push_back(std::log2(middle / fine));
            in_coordinates.push_back(ends);
        }
        if (in_coordinates.size() < 2) continue;
        const double middle = distance(in_coordinates[0][1].state, in_coordinates[1][1].state),
                     fine = distance(in_coordinates[0][2].state, in_coordinates[1][2].state);
        if (fine > above_round_off) orders_between.push_back(std::log2(middle / fine));
    }
    std::printf("%-28s order %.2f of %zu motions, %.2f of %zu energies (at most %.1e unbalanced), %.2f of %zu pairs\n",
                GetParam().name().c_str(), median(orders), orders.size(), median(orders_of_energy),
                orders_of_energy.size(), worst_unbalanced, median(orders_between), orders_between.size());
    const double least = GetParam().integrator.motion_order - same_order;
    EXPECT_GE(median(orders), least);
    // A method that keeps the energy leaves nothing to halve; explicit ones have the same steps in both coordinates.
    if (orders_of_energy.size() > 5) EXPECT_GE(median(orders_of_energy), least);
    // Between the coordinates nonsmooth generalized-alpha has order 1, by its first step.
    if (orders_between.size() > 5)
        EXPECT_GE(median(orders_between), GetParam().integrator.contact ? 1.0 - same_order : least);
    // Methods with contact take more in a few mechanisms, as much as a method of order 1.
    const int further_orders = GetParam().integrator.contact ? 0 : GetParam().integrator.motion_order - 1;
    EXPECT_LE(worst_unbalanced,
              most_unbalanced * std::pow(angle_of_a_step * longer_of(GetParam()), further_orders) + above_round_off);
}

// The largest |phi| over the run, per metre of the largest coordinate, at least 1 m.
TEST_P(Motion, KeepsTheConstraints) {
    int runs = 0;
    const auto run = [&](const Scene& scene) {
        for (const std::string& coordinates : coordinates_of(scene)) {
            Settings settings;
            settings.coordinates = coordinates, settings.varies = settings.reduces = false;
            settings.observed = {"position"};
            const auto study = study_of(scene, GetParam(), settings);
            if (!study || !study->mechanism) continue;
            const backends::Chunk chunk = kernel_forms().front().run(study->task(), {{}});
            if (chunk.status.front() != static_cast<int>(Status::ok)) continue;
            double size_m = 1.0;
            for (const double position_m : chunk.trajectory) size_m = std::max(size_m, std::abs(position_m));
            const double residual = chunk.invariants_drift[MechanismCertificate::constraint_residual] / size_m;
            ++runs;
            EXPECT_LE(residual, open_constraint) << scene.name << " in coordinates: " << coordinates;
        }
    };
    for (const Scene& scene : bundled_scenes()) run(scene);
    for (const RandomScenes& family : some_of_each_random_family()) {
        for (const Scene& scene : scenes_of(family)) run(scene);
    }
    RecordProperty("runs", runs);
    EXPECT_GT(runs, 0);
}

INSTANTIATE_TEST_SUITE_P(Each, Motion, testing::ValuesIn(methods_of_fixed_steps()), MethodName());

}  // namespace
}  // namespace myriad::properties
