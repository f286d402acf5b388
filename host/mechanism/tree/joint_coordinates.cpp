#include "host/mechanism/tree/joint_coordinates.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "host/mechanism/tree/mechanism_tree.hpp"

namespace myriad::mechanism {

namespace {

std::string more_than(int most, const std::string& plural) {
    return "it has more than " + std::to_string(most) + " " + plural +
           ", the most that joint coordinates were compiled for";
}

// The links from the ground to this one.
std::vector<int> way_to(const TreeTable& tree, int link) {
    std::vector<int> way;
    for (; link >= 0; link = tree.link[link].parent) way.insert(way.begin(), link);
    return way;
}

int last_common_link(const TreeTable& tree, const int (&links)[2]) {
    const std::vector<int> first = way_to(tree, links[0]), second = way_to(tree, links[1]);
    const auto differ = std::mismatch(first.begin(), first.end(), second.begin(), second.end()).first;
    return differ == first.begin() ? -1 : differ[-1];
}

// Whether phi changes when both bodies are moved together: a coordinate of the world does, and components of d that is
// not nought.
bool sees_the_world(const Element& element) {
    return element.kind == ElementKind::coordinate_difference ||
           (element.kind == ElementKind::point && element.has_law);
}

class Layout {
  public:
    Layout(Mechanism& mechanism, const SpanningTree& tree, std::span<const MeasuredCoordinate> measured)
        : mechanism_(mechanism), table_(mechanism.table), joint_(table_.joint), tree_(tree), measured_(measured) {}

    void run() {
        joint_ = {};
        mechanism_.multiplier_places.assign(static_cast<std::size_t>(table_.elements), {MultiplierSource::row, -1});
        hang_bodies();
        // These places stand for every mechanism: redundant rows are looked for outside the tree in body coordinates
        // too.
        place_joints();
        place_elements();
        place_watched_angles();
        place_couplings();
        place_loads();
        if (!has_links())
            refuse_joint_coordinates(mechanism_,
                                     more_than(most_tree_links, "links in its tree, where a universal joint is two"));
        else if (most_tree_laws < laws_)
            refuse_joint_coordinates(mechanism_,
                                     more_than(most_tree_laws, "force elements on coordinates of its tree"));
    }

  private:
    void hang_bodies() {
        std::vector<int> parents;
        std::vector<TreeJoint> joints;
        joint_.is_symmetric = true;
        for (const TreeBody& hung : tree_.bodies) {
            parents.push_back(hung.parent < 0 ? -1 : tree_.place[static_cast<std::size_t>(hung.parent)]);
            joints.push_back(hung.joint < 0
                                 ? TreeJoint::free
                                 : tree_joint_of(mechanism_.joints[static_cast<std::size_t>(hung.joint)].type));
            if (turning_of(joints.back()) == TreeTurning::any) joint_.is_symmetric = false;
        }
        joint_.tree = tree_table(table_.bodies, parents.data(), joints.data());
        for (int body = 0; body < table_.bodies && has_links(); ++body)
            joint_.link_of_body[body] = joint_.tree.last_link[tree_.place[static_cast<std::size_t>(body)]];
    }

    bool has_links() const { return joint_.tree.links > 0; }
    int link_of(int body) const { return body < 0 || !has_links() ? -1 : joint_.link_of_body[body]; }
    const MeasuredCoordinate& measured_by(int element) const { return measured_[static_cast<std::size_t>(element)]; }
    MultiplierPlace& place_of(int element) { return mechanism_.multiplier_places[static_cast<std::size_t>(element)]; }

    void place_joints() {
        for (const TreeBody& hung : tree_.bodies) {
            if (hung.joint < 0) continue;
            const NamedElements& named = mechanism_.joints[static_cast<std::size_t>(hung.joint)];
            const int last = named.first_element + named.element_count;
            for (int e = named.first_element; e < last; ++e)
                place_of(e) = {MultiplierSource::tree_joint, joint_.joints};
            joint_.joint[joint_.joints++] = {link_of(hung.body), named.first_element, last, hung.is_backwards};
        }
    }

    // The freedom of the tree that the element measures; -1 where it measures none.
    int freedom_of(int element) const {
        const MeasuredCoordinate& measured = measured_by(element);
        return has_links() ? number_of_tree_freedom(mechanism_, tree_, measured.joint, measured.coordinate) : -1;
    }

    void place_elements() {
        for (int e = 0; e < table_.elements; ++e) {
            const Element& element = table_.element[e];
            const int freedom = freedom_of(e);
            // The value of a driven angle is the sine of what the angle lacks.
            joint_.freedom_of_element[e] = element.kind == ElementKind::driven_angle ? -1 : freedom;
            if (element.kind == ElementKind::angle) {
                joint_.freedom_of_angle[element.angle] = freedom;
                joint_.counter_of_angle[element.angle] = freedom < 0 && !element.is_sensor ? joint_.angles++ : -1;
            }
            if (element.is_sensor || place_of(e).source == MultiplierSource::tree_joint) continue;
            const MeasuredCoordinate& measured = measured_by(e);
            const bool is_of_tree = freedom_of_tree_joint(mechanism_, tree_, measured.joint, measured.coordinate) >= 0;
            if (is_of_tree && element.has_law)
                place_law(e, freedom);
            else if (is_of_tree && prescribed_.insert({measured.joint, measured.coordinate}).second)
                place_prescribed(e, freedom);
            else
                place_row(e);
        }
    }
    void place_law(int e, int freedom) {
        const Element& element = table_.element[e];
        place_of(e) = {MultiplierSource::law, laws_};
        if (laws_ < most_tree_laws)
            joint_.law[laws_] = {freedom, element.parameter + geometry_parameters(element.kind), element.function};
        joint_.laws = ++laws_;
    }
    void place_prescribed(int e, int freedom) {
        place_of(e) = {MultiplierSource::prescribed, joint_.prescribed};
        joint_.prescribed_coordinate[joint_.prescribed++] = {freedom, table_.element[e].function};
    }
    // The angles of joints that the tree does not carry, where sensors alone read them.
    void place_watched_angles() {
        for (int e = 0; e < table_.elements; ++e) {
            const Element& element = table_.element[e];
            if (!element.is_sensor || element.angle < 0 || freedom_of(e) >= 0) continue;
            joint_.counter_of_angle[element.angle] = joint_.angles++;
            place_between_links(e, joint_.elements + joint_.watched_angles++);
        }
    }
    void place_row(int e) { place_between_links(e, joint_.elements++); }
    void place_between_links(int e, int placed) {
        place_of(e) = {MultiplierSource::row, placed};
        Element& element = joint_.element[placed] = table_.element[e];
        for (int& body : element.body) body = link_of(body);
        if (element.angle >= 0) element.angle = joint_.counter_of_angle[element.angle];
        joint_.common_link[placed] = sees_the_world(element) ? -1 : last_common_link(joint_.tree, element.body);
    }
    void place_couplings() {
        for (const NamedCoupling& named : mechanism_.couplings)
            joint_.coupling[joint_.couplings++] = {
                {freedom_of(named.of[0].element), freedom_of(named.of[1].element)}, named.parameter, -1};
    }
    void place_loads() {
        for (; joint_.loads < table_.loads; ++joint_.loads) {
            Load& load = joint_.load[joint_.loads] = table_.load[joint_.loads];
            load.body = link_of(load.body);
        }
    }

    Mechanism& mechanism_;
    MechanismTable& table_;
    JointTable& joint_;
    const SpanningTree& tree_;
    std::span<const MeasuredCoordinate> measured_;
    std::set<std::pair<int, std::string>> prescribed_;
    int laws_ = 0;
};

}  // namespace

TreeJoint tree_joint_of(const std::string& type) {
    constexpr const char* names[tree_joint_kinds] = {"fixed",       "revolute",      "prismatic",
                                                     "cylindrical", "universal",     "spherical",
                                                     "planar",      "translational", free_joint_type};
    const auto found = std::find(std::begin(names), std::end(names), type);
    if (found == std::end(names)) throw std::invalid_argument("no joint of a tree: " + type);
    return static_cast<TreeJoint>(found - std::begin(names));
}

int first_freedom_of(const TreeTable& table, const SpanningTree& tree, const TreeBody& hung) {
    const int place = tree.place[static_cast<std::size_t>(hung.body)];
    return table.link[table.last_link[place] + 1 - links_of(table.joint[place])].freedom;
}

int freedom_of_coordinate(TreeJoint joint, const std::string& coordinate, bool is_backwards) {
    if (joint == TreeJoint::universal) return (coordinate == "angle_1") != is_backwards ? 0 : 1;
    if (coordinate == "angle") return slides_of(joint);
    if (coordinate == "displacement") return 0;
    return is_backwards ? -1 : coordinate.back() - '1';
}

int freedom_of_tree_joint(const Mechanism& mechanism, const SpanningTree& tree, int joint,
                          const std::string& coordinate) {
    for (const TreeBody& hung : tree.bodies)
        if (joint >= 0 && hung.joint == joint)
            return freedom_of_coordinate(tree_joint_of(mechanism.joints[static_cast<std::size_t>(joint)].type),
                                         coordinate, hung.is_backwards);
    return -1;
}

int number_of_tree_freedom(const Mechanism& mechanism, const SpanningTree& tree, int joint,
                           const std::string& coordinate) {
    const int which = freedom_of_tree_joint(mechanism, tree, joint, coordinate);
    if (which < 0) return -1;
    const auto hung =
        std::find_if(tree.bodies.begin(), tree.bodies.end(), [&](const TreeBody& body) { return body.joint == joint; });
    return first_freedom_of(mechanism.table.joint.tree, tree, *hung) + which;
}

void lay_out_joint_coordinates(Mechanism& mechanism, const SpanningTree& tree,
                               std::span<const MeasuredCoordinate> measured) {
    Layout(mechanism, tree, measured).run();
}

void refuse_joint_coordinates(Mechanism& mechanism, const std::string& because) {
    mechanism.table.joint = {};
    mechanism.body_coordinates_because = because;
}

void number_rows_of_joint_coordinates(Mechanism& mechanism) {
    const MechanismTable& table = mechanism.table;
    JointTable& joint = mechanism.table.joint;
    if (joint.tree.links == 0) return;
    joint.rows = joint.constraint_rows = 0;
    for (int e = 0; e < table.elements; ++e) {
        const MultiplierPlace& place = mechanism.multiplier_places[static_cast<std::size_t>(e)];
        const bool is_row = place.source == MultiplierSource::row;
        if (is_row && place.index < 0) continue;
        for (int k = 0; k < 3; ++k) {
            const int of_table = table.element[e].row[k];
            MultiplierPlace found = place;
            if (is_row) {
                found.index = joint.element[place.index].row[k] = of_table < 0 ? -1 : joint.rows++;
                if (of_table >= 0 && !table.element[e].has_law) ++joint.constraint_rows;
            }
            if (of_table >= 0) joint.multiplier[of_table] = found;
        }
    }
    for (int c = 0; c < joint.couplings; ++c) {
        if (mechanism.couplings[static_cast<std::size_t>(c)].is_redundant) continue;
        joint.coupling[c].row = joint.rows++;
        ++joint.constraint_rows;
    }
    if (most_tree_rows < joint.rows)
        refuse_joint_coordinates(mechanism, more_than(most_tree_rows, "rows beside its tree"));
}

}  // namespace myriad::mechanism
