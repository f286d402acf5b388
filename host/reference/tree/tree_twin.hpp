// The motion of the bodies of a tree of joints, from their positions alone.
//
//   X_b(u)   pose of body b in the world after the increments u of its joints: the product of the displacements of the
//            joints on its path, each in world axes at the configuration zero, and of the pose there
//   J_x, J_w = dx/du,  (R^T dR)~ = J_w du
//
// x', x'', R', R'' come from automatic differentiation in time (forward_derivative.hpp), carried through the product:
// no recursion over the tree, no link frames. Along u(t) = v t + v' t^2 / 2 an orientation R exp(u) has the angular
// velocity v and the angular acceleration v' at t = 0. w: body axes; x: world. SI units. Throws nothing; the caller has
// checked the tree.
#pragma once
#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <vector>

namespace myriad::reference {

enum class TwinJoint { fixed, revolute, prismatic, cylindrical, universal, spherical, planar, translational, free };

struct TwinBody {
    int parent = -1;  // a body before it; -1: the ground
    TwinJoint joint = TwinJoint::fixed;
    Eigen::Vector3d centre = Eigen::Vector3d::Zero();  // at the configuration zero, world
    Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();
    Eigen::Vector3d point = Eigen::Vector3d::Zero(), axis = Eigen::Vector3d::UnitZ(), second = Eigen::Vector3d::UnitX();
};

// Of one joint: slides, then angles or the orientation from child to parent; a free joint's slides are the position.
struct TwinCoordinates {
    std::vector<double> slides, angles;
    Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();
};

// Freedoms of a joint, in this order; an orientation has three.
int slides_of(TwinJoint joint);
int angles_of(TwinJoint joint);
bool has_orientation(TwinJoint joint);
int freedoms_of(TwinJoint joint);

struct TwinMotion {
    Eigen::Vector3d position, velocity, acceleration;        // of the centre of mass, world
    Eigen::Matrix3d orientation;                             // body to world
    Eigen::Vector3d angular_velocity, angular_acceleration;  // body axes
};

class TreeTwin {
  public:
    explicit TreeTwin(std::vector<TwinBody> bodies);

    int freedoms() const { return freedoms_; }
    // The configuration after the increments u: slides and angles q + u, orientations R exp(u)
    std::vector<TwinCoordinates> retract(std::vector<TwinCoordinates> q, const Eigen::VectorXd& u) const;
    // The u from one to another, of orientations the shortest.
    Eigen::VectorXd increments(const std::vector<TwinCoordinates>& from, const std::vector<TwinCoordinates>& to) const;
    // 1 of angles and of the parts of orientations, 0 of slides.
    Eigen::VectorXd turning() const;
    // All bodies, where the rates are v and their derivatives a.
    std::vector<TwinMotion> motion(const std::vector<TwinCoordinates>& q, const Eigen::VectorXd& v,
                                   const Eigen::VectorXd& a) const;
    // One 6 x freedoms matrix per body: J_x above J_w
    std::vector<Eigen::MatrixXd> jacobians(const std::vector<TwinCoordinates>& q) const;

  private:
    std::vector<TwinBody> bodies_;
    int freedoms_ = 0;
};

}  // namespace myriad::reference
