#include "host/mechanism/assembly/nominal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "host/mechanism/assembly/assembly_report.hpp"
#include "host/mechanism/assembly/joint_errors.hpp"
#include "host/mechanism/assembly/nominal_instance.hpp"
#include "host/mechanism/assembly/nominal_matrices.hpp"
#include "host/mechanism/assembly/undetermined_reactions.hpp"
#include "host/mechanism/elimination/redundancy.hpp"
#include "host/mechanism/tree/freedom_without_inertia.hpp"
#include "host/mechanism/tree/joint_coordinates.hpp"
#include "host/mechanism/tree/mechanism_tree.hpp"
#include "host/text/names_of.hpp"
#include "host/text/suggestion.hpp"
#include "kernels/mechanism/assembly.hpp"
#include "kernels/mechanism/observe.hpp"

namespace myriad::mechanism {

namespace {

using System = NominalInstance::System;
using Nominal = NominalInstance;

using RowFlags = std::array<bool, 3>;
struct RowPlace {
    int element, k;  // element -1: a coupling, and its number
};

// Rows by element; those that are not active keep -1.
void number_rows(MechanismTable& table, const std::vector<RowFlags>& active) {
    table.rows = table.constraint_rows = 0;
    for (int e = 0; e < table.elements; ++e) {
        Element& element = table.element[e];
        for (int k = 0; k < 3; ++k) {
            element.row[k] = active[static_cast<std::size_t>(e)][static_cast<std::size_t>(k)] ? table.rows++ : -1;
            if (element.row[k] >= 0 && !element.has_law) ++table.constraint_rows;
        }
    }
}

// The step for which the nominal matrices are made. Pivots that are safe for it are safe for smaller ones, whose
// matrices tend to the same limit.
constexpr int nominal_poses = 12;
// Poses beside the start follow each other by this time; bodies move and turn by so many length scales and rad.
constexpr double between_poses_s = 0.1, pose_distance = 0.3;
// A bound on the rest of a unit row when the rows before it are taken out.
constexpr double tolerance_of_raw_pose = 1e-5;

// B at the present pose: [constraint rows][6 bodies], translation columns times length_scale: metres become lengths of
// the mechanism, as radians are.
std::vector<double> scaled_jacobian(const MechanismTable& numbered, Nominal& nominal, double length_scale_m,
                                    std::vector<RowPlace>& places) {
    const std::vector<double> matrix = assembly_matrix(numbered, nominal);
    const auto n = static_cast<std::size_t>(numbered.elimination.unknowns);
    const auto columns = static_cast<std::size_t>(6 * numbered.bodies);
    std::vector<double> jacobian;
    for (int e = 0; e < numbered.elements; ++e)
        for (int k = 0; k < 3; ++k) {
            const Element& element = numbered.element[e];
            if (element.row[k] < 0 || element.has_law) continue;
            places.push_back({e, k});
            const auto row = columns + static_cast<std::size_t>(element.row[k]);
            for (std::size_t c = 0; c < columns; ++c)
                jacobian.push_back((c % 6 < 3 ? length_scale_m : 1.0) * matrix[row * n + c]);
        }
    return jacobian;
}

// The same of the couplings, by the elements that measure their coordinates.
void add_couplings(const Mechanism& mechanism, Nominal& nominal, std::vector<double>& jacobian,
                   std::vector<RowPlace>& places) {
    const MechanismTable& table = mechanism.table;
    const double length_scale_m = nominal.parameters[length_scale_parameter];
    auto& bodies = nominal.scratch.work.bodies;
    nominal.system.place(nominal.motion.q, bodies);
    const auto equations = nominal.system.equations(nominal.scratch.functions);
    for (std::size_t c = 0; c < mechanism.couplings.size(); ++c) {
        const NamedCoupling& coupling = mechanism.couplings[c];
        std::vector<double> row(static_cast<std::size_t>(6 * table.bodies), 0.0);
        for (std::size_t part = 0; part < 2; ++part) {
            const Element& element = table.element[coupling.of[part].element];
            const Rows<double> rows = equations.rows(element, bodies, nominal.motion.q.turned);
            const double factor = part == 0 ? -nominal.parameters[coupling.parameter] : 1.0;
            for (int side = 0; side < 2; ++side)
                for (int i = 0; i < 3 && element.body[side] >= 0; ++i) {
                    const auto at = static_cast<std::size_t>(6 * element.body[side] + i);
                    row[at] += (side == 0 ? -factor : factor) * length_scale_m * rows.direction[0][i];
                    row[at + 3] += factor * rows.turn[side][0][i];
                }
        }
        jacobian.insert(jacobian.end(), row.begin(), row.end());
        places.push_back({-1, static_cast<int>(c)});
    }
}

const char* row_meaning(ElementKind kind, int k) {
    constexpr const char* axes[] = {"x", "y", "z"};
    switch (kind) {
        case ElementKind::point:
            return axes[k];
        case ElementKind::coordinate_difference:
            return "CD";
        case ElementKind::dot_1:
            return "DP1";
        case ElementKind::dot_2:
            return "DP2";
        case ElementKind::distance:
            return "D";
        case ElementKind::driven_angle:
            return "driven angle";
        default:
            return "row";
    }
}

std::string owner_of(const Mechanism& mechanism, int e) {
    for (const auto* group : {&mechanism.joints, &mechanism.drivers, &mechanism.forces})
        for (const NamedElements& named : *group)
            if (named.first_element <= e && e < named.first_element + named.element_count)
                return named.section + "." + named.name;
    return "element " + std::to_string(e);
}

// Share of the length scale: the line between points so near to each other has the direction of round-off.
constexpr double shortest_line = 1e-12;

// A pivot that is this much smaller than its neighbours is round-off: nothing determines its unknown.
bool is_singular(double weakest_pivot) { return !(weakest_pivot > 1e-13); }

class Completion {
  public:
    Completion(Mechanism& mechanism, const Refusal& refuse)
        : mechanism_(mechanism),
          table_(mechanism.table),
          refuse_(refuse),
          values_(mechanism.nominal_kernel_parameters()) {}

    void run() {
        for (int e = 0; e < table_.elements; ++e) {
            RowFlags may_take_part{};
            for (std::size_t k = 0; k < 3; ++k) may_take_part[k] = table_.element[e].row[k] >= 0;
            candidates_.push_back(may_take_part);
        }
        look_for_inertia();
        refuse_lines_without_direction(*std::make_unique<Nominal>(table_, values_));
        // Redundant rows may look independent away from the constraints: a generous look there, then a strict one at
        // the assembled pose.
        remove_redundant_rows(nullptr, tolerance_of_raw_pose);
        plan({});
        const auto at_assembled = assembled_pose();
        refuse_lines_without_direction(*at_assembled);
        const Configuration assembled = at_assembled->motion.q;
        remove_redundant_rows(&assembled, redundancy_tolerance);
        plan({});
        plan(matrices_at_poses(*assembled_pose()));
        mechanism_.freedoms = 6 * table_.bodies - table_.constraint_rows;
        for (const NamedCoupling& coupling : mechanism_.couplings)
            if (!coupling.is_redundant) --mechanism_.freedoms;
    }

  private:
    using Configuration = System::Configuration;

    // Steps divide by the inertia that each freedom of the tree moves.
    void look_for_inertia() {
        const auto found = freedom_without_inertia(mechanism_);
        if (!found) return;
        weak_ = found->freedom.place;
        const std::string because = "no inertia resists freedom " + std::to_string(found->freedom.number) + " of " +
                                    weak_ + ", on which " + list_of(found->bodies) +
                                    (found->bodies.size() == 1 ? " hangs" : " hang");
        const bool has_no_joints = mechanism_.table.joint.joints == 0;
        if (!has_no_joints) return refuse_joint_coordinates(mechanism_, because);
        mechanism_.body_coordinates_because = because;  // the charts of papers/ take it
    }

    void refuse_lines_without_direction(Nominal& at) const {
        at.system.functions_at(at.time_s, at.scratch.functions);
        at.system.place(at.motion.q, at.scratch.work.bodies);
        const auto equations = at.system.equations(at.scratch.functions);
        for (int e = 0; e < table_.elements; ++e) {
            const Element& element = table_.element[e];
            if (element.kind != ElementKind::distance || element.is_sensor) continue;
            const double length = equations.rows(element, at.scratch.work.bodies, at.motion.q.turned).length;
            if (length > shortest_line * values_[length_scale_parameter]) continue;
            const std::string owner = owner_of(mechanism_, e);
            refuse_(owner,
                    "the two points of " + owner +
                        " lie in each other at the start, so the line between them has no "
                        "direction",
                    element.has_law
                        ? "give the bodies other positions; or, for a rest length of 0, write \"type\": "
                          "\"bushing\" with the stiffness for each axis, \"stiffness_N_m\": [k, k, k], which "
                          "pulls the points together in every direction"
                        : "give the bodies other positions; points that stay together are a spherical joint");
        }
    }

    void number(const std::vector<RowFlags>& active) {
        number_rows(table_, active);
        number_slots(problem_of(mechanism_), table_);
    }

    // The rows of a tree's joints do not follow from each other, nor do those of drivers of its coordinates: offered
    // first, they all stay. Behind them come rows that were of the tree if no joint was cut, so that the same rows are
    // redundant in both coordinates. Of two rows that say the same a point's stays, and a coupling goes.
    std::vector<int> redundancy_classes() const {
        std::vector<int> classes;
        for (int e = 0; e < table_.elements; ++e) {
            const MultiplierSource source = mechanism_.multiplier_places[static_cast<std::size_t>(e)].source;
            const bool is_point = table_.element[e].kind == ElementKind::point;
            classes.push_back(source == MultiplierSource::tree_joint   ? 0
                              : source == MultiplierSource::prescribed ? 1
                                                                       : (is_point ? 4 : 5));
        }
        const SpanningTree uncut = spanning_tree_of(mechanism_, true);
        const auto offer_before = [&](const NamedElements& named, int by) {
            for (int e = named.first_element; e < named.first_element + named.element_count; ++e)
                classes[static_cast<std::size_t>(e)] = std::min(classes[static_cast<std::size_t>(e)], by);
        };
        for (std::size_t j = 0; j < mechanism_.joints.size(); ++j)
            if (uncut.has(static_cast<int>(j))) offer_before(mechanism_.joints[j], 2);
        std::set<std::pair<int, std::string>> driven;
        for (const NamedElements& driver : mechanism_.drivers)
            if (freedom_of_tree_joint(mechanism_, uncut, driver.joint, driver.type) >= 0 &&
                driven.insert({driver.joint, driver.type}).second)
                offer_before(driver, 3);
        return classes;
    }

    // From an order by places to that of the multipliers, those of laws included.
    std::vector<double> by_multiplier(const std::vector<double>& values, const std::vector<RowPlace>& places) const {
        std::vector<double> ordered(static_cast<std::size_t>(table_.rows), 0.0);
        for (std::size_t r = 0; r < places.size(); ++r)
            if (places[r].element >= 0)
                ordered[static_cast<std::size_t>(table_.element[places[r].element].row[places[r].k])] = values[r];
        return ordered;
    }

    // At a pose, or at that of the file.
    void remove_redundant_rows(const Configuration* pose, double tolerance) {
        number(candidates_);
        mechanism_.redundant_rows.clear();
        std::vector<RowFlags> active = candidates_;
        for (NamedCoupling& coupling : mechanism_.couplings) coupling.is_redundant = false;
        if (table_.constraint_rows > 0) {
            const auto nominal = std::make_unique<Nominal>(table_, values_);
            if (pose)
                nominal->motion.q = *pose;
            else
                nominal->turn_far_bodies();
            std::vector<RowPlace> places;
            std::vector<double> jacobian = scaled_jacobian(table_, *nominal, values_[length_scale_parameter], places);
            add_couplings(mechanism_, *nominal, jacobian, places);
            std::vector<int> classes;
            const std::vector<int> of_element = redundancy_classes();
            for (const RowPlace& place : places)
                classes.push_back(place.element < 0 ? 6 : of_element[static_cast<std::size_t>(place.element)]);
            const IndependentRows found = independent_rows(jacobian, 6 * table_.bodies, classes, tolerance);
            if (pose) {
                auto combinations = vanishing_combinations(jacobian, 6 * table_.bodies, found);
                for (auto& combination : combinations) combination = by_multiplier(combination, places);
                find_undetermined_reactions(mechanism_, *nominal, combinations, values_[length_scale_parameter]);
            }
            for (const int removed : found.removed) {
                const RowPlace& place = places[static_cast<std::size_t>(removed)];
                if (place.element < 0) {
                    NamedCoupling& coupling = mechanism_.couplings[static_cast<std::size_t>(place.k)];
                    coupling.is_redundant = true;
                    mechanism_.redundant_rows.push_back({coupling.address(), -1, 0, "coupling"});
                    continue;
                }
                active[static_cast<std::size_t>(place.element)][static_cast<std::size_t>(place.k)] = false;
                mechanism_.redundant_rows.push_back({owner_of(mechanism_, place.element), place.element, place.k,
                                                     row_meaning(table_.element[place.element].kind, place.k)});
            }
        }
        number(active);
    }

    void plan(std::vector<double> matrices) {
        EliminationProblem problem = problem_of(mechanism_);
        if (matrices.empty()) {
            number_slots(problem, table_);
            const auto nominal = std::make_unique<Nominal>(table_, values_);
            nominal->turn_far_bodies();
            matrices = assembly_matrix(table_, *nominal);
        }
        problem.nominal_matrices = std::move(matrices);
        const EliminationPlan plan = plan_elimination(problem);
        if (!plan.refusal.empty())
            refuse_("", "the equations of this mechanism cannot be eliminated: " + plan.refusal,
                    "look for a body that no joint and no inertia holds, or split the mechanism");
        if (is_singular(plan.weakest_pivot) && !weak_.empty())
            refuse_(weak_, mechanism_.body_coordinates_because + ", and no other joint determines it",
                    "give what hangs there a mass or an inertia that the joint moves, or hold it by another joint or a "
                    "driver");
        if (is_singular(plan.weakest_pivot))
            refuse_(
                "", "the equations of this mechanism are singular in the state of the file",
                "look for a body that has no inertia about an axis which no joint holds, or a driver at a dead point");
        table_.elimination = plan.elimination;
        mechanism_.programs_ = plan.programs;
        mechanism_.elimination_operations = {plan.factor_counts.all(), plan.solve_counts.all()};
    }

    // The first loop that the joint is in, for messages: ", in the loop of last with first, second".
    std::string loop_with(const std::string& address) const {
        const SpanningTree tree = spanning_tree_of(mechanism_);
        for (const CutJoint& cut : tree.cut) {
            if (cut.reason != CutReason::loop) continue;
            const std::vector<std::string> others = loop_of(mechanism_, tree, cut.joint);
            const NamedElements& closing = mechanism_.joints[static_cast<std::size_t>(cut.joint)];
            const auto is_at = [&](const std::string& name) { return address == closing.section + "." + name; };
            if (is_at(closing.name) || std::any_of(others.begin(), others.end(), is_at))
                return ", in the loop of " + closing.name + " with " + list_of(others);
        }
        return "";
    }

    // Where the pose meets every joint and driver, and no velocities do: a driver whose row follows from other rows
    // asks for another rate than these.
    void refuse_contradicting_driver(Nominal& at) const {
        const auto& redundant = mechanism_.redundant_rows;
        const auto row = std::find_if(redundant.rbegin(), redundant.rend(),
                                      [](const RedundantRow& one) { return one.joint.starts_with("drivers."); });
        const auto open = largest_residual(at.system, at.scratch.work, at.scratch.functions, at.motion.q.turned,
                                           Level::position, false);
        if (row == redundant.rend() || !is_together(at.system, open)) return;
        refuse_(row->joint,
                "the pose meets every joint and driver, but no velocities do: " + row->joint +
                    " asks for another rate than the rest allows",
                "give each freedom one driver, or drivers the rates that the joints between them allow; the drivers "
                "are: " +
                    list_of(names_of(mechanism_.drivers)));
    }

    std::unique_ptr<Nominal> assembled_pose() {
        auto nominal = std::make_unique<Nominal>(table_, values_);
        const Assembled<double> assembled = nominal->assemble();
        if (assembled.reason == 0.0) return nominal;
        const JointError worst = worst_of(joint_errors(mechanism_, *nominal), values_[length_scale_parameter]);
        const bool contradict =
            static_cast<Reason>(static_cast<int>(assembled.reason)) == Reason::constraints_inconsistent;
        if (contradict) refuse_contradicting_driver(*nominal);
        if (contradict)
            refuse_(worst.joint,
                    "the redundant constraints contradict each other: " + worst.joint + " is off by " + worst.text() +
                        loop_with(worst.joint),
                    "make the axes and points of the joints agree, or take a joint with fewer constraints");
        refuse_(
            "",
            "the mechanism cannot be assembled from the state in the file: " + why_not_assembled(mechanism_, values_),
            "give the bodies positions and orientations nearer to a closed mechanism, and look at the points' signs");
        return nominal;
    }

    // At the start and at poses beside it, which instances with other numbers may begin in.
    std::vector<double> matrices_at_poses(Nominal& nominal) const {
        std::vector<double> matrices = assembly_matrix(table_, nominal);
        const Motion<System> start = nominal.motion;
        for (int pose = 1; pose <= nominal_poses; ++pose) {
            Motion<System> beside = start;
            double phase = pose;
            const auto part = [&] { return pose_distance * std::sin(phase += 2.3); };
            for (int b = 0; b < table_.bodies; ++b) {
                const double length_m = values_[length_scale_parameter];
                beside.q.position[b] = beside.q.position[b] + length_m * Vec<3, double>{part(), part(), part()};
                beside.q.orientation[b] = beside.q.orientation[b] * exp(Vec<3, double>{part(), part(), part()});
            }
            if (!nominal.go_to(pose * between_poses_s, beside)) continue;
            const std::vector<double> here = assembly_matrix(table_, nominal);
            matrices.insert(matrices.end(), here.begin(), here.end());
        }
        return matrices;
    }

    Mechanism& mechanism_;
    MechanismTable& table_;
    const Refusal& refuse_;
    std::vector<double> values_;
    std::vector<RowFlags> candidates_;
    std::string weak_;  // a joint of the tree that moves no inertia
};

}  // namespace

void complete(Mechanism& mechanism, const Refusal& refuse) { Completion(mechanism, refuse).run(); }

}  // namespace myriad::mechanism
