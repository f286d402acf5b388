#include "host/validation/oracles.hpp"

#include <algorithm>
#include <vector>

#include "host/validation/runs/driven_motions.hpp"

namespace myriad::validation {

namespace {

struct MovedPoint {
    const char* name;
    PointMotion (*motion)(double);
};
constexpr MovedPoint moved_points[] = {{"pendulum.rod", pendulum_rod},
                                       {"four_link.coupler", four_link_coupler},
                                       {"four_link.rocker", four_link_rocker},
                                       {"slider_crank_haug.rod", slider_crank_rod},
                                       {"slider_crank_haug.slider", slider_crank_slider}};
struct Derivative {
    const char* name;
    std::array<double, 3> PointMotion::*of;
};
constexpr Derivative derivatives[] = {{".position.", &PointMotion::position_m},
                                      {".velocity.", &PointMotion::velocity_m_s},
                                      {".acceleration.", &PointMotion::acceleration_m_s2}};

std::vector<Oracle> all_oracles() {
    std::vector<Oracle> all = {{"pendulum.multiplier", pendulum_multiplier}};
    for (const MovedPoint& point : moved_points)
        for (const Derivative& derivative : derivatives)
            for (std::size_t axis = 0; axis < 3; ++axis)
                all.push_back({std::string(point.name) + derivative.name + "xyz"[axis],
                               [=](double t) { return (point.motion(t).*derivative.of)[axis]; }});
    return all;
}

}  // namespace

const Oracle* find_oracle(std::string_view name) {
    static const std::vector<Oracle> all = all_oracles();
    const auto found = std::ranges::find(all, name, &Oracle::name);
    return found == all.end() ? nullptr : &*found;
}

}  // namespace myriad::validation
