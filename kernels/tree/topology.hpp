// A tree of bodies: each body hangs on its parent, a body before it or the ground (-1), by one joint. The same for
// every instance, in plain constants, and read at run time.
//
//   joint          freedoms, in this order              configuration fields, in this order
//   fixed          -                                    -
//   revolute       angle about z                        angle, whole turns
//   prismatic      slide along z                        displacement
//   cylindrical    slide along z, angle about z         displacement, angle, whole turns
//   universal      first angle, second angle            first angle, its turns, second angle, its turns
//   spherical      angular velocity (3)                 orientation (w x y z)
//   planar         slides along x and y, angle about z  two displacements, angle, whole turns
//   translational  slides along x, y and z              three displacements
//   free           velocity (3), angular velocity (3)   position (3), orientation (w x y z); on the ground alone
//
// Kernels see links: every joint is some slides along axes of its joint frame, which keeps the directions of the
// parent, and then a turn, none, about z or any. A universal joint is two links, of which the first, its cross, carries
// no body. Entry (i, j) of a matrix over the freedoms differs from zero only where j is i or an ancestor of i, or the
// reverse: row i holds its ancestors in order of their depth and itself (Featherstone 2008, sect. 6.4). Not handled:
// bounds and order, which the author of the table has checked.
#pragma once
#include "kernels/math/real.hpp"

namespace myriad {

constexpr int most_tree_bodies = 16, most_tree_links = 24, most_tree_freedoms = 96, most_tree_fields = 112,
              most_tree_entries = 1536;

enum class TreeJoint {
    fixed = 0,
    revolute = 1,
    prismatic = 2,
    cylindrical = 3,
    universal = 4,
    spherical = 5,
    planar = 6,
    translational = 7,
    free = 8,
};
constexpr int tree_joint_kinds = 9;

enum class TreeTurning { none = 0, about_z = 1, any = 2 };
MYRIAD_HD constexpr int freedoms_of(TreeTurning turning) {
    return turning == TreeTurning::any ? 3 : turning == TreeTurning::about_z ? 1 : 0;
}
MYRIAD_HD constexpr int fields_of(TreeTurning turning) {
    return turning == TreeTurning::any ? 4 : turning == TreeTurning::about_z ? 2 : 0;
}

MYRIAD_HD constexpr int slides_of(TreeJoint joint) {
    switch (joint) {
        case TreeJoint::prismatic:
        case TreeJoint::cylindrical:
            return 1;
        case TreeJoint::planar:
            return 2;
        case TreeJoint::translational:
        case TreeJoint::free:
            return 3;
        default:
            return 0;
    }
}
// Of each of its links
MYRIAD_HD constexpr TreeTurning turning_of(TreeJoint joint) {
    switch (joint) {
        case TreeJoint::revolute:
        case TreeJoint::cylindrical:
        case TreeJoint::universal:
        case TreeJoint::planar:
            return TreeTurning::about_z;
        case TreeJoint::spherical:
        case TreeJoint::free:
            return TreeTurning::any;
        default:
            return TreeTurning::none;
    }
}
MYRIAD_HD constexpr int links_of(TreeJoint joint) { return joint == TreeJoint::universal ? 2 : 1; }
MYRIAD_HD constexpr int freedoms_of(TreeJoint joint) {
    return links_of(joint) * (slides_of(joint) + freedoms_of(turning_of(joint)));
}
MYRIAD_HD constexpr int fields_of(TreeJoint joint) {
    return links_of(joint) * (slides_of(joint) + fields_of(turning_of(joint)));
}

struct TreeLink {
    int parent;              // link; -1: the ground
    int body;                // -1: the cross of a universal joint
    int slides, first_axis;  // how many, along which axis of the joint frame the first; the next along the next axes
    TreeTurning turning;
    int field, freedom;  // the first of its configuration and of its rates
    int last_child;      // -1: none hangs on it
};

struct TreeTable {
    int bodies, links, freedoms, fields, entries;
    TreeJoint joint[most_tree_bodies];
    int parent[most_tree_bodies];
    int last_link[most_tree_bodies];  // the link that carries the body
    TreeLink link[most_tree_links];
    int link_of_freedom[most_tree_freedoms];
    int freedom_parent[most_tree_freedoms];  // the next freedom towards the ground; -1: none
    int freedom_depth[most_tree_freedoms];   // its ancestors
    int freedom_row[most_tree_freedoms];     // the place of its row among the entries
};

// The table of a tree; one with links = 0 if it has more of anything than the capacities above.
MYRIAD_HD constexpr TreeTable tree_table(int bodies, const int* parent, const TreeJoint* joint) {
    TreeTable table{};
    if (bodies > most_tree_bodies) return {};
    int last_freedom[most_tree_links] = {};  // of the link and its ancestors
    for (int b = 0; b < bodies; ++b) {
        if (table.links + links_of(joint[b]) > most_tree_links ||
            table.freedoms + freedoms_of(joint[b]) > most_tree_freedoms ||
            table.fields + fields_of(joint[b]) > most_tree_fields)
            return {};
        table.joint[b] = joint[b], table.parent[b] = parent[b];
        int parent_link = parent[b] < 0 ? -1 : table.last_link[parent[b]];
        for (int part = 0; part < links_of(joint[b]); ++part) {
            const int l = table.links++, slides = slides_of(joint[b]);
            const bool along_z = joint[b] == TreeJoint::prismatic || joint[b] == TreeJoint::cylindrical;
            const bool last = part + 1 == links_of(joint[b]);
            table.link[l] = {parent_link,          last ? b : -1, slides,         along_z ? 2 : 0,
                             turning_of(joint[b]), table.fields,  table.freedoms, -1};
            if (parent_link >= 0) table.link[parent_link].last_child = l;
            table.fields += slides + fields_of(turning_of(joint[b]));
            int freedom = parent_link < 0 ? -1 : last_freedom[parent_link];
            for (int k = 0; k < slides + freedoms_of(turning_of(joint[b])); ++k) {
                const int i = table.freedoms++;
                table.link_of_freedom[i] = l, table.freedom_parent[i] = freedom;
                table.freedom_depth[i] = freedom < 0 ? 0 : table.freedom_depth[freedom] + 1;
                table.freedom_row[i] = table.entries;
                table.entries += table.freedom_depth[i] + 1;
                freedom = i;
            }
            last_freedom[l] = freedom, parent_link = l;
        }
        table.last_link[b] = parent_link;
    }
    table.bodies = bodies;
    if (table.entries > most_tree_entries) return {};
    return table;
}

}  // namespace myriad

namespace myriad::inline MYRIAD_VARIANT {

// Calls `use` with the number of each slide of a link. Written out: a kernel takes longest to compile for loops.
template <class Use>
MYRIAD_HD void each_slide(const TreeLink& link, Use use) {
    if (link.slides > 0) use(0);
    if (link.slides > 1) use(1);
    if (link.slides > 2) use(2);
}

}  // namespace myriad::inline MYRIAD_VARIANT
