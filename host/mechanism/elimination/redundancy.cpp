#include "host/mechanism/elimination/redundancy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace myriad::mechanism {
namespace {

using Row = std::vector<double>;

double dot(const Row& a, const Row& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

void scale(Row& a, double factor) {
    for (double& x : a) x *= factor;
}

void remove_component(Row& row, const Row& direction) {
    const double along = dot(row, direction);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] -= along * direction[i];
}

int pivoted_rank(std::vector<Row> rows, double tolerance) {
    int rank = 0;
    std::vector<Row> basis;
    while (!rows.empty()) {
        const auto largest = std::max_element(rows.begin(), rows.end(),
                                              [](const Row& a, const Row& b) { return dot(a, a) < dot(b, b); });
        Row row = std::move(*largest);
        rows.erase(largest);
        for (const Row& direction : basis) remove_component(row, direction);
        const double length = std::sqrt(dot(row, row));
        if (!(length > tolerance)) break;
        scale(row, 1.0 / length);
        for (Row& other : rows) remove_component(other, row);
        basis.push_back(std::move(row));
        ++rank;
    }
    return rank;
}

}  // namespace

IndependentRows independent_rows(std::span<const double> jacobian, int columns, std::span<const int> classes,
                                 double tolerance) {
    const std::size_t width = static_cast<std::size_t>(std::max(columns, 0));
    if (columns < 0 || jacobian.size() != classes.size() * width)
        throw std::invalid_argument("independent rows: the Jacobian is not rows x columns");
    std::vector<Row> rows;
    for (std::size_t r = 0; r < classes.size(); ++r) {
        const auto values = jacobian.subspan(r * width, width);
        Row row(values.begin(), values.end());
        const double length = std::sqrt(dot(row, row));
        if (length > 0.0) scale(row, 1.0 / length);
        rows.push_back(std::move(row));
    }
    std::vector<std::size_t> order(classes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return classes[a] < classes[b]; });

    IndependentRows result;
    std::vector<Row> basis;
    for (const std::size_t r : order) {
        Row row = rows[r];
        for (int round = 0; round < 2; ++round)
            for (const Row& direction : basis) remove_component(row, direction);
        const double left = std::sqrt(dot(row, row));
        if (left > tolerance) {
            result.kept.push_back(static_cast<int>(r));
            result.least_of_kept = std::min(result.least_of_kept, left);
            scale(row, 1.0 / left);
            basis.push_back(std::move(row));
        } else {
            result.removed.push_back(static_cast<int>(r));
            result.most_of_removed = std::max(result.most_of_removed, left);
        }
    }
    std::sort(result.kept.begin(), result.kept.end());
    std::sort(result.removed.begin(), result.removed.end());
    result.rank = pivoted_rank(std::move(rows), tolerance);
    return result;
}

std::vector<std::vector<double>> vanishing_combinations(std::span<const double> jacobian, int columns,
                                                        const IndependentRows& rows) {
    const std::size_t width = static_cast<std::size_t>(columns), kept = rows.kept.size();
    const auto row_of = [&](int r) {
        const auto values = jacobian.subspan(static_cast<std::size_t>(r) * width, width);
        return Row(values.begin(), values.end());
    };
    // Kept row k is the sum of upper[k][i] times basis[i] over i <= k.
    std::vector<Row> basis, upper;
    for (const int r : rows.kept) {
        Row row = row_of(r), parts(basis.size() + 1, 0.0);
        for (int round = 0; round < 2; ++round)
            for (std::size_t i = 0; i < basis.size(); ++i) {
                parts[i] += dot(row, basis[i]);
                remove_component(row, basis[i]);
            }
        parts.back() = std::sqrt(dot(row, row));
        scale(row, 1.0 / parts.back());
        basis.push_back(std::move(row)), upper.push_back(std::move(parts));
    }
    std::vector<std::vector<double>> combinations;
    for (const int r : rows.removed) {
        const Row row = row_of(r);
        Row combination(kept + rows.removed.size(), 0.0), of_basis;
        for (const Row& direction : basis) of_basis.push_back(dot(row, direction));
        combination[static_cast<std::size_t>(r)] = 1.0;
        for (std::size_t k = kept; k-- > 0;) {
            const double part = of_basis[k] / upper[k][k];
            for (std::size_t i = 0; i < k; ++i) of_basis[i] -= part * upper[k][i];
            combination[static_cast<std::size_t>(rows.kept[k])] = -part;
        }
        combinations.push_back(std::move(combination));
    }
    return combinations;
}

}  // namespace myriad::mechanism
