// The numbers of a mechanism file: each with its address, unit and meaning, and how it follows from others where the
// file gives an expression of the named parameters. Functions of time are made of the same expressions.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/mechanism/expression/expression.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/text/json_text.hpp"

namespace myriad::mechanism {

// How a number follows from others: by an expression of the numbers it reads, in the order of the expression's names;
// without an expression as a copy of the one it reads. A number that reads none has the file's or a study's value.
struct Definition {
    std::optional<Expression> expression;
    std::vector<std::size_t> reads;
    bool follows() const { return expression.has_value() || !reads.empty(); }
    double value(std::span<const double> values) const;
    // The same where the values of numbers are asked for one by one.
    template <class ValueOf>
    double value_from(const ValueOf& value_of) const {
        if (!expression) return value_of(reads.front());
        std::vector<double> of_names;
        of_names.reserve(reads.size());
        for (const std::size_t number : reads) of_names.push_back(value_of(number));
        return expression->value(of_names);
    }
};

struct NumberDescription {
    std::string address, unit, meaning;
};

class Numbers {
  public:
    // The tables that expressions may look up: before anything is read.
    void take_tables(std::shared_ptr<const Tables> tables) { tables_ = std::move(tables); }
    const std::shared_ptr<const Tables>& tables() const { return tables_; }

    // The named parameters: values in any order, so that they are all known before anything else is read.
    void read_parameters(const JsonValue& section);

    // A number or an expression of the named parameters.
    std::size_t read(const JsonValue& value, const NumberDescription& description);
    std::size_t add(double value, const NumberDescription& description);
    std::size_t add_copy(std::size_t source, const NumberDescription& description);

    // Refuses names that are no parameters.
    Expression parse(const JsonValue& value) const;
    // The number of a named parameter that exists.
    std::size_t parameter(const std::string& name) const { return parameters_.at(name); }
    bool has_parameter(const std::string& name) const { return parameters_.contains(name); }
    const std::vector<std::string>& parameter_names() const { return parameter_names_; }

    double value(std::size_t number) const { return numbers_[number].value; }
    const std::vector<Number>& numbers() const { return numbers_; }
    const std::vector<Definition>& definitions() const { return definitions_; }
    // All numbers, each behind those it reads.
    std::vector<std::size_t> order() const;

  private:
    std::size_t append(const NumberDescription& description, double value, const std::string& expression,
                       Definition definition);
    void evaluate(std::size_t number, const JsonValue& value);
    void order_parameters(const std::vector<std::pair<std::string, JsonValue>>& members);

    std::shared_ptr<const Tables> tables_;
    std::vector<Number> numbers_;
    std::vector<Definition> definitions_;
    std::map<std::string, std::size_t> parameters_;
    std::vector<std::string> parameter_names_;
    std::vector<std::size_t> parameter_order_;
};

// A name that addresses and expressions can hold: letters, digits and _, not beginning with a digit; `kind` is "body".
void require_name(const std::string& name, const JsonValue& value, const std::string& kind);

}  // namespace myriad::mechanism
