#include "run/small_runs.hpp"

#include <algorithm>
#include <numeric>

#include "trainyard/data/generate.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"

#include "support/catch.hpp"
#include "support/layered_schemes.hpp"

namespace trainyard {

LoadedData small_data() {
  const Dataset all = generate_dense_logistic(700, 20, 1);
  std::vector<std::uint32_t> train(600);
  std::vector<std::uint32_t> test(100);
  std::iota(train.begin(), train.end(), 0U);
  std::iota(test.begin(), test.end(), 600U);
  return {"small", copy_rows(all, train), copy_rows(all, test)};
}

Configuration small_configuration(const std::string& scheme) {
  Configuration configuration;
  configuration.scheme = scheme;
  configuration.model = test::model_for(scheme);
  configuration.workers = 4;
  configuration.batch = 10;
  configuration.time = TimeMode::simulated;
  configuration.compute_time = std::chrono::milliseconds(1);
  configuration.epochs = 2.0;
  // sign-sgd and demo go so far in each coordinate, at every step.
  configuration.optimizer.lr = scheme == "sign-sgd" || scheme == "demo" ? 0.02 : 0.5;
  return configuration;
}

RunResult run_small(const Configuration& configuration, const RunHooks& hooks) {
  const LoadedData data = small_data();
  return run_experiment(plan_run(resolve(configuration, {configuration.scheme}, data, {}), data),
                        hooks);
}

bool says(const RunResult& result, const std::string& words) {
  return std::ranges::any_of(result.summary.notes, [&](const Note& note) {
    return note.text.find(words) != std::string::npos;
  });
}

void check_adds_up(const RunResult& result) {
  for (const RankAccount& account : result.accounts) {
    CHECK(to_seconds(account.compute + account.transfer + account.wait) ==
          Approx(result.summary.seconds).epsilon(1e-9));
  }
}

}  // namespace trainyard
