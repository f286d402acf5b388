// The status with which an instance ends for a reason, at its start and on its way.
#pragma once
#include "kernels/math/real.hpp"
#include "kernels/system/status.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class Real>
MYRIAD_HD Real status_code(Status status) {
    return Real(static_cast<double>(status));
}
template <class Real>
MYRIAD_HD Real status_if(Real reason, Reason given, Status status, Real otherwise) {
    return select(reason == Real(static_cast<double>(given)), status_code<Real>(status), otherwise);
}
// Between two launches only, as Status::running: a traced step has left the lane behind.
constexpr double status_behind = -1.0;
template <class Real>
MYRIAD_HD Real status_at_start(Real reason) {
    Real status = status_code<Real>(Status::invalid_parameter);
    status = status_if(reason, Reason::chart_at_its_singularity, Status::chart_singular, status);
    status = status_if(reason, Reason::constraints_inconsistent, Status::assembly_failed, status);
    status = status_if(reason, Reason::start_penetrates, Status::assembly_failed, status);
    status = status_if(reason, Reason::no_equilibrium, Status::assembly_failed, status);
    status = status_if(reason, Reason::prox_did_not_converge, Status::prox_stalled, status);
    status = status_if(reason, Reason::start_without_forces, Status::prox_stalled, status);
    status = status_if(reason, Reason::impact_did_not_converge, Status::prox_stalled, status);
    status = status_if(reason, Reason::matrix_singular, Status::singular_matrix, status);
    return status_if(reason, Reason::loop_does_not_close, Status::assembly_failed, status);
}
// Where parameters that have changed on the way leave an instance without a memory.
template <class Real>
MYRIAD_HD Real status_without_memory(Real reason) {
    return status_if(reason, Reason::state_not_finite, Status::not_finite, status_at_start(reason));
}
template <class Real>
MYRIAD_HD Real status_of(Real reason) {
    Real status = status_code<Real>(Status::not_finite);
    status = status_if(reason, Reason::rotation_beyond_series, Status::step_rotation_too_large, status);
    status = status_if(reason, Reason::step_below_smallest, Status::step_too_small, status);
    status = status_if(reason, Reason::newton_did_not_converge, Status::newton_stalled, status);
    status = status_if(reason, Reason::projection_did_not_converge, Status::newton_stalled, status);
    status = status_if(reason, Reason::prox_did_not_converge, Status::prox_stalled, status);
    status = status_if(reason, Reason::impact_did_not_converge, Status::prox_stalled, status);
    status = status_if(reason, Reason::matrix_singular, Status::singular_matrix, status);
    status = status_if(reason, Reason::driver_breaks, Status::invalid_parameter, status);
    status = status_if(reason, Reason::rows_lose_rank, Status::singular_matrix, status);
    status = status_if(reason, Reason::spare_row_not_met, Status::singular_matrix, status);
    return status_if(reason, Reason::chart_at_its_singularity, Status::chart_singular, status);
}

}  // namespace myriad::inline MYRIAD_VARIANT
