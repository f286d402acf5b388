// The modes of instances of a mechanism, each linearised at the equilibrium that it starts in.
//
// All in double precision and for one instance alone: the values depend neither on the backend nor on neighbours. The
// equilibrium is found by the functions of the kernels. Not handled: body coordinates.
#pragma once
#include <memory>
#include <span>

#include "host/mechanism/linear/modes.hpp"
#include "host/mechanism/mechanism.hpp"

namespace myriad::mechanism {

// The work space of one thread. The mechanism starts at an equilibrium, and outlives this.
class EquilibriumModes {
  public:
    explicit EquilibriumModes(const Mechanism& mechanism);
    ~EquilibriumModes();
    EquilibriumModes(EquilibriumModes&&) noexcept;

    // Nothing where there is no equilibrium, or the rows lose their rank there. The parameters are the kernel's.
    std::optional<LinearEquations> linear_equations(std::span<const double> kernel_parameters);
    // Without modes, and with the stability `none`, likewise.
    Modes modes(std::span<const double> kernel_parameters);

  private:
    struct Instance;
    std::unique_ptr<Instance> instance_;
};

}  // namespace myriad::mechanism
