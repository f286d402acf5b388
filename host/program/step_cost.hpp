// What a step of a mechanism costs.
#pragma once
#include <functional>
#include <optional>

namespace myriad::mechanism {
class Mechanism;
enum class Coordinates;
}  // namespace myriad::mechanism

namespace myriad::program {

// Of a step of generalized_alpha, of the nominal instance at its start, by the default tolerance: additions,
// multiplications, divisions and roots, an fma as two of them; and the numbers that an instance carries from step to
// step, its varied parameters and quantities apart.
struct StepCost {
    long long operations;
    int state_numbers;
};
constexpr double step_cost_step_s = 1e-3;
// None where the mechanism does not run in these coordinates by this method. The benches, which count, define it, and
// the program hands it to its command.
std::optional<StepCost> step_cost(const mechanism::Mechanism& mechanism, mechanism::Coordinates coordinates);
using CountStep = std::function<std::optional<StepCost>(const mechanism::Mechanism&, mechanism::Coordinates)>;

}  // namespace myriad::program
