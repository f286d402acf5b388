#include "host/backends/cuda_kernels/cuda_libraries.hpp"

#include <sstream>

namespace myriad::backends::cuda {

std::vector<std::string> in_cuda_folders(const std::string& file) {
    std::vector<std::string> paths{file};
    std::istringstream folders(MYRIAD_CUDA_LIBRARY_DIRS);
    for (std::string folder; std::getline(folders, folder, ':');)
        if (!folder.empty()) paths.push_back(folder + "/" + file);
    paths.push_back("/usr/local/cuda/lib64/" + file);
    return paths;
}

}  // namespace myriad::backends::cuda
