// The rotation group itself, RV in the lgim paper and rA in the rA paper, by the iteration matrices of these papers:
// full or modified Newton, with or without the tangent operator in the matrix (lgim sect. 3.4).
//
// Everything else is the chart `rotation` of the product, whose implicit methods have iteration matrices of their own.
#pragma once
#include "kernels/orientation/orientation.hpp"

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct RotationVectorChart : RotationGroup<R> {
    static constexpr const char* name = "rotation_vector";
    static constexpr const char* summary =
        "the rotation group with the iteration matrices of the lgim and rA papers, for comparison";
};

}  // namespace myriad::inline MYRIAD_VARIANT
