// Functions of time in a table of their own, for tests.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/mechanism/expression/expression.hpp"
#include "kernels/mechanism/table_topology.hpp"
#include "kernels/mechanism/tape.hpp"

namespace myriad::mechanism {

// A table whose parameters are made on demand, as the reader makes them.
struct Functions {
    std::unique_ptr<MechanismTable> table = std::make_unique<MechanismTable>();
    std::vector<double> parameters;

    int add(const std::string& text, const std::vector<std::pair<std::string, double>>& named = {}) {
        const auto place_of = [&](double value) {
            const auto place = std::find_if(parameters.begin(), parameters.end(), [&](double other) {
                return std::bit_cast<std::uint64_t>(other) == std::bit_cast<std::uint64_t>(value);
            });
            const auto offset = static_cast<int>(place - parameters.begin());
            if (place == parameters.end()) parameters.push_back(value);
            return offset;
        };
        const auto named_place = [&](const std::string& name) {
            const auto entry =
                std::find_if(named.begin(), named.end(), [&](const auto& one) { return one.first == name; });
            EXPECT_NE(entry, named.end()) << name;
            return place_of(entry->second);
        };
        return Expression::parse(text, "here", TimeUse::allowed).append_to(*table, {place_of, named_place});
    }
    Taylor<double> run(int function, double time_s) const {
        const TableTopology topology(table.get());
        Taylor<double> registers[TableTopology::most_registers];
        run_tape(topology, parameters, time_s, registers);
        return function_at(topology, registers, function);
    }
    int registers() const {
        int most = 0;
        for (int i = 0; i < table->instructions; ++i) most = std::max(most, table->instruction[i].to + 1);
        return most;
    }
};

}  // namespace myriad::mechanism
