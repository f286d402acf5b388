#include "host/program/text/progress_bar.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "host/program/text/text_table.hpp"

namespace myriad::program {

namespace {

std::string whole_percent(double share) { return std::to_string(static_cast<int>(100.0 * share)) + " %"; }

// The words of no-color.org; `--no-color` sets the first.
bool takes_control_sequences() {
    const char* no_color = std::getenv(no_color_variable);
    const char* terminal = std::getenv("TERM");
    return isatty(STDERR_FILENO) != 0 && !(no_color && *no_color) &&
           std::string_view(terminal ? terminal : "") != "dumb";
}

}  // namespace

ProgressBar::ProgressBar() : terminal_(takes_control_sequences()) {}

void ProgressBar::show(const ensemble::Progress& progress) {
    const double instances = static_cast<double>(progress.instances);
    const double done =
        static_cast<double>(progress.saved) + progress.share_of_chunk * static_cast<double>(progress.chunk);
    const double share = done / instances;
    const double rate = (done - static_cast<double>(before_)) / std::max(progress.seconds, 1e-9);
    const bool waits = !progress.doing.empty() && (progress.share_of_chunk >= 1.0 || done >= instances);
    const std::string left =
        rate > 0.0 && !waits ? seconds_text((instances - done) / rate) + " left" : "time left unknown";
    // The end of a chunk says nothing new where the bar has shown all of it.
    std::string chunk;
    if (progress.share_of_chunk > 0.0)
        chunk = ", " + whole_percent(progress.share_of_chunk) + " of the next " + grouped(progress.chunk);
    if (!progress.doing.empty()) chunk += ", " + progress.doing;
    if (!terminal_) {
        const std::uint64_t tenth = 10 * progress.saved / progress.instances;
        if (tenth <= last_tenth_ && progress.seconds < next_line_s_) return;
        last_tenth_ = tenth;
        next_line_s_ = progress.seconds + 60.0;
        std::fprintf(stderr, "%3.0f %%  %s of %s instances saved%s, %s\n", 100.0 * share,
                     grouped(progress.saved).c_str(), grouped(progress.instances).c_str(), chunk.c_str(), left.c_str());
        return;
    }
    constexpr int width = 40;
    const auto full = std::min<std::size_t>(static_cast<std::size_t>(share * width), width);
    const std::string bar = std::string(full, '#') + std::string(width - full, '.');
    std::fprintf(stderr, "\r[%s] %4.1f %%  %s saved%s, %s instances/s, %s  \x1b[K", bar.c_str(), 100.0 * share,
                 grouped(progress.saved).c_str(), chunk.c_str(), with_prefix(rate).c_str(), left.c_str());
    shown_ = true;
}

void ProgressBar::clear() {
    if (shown_) std::fprintf(stderr, "\r\x1b[K");
    shown_ = false;
}

}  // namespace myriad::program
