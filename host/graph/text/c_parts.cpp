#include "host/graph/text/c_parts.hpp"

#include <algorithm>

namespace myriad::graph {

CParts::CParts(const Program& program, std::function<int(const Node&)> weight)
    : program_(program),
      graph_(program.graph()),
      weight_(std::move(weight)),
      part_(program.events().size(), root),
      place_(index(graph_.size()), nowhere),
      is_handed_on_(place_.size(), 0) {
    find_places();
}

void CParts::find_places() {
    std::map<std::pair<NodeId, int>, int> turns;  // by argument and region
    for (int at = 0; at < static_cast<int>(part_.size()); ++at) {
        const auto [kind, number] = event(at);
        if (kind == Event::Kind::begin)
            for (const Carried& carried : program_.live_carried(number)) place_[index(carried.node)] = at;
        if (kind != Event::Kind::compute) continue;
        const Node& n = graph_.at(number);
        int& place = place_[index(number)];
        place = at;
        if (n.is(Op::result)) place = place_of(n.a);
        if (n.is(Op::sine) || n.is(Op::cosine)) place = turns.try_emplace({n.a, n.region}, at).first->second;
    }
}

int CParts::weight_between(int first, int last) const {
    int weight = 0;
    for (int at = first; at <= last; ++at)
        if (event(at).kind == Event::Kind::compute && place_of(event(at).number) == at)
            weight += weight_(graph_.at(event(at).number));
    return weight;
}
int CParts::weight_of(int region) const { return weight_between(program_.begin_of(region), program_.end_of(region)); }

void CParts::cut(int longest_part) {
    cut(0, longest_part);
    find_handed_on();
}
void CParts::cut(int region, int longest_part) {
    int part = root, filled = 0;
    for (int first = program_.begin_of(region) + 1; first < program_.end_of(region);) {
        const bool is_region = event(first).kind == Event::Kind::begin;
        const int last = is_region ? program_.end_of(event(first).number) : first;
        const int weight = weight_between(first, last);
        if (is_region && weight > longest_part) {
            cut(event(first).number, longest_part);
            part = root;
        } else {
            if (part == root || filled + weight > longest_part) part = count_++, filled = 0;
            std::fill(part_.begin() + first, part_.begin() + last + 1, part);
            filled += weight;
        }
        first = last + 1;
    }
}

void CParts::find_handed_on() {
    const auto use = [&](NodeId node, int part) {
        if (node == no_node || place_of(node) == nowhere) return;
        if (part_of(place_of(node)) != part) is_handed_on_[index(node)] = 1;
    };
    for (int at = 0; at < static_cast<int>(part_.size()); ++at) {
        const auto [kind, number] = event(at);
        if (kind == Event::Kind::compute) {
            const int part = part_of(place_of(number));
            if (!graph_.at(number).is(Op::result))
                graph_.each_operand(number, [&](NodeId operand) { use(operand, part); });
            continue;
        }
        if (number > 0) use(graph_.region(number).condition, part_of(at));
        for (const Carried& carried : program_.live_carried(number))
            use(carried.first, part_of(at)), use(carried.next, part_of(at));
    }
    for (const Output& output : graph_.outputs) use(output.node, root);
}

}  // namespace myriad::graph
