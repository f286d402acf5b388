#include "host/text/text_position.hpp"

#include <algorithm>

namespace myriad {

namespace {

constexpr std::size_t bytes_between_marks = 1024;

LineAndColumn after(LineAndColumn place, std::string_view text) {
    for (const char letter : text) {
        const bool continues_a_character = (static_cast<unsigned char>(letter) & 0xC0u) == 0x80u;
        if (letter == '\n')
            ++place.line, place.column = 1;
        else if (!continues_a_character)
            ++place.column;
    }
    return place;
}

}  // namespace

TextPositions::TextPositions(std::string_view text) : marks_{{}} {
    for (std::size_t start = 0; start + bytes_between_marks <= text.size(); start += bytes_between_marks)
        marks_.push_back(after(marks_.back(), text.substr(start, bytes_between_marks)));
}

LineAndColumn TextPositions::of(std::string_view text, std::size_t offset) const {
    offset = std::min(offset, text.size());
    const std::size_t mark = offset / bytes_between_marks, start = mark * bytes_between_marks;
    return after(marks_[mark], text.substr(start, offset - start));
}

}  // namespace myriad
