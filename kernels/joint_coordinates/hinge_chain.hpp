// The topology of a chain of hinges, each link on the one before it and nothing beside them but springs, dampers and
// controllers of the hinges: one kernel for every such mechanism with so many links.
//
// What the shape knows are constants, so that a step unrolls its loops over links and holds its numbers in registers;
// what it does not, from springs to channels, is read from a MechanismTable in memory. At most one law acts on a hinge,
// in the order of the hinges (each_law). Not handled: any other mechanism, which is_hinge_chain() of the host refuses.
#pragma once
#include "kernels/joint_coordinates/topology.hpp"

namespace myriad {

constexpr int most_hinges = 6;
// What a chain has room for beside its links: rows of its joints and of its laws, functions of time.
struct HingeChainRoom {
    int rows, functions, registers, angles;
};
MYRIAD_HD constexpr HingeChainRoom room_of_chain(int hinges) {
    const bool is_short = hinges <= 3;
    return {6 * hinges, is_short ? 4 : 8, is_short ? 8 : 16, 2 * hinges};
}

}  // namespace myriad

namespace myriad::inline MYRIAD_VARIANT {

// A capacity but for the type of the parameters.
template <int hinges>
struct HingeChainCapacity : LargestMechanism {
    static constexpr int most_bodies = hinges, most_elements = 1, most_rows = room_of_chain(hinges).rows,
                         most_loads = 1, most_functions = room_of_chain(hinges).functions,
                         most_registers = room_of_chain(hinges).registers, most_angles = room_of_chain(hinges).angles,
                         most_matrix_entries = 1, most_contacts = 1, most_set_frictions = 1, most_corners = 0;
    static constexpr int most_links = hinges, most_freedoms = hinges, most_fields = 2 * hinges,
                         most_entries = hinges * (hinges + 1) / 2, most_rows_beside_tree = 1, most_spare_rows = 1;
    static constexpr bool keeps_factors = false, has_axes_codes = false;
};

template <class Capacity>
class HingeChain : public SizedJointTopology<Capacity> {
    using Any = SizedJointTopology<Capacity>;
    static constexpr int hinges = Capacity::most_links;

  public:
    static constexpr bool is_shape = true, slides = false, turns_freely = false, lists_contacts = false;
    static constexpr int even_tangents = 2;
    static constexpr unsigned kinds_of_elements = 0;

    HingeChain() = default;  // to be assigned before use
    MYRIAD_HD explicit HingeChain(const MechanismTable* table, int = 0, const short* = nullptr) : Any(table) {}

    static MYRIAD_HD constexpr int bodies() { return hinges; }
    static MYRIAD_HD constexpr int links() { return hinges; }
    static MYRIAD_HD constexpr int freedoms() { return hinges; }
    static MYRIAD_HD constexpr int fields() { return 2 * hinges; }
    static MYRIAD_HD constexpr int entries() { return Capacity::most_entries; }
    static MYRIAD_HD constexpr TreeLink link(int l) {
        return {l - 1, l, 0, 0, TreeTurning::about_z, 2 * l, l, l + 1 < hinges ? l + 1 : -1};
    }
    static MYRIAD_HD constexpr int axes_code(int) { return 0; }
    static MYRIAD_HD constexpr int link_of_freedom(int freedom) { return freedom; }
    static MYRIAD_HD constexpr int freedom_parent(int freedom) { return freedom - 1; }
    static MYRIAD_HD constexpr int field_of(int freedom) { return 2 * freedom; }
    static MYRIAD_HD constexpr bool is_turn(int) { return true; }
    static MYRIAD_HD constexpr int entry(int row, int column) { return row * (row + 1) / 2 + column; }
    static MYRIAD_HD constexpr bool is_symmetric() { return true; }

    static MYRIAD_HD constexpr int elements() { return 0; }
    static MYRIAD_HD constexpr int rows() { return 0; }
    static MYRIAD_HD constexpr int constraint_rows() { return 0; }
    static MYRIAD_HD constexpr int spare_rows() { return 0; }
    static MYRIAD_HD constexpr int loads() { return 0; }
    static MYRIAD_HD constexpr int angles() { return 0; }
    static MYRIAD_HD constexpr int watched_angles() { return 0; }
    static MYRIAD_HD constexpr int prescribed() { return 0; }
    static MYRIAD_HD constexpr int couplings() { return 0; }
    static MYRIAD_HD constexpr int frictions() { return 0; }
    static MYRIAD_HD constexpr bool friction_is_set() { return false; }
    static MYRIAD_HD constexpr bool friction_follows_reactions() { return false; }
    static MYRIAD_HD constexpr int set_frictions() { return 0; }
    static MYRIAD_HD constexpr int rotors() { return 0; }
    static MYRIAD_HD constexpr int coordinate_forces() { return 0; }
    static MYRIAD_HD constexpr int contacts() { return 0; }
};

}  // namespace myriad::inline MYRIAD_VARIANT
