#include "host/reference/run_reference.hpp"

#include <algorithm>
#include <numbers>

#include "host/reference/contact/contact_formula.hpp"
#include "host/reference/energy_momentum/convective_step.hpp"
#include "host/reference/energy_momentum/livens_formula.hpp"
#include "host/reference/implicit/implicit_formula.hpp"
#include "host/reference/systems/convective_rigid_body.hpp"
#include "host/reference/systems/free_rigid_body.hpp"
#include "host/reference/systems/heavy_top.hpp"
#include "host/reference/systems/mass_spring.hpp"
#include "host/reference/systems/spring_pendulum.hpp"
#include "host/text/user_error.hpp"

namespace myriad::reference {

namespace {

struct NamedSystem {
    std::string name;
    std::unique_ptr<System> (*make)(const Parameters&);
};

const std::vector<NamedSystem>& systems() {
    static const std::vector<NamedSystem> list{{"heavy_top", heavy_top},
                                               {"free_rigid_body", free_rigid_body},
                                               {"mass_spring", mass_spring},
                                               {"spring_pendulum", spring_pendulum}};
    return list;
}

std::unique_ptr<System> make_system(const std::string& name, const Parameters& parameters) {
    std::string list;
    for (const NamedSystem& system : systems()) {
        if (system.name == name) return system.make(parameters);
        list += (list.empty() ? "" : ", ") + system.name;
    }
    throw UserError(ExitCode::usage_or_input, "system " + name, "there is no reference for such a system",
                    "the systems are: " + list);
}

void require_setting(bool holds, const std::string& field, const std::string& what_is_wrong,
                     const std::string& remedy) {
    if (!holds) throw UserError(ExitCode::usage_or_input, "reference settings: " + field, what_is_wrong, remedy);
}

bool keeps_energy(const std::string& integrator) {
    return is_livens_method(integrator) || integrator == convective_method;
}

bool takes_fixed_steps(const std::string& integrator) {
    return is_implicit_method(integrator) || keeps_energy(integrator) || is_contact_method(integrator);
}

void check(const Settings& settings, const std::string& integrator) {
    require_setting(std::isfinite(settings.end_s) && settings.end_s > 0.0, "end_s", "is not a positive time",
                    "give seconds");
    require_setting(settings.observe_every_steps >= 0, "observe_every_steps", "is negative", "give 0 for none");
    require_setting(settings.spectral_radius >= 0.0 && settings.spectral_radius <= 1.0, "spectral_radius",
                    "is not between 0 and 1", "0.9 damps little");
    const std::vector<double>& times = settings.observation_times_s;
    require_setting(std::is_sorted(times.begin(), times.end(), std::less_equal<double>()), "observation_times_s",
                    "do not increase", "sort them, each once");
    require_setting(times.empty() || (times.front() >= 0.0 && times.back() <= settings.end_s), "observation_times_s",
                    "lie outside the span", "keep them between 0 and end_s");
    if (settings.step_s) {
        require_setting(std::isfinite(*settings.step_s) && *settings.step_s > 0.0, "step_s", "is not a positive time",
                        "give seconds");
        return;
    }
    require_setting(!takes_fixed_steps(integrator), "step_s", "is missing, and " + integrator + " has no step control",
                    "give step_s");
    const ButcherTable& table = butcher_table(integrator);
    const StepControl& control = settings.control;
    require_setting(table.embedded_order > 0, "step_s", "is missing, and " + table.name + " has no step control",
                    "give step_s, or choose ode23 or dopri5");
    require_setting(control.relative_tolerance >= 0.0 && control.absolute_tolerance > 0.0, "tolerances",
                    "are not relative_tolerance >= 0 and absolute_tolerance > 0", "give both");
    require_setting(control.largest_step_s > 0.0 && control.initial_step_s >= 0.0 && control.smallest_step_s > 0.0,
                    "steps", "are not positive", "give seconds");
}

// A system on its way by a method.
class Walk {
  public:
    virtual ~Walk() = default;
    virtual void run_to(double stop_s, const RungeKutta::Observer& observer) = 0;
    virtual Configuration configuration() const = 0;
    virtual Eigen::VectorXd velocity() const = 0;
    virtual double time_s() const = 0;
    virtual long steps_taken() const = 0;
    virtual long steps_rejected() const = 0;
    // Adds the observables that the method knows beside configuration and velocity.
    virtual void add_observables(Observables&) const {}
};

class ExplicitWalk final : public Walk {
  public:
    ExplicitWalk(const System& system, const std::string& integrator, const Settings& settings)
        : settings_(settings),
          formulation_(make_formulation(
              settings.chart, system, settings.largest_step_rotation_rad,
              butcher_table(integrator).order <= greatest_order_of_cut ? settings.dexp_inverse : DexpInverse::full)),
          runge_kutta_(butcher_table(integrator), *formulation_) {}

    void run_to(double stop_s, const RungeKutta::Observer& observer) override {
        if (settings_.step_s)
            runge_kutta_.run_fixed(*settings_.step_s, stop_s, observer);
        else
            runge_kutta_.run_controlled(settings_.control, stop_s, observer);
    }
    Configuration configuration() const override { return formulation_->configuration(); }
    Eigen::VectorXd velocity() const override { return formulation_->velocity(); }
    double time_s() const override { return runge_kutta_.time_s(); }
    long steps_taken() const override { return runge_kutta_.steps_taken(); }
    long steps_rejected() const override { return runge_kutta_.steps_rejected(); }

  private:
    const Settings& settings_;
    std::unique_ptr<Formulation> formulation_;
    RungeKutta runge_kutta_;
};

// Steps of a fixed length; a span that is no multiple of it ends with a shorter one.
class FixedWalk : public Walk {
  public:
    explicit FixedWalk(const Settings& settings) : step_s_(*settings.step_s) {}

    void run_to(double stop_s, const RungeKutta::Observer& observer) override {
        const double start = time_s_;
        const auto full_steps = static_cast<long>(std::floor((stop_s - start) / step_s_ + no_remainder));
        for (long n = 1; n <= full_steps; ++n) step(step_s_, start + static_cast<double>(n) * step_s_, observer);
        const double remainder = stop_s - (start + static_cast<double>(full_steps) * step_s_);
        if (remainder > no_remainder * step_s_) step(remainder, stop_s, observer);
        time_s_ = stop_s;
    }
    double time_s() const override { return time_s_; }
    long steps_taken() const override { return steps_taken_; }
    long steps_rejected() const override { return 0; }

  private:
    virtual void step(double h) = 0;
    void step(double h, double end_s, const RungeKutta::Observer& observer) {
        step(h);
        time_s_ = end_s;
        ++steps_taken_;
        observer(end_s);
    }

    double step_s_, time_s_ = 0.0;
    long steps_taken_ = 0;
};

class ImplicitWalk final : public FixedWalk {
  public:
    ImplicitWalk(const System& system, const std::string& integrator, const Settings& settings)
        : FixedWalk(settings),
          formula_(system, {integrator, settings.chart, settings.spectral_radius, settings.most_newton_iterations,
                            settings.largest_step_rotation_rad}) {}

    Configuration configuration() const override { return formula_.configuration(); }
    Eigen::VectorXd velocity() const override { return formula_.velocity(); }

  private:
    void step(double h) override { formula_.step(h); }

    ImplicitFormula formula_;
};

// The maps of energy-momentum methods follow a third of a turn in a step; where a parasitic mode is to be seen to its
// end, a full one.
void require_turn(const Configuration& configuration, const Eigen::VectorXd& velocity, double h, bool has_mode) {
    const double largest_rad = has_mode ? 2.0 * std::numbers::pi : 2.0 / 3.0 * std::numbers::pi;
    const bool turns = velocity.size() > configuration.position.size();
    if (turns && h * velocity.tail<3>().norm() > largest_rad)
        throw StepFailure{"step_rotation_too_large", "the body turns too far in a step"};
}

class LivensWalk final : public FixedWalk {
  public:
    LivensWalk(const std::string& system, const Parameters& parameters, const std::string& integrator,
               const Settings& settings)
        : FixedWalk(settings),
          formula_(livens_formula(system, parameters,
                                  settings.exact_inverse_mass ? InverseMass::exact : InverseMass::at_unit_length)),
          integrator_(*formula_, integrator, formula_->initial_coordinates(), formula_->initial_rate(),
                      Eigen::VectorXd::Zero(formula_->constraints()), settings.most_newton_iterations) {}

    Configuration configuration() const override { return formula_->configuration(integrator_.state().q); }
    Eigen::VectorXd velocity() const override {
        return formula_->velocity(integrator_.state().q, integrator_.state().v);
    }
    void add_observables(Observables& observables) const override {
        add_livens_observables(*formula_, integrator_.state(), integrator_.work(), observables);
    }

  private:
    void step(double h) override {
        require_turn(configuration(), velocity(), h, integrator_.keeps_rate());
        integrator_.step(integrator_.state().time_s + h);
    }

    std::unique_ptr<LivensFormula> formula_;
    LivensIntegrator integrator_;
};

class ConvectiveWalk final : public FixedWalk {
  public:
    ConvectiveWalk(const std::string& system, const Parameters& parameters, const Settings& settings)
        : FixedWalk(settings), body_(system, parameters, settings.most_newton_iterations) {}

    Configuration configuration() const override { return body_.configuration(); }
    Eigen::VectorXd velocity() const override { return body_.velocity(); }
    // Its momenta are those of its angular velocity, and a rotation matrix has no length to keep.
    void add_observables(Observables& observables) const override {
        observables["generalized_energy"] = observables.at("energy");
        observables["momentum_map"] = observables.at("angular_momentum");
        for (const char* residual : {"momentum_defect", "velocity_constraint_residual", "constraint_residual"})
            observables[residual] = Eigen::VectorXd::Zero(1);
    }

  private:
    void step(double h) override {
        require_turn(configuration(), velocity(), h, false);
        body_.step(h);
    }

    ConvectiveRigidBody body_;
};

// Observed by its own system, in coordinates.
class ContactWalk final : public FixedWalk {
  public:
    ContactWalk(const std::string& system, const Parameters& parameters, const std::string& integrator,
                const Settings& settings)
        : FixedWalk(settings),
          system_(make_nonsmooth_system(system, parameters)),
          integrator_(*system_, method_of(integrator, settings), *settings.step_s) {
        if (!settings.before_jump) return;
        const auto seen = [this] {
            Observables observables;
            add_observables(observables);
            return observables;
        };
        integrator_.before_jump = [=, this, &settings](bool) { settings.before_jump(integrator_.time_s(), seen()); };
        integrator_.behind_jump = [=, this, &settings] { settings.behind_jump(integrator_.time_s(), seen()); };
    }

    Configuration configuration() const override { return {integrator_.coordinates()}; }
    Eigen::VectorXd velocity() const override { return integrator_.rates(); }
    void add_observables(Observables& observables) const override {
        observables = system_->observe(integrator_.coordinates(), integrator_.rates());
        integrator_.add_contact_observables(observables);
    }

  private:
    static ContactMethod method_of(const std::string& integrator, const Settings& settings) {
        ContactMethod method = settings.contact;
        method.name = integrator, method.spectral_radius = settings.spectral_radius;
        return method;
    }
    void step(double h) override { integrator_.step(integrator_.time_s() + h); }

    std::unique_ptr<NonsmoothSystem> system_;
    ContactFormula integrator_;
};

std::unique_ptr<Walk> make_walk(const std::string& system_name, const Parameters& parameters, const System& system,
                                const std::string& integrator, const Settings& settings) {
    if (keeps_energy(integrator)) {
        const bool has_orientation = system.initial_velocity().size() > system.initial_configuration().position.size();
        require_setting(!has_orientation || settings.chart == "rotation", "chart",
                        "is not rotation, and " + integrator + " takes no other",
                        "its coordinates are the unit quaternion: choose rotation");
        if (integrator == convective_method) return std::make_unique<ConvectiveWalk>(system_name, parameters, settings);
        return std::make_unique<LivensWalk>(system_name, parameters, integrator, settings);
    }
    if (is_implicit_method(integrator)) return std::make_unique<ImplicitWalk>(system, integrator, settings);
    return std::make_unique<ExplicitWalk>(system, integrator, settings);
}

}  // namespace

std::vector<std::string> reference_systems() {
    std::vector<std::string> names;
    for (const NamedSystem& system : systems()) names.push_back(system.name);
    for (const std::string& name : nonsmooth_systems()) names.push_back(name);
    return names;
}

std::vector<std::string> reference_integrators() {
    std::vector<std::string> names;
    for (const ButcherTable& table : butcher_tables()) names.push_back(table.name);
    for (const std::string& name : implicit_methods()) names.push_back(name);
    for (const std::string& name : livens_methods()) names.push_back(name);
    names.emplace_back(convective_method);
    for (const std::string& name : contact_methods()) names.push_back(name);
    return names;
}

Result run_reference(const std::string& system_name, const std::string& integrator, const Parameters& parameters,
                     const Settings& settings) {
    check(settings, integrator);
    Result result;
    std::unique_ptr<System> system;
    std::unique_ptr<Walk> walk;
    try {
        if (is_contact_method(integrator)) {
            walk = std::make_unique<ContactWalk>(system_name, parameters, integrator, settings);
        } else {
            system = make_system(system_name, parameters);
            walk = make_walk(system_name, parameters, *system, integrator, settings);
        }
    } catch (const InvalidParameter& error) {
        result.status = "invalid_parameter", result.reason = error.what();
        return result;
    } catch (const StepFailure& failure) {
        result.status = failure.status, result.reason = failure.reason, result.in_impact = failure.in_impact;
        return result;
    }

    const auto observed = [&] {
        Observables observables;
        if (system) observables = system->observe(walk->configuration(), walk->velocity());
        walk->add_observables(observables);
        return observables;
    };
    const auto observe = [&](double time_s) {
        if (!result.trajectory.empty() && result.trajectory.back().time_s == time_s) return;
        result.trajectory.push_back({time_s, observed()});
    };
    const auto after_step = [&](double time_s) {
        if (settings.after_step) settings.after_step(time_s, observed());
        if (settings.observe_every_steps > 0 && walk->steps_taken() % settings.observe_every_steps == 0)
            observe(time_s);
        if (walk->steps_taken() >= settings.most_steps && time_s < settings.end_s)
            throw StepFailure{"step_limit", "the run took as many steps as it may"};
    };

    std::vector<double> stops = settings.observation_times_s;
    const bool end_is_observed = !stops.empty() && stops.back() == settings.end_s;
    if (!end_is_observed) stops.push_back(settings.end_s);
    if (settings.observe_every_steps > 0 || !settings.observation_times_s.empty()) observe(0.0);
    if (settings.after_step) settings.after_step(0.0, observed());
    result.status = "ok";
    try {
        for (std::size_t i = 0; i < stops.size(); ++i) {
            walk->run_to(stops[i], after_step);
            if (i + 1 < stops.size() || end_is_observed) observe(stops[i]);
        }
    } catch (const StepFailure& failure) {
        result.status = failure.status, result.reason = failure.reason, result.in_impact = failure.in_impact;
    }
    result.final_time_s = walk->time_s();
    result.final_configuration = walk->configuration();
    result.final_velocity = walk->velocity();
    result.final_observables = observed();
    result.steps_taken = walk->steps_taken();
    result.steps_rejected = walk->steps_rejected();
    return result;
}

}  // namespace myriad::reference
