// The programs of an elimination as C++ text: straight-line code with the same operations in the same order as
// kernels/mechanism/elimination.hpp, hence with the same bits.
#pragma once
#include <string>

#include "kernels/mechanism/topology.hpp"

namespace myriad::mechanism {

// Two functions in `namespace <name>`, inside the kernels' own one:
//   template <class Real> MaskOf<Real> factor(Real* matrix);
//   template <class Real> void solve(const Real* matrix, Real* right_hand_side, Real* solution);
// The text includes kernels/mechanism/elimination.hpp.
std::string elimination_text(const Elimination& elimination, const std::string& name);

}  // namespace myriad::mechanism
