#include "host/reference/contact/nonsmooth_ball.hpp"
#include "host/reference/contact/nonsmooth_energy_system.hpp"
#include "host/reference/contact/nonsmooth_flexible_rod.hpp"
#include "host/reference/contact/nonsmooth_slider_crank.hpp"
#include "host/text/user_error.hpp"

namespace myriad::reference {

using Eigen::VectorXd;
using std::sin, std::cos, std::sqrt;

namespace {

struct BouncingBall {
    static constexpr int n = 1, contact_count = 1, tangent_count = 0, bodies = 1;
    static constexpr const char *place_name = nullptr, *rate_name = nullptr;
    double m, g, restitution;
    Point<double, 1> q, v;
    explicit BouncingBall(ParameterReader& reader)
        : m(reader.mass()), g(reader.required("gravity_m_s2")), restitution(reader.required("normal_restitution")) {
        q = {reader.required("initial_height_m")}, v = {reader.required("initial_velocity_m_s")};
    }
    template <class S>
    S kinetic(const Point<S, 1>&, const Point<S, 1>& rate) const {
        return 0.5 * m * (rate[0] * rate[0]);
    }
    template <class S>
    S potential(const Point<S, 1>& place) const {
        return m * g * place[0];
    }
    template <class S>
    S gap(int, const Point<S, 1>& place) const {
        return place[0];
    }
    template <class S>
    S place(int, int, const Point<S, 1>& p) const {
        return p[0];
    }
    template <class S>
    Point<S, 3> middle(int, const Point<S, 1>& p) const {
        return {S(0.0), p[0], S(0.0)};
    }
    template <class S>
    S angle(int, const Point<S, 1>&) const {
        return S(0.0);
    }
    NonsmoothLaw law(int) const { return {0.0, restitution, 0.0, false, false}; }
};

struct SlidingBlock {
    static constexpr int n = 3, contact_count = 1, tangent_count = 2, bodies = 1;
    static constexpr const char *place_name = "place", *rate_name = "rate";
    double m, g, incline;
    NonsmoothLaw contact;
    Point<double, 3> q, v;
    explicit SlidingBlock(ParameterReader& reader)
        : m(reader.mass()), g(reader.required("gravity_m_s2")), incline(reader.required("incline_rad")) {
        contact.friction = reader.required("friction");
        contact.normal_restitution = reader.required("normal_restitution");
        contact.tangential_restitution = reader.required("tangential_restitution");
        const Eigen::Vector3d place = reader.required_vector("initial_position_m"),
                              rate = reader.required_vector("initial_velocity_m_s");
        q = {place[0], place[1], place[2]}, v = {rate[0], rate[1], rate[2]};
    }
    template <class S>
    S kinetic(const Point<S, 3>&, const Point<S, 3>& rate) const {
        return 0.5 * m * (rate[0] * rate[0] + rate[1] * rate[1] + rate[2] * rate[2]);
    }
    template <class S>
    S potential(const Point<S, 3>& p) const {
        return m * g * (std::cos(incline) * p[2] - std::sin(incline) * p[0]);
    }
    template <class S>
    S gap(int, const Point<S, 3>& p) const {
        return p[2];
    }
    template <class S>
    S place(int, int d, const Point<S, 3>& p) const {
        return p[static_cast<std::size_t>(d)];
    }
    template <class S>
    Point<S, 3> middle(int, const Point<S, 3>& p) const {
        return {std::cos(incline) * p[0] + std::sin(incline) * p[2], p[1],
                std::cos(incline) * p[2] - std::sin(incline) * p[0]};
    }
    template <class S>
    S angle(int, const Point<S, 3>&) const {
        return S(0.0);
    }
    double slip(const VectorXd& rate) const { return std::hypot(rate[0], rate[1]); }
    NonsmoothLaw law(int) const { return contact; }
};

struct Cradle {
    static constexpr int n = 2, contact_count = 1, tangent_count = 0, bodies = 2;
    static constexpr const char *place_name = "angle", *rate_name = "rate";
    double m1, m2, length, diameter, g, restitution;
    Point<double, 2> q, v;
    explicit Cradle(ParameterReader& reader)
        : m1(reader.required("ball_1.mass_kg")),
          m2(reader.required("ball_2.mass_kg")),
          length(reader.required("length_m")),
          diameter(reader.required("diameter_m")),
          g(reader.required("gravity_m_s2")),
          restitution(reader.required("normal_restitution")) {
        q = {reader.required("initial_angle_rad[0]"), reader.required("initial_angle_rad[1]")};
        v = {reader.required("initial_rate_rad_s[0]"), reader.required("initial_rate_rad_s[1]")};
    }
    template <class S>
    S kinetic(const Point<S, 2>&, const Point<S, 2>& rate) const {
        return 0.5 * length * length * (m1 * (rate[0] * rate[0]) + m2 * (rate[1] * rate[1]));
    }
    template <class S>
    S potential(const Point<S, 2>& p) const {
        return g * length * (m1 * (S(1.0) - cos(p[0])) + m2 * (S(1.0) - cos(p[1])));
    }
    template <class S>
    S gap(int, const Point<S, 2>& p) const {
        const S x = S(diameter) + length * (sin(p[1]) - sin(p[0])), y = length * (cos(p[0]) - cos(p[1]));
        return sqrt(x * x + y * y) - S(diameter);
    }
    template <class S>
    S place(int, int, const Point<S, 2>& p) const {
        return p[0];
    }
    template <class S>
    Point<S, 3> middle(int body, const Point<S, 2>& p) const {
        const S& turn = p[static_cast<std::size_t>(body)];
        return {S(body * diameter) + length * sin(turn), -(length * cos(turn)), S(0.0)};
    }
    template <class S>
    S angle(int body, const Point<S, 2>& p) const {
        return p[static_cast<std::size_t>(body)];
    }
    NonsmoothLaw law(int) const { return {0.0, restitution, 0.0, false, false}; }
};

struct RollingDisc {
    static constexpr int n = 3, contact_count = 1, tangent_count = 1, bodies = 1;
    static constexpr const char *place_name = "coordinates", *rate_name = "rates";
    double m, inertia, radius, g;
    NonsmoothLaw contact;
    Point<double, 3> q, v;
    explicit RollingDisc(ParameterReader& reader)
        : m(reader.mass()),
          inertia(reader.required("inertia_kg_m2")),
          radius(reader.required("radius_m")),
          g(reader.required("gravity_m_s2")) {
        contact.friction = reader.required("friction");
        contact.normal_restitution = reader.required("normal_restitution");
        contact.tangential_restitution = reader.required("tangential_restitution");
        q = {reader.required("initial_position_m[0]"), reader.required("initial_position_m[1]") + radius,
             reader.required("initial_angle_rad")};
        v = {reader.required("initial_velocity_m_s[0]"), reader.required("initial_velocity_m_s[1]"),
             reader.required("initial_rate_rad_s")};
    }
    template <class S>
    S kinetic(const Point<S, 3>&, const Point<S, 3>& rate) const {
        return 0.5 * (m * (rate[0] * rate[0] + rate[1] * rate[1]) + inertia * (rate[2] * rate[2]));
    }
    template <class S>
    S potential(const Point<S, 3>& p) const {
        return m * g * (p[1] - S(radius));
    }
    template <class S>
    S gap(int, const Point<S, 3>& p) const {
        return p[1] - S(radius);
    }
    // Its rate is the slip.
    template <class S>
    S place(int, int, const Point<S, 3>& p) const {
        return p[0] + radius * p[2];
    }
    template <class S>
    Point<S, 3> middle(int, const Point<S, 3>& p) const {
        return {p[0], p[1], S(0.0)};
    }
    template <class S>
    S angle(int, const Point<S, 3>& p) const {
        return p[2];
    }
    NonsmoothLaw law(int) const { return contact; }
};

template <bool is_held>
struct ThreeMasses {
    static constexpr int n = 3, contact_count = is_held ? 1 : 0, tangent_count = 0, bodies = 3;
    static constexpr const char *place_name = "displacement", *rate_name = "rate";
    std::array<double, 3> m, k;
    double last, g;
    Point<double, 3> q, v;
    explicit ThreeMasses(ParameterReader& reader) : g(reader.required("gravity_m_s2")) {
        const Eigen::Vector3d place = reader.required_vector("initial_displacement_m"),
                              rate = reader.required_vector("initial_velocity_m_s");
        for (int i = 0; i < 3; ++i) {
            const auto at = static_cast<std::size_t>(i);
            m[at] = reader.required("mass_" + std::to_string(i + 1) + ".mass_kg");
            k[at] = reader.required("stiffness_" + std::to_string(i + 1) + "_N_m");
            q[at] = place[i], v[at] = rate[i];
        }
        last = reader.required("stiffness_0_N_m");
        if (is_held) last = 0.0;
    }
    template <class S>
    S kinetic(const Point<S, 3>&, const Point<S, 3>& rate) const {
        return 0.5 * (m[0] * (rate[0] * rate[0]) + m[1] * (rate[1] * rate[1]) + m[2] * (rate[2] * rate[2]));
    }
    template <class S>
    S potential(const Point<S, 3>& p) const {
        const S first = p[1] - p[0], second = p[2] - p[1];
        return 0.5 * (k[0] * (p[0] * p[0]) + k[1] * (first * first) + k[2] * (second * second) + last * (p[2] * p[2])) -
               g * (m[0] * p[0] + m[1] * p[1] + m[2] * p[2]);
    }
    template <class S>
    S gap(int, const Point<S, 3>& p) const {
        return p[2];
    }
    template <class S>
    S place(int, int, const Point<S, 3>& p) const {
        return p[2];
    }
    template <class S>
    Point<S, 3> middle(int body, const Point<S, 3>& p) const {
        return {S(0.0), -p[static_cast<std::size_t>(body)], S(0.0)};
    }
    template <class S>
    S angle(int, const Point<S, 3>&) const {
        return S(0.0);
    }
    NonsmoothLaw law(int) const { return {0.0, 0.0, 0.0, true, false}; }
};

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
    return {"bouncing_ball",
            "sliding_block",
            "cradle",
            "rolling_disc",
            "rolling_ball",
            "three_masses",
            "three_masses_held",
            "slider_crank_clearance",
            "slider_crank_flexible_2_elements",
            "slider_crank_flexible_2_modes"};
}

std::unique_ptr<NonsmoothSystem> make_nonsmooth_system(const std::string& name, const Parameters& parameters) {
    for (const auto& [address, value] : parameters) refuse_senseless(address, value);
    if (name == "bouncing_ball") return made<BouncingBall>(name, parameters);
    if (name == "sliding_block") return made<SlidingBlock>(name, parameters);
    if (name == "cradle") return made<Cradle>(name, parameters);
    if (name == "rolling_disc") return made<RollingDisc>(name, parameters);
    if (name == "rolling_ball") return rolling_ball(parameters);
    if (name == "three_masses") return made<ThreeMasses<false>>(name, parameters);
    if (name == "three_masses_held") return made<ThreeMasses<true>>(name, parameters);
    if (name == "slider_crank_clearance") return made<SliderCrank>(name, parameters);
    if (auto flexible = make_flexible_slider_crank(name, parameters)) return flexible;
    throw UserError(ExitCode::usage_or_input, "system",
                    "the reference path has none with contacts named '" + name + "'", "");
}

}  // namespace myriad::reference
