// Drivers: constraints that prescribe a motion as a function of time. An angle is driven by sin(angle - f) = 0, which
// is regular at every angle; see kernels/mechanism/topology.hpp.
#include "host/mechanism/expression/expression_parser.hpp"
#include "host/mechanism/expression/shared_instructions.hpp"
#include "host/mechanism/file/constraints.hpp"

namespace myriad::mechanism {

namespace {

void read_driver(Builder& builder, const Entry& entry, const std::string& type) {
    const bool turns = type.starts_with("angle");
    if (turns || type.starts_with("displacement")) {
        JointRecord& joint = builder.joint_that(entry, type);
        const Key& key = turns ? angle_function_key : displacement_function_key;
        builder.add_coordinate(entry.value, joint, type, builder.function(entry, key), {});
    } else {
        const Key& key = type == "DP1" ? dot_function_key : length_function_key;
        builder.add(entry.value, model::Element{-1, {}, read_basic_constraint(builder, entry, type, key)});
    }
    MechanismTable& table = builder.mechanism.table;
    table.corners += corners_of(table, table.functions - 1);
}

}  // namespace

void read_drivers(Builder& builder, const JsonValue& root) {
    read_section(builder, root, drivers_section_key, driver_kinds, "driver", builder.mechanism.drivers,
                 [&](const Entry& entry, const std::string& name, const std::string& type) {
                     if (builder.joints.contains(name))
                         entry.value.refuse("the name \"" + name + "\" is that of a joint as well",
                                            "choose another one: the channel multiplier." + name + " would mean both");
                     read_driver(builder, entry, type);
                 });
    for (NamedElements& driver : builder.mechanism.drivers) {
        const JsonValue entry = root.member(drivers_section_key.name, "").member(driver.name, "");
        for (const Key* key :
             {&angle_function_key, &displacement_function_key, &dot_function_key, &length_function_key})
            if (const auto value = entry.find(key->name))
                driver.formula = excerpt(value->json().is_string() ? value->string() : value->json().dump());
    }
}

}  // namespace myriad::mechanism
