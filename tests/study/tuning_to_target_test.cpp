// What a search with a target asks for, and how much work that is, where the distance to the target
// is made up.
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "trainyard/run/resolve.hpp"
#include "trainyard/study/tuning.hpp"

#include "study/rival.hpp"
#include "study/searched_run.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

constexpr double target_loss = 1.0;
constexpr double every = 4.0;  // steps between two evaluations

/// A run that is as far from the target as the function says, at each step, until it is told to
/// end.
RunResult run_of(const std::function<double(double)>& off, double steps, const RunHooks& hooks) {
  RunResult run;
  for (double step = 0.0;; step = std::min(step + every, steps)) {
    Metrics metrics{.step = step, .seconds = step, .train_loss = target_loss + off(step)};
    run.metrics.push_back(metrics);
    if (step == steps || hooks.ends(run.metrics)) break;
  }
  run.summary.steps = run.summary.seconds = run.metrics.back().step;
  run.summary.train_loss = run.metrics.back().train_loss;
  return run;
}

struct Searched {
  Tuning tuning;
  double steps = 0.0;  // of all trials
  double best = 0.0;   // of the run at the best step size, until it is held
};

/// Around a step size of 1, by how far from the target a run is: of the binary logarithm of its
/// step size, of its steps and of its seed, the first of which is 1.
Searched search_with(std::uint64_t seeds,
                     const std::function<double(double, double, std::uint64_t)>& off) {
  const LoadedData data = test::searched_data();
  Configuration c = test::searched_run(16'384);  // parts are of 4, 32, 256 and 2048
  c.target_loss = target_loss;
  std::vector<Configuration> runs;
  for (c.seed = 1; c.seed <= seeds; ++c.seed) runs.push_back(resolve(c, {c.scheme}, data, {}));
  StepSizeSearch search(std::move(runs), {"lr"}, data, "ring", {});
  Searched made;
  while (!search.trials().empty()) {
    std::vector<RunResult> ended;
    for (std::size_t i = 0; i < search.trials().size(); ++i) {
      const Configuration& trial = search.trials()[i];
      const double power = std::log2(trial.optimizer.lr);
      ended.push_back(run_of([&](double step) { return off(power, step, trial.seed); },
                             static_cast<double>(*trial.steps), search.hooks()));
      made.steps += ended.back().summary.steps;
    }
    search.take(std::move(ended));
  }
  made.tuning = search.result();
  for (const TuningTrial& trial : made.tuning.trials) {
    if (trial.sizes == made.tuning.sizes) made.best = static_cast<double>(trial.steps);
  }
  return made;
}

/// Of one seed.
Searched search(const std::function<double(double, double)>& off) {
  return search_with(1, [&](double power, double step, std::uint64_t) { return off(power, step); });
}

/// There after so many steps, and by so many times as many for each power beside the best one.
double straight(double power, double step, double best, double needs, double times) {
  return 1.0 - step / (needs * std::pow(times, std::abs(power - best)));
}

}  // namespace

TEST_CASE("tuning to a target takes four times the way to it, or two beside the best", "[study]") {
  // With the part before, of which three take as much as those before that, too.
  for (const auto& [needs, part] : {std::pair{40.0, 32.0},
                                    {90.0, 32.0},
                                    {130.0, 32.0},
                                    {250.0, 32.0},
                                    {600.0, 256.0},
                                    {1900.0, 256.0}}) {
    for (const double best : {-3.0, 0.0, 3.0}) {
      CAPTURE(needs, best);
      const Searched made = search([&, needs = needs](double p, double step) {
        return straight(p, step, best, needs, 2.0);
      });
      CHECK(made.tuning.sizes.front() == std::exp2(best));
      CHECK(made.steps <= std::max(4.0 * made.best, 3.0 * made.best + 4.0 * part));
    }
  }
}

TEST_CASE("every second step size is tried first, and what is beside the best of them", "[study]") {
  const Searched made =
      search([](double p, double step) { return straight(p, step, 1.0, 130.0, 2.0); });
  std::vector<double> tried;
  for (const TuningTrial& trial : made.tuning.trials) {
    if (trial.steps == 4) tried.push_back(std::log2(trial.sizes.front()));
  }
  CHECK(tried == std::vector{-4.0, -2.0, 0.0, 2.0, 4.0, -1.0, 1.0});
}

TEST_CASE("beside one that is at the target nobody runs on for longer", "[study]") {
  // There after 130 steps, and 1 % later beside it.
  const Searched made =
      search([](double p, double step) { return straight(p, step, 0.0, 130.0, 1.01); });
  CHECK(made.best == 136.0);  // held by the next evaluation
  std::size_t beside = 0;
  for (const TuningTrial& trial : made.tuning.trials) {
    if (trial.steps <= 32 || trial.sizes == made.tuning.sizes) continue;
    ++beside;
    CHECK(trial.steps == 132);  // the first evaluation after 130
    CHECK_FALSE(trial.seconds_to_target.has_value());
  }
  CHECK(beside == 2);
}

TEST_CASE("what few steps make too small is found with the next ones", "[study]") {
  // The first four want 4; all others 32, with which 200 are enough.
  const Searched made = search([](double p, double step) {
    return step <= 4.0 ? 1.0 + 0.01 * std::abs(p - 2.0) : straight(p, step, 5.0, 200.0, 1.5);
  });
  CHECK(made.tuning.sizes.front() == 32.0);
  CHECK(made.steps <= 4.1 * made.best);
}

TEST_CASE("a step size that is not tried for as long as nobody is there is said", "[study]") {
  // Nobody is there after 16,384 steps. All are nearly as good, the smaller one ahead in the parts.
  // What those and two beside the best one took leaves no room for the next.
  const Searched made = search([](double p, double step) {
    return straight(p, step, step <= 2048.0 ? 0.0 : 1.0, 40'000.0, 1.01);
  });
  CHECK(made.tuning.sizes.front() == 2.0);
  CHECK(made.steps <= 4.0 * made.best);
  CHECK(made.tuning.at_edge);
  CHECK(made.tuning.edge_is_up);
  CHECK(made.tuning.edge_was_worse);
}

TEST_CASE("the best step size has been tried between two that are later", "[study]") {
  // After 40 steps, of which the part before has 32. That part does not tell that with twice the
  // step size 30 would do, nor that with four times 20 would.
  const Searched made = search([](double p, double step) {
    return straight(p, step, 0.0, 40.0, step <= 32.0 ? 1.1 : 1.3) -
           (p >= 1.0 && p <= 2.0 && step > 32.0 ? 0.4 + 0.4 * (p - 1.0) : 0.0);
  });
  CHECK(made.tuning.sizes.front() == 4.0);
  CHECK_FALSE(made.tuning.at_edge);
}

TEST_CASE("what one lucky seed has reached is no better than what all are near", "[study]") {
  // Eight times 1 is there after 20 steps with the third seed and after 1500 with all others, and
  // four times 1 after 36 with each: the second part, of 32 steps, sees the lucky one alone.
  const Searched made = search_with(3, [](double p, double step, std::uint64_t seed) {
    if (p == 3.0) return 1.0 - step / (seed == 3 ? 20.0 : 1500.0);
    return straight(p, step, 2.0, 36.0, 1.5);
  });
  CHECK(made.tuning.sizes.front() == 4.0);
  // Nor is one given up that a lucky seed of the best one is far ahead of: 1 is there after 40
  // steps with the third seed and after 200 with all others, and half of it after 100 with each.
  const Searched beside = search_with(3, [](double p, double step, std::uint64_t seed) {
    if (p == 0.0) return 1.0 - step / (seed == 3 ? 40.0 : 200.0);
    if (p == -1.0 && step > 40.0) return 1.0 - step / 100.0;
    return straight(p, step, 0.0, 200.0, 1.1);
  });
  CHECK(beside.tuning.sizes.front() == 0.5);
}

TEST_CASE("one slow seed among ten does not keep the best step size from being found", "[study]") {
  // Both have some: 1 eight after 600 steps and two after 1800, twice as much 620 and 1400.
  const Searched slow = search_with(10, [](double p, double step, std::uint64_t seed) {
    if (p == 0.0) return 1.0 - step / (seed > 8 ? 1800.0 : 600.0);
    if (p == 1.0) return 1.0 - step / (seed > 8 ? 1400.0 : 620.0);
    return straight(p, step, 0.0, 900.0, 2.0);
  });
  CHECK(slow.tuning.sizes.front() == 2.0);
  // One never comes, at a twentieth of the way from the target.
  const Searched never = search_with(10, [](double p, double step, std::uint64_t seed) {
    if (p == 0.0) return std::max(1.0 - step / 10'000.0, seed == 10 ? 0.05 : -1.0);
    return straight(p, step, 1.0, 14'000.0, 3.0);
  });
  CHECK(never.tuning.sizes.front() == 2.0);
  // Later than all of the other's, by a hundredth, with two, and much sooner with the others.
  const Searched last = search_with(10, [](double p, double step, std::uint64_t seed) {
    if (p == 1.0 && step > 256.0) return 1.0 - step / (seed > 8 ? 1010.0 : 400.0);
    return p == 1.0 ? 1.0 - step / 1150.0 : straight(p, step, 0.0, 1000.0, 2.0);
  });
  CHECK(last.tuning.sizes.front() == 2.0);
  // The tenth takes twice as long as the others, and the mean is less all the same.
  const Searched mean = search_with(10, [](double p, double step, std::uint64_t seed) {
    if (p == 1.0 && step > 256.0) return 1.0 - step / (seed == 10 ? 500.0 : 260.0);
    return p == 1.0 ? 1.0 - step / 320.0 : straight(p, step, 0.0, 300.0, 2.0);
  });
  CHECK(mean.tuning.sizes.front() == 2.0);
}

TEST_CASE("a run need not go on where another one is ahead", "[study]") {
  const auto at = [](double seconds, double loss) {
    return Metrics{.seconds = seconds, .train_loss = loss};
  };
  const std::vector<Metrics> best{at(0.0, 3.0), at(8.0, 1.5), at(10.0, 0.5), at(12.0, 0.5)};
  const Rival rival{.target = {.value = 1.0}, .curves = {best}, .arrival = 9.0, .until = 9.0};
  using Run = std::vector<Metrics>;
  CHECK_FALSE(need_not_go_on(rival, Run{at(0.0, 3.0), at(8.0, 2.0)}));
  CHECK(need_not_go_on(rival, Run{at(0.0, 3.0), at(8.0, 2.0), at(10.0, 1.1)}));
  // At the target at once with it, and later, and sooner.
  CHECK_FALSE(need_not_go_on(rival, Run{at(8.0, 1.5), at(10.0, 0.5)}));
  CHECK(need_not_go_on(rival, Run{at(8.0, 1.5), at(10.0, 0.6)}));
  CHECK_FALSE(need_not_go_on(rival, Run{at(8.0, 1.5), at(10.0, 0.4)}));
  // Another seed of the rival was there after 12 s only.
  const Rival seeds{.target = {.value = 1.0}, .curves = {best}, .arrival = 9.0, .until = 12.0};
  CHECK_FALSE(need_not_go_on(seeds, Run{at(8.0, 1.5), at(10.0, 1.1)}));
  CHECK(need_not_go_on(seeds, Run{at(8.0, 1.5), at(10.0, 1.1), at(12.0, 1.1)}));
  // From 6.75 s on, three quarters, where the rival was 0.5 off, and once.
  CHECK_FALSE(need_not_go_on(rival, Run{at(0.0, 9.0), at(6.0, 9.0)}));
  CHECK_FALSE(need_not_go_on(rival, Run{at(0.0, 9.0), at(8.0, 2.4)}));
  CHECK(need_not_go_on(rival, Run{at(0.0, 9.0), at(8.0, 2.6)}));
  CHECK_FALSE(need_not_go_on(rival, Run{at(0.0, 9.0), at(7.0, 2.0), at(8.0, 2.6)}));
  // Of one that is not there.
  const Rival behind{.target = {.value = 0.0}, .curves = {{at(0.0, 3.0), at(8.0, 1.0)}}};
  CHECK(need_not_go_on(behind, Run{at(0.0, 3.0), at(6.0, 4.6)}));
  CHECK_FALSE(need_not_go_on(behind, Run{at(0.0, 3.0), at(6.0, 4.4)}));
  CHECK_FALSE(need_not_go_on(behind, Run{at(0.0, 3.0), at(4.0, 9.0)}));
  CHECK(furthest_at(behind, 4.0) == 2.0);
  CHECK(furthest_at(behind, 9.0) == 1.0);
  // By the furthest of seeds, of which one is there after 3.2 s and the other after 6.
  const Rival lucky{.target = {.value = 1.0},
                    .curves = {{at(0.0, 3.0), at(4.0, 0.5)}, {at(0.0, 3.0), at(8.0, 1.0 / 3.0)}}};
  CHECK(furthest_at(lucky, 3.0) == Approx(1.0));
  CHECK(furthest_at(lucky, 5.0) == Approx(1.0 / 3.0));
  CHECK(furthest_at(lucky, 7.0) == 0.0);
}

}  // namespace trainyard
