// The linear analysis of a timestepping scheme, from its code: one step of q'' + w^2 q = 0 from each unit state.
//
//   (q, h v, h^2 b) -> A (q, h v, h^2 b) a step later;  b: the acceleration that the method remembers;  W = w h
//   eigenvalues: roots of l^3 - A_1 l^2 + A_2 l - A_3, trace, principal minors, determinant     nonsmooth eq. 97
//   spectral radius: the largest |l|;  period elongation: W / arg(l) - 1 of the eigenvalue l next to exp(iW)
//
// Not handled: defective matrices to full precision; a double root has half the digits.
#pragma once
#include <array>
#include <complex>
#include <type_traits>

#include "papers/nonsmooth/contact_run.hpp"
#include "papers/nonsmooth/oscillator.hpp"

namespace myriad::bench {

using Amplification = std::array<std::array<double, 3>, 3>;
using Eigenvalues = std::array<std::complex<double>, 3>;

// The step is 1.
template <class Member>
Amplification amplification_of(double frequency_step, const Schedule& settings) {
    Amplification matrix;
    for (std::size_t column = 0; column < 3; ++column) {
        const Vec<1, double> parameters{frequency_step};
        ContactRun<Member, Oscillator<double>> run(parameters, settings);
        run.motion.q[0] = column == 0, run.motion.v[0] = column == 1;
        run.memory.algorithmic[0] = column == 2;
        // Generalized-alpha remembers A; its v' obeys the equation of motion. The others remember v'.
        run.memory.acceleration[0] = std::is_base_of_v<NonsmoothGeneralizedAlpha, Member>
                                         ? -frequency_step * frequency_step * run.motion.q[0]
                                         : run.memory.algorithmic[0];
        run.step();
        matrix[0][column] = run.motion.q[0], matrix[1][column] = run.motion.v[0];
        matrix[2][column] = run.memory.algorithmic[0];
    }
    return matrix;
}

Eigenvalues eigenvalues_of(const Amplification& a);

struct Spectrum {
    double radius, period_elongation;
    std::complex<double> principal;
};
Spectrum spectrum_of(const Eigenvalues& values, double frequency_step);

inline Schedule unit_step(double spectral_radius) {
    Schedule schedule = contact_schedule(1.0, 10.0, spectral_radius);
    schedule.newton_tolerance = 1e-13;
    return schedule;
}
inline Schedule free_alphas(double alpha_m, double alpha_f) {
    Schedule schedule = unit_step(0.0);
    schedule.free_alphas = 1.0, schedule.alpha_m = alpha_m, schedule.alpha_f = alpha_f;
    return schedule;
}

// nonsmooth eqs. 95, 96 and 106, 107; the rows of eq. 106 stand in the order of the state here.
Amplification published_generalized_alpha(double alpha_m, double alpha_f, double frequency_step);
Amplification published_bathe(double frequency_step);
// nonsmooth eqs. 86 to 90 for the oscillator; `as_printed` without the step in c_7 and c_14.
Amplification published_ed_alpha(double spectral_radius, double step_s, double frequency_rad_s, bool as_printed);

}  // namespace myriad::bench
