// Systems that were code and are mechanism files now, for whoever has a study of one: the file, and what its addresses
// are called there.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace myriad::study {

// A parameter or channel of the system, and the address of the same in the mechanism. <i> in both stands for a number.
struct RenamedAddress {
    const char *before, *now;
    bool is_channel = false, has_other_sign = false;
};
struct RetiredSystem {
    const char* name;
    const char* mechanism;  // of ensembles/mechanisms/, without .json
    std::span<const RenamedAddress> addresses;
    const char* note = "";  // what no address says
};

std::span<const RetiredSystem> retired_systems();

// Nothing where the name is that of no retired system; else UserError at `where`.
void refuse_retired_system(std::string_view name, const std::string& where);

}  // namespace myriad::study
