// Screws of rigid bodies against sums over the particles that a body is made of.
#include "kernels/math/spatial.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <vector>

#include "tests/generic_tasks.hpp"

namespace myriad::test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// Sums of some hundred products of the order of one.
constexpr double round_off_of_a_sum = 1e-13;
constexpr double step = 1e-5, of_differences = 1e-9;  // central differences of numbers of the order of one
constexpr int particles = 31;

Vector3d vector(std::uint64_t instance, std::uint64_t draw) {
    return {backends::uniform(instance, draw) - 0.5, backends::uniform(instance, draw + 1) - 0.5,
            backends::uniform(instance, draw + 2) - 0.5};
}
Vec<3, double> of(const Vector3d& v) { return {v[0], v[1], v[2]}; }
Vector3d of(const Vec<3, double>& v) { return {v[0], v[1], v[2]}; }
Screw<double> screw(const Vector3d& angular, const Vector3d& linear) { return {of(angular), of(linear)}; }

struct Body {
    std::vector<double> mass;
    std::vector<Vector3d> place;
    BodyMass<double> sums{};

    explicit Body(std::uint64_t instance) {
        Matrix3d second = Matrix3d::Zero();
        Vector3d first = Vector3d::Zero();
        for (std::uint64_t i = 0; i < particles; ++i) {
            mass.push_back(0.1 + backends::uniform(instance, 4 * i));
            place.push_back(vector(instance, 4 * i + 1));
            first += mass.back() * place.back();
            second += mass.back() * place.back() * place.back().transpose();
            sums.mass += mass.back();
        }
        sums.first = of(first);
        sums.second = {second(0, 0), second(1, 1), second(2, 2), second(0, 1), second(0, 2), second(1, 2)};
    }
    // Moment about the origin and sum of what `vector_at` gives each particle per mass.
    template <class VectorAt>
    Screw<double> total(const VectorAt& vector_at) const {
        Vector3d moment = Vector3d::Zero(), sum = Vector3d::Zero();
        for (std::size_t i = 0; i < place.size(); ++i) {
            const Vector3d one = mass[i] * vector_at(place[i]);
            moment += place[i].cross(one), sum += one;
        }
        return screw(moment, sum);
    }
};
void expect_near(const Screw<double>& found, const Screw<double>& expected) {
    EXPECT_LE((of(found.angular) - of(expected.angular)).norm(), round_off_of_a_sum);
    EXPECT_LE((of(found.linear) - of(expected.linear)).norm(), round_off_of_a_sum);
}

TEST(Screws, GiveABodyTheMomentumOfItsParticles) {
    for (std::uint64_t instance = 0; instance < 10; ++instance) {
        const Body body(instance);
        const Vector3d w = vector(instance, 1000), v = vector(instance, 1003);
        expect_near(body.sums * screw(w, v), body.total([&](const Vector3d& r) -> Vector3d { return v + w.cross(r); }));
    }
}

// A particle at r is accelerated by v' + w' x r + w x u, u = v + w x r.
TEST(Screws, ForceABodyAsItsParticlesAreAccelerated) {
    for (std::uint64_t instance = 0; instance < 10; ++instance) {
        const Body body(instance);
        const Vector3d w = vector(instance, 1000), v = vector(instance, 1003), w_rate = vector(instance, 1006),
                       v_rate = vector(instance, 1009);
        const auto acceleration = [&](const Vector3d& r) -> Vector3d {
            return v_rate + w_rate.cross(r) + w.cross(v + w.cross(r));
        };
        expect_near(body.sums.force(screw(w, v), screw(w_rate, v_rate)), body.total(acceleration));
    }
}

TEST(Screws, OfTwoBodiesThatAreFixedTogetherAddUp) {
    const Body a(1), b(2);
    BodyMass<double> both = a.sums;
    both.add(b.sums);
    const Screw<double> motion = screw(vector(3, 0), vector(3, 3));
    expect_near(both * motion, a.sums * motion + b.sums * motion);
}

// V x S and V x* F are the rates of a motion and a force that are carried along, so that their power is kept.
TEST(Screws, ThatAreCarriedAlongKeepTheirPower) {
    const Screw<double> v = screw(vector(4, 0), vector(4, 3)), s = screw(vector(4, 6), vector(4, 9)),
                        f = screw(vector(4, 12), vector(4, 15));
    EXPECT_NEAR(dot(cross_motion(v, s), f) + dot(s, cross_force(v, f)), 0.0, round_off_of_a_sum);
    // A field a, b (at the origin) that a body carries along, dt later: turned by R about a point that went to p.
    const Vector3d w = of(v.angular), u = of(v.linear), a = of(s.angular), b = of(s.linear);
    const auto carried = [&](double dt) {
        const Matrix3d turn = Eigen::AngleAxisd(w.norm() * dt, w.normalized()).toRotationMatrix();
        const Vector3d turned = turn * a;
        return screw(turned, turn * b - turned.cross(dt * u));
    };
    const Screw<double> rate = (0.5 / step) * (carried(step) + -1.0 * carried(-step)), found = cross_motion(v, s);
    EXPECT_LE((of(found.angular) - of(rate.angular)).norm(), of_differences);
    EXPECT_LE((of(found.linear) - of(rate.linear)).norm(), of_differences);
}

// A displacement whose rotation grows by W changes a particle's acceleration by 2 W x u.
TEST(MassFlow, IsTheCoriolisForceOfTheParticles) {
    for (std::uint64_t instance = 0; instance < 10; ++instance) {
        const Body body(instance), other(instance + 50);
        const Vector3d w = vector(instance, 1000), v = vector(instance, 1003), turn = vector(instance, 1006);
        const auto coriolis = [&](const Vector3d& r) -> Vector3d { return 2.0 * turn.cross(v + w.cross(r)); };
        MassFlow<double> flow = MassFlow<double>::of(body.sums, screw(w, v));
        expect_near(flow * of(turn), body.total(coriolis));
        flow.add(MassFlow<double>::of(other.sums, screw(w, v)));
        expect_near(flow * of(turn), body.total(coriolis) + other.total(coriolis));
        const Screw<double> s = screw(vector(instance, 1009), vector(instance, 1012));
        EXPECT_NEAR(dot(flow.transposed_times(s), of(turn)), dot(s, flow * of(turn)), round_off_of_a_sum);
    }
}

}  // namespace
}  // namespace myriad::test
