// A number that counts the operations on it: run through the real code of a step it gives the operations per step.
//
// Two counts. `written`: every operation as the code spells it. `distinct`: the same operation on the same operands,
// which a compiler computes once, counted once, by value numbering; a product with the constant 1 and a double change
// of sign count nothing. The loop over steps asks `any` once per step; values are then forgotten, since a compiler
// shares nothing between two steps. Not counted: operations on the bits of a number.
#pragma once
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>

#include "bench/operations/operation_kinds.hpp"

// The kernels as calls, in a namespace of their own: inlined and with every operation a call, they would take the
// compiler minutes. Hence this header comes before any of the kernels, after those of the library.
#define MYRIAD_VARIANT counting
#define always_inline noinline
#include "ensembles/catalog.hpp"
#undef always_inline

namespace myriad::bench {

// The counts of this thread.
class Ledger {
  public:
    OperationCounts written, distinct;

    int fresh();
    // A constant of the code: the same bits are the same value for ever.
    int constant(double value);
    int result(Operation kind, int a, int b = -1, int c = -1);
    void forget();
    void clear();

  private:
    int next_ = 0;
    std::map<std::tuple<Operation, int, int, int>, int> results_;
    std::map<int, int> negated_;
    std::map<std::uint64_t, int> constants_;
    const int one_ = constant(1.0);
};

Ledger& ledger();

// Operations are calls: inlined a thousand times each they would take the compiler minutes.
#define MYRIAD_COUNTED __attribute__((noinline))

struct CountingMask {
    bool value = false;
    int number = 0;
    CountingMask() = default;
    CountingMask(bool given, int its_number) : value(given), number(its_number) {}
    MYRIAD_COUNTED friend CountingMask operator&(CountingMask a, CountingMask b) {
        return {a.value && b.value, ledger().result(Operation::mask, a.number, b.number)};
    }
    MYRIAD_COUNTED friend CountingMask operator|(CountingMask a, CountingMask b) {
        return {a.value || b.value, ledger().result(Operation::mask, b.number, a.number, 0)};
    }
    MYRIAD_COUNTED friend CountingMask operator!(CountingMask a) {
        return {!a.value, ledger().result(Operation::mask, a.number)};
    }
};
// The end of one pass of the loop over steps.
MYRIAD_COUNTED inline bool any(CountingMask mask) {
    ledger().forget();
    return mask.value;
}
inline bool lane_of(CountingMask mask, int) { return mask.value; }

struct CountingReal {
    double value = 0.0;
    int number = 0;

    CountingReal() = default;
    MYRIAD_COUNTED CountingReal(double constant) : value(constant), number(ledger().constant(constant)) {}
    CountingReal(double result, int its_number) : value(result), number(its_number) {}

    MYRIAD_COUNTED friend CountingReal operator+(CountingReal a, CountingReal b) {
        return {a.value + b.value, ledger().result(Operation::add, a.number, b.number)};
    }
    // a - b is a + (-b), of which the change of sign costs nothing.
    MYRIAD_COUNTED friend CountingReal operator-(CountingReal a, CountingReal b) {
        return {a.value - b.value, ledger().result(Operation::add, a.number, b.number, subtracted)};
    }
    MYRIAD_COUNTED friend CountingReal operator*(CountingReal a, CountingReal b) {
        return {a.value * b.value, ledger().result(Operation::multiply, a.number, b.number)};
    }
    MYRIAD_COUNTED friend CountingReal operator/(CountingReal a, CountingReal b) {
        return {a.value / b.value, ledger().result(Operation::divide, a.number, b.number)};
    }
    MYRIAD_COUNTED friend CountingReal operator-(CountingReal a) {
        return {-a.value, ledger().result(Operation::negate, a.number)};
    }
    MYRIAD_COUNTED friend CountingMask operator<(CountingReal a, CountingReal b) {
        return {a.value < b.value, ledger().result(Operation::compare, a.number, b.number, 0)};
    }
    MYRIAD_COUNTED friend CountingMask operator<=(CountingReal a, CountingReal b) {
        return {a.value <= b.value, ledger().result(Operation::compare, a.number, b.number, 1)};
    }
    MYRIAD_COUNTED friend CountingMask operator==(CountingReal a, CountingReal b) {
        return {a.value == b.value, ledger().result(Operation::compare, a.number, b.number, 2)};
    }
    MYRIAD_COUNTED friend CountingReal fma(CountingReal a, CountingReal b, CountingReal c) {
        return {std::fma(a.value, b.value, c.value), ledger().result(Operation::fma, a.number, b.number, c.number)};
    }
    MYRIAD_COUNTED friend CountingReal sqrt(CountingReal a) {
        return {std::sqrt(a.value), ledger().result(Operation::square_root, a.number)};
    }
    MYRIAD_COUNTED friend CountingReal select(CountingMask mask, CountingReal a, CountingReal b) {
        return {mask.value ? a.value : b.value, ledger().result(Operation::select, mask.number, a.number, b.number)};
    }

  private:
    static constexpr int subtracted = -2;
};

template <class Visit, class... Same>
void visit_fields(Visit&& visit, CountingReal& first, Same&... more) {
    visit(first, more...);
}

}  // namespace myriad::bench

namespace myriad::inline MYRIAD_VARIANT {

template <>
struct Lanes<bench::CountingReal> {
    using Number = double;
    static constexpr int width = 1;
    static Number get(const bench::CountingReal& x, int) { return x.value; }
    MYRIAD_COUNTED static void set(bench::CountingReal& x, int, Number value) { x = {value, bench::ledger().fresh()}; }
};
// No operation on bits is counted; equal bits are taken for the same value.
template <>
struct BitsOf<bench::CountingReal> {
    using Plain = BitsOf<double>;
    using Bits = Plain::Bits;
    using Real = bench::CountingReal;
    MYRIAD_COUNTED static Real masked(Real x, Bits keep, Bits set) { return Real(Plain::masked(x.value, keep, set)); }
    MYRIAD_COUNTED static Real shifted_up(Real x) { return Real(Plain::shifted_up(x.value)); }
    MYRIAD_COUNTED static Real shifted_down(Real x) { return Real(Plain::shifted_down(x.value)); }
    MYRIAD_COUNTED static bench::CountingMask negative(Real x) {
        return {Plain::negative(x.value), bench::ledger().result(bench::Operation::compare, x.number, -1, 3)};
    }
};

}  // namespace myriad::inline MYRIAD_VARIANT

#undef MYRIAD_COUNTED
