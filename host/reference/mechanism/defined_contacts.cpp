#include "host/reference/mechanism/defined_contacts.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace myriad::reference {

namespace {

using Eigen::Vector3d;

class ContactEntry {
  public:
    ContactEntry(const model::Contact& contact, const ModelNumbers& numbers) : contact_(contact), numbers_(numbers) {
        const auto number = [&](const std::optional<std::size_t>& given) { return given ? numbers[*given] : 0.0; };
        one_.friction = number(contact.friction);
        one_.normal_restitution = number(contact.normal_restitution);
        one_.tangential_restitution = number(contact.tangential_restitution);
        one_.body = contact.body, one_.tangents = contact.tangents, one_.size_m = 0.0;
        const std::vector<std::size_t>& radii = contact.radii;
        if (radii.size() == 1) one_.radius_m[1] = one_.size_m = numbers[radii[0]];
        if (radii.size() != 2) return;
        const double a = one_.radius_m[0] = numbers[radii[0]], b = one_.radius_m[1] = numbers[radii[1]];
        one_.size_m = std::min(a, b) > 0.0 ? std::min(a, b) : std::max(a, b);
    }

    std::vector<ModelContact> limits(int element) const {
        std::vector<ModelContact> limits;
        ModelContact one;
        one.element = element, one.tangents = 0, one.normal_restitution = one_.normal_restitution;
        for (const auto& [kind, bound] : {std::pair{ModelContactKind::lower_limit, contact_.lower},
                                          std::pair{ModelContactKind::upper_limit, contact_.upper}}) {
            if (!bound) continue;
            one.kind = kind, one.bound = numbers_[*bound];
            limits.push_back(one);
        }
        return limits;
    }
    std::vector<ModelContact> spheres() const {
        ModelContact one = one_;
        one.kind = ModelContactKind::sphere_sphere;
        one.point = {on(0, 0), on(1, 1)};
        return {one};
    }
    std::vector<ModelContact> sphere_at_a_capsule() const {
        ModelContact one = one_;
        one.kind = ModelContactKind::sphere_capsule;
        one.point = {on(0, 0), on(1, 2)}, one.end = on(0, 1);
        return {one};
    }
    std::vector<ModelContact> points_on_a_plane() const {
        std::vector<ModelContact> points;
        for (std::size_t k = 0; k < contact_.points.size(); ++k) points.push_back(on_plane(on(1, k), 1.0));
        return points;
    }
    std::vector<ModelContact> box() {
        const Vector3d middle = on(1, 0), edges = numbers_[contact_.points[1]];
        one_.size_m = edges.minCoeff();
        std::vector<ModelContact> corners;
        for (const double z : {-0.5, 0.5})
            for (const double y : {-0.5, 0.5})
                for (const double x : {-0.5, 0.5})
                    corners.push_back(on_plane(middle + Vector3d(x, y, z).cwiseProduct(edges), 1.0));
        return corners;
    }
    std::vector<ModelContact> slot() {
        one_.play_m = numbers_[*contact_.clearance] + 2.0 * one_.radius_m[1];
        return {on_plane(on(1, 0), 1.0), on_plane(on(1, 0), -1.0)};
    }

  private:
    Vector3d on(std::size_t side, std::size_t point) const {
        return numbers_.from_centre_of_mass(contact_.body[side], contact_.points[point]);
    }
    ModelContact on_plane(const Vector3d& on_b, double side) const {
        const Vector3d normal = numbers_[contact_.normal].stableNormalized();
        ModelContact one = one_;
        one.kind = ModelContactKind::sphere_plane;
        one.normal = side * normal;
        one.tangent = contact_.tangent ? across(numbers_[*contact_.tangent], normal) : across(contact_.across, normal);
        one.point = {numbers_.from_centre_of_mass(contact_.body[0], contact_.plane_point), on_b};
        return one;
    }

    const model::Contact& contact_;
    const ModelNumbers& numbers_;
    ModelContact one_;
};

}  // namespace

void give_size(double length_scale_m, ModelContact& contact) {
    if (contact.size_m > 0.0) return;
    contact.size_m = length_scale_m > least_length_scale_m ? length_scale_m : std::numeric_limits<double>::infinity();
}

std::vector<ModelContact> defined_contacts(const model::Contact& contact, const ModelNumbers& numbers, int limited) {
    ContactEntry entry(contact, numbers);
    if (contact.type == "joint_limits") return entry.limits(limited);
    if (contact.type == "sphere_sphere") return entry.spheres();
    if (contact.type == "sphere_capsule") return entry.sphere_at_a_capsule();
    if (contact.type == "box_plane") return entry.box();
    if (contact.type == "point_slot") return entry.slot();
    return entry.points_on_a_plane();
}

}  // namespace myriad::reference
