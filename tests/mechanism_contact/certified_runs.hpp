// Studies of mechanisms with contact on both paths, with what their certificates and quantities say.
#pragma once
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/backends/backends.hpp"
#include "host/study/study.hpp"
#include "host/validation/runs/finished_run.hpp"

namespace myriad::test {

inline constexpr const char* scheme_names[] = {"moreau_midpoint", "half_explicit", "nonsmooth_generalized_alpha",
                                               "nonsmooth_bathe", "nonsmooth_ed_alpha"};
inline constexpr const char* path_names[] = {backends::names::cpu, backends::names::reference};

using StartSamples = std::vector<std::vector<double>>;  // [varied][instance]

class CertifiedRuns {
  public:
    CertifiedRuns(const std::string& text, const char* path, const StartSamples& samples) {
        std::vector<double> sampled;
        for (const std::vector<double>& of_one : samples) sampled.insert(sampled.end(), of_one.begin(), of_one.end());
        const auto backend = backends::make_backend(path, {});
        run_ = validation::run_samples(study::parse_study(text, "test", "."), sampled, *backend);
    }
    double kept(const std::string& name, std::size_t instance = 0) const {
        const auto certificate = run_.study.certificate();
        for (std::size_t k = 0; k < certificate.size(); ++k)
            if (certificate[k].name == name) return run_.chunk.invariants_drift[instance * certificate.size() + k];
        throw std::out_of_range(name);
    }
    double energy_drift_share() const { return run_.energy_drift_share(); }
    double quantity(std::size_t instance = 0) const { return run_.chunk.quantities[instance]; }
    bool ok(std::size_t instance = 0) const { return run_.ok(instance); }

  private:
    validation::FinishedRun run_;
};

// Takes the schemes as they are published.
inline std::string integrator_keys(const char* scheme, double step_s, int steps) {
    std::ostringstream text;
    text.precision(17);
    text << R"("integrator": {"name": ")" << scheme << R"(", "step_s": )" << step_s << R"(, "end_s": )"
         << step_s * steps << R"(, "strikes": "published"})";
    return text.str();
}

}  // namespace myriad::test
