// Systems with contacts against themselves: their forces, derivatives, gaps and energy must agree in generic states,
// and their descriptions must fit what they compute.
#include "kernels/systems/slider_crank_clearance.hpp"
#include "kernels/systems/slider_crank_flexible_sizes.hpp"
#include "tests/contact/contact_runs.hpp"
#include "tests/mathematics/error_table.hpp"

namespace myriad::test {
namespace {

template <class S>
class ContactSystem : public testing::Test {};
using AllContactSystems =
    testing::Types<SliderCrankClearance<double, NoChart>, SliderCrankFlexible1Element<double, NoChart>,
                   SliderCrankFlexible2Elements<double, NoChart>, SliderCrankFlexible2ElementsPinned<double, NoChart>,
                   SliderCrankFlexible2Modes<double, NoChart>, SliderCrankFlexible2ModesPinned<double, NoChart>,
                   SliderCrankFlexible2ModesArticulated<double, NoChart>,
                   SliderCrankFlexible2ModesFree<double, NoChart>>;
TYPED_TEST_SUITE(ContactSystem, AllContactSystems);

constexpr int states = 50;
// Central differences over 1e-5 are off by 1e-10 of a third derivative, and by 1e-16/1e-5 of the value itself.
constexpr double difference = 1e-5, difference_tolerance = 1e-8;

template <class S>
struct GenericState {
    S system;
    Vec<S::freedoms, double> q, v, a;

    explicit GenericState(Arguments& draw) {
        ParameterVector<S> parameters = parameters_with<S>({});
        for (int i = 0; i < S::parameter_count; ++i) parameters[i] *= draw.uniform(0.7, 1.0);
        if constexpr (requires { &S::root_moment; }) {
            // Stiff ones would leave no digits to differences; the short elements have little mass.
            parameters[11] = draw.uniform(1e-4, 1e-3), parameters[12] = draw.uniform(1e-3, 1e-2);
            parameters[13] = draw.uniform(1e-3, 1e-2), parameters[14] = draw.uniform(0.0, 1.0);  // damping, share
        }
        const auto prepared = S::prepare(parameters);
        EXPECT_EQ(prepared.reason, 0.0);
        system = prepared.system;
        for (int i = 0; i < S::freedoms; ++i)
            q[i] = draw.uniform(-1.0, 1.0), v[i] = draw.uniform(-2.0, 2.0), a[i] = draw.uniform(-2.0, 2.0);
        if constexpr (requires { &S::root_moment; }) {
            // Deformations as large as the rod would give accelerations of 3000; the functions of free modes reach 4.
            for (int i = 3; i < S::freedoms; ++i) q[i] *= 0.3, v[i] *= 0.3;
        }
    }
};

template <int N>
Vec<N, double> shifted(Vec<N, double> x, int i, double by) {
    x[i] += by;
    return x;
}

TYPED_TEST(ContactSystem, HasASymmetricPositiveMass) {
    Arguments draw(21);
    for (int i = 0; i < states; ++i) {
        const GenericState<TypeParam> at(draw);
        const auto mass = at.system.mass(at.q);
        for (int r = 0; r < TypeParam::freedoms; ++r)
            for (int c = 0; c < r; ++c) EXPECT_EQ(mass.e[r][c], mass.e[c][r]);
        EXPECT_LT(0.0, inner(at.v, mass * at.v));
    }
}

// Along M a = h the energy stays, but for damping: d/dt E = dE/dv . a + dE/dq . v = -dissipation.
TYPED_TEST(ContactSystem, KeepsItsEnergyWithoutContact) {
    Arguments draw(22);
    for (int i = 0; i < states; ++i) {
        const GenericState<TypeParam> at(draw);
        SmallFactors<TypeParam::freedoms, double> factors;
        factors.factor(at.system.mass(at.q));
        const auto a = factors.solve(at.system.force(at.q, at.v, 0.0));
        const auto energy_at = [&](double t) {
            return at.system.energy(fma(t, at.v, fma(0.5 * t * t, a, at.q)), fma(t, a, at.v));
        };
        // A difference of fourth order: fast bending has a large third derivative.
        const auto change = [&](double t) { return (energy_at(t) - energy_at(-t)) / (2.0 * t); };
        const double rate = (4.0 * change(difference) - change(2.0 * difference)) / 3.0;
        double lost = 0.0;
        if constexpr (has_damping<TypeParam>) {
            lost = at.system.damping_work({at.q, at.v}, {at.q + at.v, at.v});  // in a second, by the power of now
            EXPECT_LT(0.0, lost);
        }
        EXPECT_NEAR(rate, -lost, 100.0 * difference_tolerance * (1.0 + std::abs(energy_at(0.0))));
    }
}

TYPED_TEST(ContactSystem, DerivesItsForcesAsDifferencesDo) {
    constexpr int n = TypeParam::freedoms;
    Arguments draw(23);
    for (int i = 0; i < states; ++i) {
        const GenericState<TypeParam> at(draw);
        const auto residual = [&](const Vec<n, double>& q, const Vec<n, double>& v) {
            return at.system.mass(q) * at.a - at.system.force(q, v, 0.0);
        };
        const auto tangent = at.system.tangents_of(at.q, at.v, at.a, 0.0);
        for (int c = 0; c < n; ++c) {
            const auto by_q =
                residual(shifted(at.q, c, difference), at.v) - residual(shifted(at.q, c, -difference), at.v);
            const auto by_v =
                residual(at.q, shifted(at.v, c, difference)) - residual(at.q, shifted(at.v, c, -difference));
            for (int r = 0; r < n; ++r) {
                EXPECT_NEAR(tangent.stiffness.e[r][c], by_q[r] / (2.0 * difference), difference_tolerance * 10.0);
                EXPECT_NEAR(tangent.damping.e[r][c], by_v[r] / (2.0 * difference), difference_tolerance * 10.0);
            }
        }
    }
}

TYPED_TEST(ContactSystem, HasTheSlopesOfItsGapsAsNormals) {
    constexpr int n = TypeParam::freedoms, directions = 1 + TypeParam::tangents;
    Arguments draw(24);
    for (int i = 0; i < states; ++i) {
        const GenericState<TypeParam> at(draw);
        const auto state = at.system.contact_state(at.q);
        for (int c = 0; c < n; ++c) {
            const auto after = at.system.contact_state(shifted(at.q, c, difference)),
                       before = at.system.contact_state(shifted(at.q, c, -difference));
            for (int k = 0; k < TypeParam::contacts; ++k)
                EXPECT_NEAR(state.direction[k * directions][c], (after.gap[k] - before.gap[k]) / (2.0 * difference),
                            difference_tolerance);
        }
    }
}

template <class S>
int described_channels() {
    int count = 0;
    for (const ChannelDescription& channel : S::channels) {
        int components = 1;
        for (const char* c = channel.components; *c != '\0'; ++c) components += *c == ' ';
        count += components * (channel.of_body ? S::bodies : 1);
    }
    return count;
}

TYPED_TEST(ContactSystem, DescribesWhatItComputes) {
    Arguments draw(25);
    const GenericState<TypeParam> at(draw);
    EXPECT_EQ(described_channels<TypeParam>(), TypeParam::channel_count);
    for (int i = 0; i < TypeParam::channel_count; ++i) EXPECT_TRUE(std::isfinite(at.system.channel(i, at.q, at.v)));
    EXPECT_EQ(at.system.channel(TypeParam::channel_count - 1, at.q, at.v), at.system.energy(at.q, at.v));
    for (const ParameterDescription& parameter : TypeParam::parameters) {
        EXPECT_STRNE(parameter.address, "");
        EXPECT_STRNE(parameter.meaning, "");
    }
}

// The velocities among the channels are the rates of the positions.
TYPED_TEST(ContactSystem, ShowsVelocitiesThatAreRatesOfPositions) {
    Arguments draw(26);
    const GenericState<TypeParam> at(draw);
    for (int b = 0; b < TypeParam::bodies; ++b) {
        for (int i = 0; i < 3; ++i) {
            const int place = b * body_channels + i, rate = place + 7;
            const double after = at.system.channel(place, fma(difference, at.v, at.q), at.v),
                         before = at.system.channel(place, fma(-difference, at.v, at.q), at.v);
            EXPECT_NEAR(at.system.channel(rate, at.q, at.v), (after - before) / (2.0 * difference),
                        difference_tolerance);
        }
    }
}

TEST(ContactSystems, RefuseLawsThatNoContactHas) {
    using Crank = SliderCrankClearance<double, NoChart>;
    const auto reason = [](const std::map<std::string, double>& values) {
        return Crank::prepare(parameters_with<Crank>(values)).reason;
    };
    const double refused = static_cast<double>(Reason::contact_law_invalid);
    EXPECT_EQ(reason({}), 0.0);
    EXPECT_EQ(reason({{"friction", -0.1}}), refused);
    EXPECT_EQ(reason({{"normal_restitution", 1.01}}), refused);
    EXPECT_EQ(reason({{"tangential_restitution", -0.01}}), refused);
    EXPECT_EQ(reason({{"crank.mass_kg", 0.0}}), static_cast<double>(Reason::mass_not_positive));
    EXPECT_EQ(reason({{"gravity_m_s2", std::nan("")}}), static_cast<double>(Reason::parameter_not_finite));
}

// None at all holds the slider; less than none is no slot.
TEST(ContactSystems, RefuseNegativeClearance) {
    const auto reason = []<class Crank>(double clearance_m, Crank*) {
        return Crank::prepare(parameters_with<Crank>({{"clearance_m", clearance_m}})).reason;
    };
    SliderCrankClearance<double, NoChart>* rigid = nullptr;
    SliderCrankFlexible2Modes<double, NoChart>* flexible = nullptr;
    const double refused = static_cast<double>(Reason::length_not_positive);
    EXPECT_EQ(reason(0.0, rigid), 0.0);
    EXPECT_EQ(reason(0.0, flexible), 0.0);
    EXPECT_EQ(reason(-1e-6, rigid), refused);
    EXPECT_EQ(reason(-1e-6, flexible), refused);
    EXPECT_EQ(reason(std::nan(""), rigid), static_cast<double>(Reason::parameter_not_finite));
}

TEST(ContactSystems, WarnOfLawsByWhichImpactsMayGainEnergy) {
    using Crank = SliderCrankClearance<double, NoChart>;
    const auto warnings = [](double friction, double normal, double tangential) {
        return Crank::prepare(parameters_with<Crank>({{"friction", friction},
                                                      {"normal_restitution", normal},
                                                      {"tangential_restitution", tangential}}))
            .warnings;
    };
    EXPECT_EQ(warnings(0.3, 0.4, 0.4), 0.0);
    EXPECT_EQ(warnings(0.0, 0.4, 0.1), 0.0);
    EXPECT_EQ(warnings(0.3, 0.4, 0.1), static_cast<double>(Warning::impacts_may_gain_energy));
}

}  // namespace
}  // namespace myriad::test
