// A ball on a floor in space for the reference path: the one system with contact whose configuration holds a rotation.
//
//   coordinates: the centre, then local coordinates u of the orientation R exp(u) about the pose R of the last step;
//   rates: the centre's velocity (world), the angular velocity w (body);  m x'' = m g + l,  J w' = (J w) x w + W^T l
//   slip of the lowest point x' + (R w) x (0, 0, -r); its rate with x' and w held is zero, as (R w)' = R (w x w)
#pragma once
#include "host/reference/contact/nonsmooth_system.hpp"

namespace myriad::reference {

std::unique_ptr<NonsmoothSystem> rolling_ball(const Parameters& parameters);

}  // namespace myriad::reference
