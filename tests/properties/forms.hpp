// The forms in which a step is executed: host/validation/forms.hpp, and on the CPU each width that the build has.
#pragma once
#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "host/backends/cpu/cpu.hpp"
#include "host/validation/forms.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad::properties {

struct Form {
    std::string name;
    std::function<backends::Chunk(const backends::Task&, const backends::Instances&)> run;
};

inline Form form_of(const validation::Form& form, int width = 0) {
    backends::Settings settings;
    settings.threads = 1, settings.width = width, settings.kernels = form.kernels;
    return {form.name + (width > 0 ? "_" + std::to_string(width) : ""),
            [backend = std::string(form.backend), settings](const auto& task, const auto& instances) {
                const auto runner = backends::make_backend(backend, settings);
                runner->prepare(task, instances.size());
                runner->start(0, instances.size(), backends::columns(instances, 0, instances.size()).data());
                backends::Chunk chunk;
                runner->finish(0, chunk, std::atomic<bool>{false});
                return chunk;
            }};
}
inline Form form_of(std::string_view name) {
    return form_of(*std::ranges::find(validation::forms, name, &validation::Form::name));
}
// Shares no code with the others, and agrees to a tolerance.
inline Form reference_form() { return form_of(backends::names::reference); }

// The kernels themselves, where others run traced steps.
inline Form plain_form() { return form_of({"double", backends::names::cpu, backends::names::double_kernels}); }

// All that must have the same bits, without steps compiled for each mechanism; the others are compared with the first.
inline std::vector<Form> kernel_forms() {
    std::vector<Form> forms;
    const std::vector<int> widths = backends::cpu_widths();
    for (const validation::Form& form : validation::forms) {
        const std::string backend = form.backend, kernels = form.kernels;
        if (backend == backends::names::reference || kernels == backends::names::compiled_kernels) continue;
        if (backend == backends::names::cpu) {
            for (const int width : widths) forms.push_back(form_of(form, width));
        } else if (std::ranges::any_of(backends::backends(),
                                       [&](const auto& one) { return one.name == backend && one.available; })) {
            forms.push_back(form_of(form));
        }
    }
    return forms;
}

}  // namespace myriad::properties
