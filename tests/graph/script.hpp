// Random code with regions: assignments, MYRIAD_WHEN and MYRIAD_REPEAT, nested. It is run on any Real; lanes that do
// not take part keep their values by selects, as the rule of the kernels is.
#pragma once
#include <random>
#include <vector>

#include "kernels/math/control.hpp"

namespace myriad::graph {

struct Statement {
    enum class Kind { assign, swap, when, repeat } kind;
    int to, a, b, operation;
    std::vector<Statement> body;
};
constexpr int script_variables = 7;

// `random` gives whole numbers, as a generator does.
template <class Random>
std::vector<Statement> random_script(Random& random, int statements, int depth) {
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    std::vector<Statement> script;
    for (int i = 0; i < statements; ++i) {
        const int kind = below(depth > 0 ? 8 : 5);
        Statement statement{kind < 4   ? Statement::Kind::assign
                            : kind < 5 ? Statement::Kind::swap
                            : kind < 7 ? Statement::Kind::when
                                       : Statement::Kind::repeat,
                            below(script_variables),
                            below(script_variables),
                            below(script_variables),
                            below(9),
                            {}};
        if (kind >= 5) statement.body = random_script(random, 1 + below(5), depth - 1);
        script.push_back(statement);
    }
    return script;
}

template <class Real>
void run_script(const std::vector<Statement>& script, MaskOf<Real> lanes, Real (&x)[script_variables],
                MaskOf<Real>& flag) {
    for (const Statement& s : script) {
        const Real a = x[s.a], b = x[s.b];
        if (s.kind == Statement::Kind::assign) {
            Real value = a;
            switch (s.operation) {
                case 0:
                    value = Real(0.5) * a + b;
                    break;
                case 1:
                    value = fma(a, Real(0.25), -b);
                    break;
                case 2:
                    value = sin(a) - cos(b);
                    break;
                case 3:
                    value = select(flag, a, b);
                    break;
                case 4:
                    value = a - nearest_integer(a);
                    break;
                case 5:
                    value = Real(1.0);
                    break;
                case 6:
                    value = sqrt(absolute(a));
                    break;
                case 7:
                    flag = (lanes & (a < b)) | (flag & !lanes);
                    break;
                default:
                    value = Real(0.0);
                    break;
            }
            x[s.to] = select(lanes, value, x[s.to]);
        } else if (s.kind == Statement::Kind::swap) {
            x[s.a] = select(lanes, b, a), x[s.b] = select(lanes, a, b);
        } else if (s.kind == Statement::Kind::when) {
            const MaskOf<Real> inner = lanes & (a < b);
            MYRIAD_WHEN(inner) { run_script(s.body, inner, x, flag); }
        } else {
            Real turns(0.0);
            MaskOf<Real> going = lanes & (a <= b);
            MYRIAD_REPEAT(going & (turns < Real(4.0))) {
                const MaskOf<Real> inner = going & (turns < Real(4.0));
                run_script(s.body, inner, x, flag);
                going = going & (x[s.to] < Real(1.5));
                turns = turns + Real(1.0);
            }
        }
    }
}

}  // namespace myriad::graph
