// The kernels' contacts of the entries of a model: spheres on planes and spheres on spheres, see Contact in
// topology.hpp.
//   point_plane    a sphere without radius            sphere_plane, sphere_sphere, sphere_capsule   themselves
//   capsule_plane  the spheres at its two ends
//   box_plane      8 points, corner_k at centre + (+-x, +-y, +-z)/2: the bits of k - 1, lowest first, are the signs of
//                  x, y, z
//   point_slot     planes through one point with the normals n and -n; the play of each is that of the pin and the
//                  pin's diameter, so that g = n.d + clearance/2 for every radius
//   joint_limits   a lower_limit, an upper_limit or both, of one coordinate of a joint; both count as one contact
// Contacts of one entry share its law, radii and play.
#include <tuple>

#include "host/mechanism/file/builder.hpp"

namespace myriad::mechanism {

namespace {

class ContactRows {
  public:
    ContactRows(Builder& builder, const std::string& name, const model::Contact& contact)
        : builder_(builder), name_(name), contact_(contact) {}

    void make() {
        const std::string& type = contact_.type;
        if (type == "joint_limits") return make_limits();
        const std::vector<VectorNumbers>& points = contact_.points;
        add_sizes();
        law_ = builder_.add_number(contact_.friction);
        builder_.add_number(contact_.normal_restitution), builder_.add_number(contact_.tangential_restitution);
        if (type == "sphere_sphere")
            add(ContactKind::sphere_sphere, "", {on(0, points[0]), on(1, points[1])});
        else if (type == "sphere_capsule")
            add(ContactKind::sphere_capsule, "", {on(0, points[0]), on(1, points[2]), on(0, points[1])});
        else if (type == "box_plane")
            for (int corner = 0; corner < 8; ++corner) add_corner(corner);
        else if (type == "capsule_plane")
            for (std::size_t k = 0; k < 2; ++k) add_on_plane("end_" + std::to_string(k + 1), 1.0, on(1, points[k]));
        else
            add_on_plane(type == "point_slot" ? "wall_1" : "", 1.0, on(1, points[0]));
        if (type == "point_slot") add_on_plane("wall_2", -1.0, on(1, points[0]));
    }

  private:
    void make_limits() {
        const std::string& joint = builder_.mechanism.joints[static_cast<std::size_t>(contact_.limited.joint)].name;
        element_ = builder_.joints.at(joint).elements_of.at(contact_.limited.name).front();
        law_ = builder_.add_number({});
        builder_.add_number(contact_.normal_restitution), builder_.add_number({});
        for (const auto& [kind, bound, suffix] : {std::tuple{ContactKind::lower_limit, contact_.lower, "lower"},
                                                  std::tuple{ContactKind::upper_limit, contact_.upper, "upper"}})
            if (bound)
                add(kind, suffix, {{1, [number = *bound](const Inputs& in, double* out) { *out = in[number]; }}});
    }
    void add_sizes() {
        const std::vector<std::size_t>& radii = contact_.radii;
        if (radii.size() == 1) size_ = radius_[1] = builder_.add_number(radii[0]);
        if (radii.size() == 2) {
            for (std::size_t side = 0; side < 2; ++side) radius_[side] = builder_.add_number(radii[side]);
            size_ = builder_.add_parameters(1, [radii](const Inputs& in, double* out) {
                const double a = in[radii[0]], b = in[radii[1]];
                *out = a > 0.0 && (a < b || !(b > 0.0)) ? a : b;  // the smaller one that is no point
            });
        }
        if (contact_.clearance)
            play_ = builder_.add_parameters(
                1, [clearance = *contact_.clearance, radius = radii.back()](const Inputs& in, double* out) {
                    *out = in[clearance] + 2.0 * in[radius];
                });
        if (contact_.type == "box_plane")
            size_ = builder_.add_parameters(1, [edges = contact_.points[1]](const Inputs& in, double* out) {
                const Vector edge = in[edges];
                *out = minimum(minimum(edge[0], edge[1]), edge[2]);
            });
    }

    Part on(std::size_t side, const VectorNumbers& point) const { return point_part({contact_.body[side], point}); }
    void add_corner(int corner) {
        const Part corner_of_box = vector_part([centre = contact_.points[0], size = contact_.points[1], corner,
                                                body = contact_.body[1]](const Inputs& in) {
            Vector at = in[centre];
            const Vector edge = in[size];
            for (int k = 0; k < 3; ++k) at[k] += (corner >> k & 1) != 0 ? 0.5 * edge[k] : -0.5 * edge[k];
            return at - in.centre_of_mass(body);
        });
        add_on_plane("corner_" + std::to_string(corner + 1), 1.0, corner_of_box);
    }
    void add_on_plane(const std::string& suffix, double side, const Part& on_b) {
        const auto normal = [n = contact_.normal, side](const Inputs& in) {
            const Vector u = unit(in[n]);
            return Vector{side * u[0], side * u[1], side * u[2]};
        };
        const auto tangent = [n = contact_.normal, along = contact_.tangent, from = contact_.across](const Inputs& in) {
            return along ? made_perpendicular(in[*along], unit(in[n])) : perpendicular(unit(in[n]), from);
        };
        add(ContactKind::sphere_plane, suffix,
            {on(0, contact_.plane_point), vector_part(normal), vector_part(tangent), on_b});
    }
    void add(ContactKind kind, const std::string& suffix, const std::vector<Part>& geometry) {
        MechanismTable& table = builder_.mechanism.table;
        Contact contact{kind,
                        {contact_.body[0], contact_.body[1]},
                        table.parameters,
                        {radius_[0], radius_[1]},
                        play_,
                        law_,
                        element_,
                        element_ < 0 ? contact_.tangents : 0,
                        size_};
        for (const Part& part : geometry) builder_.add_parameters(part.count, part.write);
        table.contact[table.contacts++] = contact;
        builder_.mechanism.contact_names.push_back(name_ + (suffix.empty() ? "" : "." + suffix));
    }

    Builder& builder_;
    const std::string& name_;
    const model::Contact& contact_;
    std::array<int, 2> radius_{-1, -1};
    int play_ = -1, law_ = -1, element_ = -1, size_ = -1;
};

}  // namespace

void Builder::add(const std::string& name, const model::Contact& contact) {
    mechanism.model.contacts.push_back(contact);
    ContactRows(*this, name, contact).make();
}

}  // namespace myriad::mechanism
