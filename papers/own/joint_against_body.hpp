// Joint beside body coordinates on the mechanisms of ensembles/mechanisms/ that joint coordinates take: the unknowns of
// a step, and by method and step the error against known values, Newton iterations, counted operations and time.
//
// All choices but the coordinates are the defaults of a study. An error is the 2-norm, over a few channels at the end
// of a run, of the distance from values of an independent integration, converged (docs/reference_values.md); from
// closed forms (driven_motions.hpp) where drivers leave no freedom, of the velocity because the rows hold the position;
// and of the rotor, which has no values of others, from a run of rk67 in body coordinates.
#pragma once
#include <string>
#include <vector>

#include "papers/sweep.hpp"

namespace myriad::bench {

inline constexpr const char* mechanisms_in_both_coordinates[] = {
    "pendulum",          "double_pendulum", "heavy_top",    "high_speed_rotor", "puma560", "slider_crank_iftomm",
    "slider_crank_haug", "four_link",       "four_bar_loop"};

struct UnknownsInBoth {
    std::string mechanism;
    int bodies = 0;
    int freedoms = 0, prescribed = 0;  // of the tree's coordinates, and of these by drivers
    int joint = 0, body = 0;           // unknowns of a step of an implicit method
};
UnknownsInBoth unknowns_in_both(const std::string& mechanism);

struct CoordinatesCase {
    Goal goal;
    std::string quantity;  // "centre of mass at 1 s (m)"
    double digits;         // how far from the true ones the goal's values may be
    std::string integrator;
    double largest_step_s;   // the others are halves of it
    bool takes_body = true;  // explicit methods take no rows, and in body coordinates every joint is some
};
std::vector<CoordinatesCase> coordinates_cases(const Machine& machine);

// "joint" and, where the case takes it, "body".
std::vector<Variant> coordinates_of(const CoordinatesCase& compared);

// In joint coordinates; kinematics has the exact matrix alone, explicit methods none.
bool has_choice_of_matrix(const CoordinatesCase& compared);

// Per step, counted at the largest one.
long long flops_of(const CoordinatesCase& compared, const std::string& coordinates);

struct CoordinatesResult {
    Sweep made;     // variants: coordinates_of()
    Outcome exact;  // of the largest step with the exact iteration matrix, where it is a choice
    long long joint_flops = 0, body_flops = 0;  // 0 where there is none
};
CoordinatesResult run_in_both(const CoordinatesCase& compared, int steps, const Machine& machine);

// log2 of the ratio of the errors of the last two steps of which the digits of the goal do not hide the smaller error;
// NaN where they hide all, or where a run did not end well.
double order_of(const CoordinatesCase& compared, const Sweep& made, const std::string& variant);

// The largest step, to one percent, by which the method reaches the error; NaN where so many steps do not.
struct LargestStep {
    double step_s, error, ms_per_instance;
};
LargestStep largest_step(const Goal& goal, validation::Method method, double error, const Machine& machine,
                         long long most_steps = 1 << 20);

// Both rods of the double pendulum at 3 s.
Goal rods_at_3_s();

}  // namespace myriad::bench
