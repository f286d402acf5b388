// Which program this is: for `myriad version` and the attributes of every result file.
#pragma once

namespace myriad {

const char* program_version();   // "0.1.0"
const char* program_commit();    // "3c0739524fb1", with "-modified" behind it where files differ, or "unknown"
const char* program_compiler();  // "clang 14.0.6"

}  // namespace myriad
