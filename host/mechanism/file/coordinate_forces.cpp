// Forces on a coordinate of a joint that are formulas of time and of coordinates and rates of any joint.
#include <algorithm>

#include "host/mechanism/expression/derivatives.hpp"
#include "host/mechanism/expression/expression_graph.hpp"
#include "host/mechanism/file/builder.hpp"
#include "host/text/suggestion.hpp"

namespace myriad::mechanism {

namespace {

using NodeKind = ExpressionNode::Kind;

// "angle", "rate", "angle_2", "rate_2": what sensors of the joint can show of its coordinates.
std::vector<std::string> variables_of(const std::string& joint_type) {
    std::vector<std::string> names;
    for (const JointCoordinate& one : coordinates_of(joint_type))
        names.insert(names.end(), {one.name, rate_of(one.name)});
    return names;
}

bool is_in(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// What a formula's name stands for: a coordinate or a rate of a joint, or else a named parameter.
class Names {
  public:
    Names(Builder& builder, const JsonValue& at, int own_joint) : builder_(builder), at_(at), own_(own_joint) {}

    std::vector<std::optional<CoordinateVariable>> of(const Expression& formula) const {
        std::vector<std::optional<CoordinateVariable>> found;
        for (const std::string& name : formula.names()) found.push_back(of(name));
        return found;
    }

  private:
    const std::string& joint_name(int joint) const {
        return builder_.mechanism.joints[static_cast<std::size_t>(joint)].name;
    }
    const std::string& type_of(int joint) const { return builder_.joints.at(joint_name(joint)).type; }

    std::optional<CoordinateVariable> of(const std::string& name) const {
        const std::size_t dot = name.find('.');
        const std::vector<std::string> own = variables_of(type_of(own_));
        if (dot != std::string::npos) return of_joint(name.substr(0, dot), name.substr(dot + 1), name);
        if (is_in(own, name)) {
            if (builder_.numbers.has_parameter(name))
                at_.refuse("\"" + name + "\" is a named parameter, and here it also is the joint's own " + name,
                           "give the parameter another name");
            return variable(own_, name);
        }
        if (builder_.numbers.has_parameter(name)) return std::nullopt;
        std::vector<std::string> known = own;
        for (const std::string& parameter : builder_.numbers.parameter_names()) known.push_back(parameter);
        if (const std::vector<std::string> any = any_joints_variables(); is_in(any, name))
            at_.refuse("joints." + joint_name(own_) + " is " + type_of(own_) + " and has no " + name,
                       "it has " + list_of(own) + "; those of another joint are written crank." + name);
        at_.refuse("the expression names \"" + name + "\", which is neither a parameter nor the joint's own coordinate",
                   suggestion(name, known, "names") + "; coordinates of others are written joint.angle");
    }
    static std::vector<std::string> any_joints_variables() {
        std::vector<std::string> all;
        for (const KindOfObject<Key>& kind : joint_kinds)
            for (const std::string& name : variables_of(kind.name)) all.push_back(name);
        return all;
    }
    CoordinateVariable of_joint(const std::string& joint, const std::string& variable_name,
                                const std::string& name) const {
        const auto found = builder_.joints.find(joint);
        if (found == builder_.joints.end()) {
            std::vector<std::string> known;
            for (const NamedElements& one : builder_.mechanism.joints) known.push_back(one.name);
            at_.refuse("the expression names " + name + ", and the joint \"" + joint + "\" is unknown",
                       suggestion(joint, known, "joints"));
        }
        const std::vector<std::string> own = variables_of(found->second.type);
        if (own.empty())
            at_.refuse("the expression names " + name + ", and the joint " + joint + " is " + found->second.type +
                           " and has neither an angle nor a displacement",
                       "name a joint that has one");
        if (!is_in(own, variable_name))
            at_.refuse("the expression names " + name + ", and the joint " + joint + " is " + found->second.type +
                           " and has no " + variable_name,
                       suggestion(variable_name, own, "coordinates and rates"));
        return variable(found->second.place, variable_name);
    }
    CoordinateVariable variable(int joint, const std::string& name) const {
        const std::string coordinate = coordinate_of_sensor(name);
        builder_.require_zero_of(builder_.joints.at(joint_name(joint)), at_);
        return {joint, coordinate, coordinate != name};
    }

    Builder& builder_;
    const JsonValue& at_;
    int own_;
};

// Which nodes change with a coordinate.
std::vector<bool> by_coordinates(std::span<const ExpressionNode> nodes,
                                 std::span<const std::optional<CoordinateVariable>> names) {
    std::vector<bool> depends;
    for (const ExpressionNode& node : nodes) {
        bool one = node.kind == NodeKind::name && names[static_cast<std::size_t>(node.name)].has_value();
        for (const int operand : node.operands()) one = one || depends[static_cast<std::size_t>(operand)];
        depends.push_back(one);
    }
    return depends;
}

// Makes the instructions of a formula and its derivatives.
class Tape {
  public:
    Tape(Builder& builder, const Expression& formula, std::span<const std::optional<CoordinateVariable>> names,
         const JsonValue& at)
        : builder_(builder), formula_(formula), names_(names), at_(at) {
        for (std::size_t k = 0; k < names.size(); ++k)
            if (names[k]) by_.push_back(static_cast<int>(k));
        all_ = differentiated(formula.nodes(), by_);
        depends_ = by_coordinates(all_.nodes, names);
        register_.assign(all_.nodes.size(), -1);
    }

    CoordinateFormula made() {
        formula_made_.value = place_of(all_.value);
        formula_made_.derivatives = static_cast<int>(formula_made_.instructions.size());
        for (std::size_t k = 0; k < by_.size(); ++k)
            if (all_.derivatives[k] >= 0)
                formula_made_.partials.push_back(
                    {*names_[static_cast<std::size_t>(by_[k])], place_of(all_.derivatives[k])});
        return formula_made_;
    }

  private:
    // The register of a node's value, where it stays: derivatives read it again.
    int place_of(int node) {
        const auto which = static_cast<std::size_t>(node);
        if (register_[which] < 0) {
            Instruction instruction = instruction_of(all_.nodes[which], node);
            register_[which] = instruction.to = registers_++;
            builder_.require_limit(at_, registers_, most_registers, "intermediate results of one force");
            formula_made_.instructions.push_back(instruction);
        }
        return register_[which];
    }
    Instruction instruction_of(const ExpressionNode& node, int number) {
        Instruction instruction{node.operation, 0, 0, 0, 0};
        int* const reads[3] = {&instruction.a, &instruction.b, &instruction.c};
        const bool depends = depends_[static_cast<std::size_t>(number)];
        if (node.kind == NodeKind::operation && depends) {
            for (std::size_t k = 0; k < node.operands().size(); ++k) *reads[k] = place_of(node.operand[k]);
            if (node.reads_table()) instruction.b = node.operand[1];
        } else if (node.kind == NodeKind::name && depends) {
            const CoordinateVariable& variable = *names_[static_cast<std::size_t>(node.name)];
            instruction.operation = variable.is_rate ? Operation::rate : Operation::coordinate;
            instruction.a = static_cast<int>(formula_made_.variables.size());
            formula_made_.variables.push_back(variable);
        } else if (node.kind == NodeKind::literal || node.kind == NodeKind::name) {
            const ParameterOffsets offsets = builder_.parameter_offsets();
            instruction.operation = Operation::parameter;
            instruction.a = node.kind == NodeKind::literal
                                ? offsets.of_literal(node.literal)
                                : offsets.of_name(formula_.names()[static_cast<std::size_t>(node.name)]);
        } else {
            instruction.operation = Operation::function;
            instruction.a = function_of(number);
        }
        return instruction;
    }
    // Of time and parameters alone: a function of time.
    int function_of(int node) const {
        ExpressionGraph graph;
        std::vector<int> place;
        for (int k = 0; k <= node; ++k) place.push_back(graph.copy(all_.nodes[static_cast<std::size_t>(k)], place));
        return builder_.function_of(formula_.with_nodes(graph.nodes_of(place.back())));
    }

    Builder& builder_;
    const Expression& formula_;
    std::span<const std::optional<CoordinateVariable>> names_;
    const JsonValue& at_;
    std::vector<int> by_;  // names that are coordinates or rates
    DifferentiatedFormula all_;
    std::vector<bool> depends_;
    std::vector<int> register_;  // by the nodes
    CoordinateFormula formula_made_;
    int registers_ = 0;
};

}  // namespace

CoordinateFormula read_coordinate_formula(Builder& builder, const Entry& entry, const Key& key, int joint) {
    const JsonValue value = entry.value.member(key.name, key.meaning);
    model::CoordinateForce& defined = builder.mechanism.model.coordinate_forces.emplace_back();
    if (value.json().is_string()) {
        const Expression formula =
            Expression::parse(value.string(), value.where(), TimeUse::allowed, builder.numbers.tables());
        const std::vector<std::optional<CoordinateVariable>> names = Names(builder, value, joint).of(formula);
        if (std::any_of(names.begin(), names.end(), [](const auto& one) { return one.has_value(); })) {
            defined.formula = {std::make_shared<const Expression>(formula), builder.parameters_read_by(formula)};
            for (const auto& name : names)
                defined.names.push_back(name ? std::optional<model::CoordinateForce::Variable>(
                                                   {{name->joint, name->coordinate}, name->is_rate})
                                             : std::nullopt);
            return Tape(builder, formula, names, value).made();
        }
    }
    CoordinateFormula of_time;
    defined.function = builder.function_at(value, entry.address + "." + key.name, key);
    of_time.instructions.push_back({Operation::function, 0, defined.function, 0, 0});
    of_time.derivatives = 1;
    return of_time;
}

}  // namespace myriad::mechanism
