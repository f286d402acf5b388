// The parameters of links and of elements between them, against the bodies: poses that are composed of links, as their
// parameters say, must keep every joint of the tree, show its coordinates at the file's sensors, and give every element
// the value that it has between bodies.
#include "host/mechanism/tree/joint_coordinates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "host/mechanism/tree/mechanism_tree.hpp"
#include "kernels/tree/links.hpp"
#include "tests/properties/random_mechanisms.hpp"
#include "tests/mechanism_file/mechanism_texts.hpp"
#include "tests/source_dir.hpp"

namespace myriad::mechanism {
namespace {

using nlohmann::json;

// Composed of numbers that were rounded to a double, for at most a dozen bodies some metres long.
constexpr double rounded = 4e-14;
constexpr int random_mechanisms = 1000;

Vector3 vector_of(const double* p) { return {p[0], p[1], p[2]}; }
Matrix3 matrix_of_rows(const double* p) {
    Matrix3 m;
    for (int k = 0; k < 9; ++k) m(k / 3, k % 3) = p[k];
    return m;
}

// A mechanism at random coordinates of its tree.
class Composed {
  public:
    Composed(const Mechanism& mechanism, Generic& generic, bool at_zero = false)
        : mechanism_(mechanism),
          parameters_(mechanism.nominal_kernel_parameters()),
          links(static_cast<std::size_t>(joint().tree.links)),
          bodies(static_cast<std::size_t>(table().bodies)),
          q(static_cast<std::size_t>(joint().tree.freedoms), 0) {
        for (int l = 0; l < joint().tree.links; ++l) {
            const TreeLink& link = joint().tree.link[l];
            const Pose on = link.parent < 0 ? Pose{} : links[static_cast<std::size_t>(link.parent)];
            const Matrix3 joint_axes = on.orientation * matrix_of_rows(of_link(l) + link_axes);
            Vector3 arm = vector_of(of_link(l) + link_offset);
            const int turns = freedoms_of(link.turning);
            if (!at_zero)
                for (int k = 0; k < link.slides + turns; ++k)
                    q[static_cast<std::size_t>(link.freedom + k)] = generic.number(-4.0, 4.0);
            for (int k = 0; k < link.slides; ++k) arm[link.first_axis + k] += coordinate(link.freedom + k);
            const int angle = link.freedom + link.slides;
            Matrix3 turn = Matrix3::Identity();
            if (link.turning == TreeTurning::about_z) turn = turn_of(coordinate(angle) * Vector3::UnitZ());
            if (link.turning == TreeTurning::any)
                turn = turn_of({coordinate(angle), coordinate(angle + 1), coordinate(angle + 2)});
            links[static_cast<std::size_t>(l)] = {on.position + joint_axes * arm, joint_axes * turn};
        }
        for (int body = 0; body < table().bodies; ++body) {
            const int l = joint().link_of_body[body];
            const Pose& link = links[static_cast<std::size_t>(l)];
            bodies[static_cast<std::size_t>(body)] = {
                link.position + link.orientation * vector_of(of_link(l) + link_centre),
                link.orientation * matrix_of_rows(of_link(l) + link_body_axes)};
        }
    }

    const MechanismTable& table() const { return mechanism_.table; }
    const JointTable& joint() const { return mechanism_.table.joint; }
    const double* of_link(int l) const {
        return parameters_.data() + joint().link_parameter + l * link_parameter_count;
    }
    const double* parameters() const { return parameters_.data(); }
    Number80 coordinate(int freedom) const { return q[static_cast<std::size_t>(freedom)]; }
    static Pose pose_of(const std::vector<Pose>& poses, int number) {
        return number < 0 ? Pose{} : poses[static_cast<std::size_t>(number)];
    }
    std::vector<Number80> values(const Element& element, const std::vector<Pose>& poses, Number80 f,
                                 Number80 turned = 0) const {
        return rows_by_definition(element.kind, pose_of(poses, element.body[0]), pose_of(poses, element.body[1]),
                                  parameters() + element.parameter, f, turned);
    }

  private:
    const Mechanism& mechanism_;
    std::vector<double> parameters_;

  public:
    std::vector<Pose> links, bodies;
    std::vector<Number80> q;
};

void expect_that_joints_of_the_tree_hold(const Mechanism& mechanism, const Composed& at) {
    const JointTable& joint = mechanism.table.joint;
    for (int k = 0; k < joint.joints; ++k)
        for (int e = joint.joint[k].first; e < joint.joint[k].last; ++e)
            for (const Number80 value : at.values(mechanism.table.element[e], at.bodies, 0))
                ASSERT_NEAR(static_cast<double>(value), 0.0, rounded) << "element " << e;
}
void expect_that_sensors_show_the_coordinates(const Mechanism& mechanism, const Composed& at) {
    for (int e = 0; e < mechanism.table.elements; ++e) {
        const int freedom = mechanism.table.joint.freedom_of_element[e];
        if (freedom < 0) continue;
        const Number80 q = at.coordinate(freedom);
        ASSERT_NEAR(static_cast<double>(at.values(mechanism.table.element[e], at.bodies, 0, q).front()),
                    static_cast<double>(q), rounded)
            << "element " << e;
    }
}
void expect_that_elements_are_the_same_between_links(const Mechanism& mechanism, const Composed& at) {
    constexpr Number80 f = 0.7;
    for (int e = 0; e < mechanism.table.elements; ++e) {
        const MultiplierPlace& place = mechanism.multiplier_places[static_cast<std::size_t>(e)];
        if (place.source != MultiplierSource::row || place.index < 0) continue;
        const Element &between_bodies = mechanism.table.element[e],
                      &between_links = mechanism.table.joint.element[place.index];
        const auto expected = at.values(between_bodies, at.bodies, f), found = at.values(between_links, at.links, f);
        for (std::size_t k = 0; k < expected.size(); ++k)
            ASSERT_NEAR(static_cast<double>(found[k]), static_cast<double>(expected[k]), rounded) << "element " << e;
        const int laws = between_bodies.has_law ? 2 * rows_of(between_bodies.kind) : 0;
        const int own = geometry_parameters(between_bodies.kind);
        for (int k = own; k < own + laws; ++k)
            ASSERT_EQ(at.parameters()[between_links.parameter + k], at.parameters()[between_bodies.parameter + k]);
    }
}
void expect_that_links_have_the_mass_of_their_bodies(const Mechanism& mechanism, const Composed& at) {
    const JointTable& joint = mechanism.table.joint;
    for (int body = 0; body < mechanism.table.bodies; ++body) {
        const int l = joint.link_of_body[body];
        const double *link = at.of_link(l), *own = at.parameters() + first_body_parameter + body * body_parameters;
        const double* j = own + body_inertia;
        Matrix3 inertia, found;
        inertia << j[0], j[3], j[4], j[3], j[1], j[5], j[4], j[5], j[2];
        j = link + link_inertia;
        found << j[0], j[3], j[4], j[3], j[1], j[5], j[4], j[5], j[2];
        const Matrix3 axes = matrix_of_rows(link + link_body_axes);
        const Vector3 c = vector_of(link + link_centre);
        const Number80 mass = own[body_mass];
        ASSERT_EQ(link[link_mass], own[body_mass]);
        ASSERT_LE((vector_of(link + link_first_moment) - mass * c).norm(), rounded);
        ASSERT_LE((found - axes * inertia * axes.transpose() -
                   mass * (c.squaredNorm() * Matrix3::Identity() - c * c.transpose()))
                      .norm(),
                  rounded * (1 + found.norm()));
        ASSERT_LE((axes * axes.transpose() - Matrix3::Identity()).norm(), rounded);
        ASSERT_GT(axes.determinant(), 0);
    }
    for (int l = 0; l < joint.tree.links; ++l)
        if (joint.tree.link[l].body < 0)
            for (int k = link_mass; k < link_body_axes; ++k) ASSERT_EQ(at.of_link(l)[k], 0.0) << "a cross has no mass";
}
void expect_one_place_for_every_row(const Mechanism& mechanism) {
    const MechanismTable& table = mechanism.table;
    const JointTable& joint = table.joint;
    std::vector<int> counts[4];
    counts[0].assign(static_cast<std::size_t>(joint.joints), 0);
    counts[1].assign(static_cast<std::size_t>(joint.rows), 0);
    counts[2].assign(static_cast<std::size_t>(joint.laws), 0);
    counts[3].assign(static_cast<std::size_t>(joint.prescribed), 0);
    for (int r = 0; r < table.rows; ++r) {
        const auto [source, index] = joint.multiplier[r];
        ++counts[static_cast<std::size_t>(source)].at(static_cast<std::size_t>(index));
    }
    for (const int k : {1, 2, 3}) EXPECT_THAT(counts[k], testing::Each(1));
    int constraint_rows = 0;
    for (int e = 0; e < joint.elements; ++e)
        for (const int row : joint.element[e].row) constraint_rows += row >= 0 && !joint.element[e].has_law;
    EXPECT_EQ(joint.constraint_rows, constraint_rows);
}
void expect_what_the_bodies_say(const Mechanism& mechanism, Generic& generic) {
    const Composed at(mechanism, generic);
    expect_that_joints_of_the_tree_hold(mechanism, at);
    expect_that_sensors_show_the_coordinates(mechanism, at);
    expect_that_elements_are_the_same_between_links(mechanism, at);
    expect_that_links_have_the_mass_of_their_bodies(mechanism, at);
    expect_one_place_for_every_row(mechanism);
}

// Joints turned round, so that trees pass some of them from B to A, and some of them cut.
json with_some_joints_reversed_or_cut(json text, Generic& generic) {
    if (!text.contains("joints")) return text;
    for (auto& joint : text["joints"]) {
        const std::string type = joint["type"];
        const bool is_carried =
            std::find(std::begin(tree_joint_types), std::end(tree_joint_types), type) != std::end(tree_joint_types);
        if (is_carried && generic.index(8) == 0) joint["cut"] = true;
        if (generic.index(2) == 0 || type == "DP2" || type == "CD") continue;
        for (const char* key : {"bodies", "points_m", "axes", "references"})
            if (joint.contains(key)) std::reverse(joint[key].begin(), joint[key].end());
    }
    return text;
}
json random_text(std::uint64_t seed, Generic& generic) {
    RandomShape shape;
    shape.bodies = 1 + static_cast<int>(seed % 8), shape.loops = static_cast<int>(seed % 4);
    shape.free = seed % 5 == 0;
    shape.driven = shape.bodies <= 3;  // more drivers than this need more functions of time than there are
    return with_some_joints_reversed_or_cut(json::parse(RandomMechanism(seed, shape).text()), generic);
}

TEST(JointCoordinates, OfBundledMechanismsKeepTheirJointsAndShowTheirCoordinates) {
    Generic generic(1);
    int taken = 0;
    for (const auto& file : std::filesystem::directory_iterator(source_dir() / "ensembles" / "mechanisms")) {
        SCOPED_TRACE(file.path().filename().string());
        const auto mechanism = read_mechanism(file.path());
        EXPECT_GT(mechanism->table.joint.tree.links, 0);
        EXPECT_EQ(mechanism->body_coordinates_because, "");
        ++taken;
        for (int pose = 0; pose < 5; ++pose) expect_what_the_bodies_say(*mechanism, generic);
    }
    EXPECT_GE(taken, 9);
}

TEST(JointCoordinates, OfAThousandMechanismsKeepTheirJointsAndShowTheirCoordinates) {
    Generic generic(2);
    int backwards = 0, shown = 0, types[tree_joint_kinds] = {}, kinds[8] = {};
    for (std::uint64_t seed = 0; seed < random_mechanisms; ++seed) {
        SCOPED_TRACE("mechanism " + std::to_string(seed));
        const auto mechanism = parsed(random_text(seed, generic));
        const JointTable& joint = mechanism->table.joint;
        if (joint.tree.links == 0) continue;  // too many universal joints
        expect_what_the_bodies_say(*mechanism, generic);
        if (HasFatalFailure()) return;
        for (int k = 0; k < joint.joints; ++k) backwards += joint.joint[k].is_backwards;
        for (int b = 0; b < joint.tree.bodies; ++b) ++types[static_cast<int>(joint.tree.joint[b])];
        for (int e = 0; e < mechanism->table.elements; ++e) shown += joint.freedom_of_element[e] >= 0;
        for (int e = 0; e < joint.elements; ++e) ++kinds[static_cast<int>(joint.element[e].kind)];
    }
    EXPECT_GT(backwards, random_mechanisms);
    EXPECT_GT(shown, random_mechanisms);
    for (const TreeJoint type : {TreeJoint::fixed, TreeJoint::revolute, TreeJoint::prismatic, TreeJoint::cylindrical,
                                 TreeJoint::universal, TreeJoint::spherical, TreeJoint::free})
        EXPECT_GT(types[static_cast<int>(type)], 50) << static_cast<int>(type);
    for (const int count : kinds) EXPECT_GT(count, 10);
}

TEST(JointCoordinates, AreZeroWhereTheFileHasTheBodies) {
    Generic generic(3);
    for (std::uint64_t seed = 0; seed < random_mechanisms; ++seed) {
        const auto mechanism = parsed(random_text(seed, generic));
        const SpanningTree tree = spanning_tree_of(*mechanism);
        const Composed at(*mechanism, generic, true);
        const auto of_file = [&](int body) -> Matrix3 {
            if (body < 0) return Matrix3::Identity();
            const double* p = at.parameters() + first_body_parameter + body * body_parameters + body_orientation;
            return Eigen::Quaternion<Number80>(p[0], p[1], p[2], p[3]).normalized().toRotationMatrix();
        };
        for (const TreeBody& hung : tree.bodies) {
            if (hung.joint < 0) continue;
            const NamedElements& named = mechanism->joints[static_cast<std::size_t>(hung.joint)];
            if (named.type == "spherical") continue;  // its zero are parallel axes
            const Matrix3 found = Composed::pose_of(at.bodies, hung.parent).orientation.transpose() *
                                  Composed::pose_of(at.bodies, hung.body).orientation,
                          expected = of_file(hung.parent).transpose() * of_file(hung.body);
            ASSERT_LE((found - expected).norm(), rounded) << "mechanism " << seed << ", " << named.type;
        }
    }
}

TEST(JointCoordinates, OfEveryTypeAreThoseOfTheFileFromBothSides) {
    const std::map<std::string, std::vector<std::string>> sensors = {
        {"universal", {"angle_1", "angle_2"}},
        {"planar", {"displacement_1", "displacement_2", "angle"}},
        {"translational", {"displacement_1", "displacement_2", "displacement_3"}}};
    Generic generic(5);
    for (const auto& [type, names] : sensors)
        for (const bool is_backwards : {false, true})
            for (const bool has_axes : {true, false}) {
                if (!has_axes && type != "translational") continue;
                SCOPED_TRACE(type + (is_backwards ? " backwards" : "") + (has_axes ? "" : " without axes"));
                json text = two_bodies();
                // The crank stands fast, and hangs the rod on itself.
                text["joints"]["stand"] = {
                    {"type", "fixed"}, {"bodies", {"ground", "crank"}}, {"points_m", {{0, 0, 0}, {0.1, 0.2, 0.3}}}};
                json joint{{"type", type}, {"points_m", {{0.1, 0.5, 0.2}, {0, 0.2, 0.3}}}};
                joint["bodies"] = is_backwards ? json{"rod", "crank"} : json{"crank", "rod"};
                if (has_axes) joint["axes"] = {{1, 2, 0.5}, {0.3, 1, 0.8}};
                text["joints"]["joint"] = joint;
                for (const std::string& name : names) text["sensors"][name] = {{"type", name}, {"joint", "joint"}};
                const auto mechanism = parsed(text);
                ASSERT_EQ(mechanism->table.joint.joint[1].is_backwards, is_backwards);
                expect_what_the_bodies_say(*mechanism, generic);
                for (int e = 0; e < mechanism->table.elements; ++e) {
                    const Element& element = mechanism->table.element[e];
                    const bool is_slide_backwards = is_backwards && element.kind == ElementKind::dot_2;
                    if (element.is_sensor)
                        EXPECT_EQ(mechanism->table.joint.freedom_of_element[e] < 0, is_slide_backwards);
                }
            }
}

TEST(JointCoordinates, PutPointsOfLoadsIntoLinkFrames) {
    const auto mechanism = parsed(without_contacts());
    Generic generic(4);
    const Composed at(*mechanism, generic);
    int points = 0;
    for (int l = 0; l < mechanism->table.loads; ++l) {
        const Load &on_body = mechanism->table.load[l], &on_link = mechanism->table.joint.load[l];
        EXPECT_EQ(on_link.kind, on_body.kind);
        EXPECT_EQ(on_link.body, mechanism->table.joint.link_of_body[on_body.body]);
        EXPECT_TRUE(std::equal(std::begin(on_link.function), std::end(on_link.function), std::begin(on_body.function)));
        if (on_body.parameter < 0) continue;
        ++points;
        const auto place = [&](const std::vector<Pose>& poses, const Load& load) -> Vector3 {
            const Pose pose = Composed::pose_of(poses, load.body);
            return pose.position + pose.orientation * vector_of(at.parameters() + load.parameter);
        };
        EXPECT_LE((place(at.bodies, on_body) - place(at.links, on_link)).norm(), rounded);
    }
    EXPECT_EQ(points, 2);
}

}  // namespace
}  // namespace myriad::mechanism
