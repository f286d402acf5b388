#include "host/mechanism/nominal.hpp"

namespace myriad::mechanism {

void complete(Mechanism& mechanism) {
    MechanismTable& table = mechanism.table;
    table.rows = 0;
    int constraints = 0;
    for (int e = 0; e < table.elements; ++e) {
        Element& element = table.element[e];
        for (int& row : element.row) {
            if (row < 0) continue;
            row = table.rows++;
            if (!element.has_law) ++constraints;
        }
    }
    mechanism.freedoms = 6 * table.bodies - constraints;
}

}  // namespace myriad::mechanism
