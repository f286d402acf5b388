// The slider-crank of the IFToMM library by implicit Euler, extrapolated to step 0 (step_limit.hpp), against its
// converged motion.
//
// The motion of large steps soon has little to do with that of step 0: the crank's angle at 5 s is wrong by 75,000
// times the step, in rad and seconds, and its rate a steep function of it. So the runs with all steps stand side by
// side.
#include <algorithm>
#include <array>
#include <map>

#include "host/text/number_text.hpp"
#include "host/validation/cases.hpp"
#include "host/validation/runs/step_limit.hpp"

namespace myriad::validation {

std::vector<Row> steps_side_by_side(const Subject& subject) {
    namespace crank = reference_values::slider_crank_iftomm;
    Rows rows("steps_side_by_side");
    constexpr double end_s = 5.0, row_s = 0.5, largest_step_s = 6.25e-6, digits = 2e-8;
    constexpr int steps = 8;
    const std::array channels = {"slider", "crank_angle", "crank_rate"};
    const std::map<double, Values<3>> known = {{0.5, crank::motion_at_0_5_s}, {1.0, crank::motion_at_1_s},
                                               {2.0, crank::motion_at_2_s},   {3.0, crank::motion_at_3_s},
                                               {4.0, crank::motion_at_4_s},   {5.0, crank::motion_at_5_s}};
    const StepsSideBySide runs("slider_crank_iftomm",
                               {{"gravity_m_s2[2]", -9.81, 2}, {"parameters.crank_rate_rad_s", 6.0, 1}}, largest_step_s,
                               steps, end_s, {row_s, {channels.begin(), channels.end()}}, subject.device);
    double largest_change = 0.0;
    for (std::size_t i = 0; i < channels.size(); ++i) {
        double size = 1.0;
        for (const auto& [time_s, values] : known) size = std::max(size, std::abs(values[i]));
        for (const auto& [time_s, values] : known) {
            const StepLimit limit = runs.limit(channels[i], time_s);
            const double change = std::abs(limit.change);
            rows.add(std::string(channels[i]) + " at " + number_text(time_s) + " s, implicit_euler extrapolated",
                     limit.value, values[i],
                     {2.0 * change + digits, "twice what the smallest step changed, and the digits"}, values.source);
            if (!(change / size <= largest_change)) largest_change = change / size;
        }
    }
    rows.add("implicit_euler extrapolated: largest change by the smallest step", largest_change, 0.0,
             {1e-5, "relative to the channel's largest value"},
             "the error of implicit Euler is a power series in the step");
    return rows.take();
}

}  // namespace myriad::validation
