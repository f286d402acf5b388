// Random trees of joints in a random state, for the kernels of a tree and for their twin alike.
#pragma once
#include <memory>
#include <vector>

#include "host/reference/tree/tree_twin.hpp"
#include "kernels/tree/dynamics.hpp"
#include "tests/mechanism/definitions.hpp"
#include "tests/tree/link_parameters.hpp"

namespace myriad::tree {

using mechanism::Generic;
constexpr int largest_random_tree = 12, random_trees = 1000;
// Twelve links take each other's rounding errors on, some 200 operations a link: the largest of all trees is 5e-15.
constexpr double round_off = 4e-14;

// The bodies, their joints, and a state; numbers are of order one, so that a chain of twelve is some ten metres long
// and its last body turns with some ten rad/s.
struct RandomTree {
    std::vector<reference::TwinBody> bodies;
    std::vector<reference::TwinCoordinates> q;
    Eigen::VectorXd v, a;
    std::vector<Eigen::Matrix<double, 6, 1>> loads;  // force at the centre of mass, moment; world
    Eigen::Vector3d gravity;

    // Topology and numbers are drawn apart: trees of one topology fill the lanes of a pack.
    RandomTree(std::uint64_t topology, std::uint64_t numbers) : RandomTree(random_joints(topology), numbers) {}
    RandomTree(std::vector<reference::TwinBody> joints, std::uint64_t numbers) : bodies(std::move(joints)) {
        Generic generic(numbers);
        gravity = 10.0 * direction(generic);
        int freedoms = 0;
        for (reference::TwinBody& body : bodies) {
            body.centre = vector(generic, 1.0), body.point = vector(generic, 1.0);
            body.orientation = orientation(generic);
            body.mass = generic.number(0.5, 2.0);
            Eigen::Matrix3d second = Eigen::Matrix3d::Zero();  // moments of random masses
            for (int k = 0; k < 4; ++k) {
                const Eigen::Vector3d s = vector(generic, 0.5);
                second += s * s.transpose();
            }
            body.inertia = second.trace() * Eigen::Matrix3d::Identity() - second;
            body.axis = direction(generic);
            do body.second = direction(generic);
            while (body.axis.cross(body.second).norm() < 0.3);
            reference::TwinCoordinates own;
            own.slides = {generic.number(-1.0, 1.0), generic.number(-1.0, 1.0), generic.number(-1.0, 1.0)};
            own.angles = {generic.number(-3.0, 3.0), generic.number(-3.0, 3.0)};
            own.orientation = orientation(generic);
            q.push_back(own);
            Eigen::Matrix<double, 6, 1> load;
            load << vector(generic, 5.0), vector(generic, 5.0);
            loads.push_back(load);
            freedoms += reference::freedoms_of(body.joint);
        }
        v.resize(freedoms), a.resize(freedoms);
        for (int i = 0; i < freedoms; ++i) v[i] = generic.number(-1.0, 1.0), a[i] = generic.number(-3.0, 3.0);
    }

    TreeTable table() const {
        std::vector<int> parents;
        std::vector<TreeJoint> joints;
        for (const reference::TwinBody& body : bodies) {
            parents.push_back(body.parent);
            joints.push_back(static_cast<TreeJoint>(body.joint));
        }
        return tree_table(static_cast<int>(bodies.size()), parents.data(), joints.data());
    }
    reference::TreeTwin twin() const { return reference::TreeTwin(bodies, gravity); }

    static Eigen::Vector3d vector(Generic& generic, double size) { return generic.vector(size).cast<double>(); }
    static Eigen::Vector3d direction(Generic& generic) { return generic.direction().cast<double>().normalized(); }
    static Eigen::Quaterniond orientation(Generic& generic) {
        return Eigen::Quaterniond(Eigen::Matrix3d(generic.orientation().cast<double>())).normalized();
    }
    // Half of the bodies hang on the one before them, so that there are long paths as well as many branches.
    static std::vector<reference::TwinBody> random_joints(std::uint64_t seed) {
        Generic generic(seed);
        std::vector<reference::TwinBody> bodies(static_cast<std::size_t>(1 + generic.index(largest_random_tree)));
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            const int before = static_cast<int>(b);
            bodies[b].parent = generic.index(2) == 0 ? before - 1 : generic.index(before + 1) - 1;
            const int kinds = bodies[b].parent < 0 ? tree_joint_kinds : tree_joint_kinds - 1;
            bodies[b].joint = static_cast<reference::TwinJoint>(generic.index(kinds));
        }
        return bodies;
    }
};

// One tree in the kernels, in every lane of a Real another instance. Too large for the stack of a thread: make_unique.
template <class Real, class Topology = TableTree>
struct TreeRun {
    using Rates = TreeRates<Real, Topology>;
    using Configuration = TreeConfiguration<Real, Topology>;
    TreeTable table;
    Topology tree{&table};
    JointedBody<Real> bodies[Topology::most_bodies];
    Vec<3, Real> gravity;
    Vec<3, Real> load_force[Topology::most_bodies], load_moment[Topology::most_bodies];
    LinkNumbers<Real, Topology> numbers;
    TreeLinks<Real, Topology, decltype(LinkNumbers<Real, Topology>::all)> links{tree, &numbers.all, 0};
    Configuration q;
    Rates v, a, forces;
    TreePlaces<Real, Topology> places;
    LinkMotion<Real> motions[Topology::most_links];
    Place<Real> poses[Topology::most_links];
    Screw<Real> wrenches[Topology::most_links];
    LinkMass<Real> composites[Topology::most_links];
    TreeMatrix<Real, Topology> matrix;

    // All lanes are `random`, whose topology all of them have; `put` then gives a lane numbers of its own.
    explicit TreeRun(const RandomTree& random) : table(random.table()) {
        set_zero(tree, q);
        v.fit(tree), a.fit(tree), forces.fit(tree), matrix.topology = tree;
        for (int lane = 0; lane < Lanes<Real>::width; ++lane) put(random, lane);
    }
    TreeRun(const TreeRun&) = delete;
    TreeRun& operator=(const TreeRun&) = delete;

    void put(const RandomTree& random, int lane) {
        const auto set = [lane](Real& x, double value) {
            Lanes<Real>::set(x, lane, static_cast<NumberOf<Real>>(value));
        };
        const auto set_vector = [&](Vec<3, Real>& x, const Eigen::Vector3d& value) {
            for (int i = 0; i < 3; ++i) set(x[i], value[i]);
        };
        const auto set_rotation = [&](Rotation<Real>& r, const Eigen::Quaterniond& value) {
            set(r.w, value.w()), set(r.x, value.x()), set(r.y, value.y()), set(r.z, value.z());
        };
        set_vector(gravity, random.gravity);
        for (int b = 0; b < table.bodies; ++b) {
            const reference::TwinBody& from = random.bodies[static_cast<std::size_t>(b)];
            JointedBody<Real>& body = bodies[b];
            set_vector(body.centre, from.centre), set_vector(body.point, from.point);
            set_vector(body.axis, from.axis), set_vector(body.second, from.second);
            set_rotation(body.orientation, from.orientation);
            set(body.mass, from.mass);
            const Eigen::Matrix3d& j = from.inertia;
            set(body.inertia.xx, j(0, 0)), set(body.inertia.yy, j(1, 1)), set(body.inertia.zz, j(2, 2));
            set(body.inertia.xy, j(0, 1)), set(body.inertia.xz, j(0, 2)), set(body.inertia.yz, j(1, 2));
            set_vector(load_force[b], random.loads[static_cast<std::size_t>(b)].head<3>());
            set_vector(load_moment[b], random.loads[static_cast<std::size_t>(b)].tail<3>());
            const reference::TwinCoordinates& coordinates = random.q[static_cast<std::size_t>(b)];
            const TreeJoint joint = table.joint[b];
            const int last = table.last_link[b];
            for (int l = last + 1 - links_of(joint), part = 0; l <= last; ++l, ++part) {
                const TreeLink& link = table.link[l];
                const int field = link.field + link.slides;
                for (int i = 0; i < link.slides; ++i)
                    set(q[link.field + i], coordinates.slides[static_cast<std::size_t>(i)]);
                if (link.turning == TreeTurning::about_z)
                    set(q[field], coordinates.angles[static_cast<std::size_t>(part)]), set(q[field + 1], 0.0);
                if (link.turning == TreeTurning::any) {
                    Rotation<Real> r = q.rotation(field);
                    set_rotation(r, coordinates.orientation);
                    q.set_rotation(field, r);
                }
            }
        }
        for (int i = 0; i < table.freedoms; ++i) set(v[i], random.v[i]), set(a[i], random.a[i]);
    }

    void prepare() { prepare_links(tree, bodies, numbers); }
    void move(bool loaded = true) {
        place_links(links, q, places);
        pose_links(links, places, poses);
        rate_links(links, places, v, poses);
        move_links(links, places, v, a, gravity, motions);
        for (int l = 0; l < table.links; ++l) wrenches[l] = {Vec<3, Real>{}, Vec<3, Real>{}};
        for (int b = 0; b < table.bodies && loaded; ++b) {
            const int l = table.last_link[b];
            wrenches[l] =
                load_on(poses[l], load_force[b], load_moment[b], body_state(links, poses, table.last_link[b]).position);
        }
        take_motions(links, motions, loaded, wrenches);
        inverse_dynamics(links, places, wrenches, forces);
    }
    void compose_matrix() { mass_matrix(links, places, composites, matrix); }
    void evaluate() { prepare(), move(), compose_matrix(); }

    // Of one lane, with the upper triangle from `mirrored` entries or from the symmetry
    Eigen::MatrixXd dense(bool mirrored, int lane = 0) const {
        Eigen::MatrixXd m = Eigen::MatrixXd::Zero(table.freedoms, table.freedoms);
        for (int i = 0; i < table.freedoms; ++i)
            for (int j = i; j >= 0; j = table.freedom_parent[j]) {
                const int place = tree.entry(i, j);
                m(i, j) = Lanes<Real>::get(matrix.lower[place], lane);
                if (j < i) m(j, i) = Lanes<Real>::get(mirrored ? matrix.lower[place] : matrix.upper[place], lane);
            }
        return m;
    }
    Eigen::VectorXd of(const Rates& rates, int lane = 0) const {
        Eigen::VectorXd x(table.freedoms);
        for (int i = 0; i < table.freedoms; ++i) x[i] = Lanes<Real>::get(rates[i], lane);
        return x;
    }
};

template <class Real = double>
std::unique_ptr<TreeRun<Real>> run_of(const RandomTree& random) {
    auto run = std::make_unique<TreeRun<Real>>(random);
    run->evaluate();
    return run;
}

// The largest difference relative to the largest entry, or to 1 where all are smaller.
template <class A, class B>
double relative_difference(const A& found, const B& expected) {
    if (found.size() == 0) return 0.0;
    return (found - expected).cwiseAbs().maxCoeff() / (1.0 + expected.cwiseAbs().maxCoeff());
}

}  // namespace myriad::tree
