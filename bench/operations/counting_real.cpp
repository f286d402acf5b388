#include "bench/operations/counting_real.hpp"

#include <utility>

namespace myriad::bench {

int Ledger::fresh() { return next_++; }

int Ledger::constant(double value) {
    const auto [place, is_new] = constants_.try_emplace(__builtin_bit_cast(std::uint64_t, value), next_);
    if (is_new) ++next_;
    return place->second;
}

int Ledger::result(Operation kind, int a, int b, int c) {
    ++written.of[static_cast<std::size_t>(kind)];
    if (kind == Operation::multiply && a == one_) return b;
    if (kind == Operation::multiply && b == one_) return a;
    if (kind == Operation::negate && negated_.contains(a)) return negated_.at(a);
    const bool commutes = (kind == Operation::add && c == -1) || kind == Operation::multiply || kind == Operation::fma;
    if (commutes && b < a) std::swap(a, b);
    const auto [place, is_new] = results_.try_emplace({kind, a, b, c}, next_);
    if (is_new) {
        ++distinct.of[static_cast<std::size_t>(kind)];
        if (kind == Operation::negate) negated_[next_] = a;
        ++next_;
    }
    return place->second;
}

void Ledger::forget() { results_.clear(), negated_.clear(); }

void Ledger::clear() { written = {}, distinct = {}, forget(); }

Ledger& ledger() {
    static thread_local Ledger the_ledger;
    return the_ledger;
}

}  // namespace myriad::bench
