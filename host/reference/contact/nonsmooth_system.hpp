// Systems with contacts for the reference path: written down as energies, gaps and places of contact points, from which
// automatic differentiation makes Lagrange's equations, contact directions and their rates.
//
//   M = d2T/dv2,  h = dT/dq - (d2T/dv dq) v - dV/dq,  W_N = dg/dq,  W_T = ds/dq
//
// Coordinates are a vector. Units SI. Not handled: orientations in space; forces that are no gradient, but for damping,
// which is one by the rates.
#pragma once
#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/reference/contact/nonsmooth_contact.hpp"
#include "host/reference/formulation/system.hpp"

namespace myriad::reference {

class NonsmoothSystem {
  public:
    virtual ~NonsmoothSystem() = default;

    virtual int contacts() const = 0;
    virtual int tangents() const = 0;  // 0, 1 or 2 directions of friction per contact
    virtual Eigen::VectorXd initial_coordinates() const = 0;
    virtual Eigen::VectorXd initial_rates() const = 0;
    virtual Eigen::MatrixXd mass(const Eigen::VectorXd& q) const = 0;
    virtual Eigen::VectorXd force(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const = 0;
    virtual double energy(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const = 0;
    // The energy that damping takes on the way `path`, J, by the forces that belong to the rates; nothing where the
    // system has none.
    virtual std::optional<double> damping_work(const Eigen::VectorXd& /*rates*/,
                                               const Eigen::VectorXd& /*path*/) const {
        return std::nullopt;
    }
    virtual Eigen::VectorXd gaps(const Eigen::VectorXd& q) const = 0;
    // Rows: normal, tangents, contact by contact.
    virtual Eigen::MatrixXd directions(const Eigen::VectorXd& q) const = 0;
    // d(W^T)/dt v of the same rows.
    virtual Eigen::VectorXd turning(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const = 0;
    virtual ContactLaw law(int contact) const = 0;
    // Position, orientation, velocity and angular velocity of the bodies, one after the other, the system's own
    // channels and the energy, by the names of the kernels' channels.
    virtual Observables observe(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const = 0;
    // Where there are several contacts.
    virtual std::vector<std::string> contact_names() const { return {}; }
};

std::vector<std::string> nonsmooth_systems();
// By the name of the kernels' system and all of its parameters. Throws UserError for a name it does not know,
// InvalidParameter for numbers that describe no such system.
std::unique_ptr<NonsmoothSystem> make_nonsmooth_system(const std::string& name, const Parameters& parameters);

}  // namespace myriad::reference
