// Bodies: mass, inertia turned into the axes of the body, and the initial state of the centre of mass.
//
//   J = F J_given F^T,  F the axes of the inertia relative to the body
//   r = r_origin + R c,  v = v_origin + R (w x c),  c the centre of mass in the body frame, w in the body frame
#include <algorithm>

#include "host/mechanism/file/builder.hpp"
#include "host/text/number_text.hpp"
#include "host/text/suggestion.hpp"
#include "kernels/system/system.hpp"

namespace myriad::mechanism {

namespace {

Symmetric3<double> given_inertia(const model::Body& body, const Inputs& in) {
    double c[6] = {};
    for (std::size_t k = 0; k < body.inertia.size(); ++k) c[k] = in[body.inertia[k]];
    return {c[0], c[1], c[2], c[3], c[4], c[5]};
}
Symmetric3<double> inertia_in_body_axes(const model::Body& body, const Inputs& in) {
    const Symmetric3<double> j = given_inertia(body, in);
    const Mat3<double> f = matrix_of(in[body.inertia_frame]);
    const Mat3<double> turned =
        f * Mat3<double>{{{j.xx, j.xy, j.xz}, {j.xy, j.yy, j.yz}, {j.xz, j.yz, j.zz}}} * transpose(f);
    const auto& e = turned.e;
    return {e[0][0], e[1][1], e[2][2], e[0][1], e[0][2], e[1][2]};
}

// A body without mass is meant to have no inertia, or that of a rotor.
void check_inertia(Builder& builder, const model::Body& body, const JsonValue& value, bool has_mass) {
    const Symmetric3<double> j = given_inertia(body, builder.nominal());
    if (!positive_semidefinite(j))
        value.refuse("this inertia is negative about some axis",
                     "no mass has that: all principal moments must be 0 or more; check the signs of xy, xz, yz");
    const auto warn = [&](const std::string& text) {
        builder.mechanism.warnings.push_back(value.where() + ": " + text);
    };
    const double size = j.xx + j.yy + j.zz;
    if (has_mass && !(semidefinite_slack<double>() * size * size * size < determinant(j)))
        warn("the inertia is singular: about one axis at least it is 0; joints must hold the body there");
    if (!obeys_triangle_inequality(j))
        warn("no body has this inertia: one principal moment exceeds the sum of the other two");
}

void read_inertia(Builder& builder, const Entry& entry, bool has_mass, model::Body& body) {
    const JsonValue value = entry.value.member(inertia_key.name, inertia_key.meaning);
    const std::string address = entry.address + "." + inertia_key.name;
    if (value.is_array()) {
        const VectorNumbers principal = builder.vector_at(value, address, inertia_key);
        body.inertia.assign(principal.begin(), principal.end());
    } else {
        value.require_keys(names_of(inertia_components));
        for (const char* name : inertia_components) {
            const Key key{name, KeyType::number, body.inertia.size() < 3, inertia_key.unit, inertia_key.meaning};
            body.inertia.push_back(builder.number({value, address}, key));
        }
    }
    body.inertia_frame = builder.orientation(entry, inertia_frame_key);
    check_inertia(builder, body, value, has_mass);
}

int read_pinned(const Entry& entry) {
    const auto value = entry.value.find(pinned_key.name);
    if (!value) return 0;
    const std::vector<std::string> known = names_of(pinned_names);
    int bits = 0;
    for (const JsonValue& one : value->elements()) {
        const auto found = std::find(known.begin(), known.end(), one.string());
        if (found == known.end())
            one.refuse("\"" + one.string() + "\" cannot be pinned", suggestion(one.string(), known, "choices"));
        bits |= 1 << (found - known.begin());
    }
    return bits;
}

// The kernels' parameters of the next body of the model.
void add_body(Builder& builder, const model::Body& body) {
    const auto index = static_cast<int>(builder.mechanism.model.bodies.size());
    builder.mechanism.model.bodies.push_back(body);
    const auto angular_velocity = [body, index](const Inputs& in) {
        return body.turns_in_world ? inverse(in.orientation(index)).act(in[body.angular_velocity])
                                   : in[body.angular_velocity];
    };
    const int first = first_body_parameter + index * body_parameters;
    const auto assign = [&](int offset, const Part& part) {
        builder.assign_parameters(first + offset, part.count, part.write);
    };
    assign(body_mass, {1, [mass = body.mass](const Inputs& in, double* out) { *out = in[mass]; }});
    assign(body_inertia, {6, [body](const Inputs& in, double* out) {
                              const Symmetric3<double> j = inertia_in_body_axes(body, in);
                              const double components[] = {j.xx, j.yy, j.zz, j.xy, j.xz, j.yz};
                              std::copy(std::begin(components), std::end(components), out);
                          }});
    assign(body_position, vector_part([origin = body.position, index](const Inputs& in) {
               return in[origin] + in.orientation(index).act(in.centre_of_mass(index));
           }));
    assign(body_orientation, {4, [index](const Inputs& in, double* out) {
                                  const Rotation<double> q = in.orientation(index);
                                  out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z;
                              }});
    assign(body_velocity, vector_part([velocity = body.velocity, angular_velocity, index](const Inputs& in) {
               return in[velocity] + in.orientation(index).act(cross(angular_velocity(in), in.centre_of_mass(index)));
           }));
    assign(body_angular_velocity, vector_part(angular_velocity));
}

void read_body(Builder& builder, const Entry& entry, int index) {
    entry.value.require_keys(names_of(body_keys));
    model::Body body;
    body.mass = builder.number(entry, mass_key);
    const double kg = builder.numbers.value(body.mass);
    if (!(0.0 <= kg))
        entry.value.member(mass_key.name, "")
            .refuse("the mass is " + number_text(kg) + " kg", "give a mass of 0 or above");
    read_inertia(builder, entry, kg > 0.0, body);
    builder.mechanism.body_has_inertia.push_back(kg > 0.0 || std::ranges::any_of(body.inertia, [&](std::size_t one) {
                                                     return builder.numbers.value(one) != 0.0;
                                                 }));
    body.frame.centre_of_mass = builder.vector(entry, centre_of_mass_key);
    body.position = builder.vector(entry, position_key);
    builder.measure_origin(body.position);
    body.frame.orientation = builder.orientation(entry, orientation_key);
    builder.bodies.push_back(body.frame);
    body.velocity = builder.vector(entry, velocity_key);
    const auto in_world = entry.value.find(angular_velocity_world_key.name);
    if (in_world && entry.value.find(angular_velocity_key.name))
        in_world->refuse("the angular velocity is given twice",
                         "keep the one in the world or the one in the body frame");
    body.turns_in_world = in_world.has_value();
    body.angular_velocity = builder.vector(entry, in_world ? angular_velocity_world_key : angular_velocity_key);
    const int pinned = read_pinned(entry);
    body.position_is_pinned = (pinned & 1) != 0, body.orientation_is_pinned = (pinned & 2) != 0;
    builder.mechanism.table.pinned[index] = pinned | (kg > 0.0 ? 0 : planned_without_mass);
    if (kg == 0.0 && pinned != 0)
        entry.value.member(pinned_key.name, "")
            .refuse("a body without mass cannot be pinned: nothing says how far the others move instead",
                    "give it a mass, or pin the body that it hangs on");
    const Mechanism::GivenPose pose{entry.value.find(position_key.name).has_value(),
                                    entry.value.find(orientation_key.name).has_value()};
    builder.mechanism.body_pose_is_given.push_back(pose);
    builder.mechanism.body_is_placed.push_back(pose.position || pose.orientation);

    Mechanism::GivenVelocity given{entry.value.find(velocity_key.name).has_value(),
                                   in_world || entry.value.find(angular_velocity_key.name)};
    if (!given.angular && entry.value.find(centre_of_mass_key.name)) {
        const Part part = vector_part([index](const Inputs& in) { return in.centre_of_mass(index); });
        given.origin_parameter = builder.add_parameters(part.count, part.write);
    }
    builder.mechanism.body_velocity_is_given.push_back(given);
    add_body(builder, body);
}

}  // namespace

void read_bodies(Builder& builder, const JsonValue& root) {
    const VectorNumbers gravity = builder.mechanism.model.gravity = builder.vector({root, ""}, gravity_key);
    for (int k = 0; k < 3; ++k)
        builder.assign_parameters(
            gravity_parameter + k, 1,
            [number = gravity[static_cast<std::size_t>(k)]](const Inputs& in, double* out) { *out = in[number]; });
    const JsonValue section = root.member(bodies_section_key.name, bodies_section_key.meaning);
    builder.require_count(section, most_bodies, "bodies");
    const auto members = section.members();
    if (members.empty()) section.refuse("the mechanism has no bodies", "add one: {\"rod\": {\"mass_kg\": 1, ...}}");
    MechanismTable& table = builder.mechanism.table;
    table.bodies = static_cast<int>(members.size());
    table.parameters = first_body_parameter + table.bodies * body_parameters;
    for (const auto& [name, value] : members) {
        require_name(name, value, "body");
        if (name == ground_name)
            value.refuse("\"ground\" is the world itself and cannot be a body", "choose another name");
        builder.mechanism.body_names.push_back(name);
    }
    for (std::size_t index = 0; index < members.size(); ++index)
        read_body(builder, {members[index].second, "bodies." + members[index].first}, static_cast<int>(index));
}

}  // namespace myriad::mechanism
