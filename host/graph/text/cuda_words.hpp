// The words in which a program's CUDA text is written: as those of C (c_words.hpp), for one instance of a thread.
// Nothing is included. Products and sums must not be contracted: -fmad=false.
#pragma once
#include <string>

#include "host/graph/graph.hpp"

namespace myriad::graph {

std::string cuda_words(Format format);

}  // namespace myriad::graph
