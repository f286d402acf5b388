// Couplings of joint coordinates: gears, belts, racks, screws. Each coordinate has an element that measures it, which
// exerts nothing, as that of a sensor.
#include <algorithm>

#include "host/mechanism/file/builder.hpp"
#include "host/mechanism/file/constraints.hpp"
#include "host/mechanism/tree/mechanism_tree.hpp"
#include "host/text/suggestion.hpp"

namespace myriad::mechanism {

namespace {

// "wheel.angle"
std::string text_of(const Mechanism& mechanism, const CoupledCoordinate& of) {
    return mechanism.joints[static_cast<std::size_t>(of.joint)].name + "." + of.coordinate;
}

CoupledCoordinate read_coordinate(Builder& builder, const Entry& entry, const Key& key) {
    const JsonValue value = entry.value.member(key.name, key.meaning);
    const std::string text = value.string();
    const std::size_t dot = text.rfind('.');
    if (dot == std::string::npos)
        value.refuse("\"" + text + "\" does not name a coordinate of a joint",
                     "write the joint and its coordinate, as in \"wheel.angle\" or \"rack.displacement\"");
    const std::string coordinate = text.substr(dot + 1);
    JointRecord& joint = builder.joint_called(text.substr(0, dot), value);
    if (coordinates_of(joint.type).empty())
        value.refuse("this joint is " + joint.type + " and has no coordinate that could be coupled",
                     "name a joint with an angle or a displacement");
    builder.require_coordinate(joint, coordinate, value);
    return {joint.place, coordinate, builder.add_coordinate(entry.value, joint, coordinate, -1, Law{})};
}

// Coordinates that follow from each other; those that a driver prescribes all follow from time.
class Following {
  public:
    explicit Following(const Mechanism& mechanism) : mechanism_(mechanism) {
        for (const NamedElements& driver : mechanism.drivers)
            if (driver.joint >= 0) group(text_of(mechanism, {driver.joint, driver.type, 0})) = of_time;
    }

    void add(const Entry& entry, const NamedCoupling& coupling) {
        const std::string followed = text_of(mechanism_, coupling.of[0]), own = text_of(mechanism_, coupling.of[1]);
        const JsonValue at = entry.value.member(coupled_coordinate_key.name, "");
        if (followed == own)
            at.refuse("the coordinate " + own + " cannot follow itself", "name another coordinate under \"follows\"");
        const int kept = group(followed), other = group(own);
        if (kept == other && kept == of_time)
            at.refuse(own + " and " + followed + " both have a driver, or follow a coordinate that has one",
                      "leave out one of the drivers or this coupling");
        if (kept == other)
            at.refuse(own + " follows from " + followed + " already, by " + list_of(couplings_[kept]) +
                          ": this coupling would close a circle",
                      "leave it out");
        for (auto& [name, number] : groups_)
            if (number == other || number == kept) number = std::min(kept, other);
        std::vector<std::string>& joined = couplings_[std::min(kept, other)];
        const std::vector<std::string> of_other = couplings_[std::max(kept, other)];
        joined.insert(joined.end(), of_other.begin(), of_other.end());
        joined.push_back(coupling.address());
    }

  private:
    static constexpr int of_time = 0;

    int& group(const std::string& coordinate) {
        return groups_.emplace(coordinate, static_cast<int>(groups_.size()) + 1).first->second;
    }

    const Mechanism& mechanism_;
    std::map<std::string, int> groups_;
    std::map<int, std::vector<std::string>> couplings_;
};

std::string why_outside(const Mechanism& mechanism, const SpanningTree& tree, const CoupledCoordinate& of) {
    const auto cut =
        std::find_if(tree.cut.begin(), tree.cut.end(), [&](const CutJoint& one) { return one.joint == of.joint; });
    if (cut == tree.cut.end())
        return "the tree passes this joint from its body B to its body A, where its displacements are no coordinates";
    return cut->reason == CutReason::asked
               ? "\"cut\" keeps this joint out of the tree"
               : "this joint closes a loop with " + list_of(loop_of(mechanism, tree, of.joint)) +
                     ", of which limits, forces or couplings read every joint";
}

}  // namespace

void read_couplings(Builder& builder, const JsonValue& root) {
    const auto section = root.find(couplings_section_key.name);
    if (!section) return;
    Mechanism& mechanism = builder.mechanism;
    builder.require_count(*section, most_couplings, "couplings");
    Following following(mechanism);
    for (const auto& [name, value] : section->members()) {
        require_name(name, value, "coupling");
        const auto is_called = [&, called = name](const NamedElements& one) { return one.name == called; };
        for (const auto* list : {&mechanism.joints, &mechanism.drivers})
            if (std::any_of(list->begin(), list->end(), is_called))
                value.refuse("the name \"" + name + "\" is that of a joint or driver as well",
                             "choose another one: the channel multiplier." + name + " would mean both");
        const Entry entry{value, std::string(couplings_section_key.name) + "." + name};
        value.members();
        value.require_keys(names_of(coupling_keys));
        NamedCoupling coupling{name, {}, 0, false};
        coupling.of[1] = read_coordinate(builder, entry, coupled_coordinate_key);
        coupling.of[0] = read_coordinate(builder, entry, followed_coordinate_key);
        following.add(entry, coupling);
        const std::size_t ratio = builder.number(entry, ratio_key), offset = builder.number(entry, coupling_offset_key);
        if (builder.numbers.value(ratio) == 0.0)
            value.member(ratio_key.name, "")
                .refuse("this ratio is 0: the coordinate would not follow the other one",
                        "give it a driver where it is to stay");
        for (const CoupledCoordinate& of : coupling.of)
            mechanism.joints[static_cast<std::size_t>(of.joint)].is_read = true;
        mechanism.model.couplings.push_back({{model::Coordinate{coupling.of[0].joint, coupling.of[0].coordinate},
                                              model::Coordinate{coupling.of[1].joint, coupling.of[1].coordinate}},
                                             ratio,
                                             offset});
        coupling.parameter = builder.add_parameters(
            2, [ratio, offset](const Inputs& in, double* out) { out[0] = in[ratio], out[1] = in[offset]; });
        mechanism.couplings.push_back(coupling);
    }
}

void check_couplings(const Builder& builder, const JsonValue& root) {
    const Mechanism& mechanism = builder.mechanism;
    if (mechanism.couplings.empty()) return;
    const JsonValue section = root.member(couplings_section_key.name, "");
    const std::string because =
        mechanism.coordinates == Coordinates::body ? "the file asks for these" : mechanism.body_coordinates_because;
    if (!because.empty())
        section.refuse(
            "couplings are computed in joint coordinates, and this mechanism runs in body coordinates: " + because,
            "leave out the couplings, or what joint coordinates do not take");
    const SpanningTree tree = spanning_tree_of(mechanism);
    for (const NamedCoupling& coupling : mechanism.couplings)
        for (std::size_t side = 0; side < 2; ++side) {
            const CoupledCoordinate& of = coupling.of[side];
            if (freedom_of_tree_joint(mechanism, tree, of.joint, of.coordinate) >= 0) continue;
            const Key& key = side == 0 ? followed_coordinate_key : coupled_coordinate_key;
            section.member(coupling.name, "")
                .member(key.name, "")
                .refuse(text_of(mechanism, of) + " is no coordinate of the tree: " + why_outside(mechanism, tree, of),
                        "couple coordinates of the tree, which has all joints of a loop but one; if \"cut\" keeps this "
                        "one out, "
                        "leave that out");
        }
}

}  // namespace myriad::mechanism
