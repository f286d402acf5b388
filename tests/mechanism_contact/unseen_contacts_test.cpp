// Contacts that a step does not look at have no directions: whatever lies in their places, they are still and carry no
// load. Kernels whose loops are unrolled ask for the rows of all contacts, of open ones with a load of nought. One that
// a lane has open loads nothing there and does no work, even where its directions are not finite.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "kernels/integrators/contact/impact.hpp"
#include "kernels/joint_coordinates/contact_equations.hpp"
#include "tests/mechanism_contact/contact_mechanism.hpp"

namespace myriad::test {
namespace {

constexpr int bodies = 2, seen = 1;
constexpr double load = 0.7;

// A ball above two walls and another ball.
ContactMechanism balls() {
    ContactMechanism balls(R"({"bodies": {
        "ball": {"mass_kg": 1.1, "inertia_kg_m2": [0.02, 0.03, 0.04], "position_m": [0.1, 0.2, 0.5]},
        "other": {"mass_kg": 0.7, "inertia_kg_m2": [0.02, 0.02, 0.02], "position_m": [0.3, -0.1, 0.9]}}})");
    for (const double share : {0.0, 0.4})
        balls.add_sphere_plane(-1, 0, origin, up + Vector(share, 0.0, 0.1), {0.02, 0.01, 0.0}, 0.1, {});
    balls.add_sphere_sphere(0, 1, origin, origin, 0.1, 0.1, {});
    return balls;
}

TEST(UnseenContacts, AreStillAndCarryNoLoad) {
    using Topology = JointTopology;
    using System = JointMechanism<double, Topology, RotationGroup>;
    using Equations = ContactEquations<System>;
    const ContactMechanism given = balls();
    System::Parameters parameters;
    std::ranges::copy(given.parameters, &parameters[0]);
    const Topology topology(&given.mechanism.table);
    const System system{topology, &parameters};
    System::Configuration q;
    System::Velocity v;
    q.fit(topology), v.fit(topology);
    system.start(q, v);
    for (int i = 0; i < v.size(); ++i) v[i] = 1.0 + i;
    Equations equations(system);
    Equations::Places places;
    std::memset(static_cast<void*>(&places), 0xff, sizeof places);  // NaN
    equations.find_gaps(q, places);
    equations.find_directions(places, [](int contact) { return contact == seen; });
    for (int row = 0; row < given.mechanism.table.contacts * contact_directions; ++row) {
        double forces[6 * bodies] = {};
        places.add_load(row, true, load, forces);
        const bool are_finite = std::all_of(std::begin(forces), std::end(forces), [](double f) { return f == f; }),
                   are_zero = std::all_of(std::begin(forces), std::end(forces), [](double f) { return f == 0.0; });
        EXPECT_TRUE(are_finite) << "row " << row;
        EXPECT_EQ(are_zero, row / contact_directions != seen) << "row " << row;
        EXPECT_EQ(places.velocity(row, v) == 0.0, row / contact_directions != seen) << "row " << row;
        EXPECT_EQ(places.velocity_beyond_noise(row, v), places.velocity(row, v)) << "row " << row;
    }
    // A contact that another lane of a pack has closed is seen, and this lane may have no directions there.
    std::memset(static_cast<void*>(&places), 0xff, sizeof places);
    places.topology = topology;
    places.see([](int) { return true; });
    ContactLoads<double, Topology> none;
    none.fit(topology), none.clear();
    for (int row = 0; row < none.size(); ++row) {
        double forces[6 * bodies] = {};
        places.add_load(row, false, 0.0, forces);
        EXPECT_TRUE(std::all_of(std::begin(forces), std::end(forces), [](double f) { return f == 0.0; }))
            << "row " << row;
    }
    const FrictionWork<double> work = friction_work(places, none, v);
    EXPECT_EQ(work.lost, 0.0);
    EXPECT_EQ(work.worn, 0.0);
}

}  // namespace
}  // namespace myriad::test
