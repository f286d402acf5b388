// `mpirun -n R myriad run STUDY`: each process runs one shard into a file of its own, and the first links the files.
#pragma once
#include "host/program/commands.hpp"
#include "host/ranks/launch.hpp"

namespace myriad::program {

// Only rank 0 shows progress, of all ranks together where MPI is there, and results. A shard that fails does not keep
// the others from ending; the files are then not linked, and rank 0 names the commands that run the missing shards.
// Returns the exit code, of all ranks the same where MPI lets them agree on it.
int run_on_ranks(const RunCommand& command, const ranks::Launch& launch);

}  // namespace myriad::program
