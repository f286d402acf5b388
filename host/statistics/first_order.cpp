#include "host/statistics/first_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "host/statistics/no_value.hpp"
#include "host/statistics/rising_order.hpp"
#include "host/statistics/student.hpp"

namespace myriad::study {

namespace {

constexpr double classes_per_root = 0.35;
constexpr std::size_t fewest_classes = 2, most_classes = 64;
constexpr int parabola = 3, line = 2, mean_alone = 1;  // how many coefficients each has
// Two lines have two coefficients and a place more than a parabola. Chosen as the best of all places, they leave less
// by chance, too: some ten variances of the noise less, but hardly ever 25.
constexpr double fewest_variances_saved = 25.0;
constexpr std::size_t shortest_line = 4, fewest_for_two_lines = 16;

// Instances in the order of the parameter.
struct Ordered {
    std::vector<double> x, y;             // y less the mean of all
    std::vector<std::uint64_t> instance;  // equal x: in the order of their numbers
};

struct Segment {
    std::size_t first, last;  // one past the last
    int coefficients;
    std::size_t size() const { return last - first; }
};

Ordered ordered(std::span<const double> x, std::span<const double> y, std::span<const std::uint64_t> instance,
                double mean) {
    Ordered sorted;
    for (const std::size_t i : rising_order(x)) {
        sorted.x.push_back(x[i]);
        sorted.y.push_back(y[i] - mean);
        sorted.instance.push_back(instance[i]);
    }
    return sorted;
}

std::vector<Segment> classes_of(const std::vector<double>& x) {
    const std::size_t n = x.size();
    const auto wanted = static_cast<std::size_t>(classes_per_root * std::sqrt(static_cast<double>(n)));
    const std::size_t count = std::clamp(wanted, fewest_classes, most_classes);
    std::vector<std::size_t> groups = {0};  // where a new value begins
    for (std::size_t i = 1; i < n; ++i)
        if (x[i] != x[i - 1]) groups.push_back(i);
    std::vector<Segment> classes;
    if (groups.size() <= parabola * count) {
        for (std::size_t g = 0; g < groups.size(); ++g)
            classes.push_back({groups[g], g + 1 < groups.size() ? groups[g + 1] : n, mean_alone});
        return classes;
    }
    // Equal values stay in one class.
    std::size_t begin = 0;
    for (std::size_t k = 1; k <= count && begin < n; ++k) {
        std::size_t end = std::max(n * k / count, begin + 1);
        while (end < n && x[end] == x[end - 1]) ++end;
        classes.push_back({begin, end, parabola});
        begin = end;
    }
    return classes;
}

// Orthonormal polynomials of rising degree on the points of a segment; fewer where the points are.
std::vector<std::vector<double>> polynomials(const Ordered& data, const Segment& segment) {
    const std::size_t size = segment.size();
    const double count = static_cast<double>(size);
    const std::span<const double> x = std::span(data.x).subspan(segment.first, size);
    const double centre = 0.5 * x.front() + 0.5 * x.back(), reach = 0.5 * x.back() - 0.5 * x.front();
    std::vector<std::vector<double>> basis = {std::vector<double>(size, 1.0 / std::sqrt(count))};
    std::vector<double> power(size, 1.0);
    while (static_cast<int>(basis.size()) < segment.coefficients && basis.size() + 1 < size && reach > 0.0) {
        for (std::size_t i = 0; i < size; ++i) power[i] *= (x[i] - centre) / reach;
        std::vector<double> next = power;
        const double before = std::inner_product(next.begin(), next.end(), next.begin(), 0.0);
        for (int pass = 0; pass < 2; ++pass)
            for (const std::vector<double>& one : basis) {
                const double part = std::inner_product(next.begin(), next.end(), one.begin(), 0.0);
                for (std::size_t i = 0; i < size; ++i) next[i] -= part * one[i];
            }
        const double after = std::inner_product(next.begin(), next.end(), next.begin(), 0.0);
        // No further distinct points: what is left is round-off.
        if (!(after > 1e-12 * before)) break;
        for (double& value : next) value /= std::sqrt(after);
        basis.push_back(std::move(next));
    }
    return basis;
}

// Takes the fit out of residuals [segment]; returns the sum of the squares that are left.
double take_out(const std::vector<std::vector<double>>& basis, std::span<double> residuals) {
    for (const std::vector<double>& one : basis) {
        const double part = std::inner_product(one.begin(), one.end(), residuals.begin(), 0.0);
        for (std::size_t i = 0; i < residuals.size(); ++i) residuals[i] -= part * one[i];
    }
    return std::inner_product(residuals.begin(), residuals.end(), residuals.begin(), 0.0);
}

// Sums over the first points of a class, of x about its middle and of y.
struct Sums {
    double count = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;
    void add(double at, double value) {
        count += 1.0, x += at, y += value, xx += at * at, xy += at * value, yy += value * value;
    }
    Sums less(const Sums& o) const { return {count - o.count, x - o.x, y - o.y, xx - o.xx, xy - o.xy, yy - o.yy}; }
    // The sum of squares that a line leaves.
    double left() const {
        const double sxx = xx - x * x / count, sxy = xy - x * y / count, syy = yy - y * y / count;
        return std::max(0.0, sxx > 1e-12 * xx ? syy - sxy * sxy / sxx : syy);
    }
};

// The class itself, or where two lines leave clearly less than the `left` squares of its parabola, its two parts.
std::vector<Segment> parts_of(const Ordered& data, const Segment& whole, double left) {
    if (whole.coefficients != parabola || whole.size() < fewest_for_two_lines) return {whole};
    const double centre = 0.5 * data.x[whole.first] + 0.5 * data.x[whole.last - 1];
    double mean = 0.0;
    for (std::size_t i = whole.first; i < whole.last; ++i) mean += data.y[i] / static_cast<double>(whole.size());
    std::vector<Sums> until(whole.size() + 1);
    for (std::size_t i = 0; i < whole.size(); ++i) {
        until[i + 1] = until[i];
        until[i + 1].add(data.x[whole.first + i] - centre, data.y[whole.first + i] - mean);
    }
    double least = left;
    std::size_t place = 0;
    for (std::size_t i = shortest_line; i + shortest_line <= whole.size(); ++i) {
        const std::size_t at = whole.first + i;
        if (data.x[at] == data.x[at - 1]) continue;
        const double of_two = until[i].left() + until.back().less(until[i]).left();
        if (of_two < least) least = of_two, place = at;
    }
    const double variance = least / static_cast<double>(whole.size() - 2 * line - 1);
    if (place == 0 || !(left - least > fewest_variances_saved * variance)) return {whole};
    return {{whole.first, place, line}, {place, whole.last, line}};
}

// Sums over replicates; without replicates each instance is its own.
class PartSums {
  public:
    PartSums(const Ordered& data, const Intervals& intervals)
        : data_(data),
          parts_(intervals.basis == IntervalBasis::replicated ? intervals.replicates : 0),
          sums_(parts_, 0.0) {}

    bool is_replicated() const { return parts_ > 0; }
    // The sum of the squares of the parts' sums of terms [first ...], as if the parts' mean were not known.
    template <class Term>
    double squares(std::size_t first, std::size_t last, const Term& term) {
        double squares = 0.0;
        if (!is_replicated()) {
            for (std::size_t i = first; i < last; ++i) squares += term(i) * term(i);
            return squares;
        }
        std::fill(sums_.begin(), sums_.end(), 0.0);
        for (std::size_t i = first; i < last; ++i) sums_[data_.instance[i] % parts_] += term(i);
        for (const double sum : sums_) squares += sum * sum;
        return squares * static_cast<double>(parts_) / (static_cast<double>(parts_) - 1.0);
    }

  private:
    const Ordered& data_;
    std::uint64_t parts_;
    std::vector<double> sums_;
};

}  // namespace

Estimate first_order_index(std::span<const double> parameter, std::span<const double> values,
                           std::span<const std::uint64_t> instance, const Intervals& intervals, double confidence) {
    const std::size_t n = values.size();
    const double count = static_cast<double>(n);
    // Asked of the values themselves: about a rounded mean, equal ones would vary.
    const auto is_constant = [](std::span<const double> all) {
        return std::all_of(all.begin(), all.end(), [&](double one) { return one == all.front(); });
    };
    if (is_constant(parameter)) return {no_value, std::nullopt, "the parameter does not vary"};
    if (is_constant(values)) return {no_value, std::nullopt, "the quantity does not vary"};
    double mean = 0.0;
    for (const double value : values) mean += value / count;
    const Ordered data = ordered(parameter, values, instance, mean);
    const bool is_exhaustive = intervals.basis == IntervalBasis::none;
    PartSums parts(data, intervals);

    std::vector<double> residuals = data.y;
    double unexplained = 0.0, used = 0.0;  // squares, over `used` instances
    for (const Segment& one_class : classes_of(data.x)) {
        const auto of = [&](const Segment& segment) {
            return std::span(residuals).subspan(segment.first, segment.size());
        };
        std::vector<std::vector<double>> basis = polynomials(data, one_class);
        const double left = take_out(basis, of(one_class));
        const std::vector<Segment> segments = parts_of(data, one_class, left);
        for (const Segment& segment : segments) {
            const std::span<double> own = of(segment);
            double squares = left;
            if (segments.size() > 1) {
                std::copy_n(data.y.begin() + static_cast<std::ptrdiff_t>(segment.first), segment.size(), own.begin());
                basis = polynomials(data, segment);
                squares = take_out(basis, own);
            }
            const double size = static_cast<double>(segment.size());
            double taken = 0.0;  // of the noise, by the fit
            if (parts.is_replicated()) {
                for (const std::vector<double>& one : basis)
                    taken += parts.squares(segment.first, segment.last,
                                           [&](std::size_t i) { return one[i - segment.first] * residuals[i]; });
            } else if (!is_exhaustive) {
                const double coefficients = static_cast<double>(basis.size());
                if (!(size > coefficients)) continue;  // a single instance says nothing of the noise
                taken = squares * coefficients / (size - coefficients);
            }
            unexplained += squares + taken, used += size;
            const double scale = squares > 0.0 ? std::sqrt((squares + taken) / squares) : 1.0;
            for (double& residual : own) residual *= scale;
        }
    }
    double total = 0.0;
    for (const double deviation : data.y) total += deviation * deviation;
    // Squares may underflow; and where no value of the parameter is met twice, its classes have one instance each.
    if (!(total > 0.0) || !(used > 0.0)) return {no_value, std::nullopt, "nothing tells the noise"};
    // The part of the total that the mean of all takes.
    if (!is_exhaustive) total += parts.squares(0, n, [&](std::size_t i) { return data.y[i]; }) / count;

    const double left = unexplained / used * count / total;  // 1 - S
    Estimate index{1.0 - left};
    if (const char* reason = no_interval_reason(intervals.basis)) {
        index.no_interval = reason;
        return index;
    }
    if (n < 2 * intervals.replicates) {
        index.no_interval = "needs " + std::to_string(2 * intervals.replicates) + " instances";
        return index;
    }
    const double influence =
        parts.squares(0, n, [&](std::size_t i) { return residuals[i] * residuals[i] - left * data.y[i] * data.y[i]; });
    const double t = student_t((parts.is_replicated() ? intervals.replicates : n) - 1, confidence);
    const double half = left > 0.0 ? t * std::sqrt(influence) / total / left : 0.0;
    index.interval = Interval{1.0 - left * std::exp(half), 1.0 - left * std::exp(-half)};
    return index;
}

}  // namespace myriad::study
