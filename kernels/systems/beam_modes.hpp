// Eigenmodes of a straight planar beam along its length, 0 <= s <= 1, as integrals over products of them: what
// beam_elements.hpp is for finite elements. The first B bending modes of one boundary condition, and the first A axial
// modes of a bar that is fixed at s = 0 and free at s = 1, sqrt(2) sin((a - 1/2) pi s).
//
//   clamped_free      cosh b s - cos b s - c (sinh b s - sin b s), c = (sinh b - sin b)/(cosh b + cos b),
//                     cos b cosh b = -1                     the frame is tangential at s = 0       nonsmooth eq. 184
//   pinned_pinned     sin b s, sin b = 0                    the frame goes through both ends       nonsmooth eq. 185
//   articulated_free  sin b s + (sin b/sinh b) sinh b s, tan b = tanh b      the frame follows the beam's angular
//                     momentum about s = 0: the first moments vanish                               nonsmooth fig. 45
//   free_free         f(s) - f(0), f = c (sinh b s + sin b s) - cosh b s - cos b s, cos b cosh b = 1,
//                     c = (cosh b - cos b)/(sinh b - sin b)       the frame follows the mean axis: the integrals of f
//                     and s f vanish                                           nonsmooth fig. 44, eq. 191
//
// The frame of fig. 44 has its origin at the beam's centre of mass, and its root moves in it. Here the frame keeps that
// direction and has its origin at the root, which is what f(s) - f(0) means: the same motions, and no constraint
// between root and pin; in return the mean over these functions does not vanish. Each mode, without f(0), has mean
// square 1 and bending integral b^4. The numbers were computed with 40 digits from these functions; a test computes
// them again. Not handled: axial modes of a bar that is free at its root; more than four modes of a kind.
#pragma once
#include "kernels/systems/beam_elements.hpp"

namespace myriad::inline MYRIAD_VARIANT {

enum class BeamEnds { clamped_free, pinned_pinned, articulated_free, free_free };

constexpr int most_beam_modes = 4;

// The transverse modes of one boundary condition; the rows of `coupling` are the axial modes.
struct BendingModes {
    double wave_number[most_beam_modes];  // b
    double mean[most_beam_modes], first[most_beam_modes], end[most_beam_modes], root_curvature[most_beam_modes];
    double slope_product[most_beam_modes][most_beam_modes], coupling[most_beam_modes][most_beam_modes];
};

template <BeamEnds ends>
MYRIAD_HD constexpr BendingModes bending_modes() {
    if constexpr (ends == BeamEnds::clamped_free) {
        return {{1.8751040687119612, 4.6940911329741746, 7.8547574382376126, 10.995540734875467},
                {0.78299175603962574, 0.43393589511071927, 0.25442529686610571, 0.18189802163704859},
                {0.56882574370991074, 0.090766786886386966, 0.032416374369744434, 0.016542335020850631},
                {2.0, -2.0, 2.0, -2.0},
                {7.0320305370003024, 44.06898312933354, 123.3944288270982, 241.80383210461145},
                {{4.6477783186786394, -7.3798752696619795, 3.9415154871266041, -6.5933884182329869},
                 {-7.3798752696619795, 32.417399027968947, -22.352444439886853, 13.582471389900347},
                 {3.9415154871266041, -22.352444439886853, 77.298890802296175, -35.648269648788717},
                 {-6.5933884182329869, 13.582471389900347, -35.648269648788717, 142.90184883530641}},
                {{0.95864144542545259, 0.27378525434267209, 0.057713758532291792, 0.042015210293372548},
                 {-0.27730809886947011, 0.86538216555640001, 0.39696638364677152, 0.065193955255068649},
                 {0.042728331695279409, -0.3987299068176998, 0.79682490790999125, 0.42583620736477529},
                 {-0.039716601039815533, 0.067193858151680263, -0.4257514300676361, 0.77142812940786904}}};
    } else if constexpr (ends == BeamEnds::pinned_pinned) {
        return {{3.1415926535897932, 6.2831853071795865, 9.4247779607693797, 12.566370614359173},
                {0.90031631615710607, 0.0, 0.30010543871903536, 0.0},
                {0.45015815807855303, -0.22507907903927652, 0.15005271935951768, -0.11253953951963826},
                {0.0, 0.0, 0.0, 0.0},
                {0.0, 0.0, 0.0, 0.0},
                {{9.8696044010893586, 0.0, 0.0, 0.0},
                 {0.0, 39.478417604357434, 0.0, 0.0},
                 {0.0, 0.0, 88.826439609804228, 0.0},
                 {0.0, 0.0, 0.0, 157.91367041742974}},
                {{0.84882636315677512, -0.33953054526271005, 0.2182696362403136, -0.16168121202986193},
                 {0.50929581789406507, 0.72756545413437868, -0.28294212105225837, 0.18519847923420548},
                 {-0.12126090902239645, 0.56588424210451675, 0.69449429712827056, -0.26117734250977696},
                 {0.056588424210451675, -0.15433206602850457, 0.58764902064699816, 0.6790610905254201}}};
    } else if constexpr (ends == BeamEnds::articulated_free) {
        return {{3.9266023120479188, 7.0685827456287321, 10.210176122813031, 13.351768777754093},
                {0.37034554956196775, 0.19982954989454321, 0.13851741000840881, 0.10591932843446573},
                {0.0, 0.0, 0.0, 0.0},
                {-2.0, 2.0, -2.0, 2.0},
                {0.0, 0.0, 0.0, 0.0},
                {{27.231148062998361, -14.397203261994631, 15.15679984763682, -15.434576633856837},
                 {-14.397203261994631, 71.170785902828864, -24.526750863963857, 26.131757738207921},
                 {15.15679984763682, -24.526750863963857, 134.87822547475656, -34.310353294851522},
                 {-15.434576633856837, 26.131757738207921, -34.310353294851522, 218.3250358298766}},
                {{0.11839645142221909, -0.019808369368757719, 0.0065603711452886331, -0.002932591317838575},
                 {0.96636135300531782, 0.2216167358637852, -0.061815226448647155, 0.02680418780133801},
                 {-0.19219269108743827, 0.94246599836260294, 0.25223020634087425, -0.083270779095814596},
                 {0.093451105916465773, -0.19942363676620632, 0.93110338952787389, 0.26603294228615761}}};
    } else {
        return {{4.730040744862704, 7.8532046240958376, 10.995607838001671, 14.137165491257464},
                {2.0, 2.0, 2.0, 2.0},
                {1.0, 1.0, 1.0, 1.0},
                {0.0, 4.0, 0.0, 4.0},
                {0.0, 0.0, 0.0, 0.0},
                {{49.480822677873565, 0.0, 35.377511876556829, 0.0},
                 {0.0, 108.92459225199344, 0.0, 57.588813047978525},
                 {35.377511876556829, 0.0, 186.86671289637763, 0.0},
                 {0.0, 57.588813047978525, 0.0, 284.68314361131546}},
                {{1.8883923891441528, 1.7890757487546442, 1.8066345076299285, 1.7984367346307574},
                 {1.1506219862470688, 0.83873936615506256, 0.57227187043147997, 0.63022146410107952},
                 {-0.29992142200610935, 0.97749816087057088, 0.6642770142130392, 0.32979231306296464},
                 {0.10345345772908588, -0.33900763294193472, 0.90001906003430139, 0.59658370602685118}}};
    }
}

template <BeamEnds ends, int A, int B>
struct BeamModes {
    static_assert(A <= most_beam_modes && B <= most_beam_modes);
    static constexpr int axial = A, transverse = B;
    using Table = BeamTable<A, B>;

    static MYRIAD_HD constexpr Table table() {
        constexpr double pi = 3.14159265358979323846, root_two = 1.41421356237309504880;
        constexpr BendingModes bending = bending_modes<ends>();
        Table t{};
        for (int a = 0; a < A; ++a) {
            const double wave = (a + 0.5) * pi, end = a % 2 == 0 ? root_two : -root_two;
            t.mean[a] = root_two / wave, t.first[a] = end / (wave * wave), t.end[a] = end;
            t.product[a][a] = 1.0, t.elastic[a][a] = wave * wave;
            for (int b = 0; b < B; ++b) t.coupling[a][b] = bending.coupling[a][b];
        }
        for (int b = 0; b < B; ++b) {
            const double square = bending.wave_number[b] * bending.wave_number[b];
            t.mean[A + b] = bending.mean[b], t.first[A + b] = bending.first[b], t.end[A + b] = bending.end[b];
            t.elastic[A + b][A + b] = square * square;
            // Functions of mean square 1, and free ones moved by their mean.
            for (int c = 0; c < B; ++c)
                t.product[A + b][A + c] =
                    (b == c ? 1.0 : 0.0) + (ends == BeamEnds::free_free ? bending.mean[b] * bending.mean[c] : 0.0);
            t.root_curvature[b] = bending.root_curvature[b];
            for (int c = 0; c < B; ++c) t.slope_product[b][c] = bending.slope_product[b][c];
        }
        return t;
    }

#if !defined(__CUDACC_RTC__)
    static constexpr BeamCoordinate coordinate(int i) {
        return i < A ? BeamCoordinate{BeamCoordinateKind::axial_mode, i + 1}
                     : BeamCoordinate{BeamCoordinateKind::bending_mode, i - A + 1};
    }
#endif
};

}  // namespace myriad::inline MYRIAD_VARIANT
