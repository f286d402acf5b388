#include "host/graph/text/cuda_text.hpp"

#include <limits>
#include <set>

#include "host/graph/text/c_function.hpp"
#include "host/graph/text/c_words.hpp"
#include "host/graph/text/cuda_words.hpp"
#include "kernels/system/launch.hpp"

namespace myriad::graph {

namespace {

// A thread has at most 255 registers of 32 bits, some of which are for addresses.
constexpr int most_alive_in_registers = 105;
// 48 kB of shared memory for 64 threads.
constexpr std::size_t most_in_shared_memory = 96;

std::string text_of(long long number) { return std::to_string(number); }

// Kernel parameters, as kernels/system/launch.hpp has them.
std::string launch_text() {
    static_assert(sizeof(Schedule) % sizeof(double) == 0);
    return "struct Launch {\nReal *records, *initial_states, *final_states, *trajectory, *quantities;\n"
           "const Real *parameters, *thresholds, *windows;\nconst unsigned* order;\nconst Real* former;\n"
           "long long slots, attempts;\ndouble schedule[" +
           text_of(sizeof(Schedule) / sizeof(double)) + "];\n};\n";
}

class Writer {
  public:
    explicit Writer(const KernelFrame& frame) : frame_(frame) {
        shared_.format = frame.step->graph().format;
        shared_.form.longest_straight = std::numeric_limits<int>::max();
        place_fields();
    }
    std::string text() {
        const CStep step = c_step(shared_, *frame_.step, [this](std::int64_t field) { return step_field(field); });
        const CStep end = c_step(shared_, *frame_.end, [this](std::int64_t field) { return end_field(field); });
        return cuda_words(shared_.format) + launch_text() + shared_.constants_text() + shared_.tables +
               shared_.functions + "extern \"C\" __global__ void __launch_bounds__(MYRIAD_THREADS, MYRIAD_BLOCKS) " +
               frame_.name + "(const Launch launch, const long long is_mixed) {\n" + begin() + loop(step.body) + "{\n" +
               end.body + "}\n" + stores() + "}\n";
    }

  private:
    const KernelFrame& frame_;
    CShared shared_;
    // Fields of the record: in use by the steps, written by them, and in shared memory.
    std::set<std::int64_t> used_, changed_;
    std::map<std::int64_t, int> place_in_shared_memory_;
    bool has_many_alive_ = false;

    static void add_inputs(const Program& program, std::set<std::int64_t>& to) {
        for (NodeId node = 0; node < program.graph().size(); ++node)
            if (program.is_live(node) && program.graph().at(node).is(Op::input))
                to.insert(program.graph().at(node).data);
    }
    void place_fields() {
        add_inputs(*frame_.step, used_);
        used_.insert({frame_.rows_field, frame_.status_field});
        for (const Output& output : frame_.step->graph().outputs)
            if (output.field < frame_.record_fields) used_.insert(output.field), changed_.insert(output.field);
        has_many_alive_ = frame_.step->most_alive() > most_alive_in_registers;
        if (!has_many_alive_) return;
        for (const bool is_changed : {true, false})
            for (const std::int64_t field : used_)
                if (changed_.contains(field) == is_changed && field != frame_.rows_field &&
                    field != frame_.status_field && place_in_shared_memory_.size() < most_in_shared_memory)
                    place_in_shared_memory_.try_emplace(field, static_cast<int>(place_in_shared_memory_.size()));
    }

    static std::string row_of(const char* array, std::int64_t row) { return array + ("[" + text_of(32 * row) + "]"); }
    std::string field_of_record(std::int64_t field) const {
        if (!used_.contains(field)) return row_of("record", field);
        if (const auto place = place_in_shared_memory_.find(field); place != place_in_shared_memory_.end())
            return "held[" + text_of(place->second) + "][threadIdx.x]";
        if (has_many_alive_ && !changed_.contains(field)) return row_of("given", field);
        return "now" + text_of(field);
    }
    std::string step_field(std::int64_t field) const {
        return field < frame_.record_fields ? field_of_record(field) : "row" + text_of(field - frame_.record_fields);
    }
    std::string end_field(std::int64_t field) const {
        const std::int64_t beyond = field - frame_.record_fields, quantity = beyond - frame_.states;
        if (beyond < 0) return field_of_record(field);
        return quantity < 0 ? row_of("states", beyond) : row_of("quantities", quantity);
    }
    static std::string in_tile(const std::string& array, long long rows) {
        return "launch." + array + " + tile * " + text_of(32 * rows) + " + lane";
    }

    std::string begin() const {
        std::string text =
            "const long long entry = (long long)blockIdx.x * MYRIAD_THREADS + threadIdx.x;\n"
            "if (launch.slots <= entry) return;\n"
            "const long long slot = launch.order ? (long long)launch.order[entry] : entry;\n"
            "const long long tile = slot / 32, lane = slot % 32;\n"
            "Real* const record = " +
            in_tile("records", frame_.record_fields) + ";\n" + selection();
        if (frame_.states > 0) text += "Real* const states = " + in_tile("final_states", frame_.states) + ";\n";
        if (frame_.quantities > 0)
            text += "Real* const quantities = " + in_tile("quantities", frame_.quantities) + ";\n";
        if (!place_in_shared_memory_.empty())
            text += "__shared__ Real shared[" + text_of(static_cast<long long>(place_in_shared_memory_.size())) +
                    "][MYRIAD_THREADS];\nvolatile Real (*const held)[MYRIAD_THREADS] = shared;\n"
                    "const volatile Real* const given = record;\n";
        for (const std::int64_t field : used_) {
            const std::string place = field_of_record(field);
            if (place == row_of("given", field)) continue;
            text += (place_in_shared_memory_.contains(field) ? "" : "Real ") + place + " = " + row_of("record", field) +
                    ";\n";
        }
        return text;
    }
    // Which instances the kernel takes.
    std::string selection() const {
        if (frame_.known.empty()) return "";
        std::string differs;
        for (const KernelFrame::Known& known : frame_.known)
            differs +=
                (differs.empty() ? "" : " || ") + row_of("record", known.field) + " != (Real)" + c_number(known.value);
        return frame_.takes_others ? "if (!(" + differs + ")) return;\n"
                                   : "if (is_mixed && (" + differs + ")) return;\n";
    }
    std::string loop(const std::string& step) const {
        const std::string rows = field_of_record(frame_.rows_field);
        std::string text = "for (long long left = launch.attempts; 0 < left && " +
                           field_of_record(frame_.status_field) + " == (Real)" + c_number(frame_.running) +
                           "; --left) {\n";
        if (frame_.observed == 0) return text + step + "}\n";
        text += "const Real row = " + rows + ";\nReal ";
        for (int entry = 0; entry < frame_.observed; ++entry) text += (entry ? ", row" : "row") + text_of(entry);
        text += ";\n" + step + "if (" + rows + " != row && row < (Real)" + text_of(frame_.rows) +
                ") {\nReal* const to = " + in_tile("trajectory", frame_.rows * frame_.observed) +
                " + (long long)row * " + text_of(32 * frame_.observed) + ";\n";
        for (int entry = 0; entry < frame_.observed; ++entry)
            text += row_of("to", entry) + " = row" + text_of(entry) + ";\n";
        return text + "}\n}\n";
    }
    std::string stores() const {
        std::set<std::int64_t> stored = changed_;
        for (const Output& output : frame_.end->graph().outputs)
            if (used_.contains(output.field)) stored.insert(output.field);
        std::string text;
        for (const std::int64_t field : stored)
            text += row_of("record", field) + " = " + field_of_record(field) + ";\n";
        return text;
    }
};

}  // namespace

std::string cuda_text(const KernelFrame& frame) { return Writer(frame).text(); }

}  // namespace myriad::graph
