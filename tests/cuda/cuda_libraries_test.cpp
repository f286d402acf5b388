#include "host/backends/compiled_kernels/cuda_libraries.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "host/text/program_folder.hpp"

namespace myriad::backends::cuda {
namespace {

TEST(CudaLibraries, TheDriverTellsOfWhichCudaItIs) {
    setenv("MYRIAD_CUDA_DRIVER", MYRIAD_MOCK_CUDA_DRIVER, 1);
    setenv("MYRIAD_MOCK_DRIVER_VERSION", "12040", 1);
    EXPECT_EQ(driver_version(), 12040);
    setenv("MYRIAD_MOCK_DRIVER_VERSION", "13010", 1);
    EXPECT_EQ(driver_version(), 13010);
    EXPECT_EQ(tools_of("NVRTC 12.9"), "NVRTC 12.9, driver of CUDA 13.1");
    unsetenv("MYRIAD_MOCK_DRIVER_VERSION");
    setenv("MYRIAD_CUDA_DRIVER", "/nonexistent/libcuda.so", 1);
    EXPECT_EQ(driver_version(), 0);
    unsetenv("MYRIAD_CUDA_DRIVER");
}

TEST(CudaLibraries, TheLoadersOwnFoldersComeFirst) {
    const std::vector<std::string> places = in_cuda_folders("libnvrtc.so.13");
    ASSERT_GE(places.size(), 2u);
    EXPECT_EQ(places.front(), "libnvrtc.so.13");
    for (std::size_t i = 1; i < places.size(); ++i) EXPECT_EQ(places[i].front(), '/') << places[i];
    EXPECT_TRUE(program_folder().is_absolute());
}

}  // namespace
}  // namespace myriad::backends::cuda
