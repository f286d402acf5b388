// The progress of a run on standard error: a bar on a terminal; elsewhere, and where NO_COLOR is set, a line each
// tenth, and at least one a minute.
#pragma once
#include <cstdint>

#include "host/ensemble/run.hpp"

namespace myriad::program {

inline constexpr const char* no_color_variable = "NO_COLOR";

class ProgressBar {
  public:
    ProgressBar();
    ~ProgressBar() { clear(); }
    // Instances that were finished before the run: they do not count for its speed.
    void begin_with(std::uint64_t finished) { before_ = finished; }
    void show(const ensemble::Progress& progress);
    // Leaves the terminal's line empty, also when an error ends the run.
    void clear();

  private:
    const bool terminal_;
    bool shown_ = false;
    std::uint64_t last_tenth_ = 0;
    double next_line_s_ = 10.0;
    std::uint64_t before_ = 0;
};

}  // namespace myriad::program
