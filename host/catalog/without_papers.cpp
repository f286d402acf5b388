#include "host/catalog/papers_part.hpp"

namespace myriad::study {

const PapersPart& papers_part() {
    static const PapersPart none;
    return none;
}

}  // namespace myriad::study
