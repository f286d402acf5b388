// The rows, loads and matrices of a mechanism against definitions and differences (definitions.hpp), at generic states
// of two bodies, of which either may be the ground.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "kernels/euler_parameters.hpp"
#include "kernels/euler_zxz.hpp"
#include "kernels/mechanism/mechanism.hpp"
#include "kernels/mechanism/observe.hpp"
#include "tests/mechanism/definitions.hpp"

namespace myriad::mechanism {

namespace {

constexpr ElementKind all_kinds[] = {
    ElementKind::point,    ElementKind::coordinate_difference, ElementKind::dot_1, ElementKind::dot_2,
    ElementKind::distance, ElementKind::driven_angle,          ElementKind::angle, ElementKind::rotation_vector};
constexpr int states_of_a_kind = 20;

// States, parameters and rates are of order one; each quantity takes less than 100 operations on such numbers.
constexpr double round_off = 2e-14;
// Differences in long double with h = 1e-3: h^4/30 times a fifth derivative below 1e3, and no visible rounding.
constexpr Number80 step_80 = 1e-3L;
constexpr double difference_80 = 1e-10;
// Differences in double with h = 1e-3: the same, and 1e-16/h times sums of order 100.
constexpr double step_64 = 1e-3, difference_64 = 3e-10;

Vec<3, double> vec(const Vector3& v) {
    return {static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])};
}
Vector3 vec(const Vec<3, double>& v) { return Vector3(v[0], v[1], v[2]); }

// Motion of a body with constant acceleration in the chart of its own start: R exp(w t + w' t^2/2), whose angular
// velocity and acceleration at t = 0 are w and w'.
struct MovingBody {
    Pose pose;
    Vector3 velocity = Vector3::Zero(), angular_velocity = Vector3::Zero(), acceleration = Vector3::Zero(),
            angular_acceleration = Vector3::Zero();

    static MovingBody generic(Generic& generic) {
        return {{generic.vector(1.5), generic.orientation()},
                generic.vector(1.0),
                generic.vector(1.0),
                generic.vector(1.0),
                generic.vector(1.0)};
    }
    Pose at(Number80 t) const {
        return moved(pose, t * velocity + t * t / 2 * acceleration,
                     t * angular_velocity + t * t / 2 * angular_acceleration);
    }
    Place<double> place() const {
        Place<double> place;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) place.matrix.e[i][j] = static_cast<double>(pose.orientation(i, j));
        place.position = vec(pose.position), place.velocity = vec(velocity);
        place.angular_velocity = vec(angular_velocity);
        return place;
    }
};

// One element between two bodies with generic parameters and a function f0 + f1 t + f2 t^2/2.
struct ElementCase {
    Element element;
    std::vector<double> parameters;  // of the geometry
    MovingBody body[2];
    Bodies<double, 2> bodies;
    Taylor<double> function;
    double turned = 0.0;

    Number80 function_at(Number80 t) const {
        return function.value + t * function.rate + t * t / 2 * function.acceleration;
    }
    std::vector<Number80> rows_at_time(Number80 t) const {
        return rows_by_definition(element.kind, body[0].at(t), body[1].at(t), parameters.data(), function_at(t),
                                  turned);
    }
    Rows<double> rows() const { return rows_at(element, bodies, parameters.data(), function, turned); }
};

void append(std::vector<double>& list, const Vector3& v) {
    for (int i = 0; i < 3; ++i) list.push_back(static_cast<double>(v[i]));
}

std::vector<double> generic_geometry(ElementKind kind, const Pose& i, const Pose& j, Generic& generic) {
    std::vector<double> p;
    const Vector3 n = generic.direction(), a = n.unitOrthogonal(), g = n.cross(a);
    switch (kind) {
        case ElementKind::point:
        case ElementKind::distance:
            append(p, generic.vector(1.0)), append(p, generic.vector(1.0));
            break;
        case ElementKind::dot_1:
            append(p, generic.direction()), append(p, generic.direction());
            break;
        case ElementKind::coordinate_difference:
        case ElementKind::dot_2:
            append(p, generic.direction()), append(p, generic.vector(1.0)), append(p, generic.vector(1.0));
            break;
        case ElementKind::driven_angle:
            append(p, a), append(p, g), append(p, generic.direction());
            break;
        case ElementKind::angle: {
            // What the joint guarantees: B's reference is perpendicular to A's axis.
            const Number80 angle = generic.number(-3.0, 3.0);
            append(p, n), append(p, a), append(p, g);
            append(p, j.orientation.transpose() * i.orientation * (std::cos(angle) * a + std::sin(angle) * g));
            break;
        }
        case ElementKind::rotation_vector: {
            // A relative rotation of up to 2.6 rad, well inside half a turn.
            const Matrix3 offset =
                i.orientation.transpose() * j.orientation * turn_of(generic.number(0.1, 2.6) * generic.direction());
            const Eigen::Quaternion<Number80> q(offset);
            for (const Number80 x : {q.w(), q.x(), q.y(), q.z()}) p.push_back(static_cast<double>(x));
            break;
        }
    }
    return p;
}

// `sides`: 0 both are bodies, 1 the first is the ground, 2 the second.
ElementCase element_case(ElementKind kind, int sides, Generic& generic) {
    ElementCase made{};
    made.element = {kind, false, false, {sides == 1 ? -1 : 0, sides == 2 ? -1 : sides == 1 ? 0 : 1},
                    0,    0,     0,     {0, 1, 2}};
    for (int side = 0; side < 2; ++side)
        if (made.element.body[side] >= 0) {
            made.body[side] = MovingBody::generic(generic);
            made.bodies.of[made.element.body[side]] = made.body[side].place();
        }
    made.parameters = generic_geometry(kind, made.body[0].pose, made.body[1].pose, generic);
    made.function = {generic.number(-1.0, 1.0), generic.number(-1.0, 1.0), generic.number(-1.0, 1.0)};
    if (kind == ElementKind::rotation_vector || kind == ElementKind::point) made.function = {};
    made.turned = kind == ElementKind::angle ? generic.number(-20.0, 20.0) : 0.0;
    return made;
}

void for_all_cases(const std::function<void(const ElementCase&)>& check) {
    for (const ElementKind kind : all_kinds)
        for (int sides = 0; sides < 3; ++sides) {
            Generic generic(static_cast<std::uint64_t>(100 * static_cast<int>(kind) + sides + 1));
            for (int state = 0; state < states_of_a_kind; ++state) {
                SCOPED_TRACE(testing::Message()
                             << "kind " << static_cast<int>(kind) << " sides " << sides << " state " << state);
                check(element_case(kind, sides, generic));
                if (testing::Test::HasFailure()) return;
            }
        }
}

TEST(MechanismRows, HaveTheValuesOfTheirDefinitions) {
    for_all_cases([](const ElementCase& one) {
        const std::vector<Number80> expected = one.rows_at_time(0);
        const Rows<double> rows = one.rows();
        for (std::size_t k = 0; k < expected.size(); ++k)
            EXPECT_NEAR(rows.value[static_cast<int>(k)], static_cast<double>(expected[k]), round_off);
    });
}

TEST(MechanismRows, HaveGradientsAlongMovesAndTurnsOfEitherBody) {
    for_all_cases([](const ElementCase& one) {
        const Rows<double> rows = one.rows();
        for (int side = 0; side < 2; ++side) {
            if (one.element.body[side] < 0) continue;
            for (int i = 0; i < 6; ++i)
                for (int k = 0; k < rows_of(one.element.kind); ++k) {
                    const auto along = [&](Number80 e) {
                        Vector3 x = Vector3::Zero(), theta = Vector3::Zero();
                        (i < 3 ? x[i] : theta[i - 3]) = e;
                        Pose pose[2] = {one.body[0].pose, one.body[1].pose};
                        pose[side] = moved(pose[side], x, theta);
                        return rows_by_definition(one.element.kind, pose[0], pose[1], one.parameters.data(),
                                                  one.function.value, one.turned)[static_cast<std::size_t>(k)];
                    };
                    const double expected = static_cast<double>(first_difference(along, step_80));
                    const double gradient =
                        i < 3 ? (side == 0 ? -1.0 : 1.0) * rows.direction[k][i] : rows.turn[side][k][i - 3];
                    EXPECT_NEAR(gradient, expected, difference_80)
                        << "side " << side << " unknown " << i << " row " << k;
                }
        }
    });
}

TEST(MechanismRows, HaveTheRatesOfTheirValuesAlongAMotion) {
    for_all_cases([](const ElementCase& one) {
        const Rows<double> rows = one.rows();
        for (int k = 0; k < rows_of(one.element.kind); ++k) {
            const auto value = [&](Number80 t) { return one.rows_at_time(t)[static_cast<std::size_t>(k)]; };
            EXPECT_NEAR(row_rate(one.element, rows, k, one.bodies) + rows.partial_rate[k],
                        static_cast<double>(first_difference(value, step_80)), difference_80);
        }
    });
}

TEST(MechanismRows, OfConstraintsHaveTheSecondRatesOfTheirValuesAlongAMotion) {
    for_all_cases([](const ElementCase& one) {
        if (one.element.kind == ElementKind::angle || one.element.kind == ElementKind::rotation_vector) return;
        const Rows<double> rows = one.rows();
        const Vec<3, double> bias = row_bias(one.element, one.bodies, one.parameters.data(), one.function);
        for (int k = 0; k < rows_of(one.element.kind); ++k) {
            const auto value = [&](Number80 t) { return one.rows_at_time(t)[static_cast<std::size_t>(k)]; };
            double second = bias[k];
            for (int side = 0; side < 2; ++side) {
                if (one.element.body[side] < 0) continue;
                second += (side == 0 ? -1.0 : 1.0) * dot(rows.direction[k], vec(one.body[side].acceleration)) +
                          dot(rows.turn[side][k], vec(one.body[side].angular_acceleration));
            }
            EXPECT_NEAR(second, static_cast<double>(second_difference(value, step_80)), difference_80);
        }
    });
}

// Two bodies with any elements and loads, on a chart, with a place in the matrix for every entry there can be.
template <template <class> class ChartOf>
struct Bench {
    using System = myriad::Mechanism<double, TableTopology, ChartOf>;
    using Chart = typename System::Chart;
    using Velocity = typename System::Velocity;
    static constexpr int bodies = 2;

    MechanismTable table{};
    typename System::Parameters parameters{};
    typename System::Scratch scratch;
    System system{TableTopology(&table), &parameters};
    typename System::Configuration start, q;
    Velocity u, v, a;  // the step from start to q, and its rates
    std::vector<double> multipliers, turned;
    StepCoefficients<double> by{0.8, 0.3, 0.05, false, false};

    explicit Bench(Generic& generic) {
        table.bodies = bodies;
        table.parameters = first_body_parameter + bodies * body_parameters;
        for (int i = 0; i < 3; ++i) parameters[gravity_parameter + i] = generic.number(-10.0, 10.0);
        parameters[length_scale_parameter] = 1.0;
        for (auto* rates : {&u, &v, &a}) rates->fit(system.topology);
        start.fit(system.topology), q.fit(system.topology);
        for (int b = 0; b < bodies; ++b) {
            const int at = parameters_of_body(b);
            parameters[at + body_mass] = generic.number(0.5, 2.0);
            // J = trace(P) I - P with the second moments P of random masses
            Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
            for (int k = 0; k < 4; ++k) {
                const Eigen::Vector3d s = generic.vector(0.8).cast<double>();
                second += s * s.transpose();
            }
            const Eigen::Matrix3d inertia = second.trace() * Eigen::Matrix3d::Identity() - second;
            const double components[] = {inertia(0, 0), inertia(1, 1), inertia(2, 2),
                                         inertia(0, 1), inertia(0, 2), inertia(1, 2)};
            for (int k = 0; k < 6; ++k) parameters[at + body_inertia + k] = components[k];
            const Eigen::Quaternion<Number80> r(generic.orientation());
            typename Chart::Rates rates{}, turning{}, none{};
            Chart::start({static_cast<double>(r.w()), static_cast<double>(r.x()), static_cast<double>(r.y()),
                          static_cast<double>(r.z())},
                         Vec<3, double>{}, start.orientation[b], rates);
            start.position[b] = vec(generic.vector(1.5));
            for (int k = 0; k < Chart::rate_count; ++k) rates[k] = generic.number(-1.0, 1.0);
            for (int k = 0; k < Chart::rate_count; ++k) none[k] = generic.number(-1.0, 1.0);
            for (int k = 0; k < Chart::rate_count; ++k) turning[k] = generic.number(-0.2, 0.2);
            v.set(b, vec(generic.vector(1.0)), rates);
            a.set(b, vec(generic.vector(1.0)), none);
            u.set(b, vec(generic.vector(0.2)), turning);
        }
    }

    // Without the tangent operator the group's matrix is that of a step from where the body is.
    void stay_at_start() {
        for (int i = 0; i < u.size(); ++i) u[i] = 0.0;
    }
    void stand_still() {
        for (int i = 0; i < v.size(); ++i) v[i] = 0.0;
    }
    void follow() {
        q = start;
        system.retract(start, u, q);
    }
    Pose pose(int b) {
        follow();
        if (b < 0) return {};
        const Rotation<double> r = Chart::rotation(q.orientation[b]);
        return {vec(q.position[b]), Eigen::Quaternion<Number80>(r.w, r.x, r.y, r.z).normalized().toRotationMatrix()};
    }

    void add_element(ElementKind kind, int i, int j, bool has_law, Generic& generic, bool damped = true) {
        add_element(kind, i, j, has_law, generic, damped, generic_geometry(kind, pose(i), pose(j), generic));
    }
    void add_element(ElementKind kind, int i, int j, bool has_law, Generic& generic, bool damped,
                     const std::vector<double>& geometry) {
        Element element{kind, has_law, false, {i, j}, table.parameters, -1, -1, {-1, -1, -1}};
        for (const double x : geometry) parameters[table.parameters++] = x;
        for (int k = 0; k < rows_of(kind); ++k) {
            element.row[k] = table.rows++;
            multipliers.push_back(generic.number(-2.0, 2.0));
            if (!has_law) ++table.constraint_rows;
        }
        if (has_law)
            for (int k = 0; k < 2 * rows_of(kind); ++k)
                parameters[table.parameters++] = k < rows_of(kind) || damped ? generic.number(0.5, 3.0) : 0.0;
        if (kind != ElementKind::point && kind != ElementKind::rotation_vector)
            element.function = add_function(generic);
        if (kind == ElementKind::angle) element.angle = table.angles++, turned.push_back(generic.number(-20.0, 20.0));
        table.element[table.elements++] = element;
    }
    int add_function(Generic& generic) {
        scratch.functions[table.functions] = {generic.number(-1.0, 1.0), generic.number(-1.0, 1.0),
                                              generic.number(-1.0, 1.0)};
        return table.functions++;
    }
    void add_load(LoadKind kind, int b, Generic& generic) {
        Load load{kind, b, -1, {}};
        for (int& function : load.function) function = add_function(generic);
        if (kind == LoadKind::force_world || kind == LoadKind::force_body) {
            load.parameter = table.parameters;
            for (int k = 0; k < 3; ++k) parameters[table.parameters++] = generic.number(-1.0, 1.0);
        }
        table.load[table.loads++] = load;
    }

    int unknowns() const { return 6 * bodies + table.rows; }
    void number_slots() {
        Elimination& places = table.elimination;
        int next = 0;
        for (int b = 0; b < bodies; ++b)
            for (auto& row : places.body_slot[b])
                for (short& slot : row) slot = static_cast<short>(next++);
        for (int r = 0; r < table.rows; ++r) {
            for (auto* side : {&places.row_slot[r], &places.column_slot[r]})
                for (auto& entries : *side)
                    for (short& slot : entries) slot = static_cast<short>(next++);
            places.diagonal_slot[r] = static_cast<short>(next++);
        }
        places.slots = next, places.unknowns = unknowns();
        ASSERT_LE(next, most_matrix_entries);
    }

    bool full_maps() const { return !is_rotation_group<Chart> || by.tangent_operator; }
    typename Chart::Correction chart_correction(int b) const {
        return Chart::correction(q.orientation[b], v.turning(b), a.turning(b), u.turning(b), by.acceleration,
                                 by.velocity, by.position, by.tangent_operator);
    }

    // As System::correct.
    void evaluate(bool with_matrix) {
        follow();
        system.place(q, v, a, scratch.work);
        if (full_maps())
            for (int b = 0; b < bodies; ++b) {
                scratch.work.acceleration_map[b] = chart_correction(b).acceleration;
                scratch.work.velocity_map[b] = chart_correction(b).velocity;
            }
        const Linearization<double> linearization{by.acceleration, by.velocity, by.position, 1.0 / by.position,
                                                  Level::position, true,        false,       full_maps(),
                                                  with_matrix};
        system.equations(scratch.functions)
            .evaluate(scratch.work, linearization, multipliers.data(), turned.data(), scratch.matrix);
    }
    Eigen::VectorXd residual() {
        evaluate(false);
        return -Eigen::Map<const Eigen::VectorXd>(scratch.work.right_hand_side, unknowns());
    }
    Eigen::MatrixXd matrix() {
        number_slots();
        for (double& x : scratch.matrix) x = 0.0;
        evaluate(true);
        Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(unknowns(), unknowns());
        const Elimination& places = table.elimination;
        for (int b = 0; b < bodies; ++b)
            for (int i = 0; i < 6; ++i)
                for (int j = 0; j < 6; ++j) dense(6 * b + i, 6 * b + j) = scratch.matrix[places.body_slot[b][i][j]];
        for (int e = 0; e < table.elements; ++e)
            for (const int r : table.element[e].row) {
                if (r < 0) continue;
                const int row = 6 * bodies + r;
                dense(row, row) = scratch.matrix[places.diagonal_slot[r]];
                for (int side = 0; side < 2; ++side)
                    for (int i = 0; i < 6 && table.element[e].body[side] >= 0; ++i) {
                        const int unknown = 6 * table.element[e].body[side] + i;
                        dense(row, unknown) = scratch.matrix[places.row_slot[r][side][i]];
                        dense(unknown, row) = scratch.matrix[places.column_slot[r][side][i]];
                    }
            }
        return dense;
    }

    // Changes unknown c by e, as the corrections of a step do, and runs `look`.
    template <class Look>
    auto with_unknown(int c, double e, Look&& look) {
        const Velocity u_before = u, v_before = v, a_before = a;
        const std::vector<double> multipliers_before = multipliers;
        if (c >= 6 * bodies) {
            multipliers[static_cast<std::size_t>(c - 6 * bodies)] += e;
        } else {
            const int b = c / 6, i = c % 6, at = b * Velocity::per_body;
            follow();
            if (i < 3) {
                shift(at + i, e);
            } else {
                Vec<3, double> z{}, none{};
                z[i - 3] = e;
                const auto correction = chart_correction(b);
                const auto with = correction.rates(z), without = correction.rates(none);
                for (int k = 0; k < Chart::rate_count; ++k) shift(at + 3 + k, with[k] - without[k]);
            }
        }
        auto seen = look();
        u = u_before, v = v_before, a = a_before, multipliers = multipliers_before;
        return seen;
    }
    void shift(int i, double e) { u[i] += by.position * e, v[i] += by.velocity * e, a[i] += by.acceleration * e; }

    Eigen::MatrixXd differences() {
        Eigen::MatrixXd dense(unknowns(), unknowns());
        for (int c = 0; c < unknowns(); ++c) {
            const auto at = [&](double e) { return with_unknown(c, e, [&] { return residual(); }); };
            const double h = step_64;
            dense.col(c) = (at(-2 * h) - at(2 * h) + 8.0 * (at(h) - at(-h))) / (12.0 * h);
        }
        return dense;
    }
};

// d(damping B v)/dq of the law rows, with v and w as they are: what the matrix leaves out of all laws but those on
// angles.
template <template <class> class ChartOf>
Eigen::MatrixXd damping_left_out(Bench<ChartOf>& bench) {
    Eigen::MatrixXd left_out = Eigen::MatrixXd::Zero(bench.unknowns(), bench.unknowns());
    bench.follow();
    bench.system.place(bench.q, bench.v, bench.a, bench.scratch.work);
    const auto equations = bench.system.equations(bench.scratch.functions);
    auto& bodies = bench.scratch.work.bodies;
    for (int c = 0; c < 6 * bench.bodies; ++c) {
        const int b = c / 6, i = c % 6;
        const Place<double> before = bodies.of[b];
        const auto rates = [&](double e) {
            Eigen::VectorXd seen = Eigen::VectorXd::Zero(bench.unknowns());
            if (i < 3) {
                bodies.of[b].position[i] += e;
            } else {
                Vec<3, double> theta{};
                theta[i - 3] = e;
                bodies.of[b].matrix = before.matrix * matrix_of(exp(theta));
            }
            for (int n = 0; n < bench.table.elements; ++n) {
                const Element& element = bench.table.element[n];
                if (!element.has_law || element.kind == ElementKind::angle) continue;
                const Rows<double> rows = equations.rows(element, bodies, bench.turned.data());
                for (int k = 0; k < rows_of(element.kind); ++k)
                    seen[6 * bench.bodies + element.row[k]] =
                        equations.damping(element, k) * row_rate(element, rows, k, bodies);
            }
            bodies.of[b] = before;
            return seen;
        };
        const double h = step_64;
        left_out.col(c) =
            bench.by.position * (rates(-2 * h) - rates(2 * h) + 8.0 * (rates(h) - rates(-h))) / (12.0 * h);
    }
    return left_out;
}

void expect_equal(const Eigen::MatrixXd& matrix, const Eigen::MatrixXd& expected, bool whole) {
    const double size = 1.0 + expected.cwiseAbs().maxCoeff();
    for (int i = 0; i < matrix.rows(); ++i)
        for (int j = 0; j < matrix.cols(); ++j) {
            const bool between_bodies = i < 12 && j < 12 && i / 6 != j / 6;
            if (between_bodies && !whole) continue;
            EXPECT_NEAR(matrix(i, j), expected(i, j), difference_64 * size) << "entry " << i << ", " << j;
        }
}

template <template <class> class ChartOf, bool with_tangent_operator>
struct ChartCase {
    using Tested = Bench<ChartOf>;
    static void prepare(Tested& bench) {
        bench.by.tangent_operator = with_tangent_operator;
        if (is_rotation_group<typename Tested::Chart> && !with_tangent_operator) bench.stay_at_start();
    }
};

template <class Case>
class NewtonMatrix : public testing::Test {
  protected:
    using Tested = typename Case::Tested;
    static std::unique_ptr<Tested> bench(Generic& generic) {
        auto made = std::make_unique<Tested>(generic);
        Case::prepare(*made);
        return made;
    }
    // At no relative rotation, where the stiffness of the rotation vector is kept.
    static std::vector<double> geometry_at_rest(Tested& bench, ElementKind kind, int i, int j, Generic& generic) {
        if (kind != ElementKind::rotation_vector) return generic_geometry(kind, bench.pose(i), bench.pose(j), generic);
        const Eigen::Quaternion<Number80> q(Matrix3(bench.pose(i).orientation.transpose() * bench.pose(j).orientation));
        std::vector<double> p;
        for (const Number80 x : {q.w(), q.x(), q.y(), q.z()}) p.push_back(static_cast<double>(x));
        return p;
    }
};
using ChartCases = testing::Types<ChartCase<RotationGroup, false>, ChartCase<RotationGroup, true>,
                                  ChartCase<EulerParameterChart, false>, ChartCase<EulerZxzChart, false>,
                                  ChartCase<CardanChart, false>>;
TYPED_TEST_SUITE(NewtonMatrix, ChartCases);

bool may_be_a_constraint(ElementKind kind) {
    return kind != ElementKind::angle && kind != ElementKind::rotation_vector;
}

// One body and the ground: nothing is coupled that is left out.
TYPED_TEST(NewtonMatrix, OfAnElementToTheGroundIsTheDerivativeOfTheResidual) {
    for (const ElementKind kind : all_kinds)
        for (const bool has_law : {false, true})
            for (const bool ground_first : {false, true}) {
                if (!has_law && !may_be_a_constraint(kind)) continue;
                SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << (has_law ? " with a law" : "")
                                                << (ground_first ? " from the ground" : " to the ground"));
                Generic generic(1000 +
                                static_cast<std::uint64_t>(4 * static_cast<int>(kind) + 2 * has_law + ground_first));
                for (int state = 0; state < 3; ++state) {
                    const auto bench = this->bench(generic);
                    const int i = ground_first ? -1 : 1, j = ground_first ? 1 : -1;
                    bench->add_element(kind, i, j, has_law, generic, true,
                                       this->geometry_at_rest(*bench, kind, i, j, generic));
                    // phi_t of a driven angle depends on the pose; no law of a file stands on one.
                    if (kind == ElementKind::driven_angle && has_law)
                        bench->scratch.functions[bench->table.element[0].function].rate = 0.0;
                    const Eigen::MatrixXd matrix = bench->matrix();
                    expect_equal(matrix, bench->differences() - damping_left_out(*bench), true);
                }
            }
}

// Two bodies: all rows and columns of the multipliers, and the bodies' own blocks.
TYPED_TEST(NewtonMatrix, OfAnElementBetweenBodiesLeavesOutNothingButTheirCoupling) {
    for (const ElementKind kind : all_kinds)
        for (const bool has_law : {false, true}) {
            if (!has_law && !may_be_a_constraint(kind)) continue;
            SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << (has_law ? " with a law" : ""));
            Generic generic(2000 + static_cast<std::uint64_t>(2 * static_cast<int>(kind) + has_law));
            for (int state = 0; state < 3; ++state) {
                const auto bench = this->bench(generic);
                const int i = state % 2, j = 1 - i;
                bench->add_element(kind, i, j, has_law, generic, true,
                                   this->geometry_at_rest(*bench, kind, i, j, generic));
                if (kind == ElementKind::driven_angle && has_law)
                    bench->scratch.functions[bench->table.element[0].function].rate = 0.0;
                const Eigen::MatrixXd matrix = bench->matrix();
                expect_equal(matrix, bench->differences() - damping_left_out(*bench), false);
            }
        }
}

TYPED_TEST(NewtonMatrix, OfALoadIsTheDerivativeOfTheResidual) {
    for (const LoadKind kind :
         {LoadKind::force_world, LoadKind::force_body, LoadKind::torque_world, LoadKind::torque_body}) {
        SCOPED_TRACE(static_cast<int>(kind));
        Generic generic(3000 + static_cast<std::uint64_t>(kind));
        for (int state = 0; state < 3; ++state) {
            const auto bench = this->bench(generic);
            bench->add_load(kind, state % 2, generic);
            const Eigen::MatrixXd matrix = bench->matrix();
            expect_equal(matrix, bench->differences(), true);
        }
    }
}

TYPED_TEST(NewtonMatrix, OfManyElementsAndLoadsIsTheirSum) {
    Generic generic(4000);
    const auto bench = this->bench(generic);
    for (const ElementKind kind : all_kinds)
        for (const int other : {-1, 1}) {
            const int i = other < 0 ? -1 : 0, j = other < 0 ? 0 : 1;
            bench->add_element(kind, i, j, !may_be_a_constraint(kind) || other > 0, generic, true,
                               this->geometry_at_rest(*bench, kind, i, j, generic));
            bench->scratch.functions[bench->table.element[bench->table.elements - 1].function].rate *=
                kind == ElementKind::driven_angle ? 0.0 : 1.0;
        }
    for (const LoadKind kind :
         {LoadKind::force_world, LoadKind::force_body, LoadKind::torque_world, LoadKind::torque_body})
        bench->add_load(kind, 0, generic);
    const Eigen::MatrixXd matrix = bench->matrix();
    expect_equal(matrix, bench->differences() - damping_left_out(*bench), false);
}

using Free = Bench<RotationGroup>;
constexpr ElementKind law_kinds[] = {ElementKind::distance, ElementKind::dot_2,
                                     ElementKind::angle,    ElementKind::rotation_vector,
                                     ElementKind::dot_1,    ElementKind::coordinate_difference,
                                     ElementKind::point};

// Of gravity and the springs, f as at time t.
Number80 potential_energy(Free& bench, const Pose (&pose)[2], Number80 t) {
    Number80 energy = 0;
    for (int b = 0; b < 2; ++b)
        energy -= bench.parameters[parameters_of_body(b) + body_mass] *
                  Vector3(bench.parameters[0], bench.parameters[1], bench.parameters[2]).dot(pose[b].position);
    for (int e = 0; e < bench.table.elements; ++e) {
        const Element& element = bench.table.element[e];
        Number80 f = 0;
        if (element.function >= 0) {
            const Taylor<double>& given = bench.scratch.functions[element.function];
            f = given.value + t * given.rate + t * t / 2 * given.acceleration;
        }
        const auto of = [&](int body) { return body < 0 ? Pose{} : pose[body]; };
        const std::vector<Number80> rows = rows_by_definition(
            element.kind, of(element.body[0]), of(element.body[1]), bench.parameters.e + element.parameter, f,
            element.angle < 0 ? 0.0 : bench.turned[static_cast<std::size_t>(element.angle)]);
        for (std::size_t k = 0; k < rows.size(); ++k)
            energy +=
                Number80(
                    bench.parameters[element.parameter + geometry_parameters(element.kind) + static_cast<int>(k)]) *
                rows[k] * rows[k] / 2;
    }
    return energy;
}

// The multipliers that the laws ask for.
void follow_the_laws(Free& bench) {
    for (double& multiplier : bench.multipliers) multiplier = 0.0;
    const Eigen::VectorXd residual = bench.residual();
    for (std::size_t r = 0; r < bench.multipliers.size(); ++r)
        bench.multipliers[r] = residual[12 + static_cast<Eigen::Index>(r)];
}

TEST(MechanismForces, OfSpringsAndGravityAreTheSlopeOfTheEnergy) {
    for (const ElementKind kind : law_kinds) {
        SCOPED_TRACE(static_cast<int>(kind));
        Generic generic(5000 + static_cast<std::uint64_t>(kind));
        for (int state = 0; state < states_of_a_kind; ++state) {
            Free bench(generic);
            bench.stay_at_start(), bench.stand_still();
            for (int i = 0; i < bench.a.size(); ++i) bench.a[i] = 0.0;
            bench.add_element(kind, state % 2 - 1, 1, true, generic, false);
            follow_the_laws(bench);
            const Eigen::VectorXd forces = -bench.residual();
            const Pose poses[2] = {bench.pose(0), bench.pose(1)};
            for (int c = 0; c < 12; ++c) {
                const auto energy = [&](Number80 e) {
                    Vector3 x = Vector3::Zero(), theta = Vector3::Zero();
                    (c % 6 < 3 ? x[c % 6] : theta[c % 6 - 3]) = e;
                    Pose pose[2] = {poses[0], poses[1]};
                    pose[c / 6] = moved(pose[c / 6], x, theta);
                    return potential_energy(bench, pose, 0);
                };
                // Energies here are below 1e4, of which the slope has lost no more than the difference has.
                EXPECT_NEAR(forces[c], -static_cast<double>(first_difference(energy, step_80)), 100 * difference_80);
            }
            const Energies<double> seen =
                energies(bench.system, bench.scratch.work.bodies, bench.scratch.functions, bench.turned.data());
            const double expected = static_cast<double>(potential_energy(bench, poses, 0));
            EXPECT_NEAR(seen.potential, expected, round_off * (10.0 + std::abs(expected)));
            EXPECT_EQ(seen.kinetic, 0.0);
        }
    }
}

TEST(MechanismPower, IsTheRateOfTheEnergyWhenOnlyForcesAct) {
    for (int state = 0; state < states_of_a_kind; ++state) {
        Generic generic(6000 + static_cast<std::uint64_t>(state));
        Free bench(generic);
        bench.stay_at_start();
        for (int i = 0; i < bench.a.size(); ++i) bench.a[i] = 0.0;
        for (const ElementKind kind : law_kinds) {
            bench.add_element(kind, 0, 1, true, generic);
            bench.add_element(kind, 1, -1, true, generic);
        }
        for (const LoadKind kind :
             {LoadKind::force_world, LoadKind::force_body, LoadKind::torque_world, LoadKind::torque_body})
            bench.add_load(kind, state % 2, generic);
        follow_the_laws(bench);
        const Eigen::VectorXd forces = -bench.residual();
        // The accelerations that these forces give, and the energy's rate along that motion.
        double rate = 0.0;
        MovingBody body[2];
        for (int b = 0; b < 2; ++b) {
            const int at = parameters_of_body(b);
            const double* j = bench.parameters.e + at + body_inertia;
            Eigen::Matrix3d inertia;
            inertia << j[0], j[3], j[4], j[3], j[1], j[5], j[4], j[5], j[2];
            const Eigen::Vector3d linear = forces.segment<3>(6 * b) / bench.parameters[at + body_mass],
                                  turning = inertia.inverse() * forces.segment<3>(6 * b + 3);
            const Eigen::Vector3d v = vec(bench.v.linear(b)).cast<double>(), w = vec(bench.v.turning(b)).cast<double>();
            rate += bench.parameters[at + body_mass] * v.dot(linear) + w.dot(inertia * turning);
            body[b] = {bench.pose(b), vec(bench.v.linear(b)), vec(bench.v.turning(b)), linear.cast<Number80>(),
                       turning.cast<Number80>()};
        }
        rate += static_cast<double>(first_difference(
            [&](Number80 t) {
                const Pose pose[2] = {body[0].at(t), body[1].at(t)};
                return potential_energy(bench, pose, t);
            },
            step_80));
        typename Free::System::MultiplierVector multipliers;
        multipliers.fit(bench.system.topology);
        for (std::size_t r = 0; r < bench.multipliers.size(); ++r)
            multipliers[static_cast<int>(r)] = bench.multipliers[r];
        for (std::size_t i = 0; i < bench.turned.size(); ++i) bench.q.turned[i] = bench.turned[i];
        const double power = power_of(bench.system, bench.q, bench.v, multipliers, bench.scratch);
        // Sums of some hundred terms up to 1e3, and the differences of energies of that size.
        EXPECT_NEAR(power, rate, 1e-6);
        EXPECT_GT(std::abs(power), 1e-3);
    }
}

}  // namespace

}  // namespace myriad::mechanism
