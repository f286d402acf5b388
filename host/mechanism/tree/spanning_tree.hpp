// The tree of joints on which the bodies of a mechanism hang, and the joints that are cut into rows phi(q, t) = 0: a
// function of the bodies, of the joints with their rows, of which joints a limit, formula or coupling reads, of which
// bodies have neither mass nor inertia in the file, and of the order of the file alone. No other number of the file
// changes it.
//
// A joint with r rows leaves 6 - r freedoms in the tree and costs r multipliers outside it; a body that no joint holds
// has 6 freedoms. With R rows of all joints and n bodies, a tree T has
//   freedoms  6 n - sum_T r,  rows of cut joints  R - sum_T r,  unknowns  6 n + R - 2 sum_T r
// so the forest of the largest sum_T r, a maximum-weight spanning forest, has the fewest unknowns and the fewest rows
// at once. Taking joints by falling r, and by the file's order where r is equal, unless one closes a loop, finds it
// (Kruskal). A driver of a coordinate is a row outside the tree, and takes an unknown away in it: it counts as one row
// of its joint. What then has no way to the ground hangs there by a free joint, which has no rows: one for each
// connected group, on its first body in the file.
//
// A freedom of the tree needs inertia that it moves, and what is read has to be a coordinate of the tree. If none of
// the bodies that hang on a joint with freedoms has inertia, or if a joint that is read closes a loop, another joint of
// the loop is cut instead, as long as this leaves fewer such joints: of all exchanges of one joint of the tree the one
// that leaves the fewest, then the one that keeps the most rows in the tree, then the one that cuts the last joint of
// the file and takes up the first. A joint whose freedoms drivers prescribe needs no inertia.
//
// Where an orientation hangs on an orientation, their rates couple, and Newton's method needs all derivatives of this.
// In a loop, which has rows anyway, a spherical joint that hangs so is cut, and the tree is chosen anew without it,
// until no such joint is left.
//
// Not handled: force elements, which act on a coordinate of the tree without a row of their own and on a cut joint with
// one (mechanism_tree.hpp counts them); bodies with mass or inertia that a joint does not move
// (freedom_without_inertia.hpp).
#pragma once
#include <array>
#include <span>
#include <vector>

namespace myriad::mechanism {

// A joint as the choice sees it.
struct GraphJoint {
    std::array<int, 2> body{-1, -1};  // A, B; -1: ground. Two different ones
    int rows = 0;                     // 1 to 6; of a joint that can stand in the tree 6 less its freedoms
    bool is_carried = true;           // whether it can stand in the tree at all
    bool is_cut = false;              // the file asks for it
    int driven = 0;                   // of its coordinates, how many a driver prescribes
    bool is_read = false;             // a coordinate of it has to be one of the tree
    bool is_orientation = false;      // it leaves all turns free, and may be cut where it hangs on another such joint
};

struct TreeBody {
    int body = 0;
    int parent = -1;              // body, -1: ground
    int joint = -1;               // it hangs on; -1: a free joint
    bool is_backwards = false;    // the tree passes the joint from its body B to its body A: B is the parent
    int freedoms = 6, first = 0;  // of the joint, and the place of the first among all freedoms of the tree
};

enum class CutReason {
    asked,        // "cut" in the file
    only_rows,    // a row or a few that do not determine a joint's coordinates: DP1, DP2, D, CD
    loop,         // the tree has a way between its bodies already
    orientation,  // its orientation would hang on another one in a loop
};

struct CutJoint {
    int joint = 0;
    CutReason reason = CutReason::loop;
    int rows = 0;
};

struct SpanningTree {
    std::vector<TreeBody> bodies;  // parents before children, in the order of the file wherever this allows
    std::vector<int> place;        // of each body of the file, in `bodies`
    std::vector<CutJoint> cut;     // in the order of the file
    int freedoms = 0;
    int cut_rows = 0;

    int unknowns() const { return freedoms + cut_rows; }
    bool has(int joint) const;
    const TreeBody& of_body(int body) const {
        return bodies[static_cast<std::size_t>(place[static_cast<std::size_t>(body)])];
    }
    // The joints of the tree on the way from body a to body b (-1: ground), in this order; none where the way leads
    // over a free joint.
    std::vector<int> way(int a, int b) const;
};

// Joints are numbered by their place in `joints`. `without_inertia`: bodies in rising order. Throws
// std::invalid_argument for bodies or rows out of range.
SpanningTree spanning_tree(int bodies, std::span<const GraphJoint> joints, std::span<const int> without_inertia = {});

}  // namespace myriad::mechanism
