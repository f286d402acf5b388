// The ways in which a step is executed. A claim holds for each of them; a new one is a line here.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "host/backends/interface/backend.hpp"

namespace myriad::validation {

struct Form {
    const char *name, *backend, *kernels;
};
inline constexpr Form forms[] = {
    {backends::names::reference, backends::names::reference, ""},
    {backends::names::cpu, backends::names::cpu, ""},
    {backends::names::compiled_kernels, backends::names::cpu, backends::names::compiled_kernels},
    {backends::names::cuda, backends::names::cuda, ""}};

}  // namespace myriad::validation
