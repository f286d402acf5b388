// The slider-crank of slider_crank_clearance.hpp with a flexible connecting rod in a floating frame of reference.
//
//   rod at l1 e(q1) + l2 R(q2) (s + u, w), 0 <= s <= 1;  u, w: axial and transverse shape functions times coordinates
//   d, parts of the rod's length;  q = (angles of crank, rod's frame and slider, d)          nonsmooth eqs. 116, 142
//   2 T = (J1 + m1 l1^2/4) q1'^2 + integral of |velocity|^2 dm + J_s q2'^2 + J3 q3'^2; dm: the rod's mass along s and
//   the slider's at s = 1                                                                    nonsmooth eqs. 122 to 151
//   V = d^T K d / 2 + weights - torque q1, K = EA l2 K_axial + EI/l2 K_bending               nonsmooth eq. 161
//   damping of the material after Kelvin and Voigt: forces -D d' with D = damping_time K (the paper has none)
//
// All inertia forces follow from the integrals of f_i, s f_i, f_i f_j over the masses (the tables of beam_elements.hpp
// and beam_modes.hpp), seen in the rod's frame. J_s = J2 - m2 l2^2/12 is the inertia of the rod's cross-sections. The
// paper's shape functions (eq. 110) leave out that bending turns them: J_s turns with the frame (eq. 134), wherever
// that is. With the share b of `rod.bending_turns_sections`, 2 T has b J_s integral of (2 q2' p + p^2) ds as well,
// p the rate of the slope: b = 1 is Rayleigh's beam, the same motion in every frame. Contacts, clearance 0 and the
// crank's inertia: as in slider_crank_clearance.hpp. A rod without stiffness is refused: nothing would hold its shape,
// and d must stay small. Source: nonsmooth appendices C, D. Not handled: shear, stiffening by large axial force.
#pragma once
#include "kernels/systems/beam_modes.hpp"
#include "kernels/systems/slider_crank_flexible_parameters.hpp"
#include "kernels/systems/vector_coordinates.hpp"
#if !defined(__CUDACC_RTC__)
#include "kernels/systems/slider_crank_flexible_description.hpp"
#endif

namespace myriad::inline MYRIAD_VARIANT {

// `Shapes`: BeamElements or BeamModes with `name` and `summary`.
template <class R, template <class> class ChartOf, class Shapes>
struct SliderCrankFlexible : VectorCoordinates<3 + Shapes::axial + Shapes::transverse, R> {
    using Real = R;
    static constexpr int axial = Shapes::axial, elastic = Shapes::axial + Shapes::transverse, n = 3 + elastic;
    using Coordinates = VectorCoordinates<n, R>;
    using typename Coordinates::Configuration;
    using typename Coordinates::Velocity;
    using Deformation = Vec<elastic, Real>;
    static constexpr int contacts = 4, tangents = 1, invariant_count = 0, bodies = 3,
                         channel_count = bodies * body_channels + 10;
    using NamedParameters = SliderCrankFlexibleParameters<Real, Shapes>;
    static constexpr int parameter_count = parameter_count_of<NamedParameters>;
    static constexpr const char* name = Shapes::name;

    Real crank_length, rod_length, half_length, half_height, clearance;
    Real rod_mass, slider_mass, crank_inertia, section_inertia, bending_inertia, slider_inertia;
    Real axial_stiffness, bending_stiffness;  // EA l2 and EI/l2, N m
    Real damping_time;
    Real gravity, crank_weight, torque;  // crank_weight, N m: the moment where the crank lies flat
    ContactLaw<Real> contact_law;

    static MYRIAD_HD Prepared<SliderCrankFlexible> prepare(const Vec<parameter_count, Real>& values) {
        const NamedParameters p = named<NamedParameters>(values);
        const Real half(0.5), quarter(0.25), zero(0.0), one(1.0);
        const Real m1 = p.bodies.masses[0], m2 = p.bodies.masses[1], m3 = p.bodies.masses[2],
                   l1 = p.bodies.crank_length, l2 = p.bodies.rod_length, share = p.rod.bending_turns_sections;
        Prepared<SliderCrankFlexible> made;
        SliderCrankFlexible& s = made.system;
        s.crank_length = l1, s.rod_length = l2, s.clearance = p.bodies.clearance;
        s.half_length = p.bodies.half_length, s.half_height = p.bodies.half_height;
        s.rod_mass = m2, s.slider_mass = m3;
        s.crank_inertia = fma(fma(quarter, m1, m2 + m3), l1 * l1, p.bodies.inertias[0]);
        const Real thin = (m2 * (l2 * l2)) * Real(1.0 / 12), section = p.bodies.inertias[1] - thin;
        s.section_inertia = maximum(section, zero);
        s.bending_inertia = share * s.section_inertia, s.slider_inertia = p.bodies.inertias[2];
        s.bending_stiffness = p.rod.bending_stiffness / l2, s.axial_stiffness = p.rod.axial_stiffness * l2;
        s.damping_time = p.rod.damping_time, s.gravity = p.motion.gravity;
        s.crank_weight = (p.motion.gravity * l1) * fma(half, m1, m2 + m3), s.torque = p.motion.torque;
        s.contact_law = p.motion.law;
        made.reason = finite_reason(values), made.warnings = zero;
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) {
            made.reason = reason_unless(zero < p.bodies.masses[i], Reason::mass_not_positive, made.reason);
            made.reason = reason_unless(zero < p.bodies.inertias[i], Reason::inertia_singular, made.reason);
        }
        made.reason = reason_unless((zero < l2) & (zero <= s.clearance), Reason::length_not_positive, made.reason);
        made.reason = reason_unless(zero < p.rod.bending_stiffness, Reason::stiffness_not_positive, made.reason);
        made.reason = reason_unless(zero < p.rod.axial_stiffness, Reason::stiffness_not_positive, made.reason);
        made.reason = reason_unless(zero <= p.rod.damping_time, Reason::damping_negative, made.reason);
        // A rod without cross-section has J2 = m2 l2^2/12 up to round-off.
        const MaskOf<Real> whole = -semidefinite_slack<Real>() * thin <= section, from = zero <= share,
                           to = share <= one;
        made.reason = reason_unless(whole & from & to, Reason::inertia_not_positive_semidefinite, made.reason);
        check_contact_laws(s, made.reason, made.warnings);
        return made;
    }
    static MYRIAD_HD void start(const Vec<parameter_count, Real>& values, Configuration& q, Velocity& v) {
        const NamedParameters p = named<NamedParameters>(values);
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) q[i] = p.motion.initial_angles[i], v[i] = p.motion.initial_rates[i];
        MYRIAD_UNROLL_PLAN for (int i = 0; i < elastic; ++i) {
            q[3 + i] = p.initial_deformation[i], v[3 + i] = p.initial_deformation_rate[i];
        }
    }

    MYRIAD_NOINLINE SquareMatrix<n, Real> mass(const Configuration& q) const {
        const Real zero(0.0), square = rod_length * rod_length, product = crank_length * rod_length;
        const Moments d = moments(elastic_part(q));
        const SineCosine<Real> turn = sincos(q[0] - q[1]);
        const Real sine = product * turn.sine, cosine = product * turn.cosine;
        SquareMatrix<n, Real> m;
        m.e[0][0] = crank_inertia, m.e[1][1] = fma(square, frame_inertia(q, d), section_inertia);
        m.e[0][1] = m.e[1][0] = fma(sine, d.y, cosine * (along() + d.x)), m.e[2][2] = slider_inertia;
        m.e[0][2] = m.e[2][0] = m.e[1][2] = m.e[2][1] = zero;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < elastic; ++i) {
            const int at = 3 + i;
            m.e[0][at] = m.e[at][0] = (i < axial ? -sine : cosine) * first_moment(i);
            m.e[1][at] = m.e[at][1] = fma(square, i < axial ? d.turned[i] : second_moment(i) + d.turned[i],
                                          i < axial ? zero : bending_inertia * Real(end_of(i)));
            m.e[2][at] = m.e[at][2] = zero;
            MYRIAD_UNROLL_PLAN for (int j = from(i); j < to(i); ++j) m.e[at][3 + j] = elastic_inertia(i, j);
            MYRIAD_UNROLL_PLAN for (int j = other_from(i); j < other_to(i); ++j) m.e[at][3 + j] = zero;
        }
        return m;
    }
    MYRIAD_NOINLINE Velocity force(const Configuration& q, const Velocity& v, Real) const {
        const Real two(2.0), square = rod_length * rod_length, product = crank_length * rod_length;
        const Deformation deformation = elastic_part(q), rate = elastic_part(v);
        const Moments d = moments(deformation), r = moments(rate);
        const SineCosine<Real> turn = sincos(q[0] - q[1]), rod = sincos(q[1]);
        const Real x = along() + d.x, y = d.y, crank_square = v[0] * v[0], rod_square = v[1] * v[1];
        const Real zx = -fma(rod_square, x, two * (v[1] * r.y)), zy = -fma(rod_square, y, -(two * (v[1] * r.x)));
        const Real ex = -(product * crank_square) * turn.cosine, ey = -(product * crank_square) * turn.sine;
        const Real spin = r.along + inner(deformation, r.product), weight = gravity * rod_length;
        Velocity h;
        h[0] = fma(product, fma(turn.sine, zx, -(turn.cosine * zy)), fma(-crank_weight, sincos(q[0]).cosine, torque));
        h[1] = fma(ex, y, -(ey * x)) - fma(two * square, v[1] * spin, weight * fma(rod.cosine, x, -(rod.sine * y)));
        h[2] = Real(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < elastic; ++i) {
            const Real outward = i < axial ? second_moment(i) + d.product[i] : d.product[i];
            const Real swing = fma(two * v[1], r.turned[i], -(rod_square * outward));
            const Real base = i < axial ? fma(weight, rod.sine, ex) : fma(weight, rod.cosine, ey);
            Real load = fma(base, first_moment(i), square * swing);
            MYRIAD_UNROLL_PLAN for (int j = from(i); j < to(i); ++j) load =
                fma(stiffness(i, j), fma(damping_time, rate[j], deformation[j]), load);
            h[3 + i] = -load;
        }
        return h;
    }
    MYRIAD_NOINLINE TangentMatrices<n, Real> tangents_of(const Configuration& q, const Velocity& v, const Velocity& a,
                                                         Real) const {
        const Real two(2.0), square = rod_length * rod_length, product = crank_length * rod_length;
        const Deformation deformation = elastic_part(q), rate = elastic_part(v);
        const Moments d = moments(deformation), r = moments(rate), f = moments(elastic_part(a));
        const SineCosine<Real> turn = sincos(q[0] - q[1]), rod = sincos(q[1]);
        const Real s = turn.sine, c = turn.cosine, x = along() + d.x, y = d.y, weight = gravity * rod_length;
        const Real crank_square = v[0] * v[0], rod_square = v[1] * v[1], two_square = two * square;
        const Real ex = -product * fma(a[0], s, crank_square * c), ey = product * fma(a[0], c, -(crank_square * s));
        const Real zx = (f.x - a[1] * y) - fma(rod_square, x, two * (v[1] * r.y)),
                   zy = (f.y + a[1] * x) - fma(rod_square, y, -(two * (v[1] * r.x)));
        const Real by_rod_x = -two * fma(v[1], x, r.y), by_rod_y = two * (r.x - v[1] * y);
        const Real spin = r.along + inner(deformation, r.product);

        TangentMatrices<n, Real> t{zero_matrix<n, Real>(), zero_matrix<n, Real>()};
        auto& k = t.stiffness.e;
        auto& g = t.damping.e;
        const Real of_crank = product * fma(c, zx, s * zy), of_rod = fma(ey, y, ex * x);
        k[0][0] = -of_crank - crank_weight * sincos(q[0]).sine, k[0][1] = of_crank;
        k[1][0] = of_rod, k[1][1] = -of_rod - weight * fma(rod.sine, x, rod.cosine * y);
        g[0][1] = product * fma(c, by_rod_y, -(s * by_rod_x));
        g[1][0] = two * ((product * v[0]) * fma(c, y, -(s * x))), g[1][1] = two_square * spin;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < elastic; ++i) {
            const int at = 3 + i;
            const Real moment = first_moment(i), outward = i < axial ? second_moment(i) + d.product[i] : d.product[i];
            const Real normal = i < axial ? -ey : ex, lean = i < axial ? rod.cosine : -rod.sine,
                       crank = (i < axial ? c : s) * (two * product * moment);
            const Real frame = moment * fma(weight, lean, -normal);
            k[0][at] =
                (product * moment) * (i < axial ? fma(s, rod_square, c * a[1]) : fma(s, a[1], -(c * rod_square)));
            k[1][at] = fma(square, fma(two, fma(a[1], outward, v[1] * r.product[i]), -f.turned[i]), frame);
            k[at][0] = normal * moment, k[at][1] = frame;
            g[0][at] = crank * v[1], g[at][0] = -(crank * v[0]);
            g[1][at] = two_square * (v[1] * outward), g[at][1] = two_square * (r.turned[i] - v[1] * outward);
            MYRIAD_UNROLL_PLAN for (int j = from(i); j < to(i); ++j) {
                k[at][3 + j] = fma(-square * rod_square, moved_product(i, j), stiffness(i, j));
                g[at][3 + j] = damping_time * stiffness(i, j);
            }
            MYRIAD_UNROLL_PLAN for (int j = other_from(i); j < other_to(i); ++j) {
                const Real across = turned_product(i, j);
                k[at][3 + j] = (square * a[1]) * across, g[at][3 + j] = (two_square * v[1]) * across;
            }
        }
        return t;
    }
    MYRIAD_HD ContactState<n, 4, 1, Real> contact_state(const Configuration& q) const {
        const SineCosine<Real> crank = sincos(q[0]), rod = sincos(q[1]), slider = sincos(q[2]);
        const Vec<2, Real> end = rod_end(q);
        const Real forward = fma(rod.cosine, end[0], -(rod.sine * end[1])),
                   upward = fma(rod.sine, end[0], rod.cosine * end[1]);  // of the rod's end from its root, world
        const Real height = fma(crank_length, crank.sine, upward), wall = half_height + clearance;
        ContactState<n, 4, 1, Real> state;
        MYRIAD_UNROLL for (int k = 0; k < 4; ++k) {
            const Real side(k < 2 ? 1.0 : -1.0), reach = (k & 1) != 0 ? half_length : -half_length,
                                                 across = k < 2 ? -half_height : half_height;
            const Real x = fma(slider.cosine, reach, -(slider.sine * across)),
                       y = fma(slider.sine, reach, slider.cosine * across);  // from the slider's centre
            state.gap[k] = fma(side, height + y, wall);
            Velocity& normal = state.direction[2 * k];
            Velocity& along_slot = state.direction[2 * k + 1];
            normal[0] = side * (crank_length * crank.cosine), normal[1] = side * forward, normal[2] = side * x;
            along_slot[0] = -(crank_length * crank.sine), along_slot[1] = -upward, along_slot[2] = -y;
            MYRIAD_UNROLL_PLAN for (int i = 0; i < elastic; ++i) {
                const Real shift = rod_length * Real(end_of(i));
                normal[3 + i] = (side * shift) * (i < axial ? rod.sine : rod.cosine);
                along_slot[3 + i] = shift * (i < axial ? rod.cosine : -rod.sine);
            }
        }
        return state;
    }
    MYRIAD_HD ContactLaw<Real> law(int) const { return contact_law; }
    MYRIAD_HD MaskOf<Real> held(int k) const { return k < 2 ? clearance <= Real(0.0) : !true_mask<Real>(); }
    MYRIAD_HD MaskOf<Real> unused(int k) const { return k < 2 ? !true_mask<Real>() : clearance <= Real(0.0); }
    MYRIAD_HD Real energy(const Configuration& q, const Velocity& v) const {
        const SineCosine<Real> rod = sincos(q[1]);
        const Deformation deformation = elastic_part(q);
        const Moments d = moments(deformation);
        const Real twice_strain = elastic_product(deformation, deformation);
        const Real height = rod_length * fma(rod.sine, along() + d.x, rod.cosine * d.y);  // times the mass
        const Real potential = fma(crank_weight, sincos(q[0]).sine, fma(gravity, height, -(torque * q[0])));
        return fma(Real(0.5), inner(v, mass(q) * v) + twice_strain, potential);
    }
    MYRIAD_HD Real damping_work(const Motion<SliderCrankFlexible>& begin,
                                const Motion<SliderCrankFlexible>& end) const {
        const Deformation mean_rate = Real(0.5) * (elastic_part(begin.v) + elastic_part(end.v));
        return damping_time * elastic_product(mean_rate, elastic_part(end.q) - elastic_part(begin.q));
    }
    // Displacement of the rod's end in its frame, and the bending moment at its root, m and N m.
    MYRIAD_HD Vec<2, Real> end_displacement(const Configuration& q) const {
        Vec<2, Real> sum{Real(0.0), Real(0.0)};
        MYRIAD_UNROLL_PLAN for (int i = 0; i < elastic; ++i) {
            Real& own = sum[i < axial ? 0 : 1];
            own = fma(Real(end_of(i)), q[3 + i], own);
        }
        return rod_length * sum;
    }
    MYRIAD_HD Real root_moment(const Configuration& q, const Velocity& v) const {
        Real curvature(0.0);
        MYRIAD_UNROLL_PLAN for (int i = axial; i < elastic; ++i) curvature =
            fma(Real(root_curvature_of(i)), fma(damping_time, v[3 + i], q[3 + i]), curvature);
        return bending_stiffness * curvature;
    }

    MYRIAD_HD Vec<invariant_count, Real> invariants(const Configuration&, const Velocity&) const { return {}; }
    MYRIAD_HD Real channel(int index, const Configuration& q, const Velocity& v) const {
        if (index < bodies * body_channels) return body(index / body_channels, q, v).channel(index % body_channels);
        const int own = index - bodies * body_channels;
        if (own < 6) return own < 3 ? q[own] : v[own - 3];
        if (own < 8) return end_displacement(q)[own - 6];
        return own == 8 ? root_moment(q, v) : energy(q, v);
    }

#if !defined(__CUDACC_RTC__)
    static constexpr const char* summary = Shapes::summary;
    static constexpr const char* source =
        "Rezaei, Schindler: mixed timestepping schemes, Table 1 and appendices C, D; stiffnesses from its section. "
        "Rods of other sizes (kernels/systems/slider_crank_flexible_sizes.hpp) take a name in "
        "ensembles/catalog/flexible_rods.hpp and a build";
    static constexpr const char* body_names[bodies] = {"crank", "rod", "slider"};
    static constexpr const char* contact_names[contacts] = {"lower_left", "lower_right", "upper_left", "upper_right"};
    static constexpr const auto& parameters = parameter_list<SliderCrankFlexibleParameters<double, Shapes>>;
    static constexpr const auto& channels = SliderCrankFlexibleDescription::channels;
    static constexpr NoChannels invariants_kept{};
#endif

  private:
    // Integrals over the masses of a displacement (u, w) of the rod, slider included.
    struct Moments {
        Real x, y, along;             // of u, w, s u
        Deformation product, turned;  // product: of f_i (u, w); turned: of f_i (-w, u), an axial function takes -w
    };

    // Entries of the tables; `i` counts axial functions, then transverse ones.
    static MYRIAD_HD double mean_of(int i) {
        constexpr auto table = Shapes::table();
        return table.mean[i];
    }
    static MYRIAD_HD double first_of(int i) {
        constexpr auto table = Shapes::table();
        return table.first[i];
    }
    static MYRIAD_HD double end_of(int i) {
        constexpr auto table = Shapes::table();
        return table.end[i];
    }
    static MYRIAD_HD double product_of(int i, int j) {
        constexpr auto table = Shapes::table();
        return table.product[i][j];
    }
    static MYRIAD_HD double elastic_of(int i, int j) {
        constexpr auto table = Shapes::table();
        return table.elastic[i][j];
    }
    static MYRIAD_HD double slope_product_of(int i, int j) {
        constexpr auto table = Shapes::table();
        return table.slope_product[i - axial][j - axial];
    }
    static MYRIAD_HD double coupling_of(int i, int j) {
        constexpr auto table = Shapes::table();
        return table.coupling[i][j - axial];
    }
    static MYRIAD_HD double root_curvature_of(int i) {
        constexpr auto table = Shapes::table();
        return table.root_curvature[i - axial];
    }
    // The functions of the same kind as function i, and those of the other kind: from, and up to but without.
    static MYRIAD_HD int from(int i) { return i < axial ? 0 : axial; }
    static MYRIAD_HD int to(int i) { return i < axial ? axial : elastic; }
    static MYRIAD_HD int other_from(int i) { return i < axial ? axial : 0; }
    static MYRIAD_HD int other_to(int i) { return i < axial ? elastic : axial; }
    static MYRIAD_HD Deformation elastic_part(const Velocity& x) {
        Deformation part;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < elastic; ++i) part[i] = x[3 + i];
        return part;
    }
    // Integrals over the masses of s, f_i, s f_i, and of f_i f_j of one kind.
    MYRIAD_HD Real along() const { return fma(Real(0.5), rod_mass, slider_mass); }
    MYRIAD_HD Real first_moment(int i) const { return fma(slider_mass, Real(end_of(i)), rod_mass * Real(mean_of(i))); }
    MYRIAD_HD Real second_moment(int i) const {
        return fma(slider_mass, Real(end_of(i)), rod_mass * Real(first_of(i)));
    }
    MYRIAD_HD Real moved_product(int i, int j) const {
        return fma(slider_mass, Real(end_of(i) * end_of(j)), rod_mass * Real(product_of(i, j)));
    }
    // f_i times f_j of the other kind turned by a right angle, (u, w) to (-w, u).
    MYRIAD_HD Real turned_product(int i, int j) const {
        const double of_rod = i < axial ? -coupling_of(i, j) : coupling_of(j, i), of_end = end_of(i) * end_of(j);
        return fma(slider_mass, Real(i < axial ? -of_end : of_end), rod_mass * Real(of_rod));
    }
    MYRIAD_HD Real elastic_inertia(int i, int j) const {
        const Real moved = (rod_length * rod_length) * moved_product(i, j);
        if (i < axial) return moved;
        return fma(bending_inertia, Real(slope_product_of(i, j)), moved);
    }
    MYRIAD_HD Real stiffness(int i, int j) const {
        return (i < axial ? axial_stiffness : bending_stiffness) * Real(elastic_of(i, j));
    }
    // a^T K b.
    MYRIAD_HD Real elastic_product(const Deformation& a, const Deformation& b) const {
        Real product(0.0);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < elastic; ++i) {
            Real load(0.0);
            MYRIAD_UNROLL_PLAN for (int j = from(i); j < to(i); ++j) load = fma(stiffness(i, j), b[j], load);
            product = fma(a[i], load, product);
        }
        return product;
    }
    MYRIAD_HD Moments moments(const Deformation& d) const {
        const Real zero(0.0);
        Moments m{zero, zero, zero, {}, {}};
        MYRIAD_UNROLL_PLAN for (int i = 0; i < elastic; ++i) m.product[i] = m.turned[i] = zero;
        MYRIAD_UNROLL_PLAN for (int i = 0; i < elastic; ++i) {
            const Real moment = first_moment(i);
            if (i < axial)
                m.x = fma(moment, d[i], m.x), m.along = fma(second_moment(i), d[i], m.along);
            else
                m.y = fma(moment, d[i], m.y);
            MYRIAD_UNROLL_PLAN for (int j = from(i); j < to(i); ++j) m.product[i] =
                fma(moved_product(i, j), d[j], m.product[i]);
            MYRIAD_UNROLL_PLAN for (int j = other_from(i); j < other_to(i); ++j) m.turned[i] =
                fma(turned_product(i, j), d[j], m.turned[i]);
        }
        return m;
    }
    // Integral of (s + u)^2 + w^2.
    MYRIAD_HD Real frame_inertia(const Configuration& q, const Moments& d) const {
        return fma(Real(1.0 / 3), rod_mass, slider_mass) + fma(Real(2.0), d.along, inner(elastic_part(q), d.product));
    }
    // The rod's end from its root, in the rod's frame.
    MYRIAD_HD Vec<2, Real> rod_end(const Configuration& q) const {
        Vec<2, Real> end = end_displacement(q);
        end[0] = end[0] + rod_length;
        return end;
    }
    // The middle of the crank; the rod's centre of mass, with its frame's angle; the middle of the slider.
    MYRIAD_HD BodyState<Real> body(int index, const Configuration& q, const Velocity& v) const {
        const SineCosine<Real> crank = sincos(q[0]), rod = sincos(q[1]);
        const Real first = crank_length * (index == 0 ? Real(0.5) : Real(1.0));
        Real x(index == 0 ? 0.0 : index == 1 ? 0.5 : 1.0), y(0.0), x_rate(0.0), y_rate(0.0);
        if (index > 0) {
            MYRIAD_UNROLL_PLAN for (int i = 0; i < elastic; ++i) {
                const Real share(index == 1 ? mean_of(i) : end_of(i));
                Real& place = i < axial ? x : y;
                Real& rate = i < axial ? x_rate : y_rate;
                place = fma(share, q[3 + i], place), rate = fma(share, v[3 + i], rate);
            }
        }
        const Real forward = x_rate - v[1] * y, across = fma(v[1], x, y_rate);  // in the frame, parts of the length
        const auto world = [&](Real along_frame, Real across_frame, int axis) {
            return rod_length * (axis == 0 ? fma(rod.cosine, along_frame, -(rod.sine * across_frame))
                                           : fma(rod.sine, along_frame, rod.cosine * across_frame));
        };
        return planar_body(fma(first, crank.cosine, world(x, y, 0)), fma(first, crank.sine, world(x, y, 1)), q[index],
                           fma(-(first * v[0]), crank.sine, world(forward, across, 0)),
                           fma(first * v[0], crank.cosine, world(forward, across, 1)), v[index]);
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
