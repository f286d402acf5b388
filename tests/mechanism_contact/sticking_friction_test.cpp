// Dry friction of joints as methods with contact have it, which sticks: the turning points of a spring, and refusals.
// Files of ensembles/expected/ that begin with dry_friction hold slides, weights, impacts and drivers.
#include "host/text/number_text.hpp"
#include "kernels/system/status.hpp"
#include "tests/mechanism_contact/tree_mechanisms.hpp"

namespace myriad::test {
namespace {

template <class Member>
class StickingFriction : public testing::Test {};
TYPED_TEST_SUITE(StickingFriction, AllSchemes);

// A body of 2 kg on a slide along `axis`, rubbed with the force T. `more`: sections of the file.
constexpr double carriage_mass = 2.0;
ContactMechanism carriage(const char* axis, double coulomb_N, const std::string& more = "",
                          const std::string& start = "") {
    ContactMechanism made(R"({"gravity_m_s2": [0, 0, -9.81], "bodies": {"carriage": {"mass_kg": 2.0,
        "inertia_kg_m2": [0.01, 0.01, 0.01], "position_m": [0, 0, 0]}}, "joints": {"guide": {"type": "prismatic",
        "bodies": ["ground", "carriage"], "points_m": [[0, 0, 0], [0, 0, 0]], "axes": [)" +
                          (std::string(axis) + ", " + axis) + "]" + start +
                          R"(}}, "forces": {"shoe": {"type": "joint_friction", "joint": "guide", "coulomb_N": )" +
                          number_text(coulomb_N) + "}" + more + "}}");
    made.table().joint.friction_is_set = true;
    return made;
}
constexpr const char* level = "[1, 0, 0]";

// Each half swing of m x'' + k x = -+T ends nearer to zero by 2 T / k, until k |x| <= T.
TYPED_TEST(StickingFriction, StopsASpringAtTheTurningPointOfTheClosedForm) {
    constexpr double h = 2e-4, T = 1.0, k = 50.0, begin = 0.11, nearer = 2.0 * T / k;
    ContactMechanism slide =
        carriage(level, T, R"(, "spring": {"type": "spring_damper", "bodies": ["ground", "carriage"],
        "points_m": [[-5, 0, 0], [0, 0, 0]], "stiffness_N_m": 50, "rest_length_m": 5})",
                 R"(, "displacement_m": 0.11)");
    const int first = slide.channel(ChannelKind::contact_record, static_cast<int>(ContactRecord::first_contact_time));
    std::vector<double> turning;
    double before = -1.0;
    ContactRun run(TypeParam::name, slide, contact_schedule(h, 12000));
    run.run([&](const ContactRun& now) {
        const double v = now.velocity()[0];
        if (now.time_s() > 2.0 * h && (v == 0.0 || v * before < 0.0) && before != 0.0)
            turning.push_back(now.position()[0]);
        before = std::abs(v) < 1e-12 ? 0.0 : v;
    });
    EXPECT_EQ(run.status(), Status::ok);
    // 0.11, -0.07, 0.03, and there it may already rest: k 0.03 = 1.5 > T, so once more to 0.01
    const double expected[] = {-(begin - nearer), begin - 2.0 * nearer, -(begin - 3.0 * nearer), begin - 4.0 * nearer};
    ASSERT_GE(turning.size(), 2u);
    const double w = std::sqrt(k / carriage_mass);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(turning[i], expected[i], 3.0 * begin * w * h) << i;
    EXPECT_LE(k * std::abs(run.position()[0]), T * (1.0 + 1e-6));
    EXPECT_NEAR(run.velocity()[0], 0.0, 1e-12);
    EXPECT_TRUE(std::isnan(run.channel(first))) << "friction of a joint is no contact";
}

TYPED_TEST(StickingFriction, WithAForceBelowZeroEndsThatInstanceAlone) {
    const ContactMechanism chain = rubbing_chain();
    std::vector<std::vector<double>> instances(4, chain.parameters);
    instances[2][static_cast<std::size_t>(chain.mechanism.table.joint.friction[0].parameter)] = -1.0;
    ContactRun run(TypeParam::name, chain, contact_schedule(1e-3, 20), instances);
    run.run();
    EXPECT_EQ(run.status(2), Status::invalid_parameter);
    EXPECT_EQ(static_cast<Reason>(static_cast<int>(run.progress(2).reason)), Reason::friction_invalid);
    for (const std::size_t n : {0u, 1u, 3u}) EXPECT_EQ(run.status(n), Status::ok);
}

}  // namespace
}  // namespace myriad::test
