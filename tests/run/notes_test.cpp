// What is said of a run goes with its results.
#include "trainyard/run/notes.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include <nlohmann/json.hpp>

#include "trainyard/report/summary_format.hpp"
#include "trainyard/run/evaluation.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"

#include "run/remarks.hpp"
#include "run/small_runs.hpp"
#include "run/summary.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::json;

/// Those of a run's JSON.
std::vector<std::string> texts_of(const RunResult& result) {
  std::vector<std::string> texts;
  const Json run = Json::parse(summary_json(result.summary));
  for (const Json& note : run.at("notes")) {
    CHECK(note.at("about") == "");
    texts.push_back(note.at("text"));
  }
  return texts;
}

}  // namespace

TEST_CASE("warnings and notes are kept, and what is only being done is not", "[run]") {
  std::vector<Note> kept;
  std::string heard;
  const Remark remark = noting(kept, [&](const std::string& text) { heard += text + "\n"; });
  for (const char* text : {"warning: it burns", "placement: 0-3", "note: it is warm", "warnings"}) {
    remark(text);
  }
  CHECK(kept == std::vector<Note>{{"", "warning: it burns"}, {"", "note: it is warm"}});
  CHECK(heard == "warning: it burns\nplacement: 0-3\nnote: it is warm\nwarnings\n");
  CHECK(with_name("warning: it burns", "ring") == "warning: ring: it burns");
  CHECK(with_name("it burns", "ring") == "ring: it burns");
}

TEST_CASE("a run that diverges has a note of how, which is said once", "[run]") {
  Configuration c = small_configuration("ring");
  c.optimizer.lr = 1e9;
  std::vector<std::string> said;
  RunHooks hooks;
  hooks.remark = [&](const std::string& text) { said.push_back(text); };
  const RunResult result = run_small(c, hooks);
  REQUIRE(result.summary.diverged);
  const auto texts = texts_of(result);
  REQUIRE(texts.size() == 1);
  CHECK_THAT(texts.front(), Catch::Matchers::StartsWith("warning: diverged: after "));
  CHECK(std::ranges::count(said, texts.front()) == 1);
  c.optimizer.lr = 1.0;
  CHECK(texts_of(run_small(c)).empty());
}

TEST_CASE("a model that is no number has no accuracy", "[run]") {
  Configuration c = small_configuration("ring");
  c.model = "mlp:4";
  c.optimizer.lr = 1e38;
  const RunResult result = run_small(c);
  REQUIRE(std::isnan(result.summary.train_loss));
  CHECK_FALSE(result.summary.test_accuracy);
  CHECK(result.metrics.front().test_accuracy);
}

// Only the training loss was asked: here scores of test rows alone are ∞ - ∞.
TEST_CASE("a model whose scores are no numbers on the test rows has no accuracy", "[run]") {
  LoadedData data;
  data.name = "far apart";
  for (Dataset* set : {&data.train, &data.test}) {
    set->rows = 4;
    set->features = 2;
    set->labels = AlignedBuffer<Label>(4);
    set->dense = AlignedBuffer<float>(8);
    for (std::size_t r = 0; r < 4; ++r) {
      set->labels[r] = static_cast<Label>(r % 2);
      const float value = set == &data.test ? 10.0F : 0.5F;
      std::fill_n(set->dense.data() + 2 * r, 2, value);
    }
  }
  Configuration c = small_configuration("sequential");
  c.workers = 1;
  c.batch = 1;
  const Configuration resolved = resolve(c, {c.scheme}, data, {});
  const Plan plan = plan_run(resolved, data);
  VectorBuffer model = VectorBuffer::zeroed(Scalar::float32, 2);
  const std::atomic<bool> interrupted{false};
  const GracePeriod grace(interrupted);
  const auto found = [&] { return *measure(plan, {.model = std::as_const(model).view()}, grace); };
  CHECK(found().test_accuracy == 0.5);
  model.view().floats()[0] = 1e38F;
  model.view().floats()[1] = -1e38F;
  const Metrics metrics = found();
  CHECK(std::isfinite(metrics.train_loss));
  REQUIRE(std::isnan(*metrics.test_loss));
  CHECK_FALSE(metrics.test_accuracy);
}

TEST_CASE("a vector that cannot be encoded is a note of the run that it ended", "[run]") {
  Configuration c = small_configuration("ec-sgd");
  c.optimizer.lr = 1e30;
  const RunResult result = run_small(c);
  REQUIRE(result.summary.diverged);
  CHECK_THAT(texts_of(result).front(), ContainsSubstring("diverged"));
}

TEST_CASE("a run begins with the notes of its plan, and says that it was interrupted", "[run]") {
  const LoadedData data = small_data();
  std::vector<Note> notes;
  Configuration c = small_configuration("hogwild-numa");
  c.hyperparameters["groups"] = 1.0;
  c.given = {"topology"};
  c = resolve(c, {c.scheme}, data, noting(notes));
  REQUIRE(notes.size() == 2);
  std::atomic<bool> interrupted{false};
  RunHooks hooks;
  hooks.interrupted = &interrupted;
  hooks.evaluated = [&](const Metrics&) { interrupted = true; };
  const RunResult result = run_experiment(plan_run(c, data, notes), hooks);
  const auto texts = texts_of(result);
  REQUIRE(texts.size() == 3);
  CHECK_THAT(texts[0], ContainsSubstring("so it is hogwild"));
  CHECK_THAT(texts[1], ContainsSubstring("--topology has no effect"));
  CHECK(texts[2] == interrupted_note);
}

TEST_CASE("computing that threads sharing cores have stretched is a note", "[run]") {
  const LoadedData data = small_data();
  const Configuration c = small_configuration("ring");
  const Plan plan = plan_run(resolve(c, {c.scheme}, data, {}), data);
  std::vector<Note> notes;
  Summary summary;
  summary.time = "wall";
  summary.compute_s = 1.0;
  summary.compute_stretch = 1.0;
  remark_end(plan, summary, {}, true, noting(notes));
  CHECK(notes.empty());
  summary.compute_stretch = 3.5;
  remark_end(plan, summary, {}, true, noting(notes));
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes.front().text, Catch::Matchers::StartsWith("warning: computing took 3.50 times"));
  summary.compute_s = 2e-4;  // that is how threads wake
  remark_end(plan, summary, {}, true, noting(notes));
  CHECK(notes.size() == 1);
}

}  // namespace trainyard
