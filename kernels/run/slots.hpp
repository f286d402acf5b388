// Where the instances of a group lie: one Real holds as many of them as it has lanes, and arrays hold 32 to a tile,
// field by field, [tile][rows][32]. Not handled: bounds, which the owner of the arrays keeps.
#pragma once
#include "kernels/math/small_matrix.hpp"
#include "kernels/system/launch.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Calls `use` with each lane. One lane is no loop: a kernel takes longest to compile for loops.
template <int width, class Use>
MYRIAD_HD void each_lane(Use use) {
    if constexpr (width == 1) {
        use(0);
    } else {
        for (int lane = 0; lane < width; ++lane) use(lane);
    }
}

// The slots of the instances in one Real, and their places in arrays of tiles.
template <class Real>
struct Slots {
    static constexpr int width = Lanes<Real>::width;
    long long slot[width];

    // The slots of group g of a launch. Where slots run out the last one stands in again: it computes and stores the
    // same bits twice.
    template <class Number>
    static MYRIAD_HD Slots of(const Launch<Number>& launch, long long group) {
        Slots slots;
        each_lane<width>([&](int lane) MYRIAD_INLINE {
            long long entry = group * width + lane;
            entry = entry < launch.slots ? entry : launch.slots - 1;
            slots.slot[lane] = launch.order ? static_cast<long long>(launch.order[entry]) : entry;
        });
        return slots;
    }
    // Element `row` of each lane's instance in an array [tile][rows][32]
    MYRIAD_HD long long place(int lane, long long rows, long long row) const {
        return (slot[lane] / tile_instances * rows + row) * tile_instances + slot[lane] % tile_instances;
    }
    template <class Number>
    MYRIAD_HD Real load(const Number* array, long long rows, long long row) const {
        Real x;
        each_lane<width>([&](int lane) MYRIAD_INLINE { Lanes<Real>::set(x, lane, array[place(lane, rows, row)]); });
        return x;
    }
    template <class Number>
    MYRIAD_HD void store(Number* array, long long rows, long long row, const Real& x) const {
        each_lane<width>([&](int lane) MYRIAD_INLINE { array[place(lane, rows, row)] = Lanes<Real>::get(x, lane); });
    }
    // The row that each lane of `due` has come to, if there are so many: its number `entry` of `entries`.
    template <class Number>
    MYRIAD_HD void store_in_row(MaskOf<Real> due, Number* array, long long rows, long long entries, int entry,
                                const Real& row_given, const Real& x) const {
        for (int lane = 0; lane < width; ++lane) {
            if (!lane_of(due, lane)) continue;
            const long long row = static_cast<long long>(Lanes<Real>::get(row_given, lane));
            if (row < rows) array[place(lane, rows * entries, row * entries + entry)] = Lanes<Real>::get(x, lane);
        }
    }
};

#if defined(__CUDACC_RTC__)
// shared[i] where fields[i] is negative, else the number of that field in the record that begins at `own`. Left to the
// compiler, an unrolled step kept hundreds of addresses on its stack.
MYRIAD_HD double read_placed(int i, const int* fields, const double* shared, const double* own) {
    double x;
    asm("{\n.reg .pred is_own;\n.reg .s32 field;\n.reg .s64 at, a, b;\n"
        "mad.wide.s32 at, %1, 4, %2;\nld.global.s32 field, [at];\nsetp.ge.s32 is_own, field, 0;\n"
        "mad.wide.s32 a, field, %5, %4;\nmad.wide.s32 b, %1, 8, %3;\nselp.b64 a, a, b, is_own;\n"
        "ld.global.f64 %0, [a];\n}"
        : "=d"(x)
        : "r"(i), "l"(fields), "l"(shared), "l"(own), "n"(tile_instances * sizeof(double)));
    return x;
}
MYRIAD_HD float read_placed(int i, const int* fields, const float* shared, const float* own) {
    return *(fields[i] < 0 ? shared + i : own + fields[i] * tile_instances);
}
#endif

// The parameters of the instances of a group, read from memory at every use: a kernel whose state fills the registers
// already would only copy them to its stack. There are hundreds of uses, so one has to be little to compile.
template <class R, class Plan>
class ParametersOnUse {
  public:
    using Real = R;
    using Number = NumberOf<Real>;
    MYRIAD_HD void read_from(const Plan& plan, const Launch<Number>& launch, const Slots<Real>& slots, int rows) {
        plan_ = plan, shared_ = launch.parameters;
        each_lane<width>([&](int lane) MYRIAD_INLINE { own_[lane] = launch.records + slots.place(lane, rows, 0); });
    }
    MYRIAD_NOINLINE Real operator[](int i) const {
#if defined(__CUDACC_RTC__)
        if constexpr (requires { plan_.varied(); })
            return read_placed(i, plan_.varied(), shared_, own_[0]);
        else
#endif
            return read(i, plan_.varied_field(i));
    }

  private:
    static constexpr int width = Lanes<Real>::width;
    Plan plan_;
    const Number* shared_;
    const Number* own_[width];  // field 0 of each record

    MYRIAD_HD Real read(int i, int field) const {
        if constexpr (width == 1) {
            return read_anew(field < 0 ? shared_ + i : own_[0] + field * tile_instances);
        } else {
            Real x;
            for (int lane = 0; lane < width; ++lane)
                Lanes<Real>::set(x, lane, read_anew(field < 0 ? shared_ + i : own_[lane] + field * tile_instances));
            return x;
        }
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT
