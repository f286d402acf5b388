// Ensembles of the catalog's mechanisms to measure, and what Newton's method did in them.
#pragma once
#include <cstdint>
#include <string>

#include "bench/measurement.hpp"
#include "host/mechanism/mechanism.hpp"

namespace myriad::bench {

using mechanism::Coordinates;

struct MechanismWorkload {
    const char* mechanism;
    const char* integrator;
    double step_s;
    int steps;
    const char* varied;  // an address, by a tenth of a percent
    double nominal;
    const char* options = "";  // in body coordinates
};

// The text of a study; `more` are members behind its parameters.
std::string study_of(const MechanismWorkload& workload, Coordinates coordinates, std::uint64_t instances,
                     const std::string& more = "");
std::string subject_of(const MechanismWorkload& workload, Coordinates coordinates);

struct NewtonFigures {
    double per_step, of_the_busiest, largest_residual;
};
NewtonFigures newton_figures(const Finished& finished, const study::Study& study);
void add_newton_figures(program::BenchRow& row, const NewtonFigures& newton);

}  // namespace myriad::bench
