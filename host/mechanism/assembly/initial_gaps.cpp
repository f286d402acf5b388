#include "host/mechanism/assembly/initial_gaps.hpp"

#include <memory>

#include "host/mechanism/assembly/nominal_instance.hpp"
#include "kernels/mechanism/contacts.hpp"

namespace myriad::mechanism {

std::vector<double> initial_gaps(const Mechanism& mechanism, const std::vector<double>& kernel_parameters) {
    const MechanismTable& table = mechanism.table;
    std::vector<double> gaps;
    if (table.contacts == 0) return gaps;
    const auto nominal = std::make_unique<NominalInstance>(table, kernel_parameters);
    if (nominal->assemble().reason != 0.0) return gaps;
    nominal->system.place(nominal->motion.q, nominal->scratch.work.bodies);
    for (int c = 0; c < table.contacts; ++c)
        gaps.push_back(contact_place(table.contact[c], nominal->scratch.work.bodies, nominal->parameters).gap);
    return gaps;
}

}  // namespace myriad::mechanism
