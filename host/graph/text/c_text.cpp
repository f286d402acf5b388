#include "host/graph/text/c_text.hpp"

#include "host/graph/text/c_words.hpp"

namespace myriad::graph {

std::string c_text(const Program& program, const CForm& form) {
    if (program.graph().format != Format::fp64) throw Refusal("C text has doubles alone");
    CShared shared{.form = form};
    const CStep step =
        c_step(shared, program, [](std::int64_t field) { return "FIELD(" + std::to_string(field) + ")"; });
    return c_words(form.width, form.stride) + "#define ELEMENTARY " + (step.inlines ? "HERE" : "APART") + "\n" +
           shared.constants_text() + shared.tables + shared.functions + step.parts + "void " + c_function +
           "(double* __restrict fields) {\n" + step.body + "}\n";
}

}  // namespace myriad::graph
