// The cases, each a function from a backend to rows, and how they write their rows.
#pragma once
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "host/validation/validation.hpp"

namespace myriad::backends {
class Backend;
}

namespace myriad::validation {

// `backend` names what `device` is, for a case that needs a second one.
struct Subject {
    std::string backend;
    backends::Backend& device;
};

std::vector<Row> heavy_top_published(const Subject& subject);
std::vector<Row> steady_precession(const Subject& subject);
std::vector<Row> free_rotation(const Subject& subject);
std::vector<Row> twins(const Subject& subject);
std::vector<Row> orders(const Subject& subject);
std::vector<Row> driven_mechanisms(const Subject& subject);
std::vector<Row> free_mechanisms(const Subject& subject);
std::vector<Row> mechanism_orders(const Subject& subject);
std::vector<Row> mechanism_residuals(const Subject& subject);
std::vector<Row> mechanism_twins(const Subject& subject);
std::vector<Row> energy_momentum(const Subject& subject);
std::vector<Row> contact(const Subject& subject);
std::vector<Row> contact_mechanisms(const Subject& subject);
std::vector<Row> contact_mechanism_twins(const Subject& subject);

struct Tolerance {
    double value;
    std::string reason;
};

class Rows {
  public:
    explicit Rows(std::string case_name) : case_name_(std::move(case_name)) {}
    void add(const std::string& quantity, double ours, double expected, const Tolerance& tolerance,
             const std::string& source) {
        rows_.push_back({case_name_, quantity, ours, expected, tolerance.value, source, tolerance.reason});
    }
    std::vector<Row> take() { return std::move(rows_); }

  private:
    std::string case_name_;
    std::vector<Row> rows_;
};

// Rounding of a value written with so many decimals.
inline double half_unit(int decimals) { return 0.5 * std::pow(10.0, -decimals); }

// Two codes doing the same steps in another order of operations differ by a random walk: a step adds a few ulp of the
// largest value of the run.
inline double round_off(double steps, double largest_value) {
    return 10.0 * std::sqrt(steps) * std::numeric_limits<double>::epsilon() * largest_value;
}

}  // namespace myriad::validation
