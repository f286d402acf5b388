// Other ways to read a mechanism than from a file of its own.
#pragma once
#include <optional>

#include "host/mechanism/mechanism.hpp"
#include "host/text/json_text.hpp"

namespace myriad::mechanism {

// Reads a part of another text, whose places the messages name, as parse_mechanism() does.
std::shared_ptr<const Mechanism> mechanism_of(const JsonValue& value, const std::string& name,
                                              const std::optional<std::filesystem::path>& folder = {});

// "joints.hinge" of a mechanism; the whole for nothing, and of a mechanism that is the name of a file.
JsonValue entry_at(const JsonValue& root, const std::string& address);

// From the value of a key "assembly", of a mechanism or of a study.
AssemblyPolicy assembly_policy(const JsonValue& value);
// The same of a key "coordinates".
Coordinates coordinates_of(const JsonValue& value);

// The mechanism as the value of a study's key "start" asks, in the coordinates that the study asks for: itself, or a
// copy. Refuses an equilibrium, at `start`, where it cannot be looked for.
std::shared_ptr<const Mechanism> with_start(std::shared_ptr<const Mechanism> mechanism, const JsonValue& start,
                                            Coordinates coordinates);

// The mechanism in body coordinates: no joint is left in the tree, in which each body has six freedoms. It has no links
// (body_coordinates_because) where a body has no inertia about some axis.
std::shared_ptr<const Mechanism> with_joints_cut(std::shared_ptr<const Mechanism> mechanism);

// Leaves out the last stage (nominal.hpp), for callers who look at the content of a file and not at how it moves: every
// row is active, the mechanism is neither assembled nor searched for redundant rows, and has no elimination.
std::shared_ptr<const Mechanism> parse_unassembled(std::string_view text, const std::string& name);

}  // namespace myriad::mechanism
