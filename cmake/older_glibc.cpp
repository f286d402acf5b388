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
