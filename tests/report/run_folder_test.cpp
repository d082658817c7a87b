#include "trainyard/report/run_folder.hpp"

#include <cstdlib>
#include <set>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/report/summary_format.hpp"

#include "data/files.hpp"
#include "report/results.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// The documented beginning of a run's config.toml.
const std::string mark = "# Written by trainyard";

void write_run(const fs::path& out, const RunResult& result, bool overwrite) {
  RunFolder folder(out, "ring", result.resolved, overwrite);
  for (const Metrics& metrics : result.metrics) folder.add(metrics);
  folder.finish(result);
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

void check_whole(const fs::path& folder, const RunResult& result) {
  CHECK(names_in(folder) == std::set<std::string>{"config.toml", "metrics.jsonl", "model.npy",
                                                  "ranks.csv", "summary.json"});
  CHECK(read_file(folder / "summary.json") == summary_json(result.summary));
  const std::string configuration = read_file(folder / "config.toml");
  CHECK(configuration.starts_with(mark));
  CHECK(configuration.ends_with("\n" + configuration_text(result.resolved)));
  CHECK(read_file(folder / "metrics.jsonl") ==
        metrics_json(result.metrics[0]) + metrics_json(result.metrics[1]));
}

/// The superuser may do what permissions forbid: until the end of the scope, `folder` and the test
/// are another user's.
class UserWithoutRights {
 public:
  explicit UserWithoutRights(const fs::path& folder) {
    if (!superuser_) return;
    constexpr uid_t nobody = 65534;
    REQUIRE(chown(folder.c_str(), nobody, getgid()) == 0);
    REQUIRE(seteuid(nobody) == 0);
  }
  ~UserWithoutRights() {
    if (superuser_ && seteuid(0) != 0) std::abort();
  }
  UserWithoutRights(const UserWithoutRights&) = delete;
  UserWithoutRights& operator=(const UserWithoutRights&) = delete;

 private:
  const bool superuser_ = geteuid() == 0;
};

}  // namespace

TEST_CASE("a run's folder is complete when it has its name", "[report]") {
  const TemporaryFolder temporary;
  const fs::path out = temporary.path() / "some" / "where";
  const RunResult result = full_result("ring");
  write_run(out, result, false);
  CHECK(!fs::exists(out / "ring.partial"));
  check_whole(out / "ring", result);
}

TEST_CASE("what a comparison keeps of a run lies in its folder, and is replaced with it",
          "[report]") {
  const TemporaryFolder temporary;
  const RunResult result = full_result("ring");
  Archive kept;
  std::uint64_t number = 7;
  kept.exchange("number", number);
  {
    RunFolder folder(temporary.path(), "ring", result.resolved, false);
    for (const Metrics& metrics : result.metrics) folder.add(metrics);
    folder.finish(result, &kept);
  }
  Archive read = Archive::read(temporary.path() / "ring/result.npz");
  number = 0;
  read.exchange("number", number);
  CHECK(number == 7);
  write_run(temporary.path(), result, true);
  check_whole(temporary.path() / "ring", result);
}

TEST_CASE("config.toml says what it does, and what it does not", "[report]") {
  const auto written = [](const RunResult& result) {
    const TemporaryFolder temporary;
    write_run(temporary.path(), result, false);
    return read_file(temporary.path() / "ring/config.toml");
  };
  RunResult result = full_result("ring");
  result.resolved.time = TimeMode::wall;
  CHECK_THAT(written(result), ContainsSubstring("`trainyard run` with this file repeats the run."));
  result.resolved.scheme = "ps-async";
  CHECK_THAT(written(result), ContainsSubstring("comes first") && !ContainsSubstring("repeats"));
  result.resolved.scheme = "ring";
  result.resolved.seconds = std::chrono::seconds(2);
  result.resolved.steps = most_steps;
  CHECK_THAT(written(result), ContainsSubstring("Its clock ends it") &&
                                  !ContainsSubstring("repeats") && !ContainsSubstring("\nsteps"));
  result.resolved.seconds.reset();
  result.summary.interrupted = true;
  result.summary.steps = 17.0;
  const std::string interrupted = written(result);
  CHECK_THAT(interrupted, ContainsSubstring("was interrupted") && ContainsSubstring("17 steps") &&
                              !ContainsSubstring("repeats"));
  CHECK(interrupted.starts_with(mark));
  Configuration fed_back;
  parse_configuration(interrupted, "config.toml", fed_back);
  CHECK(configuration_text(fed_back) == configuration_text(result.resolved));
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
  const std::string before = read_file(temporary.path() / "ring" / "summary.json");
  result.summary.seed = 99;
  CHECK_THROWS_AS(write_run(temporary.path(), result, false), UsageError);
  CHECK_THROWS_AS(refuse_taken_folder(temporary.path(), "ring", false), UsageError);
  CHECK_NOTHROW(refuse_taken_folder(temporary.path(), "ring", true));
  CHECK_NOTHROW(refuse_taken_folder(temporary.path(), "gossip", false));
  CHECK(read_file(temporary.path() / "ring" / "summary.json") == before);
  write_run(temporary.path(), result, true);
  CHECK(read_file(temporary.path() / "ring" / "summary.json") != before);
  CHECK(names_in(temporary.path()) == std::set<std::string>{"ring"});
}

TEST_CASE("only a folder that holds a run's files alone is overwritten", "[report]") {
  const RunResult result = full_result("ring");
  const auto refusal = [&](const TemporaryFolder& temporary) -> std::string {
    std::string message = "taken";
    for (const bool overwrite : {false, true}) {
      try {
        write_run(temporary.path(), result, overwrite);
      } catch (const UsageError& error) {
        message = error.what();
      }
      CHECK_THAT(message, !ContainsSubstring("--force"));
      CHECK_THAT(message, ContainsSubstring("only a folder that a run wrote is overwritten"));
    }
    return message;
  };
  // In the folder of a run, and in the partial one.
  for (const char* name : {"ring", "ring.partial"}) {
    const TemporaryFolder temporary;
    write_run(temporary.path(), result, false);
    if (name != std::string("ring")) fs::rename(temporary.path() / "ring", temporary.path() / name);
    const fs::path folder = temporary.path() / name;
    const std::string before = read_file(folder / "model.npy");
    fs::create_directory(folder / "notes");
    CHECK_THAT(refusal(temporary),
               ContainsSubstring(folder.string() + " exists and holds 'notes'"));
    fs::remove(folder / "notes");
    temporary.write(std::string(name) + "/a.txt", "mine");
    CHECK_THAT(refusal(temporary), ContainsSubstring("holds 'a.txt', which no run wrote"));
    fs::remove(folder / "a.txt");
    // A file's name is not enough.
    fs::rename(folder / "ranks.csv", temporary.path() / "elsewhere");
    fs::create_symlink(temporary.path() / "elsewhere", folder / "ranks.csv");
    CHECK_THAT(refusal(temporary), ContainsSubstring("holds 'ranks.csv'"));
    CHECK(read_file(folder / "model.npy") == before);
  }
  const TemporaryFolder others;
  others.write("ring/model.npy", "of another program");
  CHECK_THAT(refusal(others), ContainsSubstring("ring exists and lacks config.toml"));
  CHECK(read_file(others.path() / "ring/model.npy") == "of another program");
  const TemporaryFolder file;
  file.write("ring", "a file");
  CHECK_THAT(refusal(file), ContainsSubstring("ring exists and is not a folder"));
  CHECK(read_file(file.path() / "ring") == "a file");
  const TemporaryFolder link;
  write_run(link.path() / "elsewhere", result, false);
  fs::create_symlink(link.path() / "elsewhere/ring", link.path() / "ring");
  CHECK_THAT(refusal(link), ContainsSubstring("ring exists and is a link"));
  CHECK(fs::exists(link.path() / "elsewhere/ring/summary.json"));
}

TEST_CASE("a link to the folder of all results is followed", "[report]") {
  const TemporaryFolder temporary;
  const RunResult result = full_result("ring");
  fs::create_directory(temporary.path() / "disk");
  fs::create_symlink("disk", temporary.path() / "out");
  write_run(temporary.path() / "out", result, false);
  write_run(temporary.path() / "out", result, true);
  CHECK(names_in(temporary.path() / "disk") == std::set<std::string>{"ring"});
}

TEST_CASE("what a user adds to the old results while a run goes on is not lost", "[report]") {
  const TemporaryFolder temporary;
  RunResult result = full_result("ring");
  write_run(temporary.path(), result, false);
  RunFolder folder(temporary.path(), "ring", result.resolved, true);
  temporary.write("ring/note.txt", "mine");
  CHECK_THROWS_WITH(folder.finish(result), ContainsSubstring("holds 'note.txt'") &&
                                               ContainsSubstring("the results are in ") &&
                                               ContainsSubstring("ring.partial"));
  CHECK(read_file(temporary.path() / "ring/note.txt") == "mine");
  CHECK(fs::exists(temporary.path() / "ring.partial/model.npy"));
}

TEST_CASE("what lies beside the results is not removed with them, whatever its name", "[report]") {
  const TemporaryFolder temporary;
  RunResult result = full_result("ring");
  write_run(temporary.path(), result, false);
  // A user's copies, one of them as a process of the same number in another container names its.
  const std::set<std::string> copies{"ring.old", "ring." + std::to_string(getpid()) + ".old"};
  for (const std::string& copy : copies) {
    fs::copy(temporary.path() / "ring", temporary.path() / copy);
  }
  result.summary.seed = 99;
  write_run(temporary.path(), result, true);
  check_whole(temporary.path() / "ring", result);
  for (const std::string& copy : copies) check_whole(temporary.path() / copy, full_result("ring"));
  CHECK(names_in(temporary.path()).size() == 3);
}

TEST_CASE("files with the names of a run's are a user's without the mark", "[report]") {
  const RunResult result = full_result("ring");
  for (const std::string name : {"ring", "ring.partial"}) {
    for (const std::string config : {"mine", "workers = 3\n", " # Written by trainyard", ""}) {
      INFO(name << " '" << config << "'");
      const TemporaryFolder temporary;
      temporary.write(name + "/config.toml", config);
      temporary.write(name + "/summary.json", "mine");
      for (const bool overwrite : {false, true}) {
        CHECK_THROWS_WITH(write_run(temporary.path(), result, overwrite),
                          ContainsSubstring("its config.toml does not begin with '" + mark + "'") &&
                              ContainsSubstring("only a folder that a run wrote is overwritten"));
      }
      CHECK(read_file(temporary.path() / name / "config.toml") == config);
      CHECK(read_file(temporary.path() / name / "summary.json") == "mine");
      CHECK(names_in(temporary.path()) == std::set<std::string>{name});
    }
  }
  // A configuration alone is one that somebody prepares.
  const TemporaryFolder prepared;
  prepared.write("ring.partial/config.toml", "workers = 3\n");
  CHECK_THROWS_AS(write_run(prepared.path(), result, false), UsageError);
  CHECK(read_file(prepared.path() / "ring.partial/config.toml") == "workers = 3\n");
}

TEST_CASE("a run that fails before its first evaluation leaves nothing", "[report]") {
  const TemporaryFolder temporary;
  { const RunFolder folder(temporary.path(), "ring", {}, false); }
  CHECK(fs::is_empty(temporary.path()));
  { const RunFolder folder(temporary.path() / "a/b", "ring", {}, false); }
  CHECK(fs::is_empty(temporary.path()));
  { RunFolder(temporary.path() / "a/b", "ring", {}, false).discard(); }
  CHECK(fs::is_empty(temporary.path()));
  // Killed there, it leaves nothing that is worth a question.
  for (const std::string& config : {std::string(), mark + "\n"}) {
    const TemporaryFolder killed;
    killed.write("ring.partial/metrics.jsonl", "");
    killed.write("ring.partial/config.toml", config);
    write_run(killed.path(), full_result("ring"), false);
    check_whole(killed.path() / "ring", full_result("ring"));
  }
  fs::create_directory(temporary.path() / "ring.partial");
  write_run(temporary.path(), full_result("ring"), false);
  check_whole(temporary.path() / "ring", full_result("ring"));
}

TEST_CASE("a folder that was removed, or has lost its permissions, meanwhile", "[report]") {
  const RunResult result = full_result("ring");
  const TemporaryFolder removed;
  RunFolder folder(removed.path(), "ring", result.resolved, false);
  folder.add(result.metrics[0]);
  fs::remove_all(removed.path() / "ring.partial");
  // And another run has begun in its place.
  removed.write("ring.partial/metrics.jsonl", "another run's");
  CHECK_THROWS_AS(folder.finish(result), RunError);
  check_whole(removed.path() / "ring", result);
  CHECK(read_file(removed.path() / "ring.partial/metrics.jsonl") == "another run's");

  const TemporaryFolder taken;
  RunFolder without_place(taken.path() / "out", "ring", result.resolved, false);
  fs::remove_all(taken.path() / "out");
  taken.write("out", "a file");
  CHECK_THROWS_AS(without_place.finish(result), RunError);
  CHECK(read_file(taken.path() / "out") == "a file");

  const TemporaryFolder locked;
  const UserWithoutRights user(locked.path());
  RunFolder without_rights(locked.path(), "ring", result.resolved, false);
  without_rights.add(result.metrics[0]);
  without_rights.add(result.metrics[1]);
  const fs::path partial = locked.path() / "ring.partial";
  fs::permissions(partial, fs::perms::owner_read | fs::perms::owner_exec);
  CHECK_THROWS_WITH(without_rights.finish(result),
                    ContainsSubstring("summary.json: Permission denied") &&
                        ContainsSubstring("it lacks summary.json, model.npy, ranks.csv"));
  CHECK(read_file(partial / "metrics.jsonl") ==
        metrics_json(result.metrics[0]) + metrics_json(result.metrics[1]));
  fs::permissions(partial, fs::perms::owner_all);
}

TEST_CASE("whether folders can be made is found out without making any", "[report]") {
  const TemporaryFolder temporary;
  for (const char* out : {".", "results", "results/seed-1/latency-1ms", "results/../other/"}) {
    INFO(out);
    CHECK_NOTHROW(refuse_unwritable(temporary.path() / out));
  }
  temporary.write("file", "mine");
  fs::create_symlink(temporary.path() / "nowhere", temporary.path() / "link");
  fs::create_directory_symlink(temporary.path(), temporary.path() / "folder");
  CHECK_NOTHROW(refuse_unwritable(temporary.path() / "folder/results"));
  for (const char* out : {"file", "file/results", "link", "link/results"}) {
    INFO(out);
    CHECK_THROWS_AS(refuse_unwritable(temporary.path() / out), UsageError);
  }
  CHECK(names_in(temporary.path()) == std::set<std::string>{"file", "folder", "link"});

  const TemporaryFolder locked;
  const UserWithoutRights user(locked.path());
  fs::permissions(locked.path(), fs::perms::owner_read | fs::perms::owner_exec);
  CHECK_THROWS_WITH(refuse_unwritable(locked.path() / "results"),
                    ContainsSubstring("results: Permission denied; expected a folder"));
  fs::permissions(locked.path(), fs::perms::owner_all);
}

TEST_CASE("results that appear while a run goes on are not overwritten either", "[report]") {
  const TemporaryFolder temporary;
  const RunResult result = full_result("ring");
  RunFolder folder(temporary.path(), "ring", result.resolved, false);
  temporary.write("ring/summary.json", "another run's");
  temporary.write("ring/config.toml", mark);
  CHECK_THROWS_WITH(folder.finish(result),
                    ContainsSubstring("ring has appeared while the run went on"));
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
