#include "host/graph/text/ptx_text.hpp"

#include <cstddef>
#include <map>
#include <set>

#include "host/graph/text/carried_in_place.hpp"
#include "host/graph/text/ptx_statements.hpp"
#include "kernels/system/launch.hpp"

namespace myriad::graph {

namespace {

using Kind = PtxStatements::Kind;

// A thread has at most 255 registers of 32 bits, some of which are for addresses.
constexpr std::size_t most_alive = 105;
constexpr std::size_t shared_bytes = 48 * 1024;

std::string digits_of(long long number) { return std::to_string(number); }
std::string at_offset(const std::string& address, long long bytes) {
    return "[" + address + "+" + digits_of(bytes) + "]";
}

class PtxWriter {
  public:
    PtxWriter(const KernelFrame& frame, const BlockShape& block)
        : frame_(frame), block_(block), to_(frame.step->graph().format) {
        find_places();
    }
    std::string text() {
        begin();
        load_fields();
        loop();
        end();
        const std::string shared = ".shared .align 8 ." + to_.number_type() + " held[" +
                                   digits_of(static_cast<long long>(shared_.size()) * block_.threads) + "];\n";
        return ".version 7.0\n.target sm_70\n.address_size 64\n" + to_.constants_text() +
               (shared_.empty() ? "" : shared) + ".visible .entry " + frame_.name + "(.param .align 8 .b8 launch[" +
               digits_of(sizeof(Launch<double>)) + "], .param .u64 is_mixed)\n.maxntid " + digits_of(block_.threads) +
               ", 1, 1\n.minnctapersm " + digits_of(block_.blocks) + "\n{\n" + to_.registers_text() + to_.text + "}\n";
    }

  private:
    const KernelFrame& frame_;
    const BlockShape block_;
    PtxStatements to_;
    // Fields of the record: in use by the steps; changed by them, and also by the end; in shared memory, with places.
    std::set<std::int64_t> held_, changed_, stored_;
    std::map<std::int64_t, std::string> shared_;
    std::map<std::int64_t, std::string> registers_;  // of other fields, but those that are left in the record
    PtxStatements::InPlace in_place_;
    bool leaves_unchanged_ = false;
    std::string tile_, lane_bytes_, record_;  // addresses: a tile's number, the bytes before a lane, field 0

    void find_places() {
        const Graph& step = frame_.step->graph();
        for (NodeId node = 0; node < step.size(); ++node)
            if (frame_.step->is_live(node) && step.at(node).is(Op::input)) held_.insert(step.at(node).data);
        for (const Output& output : step.outputs)
            if (output.field < frame_.record_fields) changed_.insert(output.field);
        held_.insert({frame_.rows_field, frame_.status_field});
        held_.insert(changed_.begin(), changed_.end());
        stored_ = changed_;
        for (const Output& output : frame_.end->graph().outputs) stored_.insert(output.field);

        in_place_.store = [this](std::int64_t field, const std::string& value) { store_now(field, value); };
        in_place_.carried = carried_in_place(*frame_.step);
        // The number of a new row is the count of rows from before the step.
        std::erase_if(in_place_.carried, [&](const auto& one) { return one.second == frame_.rows_field; });
        const std::size_t most = shared_bytes / static_cast<std::size_t>(block_.threads * to_.number_bytes());
        const auto share = [&](std::int64_t field) {
            if (shared_.size() < most) shared_[field] = "";
        };
        std::set<std::int64_t> in_place;
        for (const auto& [node, field] : in_place_.carried) in_place.insert(field);
        for (const std::int64_t field : in_place) share(field);
        leaves_unchanged_ = static_cast<std::size_t>(frame_.step->most_alive()) > most_alive + in_place.size();
        if (leaves_unchanged_)
            for (const std::int64_t field : changed_) share(field);
        for (const std::int64_t field : held_) {
            const bool is_left = in_place.contains(field) || (leaves_unchanged_ && !changed_.contains(field));
            if (!shared_.contains(field) && !is_left) registers_[field] = to_.make(Kind::number);
        }
    }
    void load_fields() {
        std::string own;
        if (!shared_.empty())
            own = address("mad.wide.u32", {to_.computed(Kind::integer, "mov.u32", {"%tid.x"}),
                                           digits_of(to_.number_bytes()), address("mov.u64", {"held"})});
        long long place = 0;
        for (auto& [field, at] : shared_) {
            at = at_offset(own, place++ * block_.threads * to_.number_bytes());
            store_now(field, loaded(record_, field));
        }
        for (const auto& [field, its_register] : registers_)
            to_.line(typed("ld.global"), {its_register, row_of(record_, field)});
    }
    // A register that has a field's present value.
    std::string now(std::int64_t field) {
        if (const auto found = registers_.find(field); found != registers_.end()) return found->second;
        if (const auto found = shared_.find(field); found != shared_.end()) return number("ld.shared", {found->second});
        return stored_.contains(field) ? loaded(record_, field) : number("ld.global.nc", {row_of(record_, field)});
    }
    void store_now(std::int64_t field, const std::string& value) {
        if (const auto found = registers_.find(field); found != registers_.end())
            to_.line(typed("mov"), {found->second, value});
        else if (const auto shared = shared_.find(field); shared != shared_.end())
            to_.line(typed("st.shared"), {shared->second, value});
        else
            store(record_, field, value);
    }

    std::string typed(const char* instruction) const { return std::string(instruction) + "." + to_.number_type(); }
    std::string number(const char* instruction, const std::vector<std::string>& operands) {
        return to_.computed(Kind::number, typed(instruction), operands);
    }
    std::string address(const std::string& instruction, const std::vector<std::string>& operands) {
        return to_.computed(Kind::address, instruction, operands);
    }
    std::string mask(const std::string& instruction, const std::vector<std::string>& operands) {
        return to_.computed(Kind::mask, instruction, operands);
    }
    std::string of_launch(std::size_t offset) {
        return address("ld.param.u64", {at_offset("launch", static_cast<long long>(offset))});
    }
    long long row_bytes() const { return 32LL * to_.number_bytes(); }
    // The address of row 0 of this instance in an array [tile][rows][32].
    std::string in_tile(std::size_t offset, long long rows) {
        const std::string array = address("cvta.to.global.u64", {of_launch(offset)});
        const std::string tile = address("mad.lo.s64", {tile_, digits_of(rows * row_bytes()), array});
        return address("add.s64", {tile, lane_bytes_});
    }
    std::string row_of(const std::string& array, std::int64_t row) const { return at_offset(array, row * row_bytes()); }
    std::string loaded(const std::string& array, std::int64_t row) { return number("ld.global", {row_of(array, row)}); }
    void store(const std::string& array, std::int64_t row, const std::string& value) {
        to_.line(typed("st.global"), {row_of(array, row), value});
    }
    std::string as_number(const PtxStatements::Value& value) {
        if (!value.is_mask) return value.operand;
        return number("selp", {to_.number(1.0), to_.number(0.0), value.operand});
    }

    void begin() {
        const std::string block = to_.computed(Kind::integer, "mov.u32", {"%ctaid.x"});
        const std::string thread = address("cvt.u64.u32", {to_.computed(Kind::integer, "mov.u32", {"%tid.x"})});
        const std::string entry = address("mad.wide.u32", {block, digits_of(block_.threads), thread});
        to_.line("@" + mask("setp.le.s64", {of_launch(offsetof(Launch<double>, slots)), entry}) + " ret", {});
        const std::string slot = address("mov.u64", {entry}), in_order = to_.new_label();
        const std::string order = address("cvta.to.global.u64", {of_launch(offsetof(Launch<double>, order))});
        to_.line("@" + mask("setp.eq.u64", {order, "0"}) + " bra", {in_order});
        const std::string place = at_offset(address("mad.lo.s64", {entry, "4", order}), 0);
        to_.line("cvt.u64.u32", {slot, to_.computed(Kind::integer, "ld.global.u32", {place})});
        to_.label(in_order);
        tile_ = address("shr.u64", {slot, "5"});
        lane_bytes_ = address("mul.lo.s64", {address("and.b64", {slot, "31"}), digits_of(to_.number_bytes())});
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
            differs = differs.empty() ? mask(typed("setp.neu"), {now, known})
                                      : mask(typed("setp.neu.or"), {now, known, differs});
        }
        to_.line((frame_.takes_others ? "@!" : "@") + differs + " ret", {});
        to_.label(taken);
    }

    void loop() {
        const std::string left = of_launch(offsetof(Launch<double>, attempts));
        const std::string top = to_.new_label(), done = to_.new_label();
        to_.label(top);
        const std::string is_left = mask("setp.gt.s64", {left, "0"}), running = to_.number(frame_.running);
        to_.line("@!" + mask(typed("setp.eq.and"), {now(frame_.status_field), running, is_left}) + " bra", {done});
        const auto values = to_.write(
            *frame_.step, [this](std::int64_t field) { return now(field); }, in_place_);
        store_row(values);
        // As if all values were read before the first is written.
        std::vector<std::pair<std::int64_t, std::string>> next;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::int64_t field = frame_.step->graph().outputs[i].field;
            if (field >= frame_.record_fields || values[i].operand.empty()) continue;
            const std::string value = as_number(values[i]);
            next.push_back({field, values[i].is_input ? number("mov", {value}) : value});
        }
        for (const auto& [field, value] : next) store_now(field, value);
        to_.line("sub.s64", {left, left, "1"});
        to_.line("bra", {top});
        to_.label(done);
    }
    // If the step has made one.
    void store_row(const std::vector<PtxStatements::Value>& values) {
        if (frame_.observed == 0) return;
        const std::vector<Output>& outputs = frame_.step->graph().outputs;
        const std::string row = now(frame_.rows_field), without = to_.new_label();
        std::string rows = row;
        for (std::size_t i = 0; i < outputs.size(); ++i)
            if (outputs[i].field == frame_.rows_field) rows = as_number(values[i]);
        const std::string is_new = mask(typed("setp.neu"), {rows, row});
        const std::string count = to_.number(static_cast<double>(frame_.rows));
        to_.line("@!" + mask(typed("setp.lt.and"), {row, count, is_new}) + " bra", {without});
        const std::string array = in_tile(offsetof(Launch<double>, trajectory), frame_.rows * frame_.observed);
        const std::string place = address("cvt.rzi.s64." + to_.number_type(), {row});
        const std::string to = address("mad.lo.s64", {place, digits_of(frame_.observed * row_bytes()), array});
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
        std::map<std::int64_t, std::string> stored;
        for (const std::int64_t field : changed_)
            if (registers_.contains(field) || shared_.contains(field)) stored[field] = now(field);
        for (std::size_t i = 0; i < values.size(); ++i)
            stored[frame_.end->graph().outputs[i].field] = as_number(values[i]);
        for (const auto& [field, value] : stored) {
            const auto [array, row] = place(field);
            store(array, row, value);
        }
        to_.line("ret", {});
    }
};

}  // namespace

std::string ptx_text(const KernelFrame& frame, const BlockShape& block) { return PtxWriter(frame, block).text(); }

}  // namespace myriad::graph
