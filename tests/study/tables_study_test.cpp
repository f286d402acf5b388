// Studies of mechanisms with tables: a span that leaves the points is refused, and a result names no file.
#include <fstream>

#include "tests/study/study_texts.hpp"

namespace myriad::study {
namespace {

nlohmann::json driven_arm(double end_s) {
    nlohmann::json study = nlohmann::json::parse(R"json({
        "mechanism": {
            "parameters": {"delay_s": 0.0},
            "tables": {"cam": {"points": [[0, 0.1], [0.5, 0.3], [1.25, -0.2], [2, 0.4]]}},
            "bodies": {"arm": {"mass_kg": 2, "inertia_kg_m2": [0.02, 0.3, 0.3], "centre_of_mass_m": [0.4, 0, 0]}},
            "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "arm"], "points_m": [[0, 0, 0], [0, 0, 0]],
                                 "axes": [[0, 0, 1], [0, 0, 1]]}},
            "drivers": {"turn": {"type": "angle", "joint": "hinge", "value_rad": "cam(t + delay_s)"}}},
        "integrator": {"name": "generalized_alpha", "step_s": 0.001, "end_s": 1}, "instances": 1})json");
    study["integrator"]["end_s"] = end_s;
    return study;
}
Study studied(const nlohmann::json& text) { return parse_study(text.dump(), "study.json", table_folder()); }

TEST(StudyTables, StandInAResultAsPoints) {
    std::ofstream(table_folder() / "cam.csv") << "time_s,angle_rad\n0,0.1\n0.5,0.3\n1.25,-0.2\n2,0.4\n";
    nlohmann::json from_file = driven_arm(1.0);
    from_file["mechanism"]["tables"]["cam"] = {{"file", "cam.csv"}};
    const Study study = studied(from_file);
    EXPECT_EQ(study.canonical_json, studied(driven_arm(1.0)).canonical_json);
    EXPECT_EQ(parse_study(study.canonical_json, "result.h5", "", {}, Purpose::repeat).canonical_json,
              study.canonical_json);
    EXPECT_THAT(refusal([&] { parse_study(from_file.dump(), "result.h5", table_folder(), {}, Purpose::repeat); }),
                has("/mechanism/tables/cam/file", "cam.csv"));
}

}  // namespace
}  // namespace myriad::study
