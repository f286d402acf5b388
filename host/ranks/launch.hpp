// The processes that a launcher (mpirun, mpiexec, srun) started together, as it tells each of them in the environment.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace myriad::ranks {

struct Launch {
    int rank = 0, ranks = 2;                  // this process among all: 0 <= rank < ranks
    int rank_on_node = 0, ranks_on_node = 1;  // among those on this machine
    std::string launcher;                     // as a message names it: "mpirun -n 4"
    bool is_step_of_slurm = false;            // of srun, under which scripts also number shards by themselves
    // Names or paths of the MPI library that goes with the launcher, to be tried in this order; empty where the
    // launcher offers nothing over which MPI could find the other processes.
    std::vector<std::string> libraries;
};

// Nothing where this process was started alone, or where the environment variable MYRIAD_MPI is "off". Where that is
// set to anything else it is the path of the MPI library.
//
// Understood are Open MPI (OMPI_COMM_WORLD_*), MPICH and those that share its start (PMI_*: Intel MPI, MVAPICH), and
// steps of Slurm (SLURM_*).
std::optional<Launch> launch_of_this_process();

// Threads for this process where it was not told how many: its share of the node's processors where the launcher bound
// it to more than that, as it does where it binds to nothing. `allowed` are those that it may run on.
int threads_of_a_rank(const Launch& launch, int allowed, int processors_of_node);

}  // namespace myriad::ranks
