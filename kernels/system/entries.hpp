// A loop over a list of a mechanism's topology, such as its elements, loads or contacts:
//
//   MYRIAD_EACH(i, topology, entries)   for (int i = 0; i < topology.entries(); ++i), unrolled as MYRIAD_UNROLL_PLAN
#pragma once
#include "kernels/math/real.hpp"

#define MYRIAD_EACH(i, topology, entries) MYRIAD_UNROLL_PLAN for (int i = 0; i < topology.entries(); ++i)
