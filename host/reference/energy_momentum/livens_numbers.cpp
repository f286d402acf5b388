#include "host/reference/energy_momentum/livens_numbers.hpp"

#include "host/reference/formulation/formulation.hpp"
#include "host/reference/formulation/newton_iteration.hpp"

namespace myriad::reference {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

VectorXd plain(const Numbers& numbers) {
    VectorXd values(numbers.size());
    for (Index i = 0; i < numbers.size(); ++i) values[i] = numbers[i].value;
    return values;
}

NewtonSolution solved_by_newton(const NumberResidual& residual, VectorXd start,
                                const std::function<double(const VectorXd& correction)>& size, int most_iterations) {
    NewtonSolution solution{std::move(start), 0};
    const Index count = solution.unknowns.size();
    NewtonIteration newton(most_iterations);
    for (bool ended = false; !ended;) {
        VectorXd value;
        MatrixXd jacobian(count, count);
        for (Index first = 0; first < count; first += number_directions) {
            const Index directions = std::min<Index>(number_directions, count - first);
            Numbers unknowns = constants(solution.unknowns);
            for (Index k = 0; k < directions; ++k) unknowns[first + k].derivative[static_cast<std::size_t>(k)] = 1.0;
            const Numbers differentiated = residual(unknowns);
            value = plain(differentiated);
            for (Index row = 0; row < count; ++row)
                for (Index k = 0; k < directions; ++k)
                    jacobian(row, first + k) = differentiated[row].derivative[static_cast<std::size_t>(k)];
        }
        if (!value.allFinite() || !jacobian.allFinite())
            throw StepFailure{"not_finite", "the equations of the step are not finite"};
        const Decomposition<double> decomposition = decomposed_newton_matrix(jacobian);
        const VectorXd correction = decomposition.solve(-value);
        if (!correction.allFinite()) throw StepFailure{"not_finite", "a correction of the step is not finite"};
        solution.unknowns += correction;
        ended = newton.ends_with(size(correction));
    }
    solution.iterations = newton.corrections();
    return solution;
}

}  // namespace myriad::reference
