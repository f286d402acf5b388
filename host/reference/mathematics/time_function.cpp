#include "host/reference/mathematics/time_function.hpp"

namespace myriad::reference {

std::vector<double> TimeFunction::values_at(double time) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < instructions_.size(); ++i) {
        const auto first = instructions_.begin();
        values.push_back(TimeFunction(std::vector(first, first + static_cast<std::ptrdiff_t>(i) + 1))(time));
    }
    return values;
}

std::vector<int> TimeFunction::branches_at(double time) const {
    const std::vector<double> values = values_at(time);
    std::vector<int> branches;
    for (const TimeInstruction& instruction : instructions_) {
        const double a = values[instruction.a], b = values[instruction.b];
        switch (instruction.operation) {
            case TimeOperation::absolute:
                branches.push_back(a < 0.0 ? 1 : 0);
                break;
            case TimeOperation::minimum:
                branches.push_back(b < a ? 1 : 0);
                break;
            case TimeOperation::maximum:
                branches.push_back(b > a ? 1 : 0);
                break;
            case TimeOperation::less:
                branches.push_back(a < b ? 1 : 0);
                break;
            case TimeOperation::choose:
                branches.push_back(a != 0.0 ? 1 : 0);
                break;
            case TimeOperation::tabulated:
                branches.push_back(instruction.table->branch_of(a));
                break;
            default:
                break;
        }
    }
    return branches;
}

TimeFunction TimeFunction::with_branches_of(double time) const {
    const std::vector<int> branches = branches_at(time);
    std::vector<TimeInstruction> fixed;
    std::vector<std::size_t> place;  // of each instruction among the fixed ones
    std::size_t next = 0;
    for (const TimeInstruction& given : instructions_) {
        TimeInstruction own = given;
        if (!place.empty()) own.a = place[given.a], own.b = place[given.b], own.c = place[given.c];
        const auto is_first = [&] { return branches[next++] == 0; };
        switch (given.operation) {
            case TimeOperation::absolute:
                if (is_first()) {
                    place.push_back(own.a);
                    continue;
                }
                own.operation = TimeOperation::negate;
                break;
            case TimeOperation::minimum:
            case TimeOperation::maximum:
                place.push_back(is_first() ? own.a : own.b);
                continue;
            case TimeOperation::choose:
                place.push_back(is_first() ? own.c : own.b);
                continue;
            case TimeOperation::less:
                own = {TimeOperation::constant, static_cast<double>(branches[next++])};
                break;
            case TimeOperation::tabulated:
                own.table = std::make_shared<TabulatedFunction>(given.table->of_branch(branches[next++]));
                break;
            default:
                break;
        }
        place.push_back(fixed.size());
        fixed.push_back(own);
    }
    fixed.resize(place.back() + 1);
    return TimeFunction(std::move(fixed));
}

std::array<double, 3> with_derivatives(const TimeFunction& function, double time_s) {
    using Once = Differentiated<double, 1>;
    Differentiated<Once, 1> time(time_s);
    time.value.derivative[0] = time.derivative[0].value = 1.0;
    const Differentiated<Once, 1> f = function(time);
    return {f.value.value, f.value.derivative[0], f.derivative[0].derivative[0]};
}

}  // namespace myriad::reference
