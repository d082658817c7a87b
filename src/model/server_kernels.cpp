// Operations of servers on a gradient beside adding it up: loops that the compiler's own vectors
// serve well enough, as a server waits for its port most of the time.
#include <cmath>
#include <limits>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard::kernels {

void compensate_delay(double lambda, ConstVector gradient, ConstVector now, ConstVector then,
                      Vector result) {
  require(gradient.size() == result.size() && now.size() == result.size() &&
              then.size() == result.size(),
          "compensate_delay: lengths differ");
  with_scalar(result.scalar(), [&]<typename T>(T) {
    const auto g = gradient.as<T>(), x = now.as<T>(), old = then.as<T>();
    const auto to = result.as<T>();
    const auto factor = static_cast<T>(lambda);
    for (std::size_t j = 0; j < to.size(); ++j)
      to[j] = g[j] + factor * g[j] * g[j] * (x[j] - old[j]);
  });
}

void compensate_delay_adaptively(double lambda, ConstVector mean_square, ConstVector gradient,
                                 ConstVector now, ConstVector then, Vector result) {
  require(gradient.size() == result.size() && now.size() == result.size() &&
              then.size() == result.size() && mean_square.size() == result.size(),
          "compensate_delay_adaptively: lengths differ");
  with_scalar(result.scalar(), [&]<typename T>(T) {
    const auto g = gradient.as<T>(), x = now.as<T>(), old = then.as<T>();
    const auto square = mean_square.as<T>();
    const auto to = result.as<T>();
    for (std::size_t j = 0; j < to.size(); ++j) {
      const T factor = static_cast<T>(lambda) / std::sqrt(square[j] + static_cast<T>(1e-7));
      to[j] = g[j] + factor * g[j] * g[j] * (x[j] - old[j]);
    }
  });
}

void average_squares(double keep, ConstVector gradient, Vector mean_square) {
  require(gradient.size() == mean_square.size(), "average_squares: lengths differ");
  with_scalar(mean_square.scalar(), [&]<typename T>(T) {
    const auto g = gradient.as<T>();
    const auto square = mean_square.as<T>();
    const auto kept = static_cast<T>(keep);
    for (std::size_t j = 0; j < square.size(); ++j) {
      square[j] = kept * square[j] + (1 - kept) * g[j] * g[j];
    }
  });
}

double distance_after_step(double a, ConstVector gradient, ConstVector x, ConstVector from) {
  require(gradient.size() == x.size() && from.size() == x.size(),
          "distance_after_step: lengths differ");
  double greatest = 0.0;
  with_scalar(x.scalar(), [&]<typename T>(T) {
    const auto g = gradient.as<T>(), now = x.as<T>(), then = from.as<T>();
    const auto step = static_cast<T>(a);
    bool numbers = true;
    T most = 0;
    for (std::size_t j = 0; j < now.size(); ++j) {
      const T distance = std::abs(now[j] - step * g[j] - then[j]);
      numbers = numbers && distance == distance;
      most = distance > most ? distance : most;
    }
    greatest = numbers ? most : std::numeric_limits<double>::infinity();
  });
  return greatest;
}

}  // namespace trainyard::kernels
