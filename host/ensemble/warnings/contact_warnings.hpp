// Warnings from the certificate of a run with contacts: contacts that were jumped over, contacts that sank deep, and
// steps with too many strikes.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/study/study.hpp"

namespace myriad::ensemble {

// Entries of the contacts' certificate, of each instance.
struct ContactNumbers {
    std::vector<double> jumped, fastest_1_s, jumped_bits, sunk_m, sunk_bits, crowded;
};

// Adds the numbers of instances by half a sentence each: "with contacts that ...".
void warn_of_contacts(const study::Study& study, const ContactNumbers& numbers,
                      const std::vector<unsigned char>& included, std::map<std::string, std::uint64_t>& by_warning);

}  // namespace myriad::ensemble
