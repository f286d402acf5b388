#include "host/results/hdf5_handle.hpp"

#include <cstdlib>

namespace myriad::results {
namespace {

// The text between `before` and `after` in `text`, or nothing.
std::string between(const std::string& text, const std::string& before, char after) {
    const std::size_t at = text.find(before);
    if (at == std::string::npos) return "";
    const std::size_t begin = at + before.size();
    return text.substr(begin, text.find(after, begin) - begin);
}

}  // namespace

void throw_hdf5_failure() {
    std::string reason;
    const auto take_innermost = [](unsigned depth, const H5E_error2_t* entry, void* into) -> herr_t {
        if (depth == 0 && entry->desc) *static_cast<std::string*>(into) = entry->desc;
        return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_innermost, &reason);
    H5Eclear2(H5E_DEFAULT);
    // Drivers write "..., errno = 28, error message = 'No space left on device', buf = 0x..., ...": addresses and times
    // of no use to anybody around the reason.
    const std::string system_reason = between(reason, "error message = '", '\'');
    Hdf5Failure failure(!system_reason.empty() ? system_reason : reason.empty() ? "no reason given" : reason);
    failure.error_number = std::atoi(between(reason, "errno = ", ',').c_str());
    throw failure;
}

void prepare_hdf5() {
    static const herr_t once = H5dont_atexit();
    static_cast<void>(once);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

hid_t hdf5_type(ElementType type) {
    switch (type) {
        case ElementType::float64:
            return H5T_IEEE_F64LE;
        case ElementType::float32:
            return H5T_IEEE_F32LE;
        case ElementType::int64:
            return H5T_STD_I64LE;
        case ElementType::int32:
            return H5T_STD_I32LE;
    }
    return -1;
}

Handle hdf5_string_type() {
    Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    checked(H5Tset_size(type, H5T_VARIABLE));
    checked(H5Tset_cset(type, H5T_CSET_UTF8));
    return type;
}

Handle hdf5_space(const std::vector<std::uint64_t>& shape) {
    if (shape.empty()) return Handle(H5Screate(H5S_SCALAR), H5Sclose);
    const std::vector<hsize_t> extents(shape.begin(), shape.end());
    return Handle(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose);
}

}  // namespace myriad::results
