#include "host/validation/runs/precessing_top.hpp"

#include "host/validation/runs/finished_run.hpp"

namespace myriad::validation {

namespace {

constexpr double theta = precessing_top_nutation_rad, precession = precessing_top_precession_rad_s;
constexpr double l = precessing_top_arm_m, mass = precessing_top_mass_kg, about_centre = precessing_top_inertia_kg_m2;

}  // namespace

double precessing_top_spin_rad_s() {
    const double transverse = about_centre + mass * l * l;
    return mass * precessing_top_gravity_m_s2 * l / (about_centre * precession) +
           (transverse - about_centre) / about_centre * precession * std::cos(theta);
}

std::array<double, 3> precessing_top_position(double time_s) {
    return {l * std::sin(theta) * std::sin(precession * time_s), -l * std::sin(theta) * std::cos(precession * time_s),
            l * std::cos(theta)};
}

std::string precessing_top_parameters() {
    const std::string inertia = json_number(about_centre);
    return R"("mass_kg": )" + json_number(mass) + R"(, "centre_of_mass_m": [0.0, 0.0, )" + json_number(l) +
           R"(], "inertia_kg_m2.xx": )" + inertia + R"(, "inertia_kg_m2.yy": )" + inertia +
           R"(, "inertia_kg_m2.zz": )" + inertia + R"(, "gravity_m_s2": )" + json_number(precessing_top_gravity_m_s2) +
           R"(, "initial_rotation_vector_rad": [)" + json_number(theta) +
           R"(, 0.0, 0.0], "initial_angular_velocity_rad_s": [0.0, )" + json_number(precession * std::sin(theta)) +
           ", " + json_number(precession * std::cos(theta) + precessing_top_spin_rad_s()) + "]";
}

}  // namespace myriad::validation
