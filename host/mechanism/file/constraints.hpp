// The basic constraints, which joints and drivers share: a joint's value is a number of the file, a driver's a function
// of time.
#pragma once
#include <string>

#include "host/mechanism/file/builder.hpp"

namespace myriad::mechanism {

// DP1, DP2, D or CD as the entry describes it; the entry's keys have been checked.
model::Joint read_basic_constraint(Builder& builder, const Entry& entry, const std::string& type, const Key& value_key);

// Reads one entry after the other and notes which elements and loads each became.
template <class Read>
void read_section(Builder& builder, const JsonValue& root, const Key& section_key, std::span<const Kind> kinds,
                  const std::string& what, std::vector<NamedElements>& names, const Read& read) {
    const auto section = root.find(section_key.name);
    if (!section) return;
    const MechanismTable& table = builder.mechanism.table;
    // Each entry needs an element or a load at least.
    builder.require_count(*section, most_elements + most_loads, "elements and loads");
    for (const auto& [name, value] : section->members()) {
        require_name(name, value, what);
        const Entry entry{value, std::string(section_key.name) + "." + name};
        const Kind& kind = builder.kind(entry, kinds, what);
        NamedElements named{name, kind.name, section_key.name, table.elements, 0, table.loads};
        read(entry, name, std::string(kind.name));
        named.element_count = table.elements - named.first_element;
        if (const auto joint = value.find(joint_key.name)) named.joint = builder.place_of_joint(joint->string());
        const auto cut = value.find(cut_key.name);
        named.is_cut = builder.cuts_joints || (cut && cut->boolean());
        names.push_back(named);
    }
}

}  // namespace myriad::mechanism
