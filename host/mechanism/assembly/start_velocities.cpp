#include "host/mechanism/assembly/start_velocities.hpp"

#include <algorithm>

namespace myriad::mechanism {

namespace {

// Largest silent change of given velocities, as a share of the largest speed.
constexpr double largest_change = 1e-9;

bool is_given(const StartState& state, int body, int bit) { return (state.table.pinned[body] & bit) != 0; }
bool gives_velocity_of(const StartState& state, int body) {
    return state.takes_part(body) && is_given(state, body, gives_velocity | gives_angular_velocity);
}

// The velocity of the origin, world.
Vector velocity_of_origin(const StartState& state, int body) {
    const Pose& at = state.of(body);
    return at.velocity - at.matrix * cross(at.angular_velocity, state.in.centre_of_mass(body));
}

class Velocities {
  public:
    Velocities(const StartState& file, StartState& now) : file_(file), now_(now), tree_(now.plan.uncut) {}

    void meet() {
        if (gives_velocities(now_)) {
            find_parts();
            std::vector<StateRow> rows = rows_of_tree();
            for (const TreeBody& hung : tree_.bodies)
                if (is_taken_[line_of(hung.body)]) add_given(hung, rows);
            for (const TreeBody& hung : tree_.bodies) add_kept_rates(hung, rows);
            change_by(rows);
            rows = rows_of_tree();
            add_all_given(rows);
            for (const TreeBody& hung : tree_.bodies)
                if (!moves_[line_of(hung.body)]) add_kept_rates(hung, rows);
            change_by(rows);
        }
        std::vector<StateRow> rows = now_.rows(Level::velocity);
        add_all_given(rows);
        change_by(rows);
        const double change = now_.parameters[length_scale_parameter] * change_of_given_velocities(file_, now_);
        if (change <= largest_change * now_.largest_speed()) return;
        for (int b = 0; b < now_.table.bodies; ++b) give(b);
        change_by(now_.rows(Level::velocity));
    }

  private:
    std::size_t line_of(int body) const {
        return static_cast<std::size_t>(tree_.place[static_cast<std::size_t>(body)]);
    }

    // Which bodies have a given velocity on their outer side, and which take theirs from the first.
    void find_parts() {
        moves_.assign(tree_.bodies.size(), false), is_taken_ = moves_;
        for (std::size_t m = tree_.bodies.size(); m-- > 0;) {
            const TreeBody& hung = tree_.bodies[m];
            moves_[m] = moves_[m] || gives_velocity_of(now_, hung.body);
            if (moves_[m] && hung.parent >= 0) moves_[line_of(hung.parent)] = true;
        }
        for (std::size_t m = 0; m < tree_.bodies.size(); ++m) {
            const TreeBody& hung = tree_.bodies[m];
            is_taken_[m] = (hung.parent < 0 || is_taken_[line_of(hung.parent)]) &&
                           (has_all_rates(hung) || gives_velocity_of(now_, hung.body));
        }
    }
    bool has_all_rates(const TreeBody& hung) const {
        if (hung.joint < 0) return false;
        const StartJoint& joint = now_.plan.joints[static_cast<std::size_t>(hung.joint)];
        return (joint.type != TreeJoint::spherical || joint.angular_velocity) &&
               std::all_of(joint.coordinates.begin(), joint.coordinates.end(),
                           [](const StartCoordinate& one) { return one.rate || one.driver >= 0; });
    }

    std::vector<StateRow> rows_of_tree() const {
        std::vector<StateRow> rows = now_.rows(Level::velocity);
        std::erase_if(
            rows, [&](const StateRow& row) { return !now_.plan.is_of_uncut[static_cast<std::size_t>(row.number)]; });
        return rows;
    }
    void add_all_given(std::vector<StateRow>& rows) const {
        for (const TreeBody& hung : tree_.bodies) add_given(hung, rows);
    }
    // A free body that is given its turning alone turns about its origin.
    void add_given(const TreeBody& hung, std::vector<StateRow>& rows) const {
        const int b = hung.body;
        if (!now_.takes_part(b)) return;
        const bool turns = is_given(now_, b, gives_angular_velocity);
        const Pose& body = now_.of(b);
        const Vector lacking = body.angular_velocity - file_.of(b).angular_velocity,
                     slower = velocity_of_origin(now_, b) - velocity_of_origin(file_, b);
        for (int k = 0; k < 3 && turns; ++k)
            rows.push_back({{-1, b}, {0.0, 0.0, 0.0}, {Vector{}, unit_vector<double>(k)}, lacking[k], 0});
        for (int k = 0; k < 3 && (is_given(now_, b, gives_velocity) || (turns && hung.joint < 0)); ++k)
            rows.push_back({{-1, b},
                            unit_vector<double>(k),
                            {Vector{}, cross(myriad::row_of(body.matrix, k), now_.in.centre_of_mass(b))},
                            slower[k],
                            0});
    }
    // No change of the rates in the joint.
    void add_kept_rates(const TreeBody& hung, std::vector<StateRow>& rows) const {
        if (!now_.takes_part(hung.body)) return;
        const auto first = static_cast<std::ptrdiff_t>(rows.size());
        if (hung.joint >= 0) {
            const std::vector<StateRow> own = now_.rates_of(now_.plan.joints[static_cast<std::size_t>(hung.joint)]);
            rows.insert(rows.end(), own.begin(), own.end());
        } else {
            for (int k = 0; k < 3; ++k)
                rows.push_back({{-1, hung.body}, {0.0, 0.0, 0.0}, {Vector{}, unit_vector<double>(k)}, 0.0, 0});
            for (int k = 0; k < 3; ++k) rows.push_back({{-1, hung.body}, unit_vector<double>(k), {}, 0.0, 0});
        }
        for (auto row = rows.begin() + first; row != rows.end(); ++row) row->value = 0.0;
    }

    void change_by(const std::vector<StateRow>& rows) {
        const std::vector<double> change =
            LeastChange(now_.table, now_.parameters).change(rows, false, least_row_share);
        for (int b = 0; b < now_.table.bodies; ++b) {
            if (!now_.takes_part(b)) continue;
            Pose& body = now_.of(b);
            const double* const of = change.data() + 6 * b;
            for (int i = 0; i < 3; ++i) body.velocity[i] += of[i], body.angular_velocity[i] += of[3 + i];
        }
    }
    void give(int b) {
        if (!now_.takes_part(b)) return;
        Pose& body = now_.of(b);
        const Vector of_origin = velocity_of_origin(is_given(now_, b, gives_velocity) ? file_ : now_, b);
        if (is_given(now_, b, gives_angular_velocity)) body.angular_velocity = file_.of(b).angular_velocity;
        if (is_given(now_, b, gives_velocity))
            body.velocity = of_origin + body.matrix * cross(body.angular_velocity, now_.in.centre_of_mass(b));
    }

    const StartState& file_;
    StartState& now_;
    const SpanningTree& tree_;
    std::vector<bool> moves_, is_taken_;  // in the order of the tree
};

}  // namespace

bool gives_velocities(const StartState& state) {
    for (int b = 0; b < state.table.bodies; ++b)
        if (gives_velocity_of(state, b)) return true;
    return false;
}

void meet_velocities(const StartState& file, StartState& now) { Velocities(file, now).meet(); }

double change_of_given_velocities(const StartState& file, const StartState& now) {
    const double length = now.parameters[length_scale_parameter];
    double square = 0.0;
    for (int b = 0; b < now.table.bodies; ++b) {
        if (!now.takes_part(b)) continue;
        const Vector faster = now.of(b).angular_velocity - file.of(b).angular_velocity,
                     moving = (1.0 / length) * (velocity_of_origin(now, b) - velocity_of_origin(file, b));
        if (is_given(now, b, gives_angular_velocity)) square += dot(faster, faster);
        if (is_given(now, b, gives_velocity)) square += dot(moving, moving);
    }
    return sqrt(square);
}

}  // namespace myriad::mechanism
