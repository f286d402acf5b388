// The kernels' timestepping against its twin on the reference path: mechanics by automatic differentiation, contact
// problems by the enumeration of their states, dense matrices by differences.
#include "host/reference/contact/contact_formula.hpp"
#include "kernels/systems/slider_crank_clearance.hpp"
#include "kernels/systems/slider_crank_flexible_sizes.hpp"
#include "tests/contact/contact_runs.hpp"
#include "tests/mathematics/error_table.hpp"

namespace myriad::test {
namespace {

class ContactTwin : public testing::TestWithParam<std::string> {};

constexpr double spectral_radius = 0.7;
// Newton's tolerance of 1e-11 and the laws' of 1e-12 in each of some hundred steps.
constexpr double twin_tolerance = 1e-9;

template <template <class, template <class> class> class SystemOf>
void expect_the_twin_of_a_draw(const std::string& scheme, double h, int steps,
                               const std::map<std::string, double>& changed, std::uint64_t seed) {
    using System = SystemOf<double, NoChart>;
    Arguments draw(seed);
    auto parameters = parameters_with<System>(changed);
    reference::Parameters named;
    for (int i = 0; i < System::parameter_count; ++i) {
        parameters[i] *= draw.uniform(0.7, 1.0);
        if (std::string_view(System::parameters[i].address) == "tangential_restitution")
            parameters[i] = draw.uniform(0.0, 0.8);
        named[System::parameters[i].address] = parameters[i];
    }
    bench::CatalogRunOf<System> run(scheme.c_str(), parameters, contact_schedule(h, steps * h, spectral_radius));
    const auto system = reference::make_nonsmooth_system(System::name, named);
    reference::ContactMethod method;
    method.name = scheme, method.spectral_radius = spectral_radius;
    reference::ContactFormula twin(*system, method, h);
    double worst = 0.0, worst_force = 0.0;
    for (int i = 0; i < steps; ++i) {
        run.step();
        twin.step((i + 1) * h);
        ASSERT_EQ(run.reason, 0.0) << System::name;
        double size = 1.0, speed = 1.0;
        for (int k = 0; k < System::freedoms; ++k)
            size = std::max(size, std::abs(twin.coordinates()[k])), speed = std::max(speed, std::abs(twin.rates()[k]));
        for (int k = 0; k < System::freedoms; ++k) {
            worst = std::max(worst, std::abs(run.motion.q[k] - twin.coordinates()[k]) / size);
            worst = std::max(worst, std::abs(run.motion.v[k] - twin.rates()[k]) / speed);
        }
        const Eigen::VectorXd& forces = twin.contacts().force;
        const double force = std::max(1.0, forces.size() > 0 ? forces.cwiseAbs().maxCoeff() : 0.0);
        for (int k = 0; k < forces.size(); ++k)
            worst_force = std::max(worst_force, std::abs(run.memory.force[k] - forces[k]) / force);
    }
    std::printf("| %-22s | %-27s | %4d steps, %2g impacts | coordinates and rates %.1e | forces %.1e |\n", System::name,
                scheme.c_str(), steps, run.memory.impacts, worst, worst_force);
    const reference::ContactRecord& record = twin.record();
    EXPECT_EQ(run.memory.impacts, record.impacts) << System::name;
    EXPECT_NEAR(run.memory.largest_impulse_N_s, record.largest_impulse_N_s, twin_tolerance) << System::name;
    EXPECT_NEAR(run.memory.largest_force_N, record.largest_force_N, 100.0 * twin_tolerance * record.largest_force_N)
        << System::name;
    // Both add up the steps, each in its way.
    EXPECT_NEAR(run.memory.first_contact_s, record.first_contact_s, 1e-12) << System::name;
    // Sums of forces by ways, and of impulses by velocities.
    const auto expect_energy = [](double ours, double twins) {
        EXPECT_NEAR(ours, twins, 100.0 * twin_tolerance * std::max(1.0, std::abs(twins))) << System::name;
    };
    expect_energy(run.memory.friction_loss_J, record.friction_loss_j);
    expect_energy(run.memory.impact_loss_J, record.impact_loss_j);
    expect_energy(run.memory.wear_work_J, record.wear_work_j);
    expect_energy(run.memory.energy_error_J, twin.energy_error_j());
    EXPECT_NEAR(run.memory.penetration_m, record.penetration_m, twin_tolerance) << System::name;
    EXPECT_LE(worst, twin_tolerance) << System::name;
    // A force is the change of a velocity over h.
    EXPECT_LE(worst_force, 100.0 * twin_tolerance) << System::name;
    ASSERT_EQ(twin.damping_loss_j().has_value(), has_damping<System>) << System::name;
    if constexpr (has_damping<System>) {
        const double lost = twin.damping_loss_j().value();
        EXPECT_LT(0.0, lost);
        EXPECT_NEAR(run.memory.damping_loss_J, lost, 100.0 * twin_tolerance * lost);
        // A small difference of energies.
        EXPECT_NEAR(run.memory.energy_error_J, twin.energy_error_j(), twin_tolerance * run.memory.initial_energy_J);
    }
}

template <template <class, template <class> class> class SystemOf>
void expect_the_twin(const std::string& scheme, double h, int steps, const std::map<std::string, double>& changed,
                     std::uint64_t first_seed) {
    constexpr std::uint64_t draws = 4, seeds_apart = 100;
    for (std::uint64_t i = 0; i < draws; ++i)
        expect_the_twin_of_a_draw<SystemOf>(scheme, h, steps, changed, first_seed + i * seeds_apart);
}

TEST_P(ContactTwin, Agrees) {
    expect_the_twin<SliderCrankClearance>(GetParam(), 1e-4, 200, {}, 58);
    expect_the_twin<SliderCrankClearance>(GetParam(), 1e-4, 200, {{"friction", 0.1}, {"clearance_m", 0.0005}}, 59);
    expect_the_twin<SliderCrankClearance>(GetParam(), 1e-4, 100,
                                          {{"clearance_m", 0.0}, {"initial_rate_rad_s[1]", -85.0}}, 60);
    // The rod's vibrations ask for short steps of the explicit schemes; without friction, because two corners that
    // stick share its force in many ways. One draw of each, whose freedoms take the twin long.
    const std::map<std::string, double> narrow{{"clearance_m", 1e-5}, {"friction", 0.0}, {"rod.damping_time_s", 1e-7}},
        bent{{"clearance_m", 1e-5},
             {"friction", 0.0},
             {"rod.damping_time_s", 1e-6},
             {"initial_deformation[0]", 1e-5},
             {"initial_deformation[2]", 1e-5},
             {"initial_deformation_rate_1_s[2]", 0.5}};
    expect_the_twin_of_a_draw<SliderCrankFlexible2Elements>(GetParam(), 5e-7, 120, narrow, 61);
    expect_the_twin_of_a_draw<SliderCrankFlexible2Modes>(GetParam(), 2e-6, 15, bent, 62);
}

INSTANTIATE_TEST_SUITE_P(Schemes, ContactTwin, testing::ValuesIn(reference::contact_methods()),
                         [](const auto& given) { return given.param; });

}  // namespace
}  // namespace myriad::test
