// Sizes of the slider-crank with a flexible rod: numbers of finite elements or of modes, and the frame that goes with
// them. Those in the catalog can be named by a study; the reference path knows all of them.
//
// Two elements give the first bending frequency to 1e-3 and the first axial one to 3 %; modes are fewer coordinates,
// but axial ones have no strain at the end that the slider pulls and converge slowly there (the page nonsmooth_paper of
// `myriad bench`). Not handled: sizes at run time.
#pragma once
#include "kernels/systems/slider_crank_flexible.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct FlexibleElements1 : BeamElements<1, BeamFrame::tangential> {
    static constexpr const char* name = "slider_crank_flexible_1_element";
    static constexpr const char* summary = "slider-crank with clearance, rod of 1 beam element, tangential frame";
};
struct FlexibleElements2 : BeamElements<2, BeamFrame::tangential> {
    static constexpr const char* name = "slider_crank_flexible_2_elements";
    static constexpr const char* summary = "slider-crank with clearance, rod of 2 beam elements, tangential frame";
};
struct FlexibleElements4 : BeamElements<4, BeamFrame::tangential> {
    static constexpr const char* name = "slider_crank_flexible_4_elements";
    static constexpr const char* summary = "slider-crank with clearance, rod of 4 beam elements, tangential frame";
};
struct FlexiblePinnedElements2 : BeamElements<2, BeamFrame::pinned> {
    static constexpr const char* name = "slider_crank_flexible_2_elements_pinned";
    static constexpr const char* summary = "slider-crank with clearance, rod of 2 beam elements, pinned frame";
};
struct FlexibleModes2 : BeamModes<BeamEnds::clamped_free, 2, 2> {
    static constexpr const char* name = "slider_crank_flexible_2_modes";
    static constexpr const char* summary =
        "slider-crank with clearance, rod of 2 bending and 2 axial modes, clamped and free";
};
struct FlexiblePinnedModes2 : BeamModes<BeamEnds::pinned_pinned, 2, 2> {
    static constexpr const char* name = "slider_crank_flexible_2_modes_pinned";
    static constexpr const char* summary =
        "slider-crank with clearance, rod of 2 bending and 2 axial modes, pinned at both ends";
};
struct FlexibleArticulatedModes2 : BeamModes<BeamEnds::articulated_free, 2, 2> {
    static constexpr const char* name = "slider_crank_flexible_2_modes_articulated";
    static constexpr const char* summary =
        "slider-crank with clearance, rod of 2 bending and 2 axial modes, pinned at its root and free";
};
struct FlexibleFreeModes2 : BeamModes<BeamEnds::free_free, 2, 2> {
    static constexpr const char* name = "slider_crank_flexible_2_modes_free";
    static constexpr const char* summary =
        "slider-crank with clearance, rod of 2 bending and 2 axial modes, bending modes free at both ends";
};

template <class R, template <class> class ChartOf>
using SliderCrankFlexible1Element = SliderCrankFlexible<R, ChartOf, FlexibleElements1>;
template <class R, template <class> class ChartOf>
using SliderCrankFlexible2Elements = SliderCrankFlexible<R, ChartOf, FlexibleElements2>;
template <class R, template <class> class ChartOf>
using SliderCrankFlexible4Elements = SliderCrankFlexible<R, ChartOf, FlexibleElements4>;
template <class R, template <class> class ChartOf>
using SliderCrankFlexible2ElementsPinned = SliderCrankFlexible<R, ChartOf, FlexiblePinnedElements2>;
template <class R, template <class> class ChartOf>
using SliderCrankFlexible2Modes = SliderCrankFlexible<R, ChartOf, FlexibleModes2>;
template <class R, template <class> class ChartOf>
using SliderCrankFlexible2ModesPinned = SliderCrankFlexible<R, ChartOf, FlexiblePinnedModes2>;
template <class R, template <class> class ChartOf>
using SliderCrankFlexible2ModesArticulated = SliderCrankFlexible<R, ChartOf, FlexibleArticulatedModes2>;
template <class R, template <class> class ChartOf>
using SliderCrankFlexible2ModesFree = SliderCrankFlexible<R, ChartOf, FlexibleFreeModes2>;

}  // namespace myriad::inline MYRIAD_VARIANT
