#include "host/reference/explicit/butcher_tables.hpp"

#include <cmath>

#include "host/text/user_error.hpp"

namespace myriad::reference {

namespace {

ButcherTable rk4() {
    ButcherTable table{"rk4", 4, 0, Eigen::MatrixXd(4, 4), Eigen::VectorXd(4), {}};
    table.a << 0, 0, 0, 0,  //
        1.0 / 2, 0, 0, 0,   //
        0, 1.0 / 2, 0, 0,   //
        0, 0, 1, 0;
    table.b << 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6;
    return table;
}

// The abscissae are the four Lobatto points 0, (1 -+ 1/sqrt 5)/2, 1, the inner two used more than once.
ButcherTable rk67() {
    const double r = std::sqrt(5.0);
    ButcherTable table{"rk67", 6, 0, Eigen::MatrixXd(7, 7), Eigen::VectorXd(7), {}};
    table.a << 0, 0, 0, 0, 0, 0, 0,                                           //
        (5 - r) / 10, 0, 0, 0, 0, 0, 0,                                       //
        -r / 10, (5 + 2 * r) / 10, 0, 0, 0, 0, 0,                             //
        (-15 + 7 * r) / 20, (-1 + r) / 4, (15 - 7 * r) / 10, 0, 0, 0, 0,      //
        (5 - r) / 60, 0, 1.0 / 6, (15 + 7 * r) / 60, 0, 0, 0,                 //
        (5 + r) / 60, 0, (9 - 5 * r) / 12, 1.0 / 6, (-5 + 3 * r) / 10, 0, 0,  //
        1.0 / 6, 0, (-55 + 25 * r) / 12, (-25 - 7 * r) / 12, 5 - 2 * r, (5 + r) / 2, 0;
    table.b << 1.0 / 12, 0, 0, 0, 5.0 / 12, 5.0 / 12, 1.0 / 12;
    return table;
}

ButcherTable ode23() {
    ButcherTable table{"ode23", 3, 2, Eigen::MatrixXd(4, 4), Eigen::VectorXd(4), Eigen::VectorXd(4)};
    table.a << 0, 0, 0, 0,  //
        1.0 / 2, 0, 0, 0,   //
        0, 3.0 / 4, 0, 0,   //
        2.0 / 9, 1.0 / 3, 4.0 / 9, 0;
    table.b << 2.0 / 9, 1.0 / 3, 4.0 / 9, 0;
    table.b_embedded << 7.0 / 24, 1.0 / 4, 1.0 / 3, 1.0 / 8;
    return table;
}

ButcherTable dopri5() {
    ButcherTable table{"dopri5", 5, 4, Eigen::MatrixXd(7, 7), Eigen::VectorXd(7), Eigen::VectorXd(7)};
    table.a << 0, 0, 0, 0, 0, 0, 0,                                                     //
        1.0 / 5, 0, 0, 0, 0, 0, 0,                                                      //
        3.0 / 40, 9.0 / 40, 0, 0, 0, 0, 0,                                              //
        44.0 / 45, -56.0 / 15, 32.0 / 9, 0, 0, 0, 0,                                    //
        19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0, 0, 0,         //
        9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656, 0, 0,  //
        35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0;
    table.b << 35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0;
    table.b_embedded << 5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100, 1.0 / 40;
    return table;
}

}  // namespace

const std::vector<ButcherTable>& butcher_tables() {
    static const std::vector<ButcherTable> tables{rk4(), rk67(), ode23(), dopri5()};
    return tables;
}

const ButcherTable& butcher_table(const std::string& name) {
    std::string list;
    for (const ButcherTable& table : butcher_tables()) {
        if (table.name == name) return table;
        list += (list.empty() ? "" : ", ") + table.name;
    }
    throw UserError(ExitCode::usage_or_input, "integrator " + name, "there is no such Runge-Kutta method",
                    "the methods are: " + list);
}

}  // namespace myriad::reference
