#include "host/program/list/list_tree.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/mechanism/assembly/start_motion.hpp"
#include "host/program/text/text_table.hpp"
#include "host/text/suggestion.hpp"

namespace myriad::program {

namespace {

using mechanism::Mechanism;
using mechanism::NamedElements;
using mechanism::SpanningTree;
using nlohmann::ordered_json;

const NamedElements& joint_of(const Mechanism& mechanism, int joint) {
    return mechanism.joints[static_cast<std::size_t>(joint)];
}

// The two accounts of what a step solves for, with the names of their parts.
struct NamedUnknowns {
    const char *text, *key;
    mechanism::Unknowns count;
    std::optional<StepCost> cost;
};
std::vector<NamedUnknowns> unknowns_of(const Mechanism& mechanism, const SpanningTree& tree, const CountStep& count) {
    std::vector<NamedUnknowns> accounts{{"joint coordinates", "joint_coordinates",
                                         mechanism::unknowns_in_joint_coordinates(mechanism, tree),
                                         count(mechanism, mechanism::Coordinates::joint)}};
    if (mechanism.joint_coordinates_because.empty())
        accounts.push_back({"body coordinates", "body_coordinates", mechanism::unknowns_in_body_coordinates(mechanism),
                            count(mechanism, mechanism::Coordinates::body)});
    return accounts;
}

std::string reason_text(const Mechanism& mechanism, const SpanningTree& tree, const mechanism::CutJoint& cut) {
    switch (cut.reason) {
        case mechanism::CutReason::asked:
            return "asked for by \"cut\"";
        case mechanism::CutReason::only_rows:
            return joint_of(mechanism, cut.joint).type + " is rows in every tree";
        case mechanism::CutReason::orientation:
            return "its orientation would hang on another one in a loop";
        default:
            return "closes a loop with " + list_of(mechanism::loop_of(mechanism, tree, cut.joint));
    }
}

}  // namespace

std::string body_name(const Mechanism& mechanism, int body) {
    return body < 0 ? "ground" : mechanism.body_names[static_cast<std::size_t>(body)];
}

void print_tree(const Mechanism& mechanism, const SpanningTree& tree, const CountStep& count) {
    TextTable bodies({"tree of joint coordinates", "parent", "joint", "type", "freedoms"});
    for (const mechanism::TreeBody& hung : tree.bodies) {
        const bool is_free = hung.joint < 0;
        bodies.add({"  " + body_name(mechanism, hung.body), body_name(mechanism, hung.parent),
                    is_free ? "" : joint_of(mechanism, hung.joint).name + (hung.is_backwards ? ", from B to A" : ""),
                    is_free ? mechanism::free_joint_type : joint_of(mechanism, hung.joint).type,
                    std::to_string(hung.freedoms)});
    }
    std::printf("\n%s\n", bodies.text(4).c_str());
    if (!tree.cut.empty()) {
        TextTable cut({"joints cut into rows", "why", "rows"});
        for (const mechanism::CutJoint& one : tree.cut)
            cut.add({"  " + joint_of(mechanism, one.joint).name, reason_text(mechanism, tree, one),
                     std::to_string(one.rows)});
        std::printf("%s\n", cut.text(2).c_str());
    }
    TextTable unknowns({"unknowns of a step", "freedoms", "prescribed by drivers", "rows of joints", "of drivers",
                        "of forces", "of couplings", "redundant", "unknowns"});
    const std::vector<NamedUnknowns> both = unknowns_of(mechanism, tree, count);
    for (const NamedUnknowns& in : both) {
        std::vector<std::string> row{std::string("  ") + in.text};
        for (const int part : {in.count.freedoms, in.count.prescribed, in.count.joint_rows, in.count.driver_rows,
                               in.count.force_rows, in.count.coupling_rows, in.count.redundant_rows, in.count.all()})
            row.push_back(std::to_string(part));
        unknowns.add(row);
    }
    std::printf("%s", unknowns.text(1).c_str());
    if (!both.back().cost) return;
    TextTable costs({"a step of generalized_alpha at 1e-3 s", "operations", "numbers of state"});
    for (const NamedUnknowns& in : both)
        if (in.cost)
            costs.add({std::string("  ") + in.text, grouped(static_cast<std::uint64_t>(in.cost->operations)),
                       std::to_string(in.cost->state_numbers)});
    std::printf("\n%s", costs.text(1).c_str());
    if (!both.front().cost) return;
    if (const auto turning = mechanism::turning_start_of(mechanism))
        std::printf("\n%s\n", wrapped("At steps above " + significant(turning->most_step_s(), 2) + " s, in which " +
                                      turning->body + " turns by more than " +
                                      significant(mechanism::most_turn_of_simplified_matrix_rad) +
                                      " rad on a turning body, take \"iteration_matrix\": \"exact\" in joint "
                                      "coordinates.")
                                  .c_str());
}

ordered_json tree_json(const Mechanism& mechanism, const SpanningTree& tree, const CountStep& count) {
    constexpr const char* reasons[] = {"asked", "only_rows", "loop", "orientation"};  // in the order of CutReason
    ordered_json json{{"bodies", ordered_json::array()}, {"cut_joints", ordered_json::array()}};
    for (const mechanism::TreeBody& hung : tree.bodies) {
        ordered_json one{{"body", body_name(mechanism, hung.body)}, {"parent", body_name(mechanism, hung.parent)}};
        if (hung.joint >= 0) one["joint"] = joint_of(mechanism, hung.joint).name;
        one["type"] = hung.joint < 0 ? mechanism::free_joint_type : joint_of(mechanism, hung.joint).type;
        if (hung.joint >= 0) one["backwards"] = hung.is_backwards;
        one["freedoms"] = hung.freedoms;
        json["bodies"].push_back(one);
    }
    for (const mechanism::CutJoint& cut : tree.cut) {
        ordered_json one{{"joint", joint_of(mechanism, cut.joint).name},
                         {"reason", reasons[static_cast<std::size_t>(cut.reason)]},
                         {"rows", cut.rows}};
        if (cut.reason == mechanism::CutReason::loop) one["loop"] = mechanism::loop_of(mechanism, tree, cut.joint);
        json["cut_joints"].push_back(one);
    }
    for (const NamedUnknowns& in : unknowns_of(mechanism, tree, count)) {
        json["unknowns"][in.key] = {{"freedoms", in.count.freedoms},
                                    {"prescribed", in.count.prescribed},
                                    {"joint_rows", in.count.joint_rows},
                                    {"driver_rows", in.count.driver_rows},
                                    {"force_rows", in.count.force_rows},
                                    {"coupling_rows", in.count.coupling_rows},
                                    {"redundant_rows", in.count.redundant_rows},
                                    {"unknowns", in.count.all()}};
        if (in.cost)
            json["unknowns"][in.key].update(
                {{"operations_of_a_step", in.cost->operations}, {"state_numbers", in.cost->state_numbers}});
    }
    if (const auto turning = mechanism::turning_start_of(mechanism))
        json["exact_iteration_matrix_above_step_s"] = turning->most_step_s();
    return json;
}

}  // namespace myriad::program
