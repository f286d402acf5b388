// A key of a mechanism file: its name, what it takes, its unit and its meaning.
#pragma once
#include "host/text/names_of.hpp"

namespace myriad::mechanism {

enum class KeyType {
    text,
    texts,            // a list of texts
    number,           // a number, or an expression of the named parameters
    function,         // a number, or an expression of the named parameters and of time t
    formula,          // the same, also of coordinates and rates of joints
    vector,           // three numbers
    vector_function,  // three functions
    two_numbers,      // one for each of the two bodies
    two_vectors,      // three numbers for each of the two bodies
    orientation,
    inertia,
    body,
    two_bodies,
    joint,
    flag,
    load_frame,  // "world" or "body"
    pinned,
    assembly,       // "warn" or "refuse"
    coordinates,    // "joint" or "body"
    start,          // "assembled" or "equilibrium"
    tangents,       // 1 or 2
    interpolation,  // as interpolation_names
    outside,        // as outside_names
    points,         // of a table
    two_plain_numbers,
    structure,
};

struct Key {
    const char* name;
    KeyType type;
    bool required;
    const char* unit;
    const char* meaning;
};

// By its "type".
using Kind = KindOfObject<Key>;

}  // namespace myriad::mechanism
