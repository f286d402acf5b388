// Instances of a mechanism run by the compiled kernels, alone or side by side in packs, and all that they leave behind.
// Every parameter is one that varies, so that any of them can be another one in any instance.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "host/mechanism/mechanism.hpp"
#include "kernels/system/status.hpp"

namespace myriad::mechanism {

enum class Method {
    implicit_euler,
    generalized_alpha,
    kinematics,
    energy_momentum_convective,
    livens_midpoint,
    energy_momentum,
    rk4,
    rk67,
    dopri5,
    ode23
};
enum class OrientationChart { rotation, rotation_vector, euler_parameters, euler_zxz, cardan_xyz };
// One instance at a time, or as many as the widest vectors of this processor hold.
enum class Width { alone, packs };

constexpr long long all_attempts = 1'000'000'000;

struct RunSetup {
    Method method = Method::generalized_alpha;
    Coordinates coordinates = Coordinates::body;
    double step_s = 1e-3;
    int steps = 10;
    Width width = Width::alone;
    OrientationChart chart = OrientationChart::rotation;
    double relative_tolerance = 1e-8, absolute_tolerance = 1e-10;  // of dopri5 and ode23, which step from row to row
    double spectral_radius = 0.9, newton_tolerance = 1e-10;
    int most_newton_iterations = 12;
    bool tangent_operator = false, modified_newton = false, published_start = false, exact_matrix = false;
    long long attempts_per_launch = all_attempts;
    std::vector<int> observed{};  // channels of the rows, one row per step, the initial state first
    std::vector<int> maxima{};    // channels of which the largest value over all steps is wanted
};

struct InstanceEnd {
    Status status;
    Reason reason;
    double time_s, steps;
    std::vector<double> record;                      // all that it would carry to the next launch
    std::vector<double> initial_state, final_state;  // [body][13]
    // The certificate: of the start, every 16th step and the end.
    double energy_drift, constraint_residual, velocity_residual;
    double newton_iterations, most_newton_iterations, assembly_correction, velocity_correction;
    int worst_row;   // of a failed assembly, among all constraint rows; else -1
    int weak_place;  // of a singular matrix in joint coordinates, among freedoms and rows; else -1
    std::vector<std::vector<double>> rows;
    std::vector<double> maxima;
};

// parameters [instance][kernel parameter]
std::vector<InstanceEnd> run_instances(const Mechanism& mechanism, const std::vector<std::vector<double>>& parameters,
                                       const RunSetup& setup);
InstanceEnd run_nominal(const Mechanism& mechanism, const RunSetup& setup);

// As many instances as fill the widest pack, so that each place in it can be spoilt; at least four.
std::size_t lanes_of_a_pack();

// Index of a channel that the whole mechanism has, or of a sensor: "energy", "constraint_residual".
int channel_index(const Mechanism& mechanism, const std::string& name, int component = 0);

std::shared_ptr<const Mechanism> catalog_mechanism(const std::string& name);

// Kernel parameters with other values of some numbers of the file, by their addresses.
std::vector<double> with_numbers(const Mechanism& mechanism, const std::map<std::string, double>& numbers);

// Place of a body's parameter: body_mass, body_velocity + 2, ...
int body_parameter(int body, int offset);

bool same_bits(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace myriad::mechanism
