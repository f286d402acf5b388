// Dry friction of joints that grows with the force in the joint: its refusals. Files of ensembles/expected/ that begin
// with bearing_friction hold its closed forms.
#include "kernels/system/status.hpp"
#include "tests/mechanism_contact/tree_mechanisms.hpp"

namespace myriad::test {
namespace {

template <class Member>
class BearingFriction : public testing::Test {};
TYPED_TEST_SUITE(BearingFriction, AllSchemes);

TYPED_TEST(BearingFriction, WithACoefficientOrARadiusBelowZeroEndsThatInstanceAlone) {
    const ContactMechanism chain = chain_on_bearings();
    const auto bearing = static_cast<std::size_t>(chain.mechanism.table.joint.friction[0].bearing);
    std::vector<std::vector<double>> instances(4, chain.parameters);
    instances[1][bearing] = -0.1, instances[2][bearing + 1] = -0.01;
    ContactRun run(TypeParam::name, chain, contact_schedule(1e-3, 20), instances);
    run.run();
    for (const std::size_t n : {1u, 2u}) {
        EXPECT_EQ(run.status(n), Status::invalid_parameter);
        EXPECT_EQ(static_cast<Reason>(static_cast<int>(run.progress(n).reason)), Reason::friction_invalid);
    }
    for (const std::size_t n : {0u, 3u}) EXPECT_EQ(run.status(n), Status::ok);
}

}  // namespace
}  // namespace myriad::test
