// The state of a mechanism's instance: for each body the centre of mass and the coordinates of its chart, and the
// angles counted over full turns. Arrays have the topology's capacities; only the mechanism's own bodies are
// touched.
#pragma once
#include "kernels/math/fields.hpp"
#include "kernels/mechanism/table_topology.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R, class T, class Chart>
struct MechanismConfiguration {
    using Real = R;
    T topology;
    Vec<3, Real> position[T::most_bodies];  // centre of mass, world, m
    typename Chart::Coordinates orientation[T::most_bodies];
    Real turned[T::most_angles];  // angles over full turns, rad

    MYRIAD_HD void fit(T given) { topology = given; }
    template <class Visit, class First, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, First& first, Self&... self) {
        const int bodies = first.topology.bodies(), angles = first.topology.angles();
        MYRIAD_UNROLL_PLAN for (int b = 0; b < bodies; ++b) {
            visit_fields(visit, first.position[b], self.position[b]...);
            visit_fields(visit, first.orientation[b], self.orientation[b]...);
        }
        visit_first(visit, angles, first.turned, self.turned...);
    }
};

// Velocities, accelerations, or increments of a step: for each body three numbers of the centre of mass (world), then
// the rates of its chart.
template <class R, class T, class Chart>
struct MechanismRates {
    using Real = R;
    static constexpr int per_body = 3 + Chart::rate_count;
    T topology;
    Real e[T::most_bodies * per_body];

    MYRIAD_HD void fit(T given) { topology = given; }
    static MYRIAD_HD int count(T topology) { return topology.bodies() * per_body; }
    MYRIAD_HD int size() const { return count(topology); }
    MYRIAD_HD Real& operator[](int i) { return e[i]; }
    MYRIAD_HD const Real& operator[](int i) const { return e[i]; }
    MYRIAD_HD Vec<3, Real> linear(int b) const {
        const int at = b * per_body;
        return {e[at], e[at + 1], e[at + 2]};
    }
    MYRIAD_HD typename Chart::Rates turning(int b) const {
        typename Chart::Rates rates;
        MYRIAD_UNROLL for (int i = 0; i < Chart::rate_count; ++i) rates[i] = e[b * per_body + 3 + i];
        return rates;
    }
    MYRIAD_HD void set(int b, const Vec<3, Real>& linear, const typename Chart::Rates& turning) {
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) e[b * per_body + i] = linear[i];
        MYRIAD_UNROLL for (int i = 0; i < Chart::rate_count; ++i) e[b * per_body + 3 + i] = turning[i];
    }
    template <class Visit, class First, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, First& first, Self&... self) {
        visit_first(visit, first.size(), first.e, self.e...);
    }
};

template <class R, class T>
struct Multipliers {
    using Real = R;
    [[no_unique_address]] T topology;
    Real e[T::most_rows];

    MYRIAD_HD void fit(T given) { topology = given; }
    MYRIAD_HD int size() const { return topology.rows(); }
    MYRIAD_HD Real& operator[](int i) { return e[i]; }
    MYRIAD_HD const Real& operator[](int i) const { return e[i]; }
    template <class Visit, class First, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, First& first, Self&... self) {
        visit_first(visit, first.size(), first.e, self.e...);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
