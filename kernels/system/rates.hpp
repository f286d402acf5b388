// Operations of integrators on the rates and the configuration of any system. A formula system holds them in small
// vectors, which are copied. A mechanism holds them in arrays of its topology's capacity, of which only its own part is
// touched.
#pragma once
#include "kernels/system/system.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <int N, class Real>
MYRIAD_HD constexpr int length_of(const Vec<N, Real>&) {
    return N;
}

template <class System>
MYRIAD_HD int rate_count(const System& system) {
    if constexpr (has_topology<System>)
        return System::Velocity::count(system.topology);
    else
        return length_of(typename System::Velocity());
}

// Gives an object the size of the system; does nothing where that is in its type.
template <class System, class Sized>
MYRIAD_HD void fit_to(const System& system, Sized& sized) {
    if constexpr (has_topology<System>) sized.fit(system.topology);
}

template <class System>
MYRIAD_HD void set_zero(const System& system, typename System::Velocity& v) {
    fit_to(system, v);
    MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) v[i] = typename System::Real(0.0);
}
template <class System>
MYRIAD_HD void copy_rates(const System& system, const typename System::Velocity& from, typename System::Velocity& to) {
    if constexpr (has_topology<System>) {
        fit_to(system, to);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) to[i] = from[i];
    } else {
        to = from;
    }
}
// v + s x
template <class System>
MYRIAD_NOINLINE void add_scaled_rates(const System& system, typename System::Real s, const typename System::Velocity& x,
                                      typename System::Velocity& v) {
    MYRIAD_UNROLL_PLAN for (int i = 0; i < rate_count(system); ++i) v[i] = fma(s, x[i], v[i]);
}
template <class System>
MYRIAD_HD void add_scaled(const System& system, typename System::Real s, const typename System::Velocity& x,
                          typename System::Velocity& v) {
    if constexpr (has_topology<System>)
        add_scaled_rates(system, s, x, v);
    else
        v = fma(s, x, v);
}

template <class System>
MYRIAD_HD void retract_to(const System& system, const typename System::Configuration& q,
                          const typename System::Velocity& u, typename System::Configuration& end) {
    if constexpr (has_topology<System>)
        system.retract(q, u, end);
    else
        end = System::retract(q, u);
}
template <class System>
MYRIAD_HD void settle(const System& system, typename System::Configuration& q) {
    if constexpr (has_topology<System>)
        system.settle(q);
    else
        q = System::settle(q);
}
// The rate of the local coordinates at u.
template <class System>
MYRIAD_HD void local_rate_to(const System& system, const typename System::Configuration& q,
                             const typename System::Velocity& u, const typename System::Velocity& v,
                             typename System::Velocity& rate) {
    if constexpr (has_topology<System>)
        system.local_rate(q, u, v, rate);
    else
        rate = System::local_rate(q, u, v);
}
// The same at u = 0; on most charts it is v there.
template <class System>
MYRIAD_HD constexpr bool velocity_is_local_rate() {
    if constexpr (requires { typename System::Chart; })
        return System::Chart::velocity_is_local_rate;
    else
        return true;
}
template <class System>
MYRIAD_HD void local_rate_at_start(const System& system, const typename System::Configuration& q,
                                   const typename System::Velocity& v, typename System::Velocity& rate) {
    if constexpr (velocity_is_local_rate<System>()) {
        copy_rates(system, v, rate);
    } else {
        typename System::Velocity none;
        set_zero(system, none), fit_to(system, rate);
        local_rate_to(system, q, none, v, rate);
    }
}
}  // namespace myriad::inline MYRIAD_VARIANT
