#include "trainyard/study/student.hpp"

#include <cmath>

#include <boost/math/distributions/students_t.hpp>

#include "trainyard/base/error.hpp"

namespace trainyard {

double student_half_width(double deviation, std::size_t count) {
  require(count >= 2, "an interval of two values or more");
  const auto values = static_cast<double>(count);
  const double t = boost::math::quantile(boost::math::students_t(values - 1.0), 0.975);
  return t * deviation / std::sqrt(values);
}

}  // namespace trainyard
