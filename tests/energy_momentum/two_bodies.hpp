// Two generic bodies with any elements and loads between them and the ground.
#pragma once
#include "tests/mechanism/generic_elements.hpp"

namespace myriad::mechanism {

struct TwoBodies {
    using System = myriad::Mechanism<double, TableTopology, RotationGroup>;
    using Velocity = System::Velocity;
    static constexpr int bodies = 2;

    MechanismTable table{};
    System::Parameters parameters{};
    System::Scratch scratch;
    System system{TableTopology(&table), &parameters};
    System::Configuration start;
    Velocity v, a;
    std::vector<double> multipliers, turned;

    explicit TwoBodies(Generic& generic) {
        table.bodies = bodies;
        table.parameters = first_body_parameter + bodies * body_parameters;
        for (int i = 0; i < 3; ++i) parameters[gravity_parameter + i] = generic.number(-10.0, 10.0);
        parameters[length_scale_parameter] = parameters[extent_parameter] = 1.0;
        for (auto* rates : {&v, &a}) rates->fit(system.topology);
        start.fit(system.topology);
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
            start.orientation[b] = {static_cast<double>(r.w()), static_cast<double>(r.x()), static_cast<double>(r.y()),
                                    static_cast<double>(r.z())};
            start.position[b] = vec(generic.vector(1.5));
            Vec<3, double> rates{}, angular_acceleration{};
            for (int k = 0; k < 3; ++k) rates[k] = generic.number(-1.0, 1.0);
            for (int k = 0; k < 3; ++k) angular_acceleration[k] = generic.number(-1.0, 1.0);
            v.set(b, vec(generic.vector(1.0)), rates);
            a.set(b, vec(generic.vector(1.0)), angular_acceleration);
        }
    }

    Pose pose(int b) {
        if (b < 0) return {};
        const Rotation<double>& r = start.orientation[b];
        return {vec(start.position[b]),
                Eigen::Quaternion<Number80>(r.w, r.x, r.y, r.z).normalized().toRotationMatrix()};
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
};

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
