#include "host/ranks/mpi.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "host/backends/interface/dynamic_library.hpp"

namespace myriad::ranks {

namespace {

using backends::DynamicLibrary;

// Handles of Open MPI are addresses of objects in the library.
struct OpenMpi {
    using Handle = void*;
    static constexpr const char* world_symbol = "ompi_mpi_comm_world";
    static Handle world(const DynamicLibrary& library) { return library.address(world_symbol); }
    static Handle bytes(const DynamicLibrary& library) { return library.address("ompi_mpi_byte"); }
    static void* ignored_status() { return nullptr; }
};
// Handles of MPICH are numbers, which its agreement on a binary interface of 2014 holds fixed.
struct Mpich {
    using Handle = int;
    static Handle world(const DynamicLibrary&) { return 0x44000000; }
    static Handle bytes(const DynamicLibrary&) { return 0x4c00010d; }
    static void* ignored_status() { return reinterpret_cast<void*>(std::uintptr_t{1}); }
};

template <class Family>
class WorldOf final : public World {
  public:
    using Handle = typename Family::Handle;

    explicit WorldOf(const DynamicLibrary& library) : world_(Family::world(library)), bytes_(Family::bytes(library)) {
        is_complete_ = library.take("MPI_Init_thread", init_) && library.take("MPI_Comm_rank", rank_) &&
                       library.take("MPI_Comm_size", size_) && library.take("MPI_Iallgather", gather_) &&
                       library.take("MPI_Isend", send_) && library.take("MPI_Irecv", receive_) &&
                       library.take("MPI_Test", test_) && library.take("MPI_Finalize", finalize_) &&
                       library.take("MPI_Abort", abort_);
    }
    // "" where MPI has begun with the launch's processes, else why it has not.
    std::string begin(const Launch& launch) {
        if (!is_complete_) return "lacks functions of MPI 3";
        constexpr int funneled = 1;  // MPI_THREAD_FUNNELED of both families: other threads do not call MPI
        int provided = 0;
        if (init_(nullptr, nullptr, funneled, &provided) != success) return "could not begin";
        int rank = -1;
        if (rank_(world_, &rank) == success && size_(world_, &ranks_) == success && rank == launch.rank &&
            ranks_ == launch.ranks) {
            if (rank == 0) listen();
            return "";
        }
        finalize_();
        return "sees " + std::to_string(ranks_) + (ranks_ == 1 ? " process" : " processes") +
               ", so it belongs to another MPI than the launcher";
    }

    std::optional<std::vector<Word>> words_of_all(const Word& mine, const std::atomic<bool>& stop,
                                                  const std::function<void()>& while_waiting) override {
        mine_ = mine;
        all_.resize(static_cast<std::size_t>(ranks_));
        Handle request{};
        require(gather_(mine_.data(), sizeof(Word), bytes_, all_.data(), sizeof(Word), bytes_, world_, &request));
        Pause pause;
        while (!has_ended(request)) {
            if (stop) return std::nullopt;
            send_unsent();
            if (while_waiting) while_waiting();
            pause.sleep();
        }
        return all_;
    }
    void tell_first(const Word& mine) override {
        unsent_ = Message{mine, false};
        send_unsent();
    }
    const std::vector<std::optional<Word>>& told() override {
        for (std::size_t k = 1; k < told_.size(); ++k) take_from(k);
        return told_;
    }
    // Each rank ends its words to rank 0 by one that says so, since none may be under way when MPI ends.
    void end() override {
        const auto is_open = [](const Line& line) { return line.is_open; };
        if (lines_.empty()) {
            for (Pause pause; unsent_ || is_sending_; pause.sleep()) send_unsent();
            unsent_ = Message{{}, true};
            for (Pause pause; unsent_ || is_sending_; pause.sleep()) send_unsent();
        } else {
            for (Pause pause; told(), std::any_of(lines_.begin(), lines_.end(), is_open);) pause.sleep();
        }
        finalize_();
    }
    void abort(int exit_code) override {
        abort_(world_, exit_code);
        std::_Exit(exit_code);
    }

  private:
    static constexpr int success = 0, tag = 0;
    struct Message {
        Word word{};
        std::int64_t is_last = 0;
    };
    // On which rank 0 hears one other rank.
    struct Line {
        bool is_open = false;
        Message message;
        Handle request{};
    };
    struct Pause {
        std::chrono::microseconds length{100};
        void sleep() {
            std::this_thread::sleep_for(length);
            length = std::min<std::chrono::microseconds>(2 * length, std::chrono::milliseconds(20));
        }
    };

    void require(int result) {
        if (result != success) abort(EXIT_FAILURE);
    }
    bool has_ended(Handle& request) {
        int ended = 0;
        require(test_(&request, &ended, Family::ignored_status()));
        return ended != 0;
    }
    void send_unsent() {
        if (is_sending_ && !has_ended(sending_request_)) return;
        is_sending_ = unsent_.has_value();
        if (!unsent_) return;
        sending_ = *unsent_, unsent_.reset();
        require(send_(&sending_, sizeof(Message), bytes_, 0, tag, world_, &sending_request_));
    }
    void listen() {
        told_.resize(static_cast<std::size_t>(ranks_)), lines_.resize(told_.size());
        for (std::size_t k = 1; k < lines_.size(); ++k) hear(k);
    }
    void hear(std::size_t k) {
        Line& line = lines_[k];
        line.is_open = true;
        require(receive_(&line.message, sizeof(Message), bytes_, static_cast<int>(k), tag, world_, &line.request));
    }
    void take_from(std::size_t k) {
        Line& line = lines_[k];
        while (line.is_open && has_ended(line.request)) {
            line.is_open = false;
            if (line.message.is_last) return;
            told_[k] = line.message.word;
            hear(k);
        }
    }

    Handle world_, bytes_;
    int ranks_ = 0;
    bool is_complete_ = false;
    std::vector<std::optional<Word>> told_;
    std::optional<Message> unsent_;
    bool is_sending_ = false;
    Handle sending_request_{};
    // The library reads and writes these until they have arrived.
    Message sending_;
    std::vector<Line> lines_;
    Word mine_{};
    std::vector<Word> all_;
    int (*init_)(int*, char***, int, int*) = nullptr;
    int (*rank_)(Handle, int*) = nullptr;
    int (*size_)(Handle, int*) = nullptr;
    int (*gather_)(const void*, int, Handle, void*, int, Handle, Handle, Handle*) = nullptr;
    int (*send_)(const void*, int, Handle, int, int, Handle, Handle*) = nullptr;
    int (*receive_)(void*, int, Handle, int, int, Handle, Handle*) = nullptr;
    int (*test_)(Handle*, int*, void*) = nullptr;
    int (*finalize_)() = nullptr;
    int (*abort_)(Handle, int) = nullptr;
};

template <class Family>
std::unique_ptr<World> begun(const DynamicLibrary& library, const Launch& launch, std::string& why) {
    auto world = std::make_unique<WorldOf<Family>>(library);
    why = world->begin(launch);
    if (why.empty()) return world;
    why = library.name() + " " + why;
    return nullptr;
}

}  // namespace

std::unique_ptr<World> World::open(const Launch& launch, std::string& why) {
    if (launch.libraries.empty()) {
        why = "this srun offers no interface over which MPI finds its processes";
        return nullptr;
    }
    // The plug-ins of Open MPI look for its symbols among those that everybody sees.
    const auto library = DynamicLibrary::open(launch.libraries, why, DynamicLibrary::Symbols::shown);
    if (!library) {
        why = "no MPI library could be opened (" + why + ")";
        return nullptr;
    }
    return library->address(OpenMpi::world_symbol) ? begun<OpenMpi>(*library, launch, why)
                                                   : begun<Mpich>(*library, launch, why);
}

}  // namespace myriad::ranks
