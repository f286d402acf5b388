// A contact problem on velocity level: which contacts it has, and their numbers.
//
//   u = G l + b    local velocities; l: impulses or forces; G: Delassus matrix; b: the velocities without l
//
// The rows are ordered by contacts: normal, tangents. l and u obey the contact laws of prox.hpp. Where other lanes of a
// pack have other contacts closed, the list holds the contacts that some lane has closed. A list also says where the
// rows of a contact lie. Dry friction of a joint is listed as a contact of one row whose l is bounded.
#pragma once
#include "kernels/math/elementary.hpp"
#include "kernels/math/small_factors.hpp"

// A large function of the solver. Kernels for GPUs whose loops are unrolled copy it into its callers, but for formulas
// they call it: there contact problems that ask for it are rare beside steps, and each copy costs the compiler minutes
// and the step its registers.
#if defined(__CUDACC_RTC__) && defined(MYRIAD_COUNTED_ROWS)
#define MYRIAD_OF_SOLVER __device__ __noinline__
#else
#define MYRIAD_OF_SOLVER MYRIAD_NOINLINE
#endif

namespace myriad::inline MYRIAD_VARIANT {

// Unrolled, a solver of more rows would take a compiler for GPUs minutes.
constexpr int most_unrolled_rows = 11;

// Lists all contacts that there is room for, each with T tangents.
template <int C, int T>
struct AllContacts {
    static constexpr int most_contacts = C, most_rows = C * (1 + T);
    static constexpr bool has_bounds = false;
    template <class Closed>
    static MYRIAD_HD constexpr AllContacts where(int, const Closed&) {
        return {};
    }
    static MYRIAD_HD constexpr int count() { return C; }
    static MYRIAD_HD constexpr int number(int k) { return k; }
    static MYRIAD_HD constexpr int row_count() { return most_rows; }
    static MYRIAD_HD constexpr int first_row(int k) { return k * (1 + T); }
    static MYRIAD_HD constexpr int tangents_of(int) { return T; }
    static MYRIAD_HD constexpr int contact_of(int row) { return row / (1 + T); }
};
// Lists some of a system's contacts, in rising order: those that some lane has closed. A contact that is listed and
// open has no influence on the bits of the others, nor has one that is left out. This holds as long as the caller gives
// it no entries in G and takes the sign from zeros that a force of no size would take it from.
template <int C, int T>
struct ListedContacts {
    static constexpr int most_contacts = C, most_rows = C * (1 + T);
    static constexpr bool has_bounds = false;
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
    MYRIAD_HD int row_count() const { return listed * (1 + T); }
    static MYRIAD_HD constexpr int first_row(int k) { return k * (1 + T); }
    static MYRIAD_HD constexpr int tangents_of(int) { return T; }
    static MYRIAD_HD constexpr int contact_of(int row) { return row / (1 + T); }
};
// The same for contacts with two tangents or fewer each, and for bounded rows. `leaves_out` false: lists all of them,
// so that loops over them can be unrolled.
struct RowsOfContact {
    int tangents;
    bool is_bounded;
    int row;  // its first one among the rows of the whole system
};
template <int C, int R, bool leaves_out>
struct MixedContacts {
    static constexpr int most_contacts = C, most_rows = R,
                         rows_at_once = R > most_unrolled_rows ? 1 : myriad::rows_at_once;
    static constexpr bool has_bounds = true;
    int listed, rows;
    short numbers[C], first[C], system_row[C], owner[R];
    signed char tangents[C];
    bool bounded[C];
    // `rows_of(k)`: a RowsOfContact.
    template <class Closed, class RowsOf>
    static MYRIAD_HD MixedContacts where(int count, const Closed& closed, const RowsOf& rows_of) {
        MixedContacts list;
        list.listed = list.rows = 0;
        MYRIAD_UNROLL_ROWS for (int k = 0; k < count; ++k) {
            if (leaves_out && !closed(k)) continue;
            const RowsOfContact of = rows_of(k);
            const int place = list.listed++;
            list.numbers[place] = static_cast<short>(k), list.first[place] = static_cast<short>(list.rows);
            list.system_row[place] = static_cast<short>(of.row);
            list.tangents[place] = static_cast<signed char>(of.tangents), list.bounded[place] = of.is_bounded;
            MYRIAD_UNROLL_ROWS for (int i = 0; i <= of.tangents; ++i) list.owner[list.rows++] =
                static_cast<short>(place);
        }
        return list;
    }
    MYRIAD_HD int count() const { return listed; }
    MYRIAD_HD int number(int k) const { return numbers[k]; }
    MYRIAD_HD int row_count() const { return rows; }
    MYRIAD_HD int first_row(int k) const { return first[k]; }
    MYRIAD_HD int tangents_of(int k) const { return tangents[k]; }
    MYRIAD_HD int contact_of(int row) const { return owner[row]; }
    MYRIAD_HD bool is_bounded(int k) const { return bounded[k]; }
    // The place of a row among those of the whole system.
    MYRIAD_HD int row_of_system(int row) const { return system_row[owner[row]] + row - first[owner[row]]; }
};
template <int C, int T, bool is_listed>
struct ContactListType {
    using Type = AllContacts<C, T>;
};
template <int C, int T>
struct ContactListType<C, T, true> {
    using Type = ListedContacts<C, T>;
};
template <int C, int T, bool is_listed>
using ContactList = typename ContactListType<C, T, is_listed>::Type;

// A list whose problems are rare: nothing is gained by unrolled loops over their rows.
template <class Listed>
struct RareContacts : Listed {
    static constexpr int rows_at_once = 1;
    RareContacts() = default;
    MYRIAD_HD RareContacts(const Listed& listed) : Listed(listed) {}
};
template <class Listed, bool is_rare>
struct ListWhereRare {
    using Type = Listed;
};
template <class Listed>
struct ListWhereRare<Listed, true> {
    using Type = RareContacts<Listed>;
};

// At most `C` contacts with at most `T` tangential directions each (0, 1 or 2). The rows are ordered by contacts:
// normal, tangents. `Listed` says which of a system's contacts they are.
template <int C, int T, class R, class Listed = AllContacts<C, T>>
struct ContactProblem {
    using Real = R;
    static constexpr int contacts = C, most_tangents = T, rows = Listed::most_rows,
                         rows_at_once = rows_at_once_of<Listed>;
    Listed listed;
    SquareMatrix<rows, Real> delassus;     // G, 1/kg where l are impulses
    Vec<rows, Real> free_velocity;         // b, m/s
    Vec<C, Real> friction;                 // mu; of a bounded row the largest |l|
    MaskOf<Real> closed[C], bilateral[C];  // the impulses of a contact that is not closed are zero

    MYRIAD_HD constexpr int row_count() const { return listed.row_count(); }
    // The first row of a contact and the one behind its last.
    MYRIAD_HD constexpr int begin(int k) const { return listed.first_row(k); }
    MYRIAD_HD constexpr int end(int k) const { return begin(k) + 1 + listed.tangents_of(k); }
    MYRIAD_HD MaskOf<Real> is_closed(int row) const { return closed[listed.contact_of(row)]; }
    // A problem may have the contacts of several stages, one stage after the other: the stage of a row.
    MYRIAD_HD constexpr int stage_of(int row, int contacts_of_stage) const {
        return listed.number(listed.contact_of(row)) / contacts_of_stage;
    }
    MYRIAD_HD Real velocity(int row, const Vec<rows, Real>& impulse) const {
        Real u = free_velocity[row];
        MYRIAD_UNROLL_ROWS for (int j = 0; j < row_count(); ++j) u = fma(delassus.e[row][j], impulse[j], u);
        return u;
    }
};

// Dependent contacts may carry impulses of any size against each other; any velocity is small beside these. The scale
// of a residual counts no more than so many times the largest |b|.
template <class Real>
MYRIAD_HD Real largest_contact_scale() {
    return constant<Real>(1e6, 1e3);
}

// The rows of the listed contacts.
template <class Listed>
struct ListedRows {
    static constexpr int rows_at_once = rows_at_once_of<Listed>;
    const Listed& listed;
    MYRIAD_HD constexpr int operator()() const { return listed.row_count(); }
};

}  // namespace myriad::inline MYRIAD_VARIANT
