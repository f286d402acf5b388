// Contacts: each entry of a file becomes spheres on planes and spheres on spheres, see Contact in topology.hpp.
//   point_plane    a sphere without radius            sphere_plane, sphere_sphere, sphere_capsule   themselves
//   capsule_plane  the spheres at its two ends
//   box_plane      8 points, corner_k at centre + (+-x, +-y, +-z)/2: the bits of k - 1, lowest first, are the signs of
//                  x, y, z
//   point_slot     planes through one point with the normals n and -n; the play of each is that of the pin and the
//                  pin's diameter, so that g = n.d + clearance/2 for every radius
//   joint_limits   a lower_limit, an upper_limit or both, of one coordinate of a joint; both count as one contact
// Contacts of one entry share its law, radii and play.
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

Write number_write(std::size_t number) {
    return [number](const Inputs& in, double* out) { *out = in[number]; };
}

void require_not_negative(const JsonValue& value, double number, const std::string& what, const std::string& remedy) {
    if (!(0.0 <= number)) value.refuse(what + " is " + number_text(number) + ", which is negative", remedy);
}

std::size_t add_restitution(Builder& builder, const Entry& entry, const Key& key) {
    const std::size_t restitution = builder.number(entry, key);
    const double value = builder.numbers.value(restitution);
    if (!(0.0 <= value && value <= 1.0))
        entry.value.find(key.name)->refuse("the restitution is " + number_text(value) + ", which is not from 0 to 1",
                                           "give 0 for no rebound, 1 for a rebound without loss");
    builder.add_parameters(1, number_write(restitution));
    return restitution;
}

// Friction, normal and tangential restitution: the offset of the first.
int read_law(Builder& builder, const Entry& entry, model::Contact& defined) {
    const std::size_t friction = builder.number(entry, friction_key);
    if (const auto value = entry.value.find(friction_key.name))
        require_not_negative(*value, builder.numbers.value(friction), "the friction",
                             "give 0 for a smooth contact, or a coefficient above 0");
    const int first = builder.add_parameters(1, number_write(friction));
    defined.friction = friction;
    defined.normal_restitution = add_restitution(builder, entry, normal_restitution_key);
    defined.tangential_restitution = add_restitution(builder, entry, tangential_restitution_key);
    return first;
}

// The law and the sizes stand already; `body`, `parameter` and the law's offset are the same for all of one entry.
class ContactsOfEntry {
  public:
    ContactsOfEntry(Builder& builder, const Entry& entry, const std::string& name, const std::string& type)
        : builder_(builder), entry_(entry), name_(name), bodies_(builder.two_bodies(entry)), defined_{type, bodies_} {}

    const model::Contact& defined() const { return defined_; }

    // A plane of A through a point with a normal, both addresses.
    void read_plane(const Key& point, const Key& normal) {
        defined_.plane_point = builder_.vector(entry_, point);
        defined_.normal = builder_.direction(entry_, normal);
        defined_.across = farthest_axis(unit(builder_.nominal()[defined_.normal]));
        read_tangents();
    }
    VectorNumbers read_vector_of_b(const Key& key) {
        return defined_.points.emplace_back(builder_.vector(entry_, key));
    }
    void read_radius(const Key& key) {
        const std::size_t radius = defined_.radii.emplace_back(builder_.number(entry_, key));
        if (const auto value = entry_.value.find(key.name))
            require_not_negative(*value, builder_.numbers.value(radius), "the radius",
                                 "give 0 or more; a point has the radius 0");
        size_ = radius_[1] = builder_.add_parameters(1, number_write(radius));
    }
    void read_clearance() {
        const std::size_t clearance = builder_.number(entry_, clearance_key);
        require_not_negative(*entry_.value.find(clearance_key.name), builder_.numbers.value(clearance), "the clearance",
                             "give 0 or more; without play use a joint: DP2 holds a point in a plane");
        defined_.clearance = clearance;
        play_ = builder_.add_parameters(1, [clearance, radius = defined_.radii.back()](const Inputs& in, double* out) {
            *out = in[clearance] + 2.0 * in[radius];
        });
    }
    void read_spheres() {
        centres_ = builder_.points(entry_, bodies_, sphere_centres_key);
        defined_.points = {centres_[0].numbers, centres_[1].numbers};
        read_radii(radii_key);
    }
    void read_radii(const Key& key) {
        const std::array<std::size_t, 2> radii = builder_.two_numbers(entry_, key);
        defined_.radii = {radii[0], radii[1]};
        const std::vector<JsonValue> values = entry_.value.find(key.name)->elements();
        for (std::size_t side = 0; side < 2; ++side) {
            require_not_negative(values[side], builder_.numbers.value(radii[side]), "the radius",
                                 "give 0 or more; a point has the radius 0");
            radius_[side] = builder_.add_parameters(1, number_write(radii[side]));
        }
        size_ = builder_.add_parameters(1, [radii](const Inputs& in, double* out) {
            const double a = in[radii[0]], b = in[radii[1]];
            *out = a > 0.0 && (a < b || !(b > 0.0)) ? a : b;  // the smaller one that is no point
        });
    }
    // The ends of a capsule's segment.
    std::array<VectorNumbers, 2> read_ends(const Key& key) {
        const std::array<VectorNumbers, 2> ends = builder_.two_vectors(entry_, key);
        const Inputs in = builder_.nominal();
        if (!(0.0 < length(in[ends[1]] - in[ends[0]])))
            entry_.value.find(key.name)->refuse("both ends of the capsule are the same point",
                                                "give two, or take a sphere");
        defined_.points = {ends[0], ends[1]};
        return ends;
    }
    void read_the_law() { law_ = read_law(builder_, entry_, defined_); }
    void take_size(const VectorNumbers& edges) {
        size_ = builder_.add_parameters(1, [edges](const Inputs& in, double* out) {
            const Vector edge = in[edges];
            *out = minimum(minimum(edge[0], edge[1]), edge[2]);
        });
    }

    // `point`: of B relative to its origin.
    template <class Point>
    void add_on_plane(const std::string& suffix, double side, const Point& point) {
        const auto normal = [n = defined_.normal, side](const Inputs& in) {
            const Vector u = unit(in[n]);
            return Vector{side * u[0], side * u[1], side * u[2]};
        };
        const auto tangent = [n = defined_.normal, along = defined_.tangent, from = defined_.across](const Inputs& in) {
            return along ? made_perpendicular(in[*along], unit(in[n])) : perpendicular(unit(in[n]), from);
        };
        const auto on_b = [point, body = bodies_[1]](const Inputs& in) { return point(in) - in.centre_of_mass(body); };
        add(ContactKind::sphere_plane, suffix,
            {point_part({bodies_[0], defined_.plane_point}), vector_part(normal), vector_part(tangent),
             vector_part(on_b)});
    }
    void add_sphere_on_capsule(const std::array<VectorNumbers, 2>& ends, const VectorNumbers& centre) {
        add(ContactKind::sphere_capsule, "",
            {point_part({bodies_[0], ends[0]}), point_part({bodies_[1], centre}), point_part({bodies_[0], ends[1]})});
    }
    void add_spheres() { add(ContactKind::sphere_sphere, "", {point_part(centres_[0]), point_part(centres_[1])}); }

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
    void add(ContactKind kind, const std::string& suffix, const std::vector<Part>& geometry) {
        MechanismTable& table = builder_.mechanism.table;
        Contact contact{kind,
                        {bodies_[0], bodies_[1]},
                        table.parameters,
                        {radius_[0], radius_[1]},
                        play_,
                        law_,
                        -1,
                        defined_.tangents,
                        size_};
        for (const Part& part : geometry) builder_.add_parameters(part.count, part.write);
        table.contact[table.contacts++] = contact;
        builder_.mechanism.contact_names.push_back(name_ + (suffix.empty() ? "" : "." + suffix));
    }

    Builder& builder_;
    const Entry& entry_;
    const std::string& name_;
    std::array<int, 2> bodies_;
    model::Contact defined_;
    std::array<PointNumbers, 2> centres_{};
    std::array<int, 2> radius_{-1, -1};
    int play_ = -1, law_ = -1, size_ = -1;
};

void read_box(Builder& builder, const Entry& entry, ContactsOfEntry& contacts) {
    contacts.read_plane(plane_point_key, plane_normal_key);
    const VectorNumbers centre = contacts.read_vector_of_b(box_centre_key),
                        size = contacts.read_vector_of_b(box_size_key);
    const std::vector<JsonValue> edges = entry.value.find(box_size_key.name)->elements();
    for (std::size_t k = 0; k < 3; ++k)
        if (!(0.0 < builder.numbers.value(size[k])))
            edges[k].refuse("this edge is " + number_text(builder.numbers.value(size[k])) + " m long",
                            "give a length above 0; without one the corners of a face coincide");
    contacts.take_size(size);
    contacts.read_the_law();
    for (int corner = 0; corner < 8; ++corner)
        contacts.add_on_plane("corner_" + std::to_string(corner + 1), 1.0, [centre, size, corner](const Inputs& in) {
            Vector at = in[centre];
            const Vector edge = in[size];
            for (int k = 0; k < 3; ++k) at[k] += (corner >> k & 1) != 0 ? 0.5 * edge[k] : -0.5 * edge[k];
            return at;
        });
}

// A coordinate that a driver prescribes does not stop at a limit.
void require_no_driver(const Builder& builder, const Entry& entry, int joint, const std::string& coordinate) {
    for (const NamedElements& driver : builder.mechanism.drivers)
        if (driver.joint == joint && driver.type == coordinate)
            entry.value.member(joint_key.name, "")
                .refuse("drivers." + driver.name + " prescribes this coordinate, which no limit can stop",
                        "leave out the limits or the driver");
}

void read_limits(Builder& builder, const Entry& entry, const std::string& name) {
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
        ContactKind kind;
        const char* suffix;
    };
    const End ends[] = {{own.lower, ContactKind::lower_limit, ".lower"},
                        {own.upper, ContactKind::upper_limit, ".upper"}};
    if (std::none_of(std::begin(ends), std::end(ends),
                     [&](const End& end) { return entry.value.find(end.key.name).has_value(); }))
        entry.value.refuse("these limits have no end",
                           std::string("give \"") + own.lower.name + "\", \"" + own.upper.name + "\" or both");
    const auto& measuring = joint.elements_of[coordinate.name];
    const int element =
        measuring.empty() ? builder.add_coordinate(entry.value, joint, coordinate.name, -1, Law{}) : measuring.front();
    const auto constant_zero = [&] {
        return builder.add_parameters(1, [](const Inputs&, double* out) { *out = 0.0; });
    };
    model::Contact& defined = builder.mechanism.model.contacts.emplace_back();
    defined.type = "joint_limits", defined.limited = {joint.place, coordinate.name};
    const int law = constant_zero();
    defined.normal_restitution = add_restitution(builder, entry, normal_restitution_key);
    constant_zero();
    MechanismTable& table = builder.mechanism.table;
    std::optional<double> lower;
    for (const End& end : ends) {
        const auto given = entry.value.find(end.key.name);
        if (!given) continue;
        const std::size_t number = builder.number(entry, end.key);
        (end.kind == ContactKind::lower_limit ? defined.lower : defined.upper) = number;
        const double value = builder.numbers.value(number);
        if (lower && !(*lower <= value))
            given->refuse("the upper end " + number_text(value) + " " + end.key.unit + " lies below the lower end " +
                              number_text(*lower) + " " + end.key.unit,
                          "exchange the two, or correct one");
        lower = value;
        table.contact[table.contacts++] = {
            end.kind, {-1, -1}, builder.add_parameters(1, number_write(number)), {-1, -1}, -1, law, element, 0};
        builder.mechanism.contact_names.push_back(name + end.suffix);
    }
    builder.limits.push_back({entry.value, "a limit", joint.place, coordinate.name, -1, {}});
}

void read_shapes(Builder& builder, const Entry& entry, const std::string& type, ContactsOfEntry& contacts) {
    if (type == "box_plane") return read_box(builder, entry, contacts);
    if (type == "sphere_sphere") {
        contacts.read_spheres();
        contacts.read_the_law();
        return contacts.add_spheres();
    }
    if (type == "sphere_capsule") {
        const auto ends = contacts.read_ends(capsule_on_a_key);
        const VectorNumbers centre = contacts.read_vector_of_b(sphere_centre_key);
        contacts.read_radii(capsule_and_sphere_radii_key);
        contacts.read_the_law();
        return contacts.add_sphere_on_capsule(ends, centre);
    }
    if (type == "capsule_plane") {
        contacts.read_plane(plane_point_key, plane_normal_key);
        const auto ends = contacts.read_ends(capsule_on_b_key);
        contacts.read_radius(capsule_radius_key);
        contacts.read_the_law();
        for (std::size_t k = 0; k < 2; ++k)
            contacts.add_on_plane("end_" + std::to_string(k + 1), 1.0,
                                  [end = ends[k]](const Inputs& in) { return in[end]; });
        return;
    }
    const bool in_slot = type == "point_slot";
    contacts.read_plane(in_slot ? slot_point_key : plane_point_key, in_slot ? slot_normal_key : plane_normal_key);
    const VectorNumbers point = contacts.read_vector_of_b(contact_point_key);
    if (type != "point_plane") contacts.read_radius(in_slot ? pin_radius_key : radius_key);
    if (in_slot) contacts.read_clearance();
    contacts.read_the_law();
    const auto place = [point](const Inputs& in) { return in[point]; };
    contacts.add_on_plane(in_slot ? "wall_1" : "", 1.0, place);
    if (in_slot) contacts.add_on_plane("wall_2", -1.0, place);
}

void read_contact(Builder& builder, const Entry& entry, const std::string& name, const std::string& type) {
    if (type == "joint_limits") return read_limits(builder, entry, name);
    ContactsOfEntry contacts(builder, entry, name, type);
    read_shapes(builder, entry, type, contacts);
    builder.mechanism.model.contacts.push_back(contacts.defined());
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
        read_contact(builder, one.entry, one.name, one.type);
        builder.mechanism.contacts.push_back({one.name, one.type, first, builder.mechanism.table.contacts - first});
    }
}

}  // namespace myriad::mechanism
