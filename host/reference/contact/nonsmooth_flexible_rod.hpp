// The slider-crank with clearance and a flexible rod for the reference path: kinetic and strain energy as sums over
// Gauss points along the rod, of velocities and derivatives of shape functions there.
//
// Bending modes are evaluated with wave numbers found by bisection of their boundary condition's equation, and scaled
// to mean square 1 by the same sums. Sources as in kernels/systems/slider_crank_flexible.hpp. Not handled: sizes that
// the kernels' catalog does not name.
#pragma once
#include "host/reference/contact/nonsmooth_system.hpp"

namespace myriad::reference {

// Nothing where the name is not one of these systems.
std::unique_ptr<NonsmoothSystem> make_flexible_slider_crank(const std::string& name, const Parameters& parameters);

// Values of a shape function at one place along the rod, 0 <= s <= 1.
struct ShapeValue {
    double value, slope, curvature;
};
enum class RodEnds { clamped_free, pinned_pinned, articulated_free, free_free };
// Bending mode k = 0, 1, ... with mean square 1, and its wave number. A free one is moved by its value at s = 0.
class BendingMode {
  public:
    BendingMode(RodEnds ends, int k);
    ShapeValue at(double s) const;
    double wave_number() const { return wave_; }

  private:
    ShapeValue unscaled(double s) const;

    RodEnds ends_;
    double wave_, scale_ = 1.0;
};

// Places in 0..1 and weights of the Gauss rule with `points` points on each of `parts` equal parts.
struct QuadraturePoint {
    double place, weight;
};
std::vector<QuadraturePoint> gauss_points(int parts, int points);

}  // namespace myriad::reference
