// DiLoCo with encoded ways against diloco, and against its rule written out.
#include <algorithm>
#include <cmath>

#include "trainyard/scheme/scheme.hpp"

#include "codec/rounding.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

Configuration configuration(int workers, std::uint64_t steps, const char* codec) {
  Configuration c;
  c.scheme = "coded-diloco";
  c.workers = workers;
  c.steps = steps;
  c.optimizer.lr = 0.1;
  c.ingredients["codec"] = codec;
  c.hyperparameters = {{"period", 5.0}, {"outer-lr", 0.6}, {"outer-momentum", 0.8}};
  return c;
}

}  // namespace

TEST_CASE("coded-diloco steps along the encoded mean of encoded ways",
          "[scheme][rule:coded-diloco]") {
  const std::size_t n = 2, size = 6;  // each owns three numbers of the mean
  const std::vector<Doubles> h{{1.0, 0.25, 4.0, 0.5, 1.5, 0.125},
                               {0.5, 0.75, 1.0, 2.0, 0.375, 0.875}};
  const std::vector<Doubles> b{{1.0, -2.0, 0.5, 3.0, 0.0, 9.0}, {-1.0, 3.0, 0.25, 1.0, -4.0, 0.5}};
  const Dataset data = test::quadratic_data(h, b);
  for (const bool feeds_back : {false, true}) {
    Doubles outer(size, 0.0), velocity(size, 0.0), own_error(size, 0.0);
    std::vector<Doubles> x(n, outer), error(n, outer);
    for (int done = 1; done <= 27; ++done) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < size; ++j) x[i][j] -= 0.1 * h[i][j] * (x[i][j] - b[i][j]);
      }
      if (done % 5 == 0) {
        for (std::size_t owner = 0; owner < n; ++owner) {
          Doubles sum(3, 0.0);
          for (std::size_t i = 0; i < n; ++i) {
            Doubles part(3);
            for (std::size_t j = 0; j < 3; ++j) {
              const std::size_t at = 3 * owner + j;
              part[j] = outer[at] - x[i][at] + (feeds_back ? error[i][at] : 0.0);
            }
            const Doubles sent = test::as_e3m0(part);
            for (std::size_t j = 0; j < 3; ++j) {
              error[i][3 * owner + j] = part[j] - sent[j];
              sum[j] += sent[j] / n;
            }
          }
          for (std::size_t j = 0; j < 3 && feeds_back; ++j) sum[j] += own_error[3 * owner + j];
          const Doubles way = test::as_e3m0(sum);
          for (std::size_t j = 0; j < 3; ++j) {
            const std::size_t at = 3 * owner + j;
            own_error[at] = sum[j] - way[j];
            velocity[at] = 0.8 * velocity[at] + way[j];
            outer[at] -= 0.6 * (way[j] + 0.8 * velocity[at]);
          }
        }
        for (Doubles& each : x) each = outer;
      }
      CAPTURE(feeds_back, done);
      Configuration c = configuration(2, static_cast<std::uint64_t>(done), "e3m0");
      c.hyperparameters["error-feedback"] = feeds_back ? 1.0 : 0.0;
      const test::Replicas found = test::run_on_quadratic(c, data);
      for (std::size_t i = 0; i < n; ++i) test::check_close(found.workers[i], x[i]);
    }
  }
}

TEST_CASE("coded-diloco that leaves nothing out is diloco", "[scheme]") {
  const Dataset data = test::unlike_data(4);
  for (const double feedback : {0.0, 1.0}) {
    Configuration c = configuration(4, 23, "identity");
    c.hyperparameters["error-feedback"] = feedback;
    Configuration same = c;
    same.scheme = "diloco";
    same.ingredients.clear();
    same.hyperparameters.erase("error-feedback");
    test::check_close(test::run_on_quadratic(c, data).model,
                      test::run_on_quadratic(same, data).model);
  }
}
