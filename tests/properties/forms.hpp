// The forms in which a step is executed. A new form enters every property by its line in kernel_forms().
#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "host/backends/cpu/cpu.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad::properties {

struct Form {
    std::string name;
    std::function<backends::Chunk(const backends::Task&, const backends::Instances&)> run;
    friend void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }
};

inline Form form_of_backend(const std::string& name, const std::string& backend, const backends::Settings& settings) {
    return {name, [=](const backends::Task& task, const backends::Instances& instances) {
                const auto runner = backends::make_backend(backend, settings);
                runner->prepare(task, instances.size());
                runner->start(0, instances.size(), backends::columns(instances, 0, instances.size()).data());
                backends::Chunk chunk;
                runner->finish(0, chunk, std::atomic<bool>{false});
                return chunk;
            }};
}

// All that must have the same bits; the first one is what the others are compared with.
inline std::vector<Form> kernel_forms() {
    std::vector<Form> forms;
    for (const int width : backends::cpu_widths()) {
        backends::Settings settings;
        settings.threads = 1, settings.width = width;
        forms.push_back(form_of_backend("cpu_" + std::to_string(width), backends::names::cpu, settings));
    }
    for (const backends::Availability& one : backends::backends())
        if (one.available && one.name == backends::names::cuda)
            forms.push_back(form_of_backend("cuda", backends::names::cuda, {}));
    return forms;
}

// Shares no code with the others, and agrees to a tolerance.
inline Form reference_form() { return form_of_backend("reference", backends::names::reference, {}); }

// Steps that the machine's compiler compiles for the mechanism, at the widest.
inline Form compiled_form() {
    backends::Settings settings;
    settings.threads = 1, settings.kernels = backends::names::compiled_kernels;
    return form_of_backend("compiled", backends::names::cpu, settings);
}

}  // namespace myriad::properties
