// What cache lines cost runs on shared models, in simulated time.
#include <algorithm>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

constexpr Duration ns = std::chrono::nanoseconds(1);

Configuration sharing(const std::string& scheme, int workers, std::uint64_t steps) {
  Configuration c = quick(scheme, workers, steps);
  c.line_time = 100 * ns;
  c.compute_time = 1000 * ns;
  return c;
}

const std::vector<std::string> schemes_in_memory{"hogwild",   "hogwild-split", "hogwild-numa",
                                                 "hogwild++", "buckwild",      "ps-async-epochs"};

/// Of several groups, machines, and slices.
Configuration of_scheme(const std::string& scheme, int workers, std::uint64_t steps) {
  Configuration c = sharing(scheme, workers, steps);
  c.hyperparameters = {{"groups", 2.0},
                       {"exchange-uses", 8.0},
                       {"machine-threads", 2.0},
                       {"period", 3.0},
                       {"token-updates", 2.0}};
  return c;
}

bool has_note(const Summary& s, const std::string& part) {
  return std::ranges::any_of(
      s.notes, [&](const Note& note) { return note.text.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("two workers of hogwild on a dense model pay for its lines at each step", "[scheme]") {
  // 40 features, two lines and a half: the three of them come in t + 2t/8 when the other one wrote
  // last. Only the very first write finds them where they are; in its second step worker 1 asks for
  // them 125 ns after worker 0, which has them for 200, and after that comes 200 behind it.
  constexpr std::uint64_t steps = 10;
  const LoadedData data = test::dense_problem(400, 40);
  const RunResult run = train(sharing("hogwild", 2, steps), data);
  CHECK(run.summary.seconds == Approx(1e-9 * (steps * 1125 + 75)).epsilon(1e-9));
  REQUIRE(run.summary.lines_s);
  CHECK(*run.summary.lines_s == Approx(1e-9 * (125 * (2 * steps - 1) + 75) / 2).epsilon(1e-9));
  CHECK(has_note(run.summary, "--line-time 100ns"));
}

TEST_CASE("more workers wait for one another at the same lines", "[scheme]") {
  // One line, computing takes nothing beside it: a worker gets it every 2 t, whoever it is.
  const LoadedData data = test::dense_problem(400, 10);
  for (const int workers : {2, 4, 16}) {
    Configuration c = sharing("hogwild", workers, 200);
    c.compute_time = Duration{1};
    const RunResult run = train(c, data);
    const double a_step = run.summary.seconds / 200;
    CHECK(a_step == Approx(2e-7 * workers).epsilon(0.02));
  }
}

TEST_CASE("lines of hogwild's workers are those of their rows", "[scheme]") {
  // Rows of one feature each, whose lines are 16 apart: nobody meets anybody.
  LoadedData data = test::sparse_problem(64, 64 * 16);
  const auto rows = static_cast<std::uint32_t>(data.train.rows);
  data.train.row_begin = AlignedBuffer<std::uint64_t>(rows + 1);
  data.train.columns = AlignedBuffer<std::uint32_t>(rows);
  data.train.values = AlignedBuffer<float>(rows);
  for (std::uint32_t r = 0; r <= rows; ++r) data.train.row_begin[r] = r;
  for (std::uint32_t r = 0; r < rows; ++r) {
    data.train.columns[r] = r * 16;
    data.train.values[r] = 1.0F;
  }
  Configuration c = sharing("hogwild", 4, 100);
  c.batch = 1;
  CHECK(*train(c, data).summary.lines_s == 0.0);
  // And all of them at one.
  for (std::uint32_t r = 0; r < rows; ++r) data.train.columns[r] = r % 16;
  CHECK(*train(c, data).summary.lines_s > 0.0);
}

TEST_CASE("every scheme on a shared model pays, its accounts add up, and it repeats", "[scheme]") {
  for (const LoadedData& data : {test::dense_problem(), test::sparse_problem()}) {
    for (const std::string& scheme : schemes_in_memory) {
      CAPTURE(data.name, scheme);
      const Configuration c = of_scheme(scheme, 4, 60);
      const RunResult run = train(c, data);
      REQUIRE(run.summary.lines_s);
      CHECK(*run.summary.lines_s > 0.0);
      CHECK(*run.summary.lines_s <= run.summary.compute_s);
      CHECK(run.summary.compute_s + run.summary.transfer_s + run.summary.wait_s ==
            Approx(run.summary.seconds).epsilon(1e-9));
      const RunResult again = train(c, data);
      CHECK(again.summary.model_hash == run.summary.model_hash);
      CHECK(again.summary.seconds == run.summary.seconds);

      Configuration free = c;
      free.line_time = Duration{0};
      const RunResult without = train(free, data);
      CHECK(without.summary.seconds < run.summary.seconds);
      CHECK_FALSE(without.summary.lines_s);
    }
  }
}

TEST_CASE("one worker pays nothing, nor do replicas", "[scheme]") {
  const LoadedData data = test::sparse_problem();
  for (const char* scheme : {"hogwild", "hogwild-split", "buckwild", "ring", "ps-async"}) {
    CAPTURE(scheme);
    Configuration c = sharing(scheme, std::string(scheme) == "ring" ? 3 : 1, 50);
    const RunResult run = train(c, data);
    c.line_time = Duration{0};
    const RunResult free = train(c, data);
    CHECK(run.summary.model_hash == free.summary.model_hash);
    CHECK(run.summary.seconds == free.summary.seconds);
    CHECK_FALSE(run.summary.lines_s);
  }
}

TEST_CASE("free lines are said, and so is what was measured", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = sharing("hogwild", 2, 10);
  std::vector<std::string> said;
  const Remark hear = [&](const std::string& text) { said.push_back(text); };
  const auto heard = [&](const std::string& part) {
    return std::ranges::any_of(
        said, [&](const std::string& text) { return text.find(part) != std::string::npos; });
  };
  c.line_time = Duration{0};
  (void)resolve(c, {c.scheme}, data, hear);
  CHECK(heard("--line-time 0"));
  said.clear();
  c.line_time.reset();
  const Configuration resolved = resolve(c, {c.scheme}, data, hear);
  CHECK(heard("line time: "));
  REQUIRE(resolved.line_time);
  CHECK(*resolved.line_time > Duration{0});
  said.clear();
  (void)resolve(c, {"ring"}, data, hear);
  CHECK_FALSE(heard("line time"));
}

namespace {

/// What 16 cores of an Intel Xeon did, one socket (docs/limits.md): samples a
/// second with 1, 2, 4, 8 and 16 ranks, in `wall`; of a range, with one rank the most and with more
/// its nearer end.
struct Measured {
  const char* scheme;
  LoadedData data;
  const char* model;
  std::size_t batch;
  std::uint64_t minibatches;
  double alone;
  std::vector<double> together;
};

std::vector<Measured> measured() {
  const LoadedData sparse{"sparse", generate_sparse_logistic(60'000, 10'000, 64, 1), {}};
  const LoadedData dense{"dense", generate_dense_logistic(4'000, 100, 1), {}};
  const LoadedData images{"images", generate_blobs(2'100, 784, 10, 3.0, 1), {}};
  std::vector<Measured> all;
  const auto add = [&](const char* scheme, const LoadedData& data, const char* model,
                       std::size_t batch, std::uint64_t minibatches, double alone,
                       std::vector<double> together) {
    LoadedData copy{data.name,
                    copy_rows(data.train,
                              [&] {
                                std::vector<std::uint32_t> rows(data.train.rows);
                                for (std::uint32_t r = 0; r < rows.size(); ++r) rows[r] = r;
                                return rows;
                              }()),
                    {}};
    all.push_back({scheme, std::move(copy), model, batch, minibatches, alone, std::move(together)});
  };
  add("hogwild", sparse, "logistic", 1, 16'000, 8.5e6, {11.4e6, 2.2e6, 2.6e6, 3.1e6});
  add("hogwild++", sparse, "logistic", 1, 16'000, 6.0e6, {11.1e6, 2.2e6, 2.7e6, 2.8e6});
  add("hogwild-split", sparse, "logistic", 1, 16'000, 7.9e6, {6.6e6, 11.5e6, 21.5e6, 33.2e6});
  add("hogwild", dense, "logistic", 16, 4'000, 23e6, {30e6, 48e6, 61e6, 68e6});
  add("hogwild", images, "mlp:256,128", 32, 64, 112e3, {156e3, 278e3, 451e3, 332e3});
  add("hogwild", images, "mlp:512,512", 128, 32, 33e3, {59e3, 96e3, 202e3, 404e3});
  return all;
}

}  // namespace

TEST_CASE("with the default line time simulated hogwild is like hogwild on 16 cores",
          "[scheme][slow]") {
  // rcv1-small, the seventh row, is in bench/line_time.py: its file is not here. Of all 28 cells 21
  // are met; three of those that are not had two ranks or sixteen in ways that no line explains,
  // and hogwild-split's four are slower than its lines.
  int cells = 0, met = 0;
  for (const Measured& row : measured()) {
    for (std::size_t i = 0; i < row.together.size(); ++i) {
      const int workers = 2 << i;
      Configuration c;
      c.scheme = row.scheme;
      c.workers = workers;
      c.model = row.model;
      c.batch = row.batch;
      c.time = TimeMode::simulated;
      c.steps = std::max<std::uint64_t>(2, row.minibatches / static_cast<std::uint64_t>(workers));
      c.evaluate_every = 1e6;
      c.optimizer.lr = 0.01;
      c.compute_time = seconds(static_cast<double>(row.batch) / row.alone);
      c.hyperparameters = {{"groups", 1.0}, {"exchange-uses", 64.0}};
      const double ratio = train(c, row.data).summary.samples_per_second / row.together[i];
      CAPTURE(row.scheme, row.model, workers, ratio);
      ++cells;
      if (ratio < 1.5 && ratio > 1.0 / 1.5) ++met;
      if (std::string(row.scheme) == "hogwild" && workers > 2 && workers < 16) {
        CHECK(ratio < 1.5);
        CHECK(ratio > 1.0 / 1.5);
      }
    }
  }
  CHECK(cells == 24);
  CHECK(met >= 17);
}
