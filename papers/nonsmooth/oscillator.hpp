// q'' + w^2 q = 0 as a system with contacts that has none: the model problem of the linear analysis.
#pragma once
#include "kernels/systems/vector_coordinates.hpp"

namespace myriad::bench {

template <class R>
struct Oscillator : VectorCoordinates<1, R> {
    using Real = R;
    using Coordinates = VectorCoordinates<1, R>;
    using typename Coordinates::Configuration;
    using typename Coordinates::Velocity;
    static constexpr int contacts = 0, tangents = 0, parameter_count = 1, invariant_count = 0;
    static constexpr ParameterDescription parameters[] = {{"frequency_rad_s", "rad/s", 1.0, "angular frequency"}};
    Real square;

    static Prepared<Oscillator> prepare(const Vec<1, Real>& p) { return {{{}, p[0] * p[0]}, Real(0.0), Real(0.0)}; }
    static void start(const Vec<1, Real>&, Configuration& q, Velocity& v) { q[0] = Real(1.0), v[0] = Real(0.0); }
    SquareMatrix<1, Real> mass(const Configuration&) const { return {{{Real(1.0)}}}; }
    Velocity force(const Configuration& q, const Velocity&, Real) const { return {-(square * q[0])}; }
    TangentMatrices<1, Real> tangents_of(const Configuration&, const Velocity&, const Velocity&, Real) const {
        return {{{{square}}}, {{{Real(0.0)}}}};
    }
    ContactState<1, 0, 0, Real> contact_state(const Configuration&) const { return {}; }
    ContactLaw<Real> law(int) const { return {Real(0.0), Real(0.0), Real(0.0)}; }
    MaskOf<Real> held(int) const { return !true_mask<Real>(); }
    MaskOf<Real> unused(int) const { return !true_mask<Real>(); }
    Real energy(const Configuration& q, const Velocity& v) const {
        return Real(0.5) * (v[0] * v[0] + square * (q[0] * q[0]));
    }
};

}  // namespace myriad::bench
