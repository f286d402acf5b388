// The catalog as data: what its systems, charts and integrators tell about themselves in their structs, and which of
// them go together. One source file reads it from the types (reflection.hpp); whatever else asks, asks this table.
#pragma once
#include "host/catalog/system_description.hpp"

namespace myriad::study {

// A system on a chart by an integrator, of which there are kernels.
struct CatalogMember {
    std::string system, chart;
    IntegratorDescription integrator;
    bool is_of_mechanisms = false;  // `system` then stands for every mechanism file
    // As C++ spells them, in fp64 and in fp32, and the header that declares them: for the source of GPU kernels. A
    // mechanism's has a TableTopology, in joint coordinates a
    // JointTopology.
    std::string system_type, fp32_system_type, integrator_type, header;
    bool has_fp32 = false;    // kernels in single precision, too
    bool rolls_rows = false;  // of a formula's contacts, on a GPU: unrolled they would fill more than its registers
};

struct CatalogTable {
    std::vector<SystemDescription> systems;  // mechanisms describe themselves in their files
    std::vector<ChartDescription> charts;
    std::vector<CatalogMember> members;
    // Channels of each body of a mechanism; entries that methods add to the certificate of mechanisms and of contacts.
    std::vector<DescribedChannel> body_channels;
    std::vector<CertificateEntry> mechanism_momentum_certificate, contact_certificate;
};

const CatalogTable& catalog_table();

// Null where there are no such kernels.
const CatalogMember* find_member(std::string_view system, std::string_view chart, std::string_view integrator);

}  // namespace myriad::study
