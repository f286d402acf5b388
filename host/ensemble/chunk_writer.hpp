// Writes finished chunks behind the backend's back. Its error appears at the next push() or at finish().
//
// What is written is used again: the system would take as long to give and take back the pages of a large chunk as to
// write it.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "host/backends/backends.hpp"
#include "host/ensemble/result_columns.hpp"
#include "host/results/journal.hpp"

namespace myriad::ensemble {

struct FinishedChunk {
    std::uint64_t first_row = 0;
    backends::Chunk chunk;
    std::vector<double> varied;
    std::vector<std::int32_t> runs;

    // Empty, with the memory of what it held.
    void clear();
};

class ChunkWriter {
  public:
    ChunkWriter(const study::Study& study, results::Journal& journal);
    ~ChunkWriter();
    // Waits while as many chunks wait as may.
    void push(FinishedChunk chunk);
    // With the memory of one that is written, if there is one.
    FinishedChunk empty_chunk();
    // Returns when all is written and on the disk.
    void finish();

    // The largest number of chunks in it: those that wait, the one in writing, which is there in two orders, and one to
    // be used again.
    static constexpr std::uint64_t most_chunks = 5;

  private:
    static constexpr std::size_t most_waiting = 2;  // bounds the memory of a run whose disk is slower than its backend

    void close();
    void write();

    ChunkColumns columns_;
    results::Journal& journal_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<FinishedChunk> queue_;
    std::vector<FinishedChunk> written_;
    bool closed_ = false;
    std::exception_ptr error_;
    std::thread thread_;
};

}  // namespace myriad::ensemble
