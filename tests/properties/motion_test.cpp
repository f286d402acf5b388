// Properties of the motion itself, without a second code: halving the step shrinks the error by the order of the
// method, and the energy changes by the work that is done.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/mechanism/mechanism.hpp"
#include "kernels/system/status.hpp"
#include "tests/properties/forms.hpp"
#include "tests/properties/scenes.hpp"

namespace myriad::properties {
namespace {

// Most mechanisms have the method's order at these steps; the median of some dozen lies this near to it.
constexpr double same_order = 0.35;
// Below this error in m, rad or as a share of the energy, round-off of the steps counts.
constexpr double above_round_off = 1e-11;
constexpr int coarse_steps = 4;

struct End {
    std::vector<double> state;
    double unbalanced = 0.0;  // of the energy, as a share of the largest kinetic or potential one
};

std::optional<End> end_of(const Scene& scene, const Method& method, int refinement, const std::string& coordinates) {
    Settings settings;
    settings.steps = coarse_steps * refinement, settings.step_factor = 4.0 / refinement;
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

double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
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
TEST_P(Motion, HasTheOrderOfTheMethodAndTheEnergyOfTheWork) {
    std::vector<double> orders, orders_of_energy;
    double worst_unbalanced = 0.0;
    for (RandomScenes family : random_families()) {
        if (family.contacts > 0) continue;
        family.count = 5;
        for (const Scene& scene : scenes_of(family))
            for (const std::string& coordinates : coordinates_of(scene)) {
                const auto coarse = end_of(scene, GetParam(), 1, coordinates),
                           middle = end_of(scene, GetParam(), 2, coordinates),
                           fine = end_of(scene, GetParam(), 4, coordinates);
                if (!coarse || !middle || !fine) continue;
                const double first = distance(coarse->state, middle->state),
                             second = distance(middle->state, fine->state);
                if (second > above_round_off) orders.push_back(std::log2(first / second));
                worst_unbalanced = std::max(worst_unbalanced, std::abs(fine->unbalanced));
                if (std::abs(fine->unbalanced) > above_round_off)
                    orders_of_energy.push_back(std::log2(std::abs(middle->unbalanced / fine->unbalanced)));
            }
    }
    const double order = median(orders), order_of_energy = median(orders_of_energy);
    std::printf("%-28s order %.2f of %zu motions, %.2f of %zu energies, at most %.1e unbalanced\n",
                GetParam().name().c_str(), order, orders.size(), order_of_energy, orders_of_energy.size(),
                worst_unbalanced);
    EXPECT_GE(order, GetParam().integrator.motion_order - same_order);
}

INSTANTIATE_TEST_SUITE_P(Each, Motion, testing::ValuesIn(methods_of_fixed_steps()), MethodName());

}  // namespace
}  // namespace myriad::properties
