#include "trainyard/report/run_folder.hpp"

#include <nlohmann/json.hpp>

#include "trainyard/base/error.hpp"
#include "trainyard/experiment/options.hpp"
#include "trainyard/report/summary_format.hpp"

#include "data/files.hpp"
#include "report/results.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

void write_run(const fs::path& out, const RunResult& result, bool overwrite) {
  RunFolder folder(out, "ring", result.resolved, overwrite);
  for (const Metrics& metrics : result.metrics) folder.add(metrics);
  folder.finish(result);
}

}  // namespace

TEST_CASE("a run's folder is complete when it has its name", "[report]") {
  const TemporaryFolder temporary;
  const fs::path out = temporary.path() / "some" / "where";
  const RunResult result = full_result("ring");
  write_run(out, result, false);
  CHECK(!fs::exists(out / "ring.partial"));
  CHECK(read_file(out / "ring" / "summary.json") == summary_json(result.summary));
  CHECK(read_file(out / "ring" / "config.toml") == configuration_text(result.resolved));
  CHECK(read_file(out / "ring" / "metrics.jsonl") ==
        metrics_json(result.metrics[0]) + metrics_json(result.metrics[1]));
}

TEST_CASE("a run that does not end leaves its metrics under the name .partial", "[report]") {
  const TemporaryFolder temporary;
  const RunResult result = full_result("ring");
  const fs::path partial = temporary.path() / "ring.partial";
  {
    RunFolder folder(temporary.path(), "ring", result.resolved, false);
    folder.add(result.metrics[0]);
    // On disk at once, not when the file is closed.
    CHECK(read_file(partial / "metrics.jsonl") == metrics_json(result.metrics[0]));
  }
  CHECK(!fs::exists(temporary.path() / "ring"));
  CHECK(fs::exists(partial / "config.toml"));

  CHECK_THROWS_WITH(write_run(temporary.path(), result, false),
                    ContainsSubstring("ring.partial exists") && ContainsSubstring("--force"));
  write_run(temporary.path(), result, true);
  CHECK(!fs::exists(partial));
}

TEST_CASE("results are not overwritten unless asked to", "[report]") {
  const TemporaryFolder temporary;
  RunResult result = full_result("ring");
  write_run(temporary.path(), result, false);
  temporary.write("ring/note.txt", "mine");
  const std::string before = read_file(temporary.path() / "ring" / "summary.json");
  result.summary.seed = 99;
  CHECK_THROWS_AS(write_run(temporary.path(), result, false), UsageError);
  CHECK_THROWS_AS(refuse_existing_results(temporary.path(), "ring"), UsageError);
  CHECK_NOTHROW(refuse_existing_results(temporary.path(), "gossip"));
  CHECK(read_file(temporary.path() / "ring" / "summary.json") == before);
  write_run(temporary.path(), result, true);
  CHECK(read_file(temporary.path() / "ring" / "summary.json") != before);
}

TEST_CASE("results that appear while a run goes on are not overwritten either", "[report]") {
  const TemporaryFolder temporary;
  const RunResult result = full_result("ring");
  RunFolder folder(temporary.path(), "ring", result.resolved, false);
  temporary.write("ring/summary.json", "another run's");
  CHECK_THROWS_WITH(folder.finish(result), ContainsSubstring("cannot rename"));
  CHECK(read_file(temporary.path() / "ring" / "summary.json") == "another run's");
  CHECK(fs::exists(temporary.path() / "ring.partial" / "summary.json"));
}

TEST_CASE("a place that cannot be written is refused", "[report]") {
  const TemporaryFolder temporary;
  temporary.write("file", "");
  CHECK_THROWS_WITH(RunFolder(temporary.path() / "file", "ring", {}, false),
                    ContainsSubstring("--out: cannot write to"));
}

TEST_CASE("a model is a .npy file of version 1.0", "[report]") {
  const TemporaryFolder temporary;
  for (const std::size_t count : {0U, 1U, 3U, 100000U, 1000000U}) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i) * 0.5F;
    const fs::path file = temporary.path() / "model.npy";
    write_npy(file, values);
    const std::string bytes = read_file(file);
    REQUIRE(bytes.size() > 10);
    CHECK(bytes.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t header =
        10 + static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
    CHECK(header % 64 == 0);
    CHECK(bytes[header - 1] == '\n');
    REQUIRE(bytes.size() == header + 4 * count);
    if (count > 0) CHECK(std::memcmp(bytes.data() + header, values.data(), 4 * count) == 0);
    CHECK_THAT(bytes.substr(10, header - 10),
               ContainsSubstring("'shape': (" + std::to_string(count) + ",)"));
  }
}

}  // namespace trainyard
