#include "host/reference/mechanism/hanging_body.hpp"

namespace myriad::reference {

HangingBody hanging_body(const MechanismModel& model, TwinJoint joint, int body, int parent, int first, int last) {
    HangingBody hanging;
    hanging.body = body, hanging.parent = parent, hanging.joint = joint;
    bool has_axis = false;
    for (int e = first; e < last; ++e) {
        hanging.elements.push_back(e);
        const ModelElement& element = model.elements[static_cast<std::size_t>(e)];
        const std::size_t of_parent = element.body[1] == body ? 0 : 1, of_body = 1 - of_parent;
        if (element.kind == RowKind::point || element.kind == RowKind::dot_2)
            hanging.point = {element.point[of_parent], element.point[of_body]};
        if (element.kind != RowKind::dot_1 || has_axis) continue;
        has_axis = true;
        const std::array<Eigen::Vector3d, 2> directions = {element.first, element.other};
        const bool is_universal = joint == TwinJoint::universal;
        hanging.axis = is_universal ? FixedDirection{parent, directions[of_parent]}
                                    : FixedDirection{element.body[0], element.first};
        hanging.second = is_universal ? FixedDirection{body, directions[of_body]}
                                      : FixedDirection{element.body[0], element.first.unitOrthogonal()};
    }
    return hanging;
}

}  // namespace myriad::reference
