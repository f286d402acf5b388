// The parameters and channels of the slider-crank with a flexible rod as people read them; see
// slider_crank_flexible.hpp. Defaults beside those of the rigid one: the section A = m2/(rho l2), I = A (J2/m2 -
// l2^2/12), E = 2e11 Pa and rho = 7800 kg/m^3 of nonsmooth sect. 3. The initial deformation has as many entries as the
// rod has coordinates; each says which one it is. Host only.
#pragma once
#include "kernels/systems/beam_coordinate.hpp"
#include "kernels/systems/slider_crank_parameters.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct SliderCrankFlexibleDescription {
    static constexpr double youngs_modulus = 2e11, density = 7800.0, section_area = 0.038 / (density * 0.306),
                            second_moment = section_area * (5.9e-4 / 0.038 - 0.306 * 0.306 / 12);

    static constexpr ParameterDescription of_rod[] = {
        {"rod.bending_stiffness_N_m2", "N m^2", youngs_modulus* second_moment, "Young's modulus times second moment"},
        {"rod.axial_stiffness_N", "N", youngs_modulus* section_area, "Young's modulus times area of the cross-section"},
        {"rod.damping_time_s", "s", 0.0,
         "of Kelvin and Voigt's material, stress = E (strain + this time times its rate); 0 as published"},
        {"rod.bending_turns_sections", "1", 0.0,
         "share of the inertia beyond mass length^2/12, that of the cross-sections, that bending turns: 0 as "
         "published, "
         "1 Rayleigh's beam"},
    };
    static constexpr ChannelDescription channels[] = {
        {"position", "m", "world", "x y z", true,
         "middle of the crank, the rod's centre of mass, middle of the slider"},
        {"orientation", "1", "body to world", "w x y z", true, "about z; of the rod: its frame"},
        {"velocity", "m/s", "world", "x y z", true, "velocity"},
        {"angular_velocity", "rad/s", "body", "x y z", true, "angular velocity; of the rod: its frame"},
        {"angle", "rad", "", "x y z", false, "of crank, rod's frame and slider"},
        {"rate", "rad/s", "", "x y z", false, "its rate"},
        {"end_displacement", "m", "rod's frame", "x y", false, "of the rod's end from where it is undeformed"},
        {"root_moment", "N m", "", "", false, "bending moment at the rod's root, EI w'', damping counted"},
        {"energy", "J", "", "", false, "kinetic, elastic and potential energy, with the torque's"},
    };
};

// The list of parameters, put together at compile time.
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

// The initial values of the undeformed rod, then places and rates of its coordinates.
template <class Shapes>
constexpr auto slider_crank_flexible_parameters() {
    constexpr int elastic = DeformationTexts<Shapes>::count;
    const DeformationTexts<Shapes>& texts = deformation_texts<Shapes>;
    ParameterList<26 + 2 * elastic> list{};
    list.add(SliderCrankParameters::of_bodies)
        .add(SliderCrankFlexibleDescription::of_rod)
        .add(SliderCrankParameters::of_motion);
    const auto is_angle = [](int i) { return Shapes::coordinate(i).kind == BeamCoordinateKind::slope; };
    for (int i = 0; i < elastic; ++i)
        list.add({texts.place[i].text, is_angle(i) ? "rad" : "1", 0.0, texts.meaning[i].text});
    for (int i = 0; i < elastic; ++i)
        list.add({texts.rate[i].text, is_angle(i) ? "rad/s" : "1/s", 0.0, texts.rate_meaning[i].text});
    return list;
}

}  // namespace myriad::inline MYRIAD_VARIANT
