#include "host/validation/runs/driven_motions.hpp"

#include <cmath>
#include <numbers>

#include "host/validation/runs/reference_values.hpp"

namespace myriad::validation {

const char* driver_multiplier(std::string_view mechanism) {
    return mechanism == "pendulum" ? "multiplier.swing.0" : "multiplier.motor.0";
}

Observed everything_of_driven(std::string_view mechanism, double every_s) {
    return {every_s, {"position", "velocity", "acceleration", driver_multiplier(mechanism)}};
}

namespace {

using std::numbers::pi;

PointMotion between(const PointMotion& a, const PointMotion& b) {
    PointMotion middle{};
    for (std::size_t i = 0; i < 3; ++i) {
        middle.position_m[i] = 0.5 * (a.position_m[i] + b.position_m[i]);
        middle.velocity_m_s[i] = 0.5 * (a.velocity_m_s[i] + b.velocity_m_s[i]);
        middle.acceleration_m_s2[i] = 0.5 * (a.acceleration_m_s2[i] + b.acceleration_m_s2[i]);
    }
    return middle;
}

// A point at the distance `arm` from `pivot`, turning about x at a constant rate: pivot + arm (0, sin, cos)(rate t).
PointMotion on_a_crank(const std::array<double, 3>& pivot, double arm, double rate, double time_s) {
    const double s = arm * std::sin(rate * time_s), c = arm * std::cos(rate * time_s);
    return {
        {pivot[0], pivot[1] + s, pivot[2] + c}, {0.0, rate * c, -rate * s}, {0.0, -rate * rate * s, -rate * rate * c}};
}

struct PendulumAngle {
    double u, rate, acceleration;
};
PendulumAngle pendulum_angle(double time_s) {
    const double amplitude = pi / 4.0;
    return {amplitude * std::cos(2.0 * time_s), -2.0 * amplitude * std::sin(2.0 * time_s),
            -4.0 * amplitude * std::cos(2.0 * time_s)};
}

}  // namespace

PointMotion pendulum_rod(double time_s) {
    const auto [u, rate, acceleration] = pendulum_angle(time_s);
    const double arm = 2.0, s = arm * std::sin(u), c = arm * std::cos(u);
    return {{0.0, s, -c},
            {0.0, c * rate, s * rate},
            {0.0, c * acceleration - s * rate * rate, s * acceleration + c * rate * rate}};
}

double pendulum_multiplier(double time_s) {
    const auto [u, rate, acceleration] = pendulum_angle(time_s);
    const double mass = 78.0, arm = 2.0, about_hinge = reference_values::driven_pendulum::inertia[1] + mass * arm * arm;
    const double slope = -std::cos(u);  // d phi / d u
    return -(about_hinge * acceleration + mass * 9.81 * arm * std::sin(u)) / slope;
}

namespace {

// B and C: the ends of the coupler on the rotor and on the rocker; D: the rocker's pivot.
struct FourLink {
    PointMotion b, c, d;
};
FourLink four_link(double time_s) {
    const double rotor = 2.0, coupler = 12.2, rocker = 7.4;
    const PointMotion d{{-4.0, -8.5, 0.0}, {}, {}};
    const PointMotion b = on_a_crank({0.0, 0.0, 0.0}, rotor, -pi, time_s);
    // (x, z) = C - D:  x^2 + z^2 = rocker^2,  |D + (x, 0, z) - B|^2 = coupler^2. Their difference is linear in (x, z):
    //   2 dx x - 2 bz z = coupler^2 - rocker^2 - dx^2 - (dy - by)^2 - bz^2
    const double dx = d.position_m[0], dy = d.position_m[1];
    const double by = b.position_m[1], bz = b.position_m[2];
    const double vy = b.velocity_m_s[1], vz = b.velocity_m_s[2];
    const double ay = b.acceleration_m_s2[1], az = b.acceleration_m_s2[2];
    const double right = 0.5 * (coupler * coupler - rocker * rocker - dx * dx - (dy - by) * (dy - by) - bz * bz);
    const double square = dx * dx + bz * bz, along = right / square;
    const double across = std::sqrt(rocker * rocker / square - along * along);
    const double x = along * dx - across * bz, z = -along * bz - across * dx;
    // Twice the derivative of both:  x x' + z z' = p,  dx x' - bz z' = q.
    const auto solve = [&](double p, double q) {
        const double determinant = -x * bz - z * dx;
        return std::array<double, 2>{(-bz * p - z * q) / determinant, (x * q - dx * p) / determinant};
    };
    const double right_rate = (dy - by) * vy - bz * vz;
    const auto [x1, z1] = solve(0.0, right_rate + vz * z);
    const double right_acceleration = (dy - by) * ay - vy * vy - bz * az - vz * vz;
    const auto [x2, z2] = solve(-x1 * x1 - z1 * z1, right_acceleration + az * z + 2.0 * vz * z1);
    return {b, {{dx + x, dy, z}, {x1, 0.0, z1}, {x2, 0.0, z2}}, d};
}

struct SliderCrank {
    PointMotion b, slider;
};
SliderCrank slider_crank(double time_s) {
    const double rod = 0.3;
    const PointMotion b = on_a_crank({0.0, 0.1, 0.12}, 0.08, 2.0 * pi, time_s);
    const double y = b.position_m[1], z = b.position_m[2], vy = b.velocity_m_s[1], vz = b.velocity_m_s[2];
    const double x = std::sqrt(rod * rod - y * y - z * z);
    const double vx = -(y * vy + z * vz) / x;
    const double ax = -(vx * vx + vy * vy + y * b.acceleration_m_s2[1] + vz * vz + z * b.acceleration_m_s2[2]) / x;
    return {b, {{x, 0.0, 0.0}, {vx, 0.0, 0.0}, {ax, 0.0, 0.0}}};
}

}  // namespace

PointMotion four_link_coupler(double time_s) {
    const FourLink at = four_link(time_s);
    return between(at.b, at.c);
}
PointMotion four_link_rocker(double time_s) {
    const FourLink at = four_link(time_s);
    return between(at.c, at.d);
}

PointMotion slider_crank_slider(double time_s) { return slider_crank(time_s).slider; }
PointMotion slider_crank_rod(double time_s) {
    const SliderCrank at = slider_crank(time_s);
    return between(at.b, at.slider);
}

}  // namespace myriad::validation
