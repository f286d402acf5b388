#include "host/ensemble/chunk_writer.hpp"

#include <utility>

namespace myriad::ensemble {

void FinishedChunk::clear() {
    backends::Chunk& c = chunk;
    c.count = 0;
    for (auto* numbers : {&c.status, &c.reason, &c.warnings, &c.stability, &runs}) numbers->clear();
    for (auto* counts : {&c.steps, &c.rejected}) counts->clear();
    for (auto* values : {&c.time_s, &c.initial_state, &c.final_state, &c.invariants_initial, &c.invariants_drift,
                         &c.quantities, &c.trajectory, &varied})
        values->clear();
}

ChunkWriter::ChunkWriter(const study::Study& study, results::Journal& journal)
    : columns_(study), journal_(journal), thread_([this] { write(); }) {}

ChunkWriter::~ChunkWriter() {
    close();
    if (thread_.joinable()) thread_.join();
}

void ChunkWriter::push(FinishedChunk chunk) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return queue_.size() < most_waiting || error_; });
    if (error_) std::rethrow_exception(error_);
    queue_.push_back(std::move(chunk));
    changed_.notify_all();
}

FinishedChunk ChunkWriter::empty_chunk() {
    const std::lock_guard lock(mutex_);
    if (written_.empty()) return {};
    FinishedChunk chunk = std::move(written_.back());
    written_.pop_back();
    chunk.clear();
    return chunk;
}

void ChunkWriter::finish() {
    close();
    thread_.join();
    if (error_) std::rethrow_exception(error_);
    journal_.sync();
}

void ChunkWriter::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
}

void ChunkWriter::write() {
    for (;;) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !queue_.empty() || closed_; });
        if (queue_.empty()) return;
        FinishedChunk chunk = std::move(queue_.front());
        queue_.pop_front();
        changed_.notify_all();
        lock.unlock();
        try {
            columns_.fill({journal_.layout().first_instance + chunk.first_row, chunk.chunk, chunk.varied, chunk.runs});
            journal_.append(chunk.first_row, chunk.chunk.count, columns_.spans());
            lock.lock();
            written_.push_back(std::move(chunk));
        } catch (...) {
            if (!lock.owns_lock()) lock.lock();
            error_ = std::current_exception();
            queue_.clear();
            changed_.notify_all();
            return;
        }
    }
}

}  // namespace myriad::ensemble
