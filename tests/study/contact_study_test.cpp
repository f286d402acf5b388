// Studies with contact: keys, defaults, refusals, warnings, channels and certificate.
#include "ensembles/catalog.hpp"
#include "host/catalog/system_description.hpp"
#include "tests/study/study_texts.hpp"

namespace myriad::study {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

std::string crank_study(const std::string& integrator, const std::string& more = "") {
    return R"({"system": "slider_crank_clearance", "instances": 10, "integrator": {"step_s": 1e-5, "end_s": 0.01, )" +
           integrator + "}" + more + "}";
}

TEST(ContactStudy, HasDefaultsThatTheKernelsCanUse) {
    const Schedule schedule = parsed(crank_study(R"("name": "nonsmooth_ed_alpha")")).task().schedule;
    EXPECT_EQ(schedule.prox_tolerance, 1e-12);
    EXPECT_EQ(schedule.most_prox_iterations, 200.0);
    EXPECT_EQ(schedule.gap_tolerance_m, 1e-9);
    EXPECT_EQ(schedule.newton_tolerance, 1e-11);
    EXPECT_EQ(schedule.most_newton_iterations, 20.0);
    EXPECT_EQ(schedule.spectral_radius, 0.9);
    EXPECT_EQ(schedule.ed_alpha_ratio, 1.0 / 6.0);
    EXPECT_EQ(schedule.project_penetration, 0.0);
    EXPECT_EQ(schedule.free_alphas, 0.0);
}

TEST(ContactStudy, TakesItsKeys) {
    const Study study = parsed(crank_study(
        R"("name": "nonsmooth_generalized_alpha", "alpha_m": 0, "alpha_f": 0.1, "prox_tolerance": 1e-10,
           "most_prox_iterations": 50, "gap_tolerance_m": 1e-8, "impact_threshold_N_s": 0.01,
           "initial_penetration": "project", "newton_tolerance": 1e-9, "most_newton_iterations": 7)"));
    const Schedule schedule = study.task().schedule;
    EXPECT_EQ(schedule.free_alphas, 1.0);
    EXPECT_EQ(schedule.alpha_m, 0.0);
    EXPECT_EQ(schedule.alpha_f, 0.1);
    EXPECT_EQ(schedule.prox_tolerance, 1e-10);
    EXPECT_EQ(schedule.most_prox_iterations, 50.0);
    EXPECT_EQ(schedule.gap_tolerance_m, 1e-8);
    EXPECT_EQ(schedule.impact_threshold_N_s, 0.01);
    EXPECT_EQ(schedule.project_penetration, 1.0);
    EXPECT_EQ(schedule.newton_tolerance, 1e-9);
    EXPECT_EQ(schedule.most_newton_iterations, 7.0);
    EXPECT_EQ(parsed(study.canonical_json).canonical_json, study.canonical_json);
}

// Newton's impact law with friction and different restitutions.
TEST(ContactStudy, WarnsOfLawsByWhichAnImpactMayGainEnergy) {
    const auto warnings = [](const std::string& parameters) {
        return parsed(crank_study(R"("name": "moreau_midpoint")", R"(, "parameters": {)" + parameters + "}")).warnings;
    };
    EXPECT_THAT(warnings(""), Contains(HasSubstr("may then gain energy")));
    EXPECT_TRUE(warnings(R"("friction": 0)").empty());
    EXPECT_TRUE(warnings(R"("tangential_restitution": 0.4)").empty());
    const std::string varied = R"("uniform": {"low": 0, "high": 0.1})";
    EXPECT_FALSE(warnings(R"("friction": {)" + varied + "}").empty());
    EXPECT_FALSE(warnings(R"("tangential_restitution": {)" + varied + "}").empty());
}

TEST(ContactStudy, CertifiesContacts) {
    std::vector<std::string> names;
    for (const CertificateEntry& entry : parsed(crank_study(R"("name": "half_explicit")")).certificate())
        names.push_back(entry.name);
    EXPECT_THAT(names, testing::ElementsAre("energy_balance_error", "penetration", "prox_residual",
                                            "mean_prox_iterations", "prox_iterations_in_a_problem",
                                            "newton_iterations_in_a_step", "impacts", "friction_loss", "impact_loss",
                                            "jumped_contacts", "sunk_depth", "fastest_jumped_contact",
                                            "jumped_contact_bits", "sunk_contact_bits", "crowded_steps"));
}

// Against the kernel itself.
TEST(ContactStudy, AddressesTheChannelsThatTheKernelComputes) {
    using Crank = SliderCrankClearance<double, RotationGroup>;
    using Scheme = Timestepping<NonsmoothBathe>;
    const SystemDescription& system = find_system("slider_crank_clearance", "here");
    EXPECT_EQ(system.channel_count, Scheme::channel_count<Crank>);
    Vec<Crank::parameter_count, double> p;
    for (int i = 0; i < Crank::parameter_count; ++i) p[i] = Crank::parameters[i].value;
    const Crank crank = Crank::prepare(p).system;
    Motion<Crank> motion;
    Crank::start(p, motion.q, motion.v);
    motion.q[2] = 0.01, motion.v[2] = 3.0;
    ContactMemory<Crank> memory{};
    for (int i = 0; i < 8; ++i) memory.force[i] = 10.0 + i, memory.impulse[i] = 20.0 + i;
    memory.impacts = 5.0, memory.wear_work_J = 6.0, memory.largest_force_N = 7.0, memory.largest_impulse_N_s = 8.0;
    memory.first_contact_s = -1.0;
    const auto value = [&](const char* address) {
        return Scheme::channel(crank, system.scalar_channel(address, "here"), motion, memory);
    };
    const auto contact = crank.contact_state(motion.q);
    EXPECT_EQ(value("gap.upper_left"), contact.gap[2]);
    EXPECT_EQ(value("contact_velocity.upper_right.normal"), contact.velocity(6, motion.v));
    EXPECT_EQ(value("contact_velocity.lower_left.tangent"), contact.velocity(1, motion.v));
    EXPECT_EQ(value("contact_force.lower_right.normal"), 12.0);
    EXPECT_EQ(value("contact_force.upper_right.tangent"), 17.0);
    EXPECT_EQ(value("contact_impulse.upper_left.normal"), 24.0);
    EXPECT_EQ(value("impacts"), 5.0);
    EXPECT_EQ(value("wear_work"), 6.0);
    EXPECT_EQ(value("largest_force"), 7.0);
    EXPECT_EQ(value("largest_impulse"), 8.0);
    EXPECT_TRUE(std::isnan(value("first_contact_time")));
    EXPECT_EQ(value("energy"), crank.energy(motion.q, motion.v));
    EXPECT_EQ(system.channel_group("contact_force", "here").channels.size(), 8u);
    EXPECT_EQ(system.channel_group("gap", "here").unit, "m");
}

}  // namespace
}  // namespace myriad::study
