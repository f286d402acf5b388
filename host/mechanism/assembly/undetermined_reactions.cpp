#include "host/mechanism/assembly/undetermined_reactions.hpp"

#include <algorithm>
#include <array>

#include "kernels/mechanism/observe.hpp"

namespace myriad::mechanism {

namespace {

// Relative to the largest reaction of a combination. The combinations have the error of the assembled pose, 1e-12, over
// what is left of the least independent row.
constexpr double least_change = 1e-6;

struct Reaction {
    std::array<double, 3> force{}, torque{};  // torque over the length scale
};

Reaction reaction_of(NominalInstance& at, const std::vector<double>& multipliers, const NamedElements& named,
                     double length_scale_m) {
    const auto of = [&](bool torque_wanted) {
        return joint_reaction(
            at.system, at.scratch.work.bodies, at.scratch.functions, at.motion.q.turned,
            [&](const Element& element, const auto&, int k) {
                return multipliers[static_cast<std::size_t>(element.row[k])];
            },
            named.first_element, named.first_element + named.element_count, torque_wanted);
    };
    const Vec<3, double> force = of(false), torque = of(true);
    Reaction reaction;
    for (std::size_t k = 0; k < 3; ++k) {
        reaction.force[k] = magnitude(force[static_cast<int>(k)]);
        reaction.torque[k] = magnitude(torque[static_cast<int>(k)]) / length_scale_m;
    }
    return reaction;
}

std::string components(const std::array<double, 3>& sizes) {
    constexpr const char* names[] = {"x", "y", "z"};
    std::string text;
    for (std::size_t k = 0; k < 3; ++k)
        if (sizes[k] > least_change) text += (text.empty() ? "" : " ") + std::string(names[k]);
    return text;
}

bool is_force(ChannelKind kind) { return kind == ChannelKind::joint_force || kind == ChannelKind::joint_impulse; }
bool is_torque(ChannelKind kind) {
    return kind == ChannelKind::joint_torque || kind == ChannelKind::joint_angular_impulse;
}

void mark_channels(Mechanism& mechanism, const NamedElements& named, const UndeterminedReaction& reaction) {
    for (NamedChannels& channels : mechanism.channels) {
        const Channel& first = mechanism.table.channel[channels.first_channel];
        const std::string& missing = is_force(first.kind)    ? reaction.force
                                     : is_torque(first.kind) ? reaction.torque
                                                             : std::string();
        if (first.a == named.first_element && !missing.empty())
            channels.meaning += "; not determined: " + missing + ", the redundant constraints share it";
    }
}

}  // namespace

void find_undetermined_reactions(Mechanism& mechanism, NominalInstance& at,
                                 const std::vector<std::vector<double>>& combinations, double length_scale_m) {
    std::vector<const NamedElements*> all;
    for (const auto* list : {&mechanism.joints, &mechanism.drivers})
        for (const NamedElements& named : *list) all.push_back(&named);
    std::vector<Reaction> largest(all.size());
    for (const std::vector<double>& combination : combinations) {
        std::vector<Reaction> changes;
        double size = 0.0;
        for (const NamedElements* named : all) {
            changes.push_back(reaction_of(at, combination, *named, length_scale_m));
            for (const auto* part : {&changes.back().force, &changes.back().torque})
                size = std::max(size, *std::max_element(part->begin(), part->end()));
        }
        for (std::size_t n = 0; n < all.size(); ++n)
            for (std::size_t k = 0; k < 3; ++k) {
                largest[n].force[k] = std::max(largest[n].force[k], changes[n].force[k] / size);
                largest[n].torque[k] = std::max(largest[n].torque[k], changes[n].torque[k] / size);
            }
    }
    mechanism.undetermined_reactions.clear();
    for (std::size_t n = 0; n < all.size(); ++n) {
        const UndeterminedReaction reaction{all[n]->section + "." + all[n]->name, components(largest[n].force),
                                            components(largest[n].torque)};
        if (reaction.force.empty() && reaction.torque.empty()) continue;
        mechanism.undetermined_reactions.push_back(reaction);
        mark_channels(mechanism, *all[n], reaction);
    }
}

}  // namespace myriad::mechanism
