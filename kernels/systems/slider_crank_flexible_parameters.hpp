// The parameters of the slider-crank with a flexible rod. Defaults beside those of the rigid one: the section A =
// m2/(rho l2), I = A (J2/m2 - l2^2/12), E = 2e11 Pa and rho = 7800 kg/m^3 of nonsmooth sect. 3. The initial deformation
// has as many entries as the rod has coordinates; each says which one it is.
#pragma once
#include "kernels/systems/slider_crank_parameters.hpp"
#if !defined(__CUDACC_RTC__)
#include "kernels/systems/beam_coordinate.hpp"
#endif

namespace myriad::inline MYRIAD_VARIANT {

template <class R>
struct FlexibleRodMaterial {
    using Real = R;
    Real bending_stiffness, axial_stiffness, damping_time, bending_turns_sections;

    static constexpr double youngs_modulus = 2e11, density = 7800.0, section_area = 0.038 / (density * 0.306),
                            second_moment = section_area * (5.9e-4 / 0.038 - 0.306 * 0.306 / 12);

    template <class Visit>
    MYRIAD_HD constexpr void describe(Visit visit) {
        visit(bending_stiffness, {"rod.bending_stiffness_N_m2", "N m^2", youngs_modulus * second_moment,
                                  "Young's modulus times second moment"});
        visit(axial_stiffness, {"rod.axial_stiffness_N", "N", youngs_modulus * section_area,
                                "Young's modulus times area of the cross-section"});
        visit(damping_time,
              {"rod.damping_time_s", "s", 0.0,
               "of Kelvin and Voigt's material, stress = E (strain + this time times its rate); 0 as published"});
        visit(bending_turns_sections, {"rod.bending_turns_sections", "1", 0.0,
                                       "share of the inertia beyond mass length^2/12, that of the cross-sections, that "
                                       "bending turns: 0 as published, 1 Rayleigh's beam"});
    }
};

#if !defined(__CUDACC_RTC__)
// Put together at compile time.
struct DescriptionText {
    char text[80] = {};
    int length = 0;

    constexpr DescriptionText& add(const char* more) {
        for (; *more != '\0'; ++more) text[length++] = *more;
        return *this;
    }
    constexpr DescriptionText& add(int number) {
        if (number >= 10) add(number / 10);
        text[length++] = static_cast<char>('0' + number % 10);
        return *this;
    }
};

template <class Shapes>
struct DeformationTexts {
    static constexpr int count = Shapes::axial + Shapes::transverse;
    DescriptionText place[count], rate[count], meaning[count], rate_meaning[count];

    static constexpr DeformationTexts made() {
        DeformationTexts texts{};
        for (int i = 0; i < count; ++i) {
            const BeamCoordinate coordinate = Shapes::coordinate(i);
            texts.place[i].add("initial_deformation[").add(i).add("]");
            texts.rate[i].add("initial_deformation_rate_1_s[").add(i).add("]");
            texts.meaning[i].add("initial ").add(name_of(coordinate.kind)).add(coordinate.number);
            if (coordinate.kind != BeamCoordinateKind::slope) texts.meaning[i].add(", part of the rod's length");
            texts.rate_meaning[i].add("its initial rate");
        }
        return texts;
    }
};
template <class Shapes>
inline constexpr DeformationTexts<Shapes> deformation_texts = DeformationTexts<Shapes>::made();
#endif

template <class R, class Shapes>
struct SliderCrankFlexibleParameters {
    using Real = R;
    static constexpr int elastic = Shapes::axial + Shapes::transverse;
    SliderCrankBodies<Real> bodies;
    FlexibleRodMaterial<Real> rod;
    SliderCrankMotion<Real> motion;
    Vec<elastic, Real> initial_deformation, initial_deformation_rate;

    template <class Visit>
    MYRIAD_HD constexpr void describe(Visit visit) {
        bodies.describe(visit), rod.describe(visit), motion.describe(visit);
        MYRIAD_UNROLL_PLAN for (int i = 0; i < elastic; ++i) visit(initial_deformation[i], described(i, false));
        MYRIAD_UNROLL_PLAN for (int i = 0; i < elastic; ++i) visit(initial_deformation_rate[i], described(i, true));
    }

  private:
    static MYRIAD_HD constexpr ParameterDescription described([[maybe_unused]] int i, [[maybe_unused]] bool rate) {
#if defined(__CUDACC_RTC__)
        return {};
#else
        const DeformationTexts<Shapes>& texts = deformation_texts<Shapes>;
        const bool is_angle = Shapes::coordinate(i).kind == BeamCoordinateKind::slope;
        if (rate) return {texts.rate[i].text, is_angle ? "rad/s" : "1/s", 0.0, texts.rate_meaning[i].text};
        return {texts.place[i].text, is_angle ? "rad" : "1", 0.0, texts.meaning[i].text};
#endif
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
