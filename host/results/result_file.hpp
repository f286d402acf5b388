// From finished instances to the result file, in the format of its name.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "host/results/journal.hpp"
#include "host/results/layout/instance_source.hpp"
#include "host/results/layout/layout.hpp"
#include "host/results/result_format.hpp"

namespace myriad::results {

// Root attributes that assemble() adds and Reader checks.
inline constexpr const char* format_attribute = "format";
inline constexpr const char* format_name = "myriad result";
inline constexpr const char* schema_version_attribute = "schema_version";
inline constexpr std::int64_t schema_version = 1;
inline constexpr const char* instances_attribute = "instances";  // rows, of which the first is this instance
inline constexpr const char* first_instance_attribute = "first_instance";
inline constexpr const char* study_instances_attribute = "study_instances";
inline constexpr const char* fingerprint_attribute = "study_fingerprint";
inline constexpr const char* description_attribute = "study_description";

// Makes the values of a journal the result, removes the journal. Needs all instances finished (std::logic_error
// otherwise). The values are where they have to be: the rest of the file is written around them. Only where columns are
// compressed they are read and written into another file, by blocks of some 64 MiB (or one instance, where that is
// more). The bytes of the file are a function of layout, values, fixed datasets and attributes: not of the order or the
// sizes of the journal's records.
//
// UserError (output) when the disk refuses or a foreign file has taken the result's name: the journal stays, and a run
// with --resume comes straight back here.
void assemble(Journal& journal, const std::vector<FixedDataset>& fixed, const Attributes& attributes);

inline constexpr const char* parts_attribute = "parts";  // paths of linked parts

// The same from any instances, to a path where nothing is, or a file that `if_present` says to replace: with `links`,
// which cover all rows, the columns are virtual.
void write_result(const std::filesystem::path& out, const InstanceSource& source, const Fingerprint& fingerprint,
                  const std::vector<FixedDataset>& fixed, const Attributes& attributes,
                  const std::vector<LinkedPart>& links = {}, IfPresent if_present = IfPresent::refuse);

}  // namespace myriad::results
