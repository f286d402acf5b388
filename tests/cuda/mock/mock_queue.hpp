// The common part of the mock: the queue behind a stream, and whether the calling thread has a context.
#pragma once
#include <cuda.h>

#include <deque>
#include <functional>
#include <utility>

namespace mock {

struct Queue {
    std::deque<std::function<CUresult()>> work;
    unsigned long long queued = 0, done = 0;
};

inline Queue* queue_of(CUstream stream) { return reinterpret_cast<Queue*>(stream); }
inline void add(Queue* queue, std::function<CUresult()> work) {
    queue->work.push_back(std::move(work));
    ++queue->queued;
}

// An error where no context that lives is current on this thread; counted.
CUresult context_state();

}  // namespace mock
