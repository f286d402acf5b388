#include "tests/mechanism/kernel_runs.hpp"

#include <bit>
#include <cstdint>
#include <stdexcept>

#include "tests/mechanism/kernel_runs_of.hpp"

namespace myriad::mechanism {

namespace {

template <class Method>
std::vector<InstanceEnd> run_implicit(const Mechanism& mechanism, const std::vector<std::vector<double>>& parameters,
                                      const RunSetup& setup) {
    switch (setup.chart) {
        case OrientationChart::rotation:
            return run_on<double, Implicit<Method>, RotationGroup>(mechanism, parameters, setup);
        case OrientationChart::euler_parameters:
            return run_on<double, Implicit<Method>, EulerParameterChart>(mechanism, parameters, setup);
        case OrientationChart::euler_zxz:
            return run_on<double, Implicit<Method>, EulerZxzChart>(mechanism, parameters, setup);
        case OrientationChart::cardan_xyz:
            return run_on<double, Implicit<Method>, CardanChart>(mechanism, parameters, setup);
    }
    throw std::logic_error("there is no such chart");
}

}  // namespace

std::vector<InstanceEnd> run_alone(const Mechanism& mechanism, const std::vector<std::vector<double>>& parameters,
                                   const RunSetup& setup) {
    if (setup.method == Method::generalized_alpha) return run_implicit<GeneralizedAlpha>(mechanism, parameters, setup);
    if (setup.method == Method::implicit_euler) return run_implicit<ImplicitEuler>(mechanism, parameters, setup);
    if (setup.chart == OrientationChart::cardan_xyz)
        return run_on<double, Kinematics, CardanChart>(mechanism, parameters, setup);
    if (setup.chart != OrientationChart::rotation) throw std::logic_error("this chart is not compiled for kinematics");
    return run_on<double, Kinematics, RotationGroup>(mechanism, parameters, setup);
}

std::vector<InstanceEnd> run_instances(const Mechanism& mechanism, const std::vector<std::vector<double>>& parameters,
                                       const RunSetup& setup) {
    return setup.width == Width::alone ? run_alone(mechanism, parameters, setup)
                                       : run_in_packs(mechanism, parameters, setup);
}

InstanceEnd run_nominal(const Mechanism& mechanism, const RunSetup& setup) {
    return run_instances(mechanism, {mechanism.nominal_kernel_parameters()}, setup).front();
}

int channel_index(const Mechanism& mechanism, const std::string& name, int component) {
    for (const NamedChannels& channels : mechanism.channels)
        if (channels.name == name && channels.body.empty())
            return 13 * mechanism.table.bodies + channels.first_channel + component;
    throw std::logic_error("there is no channel " + name);
}

std::shared_ptr<const Mechanism> catalog_mechanism(const std::string& name) {
    return read_mechanism(std::string(MYRIAD_SOURCE_DIR) + "/ensembles/mechanisms/" + name + ".json");
}

std::vector<double> with_numbers(const Mechanism& mechanism, const std::map<std::string, double>& numbers) {
    std::vector<double> values;
    std::vector<unsigned char> overridden;
    std::size_t found = 0;
    for (const Number& number : mechanism.numbers) {
        const auto given = numbers.find(number.address);
        values.push_back(given == numbers.end() ? number.value : given->second);
        overridden.push_back(given == numbers.end() ? 0 : 1);
        found += given == numbers.end() ? 0 : 1;
    }
    if (found != numbers.size()) throw std::logic_error("a number of the test is none of the mechanism");
    return mechanism.kernel_parameters(values, overridden);
}

int body_parameter(int body, int offset) { return first_body_parameter + body * body_parameters + offset; }

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i])) return false;
    return true;
}

}  // namespace myriad::mechanism
