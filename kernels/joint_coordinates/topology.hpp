// The topology of a mechanism in joint coordinates, read from a MechanismTable in memory: one compiled kernel for every
// tree and its rows.
//
// It has the functions of a tree (kernels/tree) and those of TableTopology. Elements, rows, loads and
// counters of turns are those of the JointTable; the table's own are those of body_form(). Not handled: bounds, which
// the author of the table has checked.
#pragma once
#include "kernels/mechanism/table_topology.hpp"
#include "kernels/system/entries.hpp"
#include "kernels/system/launch.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// Unknowns of a modified Newton method, whose instances keep a dense matrix.
constexpr int most_kept_unknowns = 48;

template <class Capacity>
class SizedJointTopology : public SizedTopology<Capacity> {
  public:
    using BodyForm = SizedTopology<Capacity>;
    static constexpr int most_links = Capacity::most_links, most_freedoms = Capacity::most_freedoms,
                         most_fields = Capacity::most_fields, most_entries = Capacity::most_entries,
                         most_rows = Capacity::most_rows_beside_tree, most_spare_rows = Capacity::most_spare_rows,
                         most_set_frictions = Capacity::most_set_frictions,
                         most_contact_rows = BodyForm::most_contact_rows + most_set_frictions,
                         most_kept_entries = most_kept_unknowns * most_kept_unknowns;

    SizedJointTopology() = default;  // to be assigned before use
    // `axes_codes`: as in PlanTable, or null
    MYRIAD_HD explicit SizedJointTopology(const MechanismTable* table, int keeps_factors = 0,
                                          const short* axes_codes = nullptr)
        : BodyForm(table, keeps_factors), axes_codes_{axes_codes} {}
    MYRIAD_HD BodyForm body_form() const { return *this; }

    MYRIAD_HD int links() const { return joint().tree.links; }
    MYRIAD_HD int freedoms() const { return joint().tree.freedoms; }
    MYRIAD_HD int fields() const { return joint().tree.fields; }
    MYRIAD_HD int entries() const { return joint().tree.entries; }
    MYRIAD_HD const TreeLink& link(int l) const { return joint().tree.link[l]; }
    MYRIAD_HD int axes_code(int l) const { return axes_codes_.value ? axes_codes_.value[l] : 0; }
    MYRIAD_HD int link_of_body(int body) const { return joint().link_of_body[body]; }
    MYRIAD_HD int body_of_link(int l) const {
        int body = 0;
        while (joint().link_of_body[body] != l) ++body;
        return body;
    }
    MYRIAD_HD int link_of_freedom(int freedom) const { return joint().tree.link_of_freedom[freedom]; }
    MYRIAD_HD int freedom_parent(int freedom) const { return joint().tree.freedom_parent[freedom]; }
    MYRIAD_HD int entry(int row, int column) const {
        return joint().tree.freedom_row[row] + joint().tree.freedom_depth[column];
    }
    MYRIAD_HD bool is_symmetric() const { return joint().is_symmetric; }
    MYRIAD_HD int link_parameter() const { return joint().link_parameter; }

    MYRIAD_HD int elements() const { return joint().elements; }
    MYRIAD_HD const Element& element(int i) const { return joint().element[i]; }
    MYRIAD_HD int common_link(int element) const { return joint().common_link[element]; }
    // The last link on the ways of both its bodies to the ground, as above; parents have smaller numbers.
    MYRIAD_HD int common_link_of_contact(int contact) const {
        const auto link_of = [&](int body) { return body < 0 ? -1 : link_of_body(body); };
        const Contact& own = this->contact(contact);
        int a = link_of(own.body[0]), b = link_of(own.body[1]);
        while (a != b) {
            if (a > b)
                a = link(a).parent;
            else
                b = link(b).parent;
        }
        return a;
    }
    MYRIAD_HD int rows() const { return joint().rows; }
    MYRIAD_HD int constraint_rows() const { return joint().constraint_rows; }
    MYRIAD_HD int spare_rows() const { return joint().spare_rows; }
    MYRIAD_HD const SpareRow& spare_row(int i) const { return joint().spare_row[i]; }
    MYRIAD_HD int loads() const { return joint().loads; }
    MYRIAD_HD const Load& load(int i) const { return joint().load[i]; }
    MYRIAD_HD int angles() const { return joint().angles; }
    MYRIAD_HD int watched_angles() const { return joint().watched_angles; }
    // The entries of the factors that an instance keeps: 0 unless the method is a modified Newton one.
    MYRIAD_HD int kept_slots() const {
        return this->keeps_factors() ? (freedoms() + rows()) * (freedoms() + rows()) : 0;
    }

    MYRIAD_HD int laws() const { return joint().laws; }
    MYRIAD_HD const CoordinateLaw& law(int i) const { return joint().law[i]; }
    MYRIAD_HD int prescribed() const { return joint().prescribed; }
    MYRIAD_HD const PrescribedCoordinate& prescribed_coordinate(int i) const {
        return joint().prescribed_coordinate[i];
    }
    MYRIAD_HD int couplings() const { return joint().couplings; }
    MYRIAD_HD const CoordinateCoupling& coupling(int i) const { return joint().coupling[i]; }
    MYRIAD_HD bool starts_at_equilibrium() const { return joint().starts_at_equilibrium; }
    MYRIAD_HD int held_at_start(int freedom) const { return joint().held_at_start[freedom]; }
    MYRIAD_HD int frictions() const { return joint().frictions; }
    MYRIAD_HD const CoordinateFriction& friction(int i) const { return joint().friction[i]; }
    MYRIAD_HD bool friction_is_set() const { return joint().friction_is_set; }
    MYRIAD_HD bool friction_follows_reactions() const { return joint().friction_follows_reactions; }
    MYRIAD_HD int set_frictions() const { return joint().friction_is_set ? joint().frictions : 0; }
    MYRIAD_HD int rotors() const { return joint().rotors; }
    MYRIAD_HD const CoordinateRotor& rotor(int i) const { return joint().rotor[i]; }
    MYRIAD_HD int coordinate_forces() const { return joint().coordinate_forces; }
    MYRIAD_HD const CoordinateForce& coordinate_force(int i) const { return joint().coordinate_force[i]; }
    MYRIAD_HD const Instruction& coordinate_instruction(int i) const { return joint().coordinate_instruction[i]; }
    MYRIAD_HD const PartialDerivative& partial_derivative(int i) const { return joint().partial_derivative[i]; }
    MYRIAD_HD int joints() const { return joint().joints; }
    MYRIAD_HD const TreeJointRows& joint(int i) const { return joint().joint[i]; }
    // The freedom whose coordinate is the value of element `element` of the body form; -1: none is.
    MYRIAD_HD int freedom_of_element(int element) const { return joint().freedom_of_element[element]; }
    MYRIAD_HD const MultiplierPlace& multiplier(int row) const { return joint().multiplier[row]; }
    MYRIAD_HD int counter_of_angle(int angle) const { return joint().counter_of_angle[angle]; }
    MYRIAD_HD int freedom_of_angle(int angle) const { return joint().freedom_of_angle[angle]; }

    // The place of a freedom's coordinate among the fields; an angle's whole turns stand behind it.
    MYRIAD_HD int field_of(int freedom) const {
        const TreeLink& link = joint().tree.link[link_of_freedom(freedom)];
        return link.field + (freedom - link.freedom);
    }
    MYRIAD_HD bool is_turn(int freedom) const {
        const TreeLink& link = joint().tree.link[link_of_freedom(freedom)];
        return freedom - link.freedom >= link.slides;
    }

  private:
    MYRIAD_HD const JointTable& joint() const { return this->table_->joint; }
    [[no_unique_address]] TopologyMember<const short*, 1, Capacity::has_axes_codes> axes_codes_;
};
static_assert(most_tree_links <= most_plan_links);

class JointTopology : public SizedJointTopology<LargestMechanism> {
  public:
    using SizedJointTopology::SizedJointTopology;
    using BodyForm = TableTopology;
    MYRIAD_HD BodyForm body_form() const { return BodyForm(table_); }
};

}  // namespace myriad::inline MYRIAD_VARIANT
