// Topology read from a MechanismTable in memory: one compiled kernel for every mechanism.
//
// Kernels ask a topology about the mechanism at hand. All its functions depend on the mechanism alone, never on an
// instance, so that a branch or a loop over them is the same in every lane. A kernel that is compiled for one mechanism
// offers the same functions on constants; the capacities, which size the local arrays, are then that mechanism's own.
// Not handled: bounds, which the author of the table has checked.
#pragma once
#include "kernels/math/real.hpp"
#include "kernels/math/small_matrix.hpp"
#include "kernels/mechanism/elimination.hpp"
#include "kernels/mechanism/topology.hpp"

namespace myriad::inline MYRIAD_VARIANT {

// The largest mechanism that the reader of a file takes. Another type with these members sizes the arrays of a kernel
// for smaller ones.
struct LargestMechanism {
    static constexpr int most_bodies = myriad::most_bodies, most_elements = myriad::most_elements,
                         most_rows = myriad::most_rows, most_loads = myriad::most_loads,
                         most_functions = myriad::most_functions, most_registers = myriad::most_registers,
                         most_angles = myriad::most_angles, most_matrix_entries = myriad::most_matrix_entries,
                         most_parameters = most_mechanism_parameters, most_contacts = myriad::most_contacts,
                         most_set_frictions = myriad::most_set_frictions, most_corners = most_instructions;
    // In joint coordinates
    static constexpr int most_links = most_tree_links, most_freedoms = most_tree_freedoms,
                         most_fields = most_tree_fields, most_entries = most_tree_entries,
                         most_rows_beside_tree = most_tree_rows, most_spare_rows = myriad::most_spare_rows;
    // Whether a topology says that factors are kept, and which signed axes a tree has. Where it does not it is a
    // pointer alone: the parts of a state each have one.
    static constexpr bool keeps_factors = true, has_axes_codes = true;
    template <class Real>
    using Parameters = Vec<most_parameters, Real>;
};

// A member of a topology, or none.
template <class Value, int name, bool = true>
struct TopologyMember {
    Value value = {};
};
template <class Value, int name>
struct TopologyMember<Value, name, false> {
    static constexpr Value value = {};
    TopologyMember() = default;
    MYRIAD_HD constexpr explicit TopologyMember(Value) {}
};

template <class Capacity>
class SizedTopology {
  public:
    static constexpr int most_bodies = Capacity::most_bodies, most_elements = Capacity::most_elements,
                         most_rows = Capacity::most_rows, most_loads = Capacity::most_loads,
                         most_functions = Capacity::most_functions, most_registers = Capacity::most_registers,
                         most_angles = Capacity::most_angles, most_matrix_entries = Capacity::most_matrix_entries,
                         most_kept_entries = most_matrix_entries, most_parameters = Capacity::most_parameters,
                         most_contacts = Capacity::most_contacts, most_corners = Capacity::most_corners,
                         most_set_frictions = 0, directions = contact_directions,
                         most_contact_rows =  // of one problem
                         (most_contacts < most_counted_contacts ? most_contacts : most_counted_contacts) *
                         contact_directions;
    // True: contact problems leave out contacts that are open in every lane; false where loops are to be unrolled.
    static constexpr bool lists_contacts = true;
    template <class Real>
    using Parameters = typename Capacity::template Parameters<Real>;

    SizedTopology() = default;  // to be assigned before use
    MYRIAD_HD explicit SizedTopology(const MechanismTable* table, int keeps_factors = 0)
        : table_(table), keeps_factors_{keeps_factors} {}

    MYRIAD_HD int bodies() const { return table_->bodies; }
    MYRIAD_HD int elements() const { return table_->elements; }
    MYRIAD_HD int rows() const { return table_->rows; }
    MYRIAD_HD int loads() const { return table_->loads; }
    MYRIAD_HD int functions() const { return table_->functions; }
    MYRIAD_HD int instructions() const { return table_->instructions; }
    // Where none may be, code for them is left out.
    MYRIAD_HD int corners() const { return most_corners > 0 ? table_->corners : 0; }
    MYRIAD_HD int constraint_rows() const { return table_->constraint_rows; }
    // The entries of the factors that an instance keeps: 0 unless the method is a modified Newton one.
    MYRIAD_HD bool keeps_factors() const { return keeps_factors_.value != 0; }
    MYRIAD_HD int kept_slots() const { return keeps_factors() ? table_->elimination.slots : 0; }
    MYRIAD_HD int angles() const { return table_->angles; }
    MYRIAD_HD int channels() const { return table_->channels; }
    MYRIAD_HD int parameters() const { return table_->parameters; }
    MYRIAD_HD int contacts() const { return table_->contacts; }
    // Joint coordinates alone have some.
    MYRIAD_HD int set_frictions() const { return 0; }
    MYRIAD_HD int open_start_row() const { return table_->open_start_row; }

    MYRIAD_HD int pinned(int body) const { return table_->pinned[body]; }
    // As many as bodies.
    MYRIAD_HD int start_motions() const { return table_->bodies; }
    MYRIAD_HD bool moves_at_start() const { return table_->moves_at_start; }
    MYRIAD_HD bool starts_together() const { return table_->starts_together; }
    MYRIAD_HD int start_motion(int i, int entry) const { return table_->start_motion[i][entry]; }
    MYRIAD_HD int start_angle(int i) const { return table_->start_angle[i]; }
    MYRIAD_HD const Element& element(int i) const { return table_->element[i]; }
    MYRIAD_HD const Load& load(int i) const { return table_->load[i]; }
    MYRIAD_HD const Contact& contact(int i) const { return table_->contact[i]; }
    MYRIAD_HD int function_register(int i) const { return table_->function_register[i]; }
    MYRIAD_HD const Instruction& instruction(int i) const { return table_->instruction[i]; }
    MYRIAD_HD const PiecewisePolynomial& interpolant(int i) const { return table_->interpolant[i]; }
    MYRIAD_HD const PolynomialPiece& piece(int i) const { return table_->piece[i]; }
    MYRIAD_HD const Channel& channel(int i) const { return table_->channel[i]; }
    MYRIAD_HD int body_slot(int body, int i, int j) const { return table_->elimination.body_slot[body][i][j]; }
    MYRIAD_HD int row_slot(int row, int side, int i) const { return table_->elimination.row_slot[row][side][i]; }
    MYRIAD_HD int column_slot(int row, int side, int i) const { return table_->elimination.column_slot[row][side][i]; }
    MYRIAD_HD int diagonal_slot(int row) const { return table_->elimination.diagonal_slot[row]; }
    MYRIAD_HD int slots() const { return table_->elimination.slots; }
    // Factors the matrix in place; true where a pivot had to be perturbed. Then solves; `right_hand_side` is used up.
    template <class Real>
    MYRIAD_NOINLINE MaskOf<Real> factor(Real* matrix) const {
        return myriad::factor(table_->elimination, matrix);
    }
    template <class Real>
    MYRIAD_NOINLINE void solve(const Real* matrix, Real* right_hand_side, Real* solution) const {
        myriad::solve(table_->elimination, matrix, right_hand_side, solution);
    }

  protected:
    const MechanismTable* table_ = nullptr;

  private:
    [[no_unique_address]] TopologyMember<int, 0, Capacity::keeps_factors> keeps_factors_;
};

// Whether rates of drivers may jump.
template <class T>
constexpr bool may_have_corners = T::most_corners > 0;

class TableTopology : public SizedTopology<LargestMechanism> {
  public:
    using SizedTopology::SizedTopology;
};

}  // namespace myriad::inline MYRIAD_VARIANT
