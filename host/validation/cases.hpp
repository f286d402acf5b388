// The cases, each a function from a backend to rows, and how they write their rows.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "host/validation/runs/reference_values.hpp"
#include "host/validation/validation.hpp"

namespace myriad::backends {
class Backend;
}

namespace myriad::validation {

using reference_values::round_off, reference_values::Value, reference_values::Values;

// `backend` names what `device` is, for a case that needs a second one.
struct Subject {
    std::string backend;
    backends::Backend& device;
    // One instance at a time at a hundredth of the speed: a case leaves out what would take minutes.
    bool is_reference_path() const { return backend == "reference"; }
    // Whether the mechanism runs by this method in body coordinates. A GPU's kernels are compiled for each mechanism,
    // method and chart, which takes half a minute each time there: methods for contact, those of energy and momentum
    // and charts other than `rotation` run on a mechanism or a few, explicit ones on none. Files say so by "forms".
    bool takes(std::string_view mechanism, std::string_view integrator, std::string_view chart = "rotation") const;
};

std::vector<Row> twins(const Subject& subject);
std::vector<Row> orders(const Subject& subject);
std::vector<Row> steps_side_by_side(const Subject& subject);
std::vector<Row> multiplier_orders(const Subject& subject);
std::vector<Row> energy_and_reactions(const Subject& subject);
std::vector<Row> mechanism_twins(const Subject& subject);
std::vector<Row> precession_ranking(const Subject& subject);
std::vector<Row> contact(const Subject& subject);
std::vector<Row> slider_crank_slot(const Subject& subject);
std::vector<Row> contact_mechanism_twins(const Subject& subject);

// A source.
inline constexpr const char* closed_form = "closed form";

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
    void add(const std::string& quantity, double ours, const Value& expected, const Tolerance& tolerance) {
        add(quantity, ours, expected, tolerance, expected.source);
    }
    std::vector<Row> take() { return std::move(rows_); }

  private:
    std::string case_name_;
    std::vector<Row> rows_;
};

}  // namespace myriad::validation
