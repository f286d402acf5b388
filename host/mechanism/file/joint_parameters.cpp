// The parameters of a mechanism in joint coordinates: links (kernels/tree/links.hpp), and copies of the elements and
// loads that act between links, with their points and directions in link frames. Every one is computed from what the
// parameters in body axes are computed from, and so it changes with the same numbers of the file.
#include "host/mechanism/file/link_frames.hpp"
#include "host/mechanism/tree/mechanism_tree.hpp"
#include "kernels/tree/links.hpp"

namespace myriad::mechanism {

namespace {

// No parameter is -0, so that kernels that leave out products with exact zeros keep the bits of those that do not.
constexpr double positive_zero = 0.0;

Part positive(const Part& part) {
    return {part.count, [part](const Inputs& in, double* out) {
                part.write(in, out);
                for (int k = 0; k < part.count; ++k) out[k] += positive_zero;
            }};
}

template <class Function>
Part matrix_part(Function matrix) {
    return {9, [matrix](const Inputs& in, double* out) {
                const Mat3<double> m = matrix(in);
                for (int k = 0; k < 9; ++k) out[k] = m.e[k / 3][k % 3];
            }};
}
template <class Function>
Part inertia_part(Function inertia) {
    return {6, [inertia](const Inputs& in, double* out) {
                const Symmetric3<double> j = inertia(in);
                const double components[] = {j.xx, j.yy, j.zz, j.xy, j.xz, j.yz};
                for (int k = 0; k < 6; ++k) out[k] = components[k];
            }};
}

// What three numbers among the geometry of an element are.
enum class Role { point_i, point_j, direction_i, direction_j, of_the_world };

std::vector<Role> roles_of(ElementKind kind) {
    using enum Role;
    switch (kind) {
        case ElementKind::point:
        case ElementKind::distance:
            return {point_i, point_j};
        case ElementKind::coordinate_difference:
            return {of_the_world, point_i, point_j};
        case ElementKind::dot_1:
            return {direction_i, direction_j};
        case ElementKind::dot_2:
            return {direction_i, point_i, point_j};
        case ElementKind::driven_angle:
            return {direction_i, direction_i, direction_j};
        case ElementKind::angle:
            return {direction_i, direction_i, direction_i, direction_j};
        default:
            return {};
    }
}

class JointParameters {
  public:
    JointParameters(Builder& builder, const SpanningTree& tree)
        : builder_(builder), tree_(tree), frames_(std::make_shared<const LinkFrames>(builder, tree)) {}

    void add() {
        MechanismTable& table = builder_.mechanism.table;
        JointTable& joint = table.joint;
        joint.link_parameter = table.parameters;
        for (const TreeBody& hung : tree_.bodies) add_links(hung);
        for (int e = 0; e < table.elements; ++e) {
            const MultiplierPlace& place = builder_.mechanism.multiplier_places[static_cast<std::size_t>(e)];
            if (place.source == MultiplierSource::row && place.index >= 0)
                joint.element[place.index].parameter = add_element(table.element[e]);
        }
        for (int l = 0; l < joint.loads; ++l) {
            const int body = table.load[l].body, point = table.load[l].parameter;
            if (point < 0) continue;
            joint.load[l].parameter = builder_.mechanism.table.parameters;
            add_in_link_frame(point, Role::point_i, {body, -1});
        }
    }

  private:
    int place(const Part& part) {
        const Part whole = positive(part);
        return builder_.add_parameters(whole.count, whole.write);
    }

    // joint frame to the parent's link frame, and the joint point from the parent's
    void place_between(const HungBody& hung) {
        place(matrix_part([frames = frames_, hung](const Inputs& in) {
            return transpose(frames->of(in, hung.parent).axes) * hung.joint_frame(in).axes;
        }));
        place(vector_part([frames = frames_, hung](const Inputs& in) {
            const LinkFrame at = hung.joint_frame(in);
            return transposed_times(at.axes, at.origin - frames->of(in, hung.parent).origin);
        }));
    }
    void add_links(const TreeBody& in_tree) {
        const HungBody& hung = frames_->body(in_tree.body);
        place_between(hung);
        if (hung.type == TreeJoint::universal) {
            place_mass_of_nothing();
            place(matrix_part(
                [backwards = hung.is_backwards](const Inputs&) { return second_joint_frame(backwards).axes; }));
            place(vector_part([](const Inputs&) { return Vector{0.0, 0.0, 0.0}; }));
        }
        place_mass(hung);
    }
    void place_mass_of_nothing() {
        place({link_body_axes - link_mass, [](const Inputs&, double* out) {
                   for (int k = 0; k < link_body_axes - link_mass; ++k) out[k] = 0.0;
               }});
        place(matrix_part([](const Inputs&) { return diagonal(1.0); }));
        place(vector_part([](const Inputs&) { return Vector{0.0, 0.0, 0.0}; }));
    }
    void place_mass(const HungBody& hung) {
        const int own = first_body_parameter + hung.body * body_parameters;
        const Part mass{1, builder_.writing_of(own + body_mass, 1)},
            inertia{6, builder_.writing_of(own + body_inertia, 6)};
        const auto centre = [hung](const Inputs& in) { return hung.link_frame(in).point({0.0, 0.0, 0.0}); };
        const auto first_moment = [mass, centre](const Inputs& in) {
            double kg = 0.0;
            mass.write(in, &kg);
            return kg * centre(in);
        };
        place(mass);
        place(vector_part(first_moment));
        place(inertia_part([inertia, centre, first_moment, hung](const Inputs& in) {
            double j_of[6];
            inertia.write(in, j_of);
            const Mat3<double> to_link = transpose(hung.link_frame(in).axes);
            Symmetric3<double> j = turned(to_link, {j_of[0], j_of[1], j_of[2], j_of[3], j_of[4], j_of[5]});
            const Vector c = centre(in), h = first_moment(in);
            j.xx = fma(h[1], c[1], fma(h[2], c[2], j.xx)), j.yy = fma(h[0], c[0], fma(h[2], c[2], j.yy));
            j.zz = fma(h[0], c[0], fma(h[1], c[1], j.zz));
            j.xy = fma(-h[0], c[1], j.xy), j.xz = fma(-h[0], c[2], j.xz), j.yz = fma(-h[1], c[2], j.yz);
            return j;
        }));
        place(matrix_part([hung](const Inputs& in) { return transpose(hung.link_frame(in).axes); }));
        place(vector_part(centre));
    }

    // Three numbers that stand at `parameter` in body axes; `bodies`: of the element.
    void add_in_link_frame(int parameter, Role role, const std::array<int, 2>& bodies) {
        const Write in_body_axes = builder_.writing_of(parameter, 3);
        place(vector_part([=, frames = frames_](const Inputs& in) {
            double given[3];
            in_body_axes(in, given);
            const Vector v{given[0], given[1], given[2]};
            switch (role) {
                case Role::point_i:
                case Role::point_j:
                    return frames->of(in, bodies[role == Role::point_i ? 0 : 1]).point(v);
                case Role::direction_i:
                case Role::direction_j:
                    return frames->of(in, bodies[role == Role::direction_i ? 0 : 1]).direction(v);
                default:
                    return v;
            }
        }));
    }
    void add_rotated_frames(int parameter, const std::array<int, 2>& bodies) {
        const Write in_body_axes = builder_.writing_of(parameter, 8);
        place({8, [=, frames = frames_](const Inputs& in, double* out) {
                   double given[8];
                   in_body_axes(in, given);
                   for (const int body : bodies) {
                       const double* q = body == bodies[0] ? given : given + 4;
                       const Rotation<double> frame =
                           inverse(rotation_of(frames->of(in, body).axes)) * Rotation<double>{q[0], q[1], q[2], q[3]};
                       *out++ = frame.w, *out++ = frame.x, *out++ = frame.y, *out++ = frame.z;
                   }
               }});
    }
    int add_element(const Element& element) {
        const int first = builder_.mechanism.table.parameters;
        const std::array<int, 2> bodies{element.body[0], element.body[1]};
        int parameter = element.parameter;
        for (const Role role : roles_of(element.kind)) {
            add_in_link_frame(parameter, role, bodies);
            parameter += 3;
        }
        if (element.kind == ElementKind::rotation_vector) {
            add_rotated_frames(parameter, bodies);
            parameter += geometry_parameters(element.kind);
        }
        const int laws = element.has_law ? 2 * rows_of(element.kind) : 0;
        for (int k = 0; k < laws; ++k) place({1, builder_.writing_of(parameter + k, 1)});
        return first;
    }

    Builder& builder_;
    const SpanningTree& tree_;
    std::shared_ptr<const LinkFrames> frames_;
};

// Couplings do not move what the file gives a start value, and an equilibrium counts the rates that it drops.
void hold_start_values(const Builder& builder, const SpanningTree& tree) {
    const Mechanism& mechanism = builder.mechanism;
    JointTable& table = builder.mechanism.table.joint;
    for (const TreeBody& hung : tree.bodies) {
        if (hung.joint < 0) continue;
        const StartJoint& start = builder.joints.at(mechanism.joints[static_cast<std::size_t>(hung.joint)].name).start;
        const int first = first_freedom_of(table.tree, tree, hung);
        const auto bits = [](bool value, bool rate) { return (value ? 1 : 0) | (rate ? 2 : 0); };
        for (const StartCoordinate& one : start.coordinates) {
            const int which = freedom_of_coordinate(start.type, one.name, hung.is_backwards);
            if (which >= 0) table.held_at_start[first + which] = bits(one.value.has_value(), one.rate.has_value());
        }
        if (start.type != TreeJoint::spherical) continue;
        for (int i = 0; i < 3; ++i)
            table.held_at_start[first + i] = bits(start.orientation.has_value(), start.angular_velocity.has_value());
    }
}

int parameters_of(const JointTable& joint) {
    int count = joint.tree.links * link_parameter_count;
    for (int e = 0; e < joint.elements + joint.watched_angles; ++e) {
        const Element& element = joint.element[e];
        count += geometry_parameters(element.kind) + (element.has_law ? 2 * rows_of(element.kind) : 0);
    }
    for (int l = 0; l < joint.loads; ++l) count += joint.load[l].parameter < 0 ? 0 : 3;
    return count;
}

}  // namespace

void add_joint_coordinates(Builder& builder) {
    Mechanism& mechanism = builder.mechanism;
    const SpanningTree tree = spanning_tree_of(mechanism);
    std::vector<MeasuredCoordinate> measured(static_cast<std::size_t>(mechanism.table.elements));
    for (const auto& [element, coordinate] : builder.measured) measured[static_cast<std::size_t>(element)] = coordinate;
    lay_out_joint_coordinates(mechanism, tree, measured);
    for (const TreeBody& hung : tree.bodies) mechanism.model.tree.push_back({hung.body, hung.parent, hung.joint});
    place_on_coordinates(builder, tree);
    if (!mechanism.body_coordinates_because.empty()) return;
    if (most_mechanism_parameters < mechanism.table.parameters + parameters_of(mechanism.table.joint))
        refuse_joint_coordinates(mechanism, "its links and rows need more than " +
                                                std::to_string(most_mechanism_parameters) +
                                                " numbers in the kernels together with its bodies");
    else
        JointParameters(builder, tree).add();
    if (mechanism.body_coordinates_because.empty()) hold_start_values(builder, tree);
}

}  // namespace myriad::mechanism
