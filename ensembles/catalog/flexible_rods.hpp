// Slider-cranks with clearance and a flexible rod, by the timestepping of the other systems with contact.
#pragma once
#include "ensembles/catalog/contact.hpp"
#include "kernels/systems/slider_crank_flexible_sizes.hpp"

namespace myriad::inline MYRIAD_VARIANT {

using FlexibleRodSystems = SystemList<SliderCrankFlexible2Elements, SliderCrankFlexible2Modes>;

using FlexibleRods = Family<FlexibleRodSystems, RotationAlone, ContactIntegrators>;

}  // namespace myriad::inline MYRIAD_VARIANT
