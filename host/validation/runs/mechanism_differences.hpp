// The same run of a mechanism by two codes, and how far apart every one of its channels is at every step.
//
// The unit is the round-off e that no code can avoid, e = 2^-52 of the largest value of the channel's kind and of what
// an index-3 method makes of the round-off of a position (length L): L itself, L/h in a velocity, L/h^2 in an
// acceleration, m L/h^2 in a force, m L v/h in an energy; h: step, m: mass of all bodies, v: largest velocity. lgim
// sect. 3.4.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "host/validation/runs/mechanism_run.hpp"

namespace myriad::validation {

// A mechanism of the catalog and a step that its motion allows.
struct MechanismTwin {
    std::string mechanism;
    double step_s;
};
const std::vector<MechanismTwin>& mechanism_twins_of_the_catalog();

struct TwinMethod {
    std::string integrator, chart;
};
// Every integrator on every chart that can run the mechanism at fixed steps.
std::vector<TwinMethod> methods_of(const MechanismTwin& twin);

// So many steps, each with a row of all channels but those that say how a code reached its result; Newton's iteration
// down to round-off.
study::Study twin_study(const MechanismTwin& twin, const TwinMethod& method, int steps);

// Whether the angles of the chart have no rates at a pose that the motion comes to, so that there is nothing to
// compare: both codes end there the same way (where they stall, some steps apart), but for kinematics, which has no
// chart on the reference path.
bool ended_at_a_singularity(const TwinMethod& method, const backends::Chunk& ours, const backends::Chunk& theirs);

struct Difference {
    std::string channels;  // position, velocity, acceleration, force or energy
    double round_offs = 0.0;
    double allowed_round_offs = 0.0;
    std::string where;  // the channel's address
};
// Why round-offs are allowed to be several: the positions of the two codes differ by some e after every step, sums of a
// few dozen terms. An error e of a position is one of 4 e/h^2 in the acceleration of generalized-alpha at r = 0.9, and
// the method passes it on with the triple factor -r, hence n (n + 1) / 2 r^n after n steps: 10 after 4 steps, at most
// 26, and 140 of the errors of all steps together as a random sum; n r^n of it, with 2 e/h, in the velocities.
extern const char* const why_so_many_round_offs;

// Those of chunks with one instance each. NaN where an instance did not end well.
std::array<Difference, 5> differences_of(const study::Study& study, const backends::Chunk& ours,
                                         const backends::Chunk& theirs);

}  // namespace myriad::validation
