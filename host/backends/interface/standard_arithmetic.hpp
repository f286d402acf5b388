// Rounding to nearest, with subnormal numbers, on this thread while the object lives; behind it what was set before.
//
// A process around Myriad may have set something else: a module of Python that was compiled by -ffast-math flushes
// subnormal numbers from the moment it is loaded. That would change bits. Threads inherit it from who starts them.
#pragma once
#include <cfenv>

namespace myriad::backends {

class StandardArithmetic {
  public:
    StandardArithmetic() { std::fegetenv(&before_), std::fesetenv(FE_DFL_ENV); }
    ~StandardArithmetic() { std::fesetenv(&before_); }
    StandardArithmetic(const StandardArithmetic&) = delete;
    StandardArithmetic& operator=(const StandardArithmetic&) = delete;

  private:
    std::fenv_t before_;
};

}  // namespace myriad::backends
