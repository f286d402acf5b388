// The worst error of a function over a range, printed as one row of the table in the test log.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

namespace myriad::test {

struct WorstError {
    double error = 0.0, at = 0.0;
    // `!(<=)` so that a NaN counts as the worst.
    void add(double candidate, double argument) {
        if (!(candidate <= error)) {
            error = candidate;
            at = argument;
        }
    }
};

template <class Number>
const char* precision_name() {
    return sizeof(Number) == 8 ? "double" : "single";
}

inline void print_error_row(const char* function, const char* precision, const std::string& range,
                            const WorstError& worst, const char* unit) {
    std::printf("| %-24s | %-6s | %-34s | %9.3f %-9s | %-24.17g |\n", function, precision, range.c_str(), worst.error,
                unit, worst.at);
}

// Reproducible arguments: the same on every machine and compiler (std::uniform_real_distribution is not).
class Arguments {
  public:
    explicit Arguments(std::uint64_t seed) : engine_(seed) {}
    double uniform(double low, double high) {
        return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
    }
    // Log-uniform in size with either sign.
    double size_between(double low, double high) {
        const double size = std::exp2(uniform(std::log2(low), std::log2(high)));
        return (engine_() & 1) != 0 ? size : -size;
    }

  private:
    std::mt19937_64 engine_;
};

}  // namespace myriad::test
