// The maps of SO(3) against MPFR from 0 to 2 pi, their conventions against differences, and their identities for every
// Real. Errors of a vector or rotation are norms in units of epsilon, the spacing of the numbers above one.
#include "kernels/math/rotation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/mathematics/error_table.hpp"
#include "tests/mathematics/precise_rotations.hpp"

namespace myriad::test {
namespace {

bool is_zero(const Precise& x) { return !(Precise(0.0) < abs(x)); }

Quaternion reference_exp(const Vector& u) {
    const Precise angle = norm(u), half = Precise(0.5) * angle;
    return {cos(half), (is_zero(angle) ? Precise(0.5) : sin(half) / angle) * u};
}
Vector reference_log(const Quaternion& q) {
    const Precise sine = norm(q.axis), angle = Precise(2.0) * atan2(sine, abs(q.w));
    const Vector u = (angle / sine) * q.axis;
    return q.w < Precise(0.0) ? Precise(-1.0) * u : u;
}
// T_exp(u) w = w - (1 - cos t)/t^2 u x w + (1 - sin t/t)/t^2 u x (u x w), t = |u|; lgim appendix A.1.
Vector reference_tangent(const Vector& u, const Vector& w) {
    const Precise t = norm(u), square = t * t, one(1.0);
    if (is_zero(t)) return w;
    const Vector first = cross(u, w);
    return w - ((one - cos(t)) / square) * first + ((one - sin(t) / t) / square) * cross(u, first);
}
// T_exp(u)^-1 w = w + u x w / 2 + (1 - t/2 cot(t/2))/t^2 u x (u x w); lgim eq. 25.
Vector reference_tangent_inverse(const Vector& u, const Vector& w) {
    const Precise t = norm(u), half = Precise(0.5) * t;
    if (is_zero(t)) return w;
    const Vector first = cross(u, w);
    return w + Precise(0.5) * first + ((Precise(1.0) - half * cos(half) / sin(half)) / (t * t)) * cross(u, first);
}
// |T_exp^-1| = |v|/|sin|v||, v = u/2; also the condition number, since |T_exp| = 1 (it keeps u).
double condition(const Vector& u) {
    const Precise half = Precise(0.5) * norm(u);
    return is_zero(half) ? 1.0 : std::fmax(1.0, static_cast<double>(half / abs(sin(half))));
}

template <class Number>
Vec<3, Number> direction(Arguments& arguments) {
    double v[3], square;
    do {
        square = 0.0;
        for (double& e : v) {
            e = arguments.uniform(-1.0, 1.0);
            square += e * e;
        }
    } while (square > 1.0 || square < 0.01);
    const double scale = 1.0 / std::sqrt(square);
    return {static_cast<Number>(scale * v[0]), static_cast<Number>(scale * v[1]), static_cast<Number>(scale * v[2])};
}
template <class Number>
Vec<3, Number> of_length(double length, Arguments& arguments) {
    return static_cast<Number>(length) * direction<Number>(arguments);
}

struct Band {
    const char* name;
    double low, high;
};
const Band bands[] = {{"0 to 1e-8", 0.0, 1e-8},
                      {"1e-8 to 1e-3", 1e-8, 1e-3},
                      {"1e-3 to 0.5", 1e-3, 0.5},
                      {"0.5 to 1.5", 0.5, 1.4999},
                      {"1.5 to 3.1", 1.5001, 3.1},
                      {"pi +- 1e-6", pi - 1e-6, pi + 1e-6},
                      {"3.1 to 6", 3.1, 6.0},
                      {"6 to 2 pi - 1e-3", 6.0, 2 * pi - 1e-3},
                      {"2 pi - 1e-3 ... 1e-6", 2 * pi - 1e-3, 2 * pi - 1e-6}};
constexpr int samples_of_a_band = 1000;

// The worst of `error(u, w)`, in epsilon, over vectors u of a length in each band up to `longest` and unit vectors w.
template <class Number, class Error>
void expect_error_below(double bound, const char* name, double longest, Error error) {
    for (const Band& band : bands) {
        if (band.high > longest) continue;
        Arguments arguments(11);
        WorstError worst;
        for (int i = 0; i < samples_of_a_band; ++i) {
            const double length = arguments.uniform(band.low, band.high);
            const Vec<3, Number> u = of_length<Number>(length, arguments), w = direction<Number>(arguments);
            worst.add(error(u, w) / epsilon<Number>, length);
        }
        print_error_row(name, precision_name<Number>(), band.name, worst, "epsilon");
        EXPECT_LE(worst.error, bound) << name << " in " << precision_name<Number>() << ", " << band.name;
    }
}

template <class Number>
class RotationMaps : public testing::Test {};
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(RotationMaps, Numbers);

TYPED_TEST(RotationMaps, TheExponentialOfAStepIsWithinOneEpsilon) {
    using Number = TypeParam;
    expect_error_below<Number>(1.0, "exp", largest_step_rotation_rad,
                               [](auto u, auto) { return distance(precise(exp(u)), reference_exp(precise(u))); });
}
TYPED_TEST(RotationMaps, TheExponentialIsWithinThreeEpsilonUpToTwoPi) {
    using Number = TypeParam;
    expect_error_below<Number>(3.0, "exp_any", 2 * pi,
                               [](auto u, auto) { return distance(precise(exp_any(u)), reference_exp(precise(u))); });
}
TYPED_TEST(RotationMaps, TheInverseTangentOperatorOfAStepIsWithinTwoEpsilon) {
    using Number = TypeParam;
    expect_error_below<Number>(2.0, "tangent_inverse", largest_step_rotation_rad, [](auto u, auto w) {
        return distance(precise(tangent_inverse(u, w)), reference_tangent_inverse(precise(u), precise(w)));
    });
}
// T(u)^T = T(-u)
TYPED_TEST(RotationMaps, TheTransposedTangentOperatorOfAStepIsWithinThreeEpsilon) {
    using Number = TypeParam;
    expect_error_below<Number>(3.0, "tangent_transposed", largest_step_rotation_rad, [](auto u, auto w) {
        return distance(precise(tangent_transposed_of_twice(Number(0.5) * u, w)),
                        reference_tangent(Precise(-1.0) * precise(u), precise(w)));
    });
}
TYPED_TEST(RotationMaps, TheTangentOperatorIsWithinThreeEpsilonUpToTwoPi) {
    using Number = TypeParam;
    expect_error_below<Number>(3.0, "tangent", 2 * pi, [](auto u, auto w) {
        return distance(precise(tangent(u, w)), reference_tangent(precise(u), precise(w)));
    });
}
// Relative to |T^-1| |w|, in units of the condition number times epsilon: T^-1 is singular at 2 pi.
TYPED_TEST(RotationMaps, TheInverseTangentOperatorIsWithinThreeEpsilonTimesItsConditionUpToTwoPi) {
    using Number = TypeParam;
    expect_error_below<Number>(3.0, "tangent_inverse_matrix", 2 * pi, [](auto u, auto w) {
        const Vector p = precise(u);
        return distance(precise(tangent_inverse_matrix(u) * w), reference_tangent_inverse(p, precise(w))) /
               (condition(p) * condition(p));
    });
}
TYPED_TEST(RotationMaps, TheLogarithmIsWithinTwoEpsilonOfItsLength) {
    using Number = TypeParam;
    expect_error_below<Number>(2.0, "log", 2 * pi, [](auto u, auto) {
        const Rotation<Number> q = exp_any(u);
        const Vector expected = reference_log(precise(q));
        return distance(precise(log(q)), expected) / static_cast<double>(norm(expected));
    });
}
TYPED_TEST(RotationMaps, TheMatrixOfARotationItsActionAndTheRotationOfAMatrixAreWithinThreeEpsilon) {
    using Number = TypeParam;
    // The reference turns w by the very quaternion that came out of exp_any, so that only matrix_of and act are judged.
    const auto turned = [](const Quaternion& q, const Vector& w) {
        const Vector first = cross(q.axis, w);
        return w + Precise(2.0) * (q.w * first + cross(q.axis, first));
    };
    expect_error_below<Number>(3.0, "matrix_of", 2 * pi, [=](auto u, auto w) {
        const Rotation<Number> q = exp_any(u);
        return distance(precise(matrix_of(q) * w), turned(precise(q), precise(w)));
    });
    expect_error_below<Number>(3.0, "act", 2 * pi, [=](auto u, auto w) {
        const Rotation<Number> q = exp_any(u);
        return distance(precise(q.act(w)), turned(precise(q), precise(w)));
    });
    expect_error_below<Number>(3.0, "rotation_of", 2 * pi, [](auto u, auto) {
        const Matrix r = rodrigues(precise(u));
        Mat3<Number> m;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                m.e[i][j] = static_cast<Number>(r[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
        const Quaternion q = precise(rotation_of(m)), expected = reference_exp(precise(u));
        return std::fmin(distance(q, expected), distance(q, {-expected.w, Precise(-1.0) * expected.axis}));
    });
}
TYPED_TEST(RotationMaps, TheAngleBetweenNearlyParallelAndNearlyOppositeVectorsKeepsItsDigits) {
    using Number = TypeParam;
    // cross loses the rounding of its products; for unit vectors that is an absolute error of one epsilon or two.
    expect_error_below<Number>(3.0, "angle_between", 2 * pi, [](auto u, auto w) {
        const Vector a = precise(w), b = precise(exp_any(u).act(w));
        const Vec<3, Number> rounded = exp_any(u).act(w);
        const Precise expected = atan2(norm(cross(a, b)), dot(a, b));
        return static_cast<double>(abs(Precise(angle_between(w, rounded)) - expected));
    });
}

// omega~ = R^T dR/dt along R(t) = exp(u + t w): the definition of the body frame's tangent operator, by central
// differences of Rodrigues' formula in 240 bits. The difference is right to about 1e-40.
TEST(TangentOperator, MapsTheRateOfTheRotationVectorToTheBodyAngularVelocity) {
    Arguments arguments(5);
    const Precise h(1e-20);
    for (const double length : {1e-8, 0.3, 1.49, 1.51, 2.9, pi, 4.0, 6.0}) {
        const Vec<3, double> u = of_length<double>(length, arguments), w = direction<double>(arguments);
        const Vector p = precise(u), rate = precise(w);
        const Matrix r_dot = (Precise(0.5) / h) * (rodrigues(p + h * rate) - rodrigues(p - h * rate));
        const Vector omega = axial(transposed(rodrigues(p)) * r_dot);
        const double tolerance = 2.0 * epsilon<double>;
        EXPECT_LE(distance(precise(tangent(u, w)), omega), tolerance) << length;
        const Vec<3, double> back =
            tangent_inverse_matrix(u) *
            Vec<3, double>{static_cast<double>(omega[0]), static_cast<double>(omega[1]), static_cast<double>(omega[2])};
        EXPECT_LE(distance(precise(back), rate), 2.0 * tolerance * condition(p)) << length;
    }
}

TEST(RotationVector, TurnsByTheRightHandRuleFromBodyToWorld) {
    const Rotation<double> quarter_about_z = exp_any<double>({0.0, 0.0, 0.5 * pi});
    const Vec<3, double> image = quarter_about_z.act({1.0, 0.0, 0.0});
    EXPECT_NEAR(image[0], 0.0, 2 * epsilon<double>);
    EXPECT_NEAR(image[1], 1.0, 2 * epsilon<double>);
    EXPECT_EQ(image[2], 0.0);
    EXPECT_LT(tangent<double>({0.0, 0.0, 1.0}, {1.0, 0.0, 0.0})[1], 0.0) << "right-trivialised, not left";
}

TEST(RotationVector, OfTheIdentityIsZeroExactlyAndTheOperatorsAreTheIdentity) {
    const Vec<3, double> zero{0.0, 0.0, 0.0}, w{0.1, -0.7, 0.3};
    for (const Rotation<double>& q : {exp(zero), exp_any(zero)}) {
        EXPECT_EQ(q.w, 1.0);
        EXPECT_EQ(std::fabs(q.x) + std::fabs(q.y) + std::fabs(q.z), 0.0);
    }
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(log(Rotation<double>{1.0, 0.0, 0.0, 0.0})[i], 0.0);
        EXPECT_EQ(log(Rotation<double>{-1.0, 0.0, 0.0, 0.0})[i], 0.0);
        EXPECT_EQ(tangent_inverse(zero, w)[i], w[i]);
        EXPECT_EQ((tangent_inverse_matrix(zero) * w)[i], w[i]);
        EXPECT_EQ(tangent(zero, w)[i], w[i]);
    }
}

TEST(Logarithm, OfHalfATurnHasLengthPiAndTheAxisOfTheQuaternion) {
    const Vec<3, double> u = log(Rotation<double>{0.0, 0.0, 0.6, -0.8});
    EXPECT_EQ(u[0], 0.0);
    EXPECT_NEAR(u[1], 0.6 * pi, 2 * epsilon<double> * pi);
    EXPECT_NEAR(u[2], -0.8 * pi, 2 * epsilon<double> * pi);
    // Just beyond half a turn the same rotation is named from the other side, with no jump in accuracy.
    const double below = 1e-300;
    EXPECT_NEAR(log(Rotation<double>{-below, 0.0, 0.6, -0.8})[2], 0.8 * pi, 2 * epsilon<double> * pi);
    EXPECT_NEAR(log(Rotation<double>{1.0, 1e-200, 0.0, 0.0})[0], 2e-200, 4e-216);
}

TEST(Exponential, OfAStepHasTheSameBitsAsTheOneForAnyAngle) {
    Arguments arguments(3);
    for (int i = 0; i < 1000; ++i) {
        const Vec<3, double> u = of_length<double>(arguments.uniform(0.0, 1.4999), arguments);
        const Rotation<double> step = exp(u), any_angle = exp_any(u);
        EXPECT_TRUE(step.w == any_angle.w && step.x == any_angle.x && step.y == any_angle.y && step.z == any_angle.z);
    }
}

// The property list, lane by lane for every Real: each lane holds another generic rotation of the magnitude.
template <class Real>
class RotationGroup : public testing::Test {
  public:
    using Number = NumberOf<Real>;
    static constexpr int width = Lanes<Real>::width;

    Vec<3, Real> generic(double length) {
        Vec<3, Real> v;
        for (int lane = 0; lane < width; ++lane) {
            const Vec<3, Number> one = of_length<Number>(length, arguments);
            for (int i = 0; i < 3; ++i) Lanes<Real>::set(v[i], lane, one[i]);
        }
        return v;
    }
    static void expect_near(Real a, Real b, double tolerance, const char* what) {
        for (int lane = 0; lane < width; ++lane)
            EXPECT_NEAR(Lanes<Real>::get(a, lane), Lanes<Real>::get(b, lane), tolerance * epsilon<Number>)
                << what << ", lane " << lane;
    }
    static void expect_near(Vec<3, Real> a, Vec<3, Real> b, double tolerance, const char* what) {
        for (int i = 0; i < 3; ++i) expect_near(a[i], b[i], tolerance, what);
    }
    // Equal as rotations: q and -q are one.
    static void expect_near(Rotation<Real> a, Rotation<Real> b, double tolerance, const char* what) {
        const Rotation<Real> c = a * inverse(b);
        expect_near(magnitude(c.w), Real(1.0), tolerance, what);
        expect_near(Vec<3, Real>{c.x, c.y, c.z}, Vec<3, Real>{Real(0.0), Real(0.0), Real(0.0)}, tolerance, what);
    }
    Arguments arguments{17};
};
using Reals = testing::Types<double, float, Pack<double, 4>, Pack<double, 8>, Pack<float, 8>, Pack<float, 16>>;
TYPED_TEST_SUITE(RotationGroup, Reals);

// Each property is a handful of products of numbers of order one to 2 pi, each within the bounds tested above.
constexpr double few = 8.0, some = 40.0;

TYPED_TEST(RotationGroup, KeepsItsIdentitiesAtEveryMagnitude) {
    using Real = TypeParam;
    const Vec<3, Real> zero{Real(0.0), Real(0.0), Real(0.0)};
    const Vec<3, Real> third{Real(0.0), Real(0.0), Real(1.0)};
    for (const double length : {0.0, 1e-8, 0.7, 1.4, 2.5, pi - 1e-3, pi - 1e-6, pi + 1e-3, 5.0, 2 * pi - 1e-2}) {
        SCOPED_TRACE(length);
        const Vec<3, Real> u = this->generic(length), w = this->generic(1.0), minus_u = Real(-1.0) * u;
        const Rotation<Real> q = exp_any(u), a = exp_any(w), b = exp_any(this->generic(2.0));
        const double cond = length == 0.0 ? 1.0 : std::fmax(1.0, std::fabs(0.5 * length / std::sin(0.5 * length)));

        this->expect_near(exp_any(log(q)), q, few, "exp inverts log");
        if (length < pi - 1e-5) this->expect_near(log(q), u, few, "log inverts exp");
        this->expect_near(log(Rotation<Real>{-q.w, -q.x, -q.y, -q.z}), log(q), 0.0, "log of q and -q");
        this->expect_near((q * a) * b, q * (a * b), few, "composition is associative");
        this->expect_near(q * inverse(q), exp_any(zero), few, "q times its inverse");
        const Rotation<Real> backward = exp_any(minus_u);
        this->expect_near(backward.w, q.w, 0.0, "exp(-u) is the inverse to the bit");
        this->expect_near(Vec<3, Real>{backward.x, backward.y, backward.z}, Vec<3, Real>{-q.x, -q.y, -q.z}, 0.0,
                          "exp(-u) is the inverse to the bit");
        this->expect_near(renormalized(q), q, few, "renormalized");
        this->expect_near(
            renormalized(Rotation<Real>{Real(1.001) * q.w, Real(1.001) * q.x, Real(1.001) * q.y, Real(1.001) * q.z}), q,
            2e-6 / epsilon<typename TestFixture::Number>, "one Newton step squares the error");

        const Mat3<Real> r = matrix_of(q);
        this->expect_near(r * w, q.act(w), few, "matrix and action");
        this->expect_near(transpose(r) * third, q.up(), few, "up is the third row");
        this->expect_near(transpose(r) * (r * w), w, few, "the matrix is orthogonal");
        this->expect_near(rotation_of(r), q, few, "rotation of its matrix");

        const Mat3<Real> inverse_tangent = tangent_inverse_matrix(u);
        this->expect_near(inverse_tangent * tangent(u, w), w, few * cond, "T^-1 T = 1");
        this->expect_near(tangent(u, inverse_tangent * w), w, few * cond, "T T^-1 = 1");
        this->expect_near(tangent(u, u), u, some, "T leaves its axis");
        this->expect_near(transpose(inverse_tangent) * w, tangent_inverse_matrix(minus_u) * w, few * cond,
                          "T(-u)^-1 = T(u)^-T");
        this->expect_near(r * tangent(u, w), tangent(minus_u, w), few, "R T(u) = T(-u)");
        this->expect_near(angle_between(w, q.act(w)), angle_between(w, inverse(q).act(w)), some,
                          "angles there and back");
    }
}

TYPED_TEST(RotationGroup, HasTheMapsOfAStepInverseToEachOther) {
    using Real = TypeParam;
    for (const double length : {0.0, 1e-8, 0.1, 0.7, 1.49}) {
        SCOPED_TRACE(length);
        const Vec<3, Real> u = this->generic(length), w = this->generic(1.0);
        this->expect_near(tangent(u, tangent_inverse(u, w)), w, few, "T T^-1 = 1");
        this->expect_near(log(exp(u)), u, few, "log inverts exp");
        const Rotation<Real> q = exp(u);
        this->expect_near(fma(q.w, q.w, fma(q.x, q.x, fma(q.y, q.y, q.z * q.z))), Real(1.0), few, "unit length");
    }
}

}  // namespace
}  // namespace myriad::test
