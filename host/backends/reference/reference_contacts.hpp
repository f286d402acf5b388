// Contacts of the kernels as the reference path sees them, and its records as the kernels' channels and certificate.
// Parameters are those of the kernel (kernels/mechanism/topology.hpp), SI units.
#pragma once
#include <span>
#include <vector>

#include "host/reference/run_reference_mechanism.hpp"
#include "kernels/mechanism/topology.hpp"
#include "kernels/system/launch.hpp"

namespace myriad::backends {

// The three parameters from `offset` on.
inline Eigen::Vector3d vector_at(std::span<const double> parameters, int offset) {
    return Eigen::Vector3d(&parameters[static_cast<std::size_t>(offset)]);
}

// Whether its law and its sizes are in their bounds.
bool is_contact(const reference::ModelContact& contact);

// Without name, spectral radius, iterations and rotation, which other methods have too.
reference::ContactMethod contact_method_of(const Schedule& schedule);

// Throws std::logic_error for a channel that is none of a contact or of their record.
double contact_channel_of(const Channel& channel, const reference::MechanismModel& model,
                          const reference::MechanismSample& sample);

// The entries that methods with contact add to the certificate (kernels/contact/certificate.hpp).
std::vector<double> contact_certificate_of(const reference::MechanismSample& sample);

}  // namespace myriad::backends
