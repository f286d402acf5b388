// Coefficients of the explicit Runge-Kutta methods, as data.
//
//   y_i = y_n + h sum_j a_ij k_j,   k_i = f(t_n + c_i h, y_i),   y_n+1 = y_n + h sum_i b_i k_i
//
// An embedded pair has a second row of weights, whose result differs from the first by the error estimate.
//   rk4     order 4, 4 stages         the classical method of Kutta ("RK44")
//   rk67    order 6, 7 stages         Butcher, On Runge-Kutta processes of high order, J. Austral. Math. Soc. 4 (1964)
//                                     179-194, the member with sqrt(5) ("RK67")
//   ode23   order 3(2), 4 stages      Bogacki and Shampine, Appl. Math. Lett. 2 (1989) 321-325
//   dopri5  order 5(4), 7 stages      Dormand and Prince, J. Comput. Appl. Math. 6 (1980) 19-26
#pragma once
#include <Eigen/Dense>
#include <string>
#include <vector>

namespace myriad::reference {

struct ButcherTable {
    std::string name;
    int order;
    int embedded_order;  // 0: no second row of weights
    Eigen::MatrixXd a;
    Eigen::VectorXd b, b_embedded;

    Eigen::Index stages() const { return b.size(); }
    Eigen::VectorXd c() const { return a.rowwise().sum(); }
};

const std::vector<ButcherTable>& butcher_tables();

// Throws UserError for a name that is not in the list.
const ButcherTable& butcher_table(const std::string& name);

}  // namespace myriad::reference
