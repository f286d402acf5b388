// A contact problem on velocity level: which contacts it has, and their numbers.
//
//   u = G l + b    local velocities; l: impulses or forces; G: Delassus matrix; b: the velocities without l
//
// The rows are ordered by contacts: normal, tangents. l and u obey the contact laws of prox.hpp. Where other lanes of a
// pack have other contacts closed, the list holds the contacts that some lane has closed.
#pragma once
#include "kernels/math/elementary.hpp"
#include "kernels/math/small_factors.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Lists all contacts that there is room for.
template <int C>
struct AllContacts {
    template <class Closed>
    static MYRIAD_HD constexpr AllContacts where(int, const Closed&) {
        return {};
    }
    static MYRIAD_HD constexpr int count() { return C; }
    static MYRIAD_HD constexpr int number(int k) { return k; }
};
// Lists some of a system's contacts, in rising order: those that some lane has closed. A contact that is listed and
// open has no influence on the bits of the others, nor has one that is left out. This holds as long as the caller gives
// it no entries in G and takes the sign from zeros that a force of no size would take it from.
template <int C>
struct ListedContacts {
    int listed;
    short numbers[C];
    // Lists those of the first `count` contacts that `closed(k)` says to be closed in some lane.
    template <class Closed>
    static MYRIAD_HD ListedContacts where(int count, const Closed& closed) {
        ListedContacts list;
        list.listed = 0;
        for (int k = 0; k < count; ++k)
            if (closed(k)) list.numbers[list.listed++] = static_cast<short>(k);
        return list;
    }
    MYRIAD_HD int count() const { return listed; }
    MYRIAD_HD int number(int k) const { return numbers[k]; }
};
template <int C, bool is_listed>
struct ContactListType {
    using Type = AllContacts<C>;
};
template <int C>
struct ContactListType<C, true> {
    using Type = ListedContacts<C>;
};
template <int C, bool is_listed>
using ContactList = typename ContactListType<C, is_listed>::Type;

// At most `C` contacts with `T` tangential directions each (0, 1 or 2). The rows are ordered by contacts: normal,
// tangents. `Listed` says which of a system's contacts they are.
template <int C, int T, class R, class Listed = AllContacts<C>>
struct ContactProblem {
    using Real = R;
    static constexpr int contacts = C, tangents = T, directions = 1 + T, rows = C * directions;
    Listed listed;
    SquareMatrix<rows, Real> delassus;     // G, 1/kg where l are impulses
    Vec<rows, Real> free_velocity;         // b, m/s
    Vec<C, Real> friction;                 // mu
    MaskOf<Real> closed[C], bilateral[C];  // the impulses of a contact that is not closed are zero

    MYRIAD_HD constexpr int row_count() const { return listed.count() * directions; }
    // A problem may have the contacts of several stages, one stage after the other: the stage of a row, and which of
    // that stage's rows it is, listed or not.
    MYRIAD_HD constexpr int stage_of(int row, int contacts_of_stage) const {
        return listed.number(row / directions) / contacts_of_stage;
    }
    MYRIAD_HD constexpr int row_of(int row, int contacts_of_stage) const {
        return listed.number(row / directions) % contacts_of_stage * directions + row % directions;
    }
    MYRIAD_HD Real velocity(int row, const Vec<rows, Real>& impulse) const {
        Real u = free_velocity[row];
        MYRIAD_UNROLL_PLAN for (int j = 0; j < row_count(); ++j) u = fma(delassus.e[row][j], impulse[j], u);
        return u;
    }
};

// The rows of the listed contacts.
template <class Listed, int Directions>
struct ListedRows {
    const Listed& listed;
    MYRIAD_HD constexpr int operator()() const { return listed.count() * Directions; }
};

}  // namespace myriad::inline MYRIAD_VARIANT
