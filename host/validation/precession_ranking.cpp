// Energy-momentum methods on the steadily precessing top of livens sect. 5.4, ranked by the relative error of its
// centre of mass at 0.1 s (fig. 13).
#include "host/catalog/system_description.hpp"
#include "host/text/number_text.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/mechanism_run.hpp"
#include "host/validation/runs/precessing_top.hpp"

namespace myriad::validation {

std::vector<Row> precession_ranking(const Subject& subject) {
    constexpr double end_s = 0.1;
    const std::vector<std::string> channels = {"position.top.x", "position.top.y", "position.top.z"};
    const auto error = [&](const char* method, double step_s) {
        const FinishedRun run = run_text(study_text(R"("system": "heavy_top")",
                                                    {.integrator = method,
                                                     .step_s = step_s,
                                                     .end_s = end_s,
                                                     .newton_tolerance = 1e-12,
                                                     .most_newton_iterations = 40},
                                                    {end_s, channels}, "{" + precessing_top_parameters() + "}"),
                                         subject.device);
        const std::array<double, 3> exact = precessing_top_position(end_s);
        double square = 0.0;
        for (std::size_t i = 0; i < 3; ++i) square += std::pow(run.observed(channels[i], end_s) - exact[i], 2);
        return std::sqrt(square) / precessing_top_arm_m;
    };
    Rows rows("precession_ranking");
    if (!study::is_built("hamiltonian_midpoint")) return rows.take();
    for (const double step_s : {5e-3, 1e-3, 5e-4}) {
        const double mpl = error("livens_midpoint", step_s), eml = error("energy_momentum", step_s),
                     emh = error("energy_momentum_hamiltonian", step_s), mph = error("hamiltonian_midpoint", step_s);
        rows.add("of MPL < EML, EML < EMH, EML < MPH so many hold at " + number_text(step_s) + " s",
                 (mpl < eml) + (eml < emh) + (eml < mph), 3.0, {0.0, "a ranking"}, "Kinon, Betsch 2024, fig. 13");
    }
    return rows.take();
}

}  // namespace myriad::validation
