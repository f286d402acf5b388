#include "host/backends/reference/reference_warnings.hpp"

#include "kernels/system/status.hpp"

namespace myriad::backends {

namespace {

// Rounded numbers of a file break the inequality by less, as a share of the largest principal moment.
constexpr double rounded_moments = 1e-9;

std::int32_t bit(bool is_odd, Warning warning) { return is_odd ? static_cast<std::int32_t>(warning) : 0; }

bool breaks_triangle_inequality(const Eigen::Matrix3d& inertia) {
    const Eigen::Vector3d moments = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia).eigenvalues();
    return moments[2] - moments[1] - moments[0] > rounded_moments * moments[2];
}

bool may_gain_energy(double friction, double normal_restitution, double tangential_restitution) {
    return friction > 0.0 && normal_restitution != tangential_restitution;
}

}  // namespace

std::int32_t warnings_of_mechanism(const reference::MechanismModel& model) {
    std::int32_t warnings = 0;
    for (const reference::ModelBody& body : model.bodies)
        warnings |= bit(breaks_triangle_inequality(body.inertia_kg_m2), Warning::inertia_breaks_triangle_inequality);
    for (const reference::ModelContact& contact : model.contacts)
        warnings |= bit(may_gain_energy(contact.friction, contact.normal_restitution, contact.tangential_restitution),
                        Warning::impacts_may_gain_energy);
    return warnings;
}

std::int32_t warnings_of_formula(const reference::Parameters& parameters) {
    const auto value = [&](const char* name) {
        const auto found = parameters.find(name);
        return found == parameters.end() ? 0.0 : found->second;
    };
    const double xy = value("inertia_kg_m2.xy"), xz = value("inertia_kg_m2.xz"), yz = value("inertia_kg_m2.yz");
    Eigen::Matrix3d inertia;
    inertia << value("inertia_kg_m2.xx"), xy, xz, xy, value("inertia_kg_m2.yy"), yz, xz, yz, value("inertia_kg_m2.zz");
    return bit(breaks_triangle_inequality(inertia), Warning::inertia_breaks_triangle_inequality) |
           bit(value("initial_rate_m_s[0]") != value("initial_rate_m_s[1]"), Warning::initial_velocity_projected) |
           bit(may_gain_energy(value("friction"), value("normal_restitution"), value("tangential_restitution")),
               Warning::impacts_may_gain_energy);
}

}  // namespace myriad::backends
