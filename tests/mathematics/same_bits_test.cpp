// Every function of kernels/math/elementary.hpp, rotation.hpp and chart.hpp gives the same bits in any lane of any
// Real, beside any neighbour, in any compiler: lanes against the plain number, and one hash of all bits as golden
// value.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/orientation/chart.hpp"
#include "tests/mathematics/error_table.hpp"

namespace myriad::test {
namespace {

// All functions of two vectors; `sink` takes each number that comes out.
template <class Real, class Sink>
void evaluate_everything(const Vec<3, Real>& u, const Vec<3, Real>& w, Sink sink) {
    const auto vector = [&](const Vec<3, Real>& v) {
        for (int i = 0; i < 3; ++i) sink(v[i]);
    };
    const auto rotation = [&](const Rotation<Real>& q) {
        sink(q.w);
        sink(q.x);
        sink(q.y);
        sink(q.z);
    };
    const auto matrix = [&](const Mat3<Real>& m) {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) sink(m.e[i][j]);
    };
    for (int i = 0; i < 3; ++i) {
        const SineCosine<Real> both = sincos(u[i]);
        sink(both.sine);
        sink(both.cosine);
        sink(exp(u[i]));
        sink(log(u[i]));
        sink(log(magnitude(u[i])));
        sink(pow(magnitude(u[i]), -0.2));
        sink(pow(magnitude(w[i]), 7.0));
        sink(atan2(u[i], w[i]));
        sink(atan2(w[i], u[i]));
    }
    rotation(exp(w));
    rotation(exp_any(u));
    vector(log(exp_any(u)));
    vector(tangent(u, w));
    vector(tangent_inverse(w, u));
    matrix(tangent_inverse_matrix(u));
    matrix(matrix_of(exp_any(u)));
    rotation(rotation_of(matrix_of(exp_any(u))));
    rotation(renormalized(exp_any(u) * exp_any(w)));
    vector(exp_any(u).act(w));
    vector(exp_any(u).up());
    sink(angle_between(u, w));
    const auto chart = CardanXyz<Real>::at(u);
    rotation(chart.rotation);
    vector(chart.angular_velocity(w));
    vector(chart.rates(w));
    vector(chart.angular_velocity_rate(w));
    vector(cardan_angles(chart.rotation));
}

// The bits of a number; any NaN counts as the same one, because its sign and payload are the processor's affair.
std::uint64_t bits_of(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof x);
    return std::isnan(x) ? 0x7ff8000000000000u : bits;
}
std::uint64_t bits_of(float x) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof x);
    return std::isnan(x) ? 0x7fc00000u : bits;
}

template <class Number>
struct Sample {
    Vec<3, Number> u, w;
};
// Generic vectors of sizes from 1e-9 to 300 between special ones: zeros, subnormals, multiples of pi/4, infinities,
// NaN.
template <class Number>
std::vector<Sample<Number>> all_samples(int count) {
    using Limits = std::numeric_limits<Number>;
    const Number special[] = {Number(0.0),
                              Number(-0.0),
                              Limits::denorm_min(),
                              -Limits::min(),
                              Limits::max(),
                              Limits::infinity(),
                              -Limits::infinity(),
                              Limits::quiet_NaN(),
                              static_cast<Number>(1.5707963267948966),
                              static_cast<Number>(3.141592653589793),
                              static_cast<Number>(-0.7853981633974483),
                              Number(1e5),
                              Number(1.5),
                              Number(1.0)};
    const int specials = static_cast<int>(std::size(special));
    Arguments arguments(41);
    std::vector<Sample<Number>> samples(static_cast<std::size_t>(count));
    int k = 0;
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < 3; ++j) {
            // Powers of two times a uniform number: no library function whose bits may differ.
            const double scale = std::ldexp(1.0, static_cast<int>(arguments.uniform(-30.0, 9.0)));
            Sample<Number>& s = samples[static_cast<std::size_t>(i)];
            s.u[j] = static_cast<Number>(scale * arguments.uniform(-1.0, 1.0));
            s.w[j] = static_cast<Number>(arguments.uniform(-0.85, 0.85));
            if (i % 8 == 7) s.u[j] = special[k++ % specials];
        }
    return samples;
}

template <class Real>
std::vector<std::uint64_t> bits_of_all(const std::vector<Sample<NumberOf<Real>>>& samples) {
    using Number = NumberOf<Real>;
    constexpr int width = Lanes<Real>::width;
    std::vector<std::vector<std::uint64_t>> per_sample(samples.size());
    for (std::size_t first = 0; first < samples.size(); first += width) {
        Vec<3, Real> u, w;
        for (int lane = 0; lane < width; ++lane) {
            // An incomplete pack is filled with NaN: a neighbour that must not matter.
            const std::size_t index = first + static_cast<std::size_t>(lane);
            for (int j = 0; j < 3; ++j) {
                const Number none = std::numeric_limits<Number>::quiet_NaN();
                Lanes<Real>::set(u[j], lane, index < samples.size() ? samples[index].u[j] : none);
                Lanes<Real>::set(w[j], lane, index < samples.size() ? samples[index].w[j] : none);
            }
        }
        evaluate_everything(u, w, [&](const Real& value) {
            for (int lane = 0; lane < width && first + static_cast<std::size_t>(lane) < samples.size(); ++lane)
                per_sample[first + static_cast<std::size_t>(lane)].push_back(bits_of(Lanes<Real>::get(value, lane)));
        });
    }
    std::vector<std::uint64_t> all;
    for (const auto& one : per_sample) all.insert(all.end(), one.begin(), one.end());
    return all;
}

std::uint64_t fnv_hash(const std::vector<std::uint64_t>& words) {
    std::uint64_t hash = 14695981039346656037u;
    for (const std::uint64_t word : words)
        for (int byte = 0; byte < 8; ++byte) hash = (hash ^ ((word >> (8 * byte)) & 0xff)) * 1099511628211u;
    return hash;
}

template <class Real>
class SameBits : public testing::Test {};
using Packs = testing::Types<Pack<double, 4>, Pack<double, 8>, Pack<float, 8>, Pack<float, 16>>;
TYPED_TEST_SUITE(SameBits, Packs);

TYPED_TEST(SameBits, InEveryLaneAsInThePlainNumberForAnyNumberOfInstances) {
    using Number = NumberOf<TypeParam>;
    for (const int count : {1, 31, 33, 1000}) {
        const auto samples = all_samples<Number>(count);
        EXPECT_EQ(bits_of_all<TypeParam>(samples), bits_of_all<Number>(samples)) << count << " instances";
    }
}

// The bits that g++ 12 and clang 14 give from -O0 to -O3, with and without FMA and AVX-512 hardware. A change of any
// coefficient or order of operations changes the hash; then the error tables must be looked at again.
TEST(SameBits, HashToTheGoldenValuesOnEveryCompiler) {
    const std::uint64_t in_double = fnv_hash(bits_of_all<double>(all_samples<double>(1000)));
    const std::uint64_t in_single = fnv_hash(bits_of_all<float>(all_samples<float>(1000)));
    std::printf("hash of all bits: double %016llx, single %016llx\n", static_cast<unsigned long long>(in_double),
                static_cast<unsigned long long>(in_single));
    EXPECT_EQ(in_double, 0x06dd2e359ef20f6au);
    EXPECT_EQ(in_single, 0x28d50e5fa36e0680u);
}

}  // namespace
}  // namespace myriad::test
