#include "host/mechanism/assembly/start_rows.hpp"

#include <algorithm>

#include "kernels/mechanism/equations.hpp"

namespace myriad::mechanism {

namespace {

constexpr double added_inertia_share = 1e-12;
// The weight of a body without mass beside the largest mass: it moves before the others do.
constexpr double massless_share = 1e-3;

// L with L L^T = j
Mat3<double> cholesky_of(const Mat3<double>& j) {
    Mat3<double> root = zero_matrix<double>();
    for (int c = 0; c < 3; ++c)
        for (int r = c; r < 3; ++r) {
            double left = j.e[r][c];
            for (int k = 0; k < c; ++k) left -= root.e[r][k] * root.e[c][k];
            root.e[r][c] = r == c ? sqrt(left) : left / root.e[c][c];
        }
    return root;
}
// L^-1 v
Vector forward(const Mat3<double>& root, Vector v) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < r; ++c) v[r] -= root.e[r][c] * v[c];
        v[r] /= root.e[r][r];
    }
    return v;
}
// L^-T v
Vector backward(const Mat3<double>& root, Vector v) {
    for (int r = 2; r >= 0; --r) {
        for (int c = r + 1; c < 3; ++c) v[r] -= root.e[c][r] * v[c];
        v[r] /= root.e[r][r];
    }
    return v;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

std::size_t column(int body, int i) { return static_cast<std::size_t>(6 * body + i); }

}  // namespace

LeastChange::LeastChange(const MechanismTable& table, const double* parameters)
    : table_(table), so_far_(column(table.bodies, 0), 0.0) {
    double largest = 0.0;
    for (int b = 0; b < table.bodies; ++b) largest = std::max(largest, parameters[parameters_of_body(b) + body_mass]);
    const double weight_of_massless = largest > 0.0 ? massless_share * largest : 1.0;
    for (int b = 0; b < table.bodies; ++b) {
        const int at = parameters_of_body(b);
        const double own = parameters[at + body_mass], length = parameters[length_scale_parameter];
        const double mass = own > 0.0 ? own : weight_of_massless;
        Mat3<double> inertia = matrix_of(symmetric_at<double>(parameters, at + body_inertia));
        const double added =
            added_inertia_share * (inertia.e[0][0] + inertia.e[1][1] + inertia.e[2][2] + mass * (length * length));
        for (int i = 0; i < 3; ++i) inertia.e[i][i] += own > 0.0 ? added : mass * (length * length);
        inverse_root_mass_.push_back(1.0 / sqrt(mass));
        root_.push_back(cholesky_of(inertia));
    }
}

std::vector<double> LeastChange::row_in_y(const StateRow& row, bool keeps_pinned) const {
    std::vector<double> y(so_far_.size(), 0.0);
    for (int side = 0; side < 2; ++side) {
        const int b = row.body[static_cast<std::size_t>(side)];
        if (b < 0) continue;
        const auto body = static_cast<std::size_t>(b);
        const int pinned = keeps_pinned ? table_.pinned[b] : 0;
        const Vector turn = forward(root_[body], row.turn[static_cast<std::size_t>(side)]);
        for (int i = 0; i < 3; ++i) {
            const double along = inverse_root_mass_[body] * row.direction[i];
            if ((pinned & 1) == 0) y[column(b, i)] = side == 1 ? along : -along;
            if ((pinned & 2) == 0) y[column(b, 3 + i)] = turn[i];
        }
    }
    return y;
}

std::vector<double> LeastChange::change(const std::vector<StateRow>& rows, bool keeps_pinned, double tolerance) {
    std::vector<std::vector<double>> basis;
    std::vector<double> along, total(so_far_.size(), 0.0);
    for (const StateRow& row : rows) {
        std::vector<double> left = row_in_y(row, keeps_pinned);
        const double length = sqrt(product(left, left));
        double wanted = product(left, so_far_) - row.value;
        for (int round = 0; round < 2; ++round)
            for (std::size_t k = 0; k < basis.size(); ++k) {
                const double part = product(left, basis[k]);
                for (std::size_t i = 0; i < left.size(); ++i) left[i] -= part * basis[k][i];
                wanted -= part * along[k];
            }
        const double rest = sqrt(product(left, left));
        if (!(rest > tolerance * length)) continue;
        for (double& entry : left) entry /= rest;
        along.push_back(wanted / rest);
        for (std::size_t i = 0; i < left.size(); ++i) total[i] += along.back() * left[i];
        basis.push_back(std::move(left));
    }
    std::vector<double> change(so_far_.size());
    for (int b = 0; b < table_.bodies; ++b) {
        const auto body = static_cast<std::size_t>(b);
        Vector turn;
        for (int i = 0; i < 3; ++i) {
            change[column(b, i)] = inverse_root_mass_[body] * (total[column(b, i)] - so_far_[column(b, i)]);
            turn[i] = total[column(b, 3 + i)] - so_far_[column(b, 3 + i)];
        }
        turn = backward(root_[body], turn);
        for (int i = 0; i < 3; ++i) change[column(b, 3 + i)] = turn[i];
    }
    return change;
}

void LeastChange::note(const std::vector<double>& change) {
    for (int b = 0; b < table_.bodies; ++b) {
        const auto body = static_cast<std::size_t>(b);
        for (int i = 0; i < 3; ++i) {
            so_far_[column(b, i)] += change[column(b, i)] / inverse_root_mass_[body];
            for (int k = i; k < 3; ++k)  // L^T theta
                so_far_[column(b, 3 + i)] += root_[body].e[k][i] * change[column(b, 3 + k)];
        }
    }
}

}  // namespace myriad::mechanism
