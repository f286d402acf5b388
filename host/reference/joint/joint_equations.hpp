// A mechanism in the coordinates of its tree of joints (joint_tree.hpp), all of them zero at the assembled start but
// for those of free bodies.
//
//   J^T (M A + B^T lambda - f) = 0,   phi = 0,   A = J v' + c        of the coordinates that no driver prescribes
//   q = f(t) - f(0), v = f', v' = f''                                of those that one does
//   q_1 - ratio q_0 - offset = 0                                     a coupling: a row of its own behind the others
//
// J: velocities of the bodies by the rates v, from the poses of the bodies alone (tree_twin.hpp); M, f, phi, B: bodies,
// forces and rows outside the tree as in body coordinates (mechanism_equations.hpp). Slides and angles add up; an
// orientation is R exp(u), its rate the angular velocity relative to the parent in the body's axes. Contact:
// contact_joints.hpp.
//
// A joint of the tree carries what the bodies beyond it need, M A + B^T lambda - f, summed from the tips. Its part
// along the joint's freedoms is left out: a method that solves its equations at another place than its result leaves
// some there. A driver's multiplier is that part along its coordinate.
#pragma once
#include <array>
#include <vector>

#include "host/reference/mechanism/mechanism_start.hpp"

namespace myriad::reference {

struct JointState {
    double time_s = 0.0;
    std::vector<TwinCoordinates> q;      // of the joints, in the order of the tree
    Eigen::VectorXd v;                   // of the coordinates that no driver prescribes
    std::vector<double> counted_angles;  // of elements of kind angle: near those that they have here
};

// 6 numbers per body, as of MechanismMotion.
struct JointedBodies {
    MechanismState state;
    Eigen::VectorXd acceleration;
    Eigen::MatrixXd jacobian;
};

// Rows outside the tree, then couplings, by the coordinates.
struct JointRows {
    Eigen::VectorXd value, rate, acceleration_term;  // phi, phi', and phi'' less gradient v'
    Eigen::MatrixXd gradient;
};

// The end of a step at which rates of drivers jump, before anything has its new rates. Drivers stand where their
// functions are, and rows are met.
struct JointJump {
    JointState state;
    double work_of_moving_j = 0.0;        // what moving the drivers has changed of the energy
    Eigen::VectorXd load;                 // -M_fp dv_p, of the coordinates
    Eigen::VectorXd rates;                // of the rows, with the new rates of drivers
    Eigen::VectorXd change, mean;         // dv_p and (v_p^- + v_p^+)/2
    Eigen::MatrixXd jacobian_of_drivers;  // of the bodies' velocities by v_p
    Eigen::MatrixXd mass;                 // of the bodies
    Eigen::VectorXd bodies_before;        // velocities of the bodies, before the jump
    Eigen::MatrixXd jacobian, constraint_jacobian;
    Eigen::VectorXd mean_phi_t;  // of the rows beside the tree
};

struct LinearJoints {
    Eigen::MatrixXd mass, damping, stiffness, gradient;
};

// How far couplings moved the start, slides over the length scale and rad; by how much they and an equilibrium changed
// given rates, 1/s: of bodies' velocities and of start values of joints; whether that equilibrium is unstable.
struct StartChange {
    double moved = 0.0, faster = 0.0;
    bool rests_unstably = false;
};

// The rows of a mechanism without those that its tree meets and without drivers of the tree's coordinates.
int constraint_rows_beside_tree(const MechanismModel& model);

class JointEquations {
  public:
    // The mechanism has a tree; `assembled`: the start in body coordinates.
    JointEquations(const MechanismModel& model, const MechanismState& assembled);

    Eigen::Index size() const { return static_cast<Eigen::Index>(free_.size()); }
    Eigen::Index rows() const { return rows_; }
    const JointState& start() const { return start_; }
    const StartChange& start_change() const { return start_change_; }

    // After the increments u of the coordinates at `time_s`, with the rates v.
    JointState moved(const JointState& from, const Eigen::VectorXd& u, const Eigen::VectorXd& v, double time_s) const;
    // The increments from one state to another, and the sum of the turns of all joints on the way, rad.
    Eigen::VectorXd increments(const JointState& from, const JointState& to) const;
    double turned(const JointState& from, const JointState& to) const;
    // Angles of elements that are only watched and that no joint of the tree turns. The mean of their rates from `from`
    // on leads near their values at the end.
    void foresee_angles(const JointState& from, JointState& end) const;
    JointedBodies bodies(const JointState& at, const Eigen::VectorXd& acceleration) const {
        return bodies(at, acceleration, at.time_s);
    }
    // With the accelerations that drivers have at another time.
    JointedBodies bodies(const JointState& at, const Eigen::VectorXd& acceleration, double of_drivers_s) const;
    // M, f and what belongs to the rows outside the tree, of the bodies.
    MechanismTerms terms(const JointedBodies& bodies, const Eigen::VectorXd& multipliers) const;
    // `terms`: of `bodies`, which are at `at` with accelerations of nothing but prescribed coordinates.
    JointRows joint_rows(const JointState& at, const JointedBodies& bodies, const MechanismTerms& terms) const;
    // The nearest state that meets the rows, in the metric of the masses: by one correction after the other, positions
    // first. Throws StepFailure: newton_stalled, singular_matrix.
    JointState on_rows(const JointState& from) const;
    // The same of the positions alone.
    JointState placed_on_rows(const JointState& from) const;
    // v' and the multipliers of the rows. Throws StepFailure (singular_matrix).
    AccelerationSolution accelerations(const JointState& at) const;
    // With all multipliers, and angles counted. `loads` on the bodies: those of contacts.
    MechanismMotion motion(const JointedBodies& bodies, const Eigen::VectorXd& multipliers) const;
    MechanismMotion motion(const JointedBodies& bodies, const Eigen::VectorXd& multipliers,
                           const Eigen::VectorXd& loads) const;
    // The force in each joint of the tree, N, world, without components along slides.
    std::vector<Eigen::Vector3d> forces_in_joints(const JointedBodies& bodies, const Eigen::VectorXd& multipliers,
                                                  const Eigen::VectorXd& loads) const;
    // The impulses of all rows in an impact, which changes the velocities of the bodies by `jump`.
    Eigen::VectorXd impulses(const JointedBodies& bodies, const Eigen::VectorXd& jump, const Eigen::VectorXd& of_rows,
                             const Eigen::VectorXd& loads) const;

    // `left`: the end of a step with the branches of functions before the jump. The model comes with the branch time of
    // `left` and is left with that of the functions. Throws StepFailure: newton_stalled, singular_matrix.
    JointJump jump_at(const JointState& left) const;
    // The work of drivers in the jump, moving included: z, impulses of the rows and `loads` on the bodies.
    double work_of(const JointJump& jump, const Eigen::VectorXd& z, const Eigen::VectorXd& impulses,
                   const Eigen::VectorXd& loads) const;
    // Without contacts: `left` is the motion at the end of the step; `is_inside`: the corner lies before that.
    struct Behind {
        JointState state;
        AccelerationSolution accelerations;
        MechanismMotion motion;
    };
    Behind behind_jump(const JointState& left, const MechanismMotion& motion, bool is_inside) const;

    // About the start, at rest: M u'' + D u' + K u + G^T mu = 0, G u = 0 of displacements u along the coordinates.
    LinearJoints linearized() const;

    // The rates v at R exp(u), which are velocities there, by u'.
    Eigen::MatrixXd tangent(const Eigen::VectorXd& u) const;
    // v x v' of the orientations, 0 of all else.
    Eigen::VectorXd bracket(const Eigen::VectorXd& v, const Eigen::VectorXd& acceleration) const;
    double largest_turn(const Eigen::VectorXd& u) const;  // of the orientations, rad
    // Slides as the joint's points give them, 1 for all else; those of prescribed coordinates follow.
    Eigen::VectorXd sizes(const JointState& at) const;
    Eigen::Index prescribed() const { return static_cast<Eigen::Index>(prescribed_.size()); }
    // The first (1) or second (2) derivatives of the prescribed coordinates in time.
    Eigen::VectorXd prescribed_motion(double time_s, int derivative) const;

  private:
    struct Prescribed {
        Eigen::Index freedom = 0;  // of the tree
        TimeFunction function;
        double sign = 1.0, value_at_start = 0.0;
    };
    struct Coupled {
        std::array<Eigen::Index, 2> freedom;  // of the tree
        std::array<double, 2> sign, value_at_start;
        double ratio, offset;
        bool is_active;
    };
    // An element of kind angle that grows with an angle of the tree, or falls with it.
    struct TreeAngle {
        std::size_t element, joint, angle;
        double sign;
    };

    // The linear equations of a step towards the equilibrium.
    struct Settling {
        Eigen::VectorXd u, force;
        bool is_positive;  // the matrix, along what the rows leave free
    };
    // A force and a moment about the joint's point on the body, world.
    struct Wrench {
        Eigen::Vector3d force = Eigen::Vector3d::Zero(), moment = Eigen::Vector3d::Zero();
    };

    Eigen::Vector3d direction(std::size_t joint, int freedom) const;
    Eigen::Vector3d direction_at(const MechanismState& state, std::size_t joint, int freedom) const;
    // Of `on_bodies` those beyond each joint, summed.
    std::vector<Wrench> carried(const MechanismState& state, const Eigen::VectorXd& on_bodies) const;
    // Takes the part along the joint's freedoms from a wrench; returns it, of orientations nought.
    Eigen::VectorXd take_free_part(const MechanismState& state, std::size_t joint, Wrench& wrench) const;
    double cosine(const ModelElement& element, std::size_t joint, int freedom, const MechanismState& assembled) const;
    void add_prescribed(const PrescribedFreedom& given, const MechanismState& assembled);
    void find_tree_angles(const MechanismState& assembled);
    void add_coupling(const TreeCoupling& given, const MechanismState& assembled);
    double coordinate(const JointState& at, Eigen::Index freedom) const;
    // Along every freedom of the tree.
    Eigen::VectorXd gradient_of(const Coupled& coupling) const;
    JointState nearest_on_rows(JointState at, const std::vector<Eigen::Index>& movable,
                               const std::vector<Eigen::Index>& movable_rates, Eigen::VectorXd& moved) const;
    void meet_couplings();
    double change_of_given_rates(const JointState& before) const;
    void settle();
    Eigen::VectorXd force_at(const JointState& at, const Eigen::VectorXd& multipliers) const;
    // The derivative of force_at with the coordinates.
    Eigen::MatrixXd stiffness_at(const JointState& at, const Eigen::VectorXd& multipliers) const;
    // Of increments: slides over the length scale, and angles; or of angles alone.
    double length_of(const Eigen::VectorXd& u, bool of_turns_alone) const;
    Settling settling(double square_time, const Eigen::VectorXd& multipliers) const;
    Eigen::VectorXd move_from_saddle(int step) const;
    // Fills in the multipliers: B^T lambda = `force` of the bodies, with those of the rows given.
    void complete(MechanismMotion& motion, const Eigen::VectorXd& of_rows, const Eigen::VectorXd& force) const;
    void add_couplings_to(MechanismMotion& motion, const Eigen::VectorXd& multipliers) const;
    // B^T lambda, on the bodies.
    Eigen::VectorXd force_of_couplings(const MechanismMotion& motion) const;
    std::size_t joint_of(Eigen::Index freedom) const;
    Eigen::VectorXd all(const Eigen::VectorXd& of_free, double time_s, int derivative) const;

    const MechanismModel& model_;
    MechanismModel beside_tree_;  // in which the rows that the tree meets are only looked at
    std::vector<TwinBody> bodies_;
    TreeTwin twin_;
    std::vector<Eigen::Index> first_;         // freedom of each joint
    std::vector<Eigen::Index> free_;          // freedoms of the tree that are coordinates here
    std::vector<Eigen::Index> orientations_;  // the first of three coordinates each
    Eigen::VectorXd slide_at_start_;          // of all freedoms, where the coordinate is zero there
    std::vector<Prescribed> prescribed_;
    std::vector<TreeAngle> tree_angles_;
    std::vector<Coupled> couplings_;
    Eigen::Index beside_rows_ = 0, rows_ = 0;
    JointState start_;
    StartChange start_change_;
    bool is_at_rest_ = false;  // while an equilibrium is looked for: prescribed coordinates do not move
};

}  // namespace myriad::reference
