#include "host/mechanism/expression/expression_parser.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <unordered_map>

#include "host/mechanism/expression/expression_graph.hpp"
#include "host/text/suggestion.hpp"
#include "host/text/user_error.hpp"

namespace myriad::mechanism {

namespace {

// These bound the parser's recursion and its memory, far above what a person writes.
constexpr int deepest_nesting = 64;
constexpr std::size_t longest_text = 10000;

constexpr double pi = 3.141592653589793;

enum class Application {
    operation,  // one instruction
    repeated,   // from the left, for any number of further arguments
    arcsine,    // atan2(u, sqrt((1 - u) (1 + u))): as accurate as its parts near -1 and 1, too
    arccosine,  // atan2(sqrt((1 - u) (1 + u)), u)
};
struct Function {
    FunctionDescription description;
    Operation operation;
    std::size_t arguments;
    Application application = Application::operation;
};
constexpr std::array functions{
    Function{{"sin", "sin(a)", "sine of an angle in rad"}, Operation::sine, 1},
    Function{{"cos", "cos(a)", "cosine of an angle in rad"}, Operation::cosine, 1},
    Function{{"tan", "tan(a)", "tangent of an angle in rad"}, Operation::tangent, 1},
    Function{{"asin", "asin(x)", "angle in rad, -pi/2 to pi/2; NaN beyond -1 to 1"},
             Operation::arctangent2,
             1,
             Application::arcsine},
    Function{{"acos", "acos(x)", "angle in rad, 0 to pi; NaN beyond -1 to 1"},
             Operation::arctangent2,
             1,
             Application::arccosine},
    Function{{"atan2", "atan2(y, x)", "angle in rad of the point (x, y), -pi to pi"}, Operation::arctangent2, 2},
    Function{{"exp", "exp(x)", "e^x"}, Operation::exponential, 1},
    Function{{"log", "log(x)", "natural logarithm"}, Operation::logarithm, 1},
    Function{{"sqrt", "sqrt(x)", "square root"}, Operation::square_root, 1},
    Function{{"abs", "abs(x)", "magnitude"}, Operation::absolute, 1},
    Function{{"tanh", "tanh(x)", "hyperbolic tangent"}, Operation::hyperbolic_tangent, 1},
    Function{{"pow", "pow(x, y)", "x^y; NaN for a negative x unless y is a whole number that is written out"},
             Operation::power,
             2},
    Function{{"min", "min(x, y, ...)", "the least of two or more"}, Operation::minimum, 2, Application::repeated},
    Function{{"max", "max(x, y, ...)", "the largest of two or more"}, Operation::maximum, 2, Application::repeated},
    Function{{"if", "if(c, x, y)", "y where c is 0, else x"}, Operation::choose, 3},
};

std::vector<std::string> function_names() {
    std::vector<std::string> names;
    for (const Function& function : functions) names.emplace_back(function.description.name);
    return names;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Recursive descent, one member function per rule:
//   comparison = sum [("<" | "<=" | ">" | ">=") sum]        sum = product {("+" | "-") product}
//   product = signed {("*" | "/") signed}                   signed = ("+" | "-") signed | power
//   power = primary ["^" signed]                            primary = number | name | function "(" ... ")" | "(" ...
//   ")"
class Parser {
  public:
    Parser(std::string_view text, const std::string& where, TimeUse time, const Tables* tables)
        : text_(text), where_(where), time_(time), tables_(tables) {}

    ParsedExpression parse() {
        if (text_.size() > longest_text)
            refuse(longest_text, "the formula is longer than " + std::to_string(longest_text) + " characters",
                   "Split it with parameters.");
        const int result = comparison();
        if (!at_end()) refuse_rest();
        return {graph_.nodes_of(result), std::move(names_), uses_time_};
    }

  private:
    [[noreturn]] void refuse(std::size_t position, const std::string& what, const std::string& remedy) const {
        throw UserError(ExitCode::usage_or_input, where_,
                        what + ", at character " + std::to_string(position + 1) + " of " + excerpt(text_, position),
                        remedy);
    }

    // Refuses text where an operator or the end of the formula should be.
    [[noreturn]] void refuse_rest() {
        const char next = text_[position_];
        if (starts("**")) refuse(position_, "there is no operator **", "Write a power as a^b.");
        if (starts("=") || starts("!="))
            refuse(position_, "numbers cannot be compared for equality", "The comparisons are < <= > >=.");
        if (starts("&") || starts("|"))
            refuse(position_, "there is no logical operator",
                   "Comparisons are 1 or 0: multiply them for \"and\", take max(a, b) for \"or\".");
        if (next == '<' || next == '>')
            refuse(position_, "comparisons cannot be chained", "Write (a < b) * (b < c) for a < b < c.");
        if (next == ')') refuse(position_, "no parenthesis is open here", "Remove the ) or add a ( before it.");
        if (next == ',')
            refuse(position_, "a comma stands outside the arguments of a function",
                   "Write decimals with a point: 0.5.");
        if (is_letter(next) || is_digit(next) || next == '(' || next == '.')
            refuse(position_, "an operator is missing before \"" + std::string(text_.substr(position_, 1)) + "\"",
                   "Write a product as a * b.");
        refuse(position_, "this character has no meaning here", "The operators are + - * / ^ < <= > >= and ( ).");
    }

    void skip_blanks() {
        while (position_ < text_.size() && std::string_view(" \t\n\r").find(text_[position_]) != std::string_view::npos)
            ++position_;
    }
    bool at_end() {
        skip_blanks();
        return position_ == text_.size();
    }
    bool starts(std::string_view symbol) const { return text_.substr(position_).starts_with(symbol); }
    bool take(std::string_view symbol) {
        skip_blanks();
        if (!starts(symbol)) return false;
        position_ += symbol.size();
        return true;
    }
    void expect_closed(std::size_t opened) {
        if (take(")")) return;
        if (at_end()) refuse(opened, "this parenthesis is never closed", "Add the ) that is missing.");
        refuse_rest();
    }

    int comparison() {
        const int left = sum();
        const auto not_less = [&](int a, int b) {
            return graph_.apply(Operation::subtract, graph_.literal(1.0), graph_.apply(Operation::less, a, b));
        };
        if (take("<=")) return not_less(sum(), left);
        if (take(">=")) return not_less(left, sum());
        if (take("<")) return graph_.apply(Operation::less, left, sum());
        if (take(">")) return graph_.apply(Operation::less, sum(), left);
        return left;
    }

    int sum() {
        int left = product();
        for (;;) {
            if (take("+"))
                left = graph_.apply(Operation::add, left, product());
            else if (take("-"))
                left = graph_.apply(Operation::subtract, left, product());
            else
                return left;
        }
    }

    int product() {
        int left = with_sign();
        for (;;) {
            skip_blanks();
            if (starts("**")) refuse_rest();
            if (take("*"))
                left = graph_.apply(Operation::multiply, left, with_sign());
            else if (take("/"))
                left = graph_.apply(Operation::divide, left, with_sign());
            else
                return left;
        }
    }

    // Every recursion passes here.
    int with_sign() {
        if (++nesting_ > deepest_nesting)
            refuse(position_, "the formula is nested more than " + std::to_string(deepest_nesting) + " deep",
                   "Split it with parameters.");
        const int node = take("-") ? graph_.apply(Operation::negate, with_sign()) : take("+") ? with_sign() : power();
        --nesting_;
        return node;
    }

    int power() {
        const int base = primary();
        return take("^") ? graph_.power(base, with_sign()) : base;
    }

    int primary() {
        if (at_end())
            refuse(position_,
                   text_.find_first_not_of(" \t\n\r") == std::string_view::npos
                       ? "the formula is empty"
                       : "the formula ends where a number or name should follow",
                   "Write a number, a name, a function or a formula in parentheses.");
        const char next = text_[position_];
        if (is_letter(next)) return word();
        if (is_digit(next) || next == '.') return number();
        const std::size_t opened = position_;
        if (take("(")) {
            const int node = comparison();
            expect_closed(opened);
            return node;
        }
        if (starts("**")) refuse_rest();
        refuse(position_, "a number or name should stand here",
               "Write a number, a name, a function or a formula in parentheses.");
    }

    int number() {
        double value = 0.0;
        const char* const begin = text_.data() + position_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (error == std::errc::result_out_of_range)
            refuse(position_, "this number is too large or too small for a double", "Stay between 1e-300 and 1e300.");
        if (error != std::errc()) refuse(position_, "this is no number", "Numbers are written as 2, 0.5, .5 or 1e-3.");
        position_ += static_cast<std::size_t>(end - begin);
        return graph_.literal(value);
    }

    int word() {
        const std::size_t start = position_;
        const auto read = [&] {
            while (position_ < text_.size() && (is_letter(text_[position_]) || is_digit(text_[position_]))) ++position_;
        };
        for (read(); starts(".") && position_ + 1 < text_.size() && is_letter(text_[position_ + 1]); read())
            ++position_;
        const std::string_view name = text_.substr(start, position_ - start);
        const std::size_t opened = (skip_blanks(), position_);
        const auto function = std::find_if(functions.begin(), functions.end(),
                                           [&](const Function& f) { return f.description.name == name; });
        const std::optional<int> table = tables_ != nullptr ? tables_->find(name) : std::nullopt;
        if (take("(")) {
            if (function != functions.end()) return call(*function, start, opened);
            if (table) return graph_.look_up(Operation::interpolate, *table, argument_of_table(name, start, opened));
            std::vector<std::string> known = function_names();
            if (tables_ != nullptr)
                for (const std::string& one : tables_->names()) known.push_back(one);
            refuse(start, "there is no function \"" + std::string(name) + "\"",
                   suggestion(name, known, "functions and tables") + "; a product is written a * (b)");
        }
        if (table)
            refuse(start, "the table \"" + std::string(name) + "\" needs its argument in parentheses",
                   "Write " + std::string(name) + "(t) for its value at time t.");
        if (function != functions.end())
            refuse(start, "the function \"" + std::string(name) + "\" needs its arguments in parentheses",
                   "Write " + std::string(name) + "(...).");
        if (name == "pi") return graph_.literal(pi);
        if (name == "t") {
            if (time_ == TimeUse::refused)
                refuse(start, "the time t cannot be used here: this number is the same at all times",
                       "Use it in drivers, forces and rest lengths, or name the parameter differently.");
            uses_time_ = true;
            return graph_.time();
        }
        const auto [place, is_new] = place_of_name_.try_emplace(name, static_cast<int>(names_.size()));
        if (is_new) names_.emplace_back(name);
        return graph_.name(place->second);
    }

    std::vector<int> arguments_in(std::size_t opened) {
        std::vector<int> arguments;
        skip_blanks();
        if (!starts(")")) do
                arguments.push_back(comparison());
            while (take(","));
        expect_closed(opened);
        return arguments;
    }

    int argument_of_table(std::string_view name, std::size_t start, std::size_t opened) {
        const std::vector<int> arguments = arguments_in(opened);
        if (arguments.size() != 1)
            refuse(start,
                   "the table \"" + std::string(name) + "\" takes 1 argument, not " + std::to_string(arguments.size()),
                   "Decimals are written with a point: 0.5.");
        return arguments[0];
    }

    int call(const Function& function, std::size_t start, std::size_t opened) {
        const std::vector<int> arguments = arguments_in(opened);
        const bool more_allowed = function.application == Application::repeated;
        if (arguments.size() < function.arguments || (arguments.size() > function.arguments && !more_allowed)) {
            const std::string wanted = std::to_string(function.arguments) + (more_allowed ? " or more" : "");
            refuse(start,
                   "\"" + std::string(function.description.name) + "\" takes " + wanted +
                       (wanted == "1" ? " argument, not " : " arguments, not ") + std::to_string(arguments.size()),
                   "Separate the arguments by commas; decimals are written with a point.");
        }
        if (function.operation == Operation::power) return graph_.power(arguments[0], arguments[1]);
        if (function.operation == Operation::choose)
            return graph_.apply(Operation::choose, arguments[0], arguments[1], arguments[2]);
        if (function.application == Application::arcsine || function.application == Application::arccosine) {
            const int one = graph_.literal(1.0), sine = arguments[0];
            const int other = graph_.apply(
                Operation::square_root, graph_.apply(Operation::multiply, graph_.apply(Operation::subtract, one, sine),
                                                     graph_.apply(Operation::add, one, sine)));
            return function.application == Application::arcsine ? graph_.apply(Operation::arctangent2, sine, other)
                                                                : graph_.apply(Operation::arctangent2, other, sine);
        }
        if (function.arguments == 1) return graph_.apply(function.operation, arguments[0]);
        int result = arguments[0];
        for (std::size_t i = 1; i < arguments.size(); ++i)
            result = graph_.apply(function.operation, result, arguments[i]);
        return result;
    }

    std::string_view text_;
    const std::string& where_;
    TimeUse time_;
    const Tables* tables_;
    ExpressionGraph graph_;
    std::vector<std::string> names_;
    std::unordered_map<std::string_view, int> place_of_name_;
    std::size_t position_ = 0;
    int nesting_ = 0;
    bool uses_time_ = false;
};

}  // namespace

std::vector<FunctionDescription> Expression::functions() {
    std::vector<FunctionDescription> all;
    for (const Function& function : mechanism::functions) all.push_back(function.description);
    return all;
}

std::span<const std::string> Expression::reserved_words() {
    static const std::vector<std::string> words = [] {
        std::vector<std::string> all = function_names();
        all.insert(all.end(), {"pi", "t"});
        return all;
    }();
    return words;
}

bool Expression::is_name(std::string_view word) {
    const auto reserved = reserved_words();
    return !word.empty() && is_letter(word.front()) &&
           std::all_of(word.begin(), word.end(), [](char c) { return is_letter(c) || is_digit(c); }) &&
           std::find(reserved.begin(), reserved.end(), word) == reserved.end();
}

std::string excerpt(std::string_view formula, std::size_t position) {
    constexpr std::size_t most_shown = 80, most_before = 40;
    const auto begins_a_letter = [&](std::size_t at) {
        return at >= formula.size() || (static_cast<unsigned char>(formula[at]) & 0xc0u) != 0x80u;
    };
    std::size_t first = formula.size() <= most_shown || position <= most_before ? 0 : position - most_before;
    std::size_t end = std::min(first + most_shown, formula.size());
    while (!begins_a_letter(first)) ++first;
    while (!begins_a_letter(end)) ++end;
    return "\"" + std::string(first > 0 ? "... " : "") + std::string(formula.substr(first, end - first)) +
           (end < formula.size() ? " ...\"" : "\"");
}

ParsedExpression parse_expression(std::string_view text, const std::string& where, TimeUse time, const Tables* tables) {
    return Parser(text, where, time, tables).parse();
}

}  // namespace myriad::mechanism
