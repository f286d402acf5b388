#include "host/catalog/papers_part.hpp"

#include "host/catalog/reflection.hpp"
#include "papers/catalog.hpp"

namespace myriad::study {

CatalogTable papers_part() {
    CatalogTable table;
    reflect(CatalogOfPapers{}, "papers/catalog.hpp", table);
    return table;
}

}  // namespace myriad::study
