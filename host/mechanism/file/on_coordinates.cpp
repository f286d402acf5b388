// What acts on a coordinate of a joint of the tree (kernels/mechanism/joint_table.hpp): friction, rotors, forces and
// limits. Body coordinates have no such coordinates, and do not take these mechanisms.
#include <algorithm>

#include "host/mechanism/file/builder.hpp"
#include "host/mechanism/tree/mechanism_tree.hpp"
#include "host/text/suggestion.hpp"

namespace myriad::mechanism {

const JointCoordinate& coordinate_of(Builder& builder, const Entry& entry) {
    const JointRecord& joint = builder.joint(entry);
    const auto own = coordinates_of(joint.type);
    std::vector<std::string> names;
    for (const JointCoordinate& one : own) names.emplace_back(one.name);
    const JsonValue at = entry.value.member(joint_key.name, "");
    if (own.empty())
        at.refuse("this joint is " + joint.type + " and has neither an angle nor a displacement",
                  "name a joint that has one, such as a revolute or a prismatic one");
    const auto given = entry.value.find(coordinate_key.name);
    if (!given && own.size() > 1)
        at.refuse("this joint is " + joint.type + " and has several coordinates: " + list_of(names),
                  "say which one: \"coordinate\": \"" + names.front() + "\"");
    const JointCoordinate& found =
        given ? own[given->one_of(names, "coordinate of this joint", "coordinates")] : own[0];
    builder.joint_that(entry, found.name);
    return found;
}

void refuse_other_unit(const Entry& entry, const JointCoordinate& coordinate, const Key& right, const Key& wrong) {
    if (const auto given = entry.value.find(wrong.name))
        given->refuse(std::string("this is in ") + wrong.unit + ", and the coordinate is " +
                          (coordinate.turns ? "an angle" : "a displacement"),
                      std::string("give \"") + right.name + "\"");
}

namespace {

struct FrictionKeys {
    const Key &dry, &viscous, &rate;
};
constexpr FrictionKeys of_angles{dry_torque_key, viscous_torque_key, friction_rate_key},
    of_displacements{dry_force_key, viscous_force_key, friction_velocity_key};

void require_at_least_zero(const Builder& builder, const JsonValue& at, std::size_t number, const std::string& what) {
    if (!(0.0 <= builder.numbers.value(number))) at.refuse("this " + what + " is negative", "give 0 or more");
}

std::string where(const Mechanism& mechanism, const OnCoordinate& one) {
    return "joints." + mechanism.joints[static_cast<std::size_t>(one.joint)].name;
}

// The joint is none of the tree, or the tree passes it so that its slides are none of its freedoms.
[[noreturn]] void refuse_outside_the_tree(const Mechanism& mechanism, const SpanningTree& tree,
                                          const OnCoordinate& one) {
    const auto cut =
        std::find_if(tree.cut.begin(), tree.cut.end(), [&](const CutJoint& joint) { return joint.joint == one.joint; });
    const std::string joint = where(mechanism, one), needs = ", and " + one.what + " needs a coordinate of that tree";
    if (cut == tree.cut.end())
        one.at.refuse(
            "the tree of joint coordinates passes " + joint + " from B to A, where it has no " + one.coordinate + needs,
            "exchange the two bodies of that joint, with its points and axes");
    if (cut->reason != CutReason::loop)
        one.at.refuse(joint + " is cut out of the tree of joint coordinates" + needs,
                      "leave out \"" + std::string(cut_key.name) + "\"");
    std::vector<std::string> loop = loop_of(mechanism, tree, one.joint);
    loop.push_back(mechanism.joints[static_cast<std::size_t>(one.joint)].name);
    one.at.refuse(joint + " closes a loop in which all joints have to be in the tree of joint coordinates" + needs +
                      "; a tree has all joints of a loop but one",
                  "leave out what acts on one of " + list_of(loop) + ", or reads it");
}

int freedom_of(const Mechanism& mechanism, const SpanningTree& tree, const OnCoordinate& one) {
    const int freedom = number_of_tree_freedom(mechanism, tree, one.joint, one.coordinate);
    if (freedom < 0) refuse_outside_the_tree(mechanism, tree, one);
    return freedom;
}
int freedom_of(const Mechanism& mechanism, const SpanningTree& tree, const OnCoordinate& one,
               const CoordinateVariable& read) {
    return freedom_of(mechanism, tree, {one.at, "this formula", read.joint, read.coordinate, -1, {}});
}

bool is_inboard(const TreeTable& tree, int freedom, int of) {
    while (of >= 0 && of != freedom) of = tree.freedom_parent[of];
    return of >= 0;
}

void place_force(Builder& builder, const SpanningTree& tree, const OnCoordinate& one) {
    const Mechanism& mechanism = builder.mechanism;
    JointTable& joint = builder.mechanism.table.joint;
    const CoordinateFormula& formula = one.formula;
    const int count = static_cast<int>(formula.instructions.size()),
              partials = static_cast<int>(formula.partials.size());
    builder.require_limit(one.at, joint.coordinate_instructions + count, most_tree_instructions,
                          "instructions in forces on coordinates");
    builder.require_limit(one.at, joint.partial_derivatives + partials, most_partial_derivatives,
                          "partial derivatives of forces on coordinates");
    CoordinateForce& force = joint.coordinate_force[joint.coordinate_forces++];
    force.freedom = freedom_of(mechanism, tree, one);
    force.first = joint.coordinate_instructions, force.derivatives = force.first + formula.derivatives;
    force.end = force.first + count, force.value = formula.value;
    force.first_partial = joint.partial_derivatives, force.last_partial = force.first_partial + partials;
    for (Instruction instruction : formula.instructions) {
        if (instruction.operation == Operation::coordinate || instruction.operation == Operation::rate)
            instruction.a =
                freedom_of(mechanism, tree, one, formula.variables[static_cast<std::size_t>(instruction.a)]);
        joint.coordinate_instruction[joint.coordinate_instructions++] = instruction;
    }
    for (const CoordinateFormula::Partial& partial : formula.partials) {
        const int by = freedom_of(mechanism, tree, one, partial.by);
        const PartialPlace place = is_inboard(joint.tree, by, force.freedom)   ? PartialPlace::below
                                   : is_inboard(joint.tree, force.freedom, by) ? PartialPlace::above
                                                                               : PartialPlace::outside;
        if (by != force.freedom && place != PartialPlace::outside) joint.is_symmetric = false;
        joint.partial_derivative[joint.partial_derivatives++] = {by, partial.by.is_rate, partial.result, place};
    }
}

std::vector<const OnCoordinate*> all_of(const Builder& builder) {
    std::vector<const OnCoordinate*> all;
    for (const auto* list : {&builder.frictions, &builder.rotors, &builder.coordinate_forces, &builder.limits})
        for (const OnCoordinate& one : *list) all.push_back(&one);
    return all;
}

// The coefficient and the radius of friction that follows the reaction.
void read_bearing(Builder& builder, const Entry& entry, const JointCoordinate& coordinate, const JsonValue& rough,
                  model::Friction& defined) {
    const auto radius = entry.value.find(bearing_radius_key.name);
    const std::string named = std::string("\"") + bearing_radius_key.name + "\"";
    if (coordinate.turns && !radius)
        rough.refuse("this friction is on an angle, and the radius of the bearing is missing", "give " + named);
    if (!coordinate.turns && radius)
        radius->refuse("the coordinate is a displacement, whose friction has no lever", "leave out " + named);
    if (builder.mechanism.friction_by_reaction.empty())
        builder.mechanism.friction_by_reaction = entry.address + "." + bearing_friction_key.name;
    const std::size_t coefficient = builder.number(entry, bearing_friction_key);
    require_at_least_zero(builder, rough, coefficient, "friction");
    defined.coefficient = coefficient;
    if (!radius) return;
    defined.radius = builder.number(entry, bearing_radius_key);
    require_at_least_zero(builder, *radius, *defined.radius, "radius");
}

}  // namespace

void read_friction(Builder& builder, const Entry& entry) {
    const JointCoordinate& coordinate = coordinate_of(builder, entry);
    const FrictionKeys &own = coordinate.turns ? of_angles : of_displacements,
                       &other = coordinate.turns ? of_displacements : of_angles;
    const Key* const pairs[][2] = {{&own.dry, &other.dry}, {&own.viscous, &other.viscous}, {&own.rate, &other.rate}};
    for (const auto& [right, wrong] : pairs) refuse_other_unit(entry, coordinate, *right, *wrong);
    const auto dry = entry.value.find(own.dry.name), viscous = entry.value.find(own.viscous.name),
               rate = entry.value.find(own.rate.name);
    const auto rough = entry.value.find(bearing_friction_key.name);
    if (!dry && !viscous && !rough)
        entry.value.refuse("this friction exerts nothing", std::string("give it \"") + own.dry.name + "\", \"" +
                                                               own.viscous.name + "\" or \"" +
                                                               bearing_friction_key.name + "\"");
    if (dry && !rate && builder.mechanism.friction_without_rate.empty())
        builder.mechanism.friction_without_rate = entry.address + "." + own.rate.name;
    if (const auto radius = entry.value.find(bearing_radius_key.name); radius && !rough)
        radius->refuse("there is no friction that this radius could belong to",
                       std::string("give \"") + bearing_friction_key.name + "\" as well, or leave this out");
    if (rate && !dry)
        rate->refuse(std::string("there is no dry friction that \"") + own.rate.name + "\" could belong to",
                     std::string("give \"") + own.dry.name + "\" as well, or leave this out");
    const int place = builder.joints.at(entry.value.member(joint_key.name, "").string()).place;
    for (const OnCoordinate& earlier : builder.frictions)
        if (earlier.joint == place && earlier.coordinate == coordinate.name)
            entry.value.refuse("another joint_friction acts on this coordinate already",
                               "give one of them the sum of both");
    model::Friction defined;
    defined.on = {place, coordinate.name};
    if (dry) {
        defined.dry = builder.number(entry, own.dry);
        require_at_least_zero(builder, *dry, *defined.dry, "friction");
    }
    defined.viscous = builder.number(entry, own.viscous);
    if (viscous) require_at_least_zero(builder, *viscous, *defined.viscous, "friction");
    if (rate) {
        defined.rate = builder.number(entry, own.rate);
        if (!(0.0 < builder.numbers.value(*defined.rate)))
            rate->refuse("this rate is not above 0", "dry friction turns round over it: give a small positive one");
    }
    if (rough) read_bearing(builder, entry, coordinate, *rough, defined);
    builder.mechanism.model.frictions.push_back(defined);
    const int parameter = builder.add_number(defined.dry);
    builder.add_number(defined.viscous), builder.add_number(defined.rate, 1.0);
    const int bearing = rough ? builder.add_number(defined.coefficient) : -1;
    if (rough) builder.add_number(defined.radius, 1.0);
    builder.frictions.push_back({entry.value, "joint friction", place, coordinate.name, parameter, {}, bearing});
}

void read_rotors(Builder& builder, const Entry& entry, const JointRecord& joint) {
    for (const RotorKeys& keys : rotor_keys) {
        if (joint.type != keys.joint_type) continue;
        const auto inertia = entry.value.find(keys.inertia.name), ratio = entry.value.find(keys.ratio.name);
        if (!inertia && ratio)
            ratio->refuse("there is no rotor that this gear could turn",
                          std::string("give \"") + keys.inertia.name + "\" as well, or leave this out");
        if (!inertia) continue;
        const std::size_t number = builder.number(entry, keys.inertia), gear = builder.number(entry, keys.ratio, 1.0);
        require_at_least_zero(builder, *inertia, number, "inertia");
        builder.mechanism.model.rotors.push_back({{joint.place, keys.coordinate}, number, gear});
        const int parameter = builder.add_number(number);
        builder.add_number(gear);
        builder.rotors.push_back({*inertia, "a rotor", joint.place, keys.coordinate, parameter, {}});
    }
}

void read_joint_force(Builder& builder, const Entry& entry) {
    const JointCoordinate& coordinate = coordinate_of(builder, entry);
    const Key &own = coordinate.turns ? formula_torque_key : formula_force_key,
              &other = coordinate.turns ? formula_force_key : formula_torque_key;
    refuse_other_unit(entry, coordinate, own, other);
    if (!entry.value.find(own.name))
        entry.value.refuse("this joint_force exerts nothing", std::string("give it \"") + own.name + "\"");
    const int joint = builder.joints.at(entry.value.member(joint_key.name, "").string()).place;
    builder.coordinate_forces.push_back({entry.value, "a joint_force", joint, coordinate.name, -1,
                                         read_coordinate_formula(builder, entry, own, joint)});
    builder.mechanism.model.coordinate_forces.back().on = {joint, coordinate.name};
}

void measure_coordinates(Builder& builder) {
    const auto measure = [&](const JsonValue& at, int number, const std::string& coordinate) {
        NamedElements& named = builder.mechanism.joints[static_cast<std::size_t>(number)];
        named.is_read = true;
        JointRecord& joint = builder.joints.at(named.name);
        if (joint.elements_of[coordinate].empty()) builder.add_coordinate(at, joint, coordinate, -1, Law{});
    };
    for (const OnCoordinate* one : all_of(builder)) {
        measure(one->at, one->joint, one->coordinate);
        for (const CoordinateVariable& read : one->formula.variables) measure(one->at, read.joint, read.coordinate);
    }
}

void place_on_coordinates(Builder& builder, const SpanningTree& tree) {
    Mechanism& mechanism = builder.mechanism;
    JointTable& joint = mechanism.table.joint;
    if (joint.tree.links == 0) return;
    const auto require_room = [&](const std::vector<OnCoordinate>& all) {
        if (!all.empty())
            builder.require_limit(all.back().at, static_cast<int>(all.size()), most_tree_laws,
                                  "frictions, rotors or forces on coordinates of joints");
    };
    for (const auto* list : {&builder.frictions, &builder.rotors, &builder.coordinate_forces}) require_room(*list);
    for (const OnCoordinate& one : builder.frictions)
        joint.friction[joint.frictions++] = {freedom_of(mechanism, tree, one), one.parameter, one.bearing};
    joint.friction_follows_reactions = !mechanism.friction_by_reaction.empty();
    for (const OnCoordinate& one : builder.rotors)
        joint.rotor[joint.rotors++] = {freedom_of(mechanism, tree, one), one.parameter};
    for (const OnCoordinate& one : builder.coordinate_forces) place_force(builder, tree, one);
    for (const OnCoordinate& one : builder.limits) freedom_of(mechanism, tree, one);  // limits know their element
}

void require_joint_coordinates(const Builder& builder, const JsonValue& root) {
    Mechanism& mechanism = builder.mechanism;
    const auto all = all_of(builder);
    if (all.empty()) {
        if (!mechanism.couplings.empty())
            mechanism.joint_coordinates_because = std::string(couplings_section_key.name) + "." +
                                                  mechanism.couplings.front().name +
                                                  " is a coupling of joint coordinates";
        else if (mechanism.starts_at_equilibrium)
            mechanism.joint_coordinates_because = equilibrium_needs_joint_coordinates;
        return;
    }
    const OnCoordinate& first = *all.front();
    if (mechanism.table.joint.tree.links == 0)
        first.at.refuse("this is " + first.what +
                            ", which acts in joint coordinates alone, and these do not take the "
                            "mechanism: " +
                            mechanism.body_coordinates_because,
                        "leave it out, or change what joint coordinates do not take");
    mechanism.joint_coordinates_because =
        where(mechanism, first) + " has " + first.what + ", which acts in joint coordinates alone";
    const auto coordinates = root.find(coordinates_key.name);
    if (coordinates && mechanism.coordinates == Coordinates::body)
        coordinates->refuse("body coordinates do not take this mechanism: " + mechanism.joint_coordinates_because,
                            "leave out \"coordinates\"");
}

}  // namespace myriad::mechanism
