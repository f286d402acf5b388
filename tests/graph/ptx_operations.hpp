// The operations of PTX on values of registers: types of operands, and what comes out.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace myriad::graph::ptx {

using Value = std::uint64_t;
struct Type {
    char kind;  // f, s, u, b or p
    int bits;
    bool operator==(const Type&) const = default;
};

template <class T>
T as(Value value) {
    if constexpr (sizeof(T) == 8) return __builtin_bit_cast(T, value);
    if constexpr (sizeof(T) == 4) return __builtin_bit_cast(T, static_cast<std::uint32_t>(value));
    if constexpr (sizeof(T) == 1) return value != 0;
}
template <class T>
Value bits_of(T x) {
    if constexpr (sizeof(T) == 8) return __builtin_bit_cast(Value, x);
    if constexpr (sizeof(T) == 4) return __builtin_bit_cast(std::uint32_t, x);
    if constexpr (sizeof(T) == 1) return x;
}

// What an instruction does with the values of its operands behind the first.
using Operation = std::function<Value(const Value*)>;
struct Described {
    Type to;
    std::vector<Type> from;
    Operation operation;
};
template <class To, class... From, class F, std::size_t... place>
Operation on_values(F f, std::index_sequence<place...>) {
    return [f](const Value* x) { return bits_of<To>(static_cast<To>(f(as<From>(x[place])...))); };
}
template <class T>
constexpr Type type_named() {
    constexpr int bits = sizeof(T) == 1 ? 1 : 8 * sizeof(T);
    return {sizeof(T) == 1 ? 'p' : std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 's' : 'u', bits};
}
template <class To, class... From, class F>
Described described(F f) {
    return {type_named<To>(), {type_named<From>()...}, on_values<To, From...>(f, std::index_sequence_for<From...>{})};
}
template <class T>
void add_arithmetic(std::map<std::string, Described>& to, const std::string& type) {
    to["add.rn." + type] = described<T, T, T>([](T a, T b) { return a + b; });
    to["sub.rn." + type] = described<T, T, T>([](T a, T b) { return a - b; });
    to["mul.rn." + type] = described<T, T, T>([](T a, T b) { return a * b; });
    to["div.rn." + type] = described<T, T, T>([](T a, T b) { return a / b; });
    to["fma.rn." + type] = described<T, T, T, T>([](T a, T b, T c) { return std::fma(a, b, c); });
    to["sqrt.rn." + type] = described<T, T>([](T a) { return std::sqrt(a); });
    to["neg." + type] = described<T, T>([](T a) { return -a; });
    to["setp.neu." + type] = described<bool, T, T>([](T a, T b) { return !(a == b); });
    to["setp.neu.or." + type] = described<bool, T, T, bool>([](T a, T b, bool c) { return !(a == b) || c; });
}
template <class T>
void add_choices(std::map<std::string, Described>& to, const std::string& type) {
    to["mov." + type] = described<T, T>([](T a) { return a; });
    to["selp." + type] = described<T, T, T, bool>([](T a, T b, bool c) { return c ? a : b; });
    to["setp.lt." + type] = described<bool, T, T>([](T a, T b) { return a < b; });
    to["setp.le." + type] = described<bool, T, T>([](T a, T b) { return a <= b; });
    to["setp.gt." + type] = described<bool, T, T>([](T a, T b) { return a > b; });
    to["setp.eq." + type] = described<bool, T, T>([](T a, T b) { return a == b; });
    to["setp.lt.and." + type] = described<bool, T, T, bool>([](T a, T b, bool c) { return a < b && c; });
    to["setp.eq.and." + type] = described<bool, T, T, bool>([](T a, T b, bool c) { return a == b && c; });
    to["setp.eq.or." + type] = described<bool, T, T, bool>([](T a, T b, bool c) { return a == b || c; });
}
inline std::map<std::string, Described> all_described() {
    using S32 = std::int32_t;
    using U32 = std::uint32_t;
    using S64 = std::int64_t;
    using U64 = std::uint64_t;
    std::map<std::string, Described> all;
    add_arithmetic<double>(all, "f64"), add_arithmetic<float>(all, "f32");
    add_choices<double>(all, "f64"), add_choices<float>(all, "f32");
    add_choices<S32>(all, "s32"), add_choices<U32>(all, "u32");
    add_choices<S64>(all, "s64"), add_choices<U64>(all, "u64");
    all["mov.pred"] = described<bool, bool>([](bool a) { return a; });
    all["and.pred"] = described<bool, bool, bool>([](bool a, bool b) { return a && b; });
    all["or.pred"] = described<bool, bool, bool>([](bool a, bool b) { return a || b; });
    all["not.pred"] = described<bool, bool>([](bool a) { return !a; });
    all["add.s32"] = described<S32, S32, S32>([](S32 a, S32 b) { return a + b; });
    all["min.s32"] = described<S32, S32, S32>([](S32 a, S32 b) { return std::min(a, b); });
    all["max.s32"] = described<S32, S32, S32>([](S32 a, S32 b) { return std::max(a, b); });
    all["add.s64"] = described<S64, S64, S64>([](S64 a, S64 b) { return a + b; });
    all["sub.s64"] = described<S64, S64, S64>([](S64 a, S64 b) { return a - b; });
    all["mul.lo.s64"] = described<S64, S64, S64>([](S64 a, S64 b) { return a * b; });
    all["mad.lo.s64"] = described<S64, S64, S64, S64>([](S64 a, S64 b, S64 c) { return a * b + c; });
    all["mad.wide.s32"] = described<S64, S32, S32, S64>([](S32 a, S32 b, S64 c) { return S64{a} * b + c; });
    all["mad.wide.u32"] = described<U64, U32, U32, U64>([](U32 a, U32 b, U64 c) { return U64{a} * b + c; });
    all["shr.u64"] = described<U64, U64, U32>([](U64 a, U32 b) { return b > 63 ? 0 : a >> b; });
    all["shr.s64"] = described<S64, S64, U32>([](S64 a, U32 b) { return a >> std::min(b, 63u); });
    all["shr.s32"] = described<S32, S32, U32>([](S32 a, U32 b) { return a >> std::min(b, 31u); });
    all["cvt.u64.u32"] = described<U64, U32>([](U32 a) { return a; });
    all["cvt.f64.f32"] = described<double, float>([](float a) { return a; });
    all["cvt.rn.f32.f64"] = described<float, double>([](double a) { return a; });
    all["cvt.rn.f64.s32"] = described<double, S32>([](S32 a) { return a; });
    all["cvt.rn.f32.s32"] = described<float, S32>([](S32 a) { return a; });
    all["cvt.rzi.s32.f64"] = described<S32, double>([](double a) { return a; });
    all["cvt.rzi.s32.f32"] = described<S32, float>([](float a) { return a; });
    all["cvt.rzi.s64.f64"] = described<S64, double>([](double a) { return a; });
    all["cvt.rzi.s64.f32"] = described<S64, float>([](float a) { return a; });
    const auto add_bits = [&](const std::string& name, auto described_by) {
        for (Type& type : described_by.from) type.kind = type.kind == 'u' ? 'b' : type.kind;
        described_by.to.kind = 'b';
        all[name] = described_by;
    };
    add_bits("mov.b64", described<U64, U64>([](U64 a) { return a; }));
    add_bits("mov.b32", described<U32, U32>([](U32 a) { return a; }));
    add_bits("and.b64", described<U64, U64, U64>([](U64 a, U64 b) { return a & b; }));
    add_bits("and.b32", described<U32, U32, U32>([](U32 a, U32 b) { return a & b; }));
    add_bits("or.b64", described<U64, U64, U64>([](U64 a, U64 b) { return a | b; }));
    add_bits("or.b32", described<U32, U32, U32>([](U32 a, U32 b) { return a | b; }));
    add_bits("shl.b64", described<U64, U64, U32>([](U64 a, U32 b) { return b > 63 ? 0 : a << b; }));
    add_bits("shl.b32", described<U32, U32, U32>([](U32 a, U32 b) { return b > 31 ? 0 : a << b; }));
    // All addresses are of one space on the host.
    all["cvta.to.global.u64"] = described<U64, U64>([](U64 a) { return a; });
    return all;
}

}  // namespace myriad::graph::ptx
