// The slider-crank without clearance by every timestepping scheme. ensembles/expected/bouncing_ball.json has the
// impacts of a ball.
#include <cmath>

#include "host/validation/cases.hpp"
#include "host/validation/runs/mechanism_run.hpp"
#include "host/validation/runs/slider_crank_exact.hpp"

namespace myriad::validation {

namespace {

// nonsmooth sect. 4.4, Table 4: the slider without clearance and friction; eq. 92 over a sample every 1e-4 s.
double error_of_table_4(const std::string& scheme, double step_s, backends::Backend& device) {
    constexpr double every_s = 1e-4, end_s = 0.05;
    const FinishedRun crank = run_text(
        study_text(R"("system": "slider_crank_clearance")", {.integrator = scheme, .step_s = step_s, .end_s = end_s},
                   {every_s, {"angle.y"}}, R"({"clearance_m": 0, "friction": 0})"),
        device);
    if (!crank.ok()) return std::numeric_limits<double>::quiet_NaN();
    const SliderCrankExact exact;
    double angle = 0.0, sum = 0.0;
    for (std::size_t i = 1; i < crank.chunk.trajectory.size(); ++i) {
        angle = exact.advanced(angle, every_s, 100);
        const double rod = exact.rod_angle(angle);
        sum += std::pow((crank.chunk.trajectory[i] - rod) / rod, 2);
    }
    return std::sqrt(sum);
}

void add_slider_crank(Rows& rows, const std::string& scheme, backends::Backend& device) {
    constexpr const char* paper = "Rezaei, Schindler: mixed timestepping schemes, Table 4";
    const std::string name = "slider-crank without clearance, " + scheme + ": ";
    const double coarse = error_of_table_4(scheme, 1e-4, device), fine = error_of_table_4(scheme, 1e-5, device);
    const bool of_moreau = scheme == "moreau_midpoint";
    rows.add(name + "order", std::log10(coarse / fine), of_moreau ? 1.0 : 2.0, {0.05, "the next term of the error"},
             "order of the method");
    if (of_moreau) {
        rows.add(name + "error at 1e-4 s", coarse, 13.0, {0.5, "rounding of the printed value"}, paper);
        rows.add(name + "error at 1e-5 s", fine, 1.3, {0.05, "rounding of the printed value"}, paper);
    }
}

}  // namespace

std::vector<Row> contact(const Subject& subject) {
    Rows rows("contact");
    for (const study::IntegratorDescription& method :
         study::integrators_of(study::find_system("slider_crank_clearance", "validation")))
        add_slider_crank(rows, method.name, subject.device);
    return rows.take();
}

}  // namespace myriad::validation
