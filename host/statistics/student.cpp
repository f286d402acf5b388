#include "host/statistics/student.hpp"

#include <boost/math/distributions/students_t.hpp>

namespace myriad::study {

double student_t(std::uint64_t degrees_of_freedom, double confidence) {
    const boost::math::students_t distribution(static_cast<double>(degrees_of_freedom));
    return boost::math::quantile(boost::math::complement(distribution, 0.5 * (1.0 - confidence)));
}

}  // namespace myriad::study
