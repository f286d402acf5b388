// Runs a tape on one block of instances: each instruction for all of them, so many lanes of a Real at once.
//
// The slots of a block should fit a core's first cache. Real is a plain number or a pack; its width, and the number of
// Reals to a block, change nothing in the bits. A mask lies in a slot as the mask of a Real does. What an instruction
// computes stands in meaning.hpp. Instructions of a tape are bound once to functions and to addresses of a block's
// memory; constants are one Real each, read with a step of zero. No standard header with functions is read here.
#pragma once
#include "host/graph/meaning.hpp"
#include "host/graph/tape_memory.hpp"

namespace myriad::graph::inline MYRIAD_VARIANT {

template <class T>
MYRIAD_HD T& of(char* at) {
    return *reinterpret_cast<T*>(at);
}
template <class T>
MYRIAD_HD const T& of(const char* at) {
    return *reinterpret_cast<const T*>(at);
}
// The Reals of a slot: `reals` where that is known while this is compiled, else 0.
template <int reals>
MYRIAD_HD long count_of(const Block& block) {
    return reals > 0 ? reals : block.reals;
}

template <Op op, class Real, int reals>
const Bound* run_op(const Bound& i, const Block& block) {
    using Mask = MaskOf<Real>;
    constexpr long size = sizeof(Real);
    constexpr int operands = description_of(op).operands;
    constexpr bool reads_piece = op == Op::table_coefficient;
    // Copies: what is stored could else be the instruction, which would be read again.
    const long count = count_of<reals>(block), step_a = i.step_a, step_b = i.step_b, step_c = i.step_c;
    const long long data = i.data;
    [[maybe_unused]] const bool wants_sine = i.to >= 0, wants_cosine = i.also >= 0;
    const char *at_a = block.memory + i.a, *at_b = block.memory + i.b, *at_c = block.memory + i.c;
    char *at_to = block.memory + i.to, *at_also = block.memory + i.also;
    MYRIAD_UNROLL for (long k = 0; k < count; ++k) {
        const Real& a = of<Real>(at_a);
        const Real& b = of<Real>(operands > 1 ? at_b : at_a);
        const Real& c = of<Real>(operands > 2 ? at_c : at_a);
        if constexpr (op == Op::select) {
            of<Real>(at_to) = select(of<Mask>(at_a), b, c);
        } else if constexpr (op == Op::sine) {
            const SineCosine<Real> both = myriad::sincos(a);
            if (wants_sine) of<Real>(at_to) = both.sine;
            if (wants_cosine) of<Real>(at_also) = both.cosine;
        } else if constexpr (is_table_access<op>) {
            const TableOnTape& table = block.tables[reads_piece ? data / 4 : data];
            Real value;
            for (int lane = 0; lane < Lanes<Real>::width; ++lane) {
                const auto x = Lanes<Real>::get(a, lane), y = Lanes<Real>::get(b, lane);
                Lanes<Real>::set(value, lane, read_table<op>(table, table.function, x, y, static_cast<int>(data % 4)));
            }
            of<Real>(at_to) = value;
        } else if constexpr (joins_masks(op)) {
            of<Mask>(at_to) = joined<op>(of<Mask>(at_a), of<Mask>(operands > 1 ? at_b : at_a));
        } else if constexpr (description_of(op).gives_mask) {
            of<Mask>(at_to) = mask_of<op>(a, b);
        } else {
            of<Real>(at_to) = number_of<op>(a, b, c, data);
        }
        at_a += step_a, at_b += step_b, at_c += step_c, at_to += size, at_also += size;
    }
    return &i + 1;
}

// A slot's bits, whatever they mean.
template <class Real, int reals>
const Bound* run_move(const Bound& i, const Block& block) {
    const long count = count_of<reals>(block), step = i.step_a;
    const char* from = block.memory + i.a;
    char* to = block.memory + i.to;
    MYRIAD_UNROLL for (long k = 0; k < count; ++k, from += step, to += sizeof(Real))
        __builtin_memcpy(to, from, sizeof(Real));
    return &i + 1;
}
template <class Real>
MYRIAD_HD bool some_lane(const Bound& i, const Block& block) {
    bool some = false;
    for (long k = 0; k < block.reals; ++k) some = some | any(of<MaskOf<Real>>(block.memory + i.a + k * i.step_a));
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
template <class Real, int reals>
auto function_of(int code) -> const Bound* (*)(const Bound&, const Block&) {
    switch (code) {
#define MYRIAD_RUN(name)             \
    case static_cast<int>(Op::name): \
        return run_op<Op::name, Real, reals>;
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
            return run_move<Real, reals>;
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
        of<Real>(block.memory + address) = Real(value);
    else
        of<MaskOf<Real>>(block.memory + address) = Real(0.0) < Real(value);
}

template <class Real>
Interpreter interpreter() {
    constexpr int width = Lanes<Real>::width;
    const auto bind = [](int code, int reals) {
        // The usual blocks have code of their own.
        return reals == 8    ? function_of<Real, 8>(code)
               : reals == 16 ? function_of<Real, 16>(code)
                             : function_of<Real, 0>(code);
    };
    return {width, sizeof(Real), bind, [](const Bound* start, const Block& block) { run_from(start, block); },
            put_constant<Real>};
}

}  // namespace myriad::graph::inline MYRIAD_VARIANT
