// Single impacts of two random bodies in a plane by the contact laws: invariants and gains.
#pragma once
#include <cmath>

#include "kernels/integrators/contact/formula_equations.hpp"
#include "kernels/integrators/contact/impact.hpp"
#include "kernels/systems/vector_coordinates.hpp"

namespace myriad::bench {

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
    Vec<6, double> place, before, after;
    double loss, energy;
    Vec<2 * C, double> impulse;
    bool solved;

    // draw.uniform(low, high): a random number.
    template <class Draw>
    Impact(Draw& draw, const ContactLaw<double>& law) {
        bodies.laws = law;
        for (int b = 0; b < 2; ++b) {
            bodies.inertia[3 * b] = bodies.inertia[3 * b + 1] = std::exp(draw.uniform(-1.5, 1.5));
            bodies.inertia[3 * b + 2] = bodies.inertia[3 * b] * draw.uniform(0.05, 0.5);
        }
        for (int i = 0; i < 6; ++i) place[i] = draw.uniform(-1.0, 1.0), before[i] = draw.uniform(-1.0, 1.0);
        const double angle = draw.uniform(-3.0, 3.0), nx = std::cos(angle), ny = std::sin(angle);
        bool approaches = false;
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
            bodies.contact.gap[k] = 0.0;
            approaches = approaches || bodies.contact.velocity(2 * k, before) < 0.0;
        }
        // Bodies that only part would test nothing.
        if (!approaches) before = -before;
        Schedule schedule{};
        schedule.prox_tolerance = 1e-12, schedule.most_prox_iterations = 200;
        const ContactSettings settings = ContactSettings::of(schedule);
        ContactEffort<double> effort = ContactEffort<double>::none();
        ContactEquations<TwoBodies<C>> equations(bodies);
        const FormulaPlaces<TwoBodies<C>> places{{}, bodies.contact};
        const auto masks = ClosedContacts<double, ContactTopologyOf<TwoBodies<C>>>::of(equations, places, settings);
        Motion<TwoBodies<C>> motion{place, before};
        JointImpulses<TwoBodies<C>> none;
        ContactLoads<double, ContactTopologyOf<TwoBodies<C>>> loads;
        myriad::Impact<TwoBodies<C>> impact{bodies, places, masks, settings, effort, 0.0};
        impact.resolve(equations, true, motion, loads, none);
        after = motion.v, loss = impact.loss_J, solved = impact.solved;
        for (int i = 0; i < 2 * C; ++i) impulse[i] = loads[i];
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

// Relative to the energies and momenta: contact laws to 1e-12, times the spread of masses and arms, a hundred each.
constexpr double impact_tolerance = 1e-9;

// NaN is larger than every number.
inline double larger(double a, double b) { return std::isnan(a) || b <= a ? a : b; }

struct Gains {
    int count = 0, gained = 0, unsolved = 0;  // gained: of those that are solved
    double largest = 0.0, momentum = 0.0;

    template <int C, class Draw>
    void add(Draw& draw, const ContactLaw<double>& law) {
        const Impact<C> impact(draw, law);
        ++count;
        if (!impact.solved) {
            ++unsolved;
            return;
        }
        const Vec<3, double> change = impact.momentum(impact.after) - impact.momentum(impact.before);
        for (int i = 0; i < 3; ++i) momentum = larger(momentum, std::abs(change[i]));
        const double gain = -impact.loss / impact.energy;
        gained += !(gain <= impact_tolerance);
        largest = larger(largest, gain);
    }
};

}  // namespace myriad::bench
