// MPI, opened while the program runs: all that the processes of one mpirun say to each other.
//
// The work of a rank is a shard, which needs nobody else. So MPI only carries the word of each rank to all, before the
// shards begin and when they have ended, and in between to rank 0 how far a rank is; rank and number of ranks are the
// launcher's (launch.hpp). There is no header of MPI in the build: the two families, Open MPI and MPICH (with Intel MPI
// and MVAPICH, which have its binary interface), differ in what a handle is, and are told apart by the symbols of the
// library itself.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/ranks/launch.hpp"

namespace myriad::ranks {

class World {
  public:
    using Word = std::array<std::int64_t, 2>;

    // MPI, begun. Null where no library is there, or one that does not find the processes of this launch; `why` then
    // says so in a sentence. Only the thread that called this may use the object.
    static std::unique_ptr<World> open(const Launch& launch, std::string& why);
    virtual ~World() = default;

    // The words of all ranks, in their order, when the last has given its own. Sleeps meanwhile, as the others may need
    // the processor, and calls `while_waiting` every 20 ms or sooner. Nothing where `stop` is raised before; then only
    // abort() may follow.
    virtual std::optional<std::vector<Word>> words_of_all(const Word& mine, const std::atomic<bool>& stop,
                                                          const std::function<void()>& while_waiting = {}) = 0;
    // A word from a rank other than 0 to rank 0. Waits for nobody: one that is still here when the next comes is lost.
    virtual void tell_first(const Word& mine) = 0;
    // Of rank 0: the last word of each rank that has arrived; nothing before its first.
    virtual const std::vector<std::optional<Word>>& told() = 0;
    // The last call of a rank that ends as it should.
    virtual void end() = 0;
    // Ends this process and has the launcher end the others, which keep what they have finished.
    [[noreturn]] virtual void abort(int exit_code) = 0;
};

}  // namespace myriad::ranks
