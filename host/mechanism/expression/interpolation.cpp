#include "host/mechanism/expression/interpolation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace myriad::mechanism {

namespace {

// The sum of a run's steps is not its span to the last bit.
constexpr double share_of_span_inside = 1e-9;

// Widths of the intervals and slopes of their chords.
struct Chords {
    std::vector<double> width, slope;

    explicit Chords(const Table& table) {
        for (std::size_t i = 0; i + 1 < table.arguments.size(); ++i) {
            width.push_back(table.arguments[i + 1] - table.arguments[i]);
            slope.push_back((table.values[i + 1] - table.values[i]) / width.back());
        }
    }
    std::size_t count() const { return width.size(); }
};

// The slope at a first point from the parabola through three, kept from making an extremum (Moler 2004, pchipend).
double monotone_end_slope(double width, double next_width, double chord, double next_chord) {
    const double slope = ((2.0 * width + next_width) * chord - width * next_chord) / (width + next_width);
    if (slope * chord <= 0.0) return 0.0;
    return chord * next_chord <= 0.0 && std::abs(slope) > 3.0 * std::abs(chord) ? 3.0 * chord : slope;
}

// The harmonic mean of the chords on both sides, weighted by the intervals, and 0 at an extremum: Fritsch and Butland
// (1984).
std::vector<double> monotone_slopes(const Chords& of) {
    const std::size_t last = of.count();
    if (last == 1) return {of.slope[0], of.slope[0]};
    std::vector<double> slopes(last + 1, 0.0);
    for (std::size_t i = 1; i < last; ++i) {
        const double before = of.slope[i - 1], after = of.slope[i];
        if (before * after <= 0.0) continue;
        const double of_before = 2.0 * of.width[i] + of.width[i - 1], of_after = of.width[i] + 2.0 * of.width[i - 1];
        slopes[i] = (of_before + of_after) / (of_before / before + of_after / after);
    }
    slopes[0] = monotone_end_slope(of.width[0], of.width[1], of.slope[0], of.slope[1]);
    slopes[last] = monotone_end_slope(of.width[last - 1], of.width[last - 2], of.slope[last - 1], of.slope[last - 2]);
    return slopes;
}

// The slopes m with which the second derivative has no jump, from the tridiagonal equations
//   h_i m_(i-1) + 2 (h_(i-1) + h_i) m_i + h_(i-1) m_(i+1) = 3 (h_i d_(i-1) + h_(i-1) d_i)
// in the widths h and chords d, and from one equation at each end: the slope itself, or no jump of the third derivative
// at the point beside it. de Boor (2001), ch. IV.
std::vector<double> spline_slopes(const Chords& of, const std::optional<std::array<double, 2>>& end_slopes) {
    const std::vector<double>&h = of.width, &d = of.slope;
    const std::size_t last = of.count();
    if (!end_slopes && last == 1) return {d[0], d[0]};
    if (!end_slopes && last == 2) {  // the parabola through three points
        const double bend = (d[1] - d[0]) / (h[0] + h[1]);
        return {d[0] - bend * h[0], d[0] + bend * h[0], d[1] + bend * h[1]};
    }
    std::vector<double> below(last + 1, 0.0), diagonal(last + 1, 1.0), above(last + 1, 0.0), slopes(last + 1, 0.0);
    for (std::size_t i = 1; i < last; ++i) {
        below[i] = h[i], diagonal[i] = 2.0 * (h[i - 1] + h[i]), above[i] = h[i - 1];
        slopes[i] = 3.0 * (h[i] * d[i - 1] + h[i - 1] * d[i]);
    }
    if (end_slopes) {
        slopes[0] = (*end_slopes)[0], slopes[last] = (*end_slopes)[1];
    } else {
        const auto end = [&](std::size_t at, std::size_t near, std::size_t next, double& beside) {
            beside = h[near] + h[next], diagonal[at] = h[next];
            slopes[at] = ((h[near] + 2.0 * beside) * h[next] * d[near] + h[near] * h[near] * d[next]) / beside;
        };
        end(0, 0, 1, above[0]);
        end(last, last - 1, last - 2, below[last]);
    }
    for (std::size_t i = 1; i <= last; ++i) {
        const double share = below[i] / diagonal[i - 1];
        diagonal[i] -= share * above[i - 1];
        slopes[i] -= share * slopes[i - 1];
    }
    slopes[last] /= diagonal[last];
    for (std::size_t i = last; i-- > 0;) slopes[i] = (slopes[i] - above[i] * slopes[i + 1]) / diagonal[i];
    return slopes;
}

// The pieces between the points, behind one for what is before them and before one for what is behind them.
std::vector<PolynomialPiece> pieces_of(const Table& table) {
    const Chords chords(table);
    const std::size_t last = chords.count();
    std::vector<double> slopes;
    if (table.interpolation == Interpolation::monotone_cubic) slopes = monotone_slopes(chords);
    if (table.interpolation == Interpolation::cubic_spline) slopes = spline_slopes(chords, table.end_slopes);
    std::vector<PolynomialPiece> pieces;
    const auto line = [](double from, double value, double slope) {
        return PolynomialPiece{from, from, {value, slope, 0.0, 0.0}};
    };
    for (std::size_t i = 0; i < last; ++i) {
        const double h = chords.width[i], d = chords.slope[i];
        PolynomialPiece piece = line(table.arguments[i], table.values[i], d);
        if (!slopes.empty()) {
            piece.c[1] = slopes[i];
            piece.c[2] = (3.0 * d - 2.0 * slopes[i] - slopes[i + 1]) / h;
            piece.c[3] = (slopes[i] + slopes[i + 1] - 2.0 * d) / (h * h);
        }
        pieces.push_back(piece);
    }
    const bool extends = table.outside == Outside::extend;
    const double first_slope = slopes.empty() ? chords.slope.front() : slopes.front(),
                 last_slope = slopes.empty() ? chords.slope.back() : slopes.back();
    pieces.insert(pieces.begin(), line(table.arguments[0], table.values[0], extends ? first_slope : 0.0));
    pieces.push_back(line(table.arguments[last], table.values[last], extends ? last_slope : 0.0));
    // The last point itself belongs to the piece before it.
    pieces.back().start = std::nextafter(table.arguments[last], std::numeric_limits<double>::infinity());
    if (table.outside == Outside::refuse) {
        const double inside = share_of_span_inside * (table.arguments[last] - table.arguments[0]);
        pieces[1].start -= inside, pieces.back().start += inside;
    }
    return pieces;
}

}  // namespace

Corners corners_of(const Table& table) {
    const bool is_held = table.outside == Outside::hold, has_inner_points = table.arguments.size() > 2;
    if (table.interpolation == Interpolation::linear && (is_held || has_inner_points)) return Corners::at_all_points;
    const bool may_bend = table.outside == Outside::extend && table.interpolation != Interpolation::linear;
    return is_held || may_bend ? Corners::at_ends : Corners::none;
}

void Tables::add(Table table) {
    const std::vector<PolynomialPiece> pieces = pieces_of(table);
    interpolants_.push_back({static_cast<int>(pieces_.size()), static_cast<int>(pieces.size()),
                             table.outside == Outside::refuse, corners_of(table)});
    pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
    tables_.push_back(std::move(table));
}

void Tables::put_into(MechanismTable& table) const {
    table.interpolants = static_cast<int>(tables_.size());
    table.pieces = static_cast<int>(pieces_.size());
    table.piece = pieces_.data();
    std::copy(interpolants_.begin(), interpolants_.end(), table.interpolant);
}

std::vector<std::string> Tables::names() const {
    std::vector<std::string> names;
    for (const Table& table : tables_) names.push_back(table.name);
    return names;
}

std::optional<int> Tables::find(std::string_view name) const {
    const auto found =
        std::find_if(tables_.begin(), tables_.end(), [&](const Table& table) { return table.name == name; });
    if (found == tables_.end()) return std::nullopt;
    return static_cast<int>(found - tables_.begin());
}

PolynomialValue<double> Tables::at(int table, double argument) const {
    return polynomial_at(*this, interpolant(table), argument);
}

}  // namespace myriad::mechanism
