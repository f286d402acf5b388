// The section "contacts": entries with their law, sizes and places.
#include <algorithm>

#include "host/mechanism/file/constraints.hpp"
#include "host/text/number_text.hpp"

namespace myriad::mechanism {

namespace {

struct LimitKeys {
    const Key &lower, &upper;
};
constexpr LimitKeys limits_of_angles{lower_angle_key, upper_angle_key},
    limits_of_displacements{lower_displacement_key, upper_displacement_key};

// As they count against most_counted_contacts.
int contacts_of(const std::string& type) {
    return type == "box_plane" ? 8 : type == "point_slot" || type == "capsule_plane" ? 2 : 1;
}

void require_not_negative(const JsonValue& value, double number, const std::string& what, const std::string& remedy) {
    if (!(0.0 <= number)) value.refuse(what + " is " + number_text(number) + ", which is negative", remedy);
}

std::size_t read_restitution(Builder& builder, const Entry& entry, const Key& key) {
    const std::size_t restitution = builder.number(entry, key);
    const double value = builder.numbers.value(restitution);
    if (!(0.0 <= value && value <= 1.0))
        entry.value.find(key.name)->refuse("the restitution is " + number_text(value) + ", which is not from 0 to 1",
                                           "give 0 for no rebound, 1 for a rebound without loss");
    return restitution;
}

void read_law(Builder& builder, const Entry& entry, model::Contact& defined) {
    defined.friction = builder.number(entry, friction_key);
    if (const auto value = entry.value.find(friction_key.name))
        require_not_negative(*value, builder.numbers.value(*defined.friction), "the friction",
                             "give 0 for a smooth contact, or a coefficient above 0");
    defined.normal_restitution = read_restitution(builder, entry, normal_restitution_key);
    defined.tangential_restitution = read_restitution(builder, entry, tangential_restitution_key);
}

class ContactReader {
  public:
    ContactReader(Builder& builder, const Entry& entry, const std::string& type)
        : builder_(builder), entry_(entry), defined_{type, builder.two_bodies(entry)} {}

    // A plane of A through a point with a normal, both addresses.
    void read_plane(const Key& point, const Key& normal) {
        defined_.plane_point = builder_.vector(entry_, point);
        defined_.normal = builder_.direction(entry_, normal);
        defined_.across = farthest_axis(unit(builder_.nominal()[defined_.normal]));
        read_tangents();
    }
    void read_point_of_b(const Key& key) { defined_.points.push_back(builder_.vector(entry_, key)); }
    void read_radius(const Key& key) {
        const std::size_t radius = defined_.radii.emplace_back(builder_.number(entry_, key));
        if (const auto value = entry_.value.find(key.name))
            require_not_negative(*value, builder_.numbers.value(radius), "the radius",
                                 "give 0 or more; a point has the radius 0");
    }
    void read_clearance() {
        defined_.clearance = builder_.number(entry_, clearance_key);
        require_not_negative(*entry_.value.find(clearance_key.name), builder_.numbers.value(*defined_.clearance),
                             "the clearance", "give 0 or more; without play use a joint: DP2 holds a point in a plane");
    }
    void read_spheres() {
        const auto centres = builder_.points(entry_, defined_.body, sphere_centres_key);
        defined_.points = {centres[0].numbers, centres[1].numbers};
        read_radii(radii_key);
    }
    void read_radii(const Key& key) {
        const std::array<std::size_t, 2> radii = builder_.two_numbers(entry_, key);
        defined_.radii = {radii[0], radii[1]};
        const std::vector<JsonValue> values = entry_.value.find(key.name)->elements();
        for (std::size_t side = 0; side < 2; ++side)
            require_not_negative(values[side], builder_.numbers.value(radii[side]), "the radius",
                                 "give 0 or more; a point has the radius 0");
    }
    // The ends of a capsule's segment.
    void read_ends(const Key& key) {
        const std::array<VectorNumbers, 2> ends = builder_.two_vectors(entry_, key);
        const Inputs in = builder_.nominal();
        if (!(0.0 < length(in[ends[1]] - in[ends[0]])))
            entry_.value.find(key.name)->refuse("both ends of the capsule are the same point",
                                                "give two, or take a sphere");
        defined_.points = {ends[0], ends[1]};
    }
    // The middle of a box and its edges.
    void read_box() {
        read_point_of_b(box_centre_key), read_point_of_b(box_size_key);
        const VectorNumbers& size = defined_.points.back();
        const std::vector<JsonValue> edges = entry_.value.find(box_size_key.name)->elements();
        for (std::size_t k = 0; k < 3; ++k)
            if (!(0.0 < builder_.numbers.value(size[k])))
                edges[k].refuse("this edge is " + number_text(builder_.numbers.value(size[k])) + " m long",
                                "give a length above 0; without one the corners of a face coincide");
    }
    model::Contact with_its_law() {
        read_law(builder_, entry_, defined_);
        return defined_;
    }

  private:
    void read_tangents() {
        if (const auto given = entry_.value.find(tangents_key.name)) {
            const double count = given->number();
            if (!(count == 1.0 || count == 2.0))
                given->refuse("a contact has 1 or 2 tangents, and this is " + number_text(count),
                              "give 1 for a mechanism that moves in a plane, else 2; for a smooth contact leave this "
                              "out and give \"friction\": 0");
            defined_.tangents = static_cast<int>(count);
        }
        const auto given = entry_.value.find(tangent_key.name);
        if (!given) return;
        defined_.tangent = builder_.direction(entry_, tangent_key);
        const Inputs in = builder_.nominal();
        constexpr double parallel = 1e-12;  // the sine of their angle, a thousand round-offs
        if (length(cross(unit(in[*defined_.tangent]), unit(in[defined_.normal]))) <= parallel)
            given->refuse("this direction is that of the normal", "give one along which the bodies can slide");
    }

    Builder& builder_;
    const Entry& entry_;
    model::Contact defined_;
};

// A coordinate that a driver prescribes does not stop at a limit.
void require_no_driver(const Builder& builder, const Entry& entry, int joint, const std::string& coordinate) {
    for (const NamedElements& driver : builder.mechanism.drivers)
        if (driver.joint == joint && driver.type == coordinate)
            entry.value.member(joint_key.name, "")
                .refuse("drivers." + driver.name + " prescribes this coordinate, which no limit can stop",
                        "leave out the limits or the driver");
}

model::Contact read_limits(Builder& builder, const Entry& entry) {
    const JointCoordinate& coordinate = coordinate_of(builder, entry);
    const LimitKeys &own = coordinate.turns ? limits_of_angles : limits_of_displacements,
                    &other = coordinate.turns ? limits_of_displacements : limits_of_angles;
    refuse_other_unit(entry, coordinate, own.lower, other.lower);
    refuse_other_unit(entry, coordinate, own.upper, other.upper);
    JointRecord& joint = builder.joint(entry);
    require_no_driver(builder, entry, joint.place, coordinate.name);
    for (const OnCoordinate& earlier : builder.limits)
        if (earlier.joint == joint.place && earlier.coordinate == coordinate.name)
            entry.value.refuse("this coordinate has other limits already, and one stop would lie inside another",
                               "give one entry both ends");
    struct End {
        const Key& key;
        std::optional<std::size_t> model::Contact::*bound;
    };
    const End ends[] = {{own.lower, &model::Contact::lower}, {own.upper, &model::Contact::upper}};
    if (std::none_of(std::begin(ends), std::end(ends),
                     [&](const End& end) { return entry.value.find(end.key.name).has_value(); }))
        entry.value.refuse("these limits have no end",
                           std::string("give \"") + own.lower.name + "\", \"" + own.upper.name + "\" or both");
    if (joint.elements_of[coordinate.name].empty())
        builder.add_coordinate(entry.value, joint, coordinate.name, -1, Law{});
    model::Contact defined{"joint_limits"};
    defined.limited = {joint.place, coordinate.name};
    defined.normal_restitution = read_restitution(builder, entry, normal_restitution_key);
    std::optional<double> lower;
    for (const End& end : ends) {
        const auto given = entry.value.find(end.key.name);
        if (!given) continue;
        const std::size_t number = builder.number(entry, end.key);
        defined.*end.bound = number;
        const double value = builder.numbers.value(number);
        if (lower && !(*lower <= value))
            given->refuse("the upper end " + number_text(value) + " " + end.key.unit + " lies below the lower end " +
                              number_text(*lower) + " " + end.key.unit,
                          "exchange the two, or correct one");
        lower = value;
    }
    builder.limits.push_back({entry.value, "a limit", joint.place, coordinate.name, -1, {}});
    return defined;
}

model::Contact read_contact(Builder& builder, const Entry& entry, const std::string& type) {
    if (type == "joint_limits") return read_limits(builder, entry);
    ContactReader reader(builder, entry, type);
    const bool in_slot = type == "point_slot";
    if (type == "sphere_sphere") {
        reader.read_spheres();
    } else if (type == "sphere_capsule") {
        reader.read_ends(capsule_on_a_key);
        reader.read_point_of_b(sphere_centre_key);
        reader.read_radii(capsule_and_sphere_radii_key);
    } else {
        reader.read_plane(in_slot ? slot_point_key : plane_point_key, in_slot ? slot_normal_key : plane_normal_key);
        if (type == "box_plane")
            reader.read_box();
        else if (type == "capsule_plane")
            reader.read_ends(capsule_on_b_key);
        else
            reader.read_point_of_b(contact_point_key);
        if (type == "capsule_plane" || type == "sphere_plane" || in_slot)
            reader.read_radius(in_slot ? pin_radius_key : type == "capsule_plane" ? capsule_radius_key : radius_key);
        if (in_slot) reader.read_clearance();
    }
    return reader.with_its_law();
}

}  // namespace

void read_contacts(Builder& builder, const JsonValue& root) {
    const auto section = root.find(contacts_section_key.name);
    if (!section) return;
    builder.require_count(*section, most_counted_contacts, "contacts");
    struct Found {
        std::string name, type;
        Entry entry;
    };
    std::vector<Found> all;
    int count = 0;
    std::string counts;
    for (const auto& [name, value] : section->members()) {
        require_name(name, value, "contact");
        const Entry entry{value, std::string(contacts_section_key.name) + "." + name};
        all.push_back({name, builder.kind(entry, contact_kinds, "contact").name, entry});
        const int more = contacts_of(all.back().type);
        count += more;
        counts += (counts.empty() ? "" : ", ") + name + " " + std::to_string(more);
    }
    if (count > most_counted_contacts)
        section->refuse("these are " + std::to_string(count) + " contacts (" + counts +
                            "), but a mechanism has at most " + std::to_string(most_counted_contacts),
                        "leave some out: a box has 8, one for each corner, a slot 2, both limits of a joint 1; points "
                        "that can touch are enough");
    for (const Found& one : all) {
        const int first = builder.mechanism.table.contacts;
        builder.add(one.name, read_contact(builder, one.entry, one.type));
        builder.mechanism.contacts.push_back({one.name, one.type, first, builder.mechanism.table.contacts - first});
    }
}

}  // namespace myriad::mechanism
