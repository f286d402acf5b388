// The velocities with which bodies start where joints have start values, in the norm of the masses (start_rows.hpp):
//
//   known      given velocities of bodies on carriers whose motion is known; no joint has another rate than that
//   together   all given velocities; joints without one on their outer side keep their rates
//   rows       of loops, too
//
// Each is the least change from the one before. In all of them the rows of joints and drivers come first, given rates
// hold exactly, and what says nothing beside the rows before it is left out. Where a given velocity does not hold in
// the end, all of them change by the least. Joints: of the tree before cuts.
#pragma once
#include "host/mechanism/assembly/start_rows.hpp"

namespace myriad::mechanism {

// Whether the velocity of a body is given that takes part.
bool gives_velocities(const StartState& state);

// Changes the velocities in `now`, with which bodies ride on their carriers but for rates of joints and drivers.
void meet_velocities(const StartState& file, StartState& now);

// How far given velocities were changed, as kernels/mechanism/start_motion.hpp measures it.
double change_of_given_velocities(const StartState& file, const StartState& now);

}  // namespace myriad::mechanism
