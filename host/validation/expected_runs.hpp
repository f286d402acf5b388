// The runs that the claims of a file need: each once, with the channels and rows of all its claims.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "host/validation/expected_file.hpp"
#include "host/validation/forms.hpp"
#include "host/validation/runs/finished_run.hpp"

namespace myriad::validation {

struct RunKey {
    std::size_t run = 0;      // of the file
    std::string coordinates;  // empty: as the study says
    double step_s = 0.0;      // 0: as the run says
    auto operator<=>(const RunKey&) const = default;
};

class ExpectedRuns {
  public:
    ExpectedRuns(const ExpectedFile& file, backends::Backend& device, const std::string& backend)
        : file_(file), device_(device), backend_(backend) {}

    // Of the claim, before any run is made. UserError at the claim for a channel or quantity that does not exist.
    void need(const RunKey& key, const Claim& claim);
    const study::Study& study(const RunKey& key) { return *plan(key).study; }
    const FinishedRun& run(const RunKey& key);
    // The same on the backend that shares no code with this one.
    const FinishedRun& twin(const RunKey& key);
    std::string twin_name() const;

  private:
    struct Plan {
        std::vector<std::string> assignments;
        std::unique_ptr<study::Study> study;  // before anything is observed
        std::vector<std::string> channels;
        std::map<double, std::string> times;  // and where they stand
        std::unique_ptr<FinishedRun> run, twin;
    };

    study::Study read(std::vector<std::string> assignments) const;
    Plan& plan(const RunKey& key);
    // UserError at the time that no row can have.
    study::Study observed_study(const Plan& plan) const;
    study::Study with_rows(const Plan& plan, double every_s) const;

    const ExpectedFile& file_;
    backends::Backend& device_;
    std::string backend_;
    std::unique_ptr<backends::Backend> twin_;
    std::map<RunKey, Plan> plans_;
};

// The scalars that a measured thing has: of channels one for each of their addresses.
std::vector<std::string> components_of(const Measured& measured, const study::Study& study);

}  // namespace myriad::validation
