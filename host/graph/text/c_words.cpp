#include "host/graph/text/c_words.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace myriad::graph {

namespace {

constexpr const char* of_all = R"(#if defined(__FAST_MATH__) || __FLT_EVAL_METHOD__ != 0
#error "fast mathematics or wider numbers change the bits"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif
#if !defined(__has_builtin)
#define __has_builtin(x) 0
#endif
#define APART static __attribute__((noinline))
#define HERE static __inline__ __attribute__((always_inline))
typedef long long Bits;
#define NUMBER static const
#define LONG_NUMBER static const
#define TABLE static const
#define NOT_A_NUMBER __builtin_nan("")
#define BEYOND_ALL __builtin_inf()
)";

constexpr const char* of_numbers = R"(typedef double Real;
typedef int Mask;
typedef Real __attribute__((may_alias)) Stored;
#define SAME(x) (x)
#define SAME_MASK(x) (x)
#define LANE(x, lane) (x)
#define NEITHER(a) (!(a))
#define COMPARED(c) (c)
#define AS_REAL(m) ((m) ? 1.0 : 0.0)
#define AS_MASK(x) ((x) != 0.0)
HERE Real choose(Mask m, Real a, Real b) { return m ? a : b; }
HERE Mask any(Mask m) { return m; }
HERE Real fma_of(Real a, Real b, Real c) { return __builtin_fma(a, b, c); }
HERE Real root_of(Real a) { return __builtin_sqrt(a); }
HERE Bits bits_of(Real a) { union { Real x; Bits b; } u; u.x = a; return u.b; }
HERE Real real_of(Bits a) { union { Real x; Bits b; } u; u.b = a; return u.x; }
HERE Real keep_bits(Real a, Bits b) { return real_of(bits_of(a) & b); }
HERE Real set_bits(Real a, Bits b) { return real_of(bits_of(a) | b); }
HERE Real shift_up(Real a) { return real_of((Bits)((unsigned long long)bits_of(a) << 52)); }
HERE Real shift_down(Real a) { return real_of(bits_of(a) >> 52); }
)";

constexpr const char* of_vectors = R"(typedef double Real __attribute__((vector_size(8 * WIDTH)));
typedef Bits Mask __attribute__((vector_size(8 * WIDTH)));
typedef Real Stored __attribute__((may_alias));
#define LANE(x, lane) ((x)[lane])
#define NEITHER(a) (~(a))
#define COMPARED(c) ((Mask)(c))
#define AS_REAL(m) ((Real)(m))
#define AS_MASK(x) ((Mask)(x))
HERE Real choose(Mask m, Real a, Real b) { return (Real)((m & (Mask)a) | (~m & (Mask)b)); }
HERE Real keep_bits(Real a, Bits b) { return (Real)((Mask)a & b); }
HERE Real set_bits(Real a, Bits b) { return (Real)((Mask)a | b); }
HERE Real shift_up(Real a) { return (Real)((Mask)a << 52); }
HERE Real shift_down(Real a) { return (Real)((Mask)a >> 52); }
)";

constexpr const char* of_fours = R"(#define SAME(x) {x, x, x, x}
#define SAME_MASK(x) {-(x), -(x), -(x), -(x)}
HERE Bits any(Mask m) { return __builtin_ia32_movmskpd256((Real)m); }
HERE Real fma_of(Real a, Real b, Real c) {
#if __has_builtin(__builtin_elementwise_fma)
    return __builtin_elementwise_fma(a, b, c);
#else
    return __builtin_ia32_vfmaddpd256(a, b, c);
#endif
}
HERE Real root_of(Real a) {
#if __has_builtin(__builtin_elementwise_sqrt)
    return __builtin_elementwise_sqrt(a);
#else
    return __builtin_ia32_sqrtpd256(a);
#endif
}
)";

// The last argument of these functions of processors is the present rounding.
constexpr const char* of_eights = R"(#define SAME(x) {x, x, x, x, x, x, x, x}
#define SAME_MASK(x) {-(x), -(x), -(x), -(x), -(x), -(x), -(x), -(x)}
typedef Bits Half __attribute__((vector_size(32)));
typedef double RealHalf __attribute__((vector_size(32)));
HERE Bits any(Mask m) {
    union { Mask m; Half of[2]; } u;
    u.m = m;
    return __builtin_ia32_movmskpd256((RealHalf)(u.of[0] | u.of[1]));
}
HERE Real fma_of(Real a, Real b, Real c) {
#if __has_builtin(__builtin_elementwise_fma)
    return __builtin_elementwise_fma(a, b, c);
#else
    return __builtin_ia32_vfmaddpd512_mask(a, b, c, (unsigned char)-1, 4);
#endif
}
HERE Real root_of(Real a) {
#if __has_builtin(__builtin_elementwise_sqrt)
    return __builtin_elementwise_sqrt(a);
#elif defined(__clang__)
    return __builtin_ia32_sqrtpd512(a, 4);
#else
    return __builtin_ia32_sqrtpd512_mask(a, a, (unsigned char)-1, 4);
#endif
}
)";

std::string constant(const char* name, int value) {
    return "#define " + std::string(name) + " " + std::to_string(value) + "\n";
}

}  // namespace

std::string c_words(int width, int stride) {
    std::string words = of_all + constant("WIDTH", width) + constant("STRIDE", stride);
    words += width == 1 ? of_numbers : std::string(of_vectors) + (width == 4 ? of_fours : of_eights);
    return words + "#define FIELD(i) (*(Stored*)(fields + STRIDE * (i)))\n";
}

std::string c_number(double x) {
    if (std::isnan(x)) return "NOT_A_NUMBER";
    if (std::isinf(x)) return x < 0.0 ? "-BEYOND_ALL" : "BEYOND_ALL";
    std::array<char, 40> digits{};  // of the exact number
    const auto end = std::to_chars(digits.begin(), digits.end(), std::fabs(x), std::chars_format::hex).ptr;
    return (std::signbit(x) ? "-0x" : "0x") + std::string(digits.begin(), end);
}

std::string c_table(const Table& table, int its_number) {
    const std::string number = std::to_string(its_number), rows = "table" + number;
    const int count = table.function.count, last = count - 1;
    std::string to = "TABLE double " + rows + "[][6] = {\n";
    for (const PolynomialPiece& piece : table.pieces) {
        to += "{" + c_number(piece.start) + ", " + c_number(piece.from);
        for (const double c : piece.c) to += ", " + c_number(c);
        to += "},\n";
    }
    to += "};\nHERE int piece" + number + "(double u) {\nint low = 0;\n";
    for (int stride = count; stride > 1; stride -= stride / 2) {
        const std::string half = std::to_string(stride / 2);
        to += "low = " + rows + "[low + " + half + "][0] <= u ? low + " + half + " : low;\n";
    }
    to += "return low;\n}\nHERE int seen" + number + "(double u, double side) {\nconst int own = piece" + number +
          "(u);\n";
    const std::string end = std::to_string(last), before_end = std::to_string(last - 1);
    const Corners corners = table.function.corners;
    if (corners == Corners::none) {
        to += "return own;\n";
    } else {
        to += "const int beside = side == u ? own : piece" + number + "(side);\n";
        if (corners == Corners::at_ends)
            to += "if (0 < beside && beside < " + end + ") return own == 0 ? 1 : own == " + end + " ? " + before_end +
                  " : own;\n";
        to += "return beside;\n";
    }
    const auto lanes = [&](const std::string& name, const std::string& arguments, const std::string& value) {
        to += "HERE Real " + name + number + "(" + arguments +
              ") {\nReal r; int i;\nfor (i = 0; i < WIDTH; ++i) LANE(r, i) = " + value + ";\nreturn r;\n}\n";
    };
    to += "}\n";
    lanes("table_place", "Real u, Real side", "seen" + number + "(LANE(u, i), LANE(side, i))");
    const std::string place = "(int)LANE(p, i)", offset = "LANE(u, i) - " + rows + "[" + place + "][1]";
    lanes("table_offset", "Real u, Real p",
          table.function.ends ? "(" + place + " == 0 || " + place + " == " + end + ") ? NOT_A_NUMBER : " + offset
                              : offset);
    lanes("table_coefficient", "Real p, int k", rows + "[" + place + "][2 + k]");
    return to;
}

}  // namespace myriad::graph
