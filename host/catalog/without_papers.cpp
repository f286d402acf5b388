#include "host/catalog/papers_part.hpp"

namespace myriad::study {

CatalogTable papers_part() { return {}; }

}  // namespace myriad::study
