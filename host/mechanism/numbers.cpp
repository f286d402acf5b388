#include "host/mechanism/numbers.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "host/mechanism/expression/expression_parser.hpp"
#include "host/mechanism/mechanism_keys.hpp"
#include "host/text/number_text.hpp"
#include "host/text/suggestion.hpp"

namespace myriad::mechanism {

namespace {

// Far more than the kernels' parameters need, and few enough for every message and every search among them.
constexpr std::size_t most_named_parameters = 10'000;

}  // namespace

double Definition::value(std::span<const double> values) const {
    return value_from([&](std::size_t number) { return values[number]; });
}

void require_name(const std::string& name, const JsonValue& value, const std::string& kind) {
    const bool is_plain = std::all_of(name.begin(), name.end(),
                                      [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '_'; });
    if (name.empty() || !is_plain || std::isdigit(static_cast<unsigned char>(name.front())) != 0)
        value.refuse("\"" + name + "\" cannot name a " + kind,
                     "use letters, digits and _, and begin with a letter: addresses and expressions hold the name");
}

Expression Numbers::parse(const JsonValue& value) const {
    Expression expression = Expression::parse(value.string(), value.where(), TimeUse::allowed, tables_);
    for (const std::string& name : expression.names()) {
        if (name.find('.') != std::string::npos)
            value.refuse("the expression names " + name + ", and coordinates of joints have no value here",
                         "they stand in the force or torque of a \"joint_force\"; elsewhere name parameters");
        if (!parameters_.contains(name))
            value.refuse("the expression names an unknown parameter \"" + name + "\"",
                         parameter_names_.empty() ? "give it a value: \"parameters\": {\"" + name + "\": 1.0}"
                                                  : suggestion(name, parameter_names_, "parameters"));
    }
    return expression;
}

std::size_t Numbers::append(const NumberDescription& description, double value, const std::string& expression,
                            Definition definition) {
    numbers_.push_back({description.address, description.unit, description.meaning, value, expression});
    definitions_.push_back(std::move(definition));
    return numbers_.size() - 1;
}

std::size_t Numbers::add(double value, const NumberDescription& description) {
    return append(description, value, "", {});
}

std::size_t Numbers::add_copy(std::size_t source, const NumberDescription& description) {
    return append(description, numbers_[source].value, numbers_[source].address, {std::nullopt, {source}});
}

std::size_t Numbers::read(const JsonValue& value, const NumberDescription& description) {
    if (!value.json().is_string()) return append(description, value.number(), "", {});
    Expression expression = parse(value);
    if (expression.uses_time())
        value.refuse("this expression uses the time t, but " + description.address + " is a constant",
                     "functions of time are: values of drivers, forces, torques, rest lengths and targets");
    std::vector<std::size_t> reads;
    for (const std::string& name : expression.names()) reads.push_back(parameter(name));
    const std::size_t number = append(description, 0.0, value.string(), {std::move(expression), std::move(reads)});
    evaluate(number, value);
    return number;
}

void Numbers::evaluate(std::size_t number, const JsonValue& value) {
    const double result = definitions_[number].value_from([&](std::size_t read) { return numbers_[read].value; });
    if (!std::isfinite(result)) {
        std::string where_at;
        for (std::size_t read : definitions_[number].reads)
            where_at +=
                (where_at.empty() ? " at " : ", ") + numbers_[read].address + " = " + number_text(numbers_[read].value);
        value.refuse(
            "this expression is not finite: " + number_text(result) + where_at + ", of " + excerpt(value.string()),
            "look for a division by zero, or a root or logarithm of a negative number");
    }
    numbers_[number].value = result;
}

void Numbers::read_parameters(const JsonValue& section) {
    if (section.is_object() && section.json().size() > most_named_parameters)
        section.refuse("these are " + std::to_string(section.json().size()) + " named parameters",
                       "give at most " + std::to_string(most_named_parameters));
    const auto members = section.members();
    for (const auto& [name, value] : members) {
        require_name(name, value, "parameter");
        if (!Expression::is_name(name))
            value.refuse("the name \"" + name + "\" has a meaning of its own in expressions", "choose another name");
        if (tables_ && tables_->find(name))
            value.refuse("the name \"" + name + "\" is that of a table as well", "choose another one");
        parameters_[name] = append({"parameters." + name, "", "named parameter"}, 0.0, "", {});
        parameter_names_.push_back(name);
    }
    for (const auto& [name, value] : members) {
        const std::size_t number = parameter(name);
        if (!value.json().is_string()) {
            numbers_[number].value = value.number();
            continue;
        }
        Definition& definition = definitions_[number];
        definition.expression = parse(value);
        numbers_[number].expression = value.string();
        if (definition.expression->uses_time())
            value.refuse("this expression uses the time t, but a parameter is a constant",
                         "write the function of time where it is used: a driver, a force, a rest length, a target");
        for (const std::string& read : definition.expression->names()) definition.reads.push_back(parameter(read));
    }
    order_parameters(members);
    for (std::size_t number : parameter_order_)
        if (definitions_[number].follows()) evaluate(number, members[number].second);
}

// Depth first, with a stack of its own: a chain may be as long as there are parameters. `members` are in the order of
// their numbers, which are the first ones of all.
void Numbers::order_parameters(const std::vector<std::pair<std::string, JsonValue>>& members) {
    enum class Mark { unseen, open, done };
    struct Step {
        std::size_t number, next_read;
    };
    std::vector<Mark> marks(members.size(), Mark::unseen);
    std::vector<Step> path;
    const auto enter = [&](std::size_t number) {
        if (marks[number] == Mark::done) return;
        if (marks[number] == Mark::open) {
            std::string cycle;
            auto at = std::find_if(path.begin(), path.end(), [&](const Step& step) { return step.number == number; });
            for (; at != path.end(); ++at) cycle += members[at->number].first + " -> ";
            members[number].second.refuse("these parameters need each other: " + cycle + members[number].first,
                                          "give one of them a number");
        }
        marks[number] = Mark::open;
        path.push_back({number, 0});
    };
    for (std::size_t number = 0; number < members.size(); ++number) {
        enter(number);
        while (!path.empty()) {
            const std::size_t open = path.back().number;
            if (path.back().next_read < definitions_[open].reads.size()) {
                enter(definitions_[open].reads[path.back().next_read++]);
                continue;
            }
            path.pop_back();
            marks[open] = Mark::done;
            parameter_order_.push_back(open);
        }
    }
}

std::vector<std::size_t> Numbers::order() const {
    std::vector<std::size_t> order = parameter_order_;
    for (std::size_t number = order.size(); number < numbers_.size(); ++number) order.push_back(number);
    return order;
}

}  // namespace myriad::mechanism
