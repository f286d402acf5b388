// The common part of the twins of the slider-cranks with clearance, whatever their rod is: parameters, and the contacts
// of the slider's corners with the walls of its slot.
//
//   corner k at centre + R(angle) (+-a, +-b); lower ones above y = -(b + c), upper ones below y = b + c
//   clearance c = 0: the lower corners are held, the upper ones never touch
#pragma once
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "host/reference/contact/nonsmooth_system.hpp"
#include "host/reference/formulation/parameters.hpp"

namespace myriad::reference {

struct SliderCrankParts {
    static constexpr int contact_count = 4, tangent_count = 1, bodies = 3;
    static std::vector<std::string> contact_names() {
        return {"lower_left", "lower_right", "upper_left", "upper_right"};
    }
    // Crank 1, rod 2, slider 3.
    double l1, l2, a, b, c, m1, m2, m3, j1, j2, j3, g, torque;
    ContactLaw contact;
    Eigen::Vector3d initial_angles, initial_rates;

    explicit SliderCrankParts(ParameterReader& reader)
        : l1(reader.required("crank.length_m")),
          l2(reader.required("rod.length_m")),
          a(reader.required("slider.half_length_m")),
          b(reader.required("slider.half_height_m")),
          c(reader.required("clearance_m")),
          m1(reader.required("crank.mass_kg")),
          m2(reader.required("rod.mass_kg")),
          m3(reader.required("slider.mass_kg")),
          j1(reader.required("crank.inertia_kg_m2")),
          j2(reader.required("rod.inertia_kg_m2")),
          j3(reader.required("slider.inertia_kg_m2")),
          g(reader.required("gravity_m_s2")),
          torque(reader.required("crank.torque_N_m")),
          initial_angles(reader.required_vector("initial_angle_rad")),
          initial_rates(reader.required_vector("initial_rate_rad_s")) {
        if (!(c >= 0.0)) throw InvalidParameter("clearance_m is negative");
        contact.friction = reader.required("friction");
        contact.normal_restitution = reader.required("normal_restitution");
        contact.tangential_restitution = reader.required("tangential_restitution");
    }
    template <class S>
    std::array<S, 2> corner_of(int k, const std::array<S, 2>& centre, const S& angle) const {
        using std::sin, std::cos;
        const double x = k % 2 == 1 ? a : -a, y = k < 2 ? -b : b;
        return {centre[0] + x * cos(angle) - y * sin(angle), centre[1] + x * sin(angle) + y * cos(angle)};
    }
    template <class S>
    S gap_of(int k, const S& height) const {
        return k < 2 ? height + S(b + c) : S(b + c) - height;
    }
    ContactLaw law(int k) const {
        ContactLaw law = contact;
        law.held = k < 2 && c <= 0.0, law.unused = k >= 2 && c <= 0.0;
        return law;
    }
};

}  // namespace myriad::reference
