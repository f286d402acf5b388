#include "host/backends/cuda/device_statistics.hpp"

#include "host/backends/cuda/device_statistics_library.hpp"
#include "host/backends/interface/dynamic_library.hpp"

namespace myriad::backends::cuda {

namespace {

struct Library {
    std::string missing;
    MyriadStatisticsSample* sample = nullptr;
    Library() {
        std::string said;
        const std::optional<DynamicLibrary> opened = DynamicLibrary::open({"libmyriad_device_statistics.so"}, said);
        if (!opened) {
            missing = "the device statistics are not beside this program (" + said + ")";
            return;
        }
        MyriadStatisticsCheck* check = opened->function<MyriadStatisticsCheck*>(statistics_check);
        sample = opened->function<MyriadStatisticsSample*>(statistics_sample);
        if (!check || !sample)
            missing = "the device statistics beside this program are of another version";
        else if (const char* sentence = check())
            missing = std::string("the device statistics find no GPU: ") + sentence;
    }
};

const Library& library() {
    static const Library only;
    return only;
}

}  // namespace

std::string device_statistics_missing() { return library().missing; }

std::optional<study::SortedSample> device_sorted_sample(std::span<const double> values,
                                                        std::span<const unsigned char> included, std::uint64_t first,
                                                        std::uint64_t stride, std::string& why) {
    why = library().missing;
    if (!why.empty()) return std::nullopt;
    study::SortedSample result;
    const std::uint64_t taken = first < values.size() ? (values.size() - first + stride - 1) / stride : 0;
    std::vector<study::BlockMoments> blocks((taken + study::block_size - 1) / study::block_size);
    result.values.resize(taken);
    MyriadSample sample{values.data(), included.data(),      first, stride, values.size(),
                        blocks.data(), result.values.data(), 0};
    if (const char* sentence = library().sample(&sample)) {
        why = std::string("the device statistics stopped: ") + sentence;
        return std::nullopt;
    }
    result.values.resize(sample.sorted_count);
    result.moments = study::merged_blocks(blocks);
    return result;
}

}  // namespace myriad::backends::cuda
