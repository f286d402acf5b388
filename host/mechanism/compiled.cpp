#include "host/mechanism/compiled.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "kernels/orientation/chart.hpp"

namespace myriad::mechanism {

namespace {

// The largest entry of M^T M - I above which a matrix is taken for an error and not for rounded digits.
constexpr double largest_matrix_error = 1e-3;
// Newton's iteration doubles the digits: from 1e-3 it is at round-off after three.
constexpr int polar_iterations = 4;

Mat3<double> nan_matrix() { return diagonal(quiet_nan<double>()); }

// The nearest orthogonal matrix: the polar factor by X <- (X + X^-T) / 2. Higham, Functions of Matrices, eq. 8.17.
Mat3<double> orthonormalized(Mat3<double> matrix) {
    const Mat3<double> product = transpose(matrix) * matrix;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (!(magnitude(product.e[i][j] - (i == j ? 1.0 : 0.0)) <= largest_matrix_error)) return nan_matrix();
    const Vector rows[3] = {{matrix.e[0][0], matrix.e[0][1], matrix.e[0][2]},
                            {matrix.e[1][0], matrix.e[1][1], matrix.e[1][2]},
                            {matrix.e[2][0], matrix.e[2][1], matrix.e[2][2]}};
    if (!(0.0 < dot(cross(rows[0], rows[1]), rows[2]))) return nan_matrix();  // a reflection
    for (int k = 0; k < polar_iterations; ++k) {
        const Mat3<double> other = transpose(inverse(matrix));
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) matrix.e[i][j] = 0.5 * (matrix.e[i][j] + other.e[i][j]);
    }
    return matrix;
}

// The columns of the matrix are the axes. The first given direction is kept, the second made perpendicular.
Rotation<double> rotation_of_axes(const Vector& given_first, const Vector& given_second, std::array<int, 2> which) {
    Vector axes[3];
    const int third = 3 - which[0] - which[1];
    axes[which[0]] = unit(given_first);
    axes[which[1]] = made_perpendicular(given_second, axes[which[0]]);
    axes[third] = cross(axes[(third + 1) % 3], axes[(third + 2) % 3]);
    Mat3<double> matrix;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) matrix.e[i][j] = axes[j][i];
    return rotation_of(matrix);
}

}  // namespace

Rotation<double> Inputs::operator[](const OrientationNumbers& orientation) const {
    const auto number = [&](std::size_t k) { return (*this)[orientation.numbers[k]]; };
    const auto vector = [&](std::size_t k) { return Vector{number(k), number(k + 1), number(k + 2)}; };
    switch (orientation.form) {
        case OrientationForm::quaternion: {
            const Vec<4, double> q = unit(Vec<4, double>{number(0), number(1), number(2), number(3)});
            return {q[0], q[1], q[2], q[3]};
        }
        case OrientationForm::rotation_vector:
            return exp_any(vector(0));
        case OrientationForm::cardan_xyz:
            return CardanXyz<double>::at(vector(0)).rotation;
        case OrientationForm::matrix: {
            Mat3<double> matrix;
            for (std::size_t k = 0; k < 9; ++k) matrix.e[k / 3][k % 3] = number(k);
            return rotation_of(orthonormalized(matrix));
        }
        case OrientationForm::two_axes:
            return rotation_of_axes(vector(0), vector(3), orientation.axes);
    }
    throw std::logic_error("unknown form of an orientation");
}

Rotation<double> Inputs::orientation(int body) const {
    if (body < 0) return {1.0, 0.0, 0.0, 0.0};
    return (*this)[bodies_[static_cast<std::size_t>(body)].orientation];
}

Vector Inputs::centre_of_mass(int body) const {
    if (body < 0) return {0.0, 0.0, 0.0};
    return (*this)[bodies_[static_cast<std::size_t>(body)].centre_of_mass];
}

void record_reads(Assignment& assignment, std::span<const double> values, const std::vector<BodyFrame>& bodies) {
    std::set<std::size_t> reads;
    std::vector<double> written(static_cast<std::size_t>(assignment.count));
    assignment.write(Inputs(values, bodies, &reads), written.data());
    assignment.reads.assign(reads.begin(), reads.end());
}

namespace {

std::vector<double> assigned(const Mechanism& mechanism, const Inputs& inputs) {
    std::vector<double> parameters(static_cast<std::size_t>(mechanism.table.parameters));
    for (const Assignment& assignment : mechanism.compiled_->assignments)
        assignment.write(inputs, parameters.data() + assignment.first);
    return parameters;
}

}  // namespace

std::vector<double> Mechanism::all_numbers(std::span<const double> values,
                                           std::span<const unsigned char> overridden) const {
    if (values.size() != numbers.size() || overridden.size() != numbers.size())
        throw std::logic_error("a mechanism was given values for other numbers than its own");
    std::vector<double> all(values.begin(), values.end());
    for (std::size_t number : compiled_->order)
        if (overridden[number] == 0 && compiled_->definitions[number].follows())
            all[number] = compiled_->definitions[number].value(all);
    return all;
}

std::vector<double> Mechanism::kernel_parameters(std::span<const double> values,
                                                 std::span<const unsigned char> overridden) const {
    const std::vector<double> all = all_numbers(values, overridden);
    const Inputs inputs(all, compiled_->bodies);
    std::vector<double> parameters = assigned(*this, inputs);
    if (compiled_->last_step.change) compiled_->last_step.change(table, inputs, parameters);
    return parameters;
}

std::vector<double> Mechanism::parameters_of_file(std::span<const double> values,
                                                  std::span<const unsigned char> overridden) const {
    const std::vector<double> all = all_numbers(values, overridden);
    return assigned(*this, Inputs(all, compiled_->bodies));
}

std::vector<double> Mechanism::parameters_as_given(std::span<const double> values,
                                                   std::span<const unsigned char> overridden) const {
    const std::vector<double> all = all_numbers(values, overridden);
    const Inputs inputs(all, compiled_->bodies);
    std::vector<double> parameters = assigned(*this, inputs);
    if (compiled_->last_step.turn_from_pose) compiled_->last_step.turn_from_pose(table, inputs, parameters);
    return parameters;
}

std::vector<double> Mechanism::nominal_numbers() const {
    std::vector<double> values;
    for (const Number& number : numbers) values.push_back(number.value);
    return values;
}

std::vector<double> Mechanism::nominal_kernel_parameters() const {
    return kernel_parameters(nominal_numbers(), std::vector<unsigned char>(numbers.size(), 0));
}

Dependents Mechanism::Compiled::dependents(std::span<const std::size_t> varied_numbers,
                                           std::span<const unsigned char> overridden) const {
    std::vector<bool> changes(definitions.size(), false);
    for (const std::size_t number : varied_numbers) changes.at(number) = true;
    const auto any_changes = [&](const std::vector<std::size_t>& reads) {
        return std::any_of(reads.begin(), reads.end(), [&](std::size_t read) { return changes[read]; });
    };
    Dependents found;
    for (const std::size_t number : order) {
        const bool is_given = !overridden.empty() && overridden[number] != 0;
        if (is_given || !any_changes(definitions[number].reads)) continue;
        changes[number] = true;
        found.definitions.push_back(number);
    }
    for (std::size_t a = 0; a < assignments.size(); ++a)
        if (any_changes(assignments[a].reads)) found.assignments.push_back(a);
    std::sort(found.assignments.begin(), found.assignments.end(),
              [&](std::size_t a, std::size_t b) { return assignments[a].first < assignments[b].first; });
    for (const std::size_t a : found.assignments)
        for (int k = 0; k < assignments[a].count; ++k) {
            const int parameter = assignments[a].first + k;
            if (!found.parameters.empty() && parameter <= found.parameters.back())
                throw std::logic_error("mechanism: a parameter is assigned twice");
            found.parameters.push_back(parameter);
        }
    found.last_step = any_changes(last_step.reads);
    if (found.last_step) {
        std::vector<int> all;
        std::set_union(found.parameters.begin(), found.parameters.end(), last_step.parameters.begin(),
                       last_step.parameters.end(), std::back_inserter(all));
        found.parameters = std::move(all);
    }
    return found;
}

std::vector<int> Mechanism::dependent_parameters(std::span<const std::size_t> varied_numbers) const {
    return compiled_->dependents(varied_numbers).parameters;
}

}  // namespace myriad::mechanism
