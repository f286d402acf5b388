// Lanes that bring their own pair of contacts to the same place have the bits of an instance alone, which lists its
// closed contacts: whichever pair that is, with lanes beside it that touch with none or with several.
#include "kernels/contact/pair_choice.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>

#include "kernels/contact/loads.hpp"
#include "kernels/systems/slider_crank_clearance.hpp"
#include "tests/contact/contact_runs.hpp"
#include "tests/mathematics/error_table.hpp"

namespace myriad::test::pair_choice {
namespace {

constexpr int lanes = 4, contacts = 4, rows = 2 * contacts, freedoms = 3, patterns = 1 << contacts;
template <class Real>
using Crank = SliderCrankClearance<Real, NoChart>;
using Packed = Pack<double, lanes>;

struct Given {
    std::array<double, Crank<double>::parameter_count> parameters;
    std::array<double, freedoms> angles, rates, angles_seen;
    std::array<double, rows> guess;
    int closed;  // a bit for each contact
};

enum class Question { step, impact, step_seen_elsewhere };

template <class Real>
struct Answer {
    Vec<rows, Real> load;
    Vec<freedoms, Real> rate;
    ContactEffort<Real> effort;
    MaskOf<Real> solved;
};

template <class Real, class Values, std::size_t count>
void set(Values& values, int lane, const std::array<double, count>& given) {
    for (std::size_t i = 0; i < count; ++i) Lanes<Real>::set(values[static_cast<int>(i)], lane, given[i]);
}
template <class Real>
MaskOf<Real> is_closed(const Given* given, int contact) {
    Real closed;
    for (int lane = 0; lane < Lanes<Real>::width; ++lane)
        Lanes<Real>::set(closed, lane, given[lane].closed >> contact & 1);
    return Real(0.0) < closed;
}

template <class Real>
Answer<Real> answer(Question question, const Given* given) {
    using System = Crank<Real>;
    using Equations = ContactEquations<System>;
    const Real h(1e-4);
    Vec<System::parameter_count, Real> parameters;
    typename System::Configuration q, seen_q;
    typename System::Velocity v;
    ContactLoads<Real, typename Equations::Topology> load{}, velocity{};
    for (int lane = 0; lane < Lanes<Real>::width; ++lane) {
        set<Real>(parameters, lane, given[lane].parameters), set<Real>(load, lane, given[lane].guess);
        set<Real>(q, lane, given[lane].angles), set<Real>(seen_q, lane, given[lane].angles_seen);
        set<Real>(v, lane, given[lane].rates);
    }
    const System system = System::prepare(parameters).system;
    Equations equations(system);
    typename Equations::Places places, seen;
    equations.find(q, places), equations.find(seen_q, seen);
    NoMultipliers<Real> none;
    equations.of_velocities(q, v, h, true_mask<Real>(), none);
    ClosedContacts<Real, typename Equations::Topology> masks;
    for (int c = 0; c < contacts; ++c) masks.closed[c] = is_closed<Real>(given, c);
    for (int row = 0; row < rows; ++row) velocity[row] = places.velocity(row, v);
    const ContactSettings settings = ContactSettings::of(contact_schedule(1e-4, 1.0));
    Answer<Real> found;
    found.effort = ContactEffort<Real>::none();
    ContactLoadProblem<System> problem{system, places, masks, settings, found.effort, Real(0.0)};
    problem.rebounds = question == Question::impact;
    if (question == Question::step_seen_elsewhere) problem.seen = &seen;
    found.solved = problem.solve(equations, true_mask<Real>(), Real(1.0), velocity, nullptr, load);
    for (int row = 0; row < rows; ++row) found.load[row] = load[row];
    for (int i = 0; i < freedoms; ++i) found.rate[i] = equations.rate(i);
    return found;
}

Given drawn(Arguments& draw, int closed) {
    Given given;
    for (int i = 0; i < Crank<double>::parameter_count; ++i)
        given.parameters[static_cast<std::size_t>(i)] = Crank<double>::parameters[i].value * draw.uniform(0.6, 1.0);
    for (double& angle : given.angles) angle = draw.uniform(-3.0, 3.0);
    for (std::size_t i = 0; i < freedoms; ++i) given.angles_seen[i] = given.angles[i] + draw.uniform(-0.02, 0.02);
    for (double& rate : given.rates) rate = draw.uniform(-100.0, 100.0);
    for (double& load : given.guess) load = draw.uniform(-0.01, 0.05);
    given.closed = closed;
    return given;
}

std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

void expect_the_bits_of_an_instance_alone(Question question, unsigned seed) {
    static_assert(chooses_pairs<ContactEquations<Crank<Packed>>>);
    static_assert(!chooses_pairs<ContactEquations<Crank<double>>>);
    Arguments draw(seed);
    for (int i = 0; i < 1000; ++i) {
        std::array<Given, lanes> given;
        // Lane 0 goes through all patterns, the others beside it at other paces.
        for (int lane = 0; lane < lanes; ++lane)
            given[static_cast<std::size_t>(lane)] = drawn(draw, (i * (2 * lane + 1) + 5 * lane) % patterns);
        const Answer<Packed> together = answer<Packed>(question, given.data());
        for (int lane = 0; lane < lanes; ++lane) {
            SCOPED_TRACE(std::to_string(i) + ", lane " + std::to_string(lane));
            const Answer<double> alone = answer<double>(question, &given[static_cast<std::size_t>(lane)]);
            EXPECT_EQ(lane_of(together.solved, lane), alone.solved);
            EXPECT_EQ(together.effort.problems.lanes[lane], alone.effort.problems);
            EXPECT_EQ(together.effort.iterations.lanes[lane], alone.effort.iterations);
            EXPECT_EQ(bits_of(together.effort.residual.lanes[lane]), bits_of(alone.effort.residual));
            for (int row = 0; row < rows; ++row)
                EXPECT_EQ(bits_of(together.load[row].lanes[lane]), bits_of(alone.load[row])) << "row " << row;
            for (int k = 0; k < freedoms; ++k)
                EXPECT_EQ(bits_of(together.rate[k].lanes[lane]), bits_of(alone.rate[k])) << "freedom " << k;
        }
    }
}

TEST(PairChoice, HasTheBitsOfAnInstanceAloneInAStep) { expect_the_bits_of_an_instance_alone(Question::step, 51); }
TEST(PairChoice, HasTheBitsOfAnInstanceAloneInAnImpact) { expect_the_bits_of_an_instance_alone(Question::impact, 52); }
TEST(PairChoice, HasTheBitsOfAnInstanceAloneWhereVelocitiesAreThoseOfOtherPlaces) {
    expect_the_bits_of_an_instance_alone(Question::step_seen_elsewhere, 53);
}

TEST(PairChoice, IsUniqueWhereOnePairIsClosed) {
    for (int closed = 0; closed < 1 << 6; ++closed) {
        const auto choice = PairChoice<double, 3>::of([&](int c) { return (closed >> c & 1) != 0; });
        int pairs = 0, last = 2;
        for (int pair = 0; pair < 3; ++pair)
            if ((closed >> 2 * pair & 3) != 0) ++pairs, last = pair;
        EXPECT_EQ(choice.is_unique(), pairs == 1) << closed;
        if (pairs != 1) continue;
        EXPECT_EQ(choice.pick([](int pair) { return 10.0 * pair; }), 10.0 * last);
        EXPECT_EQ(choice.pick_row<3>(3, [](int row) { return 1.0 * row; }), 6.0 * last + 4.0);
        for (int pair = 0; pair < 3; ++pair)
            EXPECT_EQ(choice.pick_mask([&](int own) { return own == pair; }), pair == last);
    }
}

}  // namespace
}  // namespace myriad::test::pair_choice
