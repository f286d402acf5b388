// Writes programs as instructions of PTX, the language that the assembler in NVIDIA's driver takes.
//
// Every sum, product, quotient and root is `.rn`, so nothing is contracted, and subnormals stay. One thread is one
// instance: `when` and `repeat` are branches on its own mask, and where a region's condition is known inside it,
// selects and masks that follow from it vanish. Elementary functions and called blocks are inlined. A number whose last
// 32 bits are 0 is part of an instruction; others lie in constant memory, from where an instruction takes one as fast
// as from a register.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/graph/program.hpp"

namespace myriad::graph {

class PtxStatements {
  public:
    // Of a register: numbers have the program's format, wide ones and addresses 64 bits, integers 32.
    enum class Kind { number, mask, integer, address, wide };

    explicit PtxStatements(Format its_format) : format(its_format) {}
    const Format format;
    std::string text;  // so far

    std::string number_type() const { return format == Format::fp64 ? "f64" : "f32"; }
    int number_bytes() const { return format == Format::fp64 ? 8 : 4; }
    std::string make(Kind kind);  // a new register
    std::string new_label() { return "L" + std::to_string(labels_++); }
    // Adds an instruction; one that gives a new register a value.
    void line(const std::string& instruction, const std::vector<std::string>& operands);
    std::string computed(Kind kind, const std::string& instruction, const std::vector<std::string>& operands);
    void label(const std::string& name) { text += name + ":\n"; }
    // An operand with this value. Reads constant memory where needed.
    std::string number(double x);

    // What stands for an input of a program, which may read memory, and for each output in their order.
    using Input = std::function<std::string(std::int64_t)>;
    struct Value {
        std::string operand;
        bool is_mask, is_input;
    };
    // Fields that `when` regions change in memory (carried_in_place.hpp). Outputs that lie there have no operand.
    struct InPlace {
        std::map<NodeId, std::int64_t> carried;
        std::function<void(std::int64_t, const std::string&)> store;
    };
    std::vector<Value> write(const Program& program, const Input& input, const InPlace& in_place = {});

    std::string registers_text() const;  // their declarations
    std::string constants_text() const;  // arrays that the module has in front of its functions

  private:
    class OfProgram;
    friend class OfProgram;
    struct Inlined {
        std::shared_ptr<const Graph> graph;
        Program program;
        explicit Inlined(std::shared_ptr<const Graph> given) : graph(std::move(given)), program(*graph) {}
    };
    std::array<int, 5> counts_{};  // of registers, by kind
    int labels_ = 0;
    std::map<std::int64_t, std::size_t> constants_;  // places by bits
    std::map<Op, Inlined> elementary_;
    std::map<const Graph*, Inlined> blocks_;
    std::map<const Graph*, std::size_t> first_tables_;
    std::vector<Table> tables_;

    // Pieces are whole numbers in a number (host/graph/operation.hpp), or integers.
    std::string table_place(std::size_t table, const std::string& argument, const std::string& side);
    std::string table_offset(std::size_t table, const std::string& argument, const std::string& place_of_piece);
    std::string table_coefficient(std::size_t table, const std::string& place_of_piece, int power);
    std::string piece_at(std::size_t table, const std::string& argument);
    // Number `i` of a piece: its start, its origin, four coefficients.
    std::string piece_number(std::size_t table, const std::string& piece, std::int64_t i);
    std::string widened(const std::string& x);
    std::string narrow(const std::string& wide);
    std::string whole(const std::string& x);
    std::string integer(const char* instruction, const std::vector<std::string>& operands);
};

}  // namespace myriad::graph
