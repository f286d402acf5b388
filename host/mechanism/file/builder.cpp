#include "host/mechanism/file/builder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "host/mechanism/expression/shared_instructions.hpp"

namespace myriad::mechanism {

bool has_coordinate(const std::string& joint_type, const std::string& name) {
    if (name == "orientation") return joint_type == "spherical";
    const auto all = coordinates_of(joint_type);
    return std::any_of(all.begin(), all.end(), [&](const JointCoordinate& one) { return name == one.name; });
}

std::string coordinate_of_sensor(const std::string& sensor) {
    if (sensor == "angular_velocity") return "orientation";
    const std::size_t rate = sensor.find("rate");
    if (rate == std::string::npos) return sensor;
    const std::string number = sensor.substr(rate + 4);
    return (rate == 0 ? "angle" : "displacement") + number;
}

std::string rate_of(const std::string& coordinate) {
    const std::size_t number = coordinate.find('_');
    const std::string suffix = number == std::string::npos ? "" : coordinate.substr(number);
    return (coordinate.starts_with("angle") ? "rate" : "displacement_rate") + suffix;
}

Builder::Builder(Mechanism& made) : mechanism(made) { mechanism.table.parameters = first_body_parameter; }

Inputs Builder::nominal() {
    nominal_.clear();
    for (const Number& number : numbers.numbers()) nominal_.push_back(number.value);
    return Inputs(nominal_, bodies);
}

void Builder::assign_parameters(int first, int count, Write write) {
    assignments_.push_back({first, count, std::move(write), {}});
}

int Builder::add_number(const std::optional<std::size_t>& number, double otherwise) {
    return add_parameters(
        1, [number, otherwise](const Inputs& in, double* out) { *out = number ? in[*number] : otherwise; });
}

int Builder::add_parameters(int count, Write write) {
    const int first = mechanism.table.parameters;
    assign_parameters(first, count, std::move(write));
    mechanism.table.parameters += count;
    return first;
}

Write Builder::writing_of(int first, int count) const {
    std::vector<Assignment> parts;
    for (const Assignment& assignment : assignments_)
        if (first <= assignment.first && assignment.first + assignment.count <= first + count)
            parts.push_back(assignment);
    return [parts, first](const Inputs& in, double* out) {
        for (const Assignment& part : parts) part.write(in, out + (part.first - first));
    };
}

int Builder::parameter_of(std::size_t number) {
    const auto known = number_parameters_.find(number);
    if (known != number_parameters_.end()) return known->second;
    return number_parameters_[number] =
               add_parameters(1, [number](const Inputs& in, double* out) { *out = in[number]; });
}

int Builder::parameter_of_literal(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto known = literal_parameters_.find(bits);
    if (known != literal_parameters_.end()) return known->second;
    return literal_parameters_[bits] = add_parameters(1, [value](const Inputs&, double* out) { *out = value; });
}

ParameterOffsets Builder::parameter_offsets() {
    return {[this](double literal) { return parameter_of_literal(literal); },
            [this](const std::string& name) { return parameter_of(numbers.parameter(name)); }};
}

int Builder::function_of(const Expression& expression, std::vector<std::size_t> reads) {
    const auto parameter = [&](const std::string& name) {
        const auto found = std::find(expression.names().begin(), expression.names().end(), name);
        return parameter_of(reads[static_cast<std::size_t>(found - expression.names().begin())]);
    };
    const int function = expression.append_to(
        mechanism.table, {[this](double literal) { return parameter_of_literal(literal); }, parameter});
    share_instructions(mechanism.table);
    mechanism.model.functions.push_back({std::make_shared<const Expression>(expression), std::move(reads)});
    return function;
}

std::vector<std::size_t> Builder::parameters_read_by(const Expression& expression) const {
    std::vector<std::size_t> reads;
    for (const std::string& name : expression.names())
        reads.push_back(numbers.has_parameter(name) ? numbers.parameter(name) : 0);
    return reads;
}

int Builder::function_of(const Expression& expression) {
    return function_of(expression, parameters_read_by(expression));
}

int Builder::function_at(const JsonValue& value, const std::string& address, const Key& key) {
    if (value.json().is_string() && key.type != KeyType::number) {
        const Expression expression = numbers.parse(value);
        if (expression.uses_time()) return function_of(expression);
    }
    const std::size_t number = numbers.read(value, {address, key.unit, key.meaning});
    return function_of(Expression::parse("number", value.where()), {number});
}

int Builder::function(const Entry& entry, const Key& key) {
    if (!key.required && !entry.value.find(key.name)) return -1;
    return function_at(entry.value.member(key.name, key.meaning), entry.address + "." + key.name, key);
}

int Builder::add_element(const JsonValue& at, ElementKind kind, const std::array<int, 2>& of,
                         const std::vector<Part>& geometry, int function, const std::optional<Law>& law) {
    MechanismTable& table = mechanism.table;
    require_limit(at, table.elements + 1, most_elements, "elements (groups of rows)");
    const bool is_watched = law && law->stiffness.empty();
    Element element{kind, law.has_value(), is_watched, {of[0], of[1]}, table.parameters, function, -1, {-1, -1, -1}};
    int count = 0;
    for (const Part& part : geometry) {
        add_parameters(part.count, part.write);
        count += part.count;
    }
    if (count != geometry_parameters(kind)) throw std::logic_error("an element has another number of parameters");
    if (is_watched) {
        add_parameters(2 * rows_of(kind), [rows = rows_of(kind)](const Inputs&, double* out) {
            for (int k = 0; k < 2 * rows; ++k) out[k] = 0.0;
        });
    } else if (law) {
        // A value that the file may not have is no number, which ends an instance at its start.
        const auto write = [any = law->may_be_negative](std::size_t number) {
            return [number, any](const Inputs& in, double* out) {
                const double value = in[number];
                *out = any || 0.0 <= value ? value : std::numeric_limits<double>::quiet_NaN();
            };
        };
        for (const auto* group : {&law->stiffness, &law->damping})
            for (std::size_t number : *group) add_parameters(1, write(number));
    }
    if (kind == ElementKind::angle) {
        require_limit(at, table.angles + 1, most_angles, "measured angles");
        element.angle = table.angles++;
    }
    if (!is_watched) {
        // Numbered when all are known; see complete().
        for (int row = 0; row < rows_of(kind); ++row) element.row[row] = 0;
        table.rows += rows_of(kind);
        require_limit(at, table.rows, most_rows, "rows (scalar constraints and force elements)");
    }
    table.element[table.elements] = element;
    return table.elements++;
}

void Builder::add(const JsonValue& at, const model::Load& load, int parameter) {
    MechanismTable& table = mechanism.table;
    require_limit(at, table.loads + 1, most_loads, "loads (forces and torques)");
    const LoadKind kind = load.is_force       ? load.in_body_axes ? LoadKind::force_body : LoadKind::force_world
                          : load.in_body_axes ? LoadKind::torque_body
                                              : LoadKind::torque_world;
    const auto& [x, y, z] = load.function;
    table.load[table.loads++] = {kind, load.body, parameter, {x, y, z}};
    mechanism.model.loads.push_back(load);
}

void Builder::add_channel(const JsonValue& at, const Channel& channel) {
    MechanismTable& table = mechanism.table;
    require_limit(at, table.channels + 1, most_mechanism_channels, "channels");
    table.channel[table.channels++] = channel;
}

void Builder::add_sizes() {
    const std::vector<PointNumbers> points = measured_;
    const std::vector<VectorNumbers> placed = placed_;
    assign_parameters(length_scale_parameter, 2, [points, placed](const Inputs& in, double* out) {
        const bool has_own = std::any_of(points.begin(), points.end(), [](const auto& one) { return one.body >= 0; });
        double scale = has_own ? least_length_scale_m : 1.0, farthest = 0.0;
        for (const PointNumbers& point : points)
            if (point.body >= 0)
                scale = maximum(length(point.relative_to_centre_of_mass(in)), scale);
            else
                farthest = maximum(length(in[point.numbers]), farthest);
        for (const VectorNumbers& origin : placed) farthest = maximum(length(in[origin]), farthest);
        out[0] = scale, out[1] = maximum(1.0, farthest / (length_scales_of_extent * scale));
    });
}

void Builder::finish() {
    add_sizes();
    nominal();
    for (Assignment& assignment : assignments_) record_reads(assignment, nominal_, bodies);
    mechanism.numbers = numbers.numbers();
    mechanism.compiled_ = std::make_shared<const Mechanism::Compiled>(
        Mechanism::Compiled{numbers.definitions(), numbers.order(), bodies, assignments_, last_step()});
}

LastStep Builder::last_step() const {
    LastStep step;
    step.parameters = parameters_of_start(start);
    if (step.parameters.empty()) return step;
    step.change = [plan = start](const MechanismTable& table, const Inputs& in, std::span<double> parameters) {
        start_bodies(plan, table, in, parameters);
    };
    if (start.moves_bodies())
        step.turn_from_pose = [plan = start](const MechanismTable& table, const Inputs& in,
                                             std::span<double> parameters) {
            turn_from_pose(plan, table, in, parameters);
        };
    std::set<std::size_t> reads;
    std::vector<double> parameters(static_cast<std::size_t>(mechanism.table.parameters));
    const std::vector<bool> is_read = parameters_read_by_start(start, mechanism.table);
    const Inputs inputs(nominal_, bodies, &reads);
    for (const Assignment& assignment : assignments_) {
        const auto first = is_read.begin() + assignment.first;
        if (std::find(first, first + assignment.count, true) != first + assignment.count)
            reads.insert(assignment.reads.begin(), assignment.reads.end());
        assignment.write(Inputs(nominal_, bodies), parameters.data() + assignment.first);
    }
    step.change(mechanism.table, inputs, parameters);
    step.reads.assign(reads.begin(), reads.end());
    return step;
}

}  // namespace myriad::mechanism
