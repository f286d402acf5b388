// What the slider-crank with a flexible rod tells people about its parameters and channels; see
// slider_crank_flexible.hpp. Defaults: nonsmooth Table 1, with the section A = m2/(rho l2), I = A (J2/m2 - l2^2/12),
// E = 2e11 Pa and rho = 7800 kg/m^3 of nonsmooth sect. 3. The initial deformation has as many entries as the rod has
// coordinates; each says which one it is. Host only.
#pragma once
#include "kernels/description.hpp"
#include "kernels/systems/beam_coordinate.hpp"

namespace myriad::inline MYRIAD_VARIANT {

struct SliderCrankFlexibleDescription {
    static constexpr double youngs_modulus = 2e11, density = 7800.0, section_area = 0.038 / (density * 0.306),
                            second_moment = section_area * (5.9e-4 / 0.038 - 0.306 * 0.306 / 12);

    static constexpr ParameterDescription common[] = {
        {"crank.length_m", "m", 0.153, "length of the crank"},
        {"rod.length_m", "m", 0.306, "length of the undeformed rod"},
        {"slider.half_length_m", "m", 0.05, "half the length of the slider, along the slot"},
        {"slider.half_height_m", "m", 0.025, "half its height"},
        {"clearance_m", "m", 0.001, "between the slider and either wall of the slot; 0: held without clearance"},
        {"crank.mass_kg", "kg", 0.038, "mass of the crank"},
        {"rod.mass_kg", "kg", 0.038, "mass of the rod, the same per length everywhere"},
        {"slider.mass_kg", "kg", 0.076, "mass of the slider"},
        {"crank.inertia_kg_m2", "kg m^2", 7.4e-5, "of the crank about its middle"},
        {"rod.inertia_kg_m2", "kg m^2", 5.9e-4,
         "of the undeformed rod about its middle; beyond mass length^2/12 it is that of its cross-sections"},
        {"slider.inertia_kg_m2", "kg m^2", 2.7e-6, "of the slider about its middle"},
        {"rod.bending_stiffness_N_m2", "N m^2", youngs_modulus* second_moment, "Young's modulus times second moment"},
        {"rod.axial_stiffness_N", "N", youngs_modulus* section_area, "Young's modulus times area of the cross-section"},
        {"rod.damping_time_s", "s", 0.0,
         "of Kelvin and Voigt's material, stress = E (strain + this time times its rate); 0 as published"},
        {"rod.bending_turns_sections", "1", 0.0,
         "share of the cross-sections' inertia that bending turns: 0 as published, 1 Rayleigh's beam"},
        {"gravity_m_s2", "m/s^2", 9.81, "acceleration of gravity along -y"},
        {"crank.torque_N_m", "N m", 0.0, "constant torque on the crank"},
        {"friction", "1", 0.01, "coefficient of Coulomb's friction at each corner"},
        {"normal_restitution", "1", 0.4, "Newton's coefficient of restitution, normal"},
        {"tangential_restitution", "1", 0.0, "the same, tangential"},
        {"initial_angle_rad[0]", "rad", 0.0, "initial angle of the crank from the slot's axis x"},
        {"initial_angle_rad[1]", "rad", 0.0, "the same, undeformed rod"},
        {"initial_angle_rad[2]", "rad", 0.0, "the same, slider"},
        {"initial_rate_rad_s[0]", "rad/s", 150.0, "initial rate of the crank"},
        {"initial_rate_rad_s[1]", "rad/s", -75.0, "the same, undeformed rod"},
        {"initial_rate_rad_s[2]", "rad/s", 0.0, "the same, slider"},
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

template <class Shapes>
struct SliderCrankFlexibleParameters {
    static constexpr int common = sizeof(SliderCrankFlexibleDescription::common) / sizeof(ParameterDescription),
                         elastic = DeformationTexts<Shapes>::count, count = common + 2 * elastic;
    ParameterDescription descriptions[count];

    constexpr SliderCrankFlexibleParameters() : descriptions{} {
        const DeformationTexts<Shapes>& texts = deformation_texts<Shapes>;
        for (int i = 0; i < common; ++i) descriptions[i] = SliderCrankFlexibleDescription::common[i];
        for (int i = 0; i < elastic; ++i) {
            const bool angle = Shapes::coordinate(i).kind == BeamCoordinateKind::slope;
            descriptions[common + i] = {texts.place[i].text, angle ? "rad" : "1", 0.0, texts.meaning[i].text};
            descriptions[common + elastic + i] = {texts.rate[i].text, angle ? "rad/s" : "1/s", 0.0,
                                                  texts.rate_meaning[i].text};
        }
    }
    constexpr const ParameterDescription& operator[](int i) const { return descriptions[i]; }
    constexpr const ParameterDescription* begin() const { return descriptions; }
    constexpr const ParameterDescription* end() const { return descriptions + count; }
};

}  // namespace myriad::inline MYRIAD_VARIANT
