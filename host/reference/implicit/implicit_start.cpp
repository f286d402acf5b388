#include "host/reference/implicit/implicit_start.hpp"

#include "host/reference/implicit/implicit_update.hpp"
#include "host/reference/mathematics/decomposition.hpp"

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;
using Charts = std::vector<std::unique_ptr<OrientationChart>>;

// d of the difference, as a share of the step.
constexpr double start_difference_share = 1.0 / 64.0;

// The second rates at a time d after the start.
VectorXd second_rates_after(const MechanismModel& model, const MechanismMotion& motion, const Charts& charts, double d,
                            const VectorXd& w, const VectorXd& s) {
    const VectorXd increment = d * w + 0.5 * d * d * s, rates = w + d * s;
    MechanismState state = motion.state;
    state.time_s += d;
    Index q = 0;
    for (std::size_t b = 0; b < charts.size(); ++b) {
        const Index l = charts[b]->size();
        const ChartMotion there =
            charts[b]->motion(increment.segment(q + 3, l), rates.segment(q + 3, l), s.segment(q + 3, l));
        BodyState& body = state.bodies[b];
        body.position += increment.segment<3>(q);
        body.velocity = rates.segment<3>(q);
        body.orientation = there.orientation, body.angular_velocity = there.angular_velocity;
        q += 3 + l;
    }
    const VectorXd acceleration = with_accelerations(model, state).acceleration;
    VectorXd second_rates(s.size());
    q = 0;
    for (std::size_t b = 0; b < charts.size(); ++b) {
        const Index l = charts[b]->size(), x = 6 * static_cast<Index>(b);
        second_rates.segment<3>(q) = acceleration.segment<3>(x);
        second_rates.segment(q + 3, l) = charts[b]->second_rates(increment.segment(q + 3, l), rates.segment(q + 3, l),
                                                                 acceleration.segment<3>(x + 3));
        q += 3 + l;
    }
    return second_rates;
}

// w x s of the rotations.
VectorXd bracket(const Charts& charts, const VectorXd& w, const VectorXd& s) {
    VectorXd b = VectorXd::Zero(w.size());
    for (std::size_t i = 0; i < charts.size(); ++i) {
        const Index x = 6 * static_cast<Index>(i) + 3;
        b.segment<3>(x) = Eigen::Vector3d(w.segment<3>(x)).cross(Eigen::Vector3d(s.segment<3>(x)));
    }
    return b;
}

// P x; nothing where it is not determined.
VectorXd projection(const MechanismModel& model, const MechanismMotion& motion, const Charts& charts,
                    const VectorXd& x) {
    const MechanismTerms terms = mechanism_terms(model, motion.state, motion.multipliers);
    MatrixXd G = MatrixXd::Zero(terms.mass.rows(), x.size()), condition_jacobian(0, x.size());
    Index q = 0;
    for (std::size_t b = 0; b < charts.size(); ++b) {
        const Index l = charts[b]->size(), row = 6 * static_cast<Index>(b);
        const VectorXd none = VectorXd::Zero(l);
        G.block<3, 3>(row, q) = Eigen::Matrix3d::Identity();
        G.block(row + 3, q + 3, 3, l) = charts[b]->motion(none, none, none).velocity_by_rates;
        const MatrixXd own = charts[b]->condition_jacobian(none);
        condition_jacobian.conservativeResize(condition_jacobian.rows() + own.rows(), x.size());
        condition_jacobian.bottomRows(own.rows()).setZero();
        condition_jacobian.block(condition_jacobian.rows() - own.rows(), q + 3, own.rows(), l) = own;
        q += 3 + l;
    }
    MatrixXd rows(condition_jacobian.rows() + terms.constraint_jacobian.rows(), x.size());
    rows << condition_jacobian, terms.constraint_jacobian * G;
    return projected_on_rows(G.transpose() * terms.mass * G, rows, x);
}

}  // namespace

VectorXd projected_on_rows(const MatrixXd& mass, const MatrixXd& rows, const VectorXd& x) {
    const Index n = x.size(), m = rows.rows();
    MatrixXd matrix = MatrixXd::Zero(n + m, n + m);
    matrix.topLeftCorner(n, n) = mass;
    matrix.topRightCorner(n, m) = rows.transpose();
    matrix.bottomLeftCorner(m, n) = rows;
    const Decomposition<double> decomposition = full_pivoting(matrix);
    if (!decomposition.is_invertible()) return {};
    VectorXd right = VectorXd::Zero(n + m);
    right.tail(m) = rows * x;
    return decomposition.solve(right).head(n);
}

ImplicitStart implicit_start(const std::string& method, double spectral_radius, double h, const VectorXd& w,
                             const VectorXd& s, const VectorXd& b, const Projection& projection,
                             const SecondRatesAfter& second_rates_after) {
    if (method == "implicit_euler") {
        const VectorXd y = projection(s);
        return {y.size() > 0 && y.allFinite() ? VectorXd(w - 0.5 * h * y) : w, s};
    }
    const AlphaNumbers by = alpha_numbers(spectral_radius);
    const double ahead = by.alpha_m - by.alpha_f, C = 1.0 / 6.0 - by.beta - 0.5 * ahead, d = start_difference_share * h;
    const VectorXd third = (second_rates_after(d) - s) / d;
    const VectorXd y = projection(C * third + b / 12.0);
    if (y.size() == 0 || !y.allFinite()) return {w, s};
    return {w + h * h * y, s + ahead / C * h * (y - b / 12.0)};
}

ImplicitStart implicit_start(const MechanismModel& model, const MechanismMotion& motion, const Charts& charts,
                             const std::string& method, double spectral_radius, bool on_group, double h,
                             const VectorXd& w, const VectorXd& s) {
    return implicit_start(
        method, spectral_radius, h, w, s, on_group ? bracket(charts, w, s) : VectorXd(VectorXd::Zero(w.size())),
        [&](const VectorXd& x) { return projection(model, motion, charts, x); },
        [&](double d) { return second_rates_after(model, motion, charts, d, w, s); });
}

}  // namespace myriad::reference
