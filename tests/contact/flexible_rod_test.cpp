// The flexible rod of the slider-crank: its tables against quadrature and closed forms, its mechanics against energies
// differentiated automatically, and its motion against the rigid rod, another frame and the balance of energy.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "host/reference/contact/nonsmooth_flexible_rod.hpp"
#include "kernels/systems/slider_crank_clearance.hpp"
#include "kernels/systems/slider_crank_flexible_sizes.hpp"
#include "tests/contact/contact_runs.hpp"
#include "tests/mathematics/error_table.hpp"

namespace myriad::test {

// A size that no study can name.
struct FourPinned : BeamElements<4, BeamFrame::pinned> {
    static constexpr const char* name = "slider_crank_flexible_4_elements_pinned";
    static constexpr const char* summary = "";
};

namespace {

// The hyperbolic functions of the fourth mode reach e^11/2 = 3e4 and cancel to about 1; a slope multiplies them by 11.
constexpr double table_tolerance = 1e-10;

template <BeamEnds ends>
void expect_the_integrals_of(reference::RodEnds same) {
    constexpr int modes = most_beam_modes;
    const auto table = BeamModes<ends, modes, modes>::table();
    std::vector<reference::BendingMode> bending;
    for (int k = 0; k < modes; ++k) bending.emplace_back(same, k);
    const auto points = reference::gauss_points(2 * modes, 10);
    const auto integral = [&](auto&& of) {
        double sum = 0.0;
        for (const auto& point : points) sum += point.weight * of(point.place);
        return sum;
    };
    const auto axial = [](int a, double s) { return std::sqrt(2.0) * std::sin((a + 0.5) * M_PI * s); };
    const auto axial_slope = [](int a, double s) {
        return std::sqrt(2.0) * (a + 0.5) * M_PI * std::cos((a + 0.5) * M_PI * s);
    };
    const auto expect = [](double own, double expected) {
        EXPECT_NEAR(own, expected, table_tolerance * std::max(1.0, std::abs(expected)));
    };
    for (int i = 0; i < modes; ++i) {
        const auto& mode = bending[static_cast<std::size_t>(i)];
        const int at = modes + i;
        expect(table.mean[i], integral([&](double s) { return axial(i, s); }));
        expect(table.first[i], integral([&](double s) { return s * axial(i, s); }));
        expect(table.end[i], axial(i, 1.0));
        expect(table.mean[at], integral([&](double s) { return mode.at(s).value; }));
        expect(table.first[at], integral([&](double s) { return s * mode.at(s).value; }));
        expect(table.end[at], mode.at(1.0).value);
        expect(table.root_curvature[i], mode.at(0.0).curvature);
        for (int j = 0; j < modes; ++j) {
            const auto& other = bending[static_cast<std::size_t>(j)];
            expect(table.product[i][j], integral([&](double s) { return axial(i, s) * axial(j, s); }));
            expect(table.elastic[i][j], integral([&](double s) { return axial_slope(i, s) * axial_slope(j, s); }));
            expect(table.product[at][modes + j],
                   integral([&](double s) { return mode.at(s).value * other.at(s).value; }));
            // Relative to the larger of the two.
            EXPECT_NEAR(table.elastic[at][modes + j],
                        integral([&](double s) { return mode.at(s).curvature * other.at(s).curvature; }),
                        table_tolerance * table.elastic[modes + modes - 1][modes + modes - 1]);
            expect(table.slope_product[i][j], integral([&](double s) { return mode.at(s).slope * other.at(s).slope; }));
            expect(table.coupling[i][j], integral([&](double s) { return axial(i, s) * other.at(s).value; }));
        }
    }
}

TEST(BeamModes, HaveTheIntegralsOfTheirFunctions) {
    expect_the_integrals_of<BeamEnds::clamped_free>(reference::RodEnds::clamped_free);
    expect_the_integrals_of<BeamEnds::pinned_pinned>(reference::RodEnds::pinned_pinned);
    expect_the_integrals_of<BeamEnds::articulated_free>(reference::RodEnds::articulated_free);
    expect_the_integrals_of<BeamEnds::free_free>(reference::RodEnds::free_free);
}

// Without rigid body motion, as functions f moved by f(0): no mean and no first moment (nonsmooth eq. 191), and
// orthonormal (eq. 190).
TEST(BeamModes, OfAFreeBeamAreThoseOfItsMeanAxis) {
    constexpr int modes = most_beam_modes;
    const auto table = BeamModes<BeamEnds::free_free, modes, modes>::table();
    for (int i = modes; i < 2 * modes; ++i) {
        const double at_root = -table.mean[i];
        EXPECT_EQ(std::abs(at_root), 2.0);
        EXPECT_EQ(table.first[i] + 0.5 * at_root, 0.0);
        EXPECT_EQ(std::abs(table.end[i] + at_root), 2.0);
        for (int j = modes; j < 2 * modes; ++j)
            EXPECT_EQ(table.product[i][j] - at_root * -table.mean[j], i == j ? 1.0 : 0.0);
    }
}

// Eigenvalues of the elements' own stiffness and mass, of one kind.
template <class Shapes>
Eigen::VectorXd eigenvalues(bool axial) {
    const auto table = Shapes::table();
    const int first = axial ? 0 : Shapes::axial, count = axial ? Shapes::axial : Shapes::transverse;
    Eigen::MatrixXd stiffness(count, count), mass(count, count);
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j)
            stiffness(i, j) = table.elastic[first + i][first + j], mass(i, j) = table.product[first + i][first + j];
    return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(stiffness, mass).eigenvalues();
}

// To the wave numbers of the exact modes, whose tables are independent of the elements: the fourth power for bending,
// by four orders of the element's length, the second for axial modes, by two orders.
TEST(BeamElements, HaveFrequenciesThatConvergeToThoseOfTheModes) {
    const auto error = [](const Eigen::VectorXd& values, int k, double exact) { return values[k] / exact - 1.0; };
    const auto clamped = bending_modes<BeamEnds::clamped_free>(), pinned = bending_modes<BeamEnds::pinned_pinned>();
    using Coarse = BeamElements<4, BeamFrame::tangential>;
    using Fine = BeamElements<8, BeamFrame::tangential>;
    using CoarsePinned = BeamElements<4, BeamFrame::pinned>;
    using FinePinned = BeamElements<8, BeamFrame::pinned>;
    for (int k = 0; k < 2; ++k) {
        const double wave = (k + 0.5) * M_PI, bar = wave * wave;
        const double coarse[] = {error(eigenvalues<Coarse>(false), k, std::pow(clamped.wave_number[k], 4)),
                                 error(eigenvalues<CoarsePinned>(false), k, std::pow(pinned.wave_number[k], 4)),
                                 error(eigenvalues<Coarse>(true), k, bar)};
        const double fine[] = {error(eigenvalues<Fine>(false), k, std::pow(clamped.wave_number[k], 4)),
                               error(eigenvalues<FinePinned>(false), k, std::pow(pinned.wave_number[k], 4)),
                               error(eigenvalues<Fine>(true), k, bar)};
        const double orders[] = {4.0, 4.0, 2.0};
        for (int i = 0; i < 3; ++i) {
            EXPECT_LT(0.0, fine[i]);  // from above, as Rayleigh's quotients are
            EXPECT_LT(coarse[i], 0.2);
            EXPECT_NEAR(std::log2(coarse[i] / fine[i]), orders[i], 0.15) << i << " " << k;
        }
    }
}

// Two sums of some hundred products, in another order.
constexpr double summation_order_tolerance = 1e-11;

template <class System>
class FlexibleRod : public testing::Test {};
using AllRods =
    testing::Types<SliderCrankFlexible1Element<double, NoChart>, SliderCrankFlexible2Elements<double, NoChart>,
                   SliderCrankFlexible4Elements<double, NoChart>, SliderCrankFlexible2ElementsPinned<double, NoChart>,
                   SliderCrankFlexible2Modes<double, NoChart>, SliderCrankFlexible2ModesPinned<double, NoChart>,
                   SliderCrankFlexible2ModesArticulated<double, NoChart>,
                   SliderCrankFlexible2ModesFree<double, NoChart>>;
TYPED_TEST_SUITE(FlexibleRod, AllRods);

TYPED_TEST(FlexibleRod, HasTheMechanicsOfItsTwin) {
    using System = TypeParam;
    constexpr int n = System::freedoms;
    Arguments draw(61);
    for (int state = 0; state < 3; ++state) {
        auto parameters = parameters_with<System>({{"crank.torque_N_m", 1.3}});
        for (int i = 0; i < System::parameter_count; ++i) parameters[i] *= draw.uniform(0.7, 1.0);
        parameters[13] = draw.uniform(0.0, 1e-5), parameters[14] = draw.uniform(0.0, 1.0);  // damping, share
        for (int i = 26; i < System::parameter_count; ++i) parameters[i] = draw.uniform(-0.1, 0.1);
        reference::Parameters named;
        for (int i = 0; i < System::parameter_count; ++i) named[System::parameters[i].address] = parameters[i];
        const auto twin = reference::make_nonsmooth_system(System::name, named);
        const System system = System::prepare(parameters).system;
        Vec<n, double> q, v;
        System::start(parameters, q, v);
        for (int i = 0; i < n; ++i) {
            EXPECT_EQ(q[i], twin->initial_coordinates()[i]);
            EXPECT_EQ(v[i], twin->initial_rates()[i]);
        }
        Eigen::VectorXd twin_q(n), twin_v(n);
        for (int i = 0; i < n; ++i) {
            twin_q[i] = q[i] = draw.uniform(-1.0, 1.0) * (i < 3 ? 1.0 : 0.1);
            twin_v[i] = v[i] = draw.uniform(-10.0, 10.0);
        }
        const auto expect_near = [](double own, double expected, double size) {
            EXPECT_NEAR(own, expected, summation_order_tolerance * size);
        };
        const Eigen::MatrixXd mass = twin->mass(twin_q), directions = twin->directions(twin_q);
        const Eigen::VectorXd force = twin->force(twin_q, twin_v), gaps = twin->gaps(twin_q);
        const auto own_mass = system.mass(q);
        const auto own_force = system.force(q, v, 0.0);
        const auto contact = system.contact_state(q);
        for (int i = 0; i < n; ++i) {
            expect_near(own_force[i], force[i], force.cwiseAbs().maxCoeff());
            for (int j = 0; j < n; ++j) expect_near(own_mass.e[i][j], mass(i, j), mass.cwiseAbs().maxCoeff());
            for (int r = 0; r < contact.rows; ++r) expect_near(contact.direction[r][i], directions(r, i), 1.0);
        }
        for (int k = 0; k < 4; ++k) expect_near(contact.gap[k], gaps[k], 1.0);
        // On a way along the rates, so that every force takes.
        const double lost = twin->damping_work(twin_v, twin_v).value();
        expect_near(system.damping_work({q, v}, {q + v, v}), lost, lost);
        // Orientations are left out: up to its sign, each is that of an angle among the others.
        const reference::Observables seen = twin->observe(twin_q, twin_v);
        const auto expect_channels = [&](const char* name, int first, int of_body) {
            const Eigen::VectorXd& values = seen.at(name);
            for (int i = 0; i < values.size(); ++i) {
                const int index = first + (of_body > 0 ? i / of_body * body_channels + i % of_body : i);
                expect_near(system.channel(index, q, v), values[i], std::max(1.0, values.cwiseAbs().maxCoeff()));
            }
        };
        constexpr int own = System::bodies * body_channels;
        expect_channels("position", 0, 3), expect_channels("velocity", 7, 3),
            expect_channels("angular_velocity", 10, 3);
        expect_channels("angle", own, 0), expect_channels("rate", own + 3, 0);
        expect_channels("end_displacement", own + 6, 0), expect_channels("root_moment", own + 8, 0);
        expect_channels("energy", own + 9, 0);
    }
}

std::map<std::string, double> with(std::map<std::string, double> values, const std::map<std::string, double>& more) {
    for (const auto& [address, value] : more) values[address] = value;
    return values;
}

template <class System>
Vec<2, double> slider_place(const System& system, const Motion<System>& motion) {
    constexpr int slider = 2 * body_channels;
    return {system.channel(slider, motion.q, motion.v), system.channel(slider + 1, motion.q, motion.v)};
}

template <class Member, class System>
std::vector<Vec<2, double>> slider_places(const std::map<std::string, double>& values, double h, double end_s,
                                          double radius, int every) {
    ContactRun<Member, System> run(parameters_with<System>(values), contact_schedule(h, end_s, radius));
    std::vector<Vec<2, double>> places;
    long steps = 0;
    run.run([&](const auto& now) {
        if (steps++ % every == 0) places.push_back(slider_place(now.system, now.motion));
    });
    EXPECT_EQ(run.reason, 0.0);
    return places;
}

double worst_distance(const std::vector<Vec<2, double>>& a, const std::vector<Vec<2, double>>& b) {
    EXPECT_EQ(a.size(), b.size());
    double worst = 0.0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        worst = std::max(worst, std::hypot(a[i][0] - b[i][0], a[i][1] - b[i][1]));
    return worst;
}

using Rigid = SliderCrankClearance<double, NoChart>;
using Two = SliderCrankFlexible2Elements<double, NoChart>;
constexpr double bending_N_m2 =
                     FlexibleRodMaterial<double>::youngs_modulus * FlexibleRodMaterial<double>::second_moment,
                 stretching_N = FlexibleRodMaterial<double>::youngs_modulus * FlexibleRodMaterial<double>::section_area;

std::map<std::string, double> stiffer(double factor) {
    return {{"rod.bending_stiffness_N_m2", factor * bending_N_m2}, {"rod.axial_stiffness_N", factor * stretching_N}};
}

// Without walls: the difference is the deflection, which falls with the stiffness (the vibrations that the start
// excites with its square root in time, but with the deflection in size).
TEST(FlexibleSliderCrank, MovesAsTheRigidOneWhereTheRodIsStiff) {
    const std::map<std::string, double> free{{"clearance_m", 10.0}};
    const auto rigid = slider_places<NonsmoothBathe, Rigid>(free, 1e-5, 0.02, 0.0, 10);
    const auto distance = [&](double factor) {
        return worst_distance(slider_places<NonsmoothBathe, Two>(with(free, stiffer(factor)), 1e-5, 0.02, 0.0, 10),
                              rigid);
    };
    const double published = distance(1.0), stiff = distance(100.0);
    std::printf("| slider, rod with E = 2e11 Pa against rigid, 0.02 s: %.2e m | E = 2e13 Pa: %.2e m |\n", published,
                stiff);
    EXPECT_LT(published, 1e-3);
    EXPECT_LT(stiff, 0.02 * published);
}

// A turn of the frame by the deflection, 1e-3 of the length, changes what is linear in it by its square: the frames
// differ by that where bending turns the cross-sections. With the published inertia, whose cross-sections turn with the
// frame, each frame is another rod, and they differ by a part of the deflection.
TEST(FlexibleSliderCrank, MovesAlikeInEitherFrameWhereBendingTurnsTheSections) {
    using Tangential = SliderCrankFlexible4Elements<double, NoChart>;
    using Pinned = SliderCrankFlexible<double, NoChart, FourPinned>;
    struct Outcome {
        double frames, deflection;
    };
    const auto compared = [&](double share, double factor) {
        const auto values = with({{"clearance_m", 10.0}, {"rod.bending_turns_sections", share}}, stiffer(factor));
        const auto tangential = slider_places<NonsmoothBathe, Tangential>(values, 1e-5, 0.01, 0.0, 10),
                   pinned = slider_places<NonsmoothBathe, Pinned>(values, 1e-5, 0.01, 0.0, 10),
                   rigid = slider_places<NonsmoothBathe, Rigid>({{"clearance_m", 10.0}}, 1e-5, 0.01, 0.0, 10);
        const Outcome outcome{worst_distance(tangential, pinned), worst_distance(tangential, rigid)};
        std::printf("| share %g, stiffness times %3g | frames differ by %.1e m | from the rigid rod %.1e m |\n", share,
                    factor, outcome.frames, outcome.deflection);
        return outcome;
    };
    const Outcome turning = compared(1.0, 1.0), stiff_turning = compared(1.0, 10.0), published = compared(0.0, 1.0);
    EXPECT_LT(turning.frames, 1e-3 * turning.deflection);
    EXPECT_LT(stiff_turning.frames, 1e-3 * stiff_turning.deflection);
    EXPECT_LT(stiff_turning.frames, 0.05 * turning.frames);  // a square: ten times stiffer, hundred times less
    EXPECT_LT(0.01 * published.deflection, published.frames);
}

// The balance is violated by the scheme alone, at its order.
TEST(FlexibleSliderCrank, KeepsItsEnergyByTwoOrdersOfTheStep) {
    const auto errors = [](auto member, double radius) {
        std::array<double, 2> worst{};
        for (std::size_t i = 0; i < worst.size(); ++i) {
            ContactRun<decltype(member), Two> run(parameters_with<Two>({{"clearance_m", 10.0}}),
                                                  contact_schedule(i == 0 ? 5e-6 : 2.5e-6, 0.003, radius));
            run.run();
            EXPECT_EQ(run.reason, 0.0);
            worst[i] = run.memory.energy_error_J / run.memory.initial_energy_J;
        }
        return worst;
    };
    for (const auto& worst :
         {errors(NonsmoothGeneralizedAlpha{}, 1.0), errors(NonsmoothEdAlpha{}, 1.0), errors(NonsmoothBathe{}, 0.0)}) {
        EXPECT_LT(worst[0], 1e-4);
        EXPECT_NEAR(std::log2(worst[0] / worst[1]), 2.0, 0.2);
    }
}

// Table 2: driven by a torque from rest, with h = 1e-5 s. The paper reports of generalized-alpha with radius 0.8 and
// 0.5 that it gets unstable soon after 0.05 s; here no scheme makes energy, and all agree.
TEST(FlexibleSliderCrank, DrivenByATorqueIsFollowedAlikeByAllImplicitSchemes) {
    const std::map<std::string, double> table_2{{"clearance_m", 0.0005},        {"crank.torque_N_m", 1.0},
                                                {"normal_restitution", 0.1},    {"friction", 0.1},
                                                {"initial_rate_rad_s[0]", 0.0}, {"initial_rate_rad_s[1]", 0.0}};
    constexpr double end_s = 0.06;
    struct Outcome {
        Vec<2, double> angle;
        double made_J, root_moment_step;  // energy beyond the torque's work; changes per step squared
    };
    const auto outcome = [&](auto member, double radius) {
        ContactRun<decltype(member), Two> run(parameters_with<Two>(table_2), contact_schedule(1e-5, end_s, radius));
        Outcome made{};
        double moment = 0.0;
        run.run([&](const auto& now) {
            const double before = std::exchange(moment, now.system.root_moment(now.motion.q, now.motion.v));
            made.root_moment_step += (moment - before) * (moment - before);
            made.made_J =
                std::max(made.made_J, now.system.energy(now.motion.q, now.motion.v) + now.memory.friction_loss_J +
                                          now.memory.impact_loss_J - now.memory.initial_energy_J);
        });
        EXPECT_EQ(run.reason, 0.0);
        made.angle = {run.motion.q[0], run.motion.q[1]};
        return made;
    };
    const Outcome ed = outcome(NonsmoothEdAlpha{}, 0.0), bathe = outcome(NonsmoothBathe{}, 0.0),
                  rough = outcome(NonsmoothGeneralizedAlpha{}, 0.8), middle = outcome(NonsmoothGeneralizedAlpha{}, 0.5),
                  smooth = outcome(NonsmoothGeneralizedAlpha{}, 0.0);
    for (const Outcome& one : {bathe, rough, middle, smooth, ed}) {
        EXPECT_NEAR(one.angle[0], ed.angle[0], 5e-3);
        EXPECT_NEAR(one.angle[1], ed.angle[1], 5e-3);
        EXPECT_LT(one.made_J, 1e-3);  // the torque's work is 1 J
    }
    // The paper's fig. 26 shows the same: less damping leaves more high frequencies in the stresses.
    EXPECT_LT(2.0 * middle.root_moment_step, rough.root_moment_step);
    EXPECT_LT(2.0 * smooth.root_moment_step, middle.root_moment_step);
}

TEST(FlexibleSliderCrank, RefusesRodsThatAreNone) {
    const auto reason = [](const char* address, double value) {
        return Two::prepare(parameters_with<Two>({{address, value}})).reason;
    };
    EXPECT_EQ(reason("rod.bending_stiffness_N_m2", 1e-3), 0.0);
    for (const char* address : {"rod.bending_stiffness_N_m2", "rod.axial_stiffness_N"})
        for (const double value : {0.0, -1e-3, -1e6})
            EXPECT_EQ(reason(address, value), static_cast<double>(Reason::stiffness_not_positive));
    EXPECT_EQ(reason("rod.damping_time_s", -1e-9), static_cast<double>(Reason::damping_negative));
    EXPECT_EQ(reason("rod.inertia_kg_m2", 0.038 * 0.306 * 0.306 / 12), 0.0);  // without a cross-section
    EXPECT_EQ(reason("rod.length_m", 0.0), static_cast<double>(Reason::length_not_positive));
    const double indefinite = static_cast<double>(Reason::inertia_not_positive_semidefinite);
    EXPECT_EQ(reason("rod.inertia_kg_m2", 2.9e-4), indefinite);
    EXPECT_EQ(reason("rod.bending_turns_sections", 1.1), indefinite);
    EXPECT_EQ(reason("rod.bending_turns_sections", -0.1), indefinite);
}

}  // namespace
}  // namespace myriad::test
