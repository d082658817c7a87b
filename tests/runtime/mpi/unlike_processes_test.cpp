// trainyard-mpi where processes have different command lines or files, as on several hosts.
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/data/partition.hpp"
#include "trainyard/data/split_file.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "app/program.hpp"
#include "data/files.hpp"
#include "runtime/mpi/small_runs.hpp"
#include "support/catch.hpp"
#include "support/processes.hpp"

using namespace trainyard;
using test::at_once;
using test::is_in_lockstep;
using test::ranks_of;
using test::run_unlike_processes;
using test::ShellOutcome;
using test::summary_of_processes;
using test::summary_of_simulation;

namespace fs = std::filesystem;

namespace {

/// A folder with split files of two workers.
class SplitFiles {
 public:
  /// `options` of `trainyard split`.
  void split(const std::string& name, const std::vector<std::string>& options) {
    std::vector<std::string> words{"split", "--workers", "2", "--out", name};
    words.insert(words.end(), options.begin(), options.end());
    REQUIRE(run_program(words, {.folder = folder_.path()}).status == 0);
  }
  /// The same file as another, but for `damage` done to its training rows, which nobody sees in its
  /// description.
  void damage(const std::string& from, const std::string& to,
              const std::function<void(Dataset&)>& damage) {
    const fs::path damaged = folder_.path() / to;
    fs::copy_file(folder_.path() / from, damaged);
    LoadedData data = open_split_file(damaged, RowCheck::all);
    LoadedData copy{data.name, copy_rows(data.train, all_rows(data.train)), {}};
    damage(copy.train);
    std::string bytes = read_file(damaged);
    const auto replace = [&](const auto& before, const auto& after) {
      if (before.empty()) return;
      const auto old = std::as_bytes(before.span());
      const std::string_view sought(reinterpret_cast<const char*>(old.data()), old.size());
      const std::size_t place = bytes.find(sought);
      REQUIRE(place != std::string::npos);
      const auto made = std::as_bytes(after.span());
      bytes.replace(place, made.size(), reinterpret_cast<const char*>(made.data()), made.size());
    };
    replace(data.train.labels, copy.train.labels);
    replace(data.train.columns, copy.train.columns);
    data = {};
    folder_.write(to, bytes);
  }
  std::string flag(const std::string& name) const {
    return " --dataset " + test::quoted_path(folder_.path() / name);
  }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  static std::vector<std::uint32_t> all_rows(const Dataset& data) {
    std::vector<std::uint32_t> rows(data.rows);
    for (std::uint32_t row = 0; row < data.rows; ++row) rows[row] = row;
    return rows;
  }
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("processes map the parts of a split file", "[runtime]") {
  if (!test::has_processes()) return;
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "rows.split").string();
  const std::string data = "--dataset sparse-logistic:3000 ";
  REQUIRE(run_program({"split", "--dataset", "sparse-logistic:3000", "--workers", "3", "--seed",
                       "5", "--out", file})
              .status == 0);
  // Rows of a worker's own; portions that may be anybody's; all rows, to count features.
  for (const char* scheme : {"ring", "hogwild", "sandblaster", "hogwild-split"}) {
    CAPTURE(scheme);
    const std::string run =
        fmt::format("--scheme {} --workers 3 --steps 30 --lr 1 --seed 5 ", scheme);
    const auto processes =
        summary_of_processes(ranks_of(scheme, 3), run + "--partition split --dataset " + file);
    const auto simulated = summary_of_simulation(run + data);
    CHECK(processes["diverged"] == false);
    CHECK(processes["steps"].get<double>() > 20.0);
    if (is_in_lockstep(find_scheme(scheme))) {
      CHECK(processes["model_hash"] == simulated["model_hash"]);
    }
  }
}

TEST_CASE("what only another process's file has wrong is told by that process", "[runtime][slow]") {
  if (!test::has_processes()) return;
  SplitFiles files;
  files.split("good.split", {"--dataset", "sparse-logistic:300"});
  const auto bad_feature = [](Dataset& d, std::size_t row) {
    d.columns[d.row_begin[row]] = 1U << 31U;
  };
  files.damage("good.split", "first.split", [&](Dataset& d) { bad_feature(d, 0); });
  files.damage("good.split", "last.split", [&](Dataset& d) { bad_feature(d, d.rows - 1); });
  files.damage("good.split", "half.split", [&](Dataset& d) {
    for (std::size_t row = 0; row < d.rows / 2; ++row) bad_feature(d, row);
  });
  files.damage("good.split", "label.split", [](Dataset& d) { d.labels[0] = 1 << 30; });
  const auto run = [&](const std::string& flags, const char* file) {
    const std::string common = "run --workers 2 --lr 1 --steps 300 " + flags;
    return run_unlike_processes({common + files.flag("good.split"), common + files.flag(file)});
  };
  struct Case {
    const char *flags, *file;
    std::string message;
  };
  const std::string first = "its row 0 has a feature beyond the last",
                    last = "its row 299 has a feature beyond the last";
  const std::vector<Case> cases{
      {"--scheme ring --partition split", "last.split", last},  // its own rows
      {"--scheme ring --partition split", "first.split", ""},   // another's
      {"--scheme hogwild-split --partition split", "first.split", first},
      {"--scheme ring --partition dirichlet:1", "label.split", "a class that is none"},
      {"--scheme ring --partition shards", "label.split", "a class that is none"},
      {"--scheme ring --time virtual", "first.split", "--time virtual"}};
  std::vector<std::function<ShellOutcome()>> runs;
  for (const Case& one : cases) runs.emplace_back([&] { return run(one.flags, one.file); });
  const auto outcomes = at_once(runs);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(cases[i].flags, cases[i].file, outcomes[i].output);
    CHECK((outcomes[i].status == 0) == cases[i].message.empty());
    CHECK_THAT(outcomes[i].output, ContainsSubstring(cases[i].message));
  }
  // Whichever portions it gets: some are of the other's rows.
  const std::string portions =
      "run --scheme sandblaster --workers 2 --servers 1 --steps 300 --partition split";
  const std::string good = portions + files.flag("good.split");
  const auto outcome =
      run_unlike_processes({good, portions + files.flag("half.split"), good, good});
  CAPTURE(outcome.output);
  CHECK(outcome.status != 0);
  CHECK_THAT(outcome.output, ContainsSubstring("has a feature beyond the last"));
}

TEST_CASE("processes that were started for other runs are told so", "[runtime][slow]") {
  if (!test::has_processes()) return;
  SplitFiles files;
  files.split("500.split", {"--dataset", "blobs:500"});
  files.split("seed.split", {"--dataset", "blobs:500", "--seed", "9"});
  files.split("501.split", {"--dataset", "blobs:501"});
  files.folder().write("slow.csv", "0,1,9ms,1Gbps\n");
  files.folder().write("fast.csv", "0,1,1ms,1Gbps\n");
  files.folder().write("same.csv", "0,1,1ms,1Gbps\n");
  const auto links = [&](const char* name) {
    return " --links " + test::quoted_path(files.folder().path() / name);
  };
  const std::string run = "run --workers 2 --steps 2", network = run + " --latency 1ms";
  struct Case {
    std::string first, second;
    int status;
    std::string message;
  };
  const std::string options = "was started with other options than rank 0",
                    data = "has read other data than rank 0";
  const std::vector<Case> cases{
      {run + " --lr 1", run + " --lr 2", 2, options},
      {run + " --dataset blobs:500", run + " --dataset blobs:600", 2, options},
      {run + " --test every-fifth", run, 2, options},
      {run, "list schemes", 2, "was started with another command than rank 0"},
      {"list schemes", run, 2, "was started with another command than rank 0"},
      {run, "run --help", 2, "was started with another command than rank 0"},
      {run + files.flag("500.split"), run + files.flag("501.split"), 3, data},
      {run + files.flag("500.split"), run + files.flag("seed.split"), 3, data},
      {run + files.flag("500.split"), run + files.flag("none.split"), 3, "for rank 0, and none"},
      {run + files.flag("none.split"), run + files.flag("500.split"), 3, "for rank 0, and none"},
      {run + " --json --quiet", run, 0, ""}};  // what rank 0 prints is its own matter
  std::vector<std::function<ShellOutcome()>> runs;
  for (const Case& one : cases) {
    runs.emplace_back([&] { return run_unlike_processes({one.first, one.second}); });
  }
  const auto outcomes = at_once(runs);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(cases[i].first, cases[i].second, outcomes[i].output);
    CHECK(outcomes[i].status == cases[i].status);
    CHECK_THAT(outcomes[i].output, ContainsSubstring(cases[i].message));
  }
  const auto with_links = [&](const char* first, const char* second) {
    return run_unlike_processes(
        {network + links(first), network + links(second), network + links(first)});
  };
  CHECK(with_links("fast.csv", "same.csv").status == 0);
  CHECK_THAT(with_links("fast.csv", "slow.csv").output, ContainsSubstring(options));
}
