// A function of time over a time, by the arithmetic of intervals: whether it keeps its branches.
#include <map>
#include <utility>

#include "host/reference/mathematics/time_function.hpp"

namespace myriad::reference {

namespace {

class Pass {
  public:
    Pass(const std::vector<TimeInstruction>& instructions, const Interval& times, const std::vector<int>& branches)
        : instructions_(instructions), times_(times) {
        std::size_t next = 0;
        for (std::size_t i = 0; i < instructions.size(); ++i)
            if (has_branches(instructions[i].operation)) branch_[i] = branches[next++];
    }

    struct Seen {
        Interval values;
        bool turns = false, is_sharp = false;
    };
    const Seen& at(std::size_t i) {
        const auto known = seen_.find(i);
        return known != seen_.end() ? known->second : seen_.emplace(i, look(i)).first->second;
    }

  private:
    static bool has_branches(TimeOperation operation) {
        using enum TimeOperation;
        return operation == absolute || operation == minimum || operation == maximum || operation == less ||
               operation == choose || operation == tabulated;
    }
    Seen look(std::size_t i) {
        using enum TimeOperation;
        const TimeInstruction& given = instructions_[i];
        if (given.operation == constant) return {Interval::at(given.constant)};
        if (given.operation == time) return {times_};
        if (given.operation == variable) return {};
        if (given.operation == choose) return chosen(given, branch_[i]);
        const Seen a = at(given.a);
        const Interval& u = a.values;
        Seen seen = a;
        switch (given.operation) {
            case negate:
                seen.values = -u;
                return seen;
            case sine:
                seen.values = u.sine(0.0);
                return seen;
            case cosine:
                seen.values = u.sine(0.5 * std::numbers::pi);
                return seen;
            case tangent:
                seen.values = u.high - u.low < 3.0 ? u.risen([](double x) { return std::tan(x); }) : Interval{};
                seen.is_sharp = a.is_sharp || !seen.values.is_bounded();
                return seen;
            case exponential:
                seen.values = u.risen([](double x) { return std::exp(x); });
                return seen;
            case logarithm:
                seen.values = u.risen([](double x) { return std::log(x); });
                seen.is_sharp = a.is_sharp || (u.low <= 0.0 && !u.is_point());
                return seen;
            case hyperbolic_tangent:
                seen.values = u.risen([](double x) { return std::tanh(x); });
                return seen;
            case square_root:
                seen.values = u.risen([](double x) { return std::sqrt(std::max(x, 0.0)); });
                seen.is_sharp = a.is_sharp || (u.low <= 0.0 && !u.is_point());
                return seen;
            case absolute:
                seen.values = branch_[i] == 1 ? -u : u;
                seen.turns = a.turns || (branch_[i] == 1 ? u.high > 0.0 : u.low < 0.0);
                return seen;
            case tabulated:
                seen.values = given.table->of_branch(branch_[i]).over(u);
                seen.turns = a.turns || given.table->branch_of(u.low) != branch_[i] ||
                             given.table->branch_of(u.high) != branch_[i];
                return seen;
            default:
                return of_two(given, a, at(given.b), branch_[i]);
        }
    }
    Seen chosen(const TimeInstruction& given, int branch) {
        const Seen condition = at(given.a), taken = at(branch == 0 ? given.c : given.b);
        const bool stays =
            branch == 0 ? condition.values.is_point() && condition.values.has(0.0) : !condition.values.has(0.0);
        return {taken.values, condition.turns || taken.turns || !stays, taken.is_sharp};
    }
    static Seen of_two(const TimeInstruction& given, const Seen& a, const Seen& b, int branch) {
        using enum TimeOperation;
        const Interval &u = a.values, &v = b.values;
        Seen seen{{}, a.turns || b.turns, a.is_sharp || b.is_sharp};
        switch (given.operation) {
            case add:
                seen.values = u + v;
                break;
            case subtract:
                seen.values = u + -v;
                break;
            case multiply:
                seen.values = given.a == given.b ? u.squared() : u * v;
                break;
            case divide:
                seen.values = u * v.inverse();
                seen.is_sharp = seen.is_sharp || (v.has(0.0) && !v.is_point());
                break;
            case power:
                if (u.low >= 0.0)
                    seen.values = Interval::at_corners(u, v, [](double x, double y) { return std::pow(x, y); });
                seen.is_sharp = seen.is_sharp || (u.low <= 0.0 && v.low < 1.0 && !(u.is_point() && v.is_point()));
                break;
            case arctangent2: {
                const bool rests = u.is_point() && (v.is_point() || v.high < 0.0),
                           is_cut = u.has(0.0) && v.low <= 0.0 && !rests;
                seen.values = is_cut ? Interval{-std::numbers::pi, std::numbers::pi}
                                     : Interval::at_corners(u, v, [](double y, double x) { return std::atan2(y, x); });
                seen.is_sharp = seen.is_sharp || is_cut;
                break;
            }
            case less:
                seen = {Interval::at(branch), seen.turns || (branch == 1 ? u.high >= v.low : u.low < v.high), false};
                break;
            case minimum:
            case maximum: {
                const Seen &taken = branch == 0 ? a : b, &other = branch == 0 ? b : a;
                const bool stays = given.operation == minimum ? taken.values.high <= other.values.low
                                                              : other.values.high <= taken.values.low;
                seen = {taken.values, seen.turns || !stays, taken.is_sharp};
                break;
            }
            default:
                break;
        }
        return seen;
    }

    const std::vector<TimeInstruction>& instructions_;
    Interval times_;
    std::map<std::size_t, int> branch_;
    std::map<std::size_t, Seen> seen_;
};

}  // namespace

TimeFunction::Passage TimeFunction::passage(const Interval& times, const std::vector<int>& branches) const {
    Pass pass(instructions_, times, branches);
    const Pass::Seen& seen = pass.at(instructions_.size() - 1);
    return seen.is_sharp ? Passage::may_have_a_corner_without_branches
           : seen.turns  ? Passage::may_turn
                         : Passage::stays;
}

}  // namespace myriad::reference
