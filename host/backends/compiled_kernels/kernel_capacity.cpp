#include "host/backends/compiled_kernels/kernel_capacity.hpp"

#include <algorithm>
#include <utility>

namespace myriad::backends::cuda {

namespace {

// A top, a pendulum, a slider-crank or a four-bar; a robot arm or a few such loops.
constexpr Capacity classes[] = {
    {.bodies = 3,
     .elements = 20,
     .rows = 20,
     .loads = 2,
     .functions = 4,
     .registers = 8,
     .angles = 4,
     .matrix_entries = 448,
     .contacts = 4,
     .set_frictions = 4,
     .links = 5,
     .freedoms = 7,
     .fields = 12,
     .entries = 24,
     .rows_beside_tree = 6,
     .spare_rows = 3},
    {.bodies = 8,
     .elements = 40,
     .rows = 48,
     .loads = 4,
     .functions = 8,
     .registers = 16,
     .angles = 8,
     .matrix_entries = 1536,
     .contacts = 8,
     .set_frictions = 8,
     .links = 10,
     .freedoms = 16,
     .fields = 24,
     .entries = 128,
     .rows_beside_tree = 16,
     .spare_rows = 6},
};

// Registers that the functions of a mechanism need.
int registers_of(const MechanismTable& table) {
    int count = 0;
    for (int i = 0; i < table.instructions; ++i) count = std::max(count, table.instruction[i].to + 1);
    for (int i = 0; i < table.joint.coordinate_instructions; ++i)
        count = std::max(count, table.joint.coordinate_instruction[i].to + 1);
    return count;
}

Capacity numbers_of(const MechanismTable& m) {
    const TreeTable& tree = m.joint.tree;
    return {.bodies = m.bodies,
            .elements = m.elements,
            .rows = m.rows,
            .loads = m.loads,
            .functions = m.functions,
            .registers = registers_of(m),
            .angles = m.angles,
            .matrix_entries = m.elimination.slots,
            .contacts = m.contacts,
            .set_frictions = m.joint.friction_is_set ? m.joint.frictions : 0,
            .corners = m.corners,
            .links = tree.links,
            .freedoms = tree.freedoms,
            .fields = tree.fields,
            .entries = tree.entries,
            .rows_beside_tree = m.joint.rows,
            .spare_rows = m.joint.spare_rows};
}

constexpr std::pair<const char*, int Capacity::*> members[] = {
    {"most_bodies", &Capacity::bodies},
    {"most_elements", &Capacity::elements},
    {"most_rows", &Capacity::rows},
    {"most_loads", &Capacity::loads},
    {"most_functions", &Capacity::functions},
    {"most_registers", &Capacity::registers},
    {"most_angles", &Capacity::angles},
    {"most_matrix_entries", &Capacity::matrix_entries},
    {"most_contacts", &Capacity::contacts},
    {"most_set_frictions", &Capacity::set_frictions},
    {"most_links", &Capacity::links},
    {"most_freedoms", &Capacity::freedoms},
    {"most_fields", &Capacity::fields},
    {"most_entries", &Capacity::entries},
    {"most_rows_beside_tree", &Capacity::rows_beside_tree},
    {"most_spare_rows", &Capacity::spare_rows},
};

constexpr const char* parameters_on_use =
    "    template <class Real>\n    using Parameters = ParametersOnUse<Real, TablePlan>;\n};\n\n";

bool fits(const Capacity& numbers, const Capacity& capacity) {
    return numbers.corners <= capacity.corners &&
           std::all_of(std::begin(members), std::end(members),
                       [&](const auto& member) { return numbers.*member.second <= capacity.*member.second; });
}

}  // namespace

Capacity capacity_of(const MechanismTable& table) {
    const Capacity numbers = numbers_of(table);
    for (const Capacity& capacity : classes)
        if (fits(numbers, capacity)) return capacity;
    return numbers;
}

std::string capacity_text(const Capacity& capacity, const std::string& name) {
    std::string text = "struct " + name + " : LargestMechanism {\n";
    const auto add = [&](const char* member, int count) {
        text += std::string("    static constexpr int ") + member + " = " + std::to_string(count) + ";\n";
    };
    for (const auto& [member, value] : members) add(member, std::max(1, capacity.*value));
    add("most_corners", capacity.corners);
    return text + parameters_on_use;
}

}  // namespace myriad::backends::cuda
