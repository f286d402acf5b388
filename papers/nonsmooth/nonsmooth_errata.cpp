// Equations of the nonsmooth paper whose terms do not follow from the others: eqs. 83 and 169. Eqs. 25 and 90 stand
// with the three masses and the linear analysis.
#include <array>
#include <cmath>

#include "kernels/systems/slider_crank_clearance.hpp"
#include "papers/nonsmooth/contact_run.hpp"
#include "papers/nonsmooth/nonsmooth.hpp"
#include "papers/nonsmooth/oscillator.hpp"

namespace myriad::bench {

namespace {

// q'' + c q' + q = 0.
constexpr double damping_1_s = 0.2;

struct DampedOscillator : Oscillator<double> {
    static Prepared<DampedOscillator> prepare(const Vec<1, double>& p) {
        return {{Oscillator<double>::prepare(p).system}, 0.0, 0.0};
    }
    Velocity force(const Configuration& q, const Velocity& v, double) const {
        return {-(square * q[0]) - damping_1_s * v[0]};
    }
    TangentMatrices<1, double> tangents_of(const Configuration&, const Velocity&, const Velocity&, double) const {
        return {{{{square}}}, {{{damping_1_s}}}};
    }
};

// The error of q at t = 1, let go at rest from q = 1, by ED-alpha of radius 0.5, which remembers the acceleration.
double error_at_1_s(int steps, bool as_printed) {
    const Vec<1, double> parameters{1.0};
    ContactRun<NonsmoothEdAlpha, DampedOscillator> run(parameters, contact_schedule(1.0 / steps, 1.0, 0.5));
    if (as_printed) run.memory.acceleration[0] = run.memory.algorithmic[0] = -1.0 - damping_1_s;
    run.run();
    const double half = 0.5 * damping_1_s, w = std::sqrt(1.0 - half * half);
    return std::abs(run.motion.q[0] - std::exp(-half) * (std::cos(w) + half / w * std::sin(w)));
}

void add_first_acceleration(MarkdownPage& page) {
    const std::array<double, 2> printed{error_at_1_s(100, true), error_at_1_s(200, true)},
        corrected{error_at_1_s(100, false), error_at_1_s(200, false)};
    state(page, "eq. 83: M a_0 = h_0 - K_0 q_0 - C, where eq. 77 has C v", printed[1] < 2.0 * corrected[1],
          "q'' + 0.2 q' + q = 0 from rest at q = 1, radius 0.5: q at t = 1 is off by " + figure(printed[0]) + " and " +
              figure(printed[1]) + " in 100 and 200 steps as printed; with C v_0 by " + figure(corrected[0]) + " and " +
              figure(corrected[1]));
}

// The load of the crank's weight on its angle follows from the potential energy, of which the crank's mass has a share.
void add_weight_of_the_crank(MarkdownPage& page) {
    using Crank = SliderCrankClearance<double, NoChart>;
    constexpr double angle_rad = 0.3, mass_kg = 0.038, half_length_m = 0.5 * 0.153, g = 9.81, difference_rad = 1e-4;
    const auto potential = [](double crank_mass_kg, double crank_angle_rad) {
        Crank::Configuration q{};
        q[0] = crank_angle_rad;
        return Crank::prepare(parameters_with<Crank>({{"crank.mass_kg", crank_mass_kg}}))
            .system.energy(q, Crank::Velocity{});
    };
    const auto of_crank = [&](double crank_angle_rad) {
        return potential(2.0 * mass_kg, crank_angle_rad) - potential(mass_kg, crank_angle_rad);
    };
    const double derived = (of_crank(angle_rad - difference_rad) - of_crank(angle_rad + difference_rad)) /
                           (2.0 * difference_rad),
                 moment = mass_kg * g * half_length_m, printed = -moment * std::sin(angle_rad),
                 corrected = -moment * std::cos(angle_rad);
    state(page, "eq. 169: the crank's weight loads its angle by -m g l/2 sin(theta_1)",
          std::abs(printed - derived) < 1e-6 * moment,
          "at 0.3 rad from the slot's axis, weight across it: " + figure(printed) + " N m as printed, " +
              figure(derived) + " N m from the potential energy; with cos(theta_1) " + figure(corrected) + " N m");
}

}  // namespace

void nonsmooth_errata(MarkdownPage& page) {
    add_first_acceleration(page);
    add_weight_of_the_crank(page);
}

}  // namespace myriad::bench
