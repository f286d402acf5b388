// Places of a lane's closed contacts in its contact problem. They serve mechanisms whose problem of
// all contacts would be large.
//
//   places   contacts that follow each other and have as many tangents share some: each lane brings its closed ones, in
//            their order, to the first of these places
//   pairs    of planar contacts: a lane brings the pair 2 m, 2 m + 1 that it has closed, as corners between two walls
//
// The bits are those of the problem of all contacts, for open ones have no influence. Lanes that have more contacts
// closed than there are places, or several pairs, are `over`. For steps that are traced; kernels on numbers list the
// contacts that are closed (problem.hpp).
#pragma once
#include "kernels/contact/closed_contacts.hpp"
#include "kernels/contact/problem.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real, class T>
struct ContactChoice {
    using Mask = MaskOf<Real>;
    static constexpr int directions = T::directions;
    // Straight code for a problem grows as the cube of its rows.
    static constexpr int most_rows = 12;
    struct Place {
        int tangents, first, last, step;  // it holds one of the contacts first, first + step, ... last
    };
    T topology;
    int places = 0;
    Place place[T::most_contacts];
    Mask holds[T::most_contacts][T::most_contacts];  // [place][contact]
    Mask over;

    static MYRIAD_HD bool is_needed(const T& topology, bool in_pairs) {
        if (in_pairs) return topology.contacts() > 2;
        return rows_with(topology, topology.contacts()) > most_rows;
    }
    // `closed(c)`: lanes that have contact c closed.
    template <class Closed>
    static MYRIAD_HD ContactChoice of(const T& topology, bool in_pairs, const Closed& closed) {
        ContactChoice choice;
        choice.topology = topology, choice.over = !true_mask<Real>();
        if (in_pairs)
            choice.choose_pair(closed);
        else
            choice.choose_places(closed);
        return choice;
    }
    // What `of` says of the contact at place j; any number where none is there.
    template <class Of>
    MYRIAD_HD Real pick(int j, const Of& of) const {
        Real x = of(place[j].first);
        for (int c = place[j].first + place[j].step; c <= place[j].last; c += place[j].step)
            x = select(holds[j][c], of(c), x);
        return x;
    }
    template <class Closed>
    MYRIAD_HD Mask is_closed(int j, const Closed& closed) const {
        Mask some = !true_mask<Real>();
        for (int c = place[j].first; c <= place[j].last; c += place[j].step) some = some | (holds[j][c] & closed(c));
        return some;
    }

  private:
    static MYRIAD_HD int end_of_run(const T& topology, int first) {
        int end = first + 1;
        while (end < topology.contacts() && topology.contact(end).tangents == topology.contact(first).tangents) ++end;
        return end;
    }
    static MYRIAD_HD int rows_with(const T& topology, int most_places) {
        int rows = 0;
        for (int first = 0, end = 0; first < topology.contacts(); first = end) {
            end = end_of_run(topology, first);
            const int contacts = end - first;
            rows += (contacts < most_places ? contacts : most_places) * (1 + topology.contact(first).tangents);
        }
        return rows;
    }
    static MYRIAD_HD int places_of_run(const T& topology) {
        int most = 1;
        while (most < topology.contacts() && rows_with(topology, most + 1) <= most_rows) ++most;
        return most;
    }
    template <class Closed>
    MYRIAD_HD void choose_pair(const Closed& closed) {
        const int contacts = topology.contacts();
        places = 2;
        Mask some = !true_mask<Real>();
        for (int c = 0; c < contacts; c += 2) {
            Mask of_pair = closed(c);
            if (c + 1 < contacts) of_pair = of_pair | closed(c + 1);
            over = over | (some & of_pair), some = some | of_pair;
            holds[0][c] = holds[1][c + 1] = of_pair;
        }
        for (int j = 0; j < 2; ++j) place[j] = {1, j, contacts - 1 - (contacts - 1 - j) % 2, 2};
    }
    template <class Closed>
    MYRIAD_HD void choose_places(const Closed& closed) {
        const int most = places_of_run(topology);
        for (int first = 0, end = 0; first < topology.contacts(); first = end) {
            end = end_of_run(topology, first);
            const int own = end - first < most ? end - first : most;
            Mask so_many[T::most_contacts + 1];  // lanes with j closed contacts so far
            for (int j = 0; j <= own; ++j) so_many[j] = j == 0 ? true_mask<Real>() : !true_mask<Real>();
            for (int j = 0; j < own; ++j) place[places + j] = {topology.contact(first).tangents, first + j, end - 1, 1};
            for (int c = first; c < end; ++c) {
                const Mask is_closed = closed(c);
                over = over | (so_many[own] & is_closed);
                for (int j = 0; j < own; ++j) holds[places + j][c] = so_many[j] & is_closed;
                for (int j = own; j >= 0; --j) {
                    const Mask kept = so_many[j] & !is_closed;
                    so_many[j] = j > 0 ? kept | (so_many[j - 1] & is_closed) : kept;
                }
            }
            places += own;
        }
    }
};

// The contacts of a problem that each lane has chosen, and behind them the dry frictions of joints, of one stage after
// the other.
template <class Choice, class List>
struct ChosenContacts {
    const Choice& choice;
    int frictions;
    List listed;

    MYRIAD_HD ChosenContacts(const Choice& given, int dry_frictions, int stages)
        : choice(given), frictions(dry_frictions) {
        listed = List::where(
            stages * of_stage(), [](int) { return true; },
            [&](int k) -> RowsOfContact {
                return is_friction(k) ? RowsOfContact{0, true, 0}
                                      : RowsOfContact{choice.place[place(k)].tangents, false, 0};
            });
    }
    MYRIAD_HD int of_stage() const { return choice.places + frictions; }
    MYRIAD_HD int place(int k) const { return k % of_stage(); }
    MYRIAD_HD bool is_friction(int k) const { return place(k) >= choice.places; }
    // What `of` says of the row of the mechanism that row i stands for.
    template <class Of>
    MYRIAD_HD auto of_row(int i, const Of& of) const {
        const int k = listed.contact_of(i), part = i - listed.first_row(k);
        if (is_friction(k)) return of(friction_row(choice.topology, place(k) - choice.places));
        return choice.pick(place(k), [&](int c) { return of(c * Choice::directions + part); });
    }
    // Tells `put` the rows of the mechanism that row i stands for, each with lanes of `chosen`.
    template <class Mask, class Put>
    MYRIAD_HD void put_row(int i, Mask chosen, const Put& put) const {
        const int k = listed.contact_of(i), part = i - listed.first_row(k), j = place(k);
        if (is_friction(k)) return put(friction_row(choice.topology, j - choice.places), chosen);
        for (int c = choice.place[j].first; c <= choice.place[j].last; c += choice.place[j].step)
            put(c * Choice::directions + part, chosen & choice.holds[j][c]);
    }
    // Closed contacts, coefficients of friction, and bounds of dry frictions, of a problem.
    template <class Problem, class Mask, class Closed, class Friction, class Bound>
    MYRIAD_HD void fill(Problem& problem, Mask chosen, const Closed& closed, const Friction& friction,
                        const Bound& bound) const {
        problem.listed = listed;
        for (int k = 0; k < listed.count(); ++k) {
            problem.bilateral[k] = !true_mask<typename Problem::Real>();
            problem.closed[k] = is_friction(k) ? chosen : chosen & choice.is_closed(place(k), closed);
            problem.friction[k] = is_friction(k) ? bound(place(k) - choice.places) : choice.pick(place(k), friction);
        }
    }
};

// The gradients of the rows of a problem whose contacts each lane has chosen.
template <class R, class T, int rows>
struct ChosenRows {
    using Real = R;
    T topology;
    Real gradient[rows][T::most_freedoms];

    template <class Rates>
    MYRIAD_HD Real velocity(int row, const Rates& v) const {
        Real u(0.0);
        for (int i = 0; i < topology.freedoms(); ++i) u = fma(gradient[row][i], v[i], u);
        return u;
    }
    MYRIAD_HD void add_load(int row, MaskOf<Real> acts, Real l, Real* forces) const {
        for (int i = 0; i < topology.freedoms(); ++i)
            forces[i] = select(acts, fma(l, gradient[row][i], forces[i]), forces[i]);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
