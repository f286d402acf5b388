// Columns that show the rows of other result files as their own: HDF5's virtual datasets.
//
// HDF5 looks for a part in the folder of the file that shows it first, and gives fill values, without a word, where it
// finds none. So a reader follows such links only into result files that it has looked at: in the folder of the file or
// below, of the same run, with the rows that are asked of them.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "host/results/hdf5_handle.hpp"
#include "host/results/result_file.hpp"

namespace myriad::results {

// Makes `creation`, the properties of a dataset that is to be, show the column of each part. What a reader that does
// not look finds for a part that has gone: NaN or -1.
void show_parts(hid_t creation, const Column& column, std::uint64_t instances, const std::vector<LinkedPart>& parts);

// The path that HDF5 reads from the name of a part: "%%" stands for "%". "" for the file that shows it itself, and for
// a name that stands for many files ("%b").
std::string path_of_part(const std::string& name);
// The paths of the files that a dataset shows, as in LinkedPart; "" for one that is the dataset's own file. Nothing for
// a dataset that holds its values.
std::vector<std::string> parts_shown(hid_t dataset);

// Why a part may not be followed from `folder`, as the end of a sentence; "" where it may: its path is relative and
// without "..", it is there, and no link leads out of the folder.
std::string objection_to_part(const std::filesystem::path& folder, const std::string& path);

}  // namespace myriad::results
