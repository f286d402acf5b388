// Parameters that a system refuses, those that it takes, and those that it warns of.
#include <limits>

#include "tests/kernels/states.hpp"

namespace myriad::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class On>
class Prepare : public testing::Test {
  protected:
    using Tried = typename On::template System<double>;

    static void set(Vec<Tried::parameter_count, double>& parameters, const std::string& address, double value) {
        parameters[backends::parameter_index(Tried::name, address)] = value;
    }
    // Inertia about the centre of mass, with products zero.
    static Vec<Tried::parameter_count, double> with_principal_inertia(double xx, double yy, double zz) {
        auto parameters = parameters_of<Tried>(3);
        set(parameters, "inertia_kg_m2.xx", xx);
        set(parameters, "inertia_kg_m2.yy", yy);
        set(parameters, "inertia_kg_m2.zz", zz);
        for (const char* product : {"xy", "xz", "yz"}) set(parameters, std::string("inertia_kg_m2.") + product, 0.0);
        return parameters;
    }
    static Reason reason(const Vec<Tried::parameter_count, double>& parameters) {
        return static_cast<Reason>(static_cast<int>(Tried::prepare(parameters).reason));
    }
    static bool warns(const Vec<Tried::parameter_count, double>& parameters) {
        return Tried::prepare(parameters).warnings == static_cast<double>(Warning::inertia_breaks_triangle_inequality);
    }
};
TYPED_TEST_SUITE(Prepare, SystemsOnCharts);

TYPED_TEST(Prepare, TakesAGenericBody) {
    using System = typename TestFixture::Tried;
    for (std::uint64_t instance = 0; instance < 100; ++instance) {
        EXPECT_EQ(this->reason(parameters_of<System>(instance)), Reason::none);
        EXPECT_FALSE(this->warns(parameters_of<System>(instance)));
    }
}

TYPED_TEST(Prepare, RefusesAMassThatIsNotPositive) {
    using System = typename TestFixture::Tried;
    for (const double mass : {0.0, -0.0, -1e-300, -2.0}) {
        auto parameters = parameters_of<System>(1);
        this->set(parameters, "mass_kg", mass);
        EXPECT_EQ(this->reason(parameters), Reason::mass_not_positive) << mass;
    }
}

TYPED_TEST(Prepare, RefusesWhatIsNotFiniteWhereverItStands) {
    using System = typename TestFixture::Tried;
    for (int i = 0; i < System::parameter_count; ++i)
        for (const double value : {nan, infinity, -infinity}) {
            auto parameters = parameters_of<System>(1);
            parameters[i] = value;
            EXPECT_EQ(this->reason(parameters), Reason::parameter_not_finite) << System::parameters[i].address;
        }
}

TYPED_TEST(Prepare, RefusesAnIndefiniteInertia) {
    using System = typename TestFixture::Tried;
    for (const auto& [xx, yy, zz] : {std::tuple{-0.1, 1.0, 1.0}, {1.0, -0.1, 1.0}, {1.0, 1.0, -0.1}, {-1.0, -1.0, 1.0}})
        EXPECT_EQ(this->reason(this->with_principal_inertia(xx, yy, zz)), Reason::inertia_not_positive_semidefinite);
    for (const char* product : {"xy", "xz", "yz"}) {
        auto parameters = parameters_of<System>(1);
        this->set(parameters, std::string("inertia_kg_m2.") + product, 2.0);
        EXPECT_EQ(this->reason(parameters), Reason::inertia_not_positive_semidefinite) << product;
    }
    // Every minor of two rows is positive, the determinant is not: eigenvalues 1.6, 1.6 and -0.2.
    auto parameters = this->with_principal_inertia(1.0, 1.0, 1.0);
    for (const char* product : {"xy", "xz", "yz"}) this->set(parameters, std::string("inertia_kg_m2.") + product, -0.6);
    EXPECT_EQ(this->reason(parameters), Reason::inertia_not_positive_semidefinite);
}

// A rod has no inertia about its axis: semidefinite, which only matters where that matrix has to be inverted.
TYPED_TEST(Prepare, TakesASemidefiniteInertiaOnlyWhereItIsNotInverted) {
    using System = typename TestFixture::Tried;
    const auto rod = this->with_principal_inertia(1.0, 1.0, 0.0);
    const bool about_the_fixed_point = System::name == std::string("heavy_top");
    EXPECT_EQ(this->reason(rod), about_the_fixed_point ? Reason::none : Reason::inertia_singular);
    EXPECT_EQ(this->reason(this->with_principal_inertia(0.0, 0.0, 0.0)), Reason::inertia_singular);
    EXPECT_FALSE(this->warns(rod)) << "1 + 0 >= 1 holds";
}

TYPED_TEST(Prepare, RefusesASmallInertiaNotForItsSmallness) {
    EXPECT_EQ(this->reason(this->with_principal_inertia(1e-9, 1.1e-9, 0.9e-9)), Reason::none);
}

TYPED_TEST(Prepare, WarnsOfABrokenTriangleInequalityButTakesIt) {
    for (const auto& [xx, yy, zz] : {std::tuple{1.0, 1.0, 2.1}, {2.1, 1.0, 1.0}, {1.0, 2.1, 1.0}}) {
        EXPECT_TRUE(this->warns(this->with_principal_inertia(xx, yy, zz)));
        EXPECT_EQ(this->reason(this->with_principal_inertia(xx, yy, zz)), Reason::none);
    }
    // A disc obeys it with equality, also where the sum rounds.
    EXPECT_FALSE(this->warns(this->with_principal_inertia(1.0, 1.0, 2.0)));
    EXPECT_FALSE(this->warns(this->with_principal_inertia(0.1, 0.2, 0.1 + 0.2)));
    EXPECT_FALSE(this->warns(this->with_principal_inertia(0.3, 0.1, 0.2)));
}

}  // namespace
}  // namespace myriad::test
