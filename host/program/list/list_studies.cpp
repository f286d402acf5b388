#include "host/program/list/list_studies.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/program/text/text_table.hpp"
#include "host/study/bundled_studies.hpp"
#include "host/text/printable.hpp"

namespace myriad::program {

void print_studies() {
    const std::vector<study::BundledStudy> studies = study::bundled_studies();
    TextTable table({"study", "simulates", "title"});
    for (const study::BundledStudy& one : studies) table.add({one.name, one.simulates, one.title});
    std::printf("%s\n`myriad run NAME` runs one; copy its file to change it\n", table.text(3).c_str());
    if (!studies.empty())
        std::printf("their files: %s\n", printable(studies.front().path.parent_path().string()).c_str());
}

nlohmann::ordered_json studies_json() {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const study::BundledStudy& one : study::bundled_studies()) {
        json.push_back(
            {{"name", one.name}, {"title", one.title}, {"simulates", one.simulates}, {"path", one.path.string()}});
        if (!one.mechanism.empty()) json.back()["mechanism"] = one.mechanism.string();
    }
    return json;
}

}  // namespace myriad::program
