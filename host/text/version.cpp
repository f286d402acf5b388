#include "host/text/version.hpp"

#include "program_commit.hpp"

#define MYRIAD_TEXT_OF(x) #x
#define MYRIAD_TEXT(x) MYRIAD_TEXT_OF(x)
#define MYRIAD_DOTTED(a, b, c) MYRIAD_TEXT(a) "." MYRIAD_TEXT(b) "." MYRIAD_TEXT(c)

namespace myriad {

const char* program_version() { return MYRIAD_VERSION; }

const char* program_commit() { return MYRIAD_COMMIT; }

const char* program_compiler() {
#if defined(__clang__)
    return "clang " MYRIAD_DOTTED(__clang_major__, __clang_minor__, __clang_patchlevel__);
#else
    return "g++ " MYRIAD_DOTTED(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace myriad
