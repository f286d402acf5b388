// Runs a tape on one block of instances: each instruction for all of them, so many lanes of a Real at once.
//
// The slots of a block should fit a core's first cache. Real is a plain number or a pack; its width, and the number of
// Reals to a block, change nothing in the bits. A mask lies in a slot as the mask of a Real does. What an instruction
// computes stands in meaning.hpp. Instructions of a tape are bound once to functions and to addresses of a block's
// memory; constants are one Real each, read with a step of zero. No standard header with functions is read here.
#pragma once
#include "host/graph/meaning.hpp"

namespace myriad::graph::inline MYRIAD_VARIANT {

// As Table, without standard headers.
struct TableOnTape {
    const PolynomialPiece* pieces;
    PiecewisePolynomial function;
    const PolynomialPiece& piece(int i) const { return pieces[i]; }
};

struct Bound;
struct Block {
    char* memory;
    long reals;  // to a slot
    const Bound* code;
    const TableOnTape* tables;
};
// An instruction with addresses in a block's memory, and the steps from Real to Real: a constant's is 0.
struct Bound {
    const Bound* (*run)(const Bound&, const Block&);
    long to, also, a, b, c;
    long step_a, step_b, step_c;
    long long data;
};

template <class T>
MYRIAD_HD T& at(const Block& block, long address) {
    return *reinterpret_cast<T*>(block.memory + address);
}

template <Op op, class Real>
const Bound* run_op(const Bound& i, const Block& block) {
    using Mask = MaskOf<Real>;
    constexpr long size = sizeof(Real);
    const auto a = [&](long k) MYRIAD_INLINE -> const Real& { return at<Real>(block, i.a + k * i.step_a); };
    const auto b = [&](long k) MYRIAD_INLINE -> const Real& { return at<Real>(block, i.b + k * i.step_b); };
    const auto c = [&](long k) MYRIAD_INLINE -> const Real& { return at<Real>(block, i.c + k * i.step_c); };
    const auto mask = [&](long address, long k) MYRIAD_INLINE -> Mask& { return at<Mask>(block, address + k * size); };
    for (long k = 0; k < block.reals; ++k) {
        [[maybe_unused]] const auto put = [&](const Real& x) MYRIAD_INLINE { at<Real>(block, i.to + k * size) = x; };
        if constexpr (op == Op::select) {
            put(select(at<Mask>(block, i.a + k * i.step_a), b(k), c(k)));
        } else if constexpr (op == Op::sine) {
            const SineCosine<Real> both = myriad::sincos(a(k));
            if (i.to >= 0) put(both.sine);
            if (i.also >= 0) at<Real>(block, i.also + k * size) = both.cosine;
        } else if constexpr (is_table_access<op>) {
            constexpr bool reads_piece = op == Op::table_coefficient;
            const TableOnTape& table = block.tables[reads_piece ? i.data / 4 : i.data];
            Real value;
            for (int lane = 0; lane < Lanes<Real>::width; ++lane) {
                const auto x = Lanes<Real>::get(a(k), lane), y = Lanes<Real>::get(reads_piece ? a(k) : b(k), lane);
                Lanes<Real>::set(value, lane,
                                 read_table<op>(table, table.function, x, y, static_cast<int>(i.data % 4)));
            }
            put(value);
        } else if constexpr (op == Op::opposite) {
            mask(i.to, k) = !at<Mask>(block, i.a + k * i.step_a);
        } else if constexpr (joins_masks(op)) {
            mask(i.to, k) = joined<op>(at<Mask>(block, i.a + k * i.step_a), at<Mask>(block, i.b + k * i.step_b));
        } else if constexpr (description_of(op).gives_mask) {
            mask(i.to, k) = mask_of<op>(a(k), b(k));
        } else {
            constexpr int operands = description_of(op).operands;
            put(number_of<op>(a(k), operands > 1 ? b(k) : a(k), operands > 2 ? c(k) : a(k), i.data));
        }
    }
    return &i + 1;
}

// A slot's bits, whatever they mean.
template <class Real>
const Bound* run_move(const Bound& i, const Block& block) {
    constexpr long size = sizeof(Real);
    for (long k = 0; k < block.reals; ++k)
        __builtin_memcpy(block.memory + i.to + k * size, block.memory + i.a + k * i.step_a, sizeof(Real));
    return &i + 1;
}
template <class Real>
MYRIAD_HD bool some_lane(const Bound& i, const Block& block) {
    bool some = false;
    for (long k = 0; k < block.reals; ++k) some = some | any(at<MaskOf<Real>>(block, i.a + k * i.step_a));
    return some;
}
template <class Real>
const Bound* run_skip(const Bound& i, const Block& block) {
    return some_lane<Real>(i, block) ? &i + 1 : block.code + i.data;
}
template <class Real>
const Bound* run_back(const Bound& i, const Block& block) {
    return some_lane<Real>(i, block) ? block.code + i.data : &i + 1;
}
inline void run_from(const Bound* i, const Block& block) {
    while (i) i = i->run(*i, block);
}
inline const Bound* run_called(const Bound& i, const Block& block) {
    run_from(block.code + i.data, block);
    return &i + 1;
}
inline const Bound* run_stop(const Bound&, const Block&) { return nullptr; }

// The function of a code; null for leaves.
template <class Real>
auto function_of(int code) -> const Bound* (*)(const Bound&, const Block&) {
    switch (code) {
#define MYRIAD_RUN(name)             \
    case static_cast<int>(Op::name): \
        return run_op<Op::name, Real>;
        MYRIAD_RUN(add)
        MYRIAD_RUN(subtract)
        MYRIAD_RUN(multiply)
        MYRIAD_RUN(divide)
        MYRIAD_RUN(negate)
        MYRIAD_RUN(fma)
        MYRIAD_RUN(fnma)
        MYRIAD_RUN(fms)
        MYRIAD_RUN(fnms)
        MYRIAD_RUN(square_root)
        MYRIAD_RUN(unsigned_zero)
        MYRIAD_RUN(sine)
        MYRIAD_RUN(exponential)
        MYRIAD_RUN(arc_tangent)
        MYRIAD_RUN(nearest_integer)
        MYRIAD_RUN(finite_term)
        MYRIAD_RUN(table_place)
        MYRIAD_RUN(table_offset)
        MYRIAD_RUN(table_coefficient)
        MYRIAD_RUN(keep_bits)
        MYRIAD_RUN(set_bits)
        MYRIAD_RUN(shift_up)
        MYRIAD_RUN(shift_down)
        MYRIAD_RUN(select)
        MYRIAD_RUN(less)
        MYRIAD_RUN(less_equal)
        MYRIAD_RUN(equal)
        MYRIAD_RUN(both)
        MYRIAD_RUN(either)
        MYRIAD_RUN(opposite)
#undef MYRIAD_RUN
        default:
            break;
    }
    switch (code - op_count) {
        case 0:
            return run_move<Real>;
        case 1:
            return run_skip<Real>;
        case 2:
            return run_back<Real>;
        case 3:
            return run_called;
        case 4:
            return run_stop;
        default:
            return nullptr;
    }
}

// Fills a constant of a block.
template <class Real>
void put_constant(const Block& block, long address, double value, bool is_mask) {
    if (!is_mask)
        at<Real>(block, address) = Real(value);
    else
        at<MaskOf<Real>>(block, address) = Real(0.0) < Real(value);
}

}  // namespace myriad::graph::inline MYRIAD_VARIANT
