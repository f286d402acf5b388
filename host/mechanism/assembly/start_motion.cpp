#include "host/mechanism/assembly/start_motion.hpp"

#include <algorithm>

#include "host/mechanism/assembly/nominal_instance.hpp"
#include "host/mechanism/mechanism_keys.hpp"
#include "host/mechanism/tree/joint_coordinates.hpp"
#include "host/mechanism/tree/mechanism_tree.hpp"

namespace myriad::mechanism {

namespace {

// Start values of joints give all velocities of the bodies that they place.
Mechanism::GivenVelocity given_velocity(const Mechanism& mechanism, int body) {
    const auto b = static_cast<std::size_t>(body);
    const bool is_solved = !mechanism.body_start_is_solved.empty() && mechanism.body_start_is_solved[b];
    return is_solved ? Mechanism::GivenVelocity{true, true, 0} : mechanism.body_velocity_is_given[b];
}

// Nothing holds a body without mass. Only both velocities together hold a point beside the centre of mass.
int held(const Mechanism& mechanism, int body) {
    const Mechanism::GivenVelocity given = given_velocity(mechanism, body);
    if ((mechanism.table.pinned[body] & planned_without_mass) != 0) return 0;
    const bool is_of_centre = given.angular || given.origin_parameter == 0;
    return (given.linear && is_of_centre ? holds_velocity : 0) | (given.angular ? holds_angular_velocity : 0);
}

// Returns the bits of a given pose and velocity, which start values of joints and couplings may contradict.
int given_of(const Mechanism& mechanism, int body) {
    const auto b = static_cast<std::size_t>(body);
    const Mechanism::GivenVelocity& velocity = mechanism.body_velocity_is_given[b];
    const Mechanism::GivenPose& pose = mechanism.body_pose_is_given[b];
    return (velocity.linear ? gives_velocity : 0) | (velocity.angular ? gives_angular_velocity : 0) |
           (pose.position ? gives_position : 0) | (pose.orientation ? gives_orientation : 0);
}

class Motions {
  public:
    explicit Motions(Mechanism& mechanism)
        : mechanism_(mechanism), table_(mechanism.table), tree_(spanning_tree_of(mechanism, true)) {}

    void run() {
        table_.moves_at_start = false;
        int lines = 0;
        for (const TreeBody& hung : tree_.bodies) {
            int* const line = table_.start_motion[lines++];
            fill(hung, line);
            table_.moves_at_start = table_.moves_at_start || line[StartMotion::linear_from] >= 0 ||
                                    line[StartMotion::angular_from] >= 0 || line[StartMotion::driver] >= 0;
        }
        find_parts();
        find_hung_bodies();
    }

  private:
    Mechanism::GivenVelocity given(int body) const { return given_velocity(mechanism_, body); }

    // The body itself or the first one welded to it, outward, whose velocity is given; -1: none.
    template <class IsGiven>
    int welded_with(int body, const IsGiven& is_given) const {
        std::vector<int> welded{body};
        for (std::size_t k = 0; k < welded.size(); ++k) {
            if (is_given(given(welded[k]))) return welded[k];
            for (const TreeBody& hung : tree_.bodies)
                if (hung.parent == welded[k] && hung.joint >= 0 && hung.freedoms == 0) welded.push_back(hung.body);
        }
        return -1;
    }

    // A body is known if its given velocities, on a known carrier, leave its joint nothing.
    void find_parts() {
        using Entry = StartMotion;
        table_.starts_together = false;
        std::vector<bool> moves(tree_.bodies.size(), false), known = moves, is_taken = moves;
        for (std::size_t m = tree_.bodies.size(); m-- > 0;) {
            const TreeBody& hung = tree_.bodies[m];
            moves[m] = moves[m] || given(hung.body).linear || given(hung.body).angular;
            if (moves[m] && hung.parent >= 0) moves[line_of(hung.parent)] = true;
        }
        for (std::size_t m = 0; m < tree_.bodies.size(); ++m) {
            const TreeBody& hung = tree_.bodies[m];
            int* const line = table_.start_motion[m];
            const bool linear = line[Entry::linear_from] >= 0, angular = line[Entry::angular_from] >= 0,
                       on_known = hung.parent < 0 || known[line_of(hung.parent)];
            const std::string type = hung.joint < 0 ? "" : mechanism_.joints[static_cast<std::size_t>(hung.joint)].type;
            const bool turns = type == "revolute" || type == "universal" || type == "spherical",
                       slides = type == "prismatic" || type == "translational";
            known[m] =
                on_known && (hung.freedoms == 0 || (linear && angular) || (angular && turns) || (linear && slides));
            is_taken[m] =
                (hung.parent < 0 || is_taken[line_of(hung.parent)]) && (hung.freedoms == 0 || linear || angular);
            line[Entry::part] = !moves[m] ? part_rides : is_taken[m] ? part_moves : part_waits;
            table_.starts_together =
                table_.starts_together || (!on_known && (given(hung.body).linear || given(hung.body).angular));
        }
    }
    // Start values of joints have placed their bodies before.
    void find_hung_bodies() {
        using Entry = StartMotion;
        std::vector<bool> carries(tree_.bodies.size(), false);
        for (std::size_t m = tree_.bodies.size(); m-- > 0;) {
            const TreeBody& hung = tree_.bodies[m];
            const auto b = static_cast<std::size_t>(hung.body);
            int* const line = table_.start_motion[m];
            line[Entry::hangs] = hangs_nothing;
            if (!mechanism_.body_start_is_solved.empty() && mechanism_.body_start_is_solved[b]) continue;
            const bool is_placed = mechanism_.body_pose_is_given[b].position;
            if (carries[m] && line[Entry::driver] >= 0) line[Entry::hangs] = hangs_on_it;
            if (!is_placed && hung.joint >= 0) line[Entry::hangs] = hangs_itself;
            if ((!is_placed || carries[m]) && hung.parent >= 0) carries[line_of(hung.parent)] = true;
        }
    }
    std::size_t line_of(int body) const {
        return static_cast<std::size_t>(tree_.place[static_cast<std::size_t>(body)]);
    }

    void fill(const TreeBody& hung, int* line) const {
        using Entry = StartMotion;
        std::fill(line, line + Entry::count, -1);
        line[Entry::body] = hung.body, line[Entry::carrier] = hung.parent;
        line[Entry::linear_from] = welded_with(hung.body, [](const auto& one) { return one.linear; });
        line[Entry::angular_from] = welded_with(hung.body, [](const auto& one) { return one.angular; });
        const int linear = line[Entry::linear_from];
        line[Entry::origin] = linear < 0 || given(linear).angular ? 0 : given(linear).origin_parameter;
        if (hung.joint < 0) {
            if (linear < 0 && line[Entry::angular_from] == hung.body)
                line[Entry::linear_from] = hung.body, line[Entry::origin] = origin_rests;
            return;
        }
        const NamedElements& joint = mechanism_.joints[static_cast<std::size_t>(hung.joint)];
        line[Entry::first_element] = joint.first_element;
        line[Entry::last_element] = joint.first_element + joint.element_count;
        for (int e = joint.first_element + joint.element_count; e-- > joint.first_element;)
            if (points_offset(table_.element[e].kind) >= 0) line[Entry::point_element] = e;
        const model::Joint& defined = mechanism_.model.joints[static_cast<std::size_t>(hung.joint)];
        for (int e = joint.first_element + joint.element_count; e-- > joint.first_element;) {
            if (table_.element[e].kind != ElementKind::dot_1) continue;
            if (joint.type == "universal") line[Entry::across_element] = e;
            if (defined.has_parallel_axes()) line[Entry::axis_element] = e;
        }
        int drivers = 0;
        for (const NamedElements& driver : mechanism_.drivers)
            for (int e = driver.first_element; e < driver.first_element + driver.element_count; ++e)
                if (driver.joint == hung.joint && drivers < most_start_drivers) line[Entry::driver + drivers++] = e;
    }

    Mechanism& mechanism_;
    MechanismTable& table_;
    SpanningTree tree_;
};

// Couplings leave a rate that the given velocities of a joint's two bodies determine.
void hold_given_rates(Mechanism& mechanism) {
    JointTable& joint = mechanism.table.joint;
    if (joint.tree.links == 0 || joint.couplings == 0) return;
    const SpanningTree tree = spanning_tree_of(mechanism);
    const auto known = [&](int body) {
        return body < 0 ? Mechanism::GivenVelocity{true, true, 0} : given_velocity(mechanism, body);
    };
    for (const TreeBody& hung : tree.bodies) {
        if (hung.joint < 0) continue;
        const Mechanism::GivenVelocity of = known(hung.body), on = known(hung.parent);
        const int first = first_freedom_of(joint.tree, tree, hung);
        const int slides = slides_of(joint.tree.joint[tree.place[static_cast<std::size_t>(hung.body)]]);
        for (int i = 0; i < hung.freedoms; ++i) {
            const bool is_known = i < slides ? of.linear && on.linear && on.angular : of.angular && on.angular;
            if (is_known) joint.held_at_start[first + i] |= holds_given_rate;
        }
    }
}

}  // namespace

void find_start_motion(Mechanism& mechanism) {
    Motions(mechanism).run();
    for (int b = 0; b < mechanism.table.bodies; ++b)
        mechanism.table.pinned[b] |= held(mechanism, b) | given_of(mechanism, b);
    hold_given_rates(mechanism);
}

std::shared_ptr<const Mechanism> with_given_state(std::shared_ptr<const Mechanism> mechanism,
                                                  std::span<const unsigned char> given) {
    std::shared_ptr<Mechanism> copy;
    for (std::size_t number = 0; number < given.size(); ++number) {
        if (given[number] == 0) continue;
        for (std::size_t b = 0; b < mechanism->body_names.size(); ++b) {
            const std::string body = std::string(bodies_section_key.name) + "." + mechanism->body_names[b] + ".";
            const std::string& address = mechanism->numbers[number].address;
            const auto begins = [&](const Key& key, const char* then) {
                return address.starts_with(body + key.name + then);
            };
            const Mechanism& known = copy ? *copy : *mechanism;
            Mechanism::GivenVelocity velocity = known.body_velocity_is_given[b];
            Mechanism::GivenPose pose = known.body_pose_is_given[b];
            velocity.linear = velocity.linear || begins(velocity_key, "[");
            velocity.angular =
                velocity.angular || begins(angular_velocity_key, "[") || begins(angular_velocity_world_key, "[");
            pose.position = pose.position || begins(position_key, "[");
            pose.orientation = pose.orientation || begins(orientation_key, "");
            if (velocity == known.body_velocity_is_given[b] && pose == known.body_pose_is_given[b]) continue;
            if (!copy) copy = std::make_shared<Mechanism>(*mechanism);
            copy->body_velocity_is_given[b] = velocity, copy->body_pose_is_given[b] = pose;
        }
    }
    if (!copy) return mechanism;
    find_start_motion(*copy);
    return copy;
}

std::optional<TurningStart> turning_start_of(const Mechanism& mechanism) {
    const auto nominal = std::make_unique<NominalInstance>(mechanism.table, mechanism.nominal_kernel_parameters());
    if (nominal->assemble().reason != 0.0) return std::nullopt;
    const auto rate_of = [&](int body) {
        const Vec<3, double> turning = nominal->motion.v.turning(body);
        return sqrt(dot(turning, turning));
    };
    std::optional<TurningStart> fastest;
    for (const TreeBody& hung : spanning_tree_of(mechanism).bodies) {
        if (hung.parent < 0 || rate_of(hung.parent) == 0.0) continue;
        const double rate = rate_of(hung.body);
        if (rate > 0.0 && (!fastest || fastest->rate_rad_s < rate))
            fastest = {mechanism.body_names[static_cast<std::size_t>(hung.body)], rate};
    }
    return fastest;
}

}  // namespace myriad::mechanism
