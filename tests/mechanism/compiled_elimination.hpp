#pragma once
#include "kernels/mechanism/elimination.hpp"

namespace myriad::inline MYRIAD_VARIANT {
namespace compiled_elimination {

template <class Real>
MYRIAD_HD MaskOf<Real> factor(Real* matrix) {
    MaskOf<Real> weak = !true_mask<Real>();
    Real reciprocal(1.0), pivot(0.0), size(0.0);
    pivot = matrix[0];
    size = absolute(pivot);
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[0] = reciprocal;
    matrix[2] = matrix[2] * reciprocal;
    matrix[4] = matrix[4] * reciprocal;
    pivot = Real(0.0);
    size = absolute(pivot);
    pivot = fma(-matrix[2], matrix[1], pivot);
    size = maximum(size, absolute(pivot));
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[5] = reciprocal;
    matrix[6] = fma(-matrix[3], matrix[2], Real(0.0));
    matrix[7] = fma(-matrix[4], matrix[1], Real(0.0)) * reciprocal;
    matrix[9] = matrix[9] * reciprocal;
    matrix[11] = matrix[11] * reciprocal;
    matrix[13] = matrix[13] * reciprocal;
    pivot = matrix[14];
    size = absolute(pivot);
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[14] = reciprocal;
    matrix[16] = matrix[16] * reciprocal;
    matrix[18] = matrix[18] * reciprocal;
    pivot = Real(0.0);
    size = absolute(pivot);
    pivot = fma(-matrix[16], matrix[15], pivot);
    size = maximum(size, absolute(pivot));
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[19] = reciprocal;
    matrix[20] = fma(-matrix[17], matrix[16], Real(0.0));
    matrix[21] = fma(-matrix[18], matrix[15], Real(0.0)) * reciprocal;
    matrix[23] = matrix[23] * reciprocal;
    matrix[25] = matrix[25] * reciprocal;
    matrix[27] = matrix[27] * reciprocal;
    pivot = matrix[28];
    size = absolute(pivot);
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[28] = reciprocal;
    matrix[30] = matrix[30] * reciprocal;
    matrix[32] = matrix[32] * reciprocal;
    pivot = Real(0.0);
    size = absolute(pivot);
    pivot = fma(-matrix[30], matrix[29], pivot);
    size = maximum(size, absolute(pivot));
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[33] = reciprocal;
    matrix[34] = fma(-matrix[31], matrix[30], Real(0.0));
    matrix[35] = fma(-matrix[32], matrix[29], Real(0.0)) * reciprocal;
    matrix[37] = matrix[37] * reciprocal;
    matrix[39] = matrix[39] * reciprocal;
    matrix[41] = matrix[41] * reciprocal;
    pivot = matrix[42];
    size = absolute(pivot);
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[42] = reciprocal;
    matrix[44] = matrix[44] * reciprocal;
    pivot = matrix[45];
    size = absolute(pivot);
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[45] = reciprocal;
    matrix[47] = matrix[47] * reciprocal;
    matrix[49] = matrix[49] * reciprocal;
    matrix[51] = matrix[51] * reciprocal;
    matrix[53] = matrix[53] * reciprocal;
    matrix[55] = matrix[55] * reciprocal;
    pivot = matrix[56];
    size = absolute(pivot);
    pivot = fma(-matrix[47], matrix[46], pivot);
    size = maximum(size, absolute(pivot));
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[56] = reciprocal;
    matrix[57] = fma(-matrix[48], matrix[47], matrix[57]);
    matrix[58] = fma(-matrix[49], matrix[46], matrix[58]) * reciprocal;
    matrix[59] = fma(-matrix[50], matrix[47], matrix[59]);
    matrix[60] = fma(-matrix[51], matrix[46], matrix[60]) * reciprocal;
    matrix[61] = fma(-matrix[52], matrix[47], matrix[61]);
    matrix[62] = fma(-matrix[53], matrix[46], matrix[62]) * reciprocal;
    matrix[63] = fma(-matrix[54], matrix[47], matrix[63]);
    matrix[64] = fma(-matrix[55], matrix[46], matrix[64]) * reciprocal;
    pivot = matrix[65];
    size = absolute(pivot);
    pivot = fma(-matrix[58], matrix[57], fma(-matrix[49], matrix[48], pivot));
    size = maximum(size, absolute(pivot));
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[65] = reciprocal;
    matrix[66] = fma(-matrix[59], matrix[58], fma(-matrix[50], matrix[49], matrix[66]));
    matrix[67] = fma(-matrix[60], matrix[57], fma(-matrix[51], matrix[48], matrix[67])) * reciprocal;
    matrix[68] = fma(-matrix[61], matrix[58], fma(-matrix[52], matrix[49], matrix[68]));
    matrix[69] = fma(-matrix[62], matrix[57], fma(-matrix[53], matrix[48], matrix[69])) * reciprocal;
    matrix[70] = fma(-matrix[63], matrix[58], fma(-matrix[54], matrix[49], matrix[70]));
    matrix[71] = fma(-matrix[64], matrix[57], fma(-matrix[55], matrix[48], matrix[71])) * reciprocal;
    pivot = Real(0.0);
    size = absolute(pivot);
    pivot = fma(-matrix[67], matrix[66],
                fma(-matrix[60], matrix[59],
                    fma(-matrix[51], matrix[50], fma(-matrix[44], matrix[43], fma(-matrix[4], matrix[3], pivot)))));
    size = maximum(size, absolute(pivot));
    pivot = fma(-matrix[7], matrix[6], pivot);
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[72] = reciprocal;
    matrix[73] = fma(-matrix[68], matrix[67], fma(-matrix[61], matrix[60], fma(-matrix[52], matrix[51], Real(0.0))));
    matrix[74] = fma(-matrix[69], matrix[66], fma(-matrix[62], matrix[59], fma(-matrix[53], matrix[50], Real(0.0)))) *
                 reciprocal;
    matrix[75] = fma(-matrix[70], matrix[67], fma(-matrix[63], matrix[60], fma(-matrix[54], matrix[51], Real(0.0))));
    matrix[76] = fma(-matrix[71], matrix[66], fma(-matrix[64], matrix[59], fma(-matrix[55], matrix[50], Real(0.0)))) *
                 reciprocal;
    matrix[77] = fma(-matrix[8], matrix[7], matrix[77]);
    matrix[78] = fma(-matrix[9], matrix[6], matrix[78]) * reciprocal;
    matrix[79] = fma(-matrix[10], matrix[7], matrix[79]);
    matrix[80] = fma(-matrix[11], matrix[6], matrix[80]) * reciprocal;
    matrix[81] = fma(-matrix[12], matrix[7], matrix[81]);
    matrix[82] = fma(-matrix[13], matrix[6], matrix[82]) * reciprocal;
    pivot = matrix[83];
    size = absolute(pivot);
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[83] = reciprocal;
    matrix[85] = matrix[85] * reciprocal;
    pivot = Real(0.0);
    size = absolute(pivot);
    pivot = fma(-matrix[85], matrix[84],
                fma(-matrix[69], matrix[68],
                    fma(-matrix[62], matrix[61], fma(-matrix[53], matrix[52], fma(-matrix[18], matrix[17], pivot)))));
    size = maximum(size, absolute(pivot));
    pivot = fma(-matrix[74], matrix[73], fma(-matrix[21], matrix[20], pivot));
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[86] = reciprocal;
    matrix[87] =
        fma(-matrix[75], matrix[74],
            fma(-matrix[70], matrix[69], fma(-matrix[63], matrix[62], fma(-matrix[54], matrix[53], Real(0.0)))));
    matrix[88] =
        fma(-matrix[76], matrix[73],
            fma(-matrix[71], matrix[68], fma(-matrix[64], matrix[61], fma(-matrix[55], matrix[52], Real(0.0))))) *
        reciprocal;
    matrix[89] = fma(-matrix[77], matrix[74], fma(-matrix[22], matrix[21], matrix[89]));
    matrix[90] = fma(-matrix[78], matrix[73], fma(-matrix[23], matrix[20], matrix[90])) * reciprocal;
    matrix[91] = fma(-matrix[79], matrix[74], fma(-matrix[24], matrix[21], matrix[91]));
    matrix[92] = fma(-matrix[80], matrix[73], fma(-matrix[25], matrix[20], matrix[92])) * reciprocal;
    matrix[93] = fma(-matrix[81], matrix[74], fma(-matrix[26], matrix[21], matrix[93]));
    matrix[94] = fma(-matrix[82], matrix[73], fma(-matrix[27], matrix[20], matrix[94])) * reciprocal;
    pivot = matrix[95];
    size = absolute(pivot);
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[95] = reciprocal;
    matrix[97] = matrix[97] * reciprocal;
    pivot = Real(0.0);
    size = absolute(pivot);
    pivot = fma(-matrix[97], matrix[96],
                fma(-matrix[71], matrix[70],
                    fma(-matrix[64], matrix[63], fma(-matrix[55], matrix[54], fma(-matrix[32], matrix[31], pivot)))));
    size = maximum(size, absolute(pivot));
    pivot = fma(-matrix[88], matrix[87], fma(-matrix[76], matrix[75], fma(-matrix[35], matrix[34], pivot)));
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[98] = reciprocal;
    matrix[99] = fma(-matrix[89], matrix[88], fma(-matrix[77], matrix[76], fma(-matrix[36], matrix[35], matrix[99])));
    matrix[100] =
        fma(-matrix[90], matrix[87], fma(-matrix[78], matrix[75], fma(-matrix[37], matrix[34], matrix[100]))) *
        reciprocal;
    matrix[101] = fma(-matrix[91], matrix[88], fma(-matrix[79], matrix[76], fma(-matrix[38], matrix[35], matrix[101])));
    matrix[102] =
        fma(-matrix[92], matrix[87], fma(-matrix[80], matrix[75], fma(-matrix[39], matrix[34], matrix[102]))) *
        reciprocal;
    matrix[103] = fma(-matrix[93], matrix[88], fma(-matrix[81], matrix[76], fma(-matrix[40], matrix[35], matrix[103])));
    matrix[104] =
        fma(-matrix[94], matrix[87], fma(-matrix[82], matrix[75], fma(-matrix[41], matrix[34], matrix[104]))) *
        reciprocal;
    pivot = matrix[105];
    size = absolute(pivot);
    pivot =
        fma(-matrix[100], matrix[99],
            fma(-matrix[90], matrix[89],
                fma(-matrix[78], matrix[77],
                    fma(-matrix[37], matrix[36], fma(-matrix[23], matrix[22], fma(-matrix[9], matrix[8], pivot))))));
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[105] = reciprocal;
    matrix[106] = fma(
        -matrix[101], matrix[100],
        fma(-matrix[91], matrix[90],
            fma(-matrix[79], matrix[78],
                fma(-matrix[38], matrix[37], fma(-matrix[24], matrix[23], fma(-matrix[10], matrix[9], matrix[106]))))));
    matrix[107] = fma(-matrix[102], matrix[99],
                      fma(-matrix[92], matrix[89],
                          fma(-matrix[80], matrix[77],
                              fma(-matrix[39], matrix[36],
                                  fma(-matrix[25], matrix[22], fma(-matrix[11], matrix[8], matrix[107])))))) *
                  reciprocal;
    matrix[108] = fma(
        -matrix[103], matrix[100],
        fma(-matrix[93], matrix[90],
            fma(-matrix[81], matrix[78],
                fma(-matrix[40], matrix[37], fma(-matrix[26], matrix[23], fma(-matrix[12], matrix[9], matrix[108]))))));
    matrix[109] = fma(-matrix[104], matrix[99],
                      fma(-matrix[94], matrix[89],
                          fma(-matrix[82], matrix[77],
                              fma(-matrix[41], matrix[36],
                                  fma(-matrix[27], matrix[22], fma(-matrix[13], matrix[8], matrix[109])))))) *
                  reciprocal;
    matrix[111] = matrix[111] * reciprocal;
    pivot = matrix[112];
    size = absolute(pivot);
    pivot = fma(-matrix[107], matrix[106], pivot);
    size = maximum(size, absolute(pivot));
    pivot =
        fma(-matrix[102], matrix[101],
            fma(-matrix[92], matrix[91],
                fma(-matrix[80], matrix[79],
                    fma(-matrix[39], matrix[38], fma(-matrix[25], matrix[24], fma(-matrix[11], matrix[10], pivot))))));
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[112] = reciprocal;
    matrix[113] = fma(-matrix[108], matrix[107],
                      fma(-matrix[103], matrix[102],
                          fma(-matrix[93], matrix[92],
                              fma(-matrix[81], matrix[80],
                                  fma(-matrix[40], matrix[39],
                                      fma(-matrix[26], matrix[25], fma(-matrix[12], matrix[11], matrix[113])))))));
    matrix[114] = fma(-matrix[109], matrix[106],
                      fma(-matrix[104], matrix[101],
                          fma(-matrix[94], matrix[91],
                              fma(-matrix[82], matrix[79],
                                  fma(-matrix[41], matrix[38],
                                      fma(-matrix[27], matrix[24], fma(-matrix[13], matrix[10], matrix[114]))))))) *
                  reciprocal;
    matrix[115] = fma(-matrix[110], matrix[107], matrix[115]);
    matrix[116] = fma(-matrix[111], matrix[106], matrix[116]) * reciprocal;
    pivot = matrix[117];
    size = absolute(pivot);
    pivot = fma(-matrix[114], matrix[113], fma(-matrix[109], matrix[108], pivot));
    size = maximum(size, absolute(pivot));
    pivot =
        fma(-matrix[104], matrix[103],
            fma(-matrix[94], matrix[93],
                fma(-matrix[82], matrix[81],
                    fma(-matrix[41], matrix[40], fma(-matrix[27], matrix[26], fma(-matrix[13], matrix[12], pivot))))));
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[117] = reciprocal;
    matrix[118] = fma(-matrix[115], matrix[114], fma(-matrix[110], matrix[109], matrix[118]));
    matrix[119] = fma(-matrix[116], matrix[113], fma(-matrix[111], matrix[108], matrix[119])) * reciprocal;
    pivot = matrix[120];
    size = absolute(pivot);
    pivot = fma(-matrix[119], matrix[118], fma(-matrix[116], matrix[115], fma(-matrix[111], matrix[110], pivot)));
    size = maximum(size, absolute(pivot));
    reciprocal = reciprocal_of_pivot(pivot, size, weak);
    matrix[120] = reciprocal;
    return weak;
}

template <class Real>
MYRIAD_HD void solve(const Real* matrix, Real* right_hand_side, Real* solution) {
    right_hand_side[12] = fma(-matrix[2], right_hand_side[0], right_hand_side[12]);
    right_hand_side[13] = fma(-matrix[16], right_hand_side[1], right_hand_side[13]);
    right_hand_side[14] = fma(-matrix[30], right_hand_side[2], right_hand_side[14]);
    right_hand_side[10] = fma(-matrix[47], right_hand_side[9], right_hand_side[10]);
    right_hand_side[11] =
        fma(-matrix[58], right_hand_side[10], fma(-matrix[49], right_hand_side[9], right_hand_side[11]));
    right_hand_side[16] = fma(
        -matrix[67], right_hand_side[11],
        fma(-matrix[60], right_hand_side[10],
            fma(-matrix[51], right_hand_side[9],
                fma(-matrix[44], right_hand_side[6],
                    fma(-matrix[7], right_hand_side[12], fma(-matrix[4], right_hand_side[0], right_hand_side[16]))))));
    right_hand_side[17] = fma(-matrix[85], right_hand_side[7],
                              fma(-matrix[74], right_hand_side[16],
                                  fma(-matrix[69], right_hand_side[11],
                                      fma(-matrix[62], right_hand_side[10],
                                          fma(-matrix[53], right_hand_side[9],
                                              fma(-matrix[21], right_hand_side[13],
                                                  fma(-matrix[18], right_hand_side[1], right_hand_side[17])))))));
    right_hand_side[18] = fma(-matrix[97], right_hand_side[8],
                              fma(-matrix[88], right_hand_side[17],
                                  fma(-matrix[76], right_hand_side[16],
                                      fma(-matrix[71], right_hand_side[11],
                                          fma(-matrix[64], right_hand_side[10],
                                              fma(-matrix[55], right_hand_side[9],
                                                  fma(-matrix[35], right_hand_side[14],
                                                      fma(-matrix[32], right_hand_side[2], right_hand_side[18]))))))));
    right_hand_side[3] = fma(
        -matrix[100], right_hand_side[18],
        fma(-matrix[90], right_hand_side[17],
            fma(-matrix[78], right_hand_side[16],
                fma(-matrix[37], right_hand_side[14],
                    fma(-matrix[23], right_hand_side[13], fma(-matrix[9], right_hand_side[12], right_hand_side[3]))))));
    right_hand_side[4] = fma(-matrix[107], right_hand_side[3],
                             fma(-matrix[102], right_hand_side[18],
                                 fma(-matrix[92], right_hand_side[17],
                                     fma(-matrix[80], right_hand_side[16],
                                         fma(-matrix[39], right_hand_side[14],
                                             fma(-matrix[25], right_hand_side[13],
                                                 fma(-matrix[11], right_hand_side[12], right_hand_side[4])))))));
    right_hand_side[5] = fma(-matrix[114], right_hand_side[4],
                             fma(-matrix[109], right_hand_side[3],
                                 fma(-matrix[104], right_hand_side[18],
                                     fma(-matrix[94], right_hand_side[17],
                                         fma(-matrix[82], right_hand_side[16],
                                             fma(-matrix[41], right_hand_side[14],
                                                 fma(-matrix[27], right_hand_side[13],
                                                     fma(-matrix[13], right_hand_side[12], right_hand_side[5]))))))));
    right_hand_side[15] =
        fma(-matrix[119], right_hand_side[5],
            fma(-matrix[116], right_hand_side[4], fma(-matrix[111], right_hand_side[3], right_hand_side[15])));
    solution[15] = right_hand_side[15] * matrix[120];
    solution[5] = fma(-matrix[118], solution[15], right_hand_side[5]) * matrix[117];
    solution[4] = fma(-matrix[113], solution[5], fma(-matrix[115], solution[15], right_hand_side[4])) * matrix[112];
    solution[3] = fma(-matrix[106], solution[4],
                      fma(-matrix[108], solution[5], fma(-matrix[110], solution[15], right_hand_side[3]))) *
                  matrix[105];
    solution[18] = fma(-matrix[99], solution[3],
                       fma(-matrix[101], solution[4], fma(-matrix[103], solution[5], right_hand_side[18]))) *
                   matrix[98];
    solution[8] = fma(-matrix[96], solution[18], right_hand_side[8]) * matrix[95];
    solution[17] = fma(-matrix[87], solution[18],
                       fma(-matrix[89], solution[3],
                           fma(-matrix[91], solution[4], fma(-matrix[93], solution[5], right_hand_side[17])))) *
                   matrix[86];
    solution[7] = fma(-matrix[84], solution[17], right_hand_side[7]) * matrix[83];
    solution[16] = fma(-matrix[73], solution[17],
                       fma(-matrix[75], solution[18],
                           fma(-matrix[77], solution[3],
                               fma(-matrix[79], solution[4], fma(-matrix[81], solution[5], right_hand_side[16]))))) *
                   matrix[72];
    solution[11] = fma(-matrix[66], solution[16],
                       fma(-matrix[68], solution[17], fma(-matrix[70], solution[18], right_hand_side[11]))) *
                   matrix[65];
    solution[10] = fma(-matrix[57], solution[11],
                       fma(-matrix[59], solution[16],
                           fma(-matrix[61], solution[17], fma(-matrix[63], solution[18], right_hand_side[10])))) *
                   matrix[56];
    solution[9] = fma(-matrix[46], solution[10],
                      fma(-matrix[48], solution[11],
                          fma(-matrix[50], solution[16],
                              fma(-matrix[52], solution[17], fma(-matrix[54], solution[18], right_hand_side[9]))))) *
                  matrix[45];
    solution[6] = fma(-matrix[43], solution[16], right_hand_side[6]) * matrix[42];
    solution[14] = fma(-matrix[34], solution[18],
                       fma(-matrix[36], solution[3],
                           fma(-matrix[38], solution[4], fma(-matrix[40], solution[5], right_hand_side[14])))) *
                   matrix[33];
    solution[2] = fma(-matrix[29], solution[14], fma(-matrix[31], solution[18], right_hand_side[2])) * matrix[28];
    solution[13] = fma(-matrix[20], solution[17],
                       fma(-matrix[22], solution[3],
                           fma(-matrix[24], solution[4], fma(-matrix[26], solution[5], right_hand_side[13])))) *
                   matrix[19];
    solution[1] = fma(-matrix[15], solution[13], fma(-matrix[17], solution[17], right_hand_side[1])) * matrix[14];
    solution[12] = fma(-matrix[6], solution[16],
                       fma(-matrix[8], solution[3],
                           fma(-matrix[10], solution[4], fma(-matrix[12], solution[5], right_hand_side[12])))) *
                   matrix[5];
    solution[0] = fma(-matrix[1], solution[12], fma(-matrix[3], solution[16], right_hand_side[0])) * matrix[0];
}

}  // namespace compiled_elimination
}  // namespace myriad::inline MYRIAD_VARIANT
