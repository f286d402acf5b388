// The pair of contacts, 2 m and 2 m + 1 of a system, that a lane has closed.
//
// Corners of a body between two walls touch one of them at a time, which one differs from lane to lane. Each lane
// brings its own pair to the same place: there is a quarter of the Delassus matrix to compute and to keep. The bits are
// those of the problem of all contacts, for open ones have no influence. Not handled: lanes that touch in several
// pairs.
#pragma once
#include "kernels/math/elementary.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real, int pairs>
struct PairChoice {
    using Mask = MaskOf<Real>;
    Mask closed[pairs];  // some contact of the pair

    template <class Closed>
    static MYRIAD_HD PairChoice of(const Closed& closed_contact) {
        PairChoice choice;
        MYRIAD_UNROLL for (int pair = 0; pair < pairs; ++pair) {
            const Mask first = closed_contact(2 * pair), second = closed_contact(2 * pair + 1);
            choice.closed[pair] = first | second;
        }
        return choice;
    }
    // Lanes that have exactly one pair closed.
    MYRIAD_HD Mask is_unique() const {
        Mask some = !true_mask<Real>(), several = some;
        MYRIAD_UNROLL for (int pair = 0; pair < pairs; ++pair) {
            several = several | (some & closed[pair]);
            some = some | closed[pair];
        }
        return some & !several;
    }
    // What `of` says of each lane's pair; of the last one where none is closed.
    template <class Of>
    MYRIAD_HD Real pick(const Of& of) const {
        Real x = of(pairs - 1);
        MYRIAD_UNROLL for (int pair = pairs - 2; pair >= 0; --pair) x = select(closed[pair], of(pair), x);
        return x;
    }
    // The same of one of the four rows that a pair has, in a system whose contacts have so many rows: those after the
    // second are left out.
    template <int rows_of_contact, class Of>
    MYRIAD_HD Real pick_row(int row, const Of& of) const {
        return pick([&](int pair) MYRIAD_INLINE { return of((2 * pair + row / 2) * rows_of_contact + row % 2); });
    }
    template <class Of>
    MYRIAD_HD Mask pick_mask(const Of& of) const {
        Mask some = !true_mask<Real>();
        MYRIAD_UNROLL for (int pair = 0; pair < pairs; ++pair) {
            const Mask own = of(pair);
            some = some | (closed[pair] & own);
        }
        return some;
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
