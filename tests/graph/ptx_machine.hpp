// Runs PTX on the host: reads a module's text and carries out its kernel for one thread after the other.
//
// It knows the language alone, not who writes it: types of registers, spaces of memory and names are checked, and what
// it does not know is an error. Addresses are those of the host; read-only loads may not see what a thread has stored.
#pragma once
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <set>
#include <stdexcept>

#include "tests/graph/ptx_operations.hpp"

namespace myriad::graph {

class PtxMachine {
  public:
    explicit PtxMachine(const std::string& text) : text_(text) { read_module(); }
    int threads() const { return threads_; }

    // Carries out block `block` of the kernel; its parameters, bytes by bytes, in their order.
    void run(const std::vector<std::vector<std::byte>>& parameters, int block) {
        if (parameters.size() != parameters_.size()) throw std::invalid_argument("other parameters than the kernel's");
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (parameters[i].size() != parameters_[i]->bytes.size()) throw std::invalid_argument("a parameter's size");
            std::copy(parameters[i].begin(), parameters[i].end(), parameters_[i]->bytes.begin());
        }
        for (int thread = 0; thread < threads_; ++thread) run_thread(block, thread);
    }

  private:
    using Value = ptx::Value;
    using Type = ptx::Type;
    struct Array {
        std::string space;
        std::vector<std::byte> bytes;
    };
    struct Operand {
        int in = -1;  // a register
        Value value = 0;
    };
    struct Instruction {
        int condition = -1;
        bool is_negated = false;
        std::vector<Operand> operands;  // the first one is where the result goes
        std::function<void(PtxMachine&, const Instruction&)> run;
    };
    const std::string text_;
    std::size_t at_ = 0;
    int threads_ = 0;
    std::map<std::string, Array> arrays_;
    std::vector<Array*> parameters_;
    struct Registers {
        Type type;
        int first, count;
    };
    std::map<std::string, Registers> registers_;  // by the name in front of their numbers
    std::vector<Value> values_;
    std::map<std::string, std::size_t> labels_;
    std::vector<Instruction> code_;
    std::vector<std::pair<std::size_t, std::string>> jumps_;  // labels that follow
    std::size_t next_ = 0;
    std::set<Value> stored_;

    [[noreturn]] static void refuse(const std::string& what) { throw std::invalid_argument("PTX: " + what); }

    // Words: names, numbers and directives, or single characters.
    static bool is_of_a_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("._%$-", c); }
    std::string peek() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
        if (at_ == text_.size()) return "";
        std::size_t end = at_;
        while (end < text_.size() && text_[end] != '\0' && is_of_a_word(text_[end])) ++end;
        return text_.substr(at_, std::max<std::size_t>(end - at_, 1));
    }
    std::string word() {
        const std::string found = peek();
        at_ += found.size();
        return found;
    }
    void expect(const std::string& wanted) {
        if (const std::string found = word(); found != wanted) refuse("'" + found + "' in place of '" + wanted + "'");
    }
    bool take(const std::string& wanted) {
        if (peek() != wanted) return false;
        word();
        return true;
    }
    int count() { return std::stoi(word()); }
    static Type type_of(const std::string& name) {
        if (name == "pred") return {'p', 1};
        if (name.size() < 2 || !std::strchr("fsub", name[0])) refuse("type " + name);
        return {name[0], std::stoi(name.substr(1))};
    }

    void read_module() {
        expect(".version"), word();
        expect(".target"), word();
        expect(".address_size"), expect("64");
        while (!peek().empty()) {
            const std::string directive = word();
            if (directive == ".const" || directive == ".global" || directive == ".shared")
                read_array(directive.substr(1));
            else if (directive == ".visible")
                read_kernel();
            else
                refuse("directive " + directive);
        }
    }
    void read_array(const std::string& space) {
        expect(".align"), expect("8");
        const Type type = type_of(word().substr(1));
        Array& array = arrays_[word()];
        array.space = space;
        expect("[");
        const auto bytes = static_cast<std::size_t>(type.bits / 8);
        array.bytes.resize(static_cast<std::size_t>(count()) * bytes);
        expect("]");
        if (take("=")) {
            expect("{");
            for (std::size_t place = 0; place < array.bytes.size(); place += bytes) {
                if (place > 0) expect(",");
                const Value value = number(word());
                std::memcpy(&array.bytes[place], &value, bytes);
            }
            expect("}");
        }
        expect(";");
    }
    void read_kernel() {
        expect(".entry"), word(), expect("(");
        do {
            expect(".param");
            std::size_t bytes = 1;
            if (take(".align")) expect("8");
            const Type type = type_of(word().substr(1));
            Array& array = arrays_[word()];
            if (take("[")) bytes = static_cast<std::size_t>(count()), expect("]");
            array.space = "param", array.bytes.resize(bytes * static_cast<std::size_t>(type.bits / 8));
            parameters_.push_back(&array);
        } while (take(","));
        expect(")");
        expect(".maxntid"), threads_ = count(), expect(","), expect("1"), expect(","), expect("1");
        if (take(".minnctapersm")) count();
        expect("{");
        while (take(".reg")) {
            const Type type = type_of(word().substr(1));
            const std::string name = word();
            expect("<");
            registers_[name] = {type, static_cast<int>(values_.size()), count()};
            values_.resize(values_.size() + static_cast<std::size_t>(registers_[name].count));
            expect(">"), expect(";");
        }
        while (!take("}")) read_statement();
        for (const auto& [place, label] : jumps_) {
            if (!labels_.contains(label)) refuse("label " + label);
            code_[place].operands.front().value = labels_.at(label);
        }
    }
    void read_statement() {
        Instruction instruction;
        if (take("@")) {
            instruction.is_negated = take("!");
            instruction.condition = a_register(word(), {'p', 1});
        }
        const std::string name = word();
        if (take(":")) {
            if (!labels_.emplace(name, code_.size()).second) refuse("label " + name + " twice");
            return;
        }
        std::vector<std::string> operands;
        while (!take(";")) {
            std::string operand = word();
            if (operand == "[")
                for (std::string next; next != "]"; operand += next) next = word();
            operands.push_back(operand);
            if (peek() != ";") expect(",");
        }
        decode(name, operands, instruction);
        code_.push_back(std::move(instruction));
    }

    static Value number(const std::string& word) {
        if (word.starts_with("0d") || word.starts_with("0f")) return std::stoull(word.substr(2), nullptr, 16);
        return static_cast<Value>(std::stoll(word));
    }
    int a_register(const std::string& name, Type type) const {
        const std::size_t digits = name.find_first_of("0123456789");
        const auto found = registers_.find(name.substr(0, digits));
        if (found == registers_.end() || digits == std::string::npos) refuse("register " + name);
        const auto& [own, first, count] = found->second;
        const int place = std::stoi(name.substr(digits));
        // Registers of bits take all types of their size, and instructions on bits all registers.
        const bool fits = own.bits == type.bits && (own.kind == type.kind || own.kind == 'b' || type.kind == 'b');
        if (place >= count || !fits) refuse("register " + name + " as ." + type.kind + std::to_string(type.bits));
        return first + place;
    }
    Operand operand(const std::string& word, Type type) {
        if (word == "%ctaid.x") return {registers_of_place().first, 0};
        if (word == "%tid.x") return {registers_of_place().first + 1, 0};
        if (word[0] == '%') return {a_register(word, type), 0};
        if (const auto array = arrays_.find(word); array != arrays_.end())
            return {-1, reinterpret_cast<Value>(array->second.bytes.data())};
        const bool is_real = word.starts_with(type.bits == 64 ? "0d" : "0f");
        if (type.kind != 'b' && (type.kind == 'f') != is_real) refuse("number " + word);
        return {-1, number(word)};
    }
    // Of the thread: its block, its number.
    Registers registers_of_place() {
        const auto [found, is_new] =
            registers_.try_emplace("place", Registers{{'b', 32}, static_cast<int>(values_.size()), 2});
        if (is_new) values_.resize(values_.size() + 2);
        return found->second;
    }
    Value read(const Operand& operand) const {
        return operand.in < 0 ? operand.value : values_[static_cast<std::size_t>(operand.in)];
    }
    void write(const Instruction& i, Value value) { values_[static_cast<std::size_t>(i.operands.front().in)] = value; }

    void decode(const std::string& name, const std::vector<std::string>& operands, Instruction& to) {
        static const std::map<std::string, ptx::Described> known = ptx::all_described();
        if (name == "ret" && operands.empty()) {
            to.run = [](PtxMachine& on, const Instruction&) { on.next_ = on.code_.size(); };
        } else if (name == "bra" && operands.size() == 1) {
            to.operands.resize(1);
            jumps_.push_back({code_.size(), operands[0]});
            to.run = [](PtxMachine& on, const Instruction& i) { on.next_ = i.operands[0].value; };
        } else if (name.starts_with("ld.") || name.starts_with("st.")) {
            decode_access(name, operands, to);
        } else {
            const auto found = known.find(name);
            if (found == known.end()) refuse("instruction " + name);
            const ptx::Described& described = found->second;
            if (operands.size() != described.from.size() + 1) refuse("operands of " + name);
            to.operands.push_back({a_register(operands[0], described.to), 0});
            for (std::size_t i = 1; i < operands.size(); ++i)
                to.operands.push_back(operand(operands[i], described.from[i - 1]));
            to.run = [&described](PtxMachine& on, const Instruction& i) {
                Value values[4];
                for (std::size_t k = 1; k < i.operands.size(); ++k) values[k] = on.read(i.operands[k]);
                on.write(i, described.operation(values + 1));
            };
        }
    }
    // Loads and stores of [address + offset].
    void decode_access(const std::string& name, const std::vector<std::string>& operands, Instruction& to) {
        const bool is_load = name.starts_with("ld."), is_read_only = name.starts_with("ld.global.nc.");
        const std::size_t end_of_space = name.find('.', 3);
        const std::string space = name.substr(3, end_of_space - 3);
        const Type type = type_of(name.substr(name.rfind('.') + 1));
        if (operands.size() != 2) refuse("operands of " + name);
        const std::string& place = operands[is_load ? 1 : 0];
        const std::size_t plus = place.find('+');
        const Value offset = plus == std::string::npos ? 0 : number(place.substr(plus + 1, place.size() - plus - 2));
        const std::string base = place.substr(1, std::min(plus, place.size() - 1) - 1);
        to.operands = {operand(operands[is_load ? 0 : 1], type), operand(base, {'u', 64})};
        to.run = [=](PtxMachine& on, const Instruction& i) {
            const Value address = on.read(i.operands[1]) + offset;
            const auto bytes = static_cast<std::size_t>(type.bits / 8);
            if (on.space_of(address, bytes) != space) refuse(name + " of other memory");
            if (is_load) {
                if (is_read_only && on.stored_.contains(address)) refuse(name + " of what was stored");
                Value value = 0;
                std::memcpy(&value, reinterpret_cast<const void*>(address), bytes);
                on.write(i, value);
            } else {
                const Value value = on.read(i.operands[0]);
                if (space == "global") on.stored_.insert(address);
                std::memcpy(reinterpret_cast<void*>(address), &value, bytes);
            }
        };
    }
    std::string space_of(Value address, std::size_t bytes) const {
        for (const auto& [name, array] : arrays_) {
            const auto first = reinterpret_cast<Value>(array.bytes.data());
            if (first <= address && address + bytes <= first + array.bytes.size()) return array.space;
        }
        return "global";
    }

    void run_thread(int block, int thread) {
        stored_.clear();
        const auto place = static_cast<std::size_t>(registers_of_place().first);
        std::fill(values_.begin(), values_.end(), 0xdeadbeefdeadbeefu);
        values_[place] = static_cast<Value>(block), values_[place + 1] = static_cast<Value>(thread);
        for (next_ = 0; next_ < code_.size();) {
            const Instruction& i = code_[next_++];
            const bool goes = i.condition < 0 || (values_[static_cast<std::size_t>(i.condition)] != 0) != i.is_negated;
            if (goes) i.run(*this, i);
        }
    }
};

}  // namespace myriad::graph
