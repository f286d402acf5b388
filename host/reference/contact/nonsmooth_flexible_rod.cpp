#include "host/reference/contact/nonsmooth_flexible_rod.hpp"

#include <cmath>
#include <numbers>

#include "host/reference/contact/nonsmooth_energy_system.hpp"
#include "host/reference/contact/nonsmooth_slider_crank.hpp"

namespace myriad::reference {

using std::sin, std::cos;

namespace {

constexpr double pi = std::numbers::pi;

// The boundary condition on the wave number b, as a function that changes its sign there.
double boundary_equation(RodEnds ends, double b) {
    if (ends == RodEnds::clamped_free) return std::cos(b) + 1.0 / std::cosh(b);
    if (ends == RodEnds::pinned_pinned) return std::sin(b);
    if (ends == RodEnds::free_free) return std::cos(b) - 1.0 / std::cosh(b);
    return std::sin(b) - std::cos(b) * std::tanh(b);
}

double bisected_wave_number(RodEnds ends, int k) {
    // One root in each interval of length pi around these.
    const double centre = ends == RodEnds::clamped_free    ? (k + 0.5) * pi
                          : ends == RodEnds::pinned_pinned ? (k + 1.0) * pi
                          : ends == RodEnds::free_free     ? (k + 1.5) * pi
                                                           : (k + 1.25) * pi;
    double low = centre - 0.5, high = centre + 0.5;
    const bool rises = boundary_equation(ends, low) < 0.0;
    for (int i = 0; i < 100; ++i) {
        const double middle = 0.5 * (low + high);
        ((boundary_equation(ends, middle) < 0.0) == rises ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

}  // namespace

std::vector<QuadraturePoint> gauss_points(int parts, int points) {
    std::vector<QuadraturePoint> rule;
    for (int part = 0; part < parts; ++part) {
        for (int i = 0; i < points; ++i) {
            double x = std::cos(pi * (i + 0.75) / (points + 0.5)), slope = 0.0;
            for (int iteration = 0; iteration < 50; ++iteration) {  // Newton on Legendre's polynomial
                double before = 1.0, now = x;
                for (int degree = 2; degree <= points; ++degree) {
                    const double next = ((2.0 * degree - 1.0) * x * now - (degree - 1.0) * before) / degree;
                    before = now, now = next;
                }
                slope = points * (x * now - before) / (x * x - 1.0);
                x -= now / slope;
            }
            rule.push_back({(part + 0.5 * (1.0 + x)) / parts, 1.0 / ((1.0 - x * x) * slope * slope * parts)});
        }
    }
    return rule;
}

BendingMode::BendingMode(RodEnds ends, int k) : ends_(ends), wave_(bisected_wave_number(ends, k)) {
    double square = 0.0;
    for (const QuadraturePoint& point : gauss_points(k + 1, 10))
        square += point.weight * std::pow(unscaled(point.place).value, 2);
    scale_ = 1.0 / std::sqrt(square);
}

ShapeValue BendingMode::at(double s) const {
    const ShapeValue shape = unscaled(s);
    return {scale_ * (shape.value - unscaled(0.0).value), scale_ * shape.slope, scale_ * shape.curvature};
}

ShapeValue BendingMode::unscaled(double s) const {
    const double b = wave_, x = b * s;
    if (ends_ == RodEnds::clamped_free) {
        const double c = (std::sinh(b) - std::sin(b)) / (std::cosh(b) + std::cos(b));
        return {std::cosh(x) - std::cos(x) - c * (std::sinh(x) - std::sin(x)),
                b * (std::sinh(x) + std::sin(x) - c * (std::cosh(x) - std::cos(x))),
                b * b * (std::cosh(x) + std::cos(x) - c * (std::sinh(x) + std::sin(x)))};
    }
    if (ends_ == RodEnds::free_free) {
        // c (sinh x + sin x) - cosh x - cos x with c = 1 + excess: hyperbolic functions of 14 would cancel.
        const double excess = (std::exp(-b) + std::sin(b) - std::cos(b)) / (std::sinh(b) - std::sin(b)),
                     c = 1.0 + excess, rising = 0.5 * excess * std::exp(x),
                     falling = 0.5 * (2.0 + excess) * std::exp(-x);
        return {rising - falling + c * std::sin(x) - std::cos(x),
                b * (rising + falling + c * std::cos(x) + std::sin(x)),
                b * b * (rising - falling - c * std::sin(x) + std::cos(x))};
    }
    const double share = ends_ == RodEnds::pinned_pinned ? 0.0 : std::sin(b) / std::sinh(b);
    return {std::sin(x) + share * std::sinh(x), b * (std::cos(x) + share * std::cosh(x)),
            b * b * (share * std::sinh(x) - std::sin(x))};
}

namespace {

// Shape functions of a rod, wherever they are needed.
class RodShapes {
  public:
    virtual ~RodShapes() = default;
    virtual ShapeValue axial(int i, double s) const = 0;
    virtual ShapeValue transverse(int i, double s) const = 0;
    virtual int parts() const = 0;   // of the quadrature: the functions are smooth within
    virtual int points() const = 0;  // in each part
};

class ElementShapes : public RodShapes {
  public:
    ElementShapes(int elements, bool pinned) : elements_(elements), pinned_(pinned) {}
    int parts() const override { return elements_; }
    int points() const override { return 4; }  // exact for the squares of cubics
    ShapeValue axial(int i, double s) const override {
        const double distance = elements_ * s - (i + 1);  // from node i + 1, in elements
        if (std::abs(distance) >= 1.0) return {0.0, 0.0, 0.0};
        return {1.0 - std::abs(distance), distance < 0.0 ? 1.0 * elements_ : -1.0 * elements_, 0.0};
    }
    // Hermite's cubic that is one (displacement) or has slope one at a node.
    ShapeValue transverse(int i, double s) const override {
        // Without displacement and slope of node 0; or without its displacement and that of the last node.
        const int all = !pinned_ ? i + 2 : i < 2 * elements_ - 1 ? i + 1 : i + 2;
        const double h = 1.0 / elements_, x = elements_ * s - all / 2, y = std::abs(x), sign = x < 0.0 ? -1.0 : 1.0;
        if (y > 1.0) return {0.0, 0.0, 0.0};
        if (all % 2 == 0)
            return {1.0 - y * y * (3.0 - 2.0 * y), sign * (6.0 * y * y - 6.0 * y) / h, (12.0 * y - 6.0) / (h * h)};
        return {h * sign * y * (1.0 - y) * (1.0 - y), (1.0 - y) * (1.0 - 3.0 * y), sign * (6.0 * y - 4.0) / h};
    }

  private:
    int elements_;
    bool pinned_;
};

class ModeShapes : public RodShapes {
  public:
    ModeShapes(RodEnds ends, int modes) {
        for (int k = 0; k < modes; ++k) bending_.emplace_back(ends, k);
    }
    int parts() const override { return static_cast<int>(bending_.size()); }
    int points() const override { return 10; }
    ShapeValue axial(int i, double s) const override {
        const double wave = (i + 0.5) * pi, root_two = std::numbers::sqrt2;
        return {root_two * std::sin(wave * s), root_two * wave * std::cos(wave * s), 0.0};
    }
    ShapeValue transverse(int i, double s) const override { return bending_[static_cast<std::size_t>(i)].at(s); }

  private:
    std::vector<BendingMode> bending_;
};

// By the velocities of the crank's middle, of points along the rod and of the slider.
template <int axial, int transverse>
struct FlexibleCrank : SliderCrankParts {
    static constexpr int n = 3 + axial + transverse;
    static constexpr const char *place_name = nullptr, *rate_name = nullptr;
    double bending, stretching, damping_time, turning_share;
    std::array<double, static_cast<std::size_t>(n)> q{}, v{};

    struct Shapes {  // of all functions at one place, axial ones first
        double place, weight;
        std::array<ShapeValue, static_cast<std::size_t>(axial + transverse)> f;
    };
    std::vector<Shapes> points;
    Shapes root, end;

    FlexibleCrank(ParameterReader& reader, const RodShapes& shapes)
        : SliderCrankParts(reader),
          bending(reader.required("rod.bending_stiffness_N_m2")),
          stretching(reader.required("rod.axial_stiffness_N")),
          damping_time(reader.required("rod.damping_time_s")),
          turning_share(reader.required("rod.bending_turns_sections")) {
        if (!(l2 > 0.0)) throw InvalidParameter("rod.length_m is not positive");
        if (!(j2 - m2 * l2 * l2 / 12.0 >= -1e-12 * j2))
            throw InvalidParameter("rod.inertia_kg_m2 is less than that of a thin rod");
        if (!(bending > 0.0 && stretching > 0.0))
            throw InvalidParameter("rod.bending_stiffness_N_m2 or rod.axial_stiffness_N is not positive");
        if (!(damping_time >= 0.0)) throw InvalidParameter("rod.damping_time_s is negative");
        if (!(turning_share >= 0.0 && turning_share <= 1.0))
            throw InvalidParameter("rod.bending_turns_sections is not between 0 and 1");
        for (int i = 0; i < 3; ++i) q[at(i)] = initial_angles[i], v[at(i)] = initial_rates[i];
        for (int i = 0; i < axial + transverse; ++i) {
            const std::string index = "[" + std::to_string(i) + "]";
            q[at(3 + i)] = reader.required("initial_deformation" + index);
            v[at(3 + i)] = reader.required("initial_deformation_rate_1_s" + index);
        }
        const auto shapes_at = [&](double s, double weight) {
            Shapes all{s, weight, {}};
            for (int i = 0; i < axial + transverse; ++i)
                all.f[at(i)] = i < axial ? shapes.axial(i, s) : shapes.transverse(i - axial, s);
            return all;
        };
        for (const QuadraturePoint& point : gauss_points(shapes.parts(), shapes.points()))
            points.push_back(shapes_at(point.place, point.weight));
        root = shapes_at(0.0, 1.0), end = shapes_at(1.0, 1.0);
    }

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    template <class S>
    using State = std::array<S, static_cast<std::size_t>(n)>;

    // Sum of the coordinates from..to times what `of` takes from their shape functions.
    template <class S, class Of>
    static S sum(const Shapes& shapes, const State<S>& x, int from, int to, Of of) {
        S total(0.0);
        for (int i = from; i < to; ++i) total += x[at(3 + i)] * of(shapes.f[at(i)]);
        return total;
    }
    static double value(const ShapeValue& f) { return f.value; }
    static double slope(const ShapeValue& f) { return f.slope; }
    static double curvature(const ShapeValue& f) { return f.curvature; }

    template <class S>
    std::array<S, 2> rod_point(const Shapes& shapes, const State<S>& p) const {
        const S x = S(shapes.place) + sum(shapes, p, 0, axial, value),
                y = sum(shapes, p, axial, axial + transverse, value);
        return {l1 * cos(p[0]) + l2 * (cos(p[1]) * x - sin(p[1]) * y),
                l1 * sin(p[0]) + l2 * (sin(p[1]) * x + cos(p[1]) * y)};
    }
    // Seen in the rod's frame, in which the crank lies at the angle p0 - p1.
    template <class S>
    S squared_speed(const Shapes& shapes, const State<S>& p, const State<S>& rate, const S& x1, const S& y1) const {
        const S x = S(shapes.place) + sum(shapes, p, 0, axial, value),
                y = sum(shapes, p, axial, axial + transverse, value);
        const S vx = x1 + l2 * (sum(shapes, rate, 0, axial, value) - rate[1] * y),
                vy = y1 + l2 * (sum(shapes, rate, axial, axial + transverse, value) + rate[1] * x);
        return vx * vx + vy * vy;
    }
    template <class S>
    S kinetic(const State<S>& p, const State<S>& rate) const {
        const S swing = l1 * rate[0], x1 = -(swing * sin(p[0] - p[1])), y1 = swing * cos(p[0] - p[1]);
        const double section = j2 - m2 * l2 * l2 / 12.0;
        S twice = (j1 + 0.25 * m1 * l1 * l1) * (rate[0] * rate[0]) + j3 * (rate[2] * rate[2]) +
                  m3 * squared_speed(end, p, rate, x1, y1) + (1.0 - turning_share) * section * (rate[1] * rate[1]);
        for (const Shapes& point : points) {
            const S turning = rate[1] + sum(point, rate, axial, axial + transverse, slope);
            twice += point.weight *
                     (m2 * squared_speed(point, p, rate, x1, y1) + turning_share * section * (turning * turning));
        }
        return 0.5 * twice;
    }
    // Half the power of the damping: Rayleigh's function, whose slopes by the rates are forces.
    template <class S>
    S half_dissipation(const State<S>& rate) const {
        S sum_of_all(0.0);
        for (const Shapes& point : points) {
            const S strain = sum(point, rate, 0, axial, slope),
                    bend = sum(point, rate, axial, axial + transverse, curvature);
            sum_of_all += point.weight * (0.5 * damping_time) *
                          (stretching * l2 * (strain * strain) + bending / l2 * (bend * bend));
        }
        return sum_of_all;
    }
    template <class S>
    S potential(const State<S>& p) const {
        S sum_of_all = g * (0.5 * m1 * l1 * sin(p[0]) + m3 * rod_point(end, p)[1]) - torque * p[0];
        for (const Shapes& point : points) {
            const S strain = sum(point, p, 0, axial, slope), bend = sum(point, p, axial, axial + transverse, curvature);
            sum_of_all += point.weight * (m2 * g * rod_point(point, p)[1] + 0.5 * stretching * l2 * (strain * strain) +
                                          0.5 * bending / l2 * (bend * bend));
        }
        return sum_of_all;
    }
    template <class S>
    std::array<S, 2> corner(int k, const State<S>& p) const {
        return corner_of(k, rod_point(end, p), p[2]);
    }
    template <class S>
    S gap(int k, const State<S>& p) const {
        return gap_of(k, corner(k, p)[1]);
    }
    template <class S>
    S place(int k, int, const State<S>& p) const {
        return corner(k, p)[0];
    }
    // The rod's centre of mass, and the angle of its frame.
    template <class S>
    std::array<S, 3> middle(int body, const State<S>& p) const {
        if (body == 0) return {0.5 * l1 * cos(p[0]), 0.5 * l1 * sin(p[0]), S(0.0)};
        if (body == 2) {
            const std::array<S, 2> centre = rod_point(end, p);
            return {centre[0], centre[1], S(0.0)};
        }
        std::array<S, 3> centre{S(0.0), S(0.0), S(0.0)};
        for (const Shapes& point : points) {
            const std::array<S, 2> place_of_point = rod_point(point, p);
            for (std::size_t i = 0; i < 2; ++i) centre[i] += point.weight * place_of_point[i];
        }
        return centre;
    }
    template <class S>
    S angle(int body, const State<S>& p) const {
        return p[at(body)];
    }
    void add_channels(Observables& seen, const Eigen::VectorXd& place, const Eigen::VectorXd& rate) const {
        State<double> p, felt;  // felt: by the material
        for (int i = 0; i < n; ++i) p[at(i)] = place[i], felt[at(i)] = place[i] + damping_time * rate[i];
        seen["angle"] = place.head(3), seen["rate"] = rate.head(3);
        seen["end_displacement"] =
            l2 * Eigen::Vector2d(sum(end, p, 0, axial, value), sum(end, p, axial, axial + transverse, value));
        seen["root_moment"] =
            Eigen::VectorXd::Constant(1, bending / l2 * sum(root, felt, axial, axial + transverse, curvature));
    }
};

template <int axial, int transverse>
std::unique_ptr<NonsmoothSystem> made_crank(const std::string& name, const Parameters& parameters,
                                            const RodShapes& shapes) {
    ParameterReader reader(name, parameters);
    FlexibleCrank<axial, transverse> model(reader, shapes);
    reader.refuse_unknown_names();
    return std::make_unique<EnergySystem<FlexibleCrank<axial, transverse>>>(std::move(model));
}

}  // namespace

std::unique_ptr<NonsmoothSystem> make_flexible_slider_crank(const std::string& name, const Parameters& parameters) {
    const std::string family = "slider_crank_flexible_";
    if (name.rfind(family, 0) != 0) return nullptr;
    const std::string size = name.substr(family.size());
    const auto modes = [&](RodEnds ends) { return made_crank<2, 2>(name, parameters, ModeShapes(ends, 2)); };
    if (size == "1_element") return made_crank<1, 2>(name, parameters, ElementShapes(1, false));
    if (size == "2_elements") return made_crank<2, 4>(name, parameters, ElementShapes(2, false));
    if (size == "4_elements") return made_crank<4, 8>(name, parameters, ElementShapes(4, false));
    if (size == "2_elements_pinned") return made_crank<2, 4>(name, parameters, ElementShapes(2, true));
    if (size == "2_modes") return modes(RodEnds::clamped_free);
    if (size == "2_modes_pinned") return modes(RodEnds::pinned_pinned);
    if (size == "2_modes_articulated") return modes(RodEnds::articulated_free);
    if (size == "2_modes_free") return modes(RodEnds::free_free);
    return nullptr;
}

}  // namespace myriad::reference
