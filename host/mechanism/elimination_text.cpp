#include "host/mechanism/elimination_text.hpp"

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
        while (at < end) at = *at == pivot_of_factors ? pivot(at + 1) : run(at);
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
                value = minus_product(element("matrix", at[0]), element("right_hand_side", at[1]), value);
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
        const int parts = at[2];
        line("pivot = " + (at[1] ? std::string("Real(0.0)") : slot) + ";");
        line("size = absolute(pivot);");
        at += 3;
        for (int part = 0; part < parts; ++part) {
            std::string value = "pivot";
            const unsigned short* const end = at + 1 + 2 * at[0];
            for (++at; at < end; at += 2)
                value = minus_product(element("matrix", at[0]), element("matrix", at[1]), value);
            line("pivot = " + value + ";");
            line("size = maximum(size, absolute(pivot));");
        }
        line("reciprocal = reciprocal_of_pivot(pivot, size, weak);");
        line(slot + " = reciprocal;");
        return at;
    }

    const unsigned short* run(const unsigned short* at) {
        const int code = at[0] - run_of_factors(0, false, false), products = code / 4, entries = at[1];
        const bool from_zero = (code & 2) != 0, scaled = (code & 1) != 0;
        const unsigned short* const shared = at + 2;
        at = shared + products;
        for (int entry = 0; entry < entries; ++entry, at += 1 + products) {
            const std::string slot = element("matrix", at[0]);
            std::string value = from_zero ? "Real(0.0)" : slot;
            for (int k = 0; k < products; ++k)
                value = minus_product(element("matrix", shared[k]), element("matrix", at[1 + k]), value);
            line(slot + " = " + value + (scaled ? " * reciprocal;" : ";"));
        }
        return at;
    }

    const Elimination& elimination_;
    std::string text_;
};

}  // namespace

std::string elimination_text(const Elimination& elimination, const std::string& name) {
    TextWriter writer(elimination);
    return "#pragma once\n#include \"kernels/mechanism/elimination.hpp\"\n\n"
           "namespace myriad::inline MYRIAD_VARIANT {\nnamespace " +
           name +
           " {\n\n"
           "template <class Real>\nMYRIAD_HD MaskOf<Real> factor(Real* matrix) {\n"
           "    MaskOf<Real> weak = !true_mask<Real>();\n    Real reciprocal(1.0), pivot(0.0), size(0.0);\n" +
           writer.factor() +
           "    return weak;\n}\n\n"
           "template <class Real>\nMYRIAD_HD void solve(const Real* matrix, Real* right_hand_side, Real* solution) {\n" +
           writer.solve() + "}\n\n}  // namespace " + name + "\n}  // namespace myriad::inline MYRIAD_VARIANT\n";
}

}  // namespace myriad::mechanism
