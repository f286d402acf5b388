#include "host/text/checksum.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

namespace myriad::results {
namespace {

std::vector<std::byte> random_bytes(std::size_t size) {
    std::mt19937 random(7);
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    return bytes;
}

std::uint64_t checksum_of(std::span<const std::byte> bytes) {
    Checksum checksum;
    checksum.add(bytes);
    return checksum.value();
}

TEST(Checksum, DoesNotDependOnHowTheBytesAreCut) {
    const auto bytes = random_bytes(1000);
    for (const std::size_t part : {1u, 7u, 31u, 32u, 33u, 999u}) {
        Checksum checksum;
        for (std::size_t at = 0; at < bytes.size(); at += part)
            checksum.add(std::span(bytes).subspan(at, std::min(part, bytes.size() - at)));
        EXPECT_EQ(checksum.value(), checksum_of(bytes)) << "parts of " << part;
    }
}

TEST(Checksum, FindsEveryChangedBit) {
    auto bytes = random_bytes(131);
    const std::uint64_t right = checksum_of(bytes);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        const auto mask = static_cast<std::byte>(1u << (bit % 8));
        bytes[bit / 8] ^= mask;
        EXPECT_NE(checksum_of(bytes), right) << "bit " << bit;
        bytes[bit / 8] ^= mask;
    }
}

TEST(Checksum, FindsMissingZerosAndExchangedWords) {
    std::set<std::uint64_t> seen;
    for (std::size_t size = 0; size < 100; ++size) seen.insert(checksum_of(std::vector<std::byte>(size)));
    EXPECT_EQ(seen.size(), 100u);
    auto bytes = random_bytes(256);
    const std::uint64_t right = checksum_of(bytes);
    for (const std::size_t distance : {8u, 32u, 64u}) {
        std::swap_ranges(bytes.begin(), bytes.begin() + 8, bytes.begin() + static_cast<std::ptrdiff_t>(distance));
        EXPECT_NE(checksum_of(bytes), right) << "words " << distance << " bytes apart";
        std::swap_ranges(bytes.begin(), bytes.begin() + 8, bytes.begin() + static_cast<std::ptrdiff_t>(distance));
    }
}

}  // namespace
}  // namespace myriad::results
