// Decides once per mechanism how the saddle-point matrix of its Newton corrections is eliminated: the order of the
// pivots, which equation belongs to which unknown, and the programs that kernels/mechanism/elimination.hpp runs.
//
// Pivots that are safe at every pose come first, in the order of least fill (on a tree from its leaves to its root):
//   - the unknowns of a body whose own block is safely regular: the rest of a definite block stays definite;
//   - a multiplier once all bodies' unknowns in its row are eliminated, or those of one translation or rotation that it
//     can rely on alone: a row with one translation entry on that unknown, other rows on all three, and one joint per
//     translation or rotation. The rows of a joint must be well independent on either body by themselves at every pose;
//     those of every joint type are.
// The remaining unknowns belong to other bodies (published inertias such as diag(4, 2, 0)) and to rows beside them.
// There pivots are taken where they are large at the nominal poses (threshold Markowitz), on the diagonal if possible,
// else with an equation and an unknown of different numbers.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "kernels/mechanism/topology.hpp"

namespace myriad::mechanism {

// Which entries of a body's 6x6 block may be nonzero: bit j of entries[i] for row i, column j.
struct BodyBlock {
    std::array<unsigned char, 6> entries{1, 2, 4, 56, 56, 56};  // translation diagonal, rotation full

    static BodyBlock full() { return {{63, 63, 63, 63, 63, 63}}; }
};

struct MultiplierRow {
    std::array<int, 2> body{-1, -1};             // -1: ground
    std::array<unsigned char, 2> entries{0, 0};  // bit i: the row's entry at unknown i of that body may be nonzero
    bool has_diagonal = false;                   // of a law
    int joint = 0;                               // the same for rows that were made together
};

struct EliminationProblem {
    std::vector<BodyBlock> bodies;
    std::vector<MultiplierRow> rows;
    // One or more matrices [unknowns, unknowns] by rows, one after the other: typical values at poses that occur. They
    // only judge which pivots are safe (at all of them).
    std::vector<double> nominal_matrices;

    int unknowns() const { return 6 * static_cast<int>(bodies.size()) + static_cast<int>(rows.size()); }
    // Which entries may be nonzero, [unknowns, unknowns] by rows.
    std::vector<unsigned char> pattern() const;
};

// Operations of one factor() and one solve(); an fma is a multiplication and an addition.
struct OperationCounts {
    int multiplications = 0, additions = 0, divisions = 0;

    int all() const { return multiplications + additions + divisions; }
};

struct Pivot {
    int equation, unknown;
};

struct EliminationPlan {
    std::string refusal;                                          // why there is no plan; empty if there is one
    Elimination elimination{};                                    // points into `programs`
    std::shared_ptr<const std::vector<unsigned short>> programs;  // factor, forward, backward
    std::vector<Pivot> pivots;
    OperationCounts factor_counts, solve_counts;
    int entries = 0, fill = 0;  // fill: slots that are zero in the matrix
    // The smallest pivot at the nominal poses, relative to what is left in its row and column (scaled): small where the
    // matrix is nearly singular.
    double weakest_pivot = 0.0;
};

// Refuses more than most_matrix_entries slots and a structurally singular matrix. Throws std::invalid_argument where
// the problem contradicts itself.
EliminationPlan plan_elimination(const EliminationProblem& problem);

}  // namespace myriad::mechanism
