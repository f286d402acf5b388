#include "host/reference/contact/nonsmooth_energy_system.hpp"
#include "host/reference/contact/nonsmooth_flexible_rod.hpp"
#include "host/reference/contact/nonsmooth_slider_crank.hpp"
#include "host/text/user_error.hpp"

namespace myriad::reference {

using Eigen::VectorXd;
using std::sin, std::cos;

namespace {

// By the velocities of the three middles and the places of the four corners.
struct SliderCrank : SliderCrankParts {
    static constexpr int n = 3;
    static constexpr const char *place_name = "angle", *rate_name = "rate";
    Point<double, 3> q, v;
    explicit SliderCrank(ParameterReader& reader)
        : SliderCrankParts(reader),
          q{initial_angles[0], initial_angles[1], initial_angles[2]},
          v{initial_rates[0], initial_rates[1], initial_rates[2]} {}
    template <class S>
    S kinetic(const Point<S, 3>& p, const Point<S, 3>& rate) const {
        const auto squared_speed = [&](double first, double second) {
            const S x = first * (sin(p[0]) * rate[0]) + second * (sin(p[1]) * rate[1]),
                    y = first * (cos(p[0]) * rate[0]) + second * (cos(p[1]) * rate[1]);
            return x * x + y * y;
        };
        return 0.5 *
               (m1 * squared_speed(0.5 * l1, 0.0) + m2 * squared_speed(l1, 0.5 * l2) + m3 * squared_speed(l1, l2) +
                j1 * (rate[0] * rate[0]) + j2 * (rate[1] * rate[1]) + j3 * (rate[2] * rate[2]));
    }
    template <class S>
    S potential(const Point<S, 3>& p) const {
        const S first = l1 * sin(p[0]), second = l2 * sin(p[1]);
        return g * (m1 * 0.5 * first + m2 * (first + 0.5 * second) + m3 * (first + second)) - torque * p[0];
    }
    template <class S>
    Point<S, 2> corner(int k, const Point<S, 3>& p) const {
        const Point<S, 2> centre = {l1 * cos(p[0]) + l2 * cos(p[1]), l1 * sin(p[0]) + l2 * sin(p[1])};
        return corner_of(k, centre, p[2]);
    }
    template <class S>
    S gap(int k, const Point<S, 3>& p) const {
        return gap_of(k, corner(k, p)[1]);
    }
    template <class S>
    S place(int k, int, const Point<S, 3>& p) const {
        return corner(k, p)[0];
    }
    template <class S>
    Point<S, 3> middle(int body, const Point<S, 3>& p) const {
        const double first = body == 0 ? 0.5 * l1 : l1, second = body == 0 ? 0.0 : body == 1 ? 0.5 * l2 : l2;
        return {first * cos(p[0]) + second * cos(p[1]), first * sin(p[0]) + second * sin(p[1]), S(0.0)};
    }
    template <class S>
    S angle(int body, const Point<S, 3>& p) const {
        return p[static_cast<std::size_t>(body)];
    }
};

void refuse_senseless(const std::string& address, double value) {
    const auto is_about = [&](const char* what) { return address.find(what) != std::string::npos; };
    if (!std::isfinite(value)) throw InvalidParameter(address + " is not finite");
    if ((is_about("mass_kg") || is_about("inertia_kg_m2")) && !(value > 0.0))
        throw InvalidParameter(address + " is not positive");
    if (is_about("friction") && !(value >= 0.0)) throw InvalidParameter(address + " is negative");
    if (is_about("restitution") && !(value >= 0.0 && value <= 1.0))
        throw InvalidParameter(address + " is not between 0 and 1");
}

template <class Model>
std::unique_ptr<NonsmoothSystem> made(const std::string& name, const Parameters& parameters) {
    ParameterReader reader(name, parameters);
    const Model model(reader);
    reader.refuse_unknown_names();
    return std::make_unique<EnergySystem<Model>>(model);
}

}  // namespace

std::vector<std::string> nonsmooth_systems() {
    return {"slider_crank_clearance", "slider_crank_flexible_2_elements", "slider_crank_flexible_2_modes"};
}

std::unique_ptr<NonsmoothSystem> make_nonsmooth_system(const std::string& name, const Parameters& parameters) {
    for (const auto& [address, value] : parameters) refuse_senseless(address, value);
    if (name == "slider_crank_clearance") return made<SliderCrank>(name, parameters);
    if (auto flexible = make_flexible_slider_crank(name, parameters)) return flexible;
    throw UserError(ExitCode::usage_or_input, "system",
                    "the reference path has none with contacts named '" + name + "'", "");
}

}  // namespace myriad::reference
