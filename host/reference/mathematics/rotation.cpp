#include "host/reference/mathematics/rotation.hpp"

namespace myriad::reference {

Eigen::Vector3d tangent_inverse(const Eigen::Vector3d& u, const Eigen::Vector3d& w) {
    return tangent_operator(u).partialPivLu().solve(w);
}

}  // namespace myriad::reference
