#include "host/mechanism/linear/eigenvalues.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace myriad::mechanism {

namespace {

constexpr int most_sweeps = 50, most_steps = 30;
constexpr double round_off = std::numeric_limits<double>::epsilon();

// Scales rows and columns by powers of two until their sums are alike.
void balance(DenseMatrix& a) {
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < a.rows; ++i) {
            double column = 0.0, row = 0.0;
            for (std::size_t k = 0; k < a.rows; ++k)
                if (k != i) column += std::abs(a(k, i)), row += std::abs(a(i, k));
            if (column == 0.0 || row == 0.0) continue;
            const double sum = column + row;
            double factor = 1.0;
            for (; column < row / 2.0; column *= 4.0) factor *= 2.0;
            for (; column >= row * 2.0; column /= 4.0) factor /= 2.0;
            if (!(column + row < 0.95 * sum * factor)) continue;
            changed = true;
            for (std::size_t k = 0; k < a.rows; ++k) a(i, k) /= factor;
            for (std::size_t k = 0; k < a.rows; ++k) a(k, i) *= factor;
        }
    }
}

// By similarity, with zeros below the first subdiagonal.
void reduce_to_hessenberg(DenseMatrix& a) {
    const std::size_t n = a.rows;
    std::vector<double> v(n);
    for (std::size_t step = 1; step + 1 < n; ++step) {
        double square = 0.0;
        for (std::size_t i = step; i < n; ++i) v[i] = a(i, step - 1), square += v[i] * v[i];
        if (square == v[step] * v[step]) continue;
        const double length = v[step] < 0.0 ? -std::sqrt(square) : std::sqrt(square);
        v[step] += length;
        const double half_norm = length * v[step];
        for (std::size_t k = 0; k < n; ++k) {
            double along = 0.0;
            for (std::size_t i = step; i < n; ++i) along += v[i] * a(i, k);
            for (std::size_t i = step; i < n; ++i) a(i, k) -= along / half_norm * v[i];
        }
        for (std::size_t k = 0; k < n; ++k) {
            double along = 0.0;
            for (std::size_t i = step; i < n; ++i) along += a(k, i) * v[i];
            for (std::size_t i = step; i < n; ++i) a(k, i) -= along / half_norm * v[i];
        }
        for (std::size_t i = step + 1; i < n; ++i) a(i, step - 1) = 0.0;
    }
}

// Those of [a b; c d].
std::pair<std::complex<double>, std::complex<double>> of_two(double a, double b, double c, double d) {
    const double half = 0.5 * (a - d), square = half * half + b * c;
    if (square < 0.0) {
        const double imaginary = std::sqrt(-square), real = 0.5 * (a + d);
        return {{real, imaginary}, {real, -imaginary}};
    }
    const double root = std::sqrt(square), far = half < 0.0 ? half - root : half + root;
    if (far == 0.0) return {d, d};
    return {d + far, d - b * c / far};
}

// One double step with the shifts whose sum and product are given, on rows and columns first to last.
void take_double_step(DenseMatrix& h, std::size_t first, std::size_t last, double sum, double product) {
    double x =
        h(first, first) * h(first, first) + h(first, first + 1) * h(first + 1, first) - sum * h(first, first) + product;
    double y = h(first + 1, first) * (h(first, first) + h(first + 1, first + 1) - sum);
    double z = first + 2 <= last ? h(first + 1, first) * h(first + 2, first + 1) : 0.0;
    for (std::size_t k = first; k < last; ++k) {
        const std::size_t size = std::min<std::size_t>(3, last - k + 1);
        if (k > first) x = h(k, k - 1), y = h(k + 1, k - 1), z = size == 3 ? h(k + 2, k - 1) : 0.0;
        const double scale = std::abs(x) + std::abs(y) + std::abs(z);
        if (scale == 0.0) continue;
        double v[3] = {x / scale, y / scale, z / scale};
        const double norm = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        const double length = v[0] < 0.0 ? -norm : norm;
        v[0] += length;
        const double half_norm = length * v[0];
        for (std::size_t column = k > first ? k - 1 : first; column <= last; ++column) {
            double along = 0.0;
            for (std::size_t i = 0; i < size; ++i) along += v[i] * h(k + i, column);
            for (std::size_t i = 0; i < size; ++i) h(k + i, column) -= along / half_norm * v[i];
        }
        for (std::size_t row = first; row <= std::min(last, k + 3); ++row) {
            double along = 0.0;
            for (std::size_t i = 0; i < size; ++i) along += h(row, k + i) * v[i];
            for (std::size_t i = 0; i < size; ++i) h(row, k + i) -= along / half_norm * v[i];
        }
        if (k > first) {
            h(k + 1, k - 1) = 0.0;
            if (size == 3) h(k + 2, k - 1) = 0.0;
        }
    }
}

}  // namespace

std::vector<double> symmetric_eigenvalues(DenseMatrix a) {
    const std::size_t n = a.rows;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = i + 1; k < n; ++k) a(i, k) = a(k, i);
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        bool rotated = false;
        for (std::size_t p = 0; p < n; ++p)
            for (std::size_t q = p + 1; q < n; ++q) {
                if (!(std::abs(a(p, q)) > 0.1 * round_off * std::sqrt(std::abs(a(p, p) * a(q, q))))) continue;
                rotated = true;
                const double ratio = 0.5 * (a(q, q) - a(p, p)) / a(p, q);
                const double tangent = (ratio < 0.0 ? -1.0 : 1.0) / (std::abs(ratio) + std::sqrt(ratio * ratio + 1.0));
                const double cosine = 1.0 / std::sqrt(tangent * tangent + 1.0), sine = tangent * cosine;
                for (std::size_t k = 0; k < n; ++k) {
                    const double x = a(k, p), y = a(k, q);
                    a(k, p) = cosine * x - sine * y, a(k, q) = sine * x + cosine * y;
                }
                for (std::size_t k = 0; k < n; ++k) {
                    const double x = a(p, k), y = a(q, k);
                    a(p, k) = cosine * x - sine * y, a(q, k) = sine * x + cosine * y;
                }
                a(p, q) = a(q, p) = 0.0;
            }
        if (!rotated) break;
    }
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = a(i, i);
    std::sort(values.begin(), values.end());
    return values;
}

std::optional<std::vector<std::complex<double>>> eigenvalues(DenseMatrix a) {
    balance(a);
    reduce_to_hessenberg(a);
    const double size = largest_size(a);
    std::vector<std::complex<double>> found;
    std::size_t end = a.rows;  // rows before it are left
    for (int step = 0; end > 0;) {
        std::size_t first = end - 1;
        while (first > 0) {
            double beside = std::abs(a(first - 1, first - 1)) + std::abs(a(first, first));
            if (beside == 0.0) beside = size;
            if (std::abs(a(first, first - 1)) <= round_off * beside) break;
            --first;
        }
        if (first > 0) a(first, first - 1) = 0.0;
        const std::size_t last = end - 1;
        if (first == last) {
            found.emplace_back(a(last, last));
            --end, step = 0;
            continue;
        }
        const double trace = a(last - 1, last - 1) + a(last, last),
                     determinant = a(last - 1, last - 1) * a(last, last) - a(last - 1, last) * a(last, last - 1);
        if (first + 1 == last) {
            const auto [one, other] = of_two(a(first, first), a(first, last), a(last, first), a(last, last));
            found.insert(found.end(), {one, other});
            end -= 2, step = 0;
            continue;
        }
        if (step++ == most_steps) return std::nullopt;
        if (step % 10 == 0) {  // other shifts than those that go round in a circle
            const double shift = std::abs(a(last, last - 1)) + std::abs(a(last - 1, last - 2));
            take_double_step(a, first, last, 1.5 * shift, shift * shift);
        } else {
            take_double_step(a, first, last, trace, determinant);
        }
    }
    return found;
}

}  // namespace myriad::mechanism
