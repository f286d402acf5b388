// A mechanism as its file describes it, checked: every number an address, every joint and force element resolved into
// the elements, loads and functions that the kernels know (kernels/mechanism/topology.hpp).
//
// Every number of the file is an address: "bodies.rod.mass_kg", "joints.hinge.points_m[1][0]", "parameters.length_m",
// "gravity_m_s2[2]"; also those that the file leaves out and that have a default. A number may be an expression of the
// named parameters (expression.hpp). Frames and units: see the keys (mechanism_keys.hpp) and `myriad schema mechanism`.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/mechanism/model/model.hpp"
#include "kernels/mechanism/topology.hpp"

namespace myriad::mechanism {

// A number of the file.
struct Number {
    std::string address, unit, meaning;
    double value = 0.0;      // at the nominal parameters
    std::string expression;  // empty where the file has a plain number
};

// A joint, driver or force element as its file names it, with the elements it became.
struct NamedElements {
    std::string name, type, section;  // section: "joints", "drivers", "forces"
    int first_element = 0, element_count = 0;
    int first_load = 0;
    int joint = -1;         // of a driver or force element that acts on a joint, in Mechanism::joints
    bool is_cut = false;    // of a joint that the file keeps out of the tree (tree/spanning_tree.hpp)
    bool is_read = false;   // of a joint with a coordinate that has to be one of the tree
    std::string formula{};  // of a driver, in quotation marks, a long one cut
};

// An entry of the section "contacts" with the contacts that it became.
struct NamedContacts {
    std::string name, type;
    int first_contact = 0, contact_count = 0;
};

// An entry of the section "couplings": coordinate 1 = ratio times coordinate 0 + offset.
struct CoupledCoordinate {
    int joint = 0;           // in Mechanism::joints
    std::string coordinate;  // "angle", as its sensor is called
    int element = 0;         // that measures it
};
struct NamedCoupling {
    std::string name;
    std::array<CoupledCoordinate, 2> of;
    int parameter = 0;          // of ratio and offset
    bool is_redundant = false;  // its row follows from the others

    std::string address() const { return "couplings." + name; }
};

// A scalar that can be observed: one channel of the table, or a group of up to three under one name.
struct NamedChannels {
    std::string name, unit, frame, components, meaning;  // components: "x y z", or ""
    std::string body;                                    // of channels that every body has, else empty
    int first_channel = 0, count = 0;                    // in MechanismTable::channel
};

// An angle that a joint is to start with, whole turns included, as a kernel parameter.
struct StartAngle {
    int joint = 0;           // in Mechanism::joints
    std::string coordinate;  // "angle", "angle_1", "angle_2"
    int parameter = 0;
};

struct RedundantRow {
    std::string joint;  // "joints.hinge"
    int element = 0, row = 0;
    std::string meaning;  // "third point row (z)"
};

// A joint or driver whose reaction the redundant constraints leave undetermined, and the components in the world:
// "x z"; empty where all are determined.
struct UndeterminedReaction {
    std::string joint, force, torque;
};

// The reaction to a pose that contradicts the joints (assembly_report.hpp).
enum class AssemblyPolicy { warn, refuse };

// The unknowns of a step: coordinates of the joints of the tree (tree/joint_coordinates.hpp), or six of each body.
enum class Coordinates { joint, body };

class Tables;

class Mechanism {
  public:
    std::string name, title, description, source;
    std::vector<std::string> assumed;   // what the file marks as not published
    std::vector<std::string> warnings;  // what is unusual but accepted, with its place
    std::filesystem::path file;
    std::string
        text;  // of the file, canonical: no comments, sorted keys, but the sections' entries in the file's order
    std::vector<std::string> body_names;
    // Whether the file gives the body's position and its orientation; and whether it gives one of them.
    struct GivenPose {
        bool position = false, orientation = false;
        bool operator==(const GivenPose&) const = default;
    };
    std::vector<GivenPose> body_pose_is_given;
    std::vector<bool> body_is_placed;
    // Whether the file gives its velocity and its angular velocity. If it gives the former alone, a parameter holds the
    // place of its origin less the centre of mass; else 0.
    struct GivenVelocity {
        bool linear = false, angular = false;
        int origin_parameter = 0;
        bool operator==(const GivenVelocity&) const = default;
    };
    std::vector<GivenVelocity> body_velocity_is_given;
    std::vector<bool> body_start_is_solved;  // with the start values of joints (start_values.hpp); may be empty
    std::vector<bool> body_has_inertia;      // false: by the file's numbers it has neither mass nor inertia
    AssemblyPolicy assembly = AssemblyPolicy::warn;
    Coordinates coordinates = Coordinates::joint;  // as the file asks
    bool starts_at_equilibrium = false;            // in joint coordinates alone
    // A part of a sentence: the reason why joint coordinates do not take this mechanism, and table.joint has no links;
    // empty where they do.
    std::string body_coordinates_because;
    // The same of body coordinates: "forces.bearing is joint friction, which acts in joint coordinates alone"; empty
    // where they take it.
    std::string joint_coordinates_because;
    // "forces.bearing.regularisation_rad_s", without which only methods with contact take this friction; empty where
    // nothing is missing.
    std::string friction_without_rate;
    std::string friction_by_reaction;  // the same of the first dry friction that grows with a reaction
    std::vector<Number> numbers;
    model::Model model;
    std::vector<NamedElements> joints, drivers, forces;
    std::vector<NamedCoupling> couplings;
    std::vector<StartAngle> start_angles;
    std::vector<NamedContacts> contacts;
    std::vector<std::string> contact_names;  // of the table's contacts: "ball", "box.corner_3", "pin.wall_1"
    std::vector<NamedChannels> channels;
    std::vector<RedundantRow> redundant_rows;
    std::vector<UndeterminedReaction> undetermined_reactions;
    int freedoms = 0;  // 6 bodies less the independent constraint rows, at the nominal pose
    MechanismTable table{};
    std::shared_ptr<const Tables> tables;  // what table.piece points into
    // By the elements of the table: where their multipliers come from in joint coordinates. `index` of a row is an
    // element of table.joint, or -1 of a sensor.
    std::vector<MultiplierPlace> multiplier_places;
    // Floating-point operations of one elimination's factors and of one solve with them.
    struct {
        int factor = 0, solve = 0;
    } elimination_operations;

    // Whether a contact is a limit of an angle, whose gap is in rad and whose force is a torque.
    bool is_limit_of_angle(int contact) const {
        const Contact& one = table.contact[contact];
        return is_limit(one.kind) && table.element[one.element].kind == ElementKind::angle;
    }

    // Given values of all `numbers`, with those that an expression defines and that are not `overridden`.
    std::vector<double> all_numbers(std::span<const double> values, std::span<const unsigned char> overridden) const;
    std::vector<double> nominal_numbers() const;
    // The parameters of the kernel for given values of all `numbers`; those an expression defines follow from the
    // others unless `overridden` (of the same length) is set. NaN where an expression has no value.
    std::vector<double> kernel_parameters(std::span<const double> values,
                                          std::span<const unsigned char> overridden) const;
    std::vector<double> nominal_kernel_parameters() const;
    // The same before start values of joints move bodies: the state as the file gives it.
    std::vector<double> parameters_of_file(std::span<const double> values,
                                           std::span<const unsigned char> overridden) const;
    // And with its poses turned by start values of angles that count from them.
    std::vector<double> parameters_as_given(std::span<const double> values,
                                            std::span<const unsigned char> overridden) const;
    // The kernel parameters that can change when these numbers (indices) do, in rising order.
    std::vector<int> dependent_parameters(std::span<const std::size_t> varied_numbers) const;

    struct Compiled;  // expressions in postfix form and the geometry that follows from the numbers
    std::shared_ptr<const Compiled> compiled_;
    std::shared_ptr<const std::vector<unsigned short>> programs_;  // what table.elimination points into
};

// A copy whose dry friction of joints is a set of forces, as methods with contact take it, and which has the channels
// of their record. Null where there is no room for these.
std::shared_ptr<const Mechanism> with_sticking_joints(const Mechanism& mechanism);

// Throw UserError (usage_or_input) with file and JSON path. The mechanism is assembled once at its nominal numbers:
// redundant rows are found and removed, the elimination is planned; a mechanism that cannot be assembled is refused.
std::shared_ptr<const Mechanism> read_mechanism(const std::filesystem::path& file);
// `folder` is where files stand that a text names; without one it may name none.
std::shared_ptr<const Mechanism> parse_mechanism(std::string_view text, const std::string& name,
                                                 const std::optional<std::filesystem::path>& folder = {});

}  // namespace myriad::mechanism
