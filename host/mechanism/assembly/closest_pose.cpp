#include "host/mechanism/assembly/closest_pose.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace myriad::mechanism {

namespace {

// Weights of the relaxed joint beside rows of weight 1. Their gap is the square of the weight times the gap of the
// joint. A small weight at once would make the way to the minimum a long one.
constexpr double weights_of_relaxed[] = {1.0, 0.1, 0.01, 0.001};
constexpr int most_attempts = 150;  // with each
// A pose counts as closed as an assembled one does, with room for the weight.
constexpr double closed = 1e-6;

// A x = b with A symmetric and positive definite, by Cholesky's factors in place of A's lower triangle.
std::vector<double> solve(std::vector<double> a, std::vector<double> b) {
    const std::size_t n = b.size();
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < j; ++k)
            for (std::size_t i = j; i < n; ++i) a[i * n + j] -= a[i * n + k] * a[j * n + k];
        const double pivot = std::sqrt(a[j * n + j]);
        for (std::size_t i = j; i < n; ++i) a[i * n + j] /= pivot;
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
    return b;
}

class Search {
  public:
    Search(const Mechanism& mechanism, const std::vector<double>& kernel_parameters)
        : mechanism_(mechanism),
          table_(mechanism.table),
          at_(std::make_unique<NominalInstance>(table_, kernel_parameters)),
          length_scale_m_(kernel_parameters[length_scale_parameter]),
          weights_(static_cast<std::size_t>(table_.elements), 1.0),
          is_relaxed_(weights_.size(), false) {
        relax(farthest());
    }

    ClosestPose run() {
        for (const double weight : weights_of_relaxed) descend(weight);
        const JointError open = farthest();
        return {open, !open.exceeds(closed * length_scale_m_, closed)};
    }

  private:
    // Levenberg's and Marquardt's method: the damping falls with each step that comes nearer, and rises with others.
    void descend(double weight) {
        constexpr double least_damping = 1e-14, largest_damping = 1e6, least_gain = 1e-12;
        for (std::size_t e = 0; e < weights_.size(); ++e)
            if (is_relaxed_[e]) weights_[e] = weight;
        double damping = 1e-3 * weight * weight, square = evaluate(), gain = 1.0;
        for (int attempt = 0; attempt < most_attempts && square > 0.0 && gain > least_gain; ++attempt) {
            if (damping > largest_damping) return;
            const std::vector<double> step = correction(damping), jacobian = jacobian_, value = value_;
            const auto before = at_->motion.q;
            apply(step);
            const double after = evaluate();
            if (after < square) {
                gain = 1.0 - after / square;
                square = after, damping = std::max(0.5 * damping, least_damping);
            } else {
                at_->motion.q = before, jacobian_ = jacobian, value_ = value;
                damping *= 3.0;
            }
        }
    }

    JointError farthest() { return worst_of(joint_errors(mechanism_, *at_), length_scale_m_); }

    // Rows of length alone where there are some, so that what is open is a length.
    void relax(const JointError& joint) {
        const int end = joint.first_element + joint.element_count;
        bool has_lengths = false;
        for (int e = joint.first_element; e < end; ++e)
            has_lengths = has_lengths || points_offset(table_.element[e].kind) >= 0;
        for (int e = joint.first_element; e < end; ++e)
            is_relaxed_[static_cast<std::size_t>(e)] = !has_lengths || points_offset(table_.element[e].kind) >= 0;
    }

    // Weighted phi and its gradient by (x / length scale, theta) of each body; returns |phi|^2.
    double evaluate() {
        at_->system.place(at_->motion.q, at_->scratch.work.bodies);
        const auto equations = at_->system.equations(at_->scratch.functions);
        const std::size_t columns = 6 * static_cast<std::size_t>(table_.bodies);
        jacobian_.clear(), value_.clear();
        for (int e = 0; e < table_.elements; ++e) {
            const Element& element = table_.element[e];
            if (element.has_law || element.is_sensor) continue;
            const bool is_length = points_offset(element.kind) >= 0;
            const double weight = weights_[static_cast<std::size_t>(e)];
            const double scale = is_length ? weight / length_scale_m_ : weight;
            const Rows<double> rows = equations.rows(element, at_->scratch.work.bodies, at_->motion.q.turned);
            for (int k = 0; k < rows_of(element.kind); ++k) {
                value_.push_back(scale * rows.value[k]);
                jacobian_.resize(jacobian_.size() + columns, 0.0);
                double* const row = jacobian_.data() + jacobian_.size() - columns;
                for (int side = 0; side < 2; ++side) {
                    const int b = element.body[side];
                    if (b < 0) continue;
                    for (int i = 0; i < 3; ++i) {
                        const double direction = side == 1 ? rows.direction[k][i] : -rows.direction[k][i];
                        if (is_length && (table_.pinned[b] & 1) == 0) row[6 * b + i] = weight * direction;
                        if ((table_.pinned[b] & 2) == 0) row[6 * b + 3 + i] = scale * rows.turn[side][k][i];
                    }
                }
            }
        }
        double square = 0.0;
        for (const double value : value_) square += value * value;
        return square;
    }

    // -J^T (J J^T + damping)^-1 phi
    std::vector<double> correction(double damping) const {
        const std::size_t n = value_.size(), columns = jacobian_.size() / n;
        std::vector<double> normal(n * n), step(columns, 0.0);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                double product = i == j ? damping : 0.0;
                for (std::size_t c = 0; c < columns; ++c)
                    product += jacobian_[i * columns + c] * jacobian_[j * columns + c];
                normal[i * n + j] = product;
            }
        const std::vector<double> multipliers = solve(std::move(normal), value_);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t c = 0; c < columns; ++c) step[c] -= jacobian_[i * columns + c] * multipliers[i];
        return step;
    }

    // No body turns by more than 1 rad at once.
    void apply(const std::vector<double>& step) {
        double widest = 1.0;
        const auto part = [&](int b, int first) {
            const auto at = static_cast<std::size_t>(6 * b + first);
            return Vector{step[at], step[at + 1], step[at + 2]};
        };
        for (int b = 0; b < table_.bodies; ++b) widest = std::max(widest, length(part(b, 3)));
        for (int b = 0; b < table_.bodies; ++b) {
            at_->motion.q.position[b] = at_->motion.q.position[b] + (length_scale_m_ / widest) * part(b, 0);
            at_->motion.q.orientation[b] =
                renormalized(at_->motion.q.orientation[b] * exp((1.0 / widest) * part(b, 3)));
        }
    }

    const Mechanism& mechanism_;
    const MechanismTable& table_;
    std::unique_ptr<NominalInstance> at_;
    double length_scale_m_;
    std::vector<double> weights_;  // of each element's rows
    std::vector<bool> is_relaxed_;
    std::vector<double> jacobian_, value_;
};

}  // namespace

ClosestPose closest_pose(const Mechanism& mechanism, const std::vector<double>& kernel_parameters) {
    return Search(mechanism, kernel_parameters).run();
}

}  // namespace myriad::mechanism
