// The next corner of functions of time: where they take other branches, or where they have a corner without branches,
// or a pole.
//
// A piece of time without a corner by bounds.hpp is passed, and the next one is twice as long; another piece is halved,
// down to less than a moment (tape.hpp). So no pulse is too short. Pieces of which bounds say too little for too long
// (sums whose terms cancel, tables of many points in one step) are then looked at by their ends, 64 to a step. Lanes
// do not depend on each other. Times in s. Not handled: two corners within a moment, and pulses in a 64th of a step
// whose bounds say too little.
#pragma once
#include "kernels/math/control.hpp"
#include "kernels/mechanism/bounds.hpp"

namespace myriad::inline MYRIAD_VARIANT {

constexpr int most_sure_looks = 600, most_looks = 2000, pieces_of_a_step = 64;

template <class Real>
struct Corner {
    MaskOf<Real> is_there, is_sharp;
    // Branches are the ones of side_s up to before_s, and new ones at time_s.
    Real side_s, before_s, time_s;
};
// Whether functions may come to a corner.
template <class Real>
struct MaybeCorner {
    MaskOf<Real> turns, is_sharp;
};

// Beyond round-off; `size`: of values that count as small.
template <class Real>
MYRIAD_HD MaskOf<Real> functions_differ(const Taylor<Real>& f, const Taylor<Real>& g, Real size) {
    const auto differs = [](Real a, Real b, Real scale) {
        const Real rounding = constant<Real>(0x1p-46, 0x1p-17) * (scale + (absolute(a) + absolute(b)));
        return (!(absolute(b - a) <= rounding)) & ((a == a) | (b == b)) & !(a == b);
    };
    return differs(f.value, g.value, size) | differs(f.rate, g.rate, Real(0.0)) |
           differs(f.acceleration, g.acceleration, Real(0.0));
}

// `functions.over(from_s, to_s, side_s)`: a MaybeCorner, with the branches of side_s. `functions.differ(time_s,
// side_s)`: lanes in which functions of time_s differ by functions_differ from the ones with the branches of a moment
// after side_s.
template <class Functions, class Real>
MYRIAD_HD Corner<Real> next_corner(Functions& functions, MaskOf<Real> lanes, Real begin_s, Real end_s) {
    using Mask = MaskOf<Real>;
    const Mask none = !true_mask<Real>();
    const Real half(0.5), quarter(0.25), piece_s = (end_s - begin_s) * Real(1.0 / pieces_of_a_step);
    Corner<Real> found{none, none, begin_s, end_s, end_s};
    Real low = begin_s, length = end_s - begin_s, side_s = begin_s, looks(0.0);
    Mask searching = lanes & (low < end_s);
    MYRIAD_REPEAT(searching) {
        const Mask is_sure = looks < Real(most_sure_looks);
        length = minimum(length, end_s - low);
        length = select(is_sure, length, minimum(length, piece_s));
        const Real moment = moment_after(low) - low;
        const Mask is_least = length <= quarter * moment;
        Real high = low + maximum(length, quarter * moment);
        high = select(end_s < high, end_s, high);
        Mask is_clear = none, is_sharp = none;
        MYRIAD_WHEN(is_sure) {
            const MaybeCorner<Real> seen = functions.over(moment_after(low), moment_after(high), moment_after(side_s));
            is_sharp = is_sure & seen.is_sharp, is_clear = is_sure & !(seen.turns | seen.is_sharp);
        }
        const Mask at_corner = searching & !is_clear & is_least;
        MYRIAD_WHEN(at_corner | !is_sure) {
            const Mask differs = functions.differ(high, side_s);
            is_clear = is_clear | !(is_sure | differs);
            const Mask is_found = searching & is_least & !is_clear & (differs | is_sharp);
            found.is_there = found.is_there | is_found, found.is_sharp = found.is_sharp | (is_found & is_sharp);
            found.side_s = select(is_found, side_s, found.side_s);
            found.before_s = select(is_found, low, found.before_s), found.time_s = select(is_found, high, found.time_s);
            searching = searching & !is_found;
        }
        const Mask passes = searching & (is_clear | is_least);
        side_s = select(passes & !is_clear, high, side_s);
        low = select(passes, high, low);
        length = select(passes, length + length, select(searching, half * length, length));
        looks = looks + Real(1.0);
        searching = searching & (low < end_s) & (looks < Real(most_looks));
    }
    return found;
}

}  // namespace myriad::inline MYRIAD_VARIANT
