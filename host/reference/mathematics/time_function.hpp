// A function of time as a list of instructions, each of which computes one value from earlier ones; the last one is the
// function's. Run on a differentiated scalar (forward_derivative.hpp) it yields its derivatives as well.
//
//   const TimeFunction t = TimeFunction::time(), f = 0.5 * pi + 0.25 * pi * cos(2.0 * t);
//
// Its branches change at a corner (of absolute, minimum, maximum, less, choose, a point of a table). A function that
// follows a branch time takes the branches of that time; at a corner itself it takes the ones of a moment later.
//
// It may also read variables that whoever runs it gives. Units are those of whoever uses it. Not handled: a power of a
// negative number (NaN).
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "host/reference/mathematics/forward_derivative.hpp"
#include "host/reference/mathematics/interval.hpp"
#include "host/reference/mathematics/tabulated_function.hpp"

namespace myriad::reference {

enum class TimeOperation {
    constant,
    time,
    add,
    subtract,
    multiply,
    divide,
    negate,
    sine,
    cosine,
    tangent,
    exponential,
    logarithm,
    square_root,
    power,
    absolute,
    minimum,
    maximum,
    less,    // 1 or 0, without derivatives
    choose,  // a != 0 ? b : c
    arctangent2,
    hyperbolic_tangent,
    variable,  // a
    tabulated,
};

struct TimeInstruction {
    TimeOperation operation;
    double constant = 0.0;
    std::size_t a = 0, b = 0, c = 0;  // which earlier instructions
    std::shared_ptr<const TabulatedFunction> table = nullptr;
};

class TimeFunction {
  public:
    TimeFunction(double constant = 0.0) : instructions_{{TimeOperation::constant, constant}} {}
    explicit TimeFunction(std::vector<TimeInstruction> instructions) : instructions_(std::move(instructions)) {}
    static TimeFunction time() { return TimeFunction(std::vector<TimeInstruction>{{TimeOperation::time}}); }
    static TimeFunction of(TimeOperation operation, const TimeFunction& a) { return of(operation, a, {}, {}, 1); }
    static TimeFunction of(TimeOperation operation, const TimeFunction& a, const TimeFunction& b) {
        return of(operation, a, b, {}, 2);
    }
    static TimeFunction of(TimeOperation operation, const TimeFunction& a, const TimeFunction& b,
                           const TimeFunction& c) {
        return of(operation, a, b, c, 3);
    }

    template <class Scalar>
    Scalar operator()(const Scalar& time, const std::vector<Scalar>& variables = {}) const;

    // Which branches it takes at a time: a number for each place where there are some.
    std::vector<int> branches_at(double time) const;
    // Whether these stay its branches over a time. A corner without branches: sqrt or a power below 1 at 0, atan2 at
    // its cut or at the origin.
    enum class Passage { stays, may_turn, may_have_a_corner_without_branches };
    Passage passage(const Interval& times, const std::vector<int>& branches) const;
    // The same function with the branches of a time at all times.
    TimeFunction with_branches_of(double time) const;
    // *branch_time: NaN means the time that the function is asked for.
    void follow(std::shared_ptr<const double> branch_time) { branch_time_ = std::move(branch_time); }

    friend TimeFunction operator+(const TimeFunction& a, const TimeFunction& b) { return of(TimeOperation::add, a, b); }
    friend TimeFunction operator-(const TimeFunction& a, const TimeFunction& b) {
        return of(TimeOperation::subtract, a, b);
    }
    friend TimeFunction operator*(const TimeFunction& a, const TimeFunction& b) {
        return of(TimeOperation::multiply, a, b);
    }
    friend TimeFunction operator/(const TimeFunction& a, const TimeFunction& b) {
        return of(TimeOperation::divide, a, b);
    }
    friend TimeFunction operator-(const TimeFunction& a) { return of(TimeOperation::negate, a); }
    friend TimeFunction sin(const TimeFunction& a) { return of(TimeOperation::sine, a); }
    friend TimeFunction cos(const TimeFunction& a) { return of(TimeOperation::cosine, a); }

  private:
    static TimeFunction of(TimeOperation operation, const TimeFunction& a, const TimeFunction& b, const TimeFunction& c,
                           int operands) {
        std::vector<TimeInstruction> joined;
        std::size_t last[3] = {0, 0, 0};
        const TimeFunction* const functions[3] = {&a, &b, &c};
        for (int i = 0; i < operands; ++i) {
            const std::size_t offset = joined.size();
            for (TimeInstruction instruction : functions[i]->instructions_) {
                instruction.a += offset, instruction.b += offset, instruction.c += offset;
                joined.push_back(instruction);
            }
            last[i] = joined.size() - 1;
        }
        joined.push_back({operation, 0.0, last[0], last[1], last[2]});
        return TimeFunction(std::move(joined));
    }

    std::vector<double> values_at(double time) const;

    std::vector<TimeInstruction> instructions_;
    std::shared_ptr<const double> branch_time_;
};

// Longer than the round-off of a time.
inline double moment_after(double time) { return time + 1e-12 * std::abs(time) + 1e-18; }

template <class Scalar>
Scalar TimeFunction::operator()(const Scalar& time, const std::vector<Scalar>& variables) const {
    if (branch_time_ != nullptr) {
        const double given = *branch_time_;
        return with_branches_of(given == given ? given : moment_after(plain_value(time)))(time, variables);
    }
    using std::sin, std::cos, std::tan, std::exp, std::log, std::sqrt, std::pow, std::atan2, std::tanh;
    std::vector<Scalar> values;
    values.reserve(instructions_.size());
    const auto value_of = [&](const TimeInstruction& instruction) -> Scalar {
        if (instruction.operation == TimeOperation::constant) return Scalar(instruction.constant);
        if (instruction.operation == TimeOperation::time) return time;
        if (instruction.operation == TimeOperation::variable) return variables[instruction.a];
        if (instruction.operation == TimeOperation::tabulated) return (*instruction.table)(values[instruction.a]);
        const Scalar &a = values[instruction.a], &b = values[instruction.b];
        switch (instruction.operation) {
            case TimeOperation::add:
                return a + b;
            case TimeOperation::subtract:
                return a - b;
            case TimeOperation::multiply:
                return a * b;
            case TimeOperation::divide:
                return a / b;
            case TimeOperation::negate:
                return -a;
            case TimeOperation::sine:
                return sin(a);
            case TimeOperation::cosine:
                return cos(a);
            case TimeOperation::tangent:
                return tan(a);
            case TimeOperation::exponential:
                return exp(a);
            case TimeOperation::logarithm:
                return log(a);
            case TimeOperation::square_root:
                return sqrt(a);
            case TimeOperation::power:
                return pow(a, b);
            case TimeOperation::absolute:
                return plain_value(a) < 0.0 ? -a : a;
            case TimeOperation::minimum:
                return plain_value(b) < plain_value(a) ? b : a;
            case TimeOperation::maximum:
                return plain_value(b) > plain_value(a) ? b : a;
            case TimeOperation::less:
                return Scalar(plain_value(a) < plain_value(b) ? 1.0 : 0.0);
            case TimeOperation::choose:
                return plain_value(a) != 0.0 ? b : values[instruction.c];
            case TimeOperation::arctangent2:
                return atan2(a, b);
            default:
                return tanh(a);
        }
    };
    for (const TimeInstruction& instruction : instructions_) values.push_back(value_of(instruction));
    return values.back();
}

// A function of time, its rate and its second derivative.
std::array<double, 3> with_derivatives(const TimeFunction& function, double time_s);

}  // namespace myriad::reference
