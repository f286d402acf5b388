#include "host/reference/run_reference_mechanism.hpp"

#include <cmath>
#include <optional>

#include "host/reference/contact/contact_joints.hpp"
#include "host/reference/contact/contact_mechanism.hpp"
#include "host/reference/contact/contact_start.hpp"
#include "host/reference/energy_momentum/convective_mechanism.hpp"
#include "host/reference/energy_momentum/convective_step.hpp"
#include "host/reference/energy_momentum/livens_mechanism.hpp"
#include "host/reference/explicit/explicit_mechanism.hpp"
#include "host/reference/formulation/orientation_chart.hpp"
#include "host/reference/joint/driven_joints.hpp"
#include "host/reference/joint/explicit_joints.hpp"
#include "host/reference/joint/implicit_joints.hpp"
#include "host/reference/joint/joint_equations.hpp"
#include "host/reference/mathematics/rotation.hpp"
#include "host/reference/mechanism_recorder.hpp"
#include "host/text/user_error.hpp"

namespace myriad::reference {

namespace {

void require(bool condition, const char* where, const char* what_is_wrong, const char* remedy) {
    if (!condition) throw UserError(ExitCode::usage_or_input, where, what_is_wrong, remedy);
}

bool is_implicit(const MechanismSettings& settings) { return is_implicit_method(settings.integrator); }

bool keeps_energy_of_mechanisms(const std::string& integrator) {
    return integrator == "energy_momentum" || integrator == "livens_midpoint" || integrator == convective_method;
}

void check(const MechanismModel& model, const MechanismSettings& settings) {
    require(std::isfinite(settings.end_s) && settings.end_s > 0.0, "end_s", "is not a positive time", "give seconds");
    require(std::isfinite(settings.step_s) && settings.step_s >= 0.0, "step_s", "is not a time", "give seconds");
    require(settings.spectral_radius >= 0.0 && settings.spectral_radius <= 1.0, "spectral_radius",
            "is not between 0 and 1", "0.9 damps little");
    const bool has_contact_method = is_contact_method(settings.integrator);
    require(!has_contact_method || (settings.joint_coordinates && settings.chart == "rotation"), "integrator",
            "is a method with contact, and the coordinates are not those of joints on the chart rotation",
            "choose joint coordinates and the chart rotation");
    if (settings.joint_coordinates) {
        require(!model.tree.bodies.empty(), "joint_coordinates", "is set, and the mechanism has no tree of joints",
                "give the tree, or choose body coordinates");
        require(settings.chart == "rotation" && !keeps_energy_of_mechanisms(settings.integrator), "joint_coordinates",
                "is set, and another chart than rotation or an energy-momentum integrator", "choose body coordinates");
    }
    require(model.contacts.empty() || has_contact_method, "integrator",
            "does not know contact, and the mechanism has contacts", "choose nonsmooth_generalized_alpha");
    require(set_valued_frictions(model) == 0 || has_contact_method, "integrator",
            "does not know dry friction with a set of forces at rest, and the mechanism has it",
            "choose nonsmooth_generalized_alpha");
    if (keeps_energy_of_mechanisms(settings.integrator)) {
        require(settings.chart == "rotation", "chart", "is not rotation, and energy-momentum integrators take no other",
                "their coordinates are the unit quaternion: choose rotation");
    }
    if (is_implicit(settings) || settings.integrator == "kinematics" ||
        keeps_energy_of_mechanisms(settings.integrator) || has_contact_method) {
        require(settings.step_s > 0.0, "step_s", "is missing, and the method has no step control", "give seconds");
        return;
    }
    const ButcherTable& table = butcher_table(settings.integrator);
    require(settings.step_s > 0.0 || table.embedded_order > 0, "step_s",
            "is missing, and the method has no step control", "give step_s, or choose ode23 or dopri5");
    require(settings.joint_coordinates || constraint_rows(model) == 0, "integrator",
            "is explicit, and the mechanism has constraints",
            "choose joint coordinates, implicit_euler or generalized_alpha");
}

// The charts that a kinematic run has its orientations on. It needs none of them, but its results are to exist there.
class ChartsOfBodies {
  public:
    ChartsOfBodies(const std::string& chart, const MechanismState& start) {
        for (const BodyState& body : start.bodies) charts_.push_back(make_orientation_chart(chart, body.orientation));
    }
    void require_regular(const MechanismState& state) const {
        for (std::size_t b = 0; b < charts_.size(); ++b) charts_[b]->require_regular(state.bodies[b].orientation);
    }

  private:
    std::vector<std::unique_ptr<OrientationChart>> charts_;
};

// `step_to` the end of each step of the span. If that is no multiple of the step, all steps are equally shorter where
// there are constraints, whose multipliers would show a change of the step, and else the last one alone. Joints of the
// tree are none in joint coordinates.
void run_fixed(const MechanismModel& model, const MechanismSettings& settings,
               const std::function<void(double end_s)>& step_to) {
    const auto full_steps = static_cast<long>(settings.end_s / settings.step_s + no_remainder);
    const double full_steps_s = static_cast<double>(full_steps) * settings.step_s;
    const bool is_multiple = settings.end_s - full_steps_s <= no_remainder * settings.step_s;
    const int rows = settings.joint_coordinates ? constraint_rows_beside_tree(model) : constraint_rows(model);
    const bool has_equal_steps = rows > 0 && settings.integrator != "kinematics";
    if (!is_multiple && has_equal_steps) {
        const long steps = full_steps + 1;
        for (long n = 1; n <= steps; ++n) step_to(static_cast<double>(n) / static_cast<double>(steps) * settings.end_s);
        return;
    }
    for (long n = 1; n <= full_steps; ++n) step_to(static_cast<double>(n) * settings.step_s);
    if (!is_multiple) step_to(settings.end_s);
}

AssembledStart coupled_start(const AssembledStart& start, const MechanismMotion& motion, const StartChange& change) {
    return {motion, std::hypot(start.correction, change.moved), std::hypot(start.velocity_correction, change.faster)};
}

// `equation`: ExplicitMechanism or ExplicitJoints at the start.
template <class Equation>
void run_explicit(Equation equation, const MechanismSettings& settings, const AssembledStart& start,
                  MechanismRecorder& recorder, MechanismResult& result) {
    recorder.start({equation.motion(), start.correction, start.velocity_correction});
    RungeKutta runge_kutta(butcher_table(settings.integrator), equation);
    const auto observer = [&](double) {
        if constexpr (requires { equation.motions_within(0.0); })
            if (settings.step_s == 0.0 && settings.within_step)
                recorder.within(
                    equation.motions_within(settings.control.absolute_tolerance + settings.control.relative_tolerance));
        recorder.step(equation.motion(), 0);
    };
    try {
        if (settings.step_s > 0.0) {
            runge_kutta.run_fixed(settings.step_s, settings.end_s, observer);
        } else {
            for (const double stop_s : settings.stops_s) runge_kutta.run_controlled(settings.control, stop_s, observer);
            runge_kutta.run_controlled(settings.control, settings.end_s, observer);
        }
    } catch (const StepFailure&) {
        result.steps_rejected = runge_kutta.steps_rejected();
        throw;
    }
    result.steps_rejected = runge_kutta.steps_rejected();
}

ImplicitMethod implicit_method(const MechanismSettings& settings) {
    return {settings.integrator,
            settings.chart,
            settings.spectral_radius,
            settings.most_newton_iterations,
            settings.largest_step_rotation_rad,
            settings.published_start};
}

void run_joints(const MechanismModel& model, const MechanismSettings& settings, const AssembledStart& start,
                MechanismRecorder& recorder, MechanismResult& result) {
    const MechanismState& assembled = start.motion.state;
    if (is_implicit(settings)) {
        ImplicitJoints integrator(model, implicit_method(settings), assembled);
        result.rests_unstably = integrator.start_change().rests_unstably;
        recorder.start(coupled_start(start, integrator.motion(), integrator.start_change()));
        run_fixed(model, settings, [&](double end_s) {
            integrator.step(end_s);
            recorder.step(integrator.motion(), integrator.iterations());
        });
    } else if (settings.integrator == "kinematics") {
        DrivenJoints driven(model, assembled);
        result.rests_unstably = driven.start_change().rests_unstably;
        recorder.start(coupled_start(start, driven.motion(), driven.start_change()));
        run_fixed(model, settings, [&](double end_s) {
            driven.step(end_s, settings.most_newton_iterations);
            recorder.step(driven.motion(), driven.iterations());
        });
    } else {
        const ExplicitJoints joints(model, assembled, settings.largest_step_rotation_rad);
        result.rests_unstably = joints.start_change().rests_unstably;
        run_explicit(joints, settings, coupled_start(start, joints.motion(), joints.start_change()), recorder, result);
    }
}

// The cosine of half the largest turn of a body in a step of an energy-momentum integrator: beyond a third of a turn
// the step has nothing to do with the motion.
constexpr double least_step_cosine = 0.5;

void require_small_turn(double cosine_of_half) {
    if (!(cosine_of_half >= least_step_cosine))
        throw StepFailure{"step_rotation_too_large", "a body turns too far in a step"};
}

void run_livens(const MechanismModel& model, const MechanismSettings& settings, const AssembledStart& start,
                MechanismRecorder& recorder) {
    LivensMechanism system(model);
    const MechanismState& first = start.motion.state;
    LivensIntegrator integrator(system, settings.integrator, system.coordinates_of(first), system.rates_of(first),
                                system.multipliers_of(start.motion.multipliers), settings.most_newton_iterations);
    recorder.start(start);
    MechanismMotion motion = start.motion;
    run_fixed(model, settings, [&](double end_s) {
        const double h = end_s - motion.state.time_s;
        const Eigen::VectorXd velocity = velocity_vector(motion.state);
        const Eigen::VectorXd q = integrator.state().q;
        system.count_from(motion.state);
        integrator.step(end_s);
        const LivensState& state = integrator.state();
        for (Eigen::Index x = 3; x < q.size(); x += 7) require_small_turn(q.segment<4>(x).dot(state.q.segment<4>(x)));
        motion.state = system.state_of(state);
        motion.acceleration = (velocity_vector(motion.state) - velocity) / h;
        motion.multipliers = system.rows_of(state);
        const MomentumRecord record{integrator.work(), system.excess_energy(state), system.momentum_defect(state),
                                    system.quaternion_rate_residual(state), system.angular_momentum(state)};
        recorder.step(motion, integrator.iterations(), &record);
    });
}

void run_convective(const MechanismModel& model, const MechanismSettings& settings, const AssembledStart& start,
                    MechanismRecorder& recorder) {
    ConvectiveMechanism mechanism(model, start.motion, settings.most_newton_iterations);
    recorder.start(start);
    run_fixed(model, settings, [&](double end_s) {
        const std::vector<BodyState> before = mechanism.motion().state.bodies;
        mechanism.step(end_s);
        for (std::size_t b = 0; b < before.size(); ++b)
            require_small_turn(
                quaternion_of(before[b].orientation.transpose() * mechanism.motion().state.bodies[b].orientation)[0]);
        MomentumRecord record;
        record.work_j = mechanism.work();
        recorder.step(mechanism.motion(), mechanism.iterations(), &record);
    });
}

void run_with_contacts(const MechanismModel& model, const MechanismSettings& settings, const AssembledStart& start,
                       MechanismRecorder& recorder, MechanismResult& result) {
    ContactMethod method = settings.contact;
    method.name = settings.integrator, method.spectral_radius = settings.spectral_radius;
    method.most_newton_iterations = settings.most_newton_iterations;
    method.largest_step_rotation_rad = settings.largest_step_rotation_rad;
    AssembledStart apart = start;
    result.start_penetrates = penetrates(model, start.motion.state, method.gap_tolerance_m);
    if (result.start_penetrates && method.project_penetration)
        if (const std::optional<AssembledStart> moved = moved_out_of_contact(model, start)) {
            apart = *moved;
            result.start_penetrates = penetrates(model, apart.motion.state, method.gap_tolerance_m);
        }
    if (result.start_penetrates) throw StepFailure{"assembly_failed", "bodies overlap at the start"};
    ContactJoints integrator(model, method, apart.motion, settings.step_s);
    recorder.start(coupled_start(apart, apart.motion, integrator.start_change()), &integrator);
    if (settings.before_jump) {
        integrator.before_jump = [&](bool is_straight) { recorder.at_impact(integrator, false, is_straight); };
        integrator.behind_jump = [&] { recorder.at_impact(integrator, true, false); };
    }
    run_fixed(model, settings, [&](double end_s) {
        integrator.step(end_s);
        recorder.step(integrator.motion(), integrator.iterations(), nullptr, &integrator);
    });
}

}  // namespace

MechanismResult run_reference_mechanism(const MechanismModel& model, const MechanismSettings& settings) {
    check(model, settings);
    MechanismResult result;
    MechanismRecorder recorder(model, settings, result);
    result.status = "ok";
    try {
        const AssembledStart start = assembled_start(model);
        if (is_contact_method(settings.integrator)) {
            run_with_contacts(model, settings, start, recorder, result);
        } else if (settings.joint_coordinates) {
            run_joints(model, settings, start, recorder, result);
        } else if (is_implicit(settings)) {
            ImplicitIntegrator integrator(model, implicit_method(settings), start.motion);
            recorder.start(start);
            run_fixed(model, settings, [&](double end_s) {
                integrator.step(end_s);
                recorder.step(integrator.motion(), integrator.iterations());
            });
        } else if (settings.integrator == convective_method) {
            run_convective(model, settings, start, recorder);
        } else if (keeps_energy_of_mechanisms(settings.integrator)) {
            run_livens(model, settings, start, recorder);
        } else if (settings.integrator == "kinematics") {
            MechanismMotion motion = start.motion;
            const ChartsOfBodies charts(settings.chart, motion.state);
            charts.require_regular(motion.state);
            recorder.start(start);
            run_fixed(model, settings, [&](double end_s) {
                int iterations = 0;
                motion = driven_motion(model, motion, end_s, settings.most_newton_iterations, iterations);
                charts.require_regular(motion.state);
                recorder.step(motion, iterations);
            });
        } else {
            run_explicit(ExplicitMechanism(model, settings.chart, start.motion, settings.largest_step_rotation_rad),
                         settings, start, recorder, result);
        }
    } catch (const StepFailure& failure) {
        recorder.end_with(failure);
    }
    return result;
}

}  // namespace myriad::reference
