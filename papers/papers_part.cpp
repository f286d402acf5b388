#include "host/catalog/papers_part.hpp"

#include <type_traits>

#include "host/catalog/describe.hpp"
#include "papers/catalog.hpp"

namespace myriad::study {

namespace {

template <class... List>
auto of_papers(List... list) {
    std::remove_cvref_t<decltype((descriptions_of(list), ...))> all;
    const auto add = [&](auto some) { all.insert(all.end(), some.begin(), some.end()); };
    (add(descriptions_of(list)), ...);
    for (auto& one : all) one.header = "papers/catalog.hpp";
    return all;
}

}  // namespace

const PapersPart& papers_part() {
    static const PapersPart part{of_papers(ExplicitChartsOfLgim{}), of_papers(ChartsOfRa{}, ImplicitChartsOfLgim{}),
                                 of_papers(BodyMomentumForms{}), of_papers(LagrangianForms{})};
    return part;
}

}  // namespace myriad::study
