// Forces against the slope of the energy, power against its rate.
#include "tests/mechanism/two_body_bench.hpp"

namespace myriad::mechanism {

namespace {

using Free = Bench<RotationGroup>;
constexpr ElementKind law_kinds[] = {ElementKind::distance, ElementKind::dot_2,
                                     ElementKind::angle,    ElementKind::rotation_vector,
                                     ElementKind::dot_1,    ElementKind::coordinate_difference,
                                     ElementKind::point};

// Energy of gravity and the springs, f as at time t.
Number80 potential_energy(Free& bench, const Pose (&pose)[2], Number80 t) {
    Number80 energy = 0;
    for (int b = 0; b < 2; ++b)
        energy -= bench.parameters[parameters_of_body(b) + body_mass] *
                  Vector3(bench.parameters[0], bench.parameters[1], bench.parameters[2]).dot(pose[b].position);
    for (int e = 0; e < bench.table.elements; ++e) {
        const Element& element = bench.table.element[e];
        Number80 f = 0;
        if (element.function >= 0) {
            const Taylor<double>& given = bench.scratch.functions[element.function];
            f = given.value + t * given.rate + t * t / 2 * given.acceleration;
        }
        const auto of = [&](int body) { return body < 0 ? Pose{} : pose[body]; };
        const std::vector<Number80> rows = rows_by_definition(
            element.kind, of(element.body[0]), of(element.body[1]), bench.parameters.e + element.parameter, f,
            element.angle < 0 ? 0.0 : bench.turned[static_cast<std::size_t>(element.angle)]);
        for (std::size_t k = 0; k < rows.size(); ++k)
            energy +=
                Number80(
                    bench.parameters[element.parameter + geometry_parameters(element.kind) + static_cast<int>(k)]) *
                rows[k] * rows[k] / 2;
    }
    return energy;
}

// The multipliers that the laws ask for.
void follow_the_laws(Free& bench) {
    for (double& multiplier : bench.multipliers) multiplier = 0.0;
    const Eigen::VectorXd residual = bench.residual();
    for (std::size_t r = 0; r < bench.multipliers.size(); ++r)
        bench.multipliers[r] = residual[12 + static_cast<Eigen::Index>(r)];
}

TEST(MechanismForces, OfSpringsAndGravityAreTheSlopeOfTheEnergy) {
    for (const ElementKind kind : law_kinds) {
        SCOPED_TRACE(static_cast<int>(kind));
        Generic generic(5000 + static_cast<std::uint64_t>(kind));
        for (int state = 0; state < states_of_a_kind; ++state) {
            Free bench(generic);
            bench.stay_at_start(), bench.stand_still();
            for (int i = 0; i < bench.a.size(); ++i) bench.a[i] = 0.0;
            bench.add_element(kind, state % 2 - 1, 1, true, generic, false);
            follow_the_laws(bench);
            const Eigen::VectorXd forces = -bench.residual();
            const Pose poses[2] = {bench.pose(0), bench.pose(1)};
            for (int c = 0; c < 12; ++c) {
                const auto energy = [&](Number80 e) {
                    Vector3 x = Vector3::Zero(), theta = Vector3::Zero();
                    (c % 6 < 3 ? x[c % 6] : theta[c % 6 - 3]) = e;
                    Pose pose[2] = {poses[0], poses[1]};
                    pose[c / 6] = moved(pose[c / 6], x, theta);
                    return potential_energy(bench, pose, 0);
                };
                // Energies here are below 1e4, of which the slope has lost no more than the difference has.
                EXPECT_NEAR(forces[c], -static_cast<double>(first_difference(energy, step_80)), 100 * difference_80);
            }
            const Energies<double> seen =
                energies(bench.system, bench.scratch.work.bodies, bench.scratch.functions, bench.turned.data());
            const double expected = static_cast<double>(potential_energy(bench, poses, 0));
            EXPECT_NEAR(seen.potential, expected, round_off * (10.0 + std::abs(expected)));
            EXPECT_EQ(seen.kinetic, 0.0);
        }
    }
}

TEST(MechanismPower, IsTheRateOfTheEnergyWhenOnlyForcesAct) {
    for (int state = 0; state < states_of_a_kind; ++state) {
        Generic generic(6000 + static_cast<std::uint64_t>(state));
        Free bench(generic);
        bench.stay_at_start();
        for (int i = 0; i < bench.a.size(); ++i) bench.a[i] = 0.0;
        for (const ElementKind kind : law_kinds) {
            bench.add_element(kind, 0, 1, true, generic);
            bench.add_element(kind, 1, -1, true, generic);
        }
        for (const LoadKind kind :
             {LoadKind::force_world, LoadKind::force_body, LoadKind::torque_world, LoadKind::torque_body})
            bench.add_load(kind, state % 2, generic);
        follow_the_laws(bench);
        const Eigen::VectorXd forces = -bench.residual();
        // The accelerations that these forces give, and the energy's rate along that motion.
        double rate = 0.0;
        MovingBody body[2];
        for (int b = 0; b < 2; ++b) {
            const int at = parameters_of_body(b);
            const double* j = bench.parameters.e + at + body_inertia;
            Eigen::Matrix3d inertia;
            inertia << j[0], j[3], j[4], j[3], j[1], j[5], j[4], j[5], j[2];
            const Eigen::Vector3d linear = forces.segment<3>(6 * b) / bench.parameters[at + body_mass],
                                  turning = inertia.inverse() * forces.segment<3>(6 * b + 3);
            const Eigen::Vector3d v = vec(bench.v.linear(b)).cast<double>(), w = vec(bench.v.turning(b)).cast<double>();
            rate += bench.parameters[at + body_mass] * v.dot(linear) + w.dot(inertia * turning);
            body[b] = {bench.pose(b), vec(bench.v.linear(b)), vec(bench.v.turning(b)), linear.cast<Number80>(),
                       turning.cast<Number80>()};
        }
        rate += static_cast<double>(first_difference(
            [&](Number80 t) {
                const Pose pose[2] = {body[0].at(t), body[1].at(t)};
                return potential_energy(bench, pose, t);
            },
            step_80));
        typename Free::System::MultiplierVector multipliers;
        multipliers.fit(bench.system.topology);
        for (std::size_t r = 0; r < bench.multipliers.size(); ++r)
            multipliers[static_cast<int>(r)] = bench.multipliers[r];
        for (std::size_t i = 0; i < bench.turned.size(); ++i) bench.q.turned[i] = bench.turned[i];
        const double power = power_of(bench.system, bench.q, bench.v, multipliers, bench.scratch);
        // Sums of some hundred terms up to 1e3, and the differences of energies of that size.
        EXPECT_NEAR(power, rate, 1e-6);
        EXPECT_GT(std::abs(power), 1e-3);
    }
}

}  // namespace

}  // namespace myriad::mechanism
