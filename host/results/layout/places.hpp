// Where the values of a result stand in its file.
#pragma once
#include <cstdint>
#include <vector>

namespace myriad::results {

// The bytes of a column, one row behind the other.
struct Piece {
    std::uint64_t offset = 0, bytes = 0;  // in the file
    friend bool operator==(const Piece&, const Piece&) = default;
};

struct Places {
    std::vector<Piece> columns;
    std::uint64_t end = 0;  // of the last one in the file
    friend bool operator==(const Places&, const Places&) = default;
};

}  // namespace myriad::results
