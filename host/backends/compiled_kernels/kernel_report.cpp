#include "host/backends/compiled_kernels/kernel_report.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <set>
#include <sstream>
#include <string_view>

namespace myriad::backends::cuda {

namespace {

// "mul", "rn", "f64" of "mul.rn.f64".
std::vector<std::string_view> parts_of(std::string_view opcode) {
    std::vector<std::string_view> parts;
    while (!opcode.empty()) {
        const std::size_t end = std::min(opcode.find('.'), opcode.size());
        parts.push_back(opcode.substr(0, end));
        opcode.remove_prefix(std::min(end + 1, opcode.size()));
    }
    return parts;
}

void count(std::string_view line, InstructionCounts& counts) {
    static const std::set<std::string_view> arithmetic = {"abs", "add", "cvt", "div",  "fma", "max",  "min", "mul",
                                                          "neg", "rcp", "set", "setp", "sub", "sqrt", "mad", "rsqrt"};
    static const std::set<std::string_view> memory = {"ld", "st", "ldu", "atom", "red"};
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front()))) line.remove_prefix(1);
    if (line.starts_with('@')) {  // a predicate stands before the instruction
        const std::size_t space = line.find_first_of(" \t");
        if (space == std::string_view::npos) return;
        line.remove_prefix(space);
        while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front()))) line.remove_prefix(1);
    }
    if (line.find(';') == std::string_view::npos || !std::isalpha(static_cast<unsigned char>(line.front()))) return;
    const std::vector<std::string_view> parts = parts_of(line.substr(0, line.find_first_of(" \t;")));
    const auto has = [&](std::string_view part) { return std::find(parts.begin(), parts.end(), part) != parts.end(); };
    if (memory.contains(parts.front()))
        ++counts.memory;
    else if (arithmetic.contains(parts.front()) && has("f64"))
        ++counts.fp64;
    else if (arithmetic.contains(parts.front()) && has("f32"))
        ++counts.fp32;
    else
        ++counts.other;
}

// From ".entry <kernel>(" to the brace at the beginning of a line that closes its body.
InstructionCounts instructions_of(const std::string& kernel, const std::string& ptx) {
    InstructionCounts counts;
    std::istringstream lines(ptx);
    bool within = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.find(".entry " + kernel + "(") != std::string::npos)
            within = true;
        else if (within && line.starts_with('}'))
            break;
        else if (within)
            count(line, counts);
    }
    return counts;
}

}  // namespace

std::vector<KernelFigures> kernel_figures(const std::string& log, const std::string& ptx) {
    std::vector<KernelFigures> all;
    std::istringstream lines(log);
    const std::string entry = "Compiling entry function '", properties = "Function properties for ";
    bool of_called = false;  // functions that are not inlined come behind the last entry
    for (std::string line; std::getline(lines, line);) {
        if (const std::size_t at = line.find(entry); at != std::string::npos) {
            const std::size_t begin = at + entry.size();
            KernelFigures figures;
            figures.kernel = line.substr(begin, line.find('\'', begin) - begin);
            figures.instructions = instructions_of(figures.kernel, ptx);
            all.push_back(std::move(figures));
            of_called = false;
            continue;
        }
        if (all.empty()) continue;
        if (const std::size_t at = line.find(properties); at != std::string::npos)
            of_called = line.substr(at + properties.size()) != all.back().kernel;
        if (of_called) continue;
        KernelFigures& last = all.back();
        if (const std::size_t at = line.find("bytes stack frame"); at != std::string::npos) {
            const std::size_t digits = line.find_first_of("0123456789");
            std::sscanf(line.c_str() + digits, "%d bytes stack frame, %d bytes spill stores, %d bytes spill loads",
                        &last.stack_bytes, &last.spill_store_bytes, &last.spill_load_bytes);
        } else if (const std::size_t used = line.find("Used "); used != std::string::npos) {
            std::sscanf(line.c_str() + used, "Used %d registers", &last.registers);
        }
    }
    return all;
}

}  // namespace myriad::backends::cuda
