// Writes the compiled topologies of mechanisms into a header, and the elimination of the first into another: arguments
// are the two headers and the mechanism files.
#include <cctype>
#include <fstream>
#include <iostream>

#include "host/mechanism/elimination/elimination_text.hpp"
#include "host/mechanism/mechanism.hpp"
#include "host/mechanism/topology_text.hpp"
#include "host/text/user_error.hpp"

namespace {

// four_link -> FourLink
std::string type_name(const std::string& file_name) {
    std::string name;
    bool starts = true;
    for (const char c : file_name) {
        if (c != '_') name += starts ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        starts = c == '_';
    }
    return name;
}

}  // namespace

int main(int count, char** arguments) {
    using namespace myriad::mechanism;
    try {
        std::ofstream header(arguments[1]);
        header << "#pragma once\n#include \"kernels/run/advance.hpp\"\n\nnamespace myriad::tests {\n\n"
                  "template <class Topology>\nstruct PlanOf;\n\n}  // namespace myriad::tests\n\n";
        std::ofstream(arguments[2]) << elimination_text(read_mechanism(arguments[3])->table.elimination,
                                                        "compiled_elimination");
        for (int i = 3; i < count; ++i) {
            const auto mechanism = read_mechanism(arguments[i]);
            const std::string name = type_name(std::filesystem::path(arguments[i]).stem());
            for (const bool keeps_factors : {false, true})
                for (const TopologyForm form : {TopologyForm::unrolled, TopologyForm::rolled}) {
                    if (keeps_factors && form == TopologyForm::rolled) continue;
                    const std::string type = name + (form == TopologyForm::unrolled ? "Unrolled" : "Rolled") +
                                             (keeps_factors ? "KeepingFactors" : "");
                    header << "namespace myriad::inline MYRIAD_VARIANT {\nstruct " << type << ";\n}\n"
                           << topology_text(mechanism->table,
                                            {type, form, "tests::PlanOf<" + type + ">", keeps_factors})
                           << "\n";
                }
        }
        header.flush();
        return header ? 0 : 1;
    } catch (const myriad::UserError& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
