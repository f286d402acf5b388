#include "host/graph/text/ptx_statements.hpp"

#include <cstdio>

namespace myriad::graph {

namespace {

constexpr int piece_bytes = sizeof(PolynomialPiece);
static_assert(piece_bytes == 6 * sizeof(double));

// Exactly this number.
std::string literal(double x, Format its_format) {
    std::array<char, 20> digits{};
    if (its_format == Format::fp64)
        std::snprintf(digits.data(), digits.size(), "0d%016llX", __builtin_bit_cast(unsigned long long, x));
    else
        std::snprintf(digits.data(), digits.size(), "0f%08X", __builtin_bit_cast(unsigned, static_cast<float>(x)));
    return digits.data();
}
std::string named(const char* name, std::int64_t number) { return name + std::to_string(number); }
std::string at_place(const std::string& address, std::int64_t bytes) {
    return "[" + address + "+" + std::to_string(bytes) + "]";
}

constexpr const char* register_names[] = {"%n", "%m", "%i", "%a", "%w"};

}  // namespace

std::string PtxStatements::make(Kind kind) {
    const auto k = static_cast<std::size_t>(kind);
    return named(register_names[k], counts_[k]++);
}
void PtxStatements::line(const std::string& instruction, const std::vector<std::string>& operands) {
    text += instruction;
    for (std::size_t i = 0; i < operands.size(); ++i) text += (i ? ", " : " ") + operands[i];
    text += ";\n";
}
std::string PtxStatements::computed(Kind kind, const std::string& instruction,
                                    const std::vector<std::string>& operands) {
    std::vector<std::string> all{make(kind)};
    all.insert(all.end(), operands.begin(), operands.end());
    line(instruction, all);
    return all.front();
}
std::string PtxStatements::number(double x) {
    const auto bits = __builtin_bit_cast(std::int64_t, x);
    if (format == Format::fp32 || (bits & 0xffffffff) == 0) return literal(x, format);
    const std::size_t place = constants_.try_emplace(bits, constants_.size()).first->second;
    return computed(Kind::number, "ld.const.f64", {at_place("numbers", static_cast<std::int64_t>(8 * place))});
}

std::string PtxStatements::registers_text() const {
    const std::string types[] = {number_type(), "pred", "b32", "b64", "f64"};
    std::string declared;
    for (std::size_t kind = 0; kind < counts_.size(); ++kind)
        declared +=
            ".reg ." + types[kind] + " " + register_names[kind] + "<" + std::to_string(counts_[kind] + 1) + ">;\n";
    return declared;
}
std::string PtxStatements::constants_text() const {
    std::string declared;
    const auto add = [&](const std::string& space, const std::string& name, const std::vector<double>& numbers) {
        declared += space + " .align 8 .f64 " + name + "[" + std::to_string(numbers.size()) + "] = {";
        for (std::size_t i = 0; i < numbers.size(); ++i)
            declared += (i ? ",\n" : "\n") + literal(numbers[i], Format::fp64);
        declared += "};\n";
    };
    std::vector<double> numbers(constants_.size());
    for (const auto& [bits, place] : constants_) numbers[place] = __builtin_bit_cast(double, bits);
    if (!numbers.empty()) add(".const", "numbers", numbers);
    for (std::size_t table = 0; table < tables_.size(); ++table) {
        std::vector<double> pieces;
        for (const PolynomialPiece& piece : tables_[table].pieces) {
            pieces.insert(pieces.end(), {piece.start, piece.from});
            pieces.insert(pieces.end(), std::begin(piece.c), std::end(piece.c));
        }
        add(".global", named("table", static_cast<std::int64_t>(table)), pieces);
    }
    return declared;
}

// Numbers of tables are wide.
std::string PtxStatements::widened(const std::string& x) {
    return format == Format::fp64 ? x : computed(Kind::wide, "cvt.f64.f32", {x});
}
std::string PtxStatements::narrow(const std::string& wide) {
    return computed(Kind::number, format == Format::fp64 ? "mov.f64" : "cvt.rn.f32.f64", {wide});
}
std::string PtxStatements::whole(const std::string& x) {
    return computed(Kind::integer, "cvt.rzi.s32." + number_type(), {x});
}
std::string PtxStatements::integer(const char* instruction, const std::vector<std::string>& operands) {
    return computed(Kind::integer, instruction, operands);
}
std::string PtxStatements::piece_number(std::size_t table, const std::string& piece, std::int64_t i) {
    const std::string rows = computed(Kind::address, "mov.u64", {named("table", static_cast<std::int64_t>(table))});
    const std::string row = computed(Kind::address, "mad.wide.s32", {piece, std::to_string(piece_bytes), rows});
    return computed(Kind::wide, "ld.global.nc.f64", {at_place(row, 8 * i)});
}
// As piece_at() (kernels/math/piecewise_polynomial.hpp).
std::string PtxStatements::piece_at(std::size_t table, const std::string& argument) {
    std::string low = integer("mov.s32", {"0"});
    for (int stride = tables_[table].function.count; stride > 1; stride -= stride / 2) {
        const std::string higher = integer("add.s32", {low, std::to_string(stride / 2)});
        const std::string start = piece_number(table, higher, 0);
        low = integer("selp.s32", {higher, low, computed(Kind::mask, "setp.le.f64", {start, argument})});
    }
    return low;
}
// As piece_seen_from() there.
std::string PtxStatements::table_place(std::size_t table, const std::string& argument, const std::string& side) {
    const PiecewisePolynomial& function = tables_[table].function;
    const auto as_number = [&](const std::string& piece) {
        return computed(Kind::number, "cvt.rn." + number_type() + ".s32", {piece});
    };
    const std::string end = std::to_string(function.count - 1), before_end = std::to_string(function.count - 2);
    if (function.corners == Corners::none) return as_number(piece_at(table, widened(argument)));
    const std::string beside = piece_at(table, widened(side));
    if (function.corners == Corners::at_all_points) return as_number(beside);
    const std::string own = piece_at(table, widened(argument));
    const std::string inside = integer("max.s32", {integer("min.s32", {own, before_end}), "1"});
    const std::string is_behind = computed(Kind::mask, "setp.gt.s32", {beside, "0"});
    const std::string is_inside = computed(Kind::mask, "setp.lt.and.s32", {beside, end, is_behind});
    return as_number(integer("selp.s32", {inside, beside, is_inside}));
}
std::string PtxStatements::table_offset(std::size_t table, const std::string& argument,
                                        const std::string& place_of_piece) {
    const PiecewisePolynomial& function = tables_[table].function;
    const std::string piece = whole(place_of_piece), from = piece_number(table, piece, 1);
    const std::string offset = narrow(computed(Kind::wide, "sub.rn.f64", {widened(argument), from}));
    if (!function.ends) return offset;
    const std::string is_first = computed(Kind::mask, "setp.eq.s32", {piece, "0"});
    const std::string is_outside =
        computed(Kind::mask, "setp.eq.or.s32", {piece, std::to_string(function.count - 1), is_first});
    return computed(Kind::number, "selp." + number_type(), {number(__builtin_nan("")), offset, is_outside});
}
std::string PtxStatements::table_coefficient(std::size_t table, const std::string& place_of_piece, int power) {
    return narrow(piece_number(table, whole(place_of_piece), 2 + power));
}

}  // namespace myriad::graph
