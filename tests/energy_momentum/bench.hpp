// One step of an energy-momentum method between two generic poses of two bodies, with any elements and loads: residual,
// matrix, and what the residual's derivative is by differences.
#pragma once
#include "kernels/integrators/mechanism/energy_momentum.hpp"
#include "tests/energy_momentum/dense_layout.hpp"

namespace myriad::mechanism {

template <class Member>
struct EnergyMomentumBench : TwoBodies {
    using Base = TwoBodies;
    using Method = MechanismEnergyMomentum<Member>;
    static constexpr bool is_convective = !Member::keeps_moment;
    // A step of 0.3 s turns bodies at about 1 rad/s by half a radian.
    double h = 0.3;
    Motion<System> begin;
    EnergyMomentumMemory<System, Member> before;
    DiscreteScratch<System, Member> discrete;
    System::Configuration end;

    explicit EnergyMomentumBench(Generic& generic) : Base(generic) {
        begin.q = start, begin.v = v, end = start;
        before.fit(system.topology);
        for (int b = 0; b < bodies; ++b) {
            const Vec<3, double> moment = 2.0 * (DiscreteLayout<System>::inertia(system, b) * v.turning(b));
            const Vec<3, double> defect = vec(generic.vector(0.1));
            before.spin[b] = {generic.number(-0.3, 0.3), pure_quaternion(moment + defect)};
            before.spin[b].moment.w = generic.number(-0.3, 0.3);
        }
    }
    DiscreteEquations<System, Member> equations() { return {{system, begin.q, h, discrete}}; }
    double position() const { return 0.5 * h * h; }

    void place_end() {
        for (int i = 0; i < table.functions; ++i) {
            discrete.solver.functions[i] = scratch.functions[i];
            discrete.functions_between[i].value = scratch.functions[i].rate;
            discrete.functions_before[i].value = scratch.functions[i].acceleration;
        }
        system.place(begin.q, discrete.begin);
        for (int e = 0; e < table.elements; ++e)
            if (const int angle = table.element[e].angle; angle >= 0) begin.q.turned[angle] = counted(e);
        Method::place_end(system, begin, before, a, h, end, discrete);
    }
    Eigen::VectorXd residual() {
        place_end();
        equations().evaluate(begin.v, before.spin, a, multipliers.data());
        return -discrete.room.right_hand_side;
    }
    Eigen::MatrixXd matrix() {
        residual();
        return discrete.room.matrix;
    }
    // Differences of the residual by the unknowns z, as a correction changes them.
    Eigen::MatrixXd differences() {
        Eigen::MatrixXd dense(unknowns(), unknowns());
        const auto at_unknown = [&](int c, double e) {
            const Velocity a_before = a;
            const std::vector<double> multipliers_before = multipliers;
            place_end();
            if (c >= 6 * bodies) {
                multipliers[static_cast<std::size_t>(c - 6 * bodies)] += e;
            } else {
                Vec<3, double> x{}, z{};
                const int b = c / 6;
                (c % 6 < 3 ? x : z)[c % 3] = e;
                a.set(b, a.linear(b) + x, a.turning(b) + discrete.turn[b].unknown_by * z);
            }
            const Eigen::VectorXd seen = residual();
            a = a_before, multipliers = multipliers_before;
            return seen;
        };
        for (int c = 0; c < unknowns(); ++c) {
            const double e = 1e-2;
            dense.col(c) =
                (at_unknown(c, -2 * e) - at_unknown(c, 2 * e) + 8.0 * (at_unknown(c, e) - at_unknown(c, -e))) /
                (12.0 * e);
        }
        return dense;
    }
    // How the equations of rotation change because they are written in the turning frame of the end.
    Eigen::MatrixXd turning_of_the_frame() {
        Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(unknowns(), unknowns());
        if (!is_convective) return dense;
        const Eigen::VectorXd now = residual();
        for (int b = 0; b < bodies; ++b) {
            const Mat3<double> turning = skew(Vec<3, double>{now[6 * b + 3], now[6 * b + 4], now[6 * b + 5]});
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 3; ++k) dense(6 * b + 3 + i, 6 * b + 3 + k) = position() * turning.e[i][k];
        }
        return dense;
    }

    // Row k of element e at the end, or at the beginning, both at the f of the middle.
    double phi(int e, int k, bool at_end) {
        const Element& element = table.element[e];
        Bodies<double, TableTopology::most_bodies> places;
        system.place(at_end ? end : begin.q, places);
        const Taylor<double> function =
            element.function < 0 ? Taylor<double>{} : discrete.functions_between[element.function];
        return rows_at(element, places, parameters, function, element.angle < 0 ? 0.0 : begin.q.turned[element.angle])
            .value[k];
    }
    // The angle of element e at the beginning, in the turn that `turned` is nearest to.
    double counted(int e) {
        const Element& element = table.element[e];
        return rows_at(element, discrete.begin, parameters, Taylor<double>{},
                       turned[static_cast<std::size_t>(element.angle)])
            .length;
    }
    // The factor that makes the equations of rotation a work: hw in their own frame, h w = R+ rho or R+ 4 rv/(1 + r0)
    // (discrete_rotation.hpp), with the rotation r.
    Vec<3, double> rotation_of_step(int b) const {
        const Rotation<double>& r = discrete.turn[b].r;
        const double size = is_convective ? 2.0 / r.w : 4.0 / (1.0 + r.w);
        return size * Vec<3, double>{r.x, r.y, r.z};
    }
    // The frame of a body's equations of rotation.
    Mat3<double> frame(int b) const {
        const Rotation<double>& q0 = begin.q.orientation[b];
        const Rotation<double>& r = discrete.turn[b].r;
        if (is_convective) return matrix_of(q0 * r);
        const double length = std::sqrt(2.0 * (1.0 + r.w));
        return matrix_of(q0 * Rotation<double>{(1.0 + r.w) / length, r.x / length, r.y / length, r.z / length});
    }
};

}  // namespace myriad::mechanism
