#include "host/mechanism/tree/axes_codes.hpp"

#include <algorithm>

#include "kernels/tree/links.hpp"

namespace myriad::mechanism {

namespace {

// The code of axes, entries row by row.
int code_of_axes(const double* entries) {
    int code = 1 << 9, columns = 0;
    for (int row = 0; row < 3; ++row) {
        int found = -1;
        for (int column = 0; column < 3; ++column) {
            const double entry = entries[3 * row + column];
            if (entry == 0.0) continue;
            if (found >= 0 || (entry != 1.0 && entry != -1.0)) return SignedPermutation::none;
            found = column;
            code |= (column | (entry < 0.0 ? 4 : 0)) << (3 * row);
        }
        if (found < 0) return SignedPermutation::none;
        columns |= 1 << found;
    }
    return columns == 7 ? code : SignedPermutation::none;
}

}  // namespace

std::array<short, most_plan_links> axes_codes(const MechanismTable& table, const std::vector<double>& parameters,
                                              const int* varied) {
    constexpr int entries = 9;
    std::array<short, most_plan_links> codes{};
    for (int l = 0; l < table.joint.tree.links; ++l) {
        const int first = table.joint.link_parameter + l * link_parameter_count + link_axes;
        if (std::any_of(varied + first, varied + first + entries, [](int field) { return field >= 0; })) continue;
        codes[static_cast<std::size_t>(l)] = static_cast<short>(code_of_axes(parameters.data() + first));
    }
    return codes;
}

}  // namespace myriad::mechanism
