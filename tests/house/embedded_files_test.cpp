#include "host/backends/compiled_kernels/embedded_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "tests/source_dir.hpp"

namespace myriad {
namespace {

TEST(EmbeddedFiles, AreTheHeadersOfKernelsByteForByte) {
    std::set<std::string> expected;
    for (const char* folder : {"kernels", "ensembles", "papers/charts/kernels", "papers/lgim/kernels",
                               "papers/rA/kernels", "papers/livens/kernels"}) {
        if (!std::filesystem::is_directory(source_dir() / folder)) continue;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() / folder))
            if (entry.path().extension() == ".hpp")
                expected.insert(entry.path().lexically_relative(source_dir()).generic_string());
    }
    expected.insert("papers/catalog.hpp");
    std::set<std::string> embedded;
    for (int i = 0; i < embedded_kernel_file_count; ++i) {
        const EmbeddedFile& file = embedded_kernel_files[i];
        embedded.insert(file.name);
        std::ifstream stream(source_dir() / file.name, std::ios::binary);
        const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
        EXPECT_EQ(text, file.text) << file.name;
    }
    EXPECT_EQ(embedded, expected);
    EXPECT_TRUE(embedded.contains("kernels/math/real.hpp"));
}

}  // namespace
}  // namespace myriad
