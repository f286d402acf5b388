#include "host/mechanism/formula.hpp"

#include <algorithm>

#include "host/mechanism/compiled.hpp"
#include "host/mechanism/expression/expression_parser.hpp"

namespace myriad::mechanism {

Formula formula_of(const Mechanism& mechanism, std::size_t number) {
    const std::vector<Definition>& definitions = mechanism.compiled_->definitions;
    const Definition& own = definitions[number];
    Formula formula;
    if (!own.expression) return formula;
    formula.text = excerpt(own.expression->text());
    std::vector<bool> follows(definitions.size(), false);
    for (const std::size_t read : own.reads) {
        formula.parameters.push_back(mechanism.numbers[read].address);
        follows[read] = true;
    }
    for (const std::size_t other : mechanism.compiled_->order) {
        const std::vector<std::size_t>& reads = definitions[other].reads;
        if (other == number || follows[other]) continue;
        follows[other] = std::any_of(reads.begin(), reads.end(), [&](std::size_t read) { return follows[read]; });
        if (follows[other]) formula.others.push_back(mechanism.numbers[other].address);
    }
    return formula;
}

}  // namespace myriad::mechanism
