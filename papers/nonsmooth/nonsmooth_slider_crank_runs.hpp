// Runs of the rigid slider-crank of the nonsmooth paper by its schemes, with its tables' figures for each.
#pragma once
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "kernels/math/small_matrix.hpp"

namespace myriad::bench {

using Values = std::map<std::string, double>;  // of parameters, by their addresses

constexpr double span_s = 0.05;  // of Tables 3 to 6
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Sample {
    Vec<3, double> angle, rate;
    double normal_force;  // of the lower corners together, N
};
struct Run {
    std::vector<Sample> samples;    // without the start
    int impacts = 0, switches = 0;  // switches: steps after which another set of corners is closed
    double first_contact_s = nan;
    double newton_iterations = nan, prox_iterations = nan;  // per step, per contact problem
    bool ended_well = true;
};
struct Scheme {
    std::string name;
    std::function<Run(const Values&, double step_s, double end_s, double every_s)> run;
    std::function<double(const Values&)> seconds;  // of one run with steps of 1e-5 s to the end
    std::array<double, 3> table_4, table_6;        // errors at 1e-4, 1e-5, 1e-6 s
    double table_3, table_5;                       // relative time
};

// Tables 3 to 6. Generalized-alpha's spectral radius is not stated.
std::vector<Scheme> slider_crank_schemes();

}  // namespace myriad::bench
