// Factors and solutions of a mechanism's saddle-point matrix alone, for one vector width: their share of a step.
#pragma once
#include "kernels/mechanism/topology.hpp"

namespace myriad::bench {

// `rounds` times: the matrix of `values` [slots] in every lane copied, factored, and one right-hand side solved for.
// The result keeps the compiler from leaving it out.
using EliminationFunction = double (*)(const Elimination& elimination, const double* values, long long rounds);

EliminationFunction scalar_elimination();
EliminationFunction avx2_elimination();
EliminationFunction avx512_elimination();

}  // namespace myriad::bench
