#include "papers/nonsmooth/amplification.hpp"

#include <limits>

namespace myriad::bench {

Eigenvalues eigenvalues_of(const Amplification& a) {
    const auto minor = [&](std::size_t i, std::size_t j) { return a[i][i] * a[j][j] - a[i][j] * a[j][i]; };
    const double trace = a[0][0] + a[1][1] + a[2][2], minors = minor(0, 1) + minor(0, 2) + minor(1, 2);
    const double determinant = a[0][0] * minor(1, 2) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
                               a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
    // Durand and Kerner's iteration for all roots at once, from points without symmetry about the real axis.
    const double size = 1.0 + std::abs(trace) + std::abs(minors) + std::abs(determinant);
    Eigenvalues roots;
    for (std::size_t i = 0; i < 3; ++i) roots[i] = std::polar(std::cbrt(size), 0.4 + 2.1 * static_cast<double>(i));
    for (int iteration = 0; iteration < 500; ++iteration) {
        for (std::size_t i = 0; i < 3; ++i) {
            const std::complex<double> l = roots[i], value = ((l - trace) * l + minors) * l - determinant,
                                       others = (l - roots[(i + 1) % 3]) * (l - roots[(i + 2) % 3]);
            if (std::abs(others) > 0.0) roots[i] = l - value / others;
        }
    }
    return roots;
}

Spectrum spectrum_of(const Eigenvalues& values, double frequency_step) {
    Spectrum spectrum{0.0, 0.0, values[0]};
    const std::complex<double> exact = std::polar(1.0, frequency_step);
    for (const std::complex<double>& value : values) {
        spectrum.radius = std::max(spectrum.radius, std::abs(value));
        if (std::abs(value - exact) < std::abs(spectrum.principal - exact)) spectrum.principal = value;
    }
    const double turn = std::abs(std::arg(spectrum.principal));
    spectrum.period_elongation = turn > 0.0 ? frequency_step / turn - 1.0 : std::numeric_limits<double>::quiet_NaN();
    return spectrum;
}

Amplification published_generalized_alpha(double alpha_m, double alpha_f, double frequency_step) {
    const double root = 1.0 - alpha_m + alpha_f, gamma = 0.5 - alpha_m + alpha_f, beta = 0.25 * root * root;
    const double s = frequency_step * frequency_step, m = 1.0 - alpha_m, f = 1.0 - alpha_f, d = m + f * beta * s;
    Amplification a{
        {{m - alpha_f * beta * s, m, (0.5 - beta) * m - beta * alpha_m},
         {-gamma * s, m - f * (gamma - beta) * s, (1.0 - gamma) * m - gamma * alpha_m - f * (0.5 * gamma - beta) * s},
         {-s, -f * s, -f * (0.5 - beta) * s - alpha_m}}};
    for (auto& row : a)
        for (double& entry : row) entry /= d;
    return a;
}

Amplification published_bathe(double frequency_step) {
    const double s = frequency_step * frequency_step, d = (16.0 + s) * (9.0 + s);
    Amplification a{{{144.0 - 19.0 * s, 144.0 - 5.0 * s, 28.0},
                     {-96.0 * s + s * s, 144.0 - 47.0 * s, 48.0 - 4.0 * s},
                     {-144.0 * s + 19.0 * s * s, -144.0 * s + 5.0 * s * s, -28.0 * s}}};
    for (auto& row : a)
        for (double& entry : row) entry /= d;
    return a;
}

Amplification published_ed_alpha(double spectral_radius, double step_s, double frequency_rad_s, bool as_printed) {
    const double alpha = (1.0 - spectral_radius) / (1.0 + spectral_radius), ratio = 1.0 / 6.0, h = step_s,
                 square = frequency_rad_s * frequency_rad_s, denominator = h * ratio * (alpha + 1.0),
                 missing = as_printed ? 1.0 : h;
    const double c2 = 0.5 * h, c3 = 0.5 * h, c4 = 2.0 * ratio * alpha / denominator,
                 c5 = 2.0 * (0.5 - ratio * alpha) / denominator, c6 = -1.0 / denominator,
                 c7 = missing * ratio * (1.0 - alpha) / denominator, c8 = -h * ratio, c10 = h * ratio * alpha,
                 c11 = h * ratio * (1.0 - alpha), c12 = 1.0 / denominator, c13 = -2.0 * (0.5 + ratio) / denominator,
                 c14 = -missing * ratio * (1.0 - alpha) / denominator, c15 = 2.0 * ratio / denominator;
    const double m11 = c4 + c3 * square, m12 = c6 + c2 * square, m21 = c15 + c8 * square, m22 = c12 + c10 * square,
                 determinant = m11 * m22 - m12 * m21;
    Amplification matrix;
    for (std::size_t column = 0; column < 3; ++column) {
        const double q = column == 0, v = column == 1 ? 1.0 / h : 0.0, a = column == 2 ? 1.0 / (h * h) : 0.0;
        const double r1 = -c5 * v - c7 * a - square * q, r2 = -c13 * v - c14 * a - square * (q + c11 * v);
        const double last = (m22 * r1 - m12 * r2) / determinant, jump = (m11 * r2 - m21 * r1) / determinant;
        matrix[0][column] = q + c2 * jump + c3 * last, matrix[1][column] = h * last;
        matrix[2][column] = h * h * (c4 * last + c5 * v + c6 * jump + c7 * a);
    }
    return matrix;
}

}  // namespace myriad::bench
