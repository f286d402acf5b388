#include "host/ranks/launch.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace myriad::ranks {

namespace {

std::optional<int> number_in(const char* variable) {
    const char* text = std::getenv(variable);
    if (!text) return std::nullopt;
    const std::string_view digits(text);
    int number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || end != digits.data() + digits.size() || number < 0) return std::nullopt;
    return number;
}

// The variables of one launcher.
struct Variables {
    const char *rank, *ranks, *rank_on_node, *ranks_on_node;
};
constexpr Variables open_mpi{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                             "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr Variables mpich{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"};
// Only a step of srun has SLURM_STEP_NUM_TASKS: the processes of a batch script see the other numbers of the job, too.
constexpr Variables slurm{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", nullptr};

std::optional<Launch> launch_by(const Variables& variables, const std::string& launcher,
                                std::vector<std::string> libraries) {
    const auto rank = number_in(variables.rank), ranks = number_in(variables.ranks);
    if (!rank || !ranks || *rank >= *ranks) return std::nullopt;
    Launch launch;
    launch.rank = *rank, launch.ranks = *ranks;
    launch.rank_on_node = number_in(variables.rank_on_node).value_or(0);
    launch.ranks_on_node = variables.ranks_on_node ? number_in(variables.ranks_on_node).value_or(1) : 1;
    launch.launcher = launcher + " -n " + std::to_string(*ranks);
    launch.libraries = std::move(libraries);
    return launch;
}

// Slurm does not say how many tasks of a step run on this node: as many as on each if they are spread evenly.
std::optional<Launch> launch_by_slurm() {
    // Open MPI ends a process that srun has started without the interface that this variable shows.
    const bool has_pmix = std::getenv("PMIX_RANK") != nullptr;
    const std::vector<std::string> open_mpis{"libmpi.so.40"};
    auto launch = launch_by(slurm, "srun", has_pmix ? open_mpis : std::vector<std::string>{});
    if (!launch) return std::nullopt;
    const int nodes = std::max(1, number_in("SLURM_STEP_NUM_NODES").value_or(1));
    launch->ranks_on_node = (launch->ranks + nodes - 1) / nodes;
    launch->is_step_of_slurm = true;
    return launch;
}

}  // namespace

std::optional<Launch> launch_of_this_process() {
    const char* named = std::getenv("MYRIAD_MPI");
    const std::string library = named ? named : "";
    if (library == "off") return std::nullopt;
    // mpirun starts its helpers on other nodes by srun, whose numbers the processes then see, too.
    auto launch = launch_by(open_mpi, "mpirun", {"libmpi.so.40", "libmpi.so"});
    const auto by_slurm = launch_by_slurm();
    if (!launch) launch = launch_by(mpich, "mpirun", {"libmpi.so.12", "libmpich.so.12"});
    if (!launch)
        launch = by_slurm;
    else if (by_slurm && by_slurm->rank == launch->rank && by_slurm->ranks == launch->ranks)
        launch->launcher = by_slurm->launcher, launch->is_step_of_slurm = true;
    if (!launch || launch->ranks == 1) return std::nullopt;
    if (!library.empty()) launch->libraries = {library};
    return launch;
}

int threads_of_a_rank(const Launch& launch, int allowed, int processors_of_node) {
    return std::min(allowed, std::max(1, processors_of_node / std::max(1, launch.ranks_on_node)));
}

}  // namespace myriad::ranks
