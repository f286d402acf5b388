// The keys of a mechanism file with their units and meanings: one place for the reader, its messages, the descriptions
// of the numbers and the JSON Schema.
#pragma once
#include "host/mechanism/keys/bodies.hpp"
#include "host/mechanism/keys/contacts.hpp"
#include "host/mechanism/keys/forces.hpp"
#include "host/mechanism/keys/joints.hpp"
#include "host/mechanism/keys/sensors.hpp"

namespace myriad::mechanism {}  // namespace myriad::mechanism
