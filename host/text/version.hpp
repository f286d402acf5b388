// Which program this is: for `myriad version` and the attributes of every result file.
#pragma once

namespace myriad {

const char* program_version();  // "0.2.0"
// "3c0739524fb1"; "3c0739524fb1-modified-0a1b2c3d4e5f" where files differ and "unknown-0a1b2c3d4e5f" without git, with
// a digest of the sources: no two programs of different sources give the same text.
const char* program_commit();
const char* program_compiler();  // "clang 14.0.6"

}  // namespace myriad
