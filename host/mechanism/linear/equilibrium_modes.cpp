#include "host/mechanism/linear/equilibrium_modes.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/joint_coordinates/linearization.hpp"
#include "kernels/joint_coordinates/start.hpp"

namespace myriad::mechanism {

// Large, hence never on the stack.
struct EquilibriumModes::Instance {
    using System = JointMechanism<double, JointTopology, RotationGroup>;

    System::Parameters parameters;
    System system;
    System::Scratch scratch;
    System::Configuration q;
    System::Velocity v, a;
    System::MultiplierVector multipliers;
    JointLinearEquations<System> linear;

    explicit Instance(const Mechanism& mechanism) {
        const JointTopology topology(&mechanism.table);
        system = {topology, &parameters};
        q.fit(topology), v.fit(topology), a.fit(topology), multipliers.fit(topology);
    }
};

namespace {

DenseMatrix matrix(const double* entries, int rows, int columns) {
    DenseMatrix made(static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
    std::copy_n(entries, made.entries.size(), made.entries.begin());
    return made;
}

// What a driver prescribes takes no part.
LinearEquations of_free(const LinearEquations& all, const JointTopology& topology) {
    std::vector<bool> is_held(all.mass.rows, false);
    for (int i = 0; i < topology.prescribed(); ++i)
        is_held[static_cast<std::size_t>(topology.prescribed_coordinate(i).freedom)] = true;
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < is_held.size(); ++i)
        if (!is_held[i]) free.push_back(i);
    const auto part = [&](const DenseMatrix& from, bool of_rows) {
        DenseMatrix kept(of_rows ? from.rows : free.size(), free.size());
        for (std::size_t i = 0; i < kept.rows; ++i)
            for (std::size_t k = 0; k < free.size(); ++k) kept(i, k) = from(of_rows ? i : free[i], free[k]);
        return kept;
    };
    return {part(all.mass, false), part(all.damping, false), part(all.stiffness, false), part(all.gradient, true),
            all.stiffness_scale};
}

}  // namespace

EquilibriumModes::EquilibriumModes(const Mechanism& mechanism) : instance_(std::make_unique<Instance>(mechanism)) {}
EquilibriumModes::~EquilibriumModes() = default;
EquilibriumModes::EquilibriumModes(EquilibriumModes&&) noexcept = default;

std::optional<LinearEquations> EquilibriumModes::linear_equations(std::span<const double> kernel_parameters) {
    Instance& one = *instance_;
    std::copy(kernel_parameters.begin(), kernel_parameters.end(), one.parameters.e);
    if (one.system.reason() != 0.0) return std::nullopt;
    if (assemble(one.system, one.scratch, one.q, one.v, one.a, one.multipliers).reason != 0.0) return std::nullopt;
    if (!one.linear.linearize(one.system, one.scratch, one.q)) return std::nullopt;
    const int n = one.linear.freedoms;
    const double* gravity = &one.parameters.e[gravity_parameter];
    const double weight = std::sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]);
    const LinearEquations all{
        matrix(one.linear.mass, n, n), matrix(one.linear.damping, n, n), matrix(one.linear.stiffness, n, n),
        matrix(one.linear.gradient, one.linear.constraints, n), weight / one.parameters[length_scale_parameter]};
    return of_free(all, one.system.topology);
}

Modes EquilibriumModes::modes(std::span<const double> kernel_parameters) {
    const auto equations = linear_equations(kernel_parameters);
    const auto roots = equations ? roots_of(*equations) : std::nullopt;
    return roots ? modes_of(*roots) : Modes{};
}

}  // namespace myriad::mechanism
