// Debian 12's static libstdc++ takes the seed of std::random_device from arc4random, which glibc has from 2.36 on. With
// this definition the programs ask for glibc 2.34 only (Ubuntu 22.04, RHEL 9), and Myriad draws no such seed.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

extern "C" __attribute__((visibility("hidden"))) std::uint32_t arc4random() noexcept {
    std::uint32_t number = 0;
    if (getentropy(&number, sizeof number) != 0) std::abort();
    return number;
}

// hypot of glibc 2.35 and later differs from the one before in when it sets errno, which nobody asks here.
#if defined(__x86_64__)
__asm__(".symver hypot_of_older_glibc, hypot@GLIBC_2.2.5");
extern "C" double hypot_of_older_glibc(double x, double y);
extern "C" __attribute__((visibility("hidden"))) double hypot(double x, double y) noexcept {
    return hypot_of_older_glibc(x, y);
}
#endif
