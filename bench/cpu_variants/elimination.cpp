// The elimination of a mechanism's matrix on its own: the build compiles this file once for each variant.
#include "kernels/mechanism/elimination.hpp"

#include "bench/elimination_table.hpp"

namespace myriad::bench {

namespace {

template <class Real>
double eliminate(const Elimination& elimination, const double* values, long long rounds) {
    Real matrix[most_matrix_entries], right_hand_side[6 * most_bodies + most_rows],
        solution[6 * most_bodies + most_rows];
    double sum = 0.0;
    for (long long round = 0; round < rounds; ++round) {
        for (int i = 0; i < elimination.slots; ++i) matrix[i] = Real(values[i]);
        for (int i = 0; i < elimination.unknowns; ++i) right_hand_side[i] = Real(1.0);
        factor(elimination, matrix);
        solve(elimination, matrix, right_hand_side, solution);
        sum += static_cast<double>(Lanes<Real>::get(solution[0], 0));
    }
    return sum;
}

}  // namespace

#define MYRIAD_JOIN_TEXT(a, b) a##b
#define MYRIAD_JOIN(a, b) MYRIAD_JOIN_TEXT(a, b)

EliminationFunction MYRIAD_JOIN(MYRIAD_VARIANT, _elimination)() {
#if defined(MYRIAD_SCALAR)
    return &eliminate<double>;
#elif defined(__AVX512F__)
    return &eliminate<Pack<double, 8> >;
#else
    return &eliminate<Pack<double, 4> >;
#endif
}

}  // namespace myriad::bench
