#include "host/mechanism/assembly/joint_values.hpp"

namespace myriad::mechanism {

namespace {

Matrix about_x(double angle) {
    const SineCosine<double> turn = sincos(angle);
    return {{{1.0, 0.0, 0.0}, {0.0, turn.cosine, -turn.sine}, {0.0, turn.sine, turn.cosine}}};
}
bool is_along_z(TreeJoint type) { return type == TreeJoint::prismatic || type == TreeJoint::cylindrical; }
Matrix turn_of(TreeJoint type, const JointValues& at) {
    if (type == TreeJoint::universal) return about_z(at.angle[0]) * about_x(at.angle[1]);
    return turning_of(type) == TreeTurning::about_z ? about_z(at.angle[0]) : at.turn;
}

}  // namespace

Matrix about_z(double angle) {
    const SineCosine<double> turn = sincos(angle);
    return {{{turn.cosine, -turn.sine, 0.0}, {turn.sine, turn.cosine, 0.0}, {0.0, 0.0, 1.0}}};
}

int place_of_coordinate(const StartJoint& joint, std::size_t coordinate) {
    int place = 0;
    for (std::size_t k = 0; k < coordinate; ++k)
        if (joint.coordinates[k].turns == joint.coordinates[coordinate].turns) ++place;
    return joint.coordinates[coordinate].turns || !is_along_z(joint.type) ? place : 2;
}

Vector only_slides_of(TreeJoint type, const Vector& v) {
    const int count = slides_of(type), first = is_along_z(type) ? 2 : 0;
    Vector kept{0.0, 0.0, 0.0};
    for (int k = first; k < first + count; ++k) kept[k] = v[k];
    return kept;
}

Relative relative_pose(const Pose& a, const Pose& b) {
    return {transpose(a.matrix) * b.matrix, seen_from(a.matrix, b.position - a.position)};
}

JointValues coordinates_of_pose(TreeJoint type, const std::array<JointFrame, 2>& frame, const Relative& pose) {
    JointValues at;
    const Matrix turn = transpose(frame[0].axes) * pose.axes * frame[1].axes;
    const Vector from_a = pose.offset + pose.axes * frame[1].point - frame[0].point;
    at.slides = only_slides_of(type, seen_from(frame[0].axes, from_a));
    if (turning_of(type) == TreeTurning::about_z) at.angle[0] = atan2(turn.e[1][0], turn.e[0][0]);
    if (type == TreeJoint::universal) at.angle[1] = atan2(turn.e[2][1], turn.e[2][2]);
    if (turning_of(type) == TreeTurning::any) at.turn = turn;
    return at;
}
Relative pose_of_coordinates(TreeJoint type, const std::array<JointFrame, 2>& frame, const JointValues& at) {
    const Matrix axes = frame[0].axes * turn_of(type, at) * transpose(frame[1].axes);
    return {axes, frame[0].point + frame[0].axes * at.slides - axes * frame[1].point};
}

}  // namespace myriad::mechanism
