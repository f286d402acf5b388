// Single impacts of random bodies: what they keep, what they lose, and by which laws they may gain.
#include <gtest/gtest.h>

#include "kernels/integrators/contact_impulse.hpp"
#include "kernels/systems/vector_coordinates.hpp"
#include "tests/mathematics/error_table.hpp"

namespace myriad::test {
namespace {

constexpr int instances = 10000;
// Relative to the energies and momenta: contact laws to 1e-12, times the spread of masses and arms, a hundred each.
constexpr double tolerance = 1e-9;

// Two free bodies in a plane that touch in C points: x, y and angle of each.
template <int C>
struct TwoBodies : VectorCoordinates<6, double> {
    static constexpr int contacts = C, tangents = 1;
    Vec<6, double> inertia;
    ContactState<6, C, 1, double> contact;
    ContactLaw<double> laws;

    SquareMatrix<6, double> mass(const Vec<6, double>&) const {
        SquareMatrix<6, double> m = zero_matrix<6, double>();
        for (int i = 0; i < 6; ++i) m.e[i][i] = inertia[i];
        return m;
    }
    ContactLaw<double> law(int) const { return laws; }
    bool held(int) const { return false; }
    bool unused(int) const { return false; }
};

template <int C>
struct Impact {
    TwoBodies<C> bodies;
    Vec<6, double> place, before, after, impulse_rows;
    double loss, energy;
    Vec<2 * C, double> impulse;
    bool solved;

    Impact(Arguments& draw, const ContactLaw<double>& law) {
        bodies.laws = law;
        for (int b = 0; b < 2; ++b) {
            bodies.inertia[3 * b] = bodies.inertia[3 * b + 1] = std::exp(draw.uniform(-1.5, 1.5));
            bodies.inertia[3 * b + 2] = bodies.inertia[3 * b] * draw.uniform(0.05, 0.5);
        }
        for (int i = 0; i < 6; ++i) place[i] = draw.uniform(-1.0, 1.0), before[i] = draw.uniform(-1.0, 1.0);
        const double angle = draw.uniform(-3.0, 3.0), nx = std::cos(angle), ny = std::sin(angle);
        bool approaches = false;
        ContactMasks<C, double> masks;
        for (int k = 0; k < C; ++k) {
            const double px = draw.uniform(-1.0, 1.0), py = draw.uniform(-1.0, 1.0);
            for (int d = 0; d < 2; ++d) {
                const double ex = d == 0 ? nx : -ny, ey = d == 0 ? ny : nx;
                for (int b = 0; b < 2; ++b) {
                    const double sign = b == 0 ? -1.0 : 1.0, rx = px - place[3 * b], ry = py - place[3 * b + 1];
                    auto& row = bodies.contact.direction[2 * k + d];
                    row[3 * b] = sign * ex, row[3 * b + 1] = sign * ey, row[3 * b + 2] = sign * (rx * ey - ry * ex);
                }
            }
            masks.closed[k] = true, masks.bilateral[k] = false;
            approaches = approaches || bodies.contact.velocity(2 * k, before) < 0.0;
        }
        // Bodies that only part would test nothing.
        if (!approaches) before = -before;
        Schedule schedule{};
        schedule.prox_tolerance = 1e-12, schedule.most_prox_iterations = 200;
        ContactEffort<double> effort = ContactEffort<double>::none();
        after = before;
        solved = resolve_impact(bodies, place, bodies.contact, masks, ContactSettings::of(schedule), true, effort,
                                after, impulse, loss);
        energy = 0.5 * inner(before, bodies.mass(place) * before);
    }
    // x, y and about the origin.
    Vec<3, double> momentum(const Vec<6, double>& v) const {
        Vec<3, double> sum{0.0, 0.0, 0.0};
        for (int b = 0; b < 2; ++b) {
            const double px = bodies.inertia[3 * b] * v[3 * b], py = bodies.inertia[3 * b + 1] * v[3 * b + 1];
            sum[0] += px, sum[1] += py;
            sum[2] += place[3 * b] * py - place[3 * b + 1] * px + bodies.inertia[3 * b + 2] * v[3 * b + 2];
        }
        return sum;
    }
};

struct Gains {
    int count = 0, gained = 0, unsolved = 0;
    double largest = 0.0, momentum = 0.0;

    template <int C>
    void add(Arguments& draw, const ContactLaw<double>& law) {
        const Impact<C> impact(draw, law);
        ++count;
        if (!impact.solved) {
            ++unsolved;
            return;
        }
        const Vec<3, double> change = impact.momentum(impact.after) - impact.momentum(impact.before);
        for (int i = 0; i < 3; ++i) momentum = std::max(momentum, std::abs(change[i]));
        const double gain = -impact.loss / impact.energy;
        gained += gain > tolerance;
        largest = std::max(largest, gain);
    }
    void print(const char* name) const {
        std::printf(
            "| %-44s | %5d impacts | %2d stalled | %4d gain energy, at most %.2g times what there was | momentum to "
            "%.0e |\n",
            name, count, unsolved, gained, largest, momentum);
    }
};

TEST(Impact, KeepsMomentumAndGainsNoEnergyWithoutFriction) {
    Arguments draw(31);
    Gains one, two;
    for (int i = 0; i < instances; ++i) {
        one.add<1>(draw, {0.0, draw.uniform(0.0, 1.0), draw.uniform(0.0, 1.0)});
        two.add<2>(draw, {0.0, draw.uniform(0.0, 1.0), draw.uniform(0.0, 1.0)});
    }
    one.print("no friction, one contact"), two.print("no friction, two contacts");
    for (const Gains& gains : {one, two}) {
        EXPECT_EQ(gains.unsolved, 0);
        EXPECT_EQ(gains.gained, 0);
        EXPECT_LE(gains.momentum, tolerance);
    }
}

TEST(Impact, KeepsMomentumAndGainsNoEnergyWithEqualRestitutions) {
    Arguments draw(32);
    Gains one, two;
    for (int i = 0; i < instances; ++i) {
        const double restitution = draw.uniform(0.0, 1.0);
        one.add<1>(draw, {draw.uniform(0.0, 1.0), restitution, restitution});
        two.add<2>(draw, {draw.uniform(0.0, 1.0), restitution, restitution});
    }
    one.print("friction, equal restitutions, one contact");
    two.print("friction, equal restitutions, two contacts");
    // Two points of contact with one normal jam now and then: the tangents are one direction, twice.
    EXPECT_EQ(one.unsolved, 0);
    EXPECT_LE(two.unsolved, instances / 500);
    for (const Gains& gains : {one, two}) {
        EXPECT_EQ(gains.gained, 0);
        EXPECT_LE(gains.momentum, tolerance);
    }
}

// Newton's law with Coulomb's friction and different restitutions is known to gain energy at times: the reason for the
// warning of such laws. Momentum is kept all the same.
TEST(Impact, GainsEnergyAtTimesWithOtherLaws) {
    Arguments draw(33);
    Gains one, two, plastic;
    for (int i = 0; i < instances; ++i) {
        one.add<1>(draw, {draw.uniform(0.0, 1.0), draw.uniform(0.0, 1.0), draw.uniform(0.0, 1.0)});
        two.add<2>(draw, {draw.uniform(0.0, 1.0), draw.uniform(0.0, 1.0), draw.uniform(0.0, 1.0)});
        plastic.add<1>(draw, {draw.uniform(0.0, 1.0), draw.uniform(0.0, 1.0), 0.0});
    }
    one.print("friction, different restitutions, one contact");
    two.print("friction, different restitutions, two contacts");
    plastic.print("friction, eps_T = 0, one contact");
    EXPECT_LT(0, one.gained);
    EXPECT_LT(one.gained, instances / 10);
    for (const Gains& gains : {one, two, plastic}) EXPECT_LE(gains.momentum, tolerance);
}

// A body against a wall, by hand: v+ = -eps v of the contact, and friction that reverses or stops the slip.
TEST(Impact, FollowsNewtonsLawOfImpact) {
    Arguments draw(34);
    int stuck = 0, slid = 0;
    for (int i = 0; i < 1000; ++i) {
        const ContactLaw<double> law{draw.uniform(0.0, 1.0), draw.uniform(0.0, 1.0), draw.uniform(0.0, 1.0)};
        const Impact<1> impact(draw, law);
        const auto& contact = impact.bodies.contact;
        const double normal = contact.velocity(0, impact.before), normal_after = contact.velocity(0, impact.after),
                     slip = contact.velocity(1, impact.before), slip_after = contact.velocity(1, impact.after);
        ASSERT_LE(normal, 0.0);
        EXPECT_NEAR(normal_after, -law.normal_restitution * normal, tolerance);
        const double limit = law.friction * impact.impulse[0], excess = slip_after + law.tangential_restitution * slip;
        if (std::abs(impact.impulse[1]) < limit * (1.0 - tolerance)) {
            EXPECT_NEAR(excess, 0.0, tolerance);
            ++stuck;
        } else {
            EXPECT_NEAR(std::abs(impact.impulse[1]), limit, tolerance);
            EXPECT_LE(impact.impulse[1] * excess, tolerance);
            ++slid;
        }
    }
    EXPECT_LT(100, stuck);
    EXPECT_LT(100, slid);
}

}  // namespace
}  // namespace myriad::test
