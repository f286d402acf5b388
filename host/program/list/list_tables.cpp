#include "host/program/list/list_tables.hpp"

#include <cstdio>

#include "host/mechanism/expression/interpolation.hpp"
#include "host/mechanism/mechanism_keys.hpp"
#include "host/program/text/text_table.hpp"

namespace myriad::program {

namespace {

const char* name_of(mechanism::Interpolation interpolation) {
    return mechanism::interpolation_names[static_cast<int>(interpolation)];
}
const char* name_of(mechanism::Outside outside) { return mechanism::outside_names[static_cast<int>(outside)]; }

}  // namespace

void print_tables(const mechanism::Mechanism& mechanism) {
    if (mechanism.tables->all().empty()) return;
    TextTable table({"tables", "points", "from", "to", "interpolation", "outside"});
    for (const mechanism::Table& one : mechanism.tables->all())
        table.add({"  " + one.name, std::to_string(one.arguments.size()), significant(one.arguments.front()),
                   significant(one.arguments.back()), name_of(one.interpolation), name_of(one.outside)});
    std::printf("%s\n", table.text(3).c_str());
}

nlohmann::ordered_json tables_json(const mechanism::Mechanism& mechanism) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const mechanism::Table& one : mechanism.tables->all())
        json.push_back({{"name", one.name},
                        {"points", one.arguments.size()},
                        {"from", one.arguments.front()},
                        {"to", one.arguments.back()},
                        {"interpolation", name_of(one.interpolation)},
                        {"outside", name_of(one.outside)}});
    return json;
}

}  // namespace myriad::program
