#include "host/graph/text/ptx_text.hpp"

#include <cstddef>
#include <map>
#include <set>

#include "host/graph/text/ptx_statements.hpp"
#include "kernels/system/launch.hpp"

namespace myriad::graph {

namespace {

using Kind = PtxStatements::Kind;

// A thread has at most 255 registers of 32 bits, some of which are for addresses.
constexpr int most_alive_in_registers = 105;
// 48 kB of shared memory for 64 threads.
constexpr std::size_t most_in_shared_memory = 96;

std::string text_of(long long number) { return std::to_string(number); }

class Writer {
  public:
    Writer(const KernelFrame& frame, const PtxForm& form)
        : frame_(frame), form_(form), to_(frame.step->graph().format) {
        find_held();
    }
    std::string text() {
        begin();
        hold();
        loop();
        end();
        return ".version 7.0\n.target " + std::string(form_.target) + "\n.address_size 64\n" + to_.constants_text() +
               held_text() + ".visible .entry " + frame_.name + "(.param .align 8 .b8 launch[" +
               text_of(sizeof(Launch<double>)) + "], .param .u64 is_mixed)\n.maxntid " + text_of(form_.threads) +
               ", 1, 1\n.minnctapersm " + text_of(form_.blocks) + "\n{\n" + to_.registers_text() + to_.text + "}\n";
    }

  private:
    const KernelFrame& frame_;
    const PtxForm& form_;
    PtxStatements to_;
    std::set<std::int64_t> held_, changed_;    // fields of the record: in use by the steps; written by them
    std::map<std::int64_t, std::string> now_;  // their registers, or places in shared memory
    bool shares_memory_ = false;
    std::string tile_, lane_bytes_, record_;  // addresses: a tile's number, the bytes before a lane, field 0

    static void add_inputs(const Program& program, std::set<std::int64_t>& to) {
        for (NodeId node = 0; node < program.graph().size(); ++node)
            if (program.is_live(node) && program.graph().at(node).is(Op::input))
                to.insert(program.graph().at(node).data);
    }
    void find_held() {
        add_inputs(*frame_.step, held_);
        held_.insert({frame_.rows_field, frame_.status_field});
        for (const Output& output : frame_.step->graph().outputs)
            if (output.field < frame_.record_fields) held_.insert(output.field), changed_.insert(output.field);
        shares_memory_ =
            frame_.step->most_alive() > most_alive_in_registers && changed_.size() <= most_in_shared_memory;
    }
    bool is_shared(std::int64_t field) const { return shares_memory_ && changed_.contains(field); }
    std::string held_text() const {
        if (!shares_memory_) return "";
        return ".shared .align 8 ." + to_.number_type() + " held[" +
               text_of(static_cast<long long>(changed_.size()) * form_.threads) + "];\n";
    }
    void hold() {
        std::string own;
        if (shares_memory_)
            own = address("mad.wide.u32", {to_.computed(Kind::integer, "mov.u32", {"%tid.x"}),
                                           text_of(to_.number_bytes()), address("mov.u64", {"held"})});
        int place = 0;
        for (const std::int64_t field : held_) {
            std::string value = loaded(record_, field);
            if (is_shared(field)) {
                const std::string at = "[" + own + "+" + text_of(place++ * form_.threads * to_.number_bytes()) + "]";
                to_.line("st.shared." + to_.number_type(), {at, value});
                value = at;
            }
            now_[field] = value;
        }
    }
    // A register that has the value of a field that is held.
    std::string now(std::int64_t field) {
        if (!is_shared(field)) return now_.at(field);
        return to_.computed(Kind::number, "ld.shared." + to_.number_type(), {now_.at(field)});
    }
    void set(std::int64_t field, const std::string& value) {
        to_.line((is_shared(field) ? "st.shared." : "mov.") + to_.number_type(), {now_.at(field), value});
    }

    std::string address(const std::string& instruction, const std::vector<std::string>& operands) {
        return to_.computed(Kind::address, instruction, operands);
    }
    std::string mask(const std::string& instruction, const std::vector<std::string>& operands) {
        return to_.computed(Kind::mask, instruction, operands);
    }
    std::string of_launch(std::size_t offset) {
        return address("ld.param.u64", {"[launch+" + text_of(static_cast<long long>(offset)) + "]"});
    }
    long long row_bytes() const { return 32LL * to_.number_bytes(); }
    // The address of row 0 of this instance in an array [tile][rows][32].
    std::string in_tile(std::size_t offset, long long rows) {
        const std::string array = address("cvta.to.global.u64", {of_launch(offset)});
        const std::string tile = address("mad.lo.s64", {tile_, text_of(rows * row_bytes()), array});
        return address("add.s64", {tile, lane_bytes_});
    }
    std::string row_of(const std::string& array, std::int64_t row) const {
        return "[" + array + "+" + text_of(row * row_bytes()) + "]";
    }
    std::string loaded(const std::string& array, std::int64_t row) {
        return to_.computed(Kind::number, "ld.global." + to_.number_type(), {row_of(array, row)});
    }
    void store(const std::string& array, std::int64_t row, const std::string& value) {
        to_.line("st.global." + to_.number_type(), {row_of(array, row), value});
    }
    std::string as_number(const PtxStatements::Value& value) {
        if (!value.is_mask) return value.operand;
        return to_.computed(Kind::number, "selp." + to_.number_type(),
                            {to_.number(1.0), to_.number(0.0), value.operand});
    }

    void begin() {
        const std::string block = to_.computed(Kind::integer, "mov.u32", {"%ctaid.x"});
        const std::string thread = address("cvt.u64.u32", {to_.computed(Kind::integer, "mov.u32", {"%tid.x"})});
        const std::string entry = address("mad.wide.u32", {block, text_of(form_.threads), thread});
        to_.line("@" + mask("setp.le.s64", {of_launch(offsetof(Launch<double>, slots)), entry}) + " ret", {});
        const std::string slot = address("mov.u64", {entry}), in_order = to_.new_label();
        const std::string order = address("cvta.to.global.u64", {of_launch(offsetof(Launch<double>, order))});
        to_.line("@" + mask("setp.eq.u64", {order, "0"}) + " bra", {in_order});
        const std::string place = "[" + address("mad.lo.s64", {entry, "4", order}) + "]";
        to_.line("cvt.u64.u32", {slot, to_.computed(Kind::integer, "ld.global.u32", {place})});
        to_.label(in_order);
        tile_ = address("shr.u64", {slot, "5"});
        const std::string lane = address("and.b64", {slot, "31"});
        lane_bytes_ = address("mul.lo.s64", {lane, text_of(to_.number_bytes())});
        record_ = in_tile(offsetof(Launch<double>, records), frame_.record_fields);
        select_instances();
    }
    void select_instances() {
        if (frame_.known.empty()) return;
        const std::string taken = to_.new_label();
        if (!frame_.takes_others)
            to_.line("@" + mask("setp.eq.s64", {address("ld.param.u64", {"[is_mixed]"}), "0"}) + " bra", {taken});
        std::string differs;
        for (const auto& [field, value] : frame_.known) {
            const std::string now = loaded(record_, field), known = to_.number(value);
            differs = differs.empty() ? mask("setp.neu." + to_.number_type(), {now, known})
                                      : mask("setp.neu.or." + to_.number_type(), {now, known, differs});
        }
        to_.line((frame_.takes_others ? "@!" : "@") + differs + " ret", {});
        to_.label(taken);
    }

    void loop() {
        const std::string left = of_launch(offsetof(Launch<double>, attempts));
        const std::string top = to_.new_label(), done = to_.new_label();
        to_.label(top);
        const std::string goes = mask("setp.gt.s64", {left, "0"});
        const std::string status = now(frame_.status_field);
        to_.line("@!" + mask("setp.eq.and." + to_.number_type(), {status, to_.number(frame_.running), goes}) + " bra",
                 {done});
        const auto values = to_.write(*frame_.step, [this](std::int64_t field) { return now(field); });
        const std::vector<Output>& outputs = frame_.step->graph().outputs;
        store_row(outputs, values);
        // As if all values were read before the first is written.
        std::vector<std::pair<std::int64_t, std::string>> next;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (outputs[i].field >= frame_.record_fields) continue;
            std::string value = as_number(values[i]);
            if (values[i].is_input && !is_shared(outputs[i].field))
                value = to_.computed(Kind::number, "mov." + to_.number_type(), {value});
            next.push_back({outputs[i].field, value});
        }
        for (const auto& [field, value] : next) set(field, value);
        to_.line("sub.s64", {left, left, "1"});
        to_.line("bra", {top});
        to_.label(done);
    }
    // If the step has made one.
    void store_row(const std::vector<Output>& outputs, const std::vector<PtxStatements::Value>& values) {
        if (frame_.observed == 0) return;
        const std::string row = now(frame_.rows_field), without = to_.new_label();
        std::string rows = row;
        for (std::size_t i = 0; i < outputs.size(); ++i)
            if (outputs[i].field == frame_.rows_field) rows = as_number(values[i]);
        const std::string is_new = mask("setp.neu." + to_.number_type(), {rows, row});
        const std::string last = to_.number(static_cast<double>(frame_.rows));
        to_.line("@!" + mask("setp.lt.and." + to_.number_type(), {row, last, is_new}) + " bra", {without});
        const std::string array = in_tile(offsetof(Launch<double>, trajectory), frame_.rows * frame_.observed);
        const std::string number = address("cvt.rzi.s64." + to_.number_type(), {row});
        const std::string to = address("mad.lo.s64", {number, text_of(frame_.observed * row_bytes()), array});
        for (std::size_t i = 0; i < outputs.size(); ++i)
            if (outputs[i].field >= frame_.record_fields)
                store(to, outputs[i].field - frame_.record_fields, as_number(values[i]));
        to_.label(without);
    }

    void end() {
        const std::string states = in_tile(offsetof(Launch<double>, final_states), frame_.states);
        const std::string quantities = in_tile(offsetof(Launch<double>, quantities), frame_.quantities);
        const auto place = [&](std::int64_t field) -> std::pair<std::string, std::int64_t> {
            const std::int64_t beyond = field - frame_.record_fields;
            if (beyond < 0) return {record_, field};
            return beyond < frame_.states ? std::pair{states, beyond} : std::pair{quantities, beyond - frame_.states};
        };
        const auto values = to_.write(*frame_.end, [&](std::int64_t field) {
            if (held_.contains(field)) return now(field);
            const auto [array, row] = place(field);
            return loaded(array, row);
        });
        const std::vector<Output>& outputs = frame_.end->graph().outputs;
        std::map<std::int64_t, std::string> stored;
        for (const Output& output : frame_.step->graph().outputs)
            if (output.field < frame_.record_fields) stored[output.field] = now(output.field);
        for (std::size_t i = 0; i < values.size(); ++i) stored[outputs[i].field] = as_number(values[i]);
        for (const auto& [field, value] : stored) {
            const auto [array, row] = place(field);
            store(array, row, value);
        }
        to_.line("ret", {});
    }
};

}  // namespace

std::string ptx_text(const KernelFrame& frame, const PtxForm& form) { return Writer(frame, form).text(); }

}  // namespace myriad::graph
