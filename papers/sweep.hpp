// A mechanism or system run by variants of a method over a row of steps: error, Newton iterations and time of each.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "host/backends/interface/backend.hpp"
#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::bench {

// The goal of a comparison: the distance of some channels at the end from known values.
struct Goal {
    std::string mechanism;
    double end_s = 0.0;
    std::vector<std::string> channels;  // each of one scalar
    std::vector<double> values;
    std::string subject = {};  // of a study, in place of the mechanism: "system": "heavy_top"
};

// One thread and all lanes taken, as in an ensemble: the time of a pack is shared among its instances.
struct Machine {
    std::unique_ptr<backends::Backend> backend;
    int lanes = 1;
};
Machine one_thread();

// NaN where the run did not end well.
struct Outcome {
    double error = 0.0;        // 2-norm over the channels of the goal
    double iterations = 0.0;   // Newton iterations per step; NaN of a system, which does not count them
    double ns_per_step = 0.0;  // of one instance; the fastest of at least so many runs that 20 ms have passed
};
// The end values of a run with this method, for goals whose values are our own.
std::vector<double> values_by(const Goal& goal, const validation::Method& method, const Machine& machine);

Outcome run_towards(const Goal& goal, const validation::Method& method, const Machine& machine);

struct Variant {
    std::string name;
    validation::Method method;  // its step and end are those of the sweep
};
struct Sweep {
    std::vector<double> steps_s;
    std::vector<std::string> variants;
    std::vector<std::vector<Outcome>> outcomes;  // [step][variant]

    const Outcome& at(std::size_t step, const std::string& variant) const;
};
Sweep sweep(const Goal& goal, const std::vector<Variant>& variants, const std::vector<double>& steps_s,
            const Machine& machine);

// first, first / 2, first / 4, ...
std::vector<double> halved(double first, int count);

}  // namespace myriad::bench
