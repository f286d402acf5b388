#include "host/mechanism/file/builder.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>

namespace myriad::mechanism {

using study::JsonValue;

Vector AxisPair::first_normal(const Inputs& in, int side) const {
    return perpendicular(axis(in, side), from[static_cast<std::size_t>(side)]);
}

Vector AxisPair::reference_direction(const Inputs& in, int side) const {
    if (references) return in[(*references)[static_cast<std::size_t>(side)]];
    const Vector on_a = first_normal(in, 0);
    return side == 0 ? on_a : inverse(in.relative_orientation(body[0], body[1])).act(on_a);
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

int Builder::function_at(const JsonValue& value, const std::string& address, const Key& key) {
    if (value.json().is_string() && key.type != KeyType::number) {
        const Expression expression = numbers.parse(value);
        if (expression.uses_time())
            return expression.append_to(
                mechanism.table, {[this](double literal) { return parameter_of_literal(literal); },
                                  [this](const std::string& name) { return parameter_of(numbers.parameter(name)); }});
    }
    const std::size_t number = numbers.read(value, {address, key.unit, key.meaning});
    return Expression::parse("number", value.where())
        .append_to(mechanism.table, {[this](double literal) { return parameter_of_literal(literal); },
                                     [this, number](const std::string&) { return parameter_of(number); }});
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
        for (const auto* group : {&law->stiffness, &law->damping})
            for (std::size_t number : *group)
                add_parameters(1, [number](const Inputs& in, double* out) { *out = in[number]; });
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

int Builder::add_angle(const JsonValue& at, JointRecord& joint, int function, const Law& law) {
    const AxisPair pair = joint.pair;
    const int element =
        add_element(at, ElementKind::angle, pair.body,
                    {vector_part([pair](const Inputs& in) { return pair.axis(in, 0); }),
                     vector_part([pair](const Inputs& in) { return pair.reference(in, 0); }),
                     vector_part([pair](const Inputs& in) { return cross(pair.axis(in, 0), pair.reference(in, 0)); }),
                     vector_part([pair](const Inputs& in) { return pair.reference(in, 1); })},
                    function, law);
    measured[element] = {joint.place, "angle"};
    if (joint.angle_element < 0) joint.angle_element = element;
    return element;
}

int Builder::add_displacement(const JsonValue& at, JointRecord& joint, int function, const std::optional<Law>& law) {
    const AxisPair pair = joint.pair;
    const int element = add_element(at, ElementKind::dot_2, pair.body,
                                    {vector_part([pair](const Inputs& in) { return pair.axis(in, 0); }),
                                     point_part(joint.points[0]), point_part(joint.points[1])},
                                    function, law);
    measured[element] = {joint.place, "displacement"};
    if (joint.displacement_element < 0) joint.displacement_element = element;
    return element;
}

void Builder::add_load(const JsonValue& at, const Load& load) {
    MechanismTable& table = mechanism.table;
    require_limit(at, table.loads + 1, most_loads, "loads (forces and torques)");
    table.load[table.loads++] = load;
}

void Builder::add_channel(const JsonValue& at, const Channel& channel) {
    MechanismTable& table = mechanism.table;
    require_limit(at, table.channels + 1, most_mechanism_channels, "channels");
    table.channel[table.channels++] = channel;
}

void Builder::add_length_scale() {
    const std::vector<PointNumbers> points = measured_;
    assign_parameters(length_scale_parameter, 1, [points](const Inputs& in, double* out) {
        constexpr double least_m = 1e-3;
        double largest = points.empty() ? 1.0 : least_m;
        for (const PointNumbers& point : points)
            largest = maximum(length(point.relative_to_centre_of_mass(in)), largest);
        *out = largest;
    });
}

void Builder::finish() {
    add_length_scale();
    nominal();
    for (Assignment& assignment : assignments_) record_reads(assignment, nominal_, bodies);
    mechanism.numbers = numbers.numbers();
    mechanism.compiled_ = std::make_shared<const Mechanism::Compiled>(
        Mechanism::Compiled{numbers.definitions(), numbers.order(), bodies, assignments_});
}

}  // namespace myriad::mechanism
