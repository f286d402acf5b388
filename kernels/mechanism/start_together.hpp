// Given velocities that several joints inward must meet together: the least kinetic energy of the change d.
//
//   rides      d_b = d_A: no velocity is given on the body's outer side
//   else       J (d_b - d_A) = r: rows of its joint and of drivers on it,   C d_b = c: given velocities
//   inward     C_b (d_A + u + S q) = c; q of the least sum d . I d, affine in d_A; what q cannot meet is left to d_A
//   outward    d_b = K d_A + k
//
// d: twists (v / L, w) at O beyond the motion of start_motion.hpp, world axes; L: length scale, O: a centre of mass.
// S: orthonormal, J S = 0; u: least, J u = r. Rows with less than 1e-8 left follow from others or contradict them. The
// lightest bodies weigh as in assembly.hpp. Not handled: rows that close loops, which assembly meets.
#pragma once
#include "kernels/mechanism/mechanism.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real>
MYRIAD_HD Real rank_tolerance() {
    return constant<Real>(1e-8, 1e-3);
}

// Of six unit vectors the ones with more than this left of them span what the rows before leave: each one that is
// passed over leaves at most 0.01 in the sum of squares, which is at least 1.
constexpr double least_new_direction = 0.1;

// Orthonormal rows of R^6 and the values that they are to have; `width` numbers a value.
template <class Real, int width, int room = 6>
struct IndependentRows {
    Real row[room][6], value[room][width];
    MaskOf<Real> taken[room];

    MYRIAD_HD void clear() { MYRIAD_UNROLL for (int k = 0; k < room; ++k) clear(k); }
    MYRIAD_HD void clear(int k) {
        MYRIAD_UNROLL for (int i = 0; i < 6; ++i) row[k][i] = Real(0.0);
        MYRIAD_UNROLL for (int i = 0; i < width; ++i) value[k][i] = Real(0.0);
        taken[k] = !true_mask<Real>();
    }
    // Takes out of `left`, `wanted` what the rows say.
    MYRIAD_HD void reduce(Real* left, Real* wanted) const {
        for (int round = 0; round < 2; ++round)
            for (int k = 0; k < room; ++k) {
                Real part(0.0);
                MYRIAD_UNROLL for (int i = 0; i < 6; ++i) part = fma(left[i], row[k][i], part);
                MYRIAD_UNROLL for (int i = 0; i < 6; ++i) left[i] = fma(-part, row[k][i], left[i]);
                MYRIAD_UNROLL for (int i = 0; i < width; ++i) wanted[i] = fma(-part, value[k][i], wanted[i]);
            }
    }
    // In lanes where more than `least` is left of it. Which these are.
    MYRIAD_HD MaskOf<Real> add(Real* left, Real* wanted, Real least) {
        reduce(left, wanted);
        const Real rest = length_of(left);
        const MaskOf<Real> adds = least < rest;
        const Real inverse = Real(1.0) / select(adds, rest, Real(1.0));
        MaskOf<Real> waits = adds;
        for (int k = 0; k < room; ++k) {
            const MaskOf<Real> here = waits & !taken[k];
            MYRIAD_UNROLL for (int i = 0; i < 6; ++i) row[k][i] = select(here, inverse * left[i], row[k][i]);
            MYRIAD_UNROLL for (int i = 0; i < width; ++i) value[k][i] = select(here, inverse * wanted[i], value[k][i]);
            taken[k] = taken[k] | here, waits = waits & !here;
        }
        return adds;
    }
    static MYRIAD_HD Real length_of(const Real* v) {
        Real square(0.0);
        MYRIAD_UNROLL for (int i = 0; i < 6; ++i) square = fma(v[i], v[i], square);
        return sqrt(square);
    }
};

template <class System>
class StartTogether {
  public:
    using Real = typename System::Real;
    using Entry = StartMotion;
    static constexpr int most_bodies = System::Topology::most_bodies;

    MYRIAD_HD StartTogether(const System& system, const Taylor<Real>* functions, const Real* turned,
                            typename System::Places& work)
        : system_(system),
          functions_(functions),
          turned_(turned),
          work_(work),
          length_(system.parameter(length_scale_parameter)),
          origin_(work.bodies.of[system.topology.start_motion(0, Entry::body)].position) {}

    // Adds d to the velocities in `work`. `given`: velocities that bodies were given (GivenMotion).
    template <class Given>
    MYRIAD_NOINLINE void meet(const Given& given) {
        const auto& topology = system_.topology;
        const auto equations = system_.equations(functions_);
        const Real heaviest = equations.heaviest_mass();
        for (int m = 0; m < topology.start_motions(); ++m) {
            const int b = topology.start_motion(m, Entry::body);
            inertia_of(b, equations.share_in_norm(b, heaviest), Real(lightest_share) * heaviest);
            MYRIAD_UNROLL for (int i = 0; i < 6; ++i) slope_[b][i] = Real(0.0);
            demand_[b].clear();
            demand_given(m, given);
        }
        for (int m = topology.start_motions(); m-- > 0;) inward(m);
        for (int m = 0; m < topology.start_motions(); ++m) outward(m);
    }

  private:
    MYRIAD_HD bool rides(int line) const { return system_.topology.start_motion(line, Entry::part) == part_rides; }
    // The row n . v_P of a point P, at O.
    MYRIAD_HD void row_of_point(const Vec<3, Real>& n, const Vec<3, Real>& point, Real* row) const {
        const Vec<3, Real> turn = (Real(1.0) / length_) * cross(point - origin_, n);
        MYRIAD_UNROLL for (int i = 0; i < 3; ++i) row[i] = n[i], row[3 + i] = turn[i];
    }

    MYRIAD_HD void inertia_of(int b, Real share, Real lightest) {
        const Place<Real>& body = work_.bodies.of[b];
        const Real zero(0.0), mass = share * system_.parameter(parameters_of_body(b) + body_mass);
        const Mat3<Real> own = matrix_of(symmetric_at<Real>(*system_.parameters, parameters_of_body(b) + body_inertia)),
                         world = body.matrix * own * transpose(body.matrix);
        const Vec<3, Real> arm = body.position - origin_;
        auto& inertia = inertia_[b];
        // Freedoms without inertia get as little as does not show.
        const Real added = constant<Real>(1e-12, 1e-6) * ((mass + lightest) * (length_ * length_) +
                                                          share * (own.e[0][0] + own.e[1][1] + own.e[2][2]));
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k) {
                inertia[i][k] = i == k ? fma(mass * length_, length_, added) : zero;
                const Real turning = (i == k ? dot(arm, arm) : zero) - arm[i] * arm[k];
                inertia[3 + i][3 + k] = fma(mass, turning, share * world.e[i][k]) + (i == k ? added : zero);
            }
        // m L nu . (w x arm)
        for (int i = 0; i < 3; ++i) {
            const Vec<3, Real> column = cross(arm, unit_vector<Real>(i));
            for (int k = 0; k < 3; ++k) inertia[3 + k][i] = inertia[i][3 + k] = (mass * length_) * column[k];
        }
    }

    template <class Given>
    MYRIAD_HD void demand_given(int line, const Given& given) {
        const auto& topology = system_.topology;
        const int b = topology.start_motion(line, Entry::body), origin = topology.start_motion(line, Entry::origin);
        const Place<Real>& body = work_.bodies.of[b];
        const Vec<3, Real> turning = body.matrix * body.angular_velocity;
        Real row[6], wanted;
        if (topology.start_motion(line, Entry::angular_from) == b) {
            const Vec<3, Real> lacking = body.matrix * given.angular_velocity[b] - turning;
            for (int k = 0; k < 3; ++k) {
                MYRIAD_UNROLL for (int i = 0; i < 6; ++i) row[i] = Real(i == 3 + k ? 1.0 : 0.0);
                wanted = lacking[k];
                demand_[b].add(row, &wanted, rank_tolerance<Real>());
            }
        }
        if (topology.start_motion(line, Entry::linear_from) != b) return;
        Vec<3, Real> point = body.position;
        if (origin > 0) point = point - body.matrix * vector_at<Real>(*system_.parameters, origin);
        const Vec<3, Real> lacking = given.velocity[b] - add_cross(turning, point - body.position, body.velocity);
        for (int k = 0; k < 3; ++k) {
            row_of_point(unit_vector<Real>(k), point, row);
            wanted = lacking[k] / length_;
            demand_[b].add(row, &wanted, rank_tolerance<Real>());
        }
    }

    // The rows of the line's joint and of drivers on it, which are met by u.
    MYRIAD_HD void rows_of_joint(int line, IndependentRows<Real, 1>& rows) const {
        const auto& topology = system_.topology;
        const auto equations = system_.equations(functions_);
        const int b = topology.start_motion(line, Entry::body);
        const Place<Real>& body = work_.bodies.of[b];
        const auto add = [&](int e) {
            const Element& element = topology.element(e);
            if (element.has_law || element.is_sensor) return;
            const Rows<Real> at = equations.rows(element, work_.bodies, turned_);
            const bool is_second = element.body[1] == b;
            for (int k = 0; k < rows_of(element.kind); ++k) {
                const Vec<3, Real> n = is_second ? at.direction[k] : -at.direction[k],
                                   turn =
                                       body.matrix * at.turn[is_second ? 1 : 0][k] + cross(body.position - origin_, n);
                Real row[6];
                MYRIAD_UNROLL for (int i = 0; i < 3; ++i) row[i] = length_ * n[i], row[3 + i] = turn[i];
                Real wanted = -(row_rate(element, at, k, work_.bodies) + at.partial_rate[k]);
                rows.add(row, &wanted, rank_tolerance<Real>() * IndependentRows<Real, 1>::length_of(row));
            }
        };
        const int last = topology.start_motion(line, Entry::last_element);
        for (int e = topology.start_motion(line, Entry::first_element); 0 <= e && e < last; ++e) add(e);
        for (int k = 0; k < most_start_drivers && topology.start_motion(line, Entry::driver + k) >= 0; ++k)
            add(topology.start_motion(line, Entry::driver + k));
    }

    MYRIAD_NOINLINE void inward(int line) {
        const auto& topology = system_.topology;
        const Real zero(0.0), one(1.0), tolerance = rank_tolerance<Real>();
        const int b = topology.start_motion(line, Entry::body), carrier = topology.start_motion(line, Entry::carrier);
        auto& inertia = inertia_[b];
        if (rides(line)) {
            if (carrier < 0) return;
            for (int i = 0; i < 6; ++i)
                for (int k = 0; k < 6; ++k) inertia_[carrier][i][k] = inertia_[carrier][i][k] + inertia[i][k];
            return;
        }
        IndependentRows<Real, 1> joint, free;
        joint.clear(), free.clear();
        rows_of_joint(line, joint);
        Real u[6], nothing = zero;
        for (int i = 0; i < 6; ++i) {
            u[i] = zero;
            for (int k = 0; k < 6; ++k) u[i] = fma(joint.value[k][0], joint.row[k][i], u[i]);
        }
        for (int k = 0; k < 6; ++k) {
            Real left[6];
            MYRIAD_UNROLL for (int i = 0; i < 6; ++i) left[i] = Real(i == k ? 1.0 : 0.0);
            joint.reduce(left, &nothing);
            free.add(left, &nothing, Real(least_new_direction));
        }
        // D = S^T I S = L L^T, 1 where S has no column; `root` holds L. Round-off must not make a pivot vanish.
        Real along[6][6], root[6][6], least = zero;
        for (int i = 0; i < 6; ++i) least = fma(constant<Real>(1e-13, 1e-6), inertia[i][i], least);
        for (int k = 0; k < 6; ++k)
            for (int i = 0; i < 6; ++i) {
                along[k][i] = zero;
                for (int j = 0; j < 6; ++j) along[k][i] = fma(inertia[i][j], free.row[k][j], along[k][i]);
            }
        for (int k = 0; k < 6; ++k)
            for (int i = k; i < 6; ++i) {
                Real left = i == k ? select(free.taken[k], zero, one) : zero;
                for (int j = 0; j < 6; ++j) left = fma(along[k][j], free.row[i][j], left);
                for (int j = 0; j < k; ++j) left = fma(-root[i][j], root[k][j], left);
                root[i][k] = i == k ? sqrt(maximum(left, least)) : left / root[k][k];
            }
        // y = L^T q, affine in d_A: 6 numbers and a constant. First where nothing is demanded.
        Real y[6][7], offset[6];
        for (int i = 0; i < 6; ++i) {
            offset[i] = slope_[b][i];
            for (int j = 0; j < 6; ++j) offset[i] = fma(inertia[i][j], u[j], offset[i]);
        }
        for (int k = 0; k < 6; ++k) {
            for (int i = 0; i < 6; ++i) y[k][i] = -along[k][i];
            y[k][6] = zero;
            for (int j = 0; j < 6; ++j) y[k][6] = fma(-free.row[k][j], offset[j], y[k][6]);
            for (int i = 0; i < 7; ++i) {
                for (int j = 0; j < k; ++j) y[k][i] = fma(-root[k][j], y[j][i], y[k][i]);
                y[k][i] = y[k][i] / root[k][k];
            }
        }
        IndependentRows<Real, 7> met;
        met.clear();
        for (int d = 0; d < 6; ++d) {
            const Real* const c = demand_[b].row[d];
            Real left[6], wanted[7];
            wanted[6] = demand_[b].value[d][0];
            MYRIAD_UNROLL for (int i = 0; i < 6; ++i) wanted[i] = -c[i], wanted[6] = fma(-c[i], u[i], wanted[6]);
            for (int k = 0; k < 6; ++k) {
                left[k] = zero;
                for (int i = 0; i < 6; ++i) left[k] = fma(c[i], free.row[k][i], left[k]);
            }
            // What the joint leaves free of it tells whether it says anything of q.
            const Real says = IndependentRows<Real, 7>::length_of(left);
            for (int k = 0; k < 6; ++k) {
                for (int j = 0; j < k; ++j) left[k] = fma(-root[k][j], left[j], left[k]);
                left[k] = left[k] / root[k][k];
            }
            const Real size = IndependentRows<Real, 7>::length_of(left), never = select(tolerance < says, zero, one);
            const MaskOf<Real> adds = met.add(left, wanted, fma(tolerance, size, never * (one + size)));
            if (carrier < 0) continue;
            Real rest[6], value = select(adds, zero, wanted[6]);
            MYRIAD_UNROLL for (int i = 0; i < 6; ++i) rest[i] = select(adds, zero, -wanted[i]);
            demand_[carrier].add(rest, &value, tolerance);
        }
        for (int k = 0; k < 6; ++k) {
            Real part[7];
            for (int i = 0; i < 7; ++i) {
                part[i] = met.value[k][i];
                for (int j = 0; j < 6; ++j) part[i] = fma(-met.row[k][j], y[j][i], part[i]);
            }
            for (int j = 0; j < 6; ++j)
                for (int i = 0; i < 7; ++i) y[j][i] = fma(met.row[k][j], part[i], y[j][i]);
        }
        // q = L^-T y, d = [1 u] + S q
        auto& map = map_[b];
        for (int k = 6; k-- > 0;)
            for (int i = 0; i < 7; ++i) {
                for (int j = k + 1; j < 6; ++j) y[k][i] = fma(-root[j][k], y[j][i], y[k][i]);
                y[k][i] = y[k][i] / root[k][k];
            }
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 7; ++j) {
                map[i][j] = j == 6 ? u[i] : Real(i == j ? 1.0 : 0.0);
                for (int k = 0; k < 6; ++k) map[i][j] = fma(free.row[k][i], y[k][j], map[i][j]);
            }
        if (carrier < 0) return;
        Real weighed[6][7];  // I [K k], and the slope
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 7; ++j) {
                weighed[i][j] = j == 6 ? slope_[b][i] : zero;
                for (int k = 0; k < 6; ++k) weighed[i][j] = fma(inertia[i][k], map[k][j], weighed[i][j]);
            }
        for (int i = 0; i < 6; ++i)
            for (int k = 0; k < 6; ++k) {
                slope_[carrier][i] = fma(map[k][i], weighed[k][6], slope_[carrier][i]);
                for (int j = 0; j < 6; ++j)
                    inertia_[carrier][i][j] = fma(map[k][i], weighed[k][j], inertia_[carrier][i][j]);
            }
    }

    MYRIAD_HD void outward(int line) {
        const auto& topology = system_.topology;
        const int b = topology.start_motion(line, Entry::body), carrier = topology.start_motion(line, Entry::carrier);
        Real beyond[6];
        for (int i = 0; i < 6; ++i) {
            if (rides(line)) {
                beyond[i] = carrier < 0 ? Real(0.0) : slope_[carrier][i];
                continue;
            }
            beyond[i] = map_[b][i][6];
            for (int k = 0; carrier >= 0 && k < 6; ++k) beyond[i] = fma(map_[b][i][k], slope_[carrier][k], beyond[i]);
        }
        MYRIAD_UNROLL for (int i = 0; i < 6; ++i) slope_[b][i] = beyond[i];  // from here on d
        Place<Real>& body = work_.bodies.of[b];
        const Vec<3, Real> w{beyond[3], beyond[4], beyond[5]}, v{beyond[0], beyond[1], beyond[2]};
        body.velocity = body.velocity + add_cross(w, body.position - origin_, length_ * v);
        body.angular_velocity = body.angular_velocity + transposed_times(body.matrix, w);
    }

    const System& system_;
    const Taylor<Real>* functions_;
    const Real* turned_;
    typename System::Places& work_;
    Real length_;
    Vec<3, Real> origin_;
    Real inertia_[most_bodies][6][6], slope_[most_bodies][6], map_[most_bodies][6][7];
    IndependentRows<Real, 1> demand_[most_bodies];
};

}  // namespace myriad::inline MYRIAD_VARIANT
