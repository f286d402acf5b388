#include "host/mechanism/elimination/elimination_text.hpp"

namespace myriad::mechanism {
namespace {

std::string number(int i) { return std::to_string(i); }
std::string element(const char* array, int i) { return std::string(array) + "[" + number(i) + "]"; }
std::string minus_product(const std::string& l, const std::string& u, const std::string& entry) {
    return "fma(-" + l + ", " + u + ", " + entry + ")";
}

class TextWriter {
  public:
    explicit TextWriter(const Elimination& elimination) : elimination_(elimination) {}

    std::string factor() {
        const unsigned short* at = elimination_.factor_program;
        const unsigned short* const end = at + elimination_.factor_length;
        while (at < end) {
            if (*at == clear_step) line(element("matrix", at[1]) + " = Real(0.0);");
            at = *at == clear_step ? at + 2 : *at == pivot_step ? pivot(at + 1) : run(at);
        }
        return std::move(text_);
    }

    std::string solve() {
        const unsigned short* at = elimination_.forward_program;
        const unsigned short* end = at + elimination_.forward_length;
        while (at < end) {
            const std::string equation = element("right_hand_side", at[0]);
            std::string value = equation;
            const unsigned short* const row_end = at + 2 + 2 * at[1];
            for (at += 2; at < row_end; at += 2)
                value = minus_product(element("matrix", at[0] + 1), element("right_hand_side", at[1]), value);
            line(equation + " = " + value + ";");
        }
        at = elimination_.backward_program;
        end = at + elimination_.backward_length;
        while (at < end) {
            const std::string unknown = element("solution", at[0]), reciprocal = element("matrix", at[2]);
            std::string value = element("right_hand_side", at[1]);
            const unsigned short* const row_end = at + 4 + 2 * at[3];
            for (at += 4; at < row_end; at += 2)
                value = minus_product(element("matrix", at[0]), element("solution", at[1]), value);
            line(unknown + " = " + value + " * " + reciprocal + ";");
        }
        return std::move(text_);
    }

  private:
    void line(const std::string& statement) { text_ += "    " + statement + "\n"; }

    const unsigned short* pivot(const unsigned short* at) {
        const std::string slot = element("matrix", at[0]);
        const int of_bodies = at[2], of_multipliers = at[3];
        line("pivot = " + (at[1] ? std::string("Real(0.0)") : slot) + ";");
        line("size = absolute(pivot);");
        at += 4;
        const auto subtract_products = [&](int products) {
            std::string value = "pivot";
            for (const unsigned short* const end = at + products; at < end; ++at)
                value = minus_product(element("matrix", at[0] + 1), element("matrix", at[0]), value);
            if (products > 0) line("pivot = " + value + ";");
        };
        subtract_products(of_bodies);
        if (of_bodies > 0) line("size = maximum(size, absolute(pivot));");
        subtract_products(of_multipliers);
        line("reciprocal = reciprocal_of_pivot(pivot, size, weak);");
        line(slot + " = reciprocal;");
        return at;
    }

    const unsigned short* run(const unsigned short* at) {
        const int code = at[0] - run_step(0, false, false), products = code / 4, entries = at[1];
        const bool from_zero = (code & 2) != 0, scaled = (code & 1) != 0;
        const unsigned short* const shared = at + 2;
        at = shared + products;
        for (int entry = 0; entry < entries; ++entry, at += 1 + products) {
            const std::string upper = element("matrix", at[0]), lower = element("matrix", at[0] + 1);
            std::string u = from_zero ? "Real(0.0)" : upper, l = from_zero ? "Real(0.0)" : lower;
            for (int k = 0; k < products; ++k) {
                u = minus_product(element("matrix", at[1 + k]), element("matrix", shared[k] + 1), u);
                l = minus_product(element("matrix", at[1 + k] + 1), element("matrix", shared[k]), l);
            }
            if (products > 0) line(upper + " = " + u + ";");
            line(lower + " = " + l + (scaled ? " * reciprocal;" : ";"));
        }
        return at;
    }

    const Elimination& elimination_;
    std::string text_;
};

}  // namespace

std::string elimination_text(const Elimination& elimination, const std::string& name) {
    TextWriter writer(elimination);
    return "// Straight-line elimination of one mechanism, written by "
           "host/mechanism/elimination/elimination_text.cpp.\n"
           "// clang-format off\n#pragma once\n#include \"kernels/mechanism/elimination.hpp\"\n\n"
           "namespace myriad::inline MYRIAD_VARIANT {\nnamespace " +
           name +
           " {\n\n"
           "template <class Real>\nMYRIAD_HD MaskOf<Real> factor(Real* matrix) {\n"
           "    MaskOf<Real> weak = !true_mask<Real>();\n    Real reciprocal(1.0), pivot(0.0), size(0.0);\n" +
           writer.factor() +
           "    return weak;\n}\n\n"
           "template <class Real>\nMYRIAD_HD void solve(const Real* matrix, Real* right_hand_side, Real* solution) "
           "{\n" +
           writer.solve() + "}\n\n}  // namespace " + name + "\n}  // namespace myriad::inline MYRIAD_VARIANT\n";
}

}  // namespace myriad::mechanism
