// Finds the constraint rows of a mechanism that follow from the others at its nominal pose, such as the surplus ones of
// a planar four-bar of revolute joints: without them the saddle-point matrix is regular.
//
// Every row is scaled to length 1 and made orthogonal to those kept before it (Gram-Schmidt, twice: Giraud et al.
// 2005); it is redundant when less than `tolerance` of it is left. Rows are offered class by class and in their order
// within a class, so that of rows that say the same the earlier one of the lower class stays. The rank is found a
// second time by taking the row of which most is left (pivoted). Not handled: rows that become dependent at other
// poses.
#pragma once
#include <span>
#include <vector>

namespace myriad::mechanism {

// Redundant rows have about the error of the assembled pose left, 1e-12 or less. Rows with less than this left would
// cost an elimination in double precision all of its digits (the square of it stands in the multipliers' block).
constexpr double redundancy_tolerance = 1e-8;

struct IndependentRows {
    std::vector<int> kept, removed;  // ascending
    int rank = 0;                    // by pivoting; differs from kept.size() only where no tolerance separates the rows
    double least_of_kept = 1.0;      // how much was left of the row that was kept with least
    double most_of_removed = 0.0;    // and of the one that was removed with most
};

// jacobian [classes.size(), columns] by rows: of unknowns of one unit (translations divided by a length). classes:
// lower ones are kept first. A row of zeros is redundant. Throws std::invalid_argument for sizes that do not fit.
IndependentRows independent_rows(std::span<const double> jacobian, int columns, std::span<const int> classes,
                                 double tolerance = redundancy_tolerance);

// For each removed row the combination of all rows that is zero: 1 of itself, less what makes it of the kept ones.
std::vector<std::vector<double>> vanishing_combinations(std::span<const double> jacobian, int columns,
                                                        const IndependentRows& rows);

}  // namespace myriad::mechanism
