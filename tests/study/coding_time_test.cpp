// Measured coding times are those of a codec on this machine, and nobody else's.
#include <chrono>
#include <string>
#include <vector>

#include "trainyard/scheme/scheme.hpp"
#include "trainyard/study/comparison.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"
#include "support/training.hpp"

namespace trainyard {

TEST_CASE("a contestant's coding time is its own, or the codec's as it was measured", "[study]") {
  const LoadedData data = test::dense_problem(60, 2000);
  const auto encode_times = [&](const std::string& contestants) {
    ComparisonRequest request{.configuration = small_configuration(""),
                              .contestants = parse_contestants(contestants)};
    request.configuration.compute_time.reset();  // auto
    request.configuration.epochs = 0.1;
    request.options.jobs = 1;
    std::vector<Duration> times;
    for (const RunResult& result : run_comparison(request, data, {}).runs) {
      times.push_back(result.resolved.encode_time.value_or(Duration{0}));
    }
    return times;
  };
  using std::chrono::microseconds;
  // What one contestant says of itself is not for the next, and what is fixed is not measured.
  const auto own = encode_times("csgd{encode-time=50us},ec-sgd,double-squeeze");
  CHECK(own[0] == microseconds(50));
  CHECK(own[1] < microseconds(10));
  CHECK(own[1].count() > 0);
  CHECK(own[2] == own[1]);  // one codec is measured once
  const auto fixed = encode_times("power-sgd,csgd{codec=one-bit},ec-sgd{codec=one-bit}");
  CHECK(fixed[0] == find_scheme("power-sgd").messages.own_coding.encode);
  CHECK(fixed[1] == fixed[2]);
  CHECK(fixed[1] != fixed[0]);
}

}  // namespace trainyard
