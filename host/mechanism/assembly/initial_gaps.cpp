#include "host/mechanism/assembly/initial_gaps.hpp"

#include <memory>

#include "host/mechanism/assembly/nominal_instance.hpp"
#include "kernels/mechanism/contacts.hpp"

namespace myriad::mechanism {

namespace {

// The value of an element of one row in the pose of the nominal instance.
double value_of(NominalInstance& nominal, int number) {
    const Element& element = nominal.system.topology.element(number);
    if (element.kind == ElementKind::angle) return nominal.motion.q.turned[element.angle];
    nominal.system.functions_at(0.0, nominal.scratch.functions);
    const auto equations = nominal.system.equations(nominal.scratch.functions);
    return equations.rows(element, nominal.scratch.work.bodies, nominal.motion.q.turned).value[0] +
           equations.function(element.function).value;
}

double gap_of(NominalInstance& nominal, const Contact& contact) {
    if (!is_limit(contact.kind)) return contact_place(contact, nominal.scratch.work.bodies, nominal.parameters).gap;
    const double beyond = value_of(nominal, contact.element) - nominal.parameters[contact.parameter];
    return contact.kind == ContactKind::lower_limit ? beyond : -beyond;
}

}  // namespace

std::vector<double> initial_gaps(const Mechanism& mechanism, const std::vector<double>& kernel_parameters) {
    const MechanismTable& table = mechanism.table;
    std::vector<double> gaps;
    if (table.contacts == 0) return gaps;
    const auto nominal = std::make_unique<NominalInstance>(table, kernel_parameters);
    if (nominal->assemble().reason != 0.0) return gaps;
    nominal->system.place(nominal->motion.q, nominal->scratch.work.bodies);
    for (int c = 0; c < table.contacts; ++c) gaps.push_back(gap_of(*nominal, table.contact[c]));
    return gaps;
}

}  // namespace myriad::mechanism
