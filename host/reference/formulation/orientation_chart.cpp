#include "host/reference/formulation/orientation_chart.hpp"

#include <numbers>

#include "host/reference/formulation/formulation.hpp"
#include "host/reference/mathematics/cardan_angles.hpp"
#include "host/reference/mathematics/decomposition.hpp"
#include "host/reference/mathematics/forward_derivative.hpp"
#include "host/text/user_error.hpp"

namespace myriad::reference {

namespace {

using Eigen::Index, Eigen::Matrix3d, Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;

// Below this, the sine or cosine has lost half of its digits and the rates with it.
constexpr double smallest_sine = 1e-9;

// Partial derivatives by three angles, their rates and second rates, of quantities along a motion in time.
using Parts = Differentiated<double, 9>;
using InTime = Differentiated<Differentiated<Parts, 1>, 1>;

template <class Scalar>
using Matrix = std::array<std::array<Scalar, 3>, 3>;

template <class Scalar>
Matrix<Scalar> product(const Matrix<Scalar>& a, const Matrix<Scalar>& b) {
    Matrix<Scalar> result;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) result[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
    return result;
}

template <class Scalar>
Matrix<Scalar> turn_about(std::size_t axis, const Scalar& angle) {
    using std::sin, std::cos;
    const std::size_t next = (axis + 1) % 3, last = (axis + 2) % 3;
    Matrix<Scalar> R;
    R[axis][axis] = Scalar(1.0);
    R[next][next] = R[last][last] = cos(angle);
    R[last][next] = sin(angle);
    R[next][last] = -sin(angle);
    return R;
}

// vee of the skew part of A^T B.
Vector3d axis_of(const Matrix3d& A, const Matrix3d& B) {
    const Matrix3d C = A.transpose() * B;
    return 0.5 * Vector3d(C(2, 1) - C(1, 2), C(0, 2) - C(2, 0), C(1, 0) - C(0, 1));
}

std::array<Parts, 3> axis_of(const Matrix<Parts>& A, const Matrix<Parts>& B) {
    const auto entry = [&](std::size_t i, std::size_t j) {
        return A[0][i] * B[0][j] + A[1][i] * B[1][j] + A[2][i] * B[2][j];
    };
    return {(entry(2, 1) - entry(1, 2)) * 0.5, (entry(0, 2) - entry(2, 0)) * 0.5, (entry(1, 0) - entry(0, 1)) * 0.5};
}

class RotationVector : public OrientationChart {
  public:
    explicit RotationVector(const Matrix3d& orientation) : orientation_(orientation) {}

    Index size() const override { return 3; }
    ChartMotion motion(const VectorXd& increment, const VectorXd& rates, const VectorXd& second_rates) const override {
        const MatrixXd zero = MatrixXd::Zero(3, 3), one = MatrixXd::Identity(3, 3);
        return {orientation_ * rotation_exponential(increment),
                rates,
                second_rates,
                tangent_operator(increment),
                zero,
                one,
                zero,
                zero,
                one};
    }
    VectorXd condition(const VectorXd&) const override { return {}; }
    MatrixXd condition_jacobian(const VectorXd&) const override { return MatrixXd(0, 3); }
    VectorXd slope(const VectorXd& increment, const VectorXd& rates) const override {
        return tangent_inverse(increment, rates);
    }
    void require_regular(const Matrix3d&) const override {}
    void advance(const VectorXd& increment) override {
        orientation_ = orthonormalized(orientation_ * rotation_exponential(increment));
    }

  private:
    Matrix3d orientation_;
};

class Angles : public OrientationChart {
  public:
    explicit Angles(const Vector3d& coordinates) : coordinates_(coordinates) {}

    Index size() const override { return coordinates_.size(); }
    ChartMotion motion(const VectorXd& increment, const VectorXd& rates, const VectorXd& second_rates) const override;
    VectorXd condition(const VectorXd&) const override { return {}; }
    MatrixXd condition_jacobian(const VectorXd&) const override { return MatrixXd(0, size()); }
    VectorXd slope(const VectorXd&, const VectorXd& rates) const override { return rates; }
    void advance(const VectorXd& increment) override { coordinates_ += increment; }

  protected:
    virtual Matrix<InTime> rotation(const std::vector<InTime>& coordinates) const = 0;
    virtual void check(const VectorXd& coordinates) const = 0;

    VectorXd coordinates_;
};

// rho(tau) = rho + rho' tau + rho'' tau^2 / 2, so that R, R' and R'' come out together, each with its partial
// derivatives: R'' is the mixed derivative of the two nested differentiations in tau.
ChartMotion Angles::motion(const VectorXd& increment, const VectorXd& rates, const VectorXd& second_rates) const {
    const auto count = static_cast<std::size_t>(size());
    check(coordinates_ + increment);
    std::vector<InTime> rho(count);
    for (std::size_t k = 0; k < count; ++k) {
        const auto i = static_cast<Index>(k);
        Parts coordinate(coordinates_[i] + increment[i]), rate(rates[i]), second_rate(second_rates[i]);
        coordinate.derivative[k] = 1.0;
        rate.derivative[count + k] = 1.0;
        second_rate.derivative[2 * count + k] = 1.0;
        rho[k].value.value = coordinate;
        rho[k].value.derivative[0] = rho[k].derivative[0].value = rate;
        rho[k].derivative[0].derivative[0] = second_rate;
    }
    const Matrix<InTime> R_in_time = rotation(rho);
    Matrix<Parts> R, R_dot, R_dot_dot;
    ChartMotion motion;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            R[i][j] = R_in_time[i][j].value.value;
            R_dot[i][j] = R_in_time[i][j].value.derivative[0];
            R_dot_dot[i][j] = R_in_time[i][j].derivative[0].derivative[0];
            motion.orientation(static_cast<Index>(i), static_cast<Index>(j)) = R[i][j].value;
        }
    const std::array<Parts, 3> w = axis_of(R, R_dot), w_dot = axis_of(R, R_dot_dot);
    motion.displacement_by_coordinates = motion.velocity_by_coordinates = motion.velocity_by_rates =
        motion.acceleration_by_coordinates = motion.acceleration_by_rates = motion.acceleration_by_second_rates =
            MatrixXd(3, size());
    for (std::size_t k = 0; k < count; ++k) {
        const auto column = static_cast<Index>(k);
        Matrix3d change;
        for (Index i = 0; i < 3; ++i)
            for (Index j = 0; j < 3; ++j)
                change(i, j) = R[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].derivative[k];
        motion.displacement_by_coordinates.col(column) = axis_of(motion.orientation, change);
        for (Index row = 0; row < 3; ++row) {
            const Parts &velocity = w[static_cast<std::size_t>(row)],
                        &acceleration = w_dot[static_cast<std::size_t>(row)];
            motion.angular_velocity[row] = velocity.value;
            motion.angular_acceleration[row] = acceleration.value;
            motion.velocity_by_coordinates(row, column) = velocity.derivative[k];
            motion.velocity_by_rates(row, column) = velocity.derivative[count + k];
            motion.acceleration_by_coordinates(row, column) = acceleration.derivative[k];
            motion.acceleration_by_rates(row, column) = acceleration.derivative[count + k];
            motion.acceleration_by_second_rates(row, column) = acceleration.derivative[2 * count + k];
        }
    }
    return motion;
}

class EulerParameters : public OrientationChart {
  public:
    explicit EulerParameters(const Matrix3d& orientation) : coordinates_(quaternion_of(orientation)) {}

    Index size() const override { return 4; }
    void require_regular(const Matrix3d&) const override {}
    // w' = (G p')' = G(p) p'' + G(p') p', and G(p') p' = 0.
    ChartMotion motion(const VectorXd& increment, const VectorXd& rates, const VectorXd& second_rates) const override {
        const VectorXd p = coordinates_ + increment;
        const MatrixXd zero = MatrixXd::Zero(3, 4);
        return {Eigen::Quaterniond(p[0], p[1], p[2], p[3]).normalized().toRotationMatrix(),
                G(p) * rates,
                G(p) * second_rates,
                G(p) / p.squaredNorm(),
                -G(rates),
                G(p),
                -G(second_rates),
                zero,
                G(p)};
    }
    VectorXd condition(const VectorXd& increment) const override {
        return VectorXd::Constant(1, 0.5 * ((coordinates_ + increment).squaredNorm() - 1.0));
    }
    MatrixXd condition_jacobian(const VectorXd& increment) const override {
        return (coordinates_ + increment).transpose();
    }
    VectorXd slope(const VectorXd&, const VectorXd& rates) const override { return rates; }
    void advance(const VectorXd& increment) override { coordinates_ += increment; }

  private:
    // G(p) r is twice the vector part of the product of p conjugate and r, so that G(p) r = -G(r) p.
    static MatrixXd G(const VectorXd& p) {
        MatrixXd matrix(3, 4);
        matrix << -p.tail<3>(), p[0] * Matrix3d::Identity() - skew(p.tail<3>());
        return 2.0 * matrix;
    }

    VectorXd coordinates_;
};

class CardanXyz : public Angles {
  public:
    explicit CardanXyz(const Matrix3d& orientation) : Angles(cardan_angles_of(orientation)) {}
    void require_regular(const Matrix3d& orientation) const override {
        require_cosine(std::hypot(orientation(0, 0), orientation(0, 1)));
    }

  private:
    Matrix<InTime> rotation(const std::vector<InTime>& rho) const override {
        return product(product(turn_about(0, rho[0]), turn_about(1, rho[1])), turn_about(2, rho[2]));
    }
    void check(const VectorXd& rho) const override { require_cosine(std::cos(rho[1])); }
    static void require_cosine(double cosine) {
        if (!(std::abs(cosine) >= smallest_sine))
            throw StepFailure{"chart_singular", "cos beta is zero: the Cardan angles have no rates there"};
    }
};

class CardanXyzBodyRate : public OrientationChart {
  public:
    explicit CardanXyzBodyRate(const Matrix3d& orientation) : angles_(orientation) {}

    Index size() const override { return 3; }
    ChartMotion motion(const VectorXd& increment, const VectorXd& rates, const VectorXd& second_rates) const override {
        const MatrixXd zero = MatrixXd::Zero(3, 3), one = MatrixXd::Identity(3, 3);
        const ChartMotion at_rest = angles_.motion(increment, Vector3d::Zero(), Vector3d::Zero());
        return {
            at_rest.orientation, rates, second_rates, at_rest.displacement_by_coordinates, zero, one, zero, zero, one};
    }
    VectorXd condition(const VectorXd&) const override { return {}; }
    MatrixXd condition_jacobian(const VectorXd&) const override { return MatrixXd(0, 3); }
    VectorXd slope(const VectorXd& increment, const VectorXd& rates) const override {
        return angles_.rates(increment, rates);
    }
    void advance(const VectorXd& increment) override { angles_.advance(increment); }
    void require_regular(const Matrix3d& orientation) const override { angles_.require_regular(orientation); }

  private:
    CardanXyz angles_;
};

class EulerZxz : public Angles {
  public:
    explicit EulerZxz(const Matrix3d& orientation)
        : Angles(Vector3d(0.5 * std::numbers::pi, 0.5 * std::numbers::pi, 0.0)),
          offset_(orientation.transpose() *
                  Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3d::UnitZ()).toRotationMatrix() *
                  Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3d::UnitX()).toRotationMatrix()) {}
    void require_regular(const Matrix3d& orientation) const override {
        const Matrix3d in_angles = orientation * offset_;
        require_sine(std::hypot(in_angles(2, 0), in_angles(2, 1)));
    }

  private:
    Matrix<InTime> rotation(const std::vector<InTime>& rho) const override {
        Matrix<InTime> offset_transposed;
        for (Index i = 0; i < 3; ++i)
            for (Index j = 0; j < 3; ++j)
                offset_transposed[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = InTime(offset_(j, i));
        return product(product(product(turn_about(2, rho[0]), turn_about(0, rho[1])), turn_about(2, rho[2])),
                       offset_transposed);
    }
    void check(const VectorXd& rho) const override { require_sine(std::sin(rho[1])); }
    static void require_sine(double sine) {
        if (!(std::abs(sine) >= smallest_sine))
            throw StepFailure{"chart_singular", "sin theta is zero: the ZXZ angles have no rates there"};
    }

    Matrix3d offset_;  // Q
};

}  // namespace

VectorXd OrientationChart::rates(const VectorXd& increment, const Vector3d& w) const {
    const VectorXd zero = VectorXd::Zero(size());
    const MatrixXd condition_rows = condition_jacobian(increment);
    MatrixXd matrix(3 + condition_rows.rows(), size());
    matrix << motion(increment, zero, zero).velocity_by_rates, condition_rows;
    VectorXd right = VectorXd::Zero(matrix.rows());
    right.head<3>() = w;
    return full_pivoting(matrix).solve(right);
}

VectorXd OrientationChart::second_rates(const VectorXd& increment, const VectorXd& rates, const Vector3d& w_dot) const {
    const VectorXd zero = VectorXd::Zero(size());
    const ChartMotion at_rest = motion(increment, rates, zero);
    const MatrixXd condition_rows = condition_jacobian(increment);
    MatrixXd matrix(3 + condition_rows.rows(), size());
    matrix << at_rest.acceleration_by_second_rates, condition_rows;
    VectorXd right(matrix.rows());
    // The only condition is (p.p - 1) / 2 = 0, whose second derivative is p.p'' + p'.p'.
    right << w_dot - at_rest.angular_acceleration, VectorXd::Constant(condition_rows.rows(), -rates.squaredNorm());
    return full_pivoting(matrix).solve(right);
}

namespace {

template <class Chart>
std::unique_ptr<OrientationChart> made(const Matrix3d& orientation) {
    return std::make_unique<Chart>(orientation);
}

struct NamedChart {
    const char* name;
    std::unique_ptr<OrientationChart> (*make)(const Matrix3d& orientation);
};
constexpr NamedChart charts[] = {{"rotation", made<RotationVector>},
                                 {"euler_parameters", made<EulerParameters>},
                                 {"euler_zxz", made<EulerZxz>},
                                 {"cardan_xyz", made<CardanXyz>}};

}  // namespace

std::vector<std::string> orientation_chart_names() {
    std::vector<std::string> names;
    for (const NamedChart& chart : charts) names.emplace_back(chart.name);
    return names;
}

std::unique_ptr<OrientationChart> make_orientation_chart(const std::string& name, const Matrix3d& orientation) {
    std::string list;
    for (const NamedChart& chart : charts) {
        if (name == chart.name) return chart.make(orientation);
        list += (list.empty() ? "" : ", ") + std::string(chart.name);
    }
    throw UserError(ExitCode::usage_or_input, "chart " + name, "there is no such chart", "the charts are: " + list);
}

std::unique_ptr<OrientationChart> make_explicit_chart(const std::string& name, const Matrix3d& orientation) {
    if (name == "cardan_xyz_body_rate") return std::make_unique<CardanXyzBodyRate>(orientation);
    return make_orientation_chart(name, orientation);
}

}  // namespace myriad::reference
