// Where a byte of a text stands: its line and column, counted from 1, columns in characters.
//
// A mark at each so many bytes bounds the work for one place, so that many places of a long line cost no more than as
// many of short ones.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

namespace myriad {

struct LineAndColumn {
    std::size_t line = 1, column = 1;
};

class TextPositions {
  public:
    explicit TextPositions(std::string_view text);
    // `text` is the same as above; an offset beyond its end stands for the end.
    LineAndColumn of(std::string_view text, std::size_t offset) const;

  private:
    std::vector<LineAndColumn> marks_;
};

}  // namespace myriad
