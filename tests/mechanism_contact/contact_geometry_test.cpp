// Gaps and directions of contacts between bodies in generic poses, without a run: by their definitions with Eigen, and
// velocities as differences of places.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <cmath>
#include <vector>

#include "kernels/mechanism/contacts.hpp"
#include "tests/generic_tasks.hpp"

namespace myriad::test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double round_off = 1e-14;
constexpr double step = 1e-5, of_differences = 1e-9;  // central differences of numbers of the order of one

struct Pose {
    Vector3d position, velocity, angular_velocity;  // the last in the body's frame
    Matrix3d orientation;

    Vector3d point(const Vector3d& s) const { return position + orientation * s; }
    Pose after(double dt) const {
        const double angle = angular_velocity.norm() * dt;
        const Matrix3d turn = Eigen::AngleAxisd(angle, angular_velocity.normalized()).toRotationMatrix();
        return {position + dt * velocity, velocity, angular_velocity, orientation * turn};
    }
};
Vector3d vector(std::uint64_t instance, std::uint64_t draw) {
    return {backends::uniform(instance, draw) - 0.5, backends::uniform(instance, draw + 1) - 0.5,
            backends::uniform(instance, draw + 2) - 0.5};
}
Pose generic_pose(std::uint64_t instance, const Vector3d& about) {
    const Vector3d axis = vector(instance, 6);
    return {about + vector(instance, 0), vector(instance, 3), vector(instance, 9),
            Eigen::AngleAxisd(5.0 * axis.norm(), axis.normalized()).toRotationMatrix()};
}
const Pose ground{Vector3d::Zero(), Vector3d::Zero(), Vector3d::UnitX() * 1e-300, Matrix3d::Identity()};

Vec<3, double> of(const Vector3d& v) { return {v[0], v[1], v[2]}; }
Vector3d of(const Vec<3, double>& v) { return {v[0], v[1], v[2]}; }

// Bodies 0 and 1 of a pair; where a contact names the ground, that pose is not asked for.
Bodies<double, 2> bodies_of(const Pose& a, const Pose& b) {
    Bodies<double, 2> bodies;
    const Pose* poses[] = {&a, &b};
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) bodies.of[k].matrix.e[i][j] = poses[k]->orientation(i, j);
        bodies.of[k].position = of(poses[k]->position), bodies.of[k].velocity = of(poses[k]->velocity);
        bodies.of[k].angular_velocity = of(poses[k]->angular_velocity);
    }
    return bodies;
}
void append(std::vector<double>& numbers, const Vector3d& v) { numbers.insert(numbers.end(), v.begin(), v.end()); }

// s_i, n, t, s_j for a plane, s_i, s_j for two spheres, s_i, s_j, e_i for a capsule, then radii 0.11 and 0.07, play
// 0.02.
struct Given {
    Vector3d s_i, n, t, s_j, e_i;
    std::vector<double> numbers;
    Contact contact{};

    Given(std::uint64_t instance, ContactKind kind, int first, int second) {
        s_i = vector(instance, 20), s_j = vector(instance, 23), n = vector(instance, 26).normalized();
        t = n.unitOrthogonal();
        append(numbers, s_i);
        if (kind == ContactKind::sphere_plane) append(numbers, n), append(numbers, t);
        append(numbers, s_j);
        e_i = s_i + 2.0 * vector(instance, 29);
        if (kind == ContactKind::sphere_capsule) append(numbers, e_i);
        const auto at = static_cast<int>(numbers.size());
        numbers.insert(numbers.end(), {0.11, 0.07, 0.02});
        contact = {kind, {first, second}, 0, {kind == ContactKind::sphere_plane ? -1 : at, at + 1}, at + 2, -1, -1, 2};
    }
};
const std::array<int, 2> pairs[] = {{0, 1}, {1, 0}, {-1, 1}, {0, -1}};
const Pose& pose_of(int body, const Pose& a, const Pose& b) { return body < 0 ? ground : body == 0 ? a : b; }

double velocity(const Given& given, const ContactPlace<double>& place, int direction, const Bodies<double, 2>& bodies) {
    return along_contact(
        given.contact, place, direction, [&](int b) { return bodies.of[b].velocity; },
        [&](int b) { return bodies.of[b].angular_velocity; });
}

TEST(ContactGeometry, HasTheGapOfItsDefinition) {
    for (std::uint64_t instance = 0; instance < 10; ++instance) {
        const Pose a = generic_pose(instance, Vector3d::Zero()), b = generic_pose(instance + 99, Vector3d::UnitX());
        for (const auto& [first, second] : pairs) {
            const Pose &i = pose_of(first, a, b), &j = pose_of(second, a, b);
            const Given on_plane(instance, ContactKind::sphere_plane, first, second),
                spheres(instance, ContactKind::sphere_sphere, first, second);
            const Vector3d from = i.point(on_plane.s_i), to = j.point(on_plane.s_j);
            EXPECT_NEAR(contact_place(on_plane.contact, bodies_of(a, b), on_plane.numbers).gap,
                        (i.orientation * on_plane.n).dot(to - from) - 0.07 + 0.01, round_off);
            EXPECT_NEAR(contact_place(spheres.contact, bodies_of(a, b), spheres.numbers).gap,
                        (to - from).norm() - 0.11 - 0.07 + 0.01, round_off);
        }
    }
}

// The distance from a segment is convex along it.
double least_distance(const Vector3d& begin, const Vector3d& end, const Vector3d& from, double& share) {
    double low = 0.0, high = 1.0;
    const auto distance = [&](double x) { return (begin + x * (end - begin) - from).norm(); };
    for (int halving = 0; halving < 200; ++halving) {
        const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
        (distance(a) <= distance(b) ? high : low) = distance(a) <= distance(b) ? b : a;
    }
    share = 0.5 * (low + high);
    return std::min({distance(share), distance(0.0), distance(1.0)});
}

TEST(ContactGeometry, HasTheLeastDistanceFromTheSegmentOfACapsule) {
    int begins = 0, ends = 0, between = 0;
    for (std::uint64_t instance = 0; instance < 100; ++instance) {
        const Pose a = generic_pose(instance, Vector3d::Zero()), b = generic_pose(instance + 99, Vector3d::UnitX());
        for (const auto& [first, second] : pairs) {
            const Pose &i = pose_of(first, a, b), &j = pose_of(second, a, b);
            const Given capsule(instance, ContactKind::sphere_capsule, first, second);
            double share = 0.0;
            const double least =
                least_distance(i.point(capsule.s_i), i.point(capsule.e_i), j.point(capsule.s_j), share);
            EXPECT_NEAR(contact_place(capsule.contact, bodies_of(a, b), capsule.numbers).gap,
                        least - 0.11 - 0.07 + 0.01, round_off);
            ++(share < 1e-6 ? begins : share > 1.0 - 1e-6 ? ends : between);
        }
    }
    EXPECT_GT(begins, 10);
    EXPECT_GT(ends, 10);
    EXPECT_GT(between, 10);
}

TEST(ContactGeometry, HasDirectionsAcrossEachOtherRightHanded) {
    for (std::uint64_t instance = 0; instance < 10; ++instance) {
        const Pose a = generic_pose(instance, Vector3d::Zero()), b = generic_pose(instance + 99, Vector3d::UnitX());
        for (const ContactKind kind :
             {ContactKind::sphere_plane, ContactKind::sphere_sphere, ContactKind::sphere_capsule}) {
            const Given given(instance, kind, 0, 1);
            const auto place = contact_place(given.contact, bodies_of(a, b), given.numbers);
            Matrix3d frame;
            for (int k = 0; k < 3; ++k) frame.col(k) = of(place.direction[k]);
            EXPECT_LE((frame.transpose() * frame - Matrix3d::Identity()).norm(), round_off);
            EXPECT_NEAR(frame.determinant(), 1.0, round_off);
        }
    }
}

// The rate of the gap, and the slip of the two body points that touch now.
TEST(ContactGeometry, HasTheVelocitiesOfTheGapAndOfTheTouchingPoints) {
    for (std::uint64_t instance = 0; instance < 10; ++instance) {
        const Pose a = generic_pose(instance, Vector3d::Zero()), b = generic_pose(instance + 99, Vector3d::UnitX());
        for (const ContactKind kind :
             {ContactKind::sphere_plane, ContactKind::sphere_sphere, ContactKind::sphere_capsule})
            for (const auto& [first, second] : pairs) {
                const Given given(instance, kind, first, second);
                const Bodies<double, 2> now = bodies_of(a, b);
                const auto place = contact_place(given.contact, now, given.numbers);
                const auto gap_at = [&](double dt) {
                    return contact_place(given.contact, bodies_of(a.after(dt), b.after(dt)), given.numbers).gap;
                };
                EXPECT_NEAR(velocity(given, place, 0, now), (gap_at(step) - gap_at(-step)) / (2.0 * step),
                            of_differences);
                const Pose &i = pose_of(first, a, b), &j = pose_of(second, a, b);
                const Vector3d n = of(place.direction[0]);
                // Between spheres, on the sphere of i.
                const double before_centre = kind == ContactKind::sphere_plane ? 0.07 : place.gap + 0.07 - 0.01;
                const Vector3d touching = j.point(given.s_j) - before_centre * n;
                const auto moved = [&](const Pose& pose, double dt) -> Vector3d {
                    return pose.after(dt).point(pose.orientation.transpose() * (touching - pose.position));
                };
                const Vector3d slip =
                    (moved(j, step) - moved(j, -step) - moved(i, step) + moved(i, -step)) / (2 * step);
                for (int k = 1; k < contact_directions; ++k)
                    EXPECT_NEAR(velocity(given, place, k, now), of(place.direction[k]).dot(slip), of_differences);
            }
    }
}

}  // namespace
}  // namespace myriad::test
