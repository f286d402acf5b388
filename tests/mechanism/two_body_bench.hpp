// Two bodies with any elements and loads, on a chart: the matrix of a Newton correction, and the same by differences of
// the residual.
#pragma once
#include "tests/mechanism/generic_elements.hpp"

namespace myriad::mechanism {

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
        parameters[length_scale_parameter] = parameters[extent_parameter] = 1.0;
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

inline void expect_equal(const Eigen::MatrixXd& matrix, const Eigen::MatrixXd& expected, bool whole) {
    const double size = 1.0 + expected.cwiseAbs().maxCoeff();
    for (int i = 0; i < matrix.rows(); ++i)
        for (int j = 0; j < matrix.cols(); ++j) {
            const bool between_bodies = i < 12 && j < 12 && i / 6 != j / 6;
            if (between_bodies && !whole) continue;
            EXPECT_NEAR(matrix(i, j), expected(i, j), difference_64 * size) << "entry " << i << ", " << j;
        }
}

}  // namespace myriad::mechanism
