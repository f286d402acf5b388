// Which contacts of a system are closed, and a number for each of their directions.
//
//   rows    normal, tangents, contact by contact; then one for each dry friction of a joint, which always acts
//   closed  g <= 0 but for a tolerance, or held; the sum of 2^c over the closed contacts c says which as one number
//
// Not handled: more than 52 contacts in that number.
#pragma once
#include "kernels/contact/effort.hpp"
#include "kernels/math/fields.hpp"
#include "kernels/system/entries.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Behind the rows of contacts, directions c + k: that of a joint's dry friction.
template <class T>
MYRIAD_HD int friction_row(const T& topology, int friction) {
    return topology.contacts() * T::directions + friction;
}
template <class T>
constexpr int most_load_rows = T::most_contacts* T::directions + T::most_set_frictions;

// A number for each direction of each contact and for each dry friction of a joint.
template <class R, class T>
struct ContactLoads {
    using Real = R;
    T topology;
    Real e[most_load_rows<T> > 0 ? most_load_rows<T> : 1];

    MYRIAD_HD void fit(T given) { topology = given; }
    MYRIAD_HD int size() const { return friction_row(topology, topology.set_frictions()); }
    MYRIAD_HD Real& operator[](int i) { return e[i]; }
    MYRIAD_HD const Real& operator[](int i) const { return e[i]; }
    MYRIAD_HD void clear() { MYRIAD_UNROLL_PLAN for (int i = 0; i < size(); ++i) e[i] = Real(0.0); }
    template <class Visit, class First, class... Self>
    static MYRIAD_HD void fields(Visit&& visit, First& first, Self&... self) {
        visit_first(visit, first.size(), first.e, self.e...);
    }
};

// The closed contacts of a system. Dry friction of joints always acts.
template <class Real, class Topology>
struct ClosedContacts {
    Topology topology;
    MaskOf<Real> closed[Topology::most_contacts > 0 ? Topology::most_contacts : 1];

    // A contact is closed if g <= 0 but for the tolerance: round-off must not open a contact that rests.
    template <class Equations>
    static MYRIAD_HD ClosedContacts of(const Equations& equations, const typename Equations::Places& places,
                                       const ContactSettings& settings) {
        ClosedContacts masks;
        masks.topology = places.topology;
        MYRIAD_EACH(c, places.topology, contacts)
            masks.closed[c] = equations.closes(c, places.gap(c) <= Real(settings.gap_tolerance_m));
        return masks;
    }
    // As one number, the sum of 2^c over the closed contacts c, exact for up to 52 contacts; and back.
    MYRIAD_HD Real code() const {
        Real sum(0.0), one_more(1.0);
        MYRIAD_EACH(c, topology, contacts) {
            sum = select(closed[c], sum + one_more, sum);
            one_more = one_more + one_more;
        }
        return sum;
    }
    static MYRIAD_HD ClosedContacts of_code(Topology topology, Real code) {
        ClosedContacts masks;
        masks.topology = topology;
        double last = 1.0;
        MYRIAD_UNROLL_PLAN for (int c = 1; c < topology.contacts(); ++c) last = last + last;
        MYRIAD_UNROLL_PLAN for (int c = topology.contacts() - 1; c >= 0; --c) {
            masks.closed[c] = Real(last) <= code;
            code = select(masks.closed[c], code - Real(last), code);
            last = 0.5 * last;
        }
        return masks;
    }
    MYRIAD_HD MaskOf<Real> any_closed() const {
        MaskOf<Real> some = !true_mask<Real>();
        MYRIAD_EACH(c, topology, contacts) some = some | closed[c];
        return some;
    }
    MYRIAD_HD MaskOf<Real> any_acts() const { return topology.set_frictions() > 0 ? true_mask<Real>() : any_closed(); }
    MYRIAD_HD MaskOf<Real> acts(int row) const {
        return row < friction_row(topology, 0) ? closed[row / Topology::directions] : true_mask<Real>();
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
