// Values of one entry of the file by their keys: numbers, vectors, directions, orientations, names of others.
#include <algorithm>
#include <string>

#include "host/mechanism/file/builder.hpp"
#include "host/mechanism/keys/foreign_names.hpp"
#include "host/text/suggestion.hpp"

namespace myriad::mechanism {

namespace {

std::string element(const std::string& address, std::size_t k) { return address + "[" + std::to_string(k) + "]"; }

std::vector<JsonValue> elements(const JsonValue& value, std::size_t count, const std::string& what) {
    if (!value.is_array() || value.json().size() != count)
        value.refuse("expected " + what + ", found " + value.found(),
                     "write " + std::to_string(count) + " values in square brackets");
    return value.elements();
}

NumberDescription description(const std::string& address, const Key& key) { return {address, key.unit, key.meaning}; }

std::string expected(const Key& key) {
    const std::string unit = key.unit;
    return std::string(key.meaning) + (unit.empty() ? "" : " (" + unit + ")");
}

}  // namespace

std::size_t Builder::number(const Entry& entry, const Key& key, double fallback) {
    const std::string address = entry.address + "." + key.name;
    if (key.required || entry.value.find(key.name))
        return numbers.read(entry.value.member(key.name, expected(key)), description(address, key));
    return numbers.add(fallback, description(address, key));
}

std::vector<JsonValue> Builder::three(const JsonValue& value) { return elements(value, 3, "three numbers"); }

VectorNumbers Builder::vector_at(const JsonValue& value, const std::string& address, const Key& key) {
    const auto all = three(value);
    VectorNumbers result{};
    for (std::size_t k = 0; k < 3; ++k) result[k] = numbers.read(all[k], description(element(address, k), key));
    return result;
}

VectorNumbers Builder::vector(const Entry& entry, const Key& key, const Vector& fallback) {
    const std::string address = entry.address.empty() ? key.name : entry.address + "." + key.name;
    if (key.required || entry.value.find(key.name))
        return vector_at(entry.value.member(key.name, expected(key)), address, key);
    VectorNumbers result{};
    for (std::size_t k = 0; k < 3; ++k)
        result[k] = numbers.add(fallback[static_cast<int>(k)], description(element(address, k), key));
    return result;
}

std::array<std::size_t, 2> Builder::two_numbers(const Entry& entry, const Key& key) {
    const auto both = elements(entry.value.member(key.name, expected(key)), 2, "one number for each of the two bodies");
    const std::string address = entry.address + "." + key.name;
    const std::size_t first = numbers.read(both[0], description(element(address, 0), key));
    return {first, numbers.read(both[1], description(element(address, 1), key))};
}

std::array<VectorNumbers, 2> Builder::two_vectors(const Entry& entry, const Key& key) {
    const auto both = elements(entry.value.member(key.name, expected(key)), 2, "one vector for each of the two bodies");
    const std::string address = entry.address + "." + key.name;
    return {vector_at(both[0], element(address, 0), key), vector_at(both[1], element(address, 1), key)};
}

namespace {

void require_length(Builder& builder, const VectorNumbers& numbers, const JsonValue& value) {
    if (!(0.0 < length(builder.nominal()[numbers])))
        value.refuse("this direction has the length zero", "give a vector along it, such as [0, 0, 1]");
}

}  // namespace

VectorNumbers Builder::direction(const Entry& entry, const Key& key) {
    const VectorNumbers result = vector(entry, key);
    require_length(*this, result, entry.value.member(key.name, expected(key)));
    return result;
}

std::array<VectorNumbers, 2> Builder::two_directions(const Entry& entry, const Key& key) {
    const std::array<VectorNumbers, 2> result = two_vectors(entry, key);
    const auto both = entry.value.member(key.name, expected(key)).elements();
    for (std::size_t side = 0; side < 2; ++side) require_length(*this, result[side], both[side]);
    return result;
}

OrientationNumbers Builder::orientation(const Entry& entry, const Key& key) {
    const auto given = entry.value.find(key.name);
    const Entry here{given.value_or(entry.value), entry.address + "." + key.name};
    OrientationNumbers result;
    const auto append = [&](const VectorNumbers& vector) {
        result.numbers.insert(result.numbers.end(), vector.begin(), vector.end());
    };
    if (!given) {
        // As a rotation vector, because a study can tilt it.
        for (std::size_t k = 0; k < 3; ++k)
            result.numbers.push_back(numbers.add(
                0.0, description(element(here.address + "." + rotation_vector_key.name, k), rotation_vector_key)));
        return result;
    }
    given->require_keys(names_of(orientation_keys));
    std::vector<const Key*> keys, axes;
    for (const Key& one : orientation_keys) {
        if (!given->find(one.name)) continue;
        const bool is_axis = &one >= std::end(orientation_keys) - 3;
        (is_axis ? axes : keys).push_back(&one);
    }
    const std::string choices =
        "give one of quaternion, rotation_vector_rad, cardan_xyz_rad, matrix, or two of x_axis, "
        "y_axis, z_axis";
    if (!(keys.size() == 1 && axes.empty()) && !(keys.empty() && axes.size() == 2))
        given->refuse("this orientation is not determined by one description", choices);
    if (keys.empty()) {
        result.form = OrientationForm::two_axes;
        for (std::size_t k = 0; k < 2; ++k) {
            result.axes[k] = static_cast<int>(axes[k] - (std::end(orientation_keys) - 3));
            append(direction(here, *axes[k]));
        }
    } else {
        const std::string name = keys.front()->name, address = here.address + "." + name;
        const JsonValue value = *given->find(name);
        if (name == rotation_vector_key.name) {
            append(vector_at(value, address, rotation_vector_key));
        } else if (name == cardan_xyz_key.name) {
            result.form = OrientationForm::cardan_xyz;
            append(vector_at(value, address, cardan_xyz_key));
        } else if (name == quaternion_key.name) {
            result.form = OrientationForm::quaternion;
            const auto all = elements(value, 4, "four numbers w, x, y, z");
            for (std::size_t k = 0; k < 4; ++k)
                result.numbers.push_back(numbers.read(all[k], description(element(address, k), quaternion_key)));
        } else {
            result.form = OrientationForm::matrix;
            const auto rows = elements(value, 3, "the three rows of a matrix");
            for (std::size_t k = 0; k < 3; ++k) append(vector_at(rows[k], element(address, k), matrix_key));
        }
    }
    if (result.form == OrientationForm::two_axes) {
        const auto axis = [&](std::size_t k) {
            return VectorNumbers{result.numbers[k], result.numbers[k + 1], result.numbers[k + 2]};
        };
        if (are_parallel(nominal()[axis(0)], nominal()[axis(3)]))
            given->refuse("the two axes must not be parallel", "give two different axes of the body");
    }
    const Rotation<double> rotation = nominal()[result];
    if (!is_finite(rotation.w + rotation.x + rotation.y + rotation.z))
        given->refuse(
            "this is no orientation",
            result.form == OrientationForm::matrix
                ? "the matrix must be orthogonal within 1e-3 and right-handed: give more digits, or a quaternion"
                : "the quaternion must not be zero, angles not above 2^30");
    return result;
}

namespace {

int find_body(const Builder& builder, const JsonValue& value, bool may_be_ground) {
    const std::string name = value.string();
    if (may_be_ground && name == ground_name) return -1;
    std::vector<std::string> known = builder.mechanism.body_names;
    const auto found = std::find(known.begin(), known.end(), name);
    if (found != known.end()) return static_cast<int>(found - known.begin());
    if (name == ground_name) value.refuse("the ground cannot stand here", "name one of the bodies: " + list_of(known));
    if (may_be_ground) known.emplace_back(ground_name);
    for (const std::string_view foreign : foreign_grounds)
        if (edit_distance(name, foreign) == 0)
            value.refuse("the body \"" + name + "\" is unknown",
                         may_be_ground ? std::string("the world is called \"") + ground_name +
                                             "\"; the bodies are: " + list_of(known)
                                       : "the world cannot stand here; the bodies are: " + list_of(known));
    value.refuse("the body \"" + name + "\" is unknown", suggestion(name, known, "bodies"));
}

}  // namespace

int Builder::body(const Entry& entry) {
    return find_body(*this, entry.value.member(body_key.name, expected(body_key)), false);
}

std::array<int, 2> Builder::two_bodies(const Entry& entry) {
    const JsonValue value = entry.value.member(bodies_key.name, expected(bodies_key));
    const auto both = elements(value, 2, "two bodies");
    const std::array<int, 2> result{find_body(*this, both[0], true), find_body(*this, both[1], true)};
    if (result[0] == result[1])
        value.refuse(result[0] < 0 ? "both are the ground: nothing is connected"
                                   : "both are the body \"" + both[0].string() + "\": it cannot be connected to itself",
                     "name two different bodies, or one and \"ground\"");
    return result;
}

std::array<PointNumbers, 2> Builder::points(const Entry& entry, const std::array<int, 2>& of, const Key& key) {
    const auto both = two_vectors(entry, key);
    const std::array<PointNumbers, 2> result{PointNumbers{of[0], both[0]}, PointNumbers{of[1], both[1]}};
    return result;
}

void Builder::read_points(const Entry& entry, model::Joint& joint, bool measures) {
    const std::array<PointNumbers, 2> read = points(entry, joint.body);
    joint.points = {read[0].numbers, read[1].numbers};
    for (std::size_t side = 0; side < 2 && measures; ++side) measure(read[side]);
}

JointRecord& Builder::joint(const Entry& entry) {
    const JsonValue value = entry.value.member(joint_key.name, expected(joint_key));
    return joint_called(value.string(), value);
}

JointRecord& Builder::joint_called(const std::string& name, const JsonValue& value) {
    const auto found = joints.find(name);
    if (found != joints.end()) return found->second;
    std::vector<std::string> known;
    for (const NamedElements& one : mechanism.joints) known.push_back(one.name);
    if (known.empty()) value.refuse("the joint \"" + name + "\" is unknown", "the mechanism has no joints: add it");
    value.refuse("the joint \"" + name + "\" is unknown", suggestion(name, known, "joints"));
}

int Builder::place_of_joint(const std::string& name) const {
    const auto found = std::find_if(mechanism.joints.begin(), mechanism.joints.end(),
                                    [&](const NamedElements& joint) { return joint.name == name; });
    return static_cast<int>(found - mechanism.joints.begin());
}

namespace {

// The angles of a universal joint are counted from the file's orientations.
bool has_a_zero(const JointRecord& joint, const Inputs& in) {
    const auto& [a, b] = joint.body;
    return joint.type != "universal" ||
           !are_parallel(joint.axis(in, 0), in.relative_orientation(a, b).act(joint.axis(in, 1)));
}

}  // namespace

JointRecord& Builder::joint_that(const Entry& entry, const std::string& has) {
    JointRecord& found = joint(entry);
    require_coordinate(found, has, entry.value.member(joint_key.name, ""));
    return found;
}

void Builder::require_coordinate(const JointRecord& found, const std::string& has, const JsonValue& at) {
    if (!has_coordinate(found.type, has)) {
        std::vector<std::string> types, own;
        for (const Kind& kind : joint_kinds)
            if (has_coordinate(kind.name, has)) types.emplace_back(kind.name);
        for (const JointCoordinate& one : coordinates_of(found.type)) own.emplace_back(one.name);
        at.refuse(
            "this joint is " + found.type + " and has no " + has,
            "name a joint that has one: " + list_of(types) + (own.empty() ? "" : "; this one has " + list_of(own)));
    }
    require_zero_of(found, at);
}

void Builder::require_zero_of(const JointRecord& joint, const JsonValue& at) {
    if (!has_a_zero(joint, nominal()))
        at.refuse("the axes of this joint are parallel in the file's initial orientations, so its angles have no zero",
                  "correct the axes or the initial orientations");
}

const Kind& Builder::kind(const Entry& entry, std::span<const Kind> kinds, const std::string& what) const {
    const std::vector<std::string> known = names_of(kinds);
    entry.value.members();
    const JsonValue type = entry.value.member(type_key.name, "one of " + list_of(known));
    const std::string name = type.string();
    const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
    for (const ForeignName& foreign : foreign_types)
        if (!is_known && what == foreign.section && edit_distance(name, foreign.name) == 0)
            type.refuse("the " + what + " type \"" + name + "\" is unknown",
                        std::string(foreign.remedy) + "; the types are: " + list_of(known));
    const Kind& kind = kinds[type.one_of(known, what + " type", "types")];
    entry.value.require_keys(names_of(kind.keys));
    return kind;
}

void Builder::require_count(const JsonValue& section, int most, const std::string& plural) const {
    const std::size_t beyond = static_cast<std::size_t>(most) + 1;
    if (section.is_object())
        require_limit(section, static_cast<int>(std::min(section.json().size(), beyond)), most, plural);
}

void Builder::require_limit(const JsonValue& at, int count, int most, const std::string& plural) const {
    if (count > most)
        at.refuse("the mechanism needs more than " + std::to_string(most) + " " + plural +
                      ", which is the most this program was compiled for",
                  "leave something out, or raise the limit in kernels/mechanism/topology.hpp and build again");
}

}  // namespace myriad::mechanism
