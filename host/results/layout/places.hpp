// Where the values of a result stand in its file.
#pragma once
#include <cstdint>
#include <vector>

namespace myriad::results {

// Bytes of a column, taken as one row behind the other, that stand in one piece.
struct Piece {
    std::uint64_t first = 0, bytes = 0;  // in the column
    std::uint64_t offset = 0;            // in the file
    friend bool operator==(const Piece&, const Piece&) = default;
};

struct Places {
    std::vector<std::vector<Piece>> columns;  // [column], by rising `first`, each byte once
    std::uint64_t end = 0;                    // of the last piece in the file
    friend bool operator==(const Places&, const Places&) = default;
};

}  // namespace myriad::results
