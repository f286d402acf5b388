// The problems of bench/by_hand/ beside the same studies of the program: parameters, initial states, what both show.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "bench/measurement.hpp"
#include "host/backends/interface/kernel_by_hand.hpp"

namespace myriad::bench {

// One number of an instance varies, `varied` in the study's unit. `shown` are the study's quantities, in its order.
struct ProblemByHand {
    const char *name, *type;       // of its header in bench/by_hand/, and in it
    const char *subject, *varied;  // as a study has them; or a mechanism's name
    const char* integrator;        // the program's
    const char* quantities;
    double step_s;
    int steps;
    int parameters, fields, shown;
    void (*prepare)(double varied, double* parameters, double* state);
    void (*show)(double varied, const double* state, double* shown);
    void (*advance)(const double* parameters, double* state, unsigned long long instances, unsigned long long i,
                    double step_s, long long steps);
};
std::span<const ProblemByHand> problems_by_hand();

study::Study study_of(const ProblemByHand& problem, std::uint64_t instances, int steps);
backends::KernelByHand kernel_of(const ProblemByHand& problem);

// The study's instances for the kernel: [field][instances].
struct PreparedByHand {
    std::vector<double> varied, parameters, state;
};
PreparedByHand prepare(const ProblemByHand& problem, const study::Study& study);

// On the calling thread, in place.
void advance(const ProblemByHand& problem, PreparedByHand& prepared, int steps);

// The largest difference between what the final states show and the program's quantities of the same instances; NaN
// where one of them is.
double largest_difference(const ProblemByHand& problem, const PreparedByHand& prepared, std::span<const double> state,
                          const Finished& finished);

}  // namespace myriad::bench
