// Timestepping with contact, friction and impact, whatever the coordinates of the system: dense, joints on position
// level.
//
//   stage      M a + B^T lambda - f(q, v, t) = W^T l,   phi(q, t) = 0,   l and u by the laws of contact, of those
//              closed when the step began; q = q_n o exp(x), x = x_0 + c_x a, v = v_0 + c_v a
//              u = W (v + c_v z), S (z, z') = (0, -(B v + phi_t) / c_v), S = [M - c_v df/dv + c_x d(B^T lambda - f)/dq,
//              B^T; B, 0]: velocities that the joints admit, from which those on position level are of order h^2 away
//   members    nonsmooth_generalized_alpha: one stage, nonsmooth eqs. 20 to 26; nonsmooth_bathe: two, one after the
//              other, eqs. 56 to 61
//   friction   a set-valued one of a coordinate: a row of W, l with -l in T Sgn(u) at every time, h T of an impulse
//              over h, 0 in an impact. One that the joints hold takes -T sgn(u), 0 at rest. T may grow with the force
//              in the joint: that of the state in which a step begins; at the start that without friction first
//   impact     where a contact newly closed, of all that are closed then, with impulses L and those of the joints Z:
//              M (v+ - v) + B^T Z = W^T L,   B v+ = -phi_t,   L and u+ + e u by the laws, u of the velocities nearest
//              to v that the joints admit                                                     nonsmooth eqs. 46 to 54
//   start      an impact where a closed contact does not admit the velocity, again until none approaches, the last
//              without restitution; accelerations and forces with which u + moment u' obeys the laws, the moment being
//              so short that it only tells a slip of now from one that begins. Forces that grow as it shrinks are
//              impulses: they change the velocities as an impact with all forces over that moment does, and
//              accelerations follow. Forces that end a slip within a step by more than a thousand times the
//              accelerations without contact are impulses over the step
//   drivers    if their rates jump by dv_p they are put where their functions are. Then M (v+ - v) + B^T Z = W^T L of
//              the other coordinates, with M_fp dv_p, as in an impact of all closed contacts; u is before the jump
//   moreau_midpoint   q_M = q o exp(h/2 v),  M (v+ - v) + B^T Z = h f(q_M, v, t + h/2) + W^T L,  B v+ = -phi_t there,
//              u+ + e u by the laws for the contacts closed at q_M,  q+ = q o exp(h/2 (v + v+)), put back on the joints
//   half_explicit   M (v* - v) + B^T Z = h f(q, v, t) + W^T L,  B(q*) v* = -phi_t,  W(q*) v* by the laws,
//              q* = q o exp(h v);  q+ = q o exp(h/2 (v + v*)), put back on the joints;  M* (v+ - (v + v*)/2) + B*^T Z*
//              = h/2 f(q*, v*, t + h) + W*^T L*,  B(q+) v+ = -phi_t,  W(q+) v+ by the laws
//
//   nonsmooth_ed_alpha   nonsmooth eqs. 77 to 84, both stages with B v = -phi_t and the laws; q+ put back on the joints
//
//   strikes    within a step, if the method asks for it, of the contacts that were open at its begin:
//   contact_strikes.cpp
//
//   work       trapezoidal. Drivers: -Z . B v by their impulses Z, with the mean of the velocities before and after, in
//              impacts and in Moreau's rule; in other steps h times the power at the end, if the forces before are
//              older than an impact or a jump
//
// The coordinates are those of a class of their own each: contact_joints.hpp, contact_formula.hpp.
// Newton's method goes on to round-off, with S, which leaves out how W turns. Not handled: variable steps.
#pragma once
#include <Eigen/Core>
#include <array>
#include <functional>
#include <numbers>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/reference/contact/nonsmooth_contact.hpp"

namespace myriad::reference {

std::vector<std::string> contact_methods();
bool is_contact_method(const std::string& name);

struct ContactMethod {
    std::string name = "nonsmooth_generalized_alpha";  // one of contact_methods()
    double spectral_radius = 0.8;
    bool has_free_alphas = false;  // alpha_m and alpha_f as given, not by the spectral radius
    double alpha_m = 0.0, alpha_f = 0.0;
    double ed_alpha_ratio = 1.0 / 6.0;
    double gap_tolerance_m = 1e-9;  // gaps up to this are closed
    bool project_penetration = false;
    bool strikes_within_step = false;   // not of a formula
    double impact_threshold_N_s = 0.0;  // an impact counts where its largest normal impulse is above
    int most_newton_iterations = 50;
    double largest_step_rotation_rad = std::numbers::pi;  // of a body in a stage
};

// All contacts at the end of a step. Rows: normal, tangents, contact by contact; then those of set-valued frictions.
struct ContactSample {
    Eigen::VectorXd gap, velocity;   // m, m/s
    Eigen::VectorXd force, impulse;  // apart from impacts, N; of the impacts in the step, N s
    Eigen::VectorXd joint_impulse;   // Z of these impacts, of the active constraint rows
    bool struck = false;             // an impact in the step, or a jump of a driver's rate
};

// Records of the run so far.
struct ContactRecord {
    double impacts = 0.0;           // above the threshold, one at the start too
    double first_contact_s = -1.0;  // -1: none
    // Between impacts: the trapezoidal rule over the steps; of contacts and of set-valued frictions.
    double friction_loss_j = 0.0;
    double impact_loss_j = 0.0;                               // what contacts take from energy and drivers
    double largest_impulse_N_s = 0.0, largest_force_N = 0.0;  // normal
    double penetration_m = 0.0;                               // after a step
    // Passes of round surfaces that no pose saw while they closed; 1 over the shortest time from a touch to the closest
    // approach; which contacts. The same of contacts that sank beyond a tenth of their size.
    double jumped = 0.0, jumped_rate_1_s = 0.0, sunk_m = 0.0;
    std::set<int> jumped_contacts, sunk_contacts;
    double crowded = 0.0;  // steps with more strikes than are placed
    // Of contacts, the integral of |l_T . u_T|, trapezoidal, and in impacts |L_T . (u_T + u_T+)| / 2.
    double wear_work_j = 0.0;
    double violation = 0.0;  // of the laws, worst
    double problems = 0.0, sweeps = 0.0, most_sweeps = 0.0;
};

class ContactIntegrator {
  public:
    virtual ~ContactIntegrator() = default;

    // Called within a step, with the state just before rates jump and, where that is not the end of the step, with the
    // one just behind: an impact, or drivers. `is_straight`: the motion to there is not that of the end of the step.
    std::function<void(bool is_straight)> before_jump;
    std::function<void()> behind_jump;

    // To `end_s`. Throws StepFailure: newton_stalled, prox_stalled, singular_matrix, not_finite,
    // step_rotation_too_large.
    void step(double end_s);

    virtual double time_s() const = 0;
    const ContactSample& contacts() const { return contacts_; }
    const ContactRecord& record() const { return record_; }
    // Work of loads, drivers and dampers since the start, J.
    double work() const { return work_j_; }
    int iterations() const { return iterations_; }  // linear solves of the last step

  protected:
    using Index = Eigen::Index;
    using MatrixXd = Eigen::MatrixXd;
    using VectorXd = Eigen::VectorXd;
    using Closed = std::vector<bool>;

    struct Sizes {
        int contacts, rows_per_contact, frictions;  // frictions: set-valued ones
        Index joint_rows;
    };
    // Throws UserError for an unknown name. The constructor of a class calls begin(), once its state is that of the
    // start; it throws StepFailure: prox_stalled, not_finite.
    ContactIntegrator(const ContactMethod& method, const Sizes& sizes);
    void begin(double step_s);

    // The state of now, in coordinates in which contacts are seen.
    virtual VectorXd gaps() const = 0;
    virtual MatrixXd directions() const = 0;  // W
    virtual VectorXd velocity() const = 0;
    virtual VectorXd contact_acceleration() const = 0;  // W a + dW/dt v
    virtual ContactLaw law(int contact) const = 0;
    // Columns: what is apart in each contact (contact_mechanism.hpp).
    virtual Eigen::Matrix3Xd ways_apart() const { return Eigen::Matrix3Xd::Zero(3, sizes_.contacts); }
    // Absent where they do not pass on the way.
    virtual std::optional<ContactPass> pass_by(int /*contact*/, const Eigen::Vector3d& /*from*/,
                                               const Eigen::Vector3d& /*to*/) const {
        return std::nullopt;
    }
    virtual std::optional<double> size_m(int /*contact*/) const { return std::nullopt; }
    struct WorkRate {
        double others = 0.0, drivers = 0.0;
    };
    virtual WorkRate work_rate() const { return {}; }
    // Whether an impact or a jump of drivers came after the forces of now were found.
    virtual bool forces_are_old() const { return (contacts_.impulse.array() != 0.0).any(); }
    virtual bool drivers_may_jump() const { return false; }

    // v = fixed_velocity + by_velocity a, x = fixed_increment + by_increment a.
    struct Stage {
        double time_s;
        VectorXd fixed_velocity, fixed_increment;
        double by_velocity, by_increment;
    };
    struct Solved {
        VectorXd acceleration, multipliers, force, velocity, increment;
    };
    // From accelerations, multipliers and forces as guesses.
    Solved solve(const Stage& stage, const Solved& guess, const Closed& closed);

    // M x + B^T z = top + W^T l,   B x = bottom,   l and W x + added(W x without l) by the laws; B and W of `held` in
    // the last two; set-valued frictions have impulses over a time, or none over 0.
    using Added = std::function<VectorXd(const VectorXd&)>;
    struct Directions {
        MatrixXd joints, contacts;  // B, W
    };
    struct Pushed {
        VectorXd x, multipliers, impulse;
    };
    Pushed push(const MatrixXd& mass, const Directions& acting, const Directions& held, const VectorXd& top,
                const VectorXd& bottom, const Added& added, const Closed& closed, const VectorXd& guess,
                double friction_over_s);

    // M a + B^T lambda = f + W^T l at the increment and the velocity of a stage.
    struct StageTerms {
        MatrixXd mass, damping, stiffness;     // M, -df/dv, d(M a + B^T lambda - f)/dq
        Directions at;                         // B, W
        VectorXd residual;                     // f - M a - B^T lambda
        VectorXd constraint, constraint_rate;  // phi, B v + phi_t
        VectorXd contact_velocity;
        MatrixXd seen;  // the changes that a correction is measured by, by those of the coordinates
    };
    virtual StageTerms stage_terms(const Solved& stage, double time_s) const = 0;
    virtual double size_of(const VectorXd& seen_change) const = 0;  // 1 is as far as is far
    // The pose at the end of a step that is solved; back on the joints, where the step holds their velocities.
    virtual void end_at(const Solved&, double /*time_s*/) {}
    virtual void put_back() {}
    virtual void require_small_turns(const VectorXd& /*increment*/) const {}
    // Of the coordinates and rows.
    virtual VectorXd rates() const = 0;
    virtual VectorXd accelerations() const = 0;
    virtual VectorXd multipliers() const = 0;
    // The end of a step, with the forces of contacts.
    virtual void take(const Solved& end) = 0;
    virtual void departs(double /*h*/) {}
    virtual void arrives() {}    // before the impact that a step may end with
    virtual void is_struck() {}  // just before that impact
    virtual void ends() {}
    // Of a step by Moreau's rule: the pose of the middle takes the place of the end, with the velocities of the begin
    // or of the end; and back.
    virtual void exchange_for_middle(bool /*is_behind*/) {}
    // A strike's way leads from the state at which departs_on_way() was called to that of arrives_on_way(), in
    // polynomials of a share of it. stop_on_way() takes the state of now there; go_on() takes it to a time by its
    // accelerations.
    virtual void departs_on_way() {}
    virtual void arrives_on_way() {}
    virtual VectorXd gaps_on_way(double /*share*/) const { return contacts_.gap; }
    // As velocity(): at the begin of the way, with the rates of its end.
    virtual VectorXd velocity_of_way_end() const { return velocity(); }
    virtual void stop_on_way(double /*share*/) {}
    virtual void go_on(double /*end_s*/) {}
    // Contacts that take part in a step by Moreau's rule, of all that are closed in its middle.
    Closed closed_in_middle(const VectorXd& gaps) const;
    // For who calls before_jump: drivers were moved, and did this work.
    void stand_before_jump(double work_of_moving_j, bool is_straight);

    Closed closed(const VectorXd& gaps) const;
    bool is_unilateral(int contact) const;
    VectorXd restitution(const VectorXd& velocity) const;
    // Set-valued frictions: the factor of their bounds, and which of them the joints hold.
    struct DryFriction {
        double over_s;
        std::vector<bool> held;
    };
    virtual std::vector<bool> held_frictions(const Directions&) const { return {}; }
    // Of the state of now. Returns whether the largest dry forces follow reactions.
    virtual bool renew_dry_forces() { return false; }
    // `closed` and `friction` may list those of more than one stage, one stage after the other.
    virtual VectorXd contact_impulses(const MatrixXd& delassus, const VectorXd& free, const Closed& closed,
                                      const VectorXd& guess, const DryFriction& friction) = 0;
    VectorXd of_contacts(const VectorXd& rows) const;  // without those of frictions

    // Changes the velocities of now, by impulses and by forces over a time.
    struct Struck {
        VectorXd impulse, joint_impulse, before, after;  // before, after: velocities of the contacts
        double loss_j, work_j;                           // of contacts; of drivers
    };
    virtual Struck strike(const Closed& closed, double over_s) = 0;
    // A jump of drivers' rates at the end of a step, with the impulses of all closed contacts.
    struct CrossedJump {
        Struck struck;
        bool begins_anew;  // accelerations are those behind the jump: nothing is closed
    };
    virtual std::optional<CrossedJump> cross_jump() { return std::nullopt; }
    virtual void first_acceleration(const Closed& closed, double moment) = 0;
    virtual Solved half_explicit(double h, double end_s, const Closed& closed) = 0;
    // Moves by Moreau's rule; velocities of the contacts as at its middle.
    struct Passed {
        Closed closed;
        VectorXd gaps, before, mean, impulse, joint_impulse;
        Eigen::Matrix3Xd apart;
        double driver_work_j;
    };
    virtual Passed pass(double end_s) = 0;

    // A share of the step: it only tells a slip of now from one that begins.
    static constexpr double first_moment = 0x1p-20;
    ContactMethod method_;
    const Sizes sizes_;
    ContactSample contacts_;
    ContactRecord record_;

  private:
    // Power, W, or work, J, of impulses. `lost`: the loss; `worn`: the sum of the sizes over the contacts.
    struct FrictionWork {
        double lost = 0.0, worn = 0.0;
    };
    FrictionWork friction_work(const VectorXd& rows, const VectorXd& u) const;
    double largest_impulse(const VectorXd& rows) const;  // normal, of unilateral contacts
    bool is_admissible(const Closed& closed) const;
    double slowest(const Closed& closed) const;  // the least normal velocity
    bool slides(const Closed& closed) const;
    bool forces_are_impulses(const Closed& closed, double moment);
    // Whether forces end a slip within the step by accelerations far beyond those without contact.
    bool gives_way(const Closed& closed, const VectorXd& without_contact, double step_s) const;
    void look_for_jumps(const Eigen::Matrix3Xd& from, const Eigen::Matrix3Xd& to, const Closed& seen, double over_s);
    void look_for_depth();
    void impact(const Closed& closed, double over_s = 0.0);
    void count_impact(double impulse_N_s);
    void show_middle(ContactSample contacts, ContactRecord record, double driver_work_j);
    VectorXd forces_at_prescribed(const Solved& end, double time_s);

    // Steps of members that keep impacts apart, by name.
    using Scheme = Solved (ContactIntegrator::*)(double h, double end_s, const Closed& closed);
    static const std::vector<std::pair<std::string, Scheme>>& schemes();
    Solved generalized_alpha(double h, double end_s, const Closed& closed);
    Solved bathe(double h, double end_s, const Closed& closed);
    Solved ed_alpha(double h, double end_s, const Closed& closed);
    // Two stages together: v_s = v_s^0 + h sum_t A_st a_t, x_s = x_s^0 + h^2 sum_t (A^2)_st a_t.
    struct StagePair {
        double h;
        Eigen::Matrix2d coefficient;  // A
        std::array<double, 2> time_s, weight;
        std::array<VectorXd, 2> fixed_velocity, fixed_increment;
    };
    // Returns the end, from guesses for both.
    Solved solve(const StagePair& stages, const Solved& guess, const Closed& closed);
    // Whether the step has an impact.
    bool moreau(double end_s, double& driver_work_j);
    struct WayBegin {
        Closed closed;
        VectorXd velocity;    // as velocity()
        MatrixXd directions;  // W
        Eigen::Matrix3Xd apart;
    };
    struct Touch {
        double share;
        Closed struck;
    };
    WayBegin depart();
    // On the way to the state of now.
    std::optional<Touch> first_touch(const WayBegin& begin, double length_s);
    void meet_strikes(Touch touch, double h, double end_s);
    // Keeps the share of what a step by Moreau's rule has added.
    void keep_share(const ContactRecord& before, double share);
    FrictionWork friction_power() const { return friction_work(contacts_.force, directions() * velocity()); }
    friend std::vector<std::string> contact_methods();

    Scheme scheme_;         // null: Moreau's rule
    bool rebounds_ = true;  // false: restitutions are 0
    Closed at_begin_;       // of the step
    Closed rebounded_;      // in a step with strikes
    VectorXd algorithmic_;
    double friction_power_w_ = 0.0, wear_power_w_ = 0.0, work_j_ = 0.0;
    WorkRate work_rate_w_;
    int iterations_ = 0;
};

}  // namespace myriad::reference
