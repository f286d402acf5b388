// Makes a system with contacts of a model that is written down as energies and places, by automatic differentiation:
// see nonsmooth_system.hpp for the formulas.
//
//   with damping: h = ... - dR/dv, R = half_dissipation(v)
//
// `Model`: n, contact_count, tangent_count, bodies; q, v (the start); kinetic(q, v), potential(q), gap(k, q),
// place(k, d, q), middle(body, q), angle(body, q) about z as templates over the scalar; law(k); the names of the
// channels that are q and v; add_channels(observables, q, v) where it has others. Not handled: models whose size is
// known at run time only.
#pragma once
#include <array>
#include <cmath>
#include <utility>

#include "host/reference/contact/nonsmooth_system.hpp"
#include "host/reference/mathematics/forward_derivative.hpp"

namespace myriad::reference {

template <class Scalar, int n>
using Point = std::array<Scalar, static_cast<std::size_t>(n)>;

template <class Model>
class EnergySystem : public NonsmoothSystem {
  public:
    using Index = Eigen::Index;
    using MatrixXd = Eigen::MatrixXd;
    using VectorXd = Eigen::VectorXd;

    explicit EnergySystem(Model model) : model_(std::move(model)) {}

    int contacts() const override { return Model::contact_count; }
    int tangents() const override { return Model::tangent_count; }
    VectorXd initial_coordinates() const override { return vector(model_.q); }
    VectorXd initial_rates() const override { return vector(model_.v); }

    MatrixXd mass(const VectorXd& q) const override {
        using Twice = Differentiated<Differentiated<double, n>, n>;
        Point<Twice, n> place, rate;
        for (int i = 0; i < n; ++i) {
            place[at(i)].value.value = q[i];
            rate[at(i)].value.derivative[at(i)] = 1.0, rate[at(i)].derivative[at(i)].value = 1.0;
        }
        const Twice t = model_.kinetic(place, rate);
        MatrixXd m(n, n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) m(i, j) = t.derivative[at(i)].derivative[at(j)];
        return m;
    }
    VectorXd force(const VectorXd& q, const VectorXd& v) const override {
        // The gradient by q and v, and its derivative along q + t v.
        using Moving = Differentiated<Differentiated<double, 1>, 2 * n>;
        Point<Moving, n> place, rate;
        for (int i = 0; i < n; ++i) {
            place[at(i)].value.value = q[i], place[at(i)].value.derivative[0] = v[i];
            rate[at(i)].value.value = v[i];
            place[at(i)].derivative[at(i)].value = 1.0, rate[at(i)].derivative[at(n + i)].value = 1.0;
        }
        const Moving t = model_.kinetic(place, rate);
        const Once potential = model_.potential(seeded(q));
        VectorXd h(n);
        for (int i = 0; i < n; ++i)
            h[i] = t.derivative[at(i)].value - t.derivative[at(n + i)].derivative[0] - potential.derivative[at(i)];
        if constexpr (has_damping) h -= damping_force(v);
        return h;
    }
    std::optional<double> damping_work(const VectorXd& rates, const VectorXd& path) const override {
        if constexpr (has_damping) return damping_force(rates).dot(path);
        return std::nullopt;
    }
    double energy(const VectorXd& q, const VectorXd& v) const override {
        return model_.kinetic(plain(q), plain(v)) + model_.potential(plain(q));
    }
    VectorXd gaps(const VectorXd& q) const override {
        VectorXd g(contacts());
        for (int k = 0; k < contacts(); ++k) g[k] = model_.gap(k, seeded(q)).value;
        return g;
    }
    MatrixXd directions(const VectorXd& q) const override {
        MatrixXd w(rows(), n);
        for (int r = 0; r < rows(); ++r) {
            const Once x = contact_place(r, seeded(q));
            for (int i = 0; i < n; ++i) w(r, i) = x.derivative[at(i)];
        }
        return w;
    }
    VectorXd turning(const VectorXd& q, const VectorXd& v) const override {
        // d2x/dt2 along q + t v, by two dual numbers in the one direction t.
        using Along = Differentiated<Differentiated<double, 1>, 1>;
        Point<Along, n> p;
        for (int i = 0; i < n; ++i) {
            p[at(i)].value.value = q[i];
            p[at(i)].value.derivative[0] = v[i];
            p[at(i)].derivative[0].value = v[i];
        }
        VectorXd result(rows());
        for (int r = 0; r < rows(); ++r) result[r] = contact_place(r, p).derivative[0].derivative[0];
        return result;
    }
    ContactLaw law(int contact) const override { return model_.law(contact); }
    std::vector<std::string> contact_names() const override {
        if constexpr (requires { Model::contact_names(); })
            return Model::contact_names();
        else
            return {};
    }
    Observables observe(const VectorXd& q, const VectorXd& v) const override {
        constexpr Index bodies = Model::bodies;
        Observables seen{{"position", VectorXd(3 * bodies)},
                         {"orientation", VectorXd(4 * bodies)},
                         {"velocity", VectorXd(3 * bodies)},
                         {"angular_velocity", VectorXd::Zero(3 * bodies)}};
        const Point<Once, n> p = seeded(q);
        const auto rate = [&](const Once& x) { return Eigen::Map<const VectorXd>(x.derivative.data(), n).dot(v); };
        for (int body = 0; body < bodies; ++body) {
            const Point<Once, 3> middle = model_.middle(body, p);
            for (int i = 0; i < 3; ++i) {
                seen["position"][3 * body + i] = middle[at(i)].value;
                seen["velocity"][3 * body + i] = rate(middle[at(i)]);
            }
            const Once turn = model_.angle(body, p);
            const double sign = std::cos(0.5 * turn.value) < 0.0 ? -1.0 : 1.0;
            seen["orientation"].segment(4 * body, 4) << sign * std::cos(0.5 * turn.value), 0.0, 0.0,
                sign * std::sin(0.5 * turn.value);
            seen["angular_velocity"][3 * body + 2] = rate(turn);
        }
        for (const char* name : {Model::place_name, Model::rate_name})
            if (name != nullptr) seen[name] = name == Model::place_name ? q : v;
        if constexpr (requires { model_.add_channels(seen, q, v); }) model_.add_channels(seen, q, v);
        seen["energy"] = VectorXd::Constant(1, energy(q, v));
        return seen;
    }

  private:
    static constexpr int n = Model::n;
    using Once = Differentiated<double, n>;
    static constexpr bool has_damping = requires(const Model& model, const Point<double, n>& rate) {
        model.half_dissipation(rate);
    };

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    static VectorXd vector(const Point<double, n>& x) { return Eigen::Map<const VectorXd>(x.data(), n); }
    int rows() const { return contacts() * (1 + tangents()); }

    static Point<double, n> plain(const VectorXd& q) {
        Point<double, n> p;
        for (int i = 0; i < n; ++i) p[at(i)] = q[i];
        return p;
    }
    static Point<Once, n> seeded(const VectorXd& q) {
        Point<Once, n> p;
        for (int i = 0; i < n; ++i) p[at(i)].value = q[i], p[at(i)].derivative[at(i)] = 1.0;
        return p;
    }
    VectorXd damping_force(const VectorXd& v) const {
        const Once half = model_.half_dissipation(seeded(v));
        return Eigen::Map<const VectorXd>(half.derivative.data(), n);
    }
    template <class Scalar>
    Scalar contact_place(int row, const Point<Scalar, n>& q) const {
        const int k = row / (1 + tangents()), d = row % (1 + tangents());
        return d == 0 ? model_.gap(k, q) : model_.place(k, d - 1, q);
    }

    Model model_;
};

}  // namespace myriad::reference
