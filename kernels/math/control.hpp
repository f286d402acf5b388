// The three words of control on data:
//
//   MYRIAD_WHEN(mask) { ... }     entered if any lane wants it
//   MYRIAD_REPEAT(going) { ... }  while any lane goes on
//   MYRIAD_RARELY(mask) { ... }   as the first; what is traced leaves it out, and its lanes stay behind
//
// Nested as needed. Lanes that do not take part keep their values by selects. On numbers and packs they are `if` and
// `while`; where code is traced (host/graph/tracer.hpp) they are regions of the graph. There is no early return or
// break inside, and in the body of a repeat nothing changes but Reals and masks. A lane that stays behind takes its
// whole step on numbers instead (kernels/run/step.hpp). Not handled: an `else`.
#pragma once
#include "kernels/math/real.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// True of a Real that is written down instead of computed.
template <class Real>
constexpr bool is_traced = false;

// What the words do with masks of a kind; a specialisation traces.
template <class Mask>
struct Control {
    static MYRIAD_HD bool enters(const Mask& mask) { return any(mask); }
    static MYRIAD_HD bool enters_rarely(const Mask& mask) { return any(mask); }
    static MYRIAD_HD bool wants(const Mask& mask) { return any(mask); }
    struct Turns {
        MYRIAD_HD bool go_on(const Mask& going) const { return any(going); }
    };
};

template <class Mask>
using ControlOf = Control<typename Unqualified<Mask>::Type>;

// False where no lane wants something, which then may be left out. What is traced is for any lanes: true.
template <class Mask>
MYRIAD_HD bool is_wanted(const Mask& mask) {
    return Control<Mask>::wants(mask);
}

#define MYRIAD_JOINED_NAME(a, b) a##b
#define MYRIAD_NAME_OF_LINE(name, line) MYRIAD_JOINED_NAME(name, line)
#define MYRIAD_WHEN(...)                                                     \
    if (const auto& MYRIAD_NAME_OF_LINE(when_, __LINE__) =                   \
            ::myriad::ControlOf<decltype(__VA_ARGS__)>::enters(__VA_ARGS__); \
        MYRIAD_NAME_OF_LINE(when_, __LINE__))
#define MYRIAD_RARELY(...) if (::myriad::ControlOf<decltype(__VA_ARGS__)>::enters_rarely(__VA_ARGS__))
#define MYRIAD_REPEAT(...)                                                                                 \
    for (typename ::myriad::ControlOf<decltype(__VA_ARGS__)>::Turns MYRIAD_NAME_OF_LINE(turns_, __LINE__); \
         MYRIAD_NAME_OF_LINE(turns_, __LINE__).go_on(__VA_ARGS__);)

}  // namespace myriad::inline MYRIAD_VARIANT
