// `trainyard timeline`, `--trace` and ranks.csv, as a user and a script see them.
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "app/results.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::vector<std::string> with_few_steps(const std::string& command) {
  return {command, "--time",    "virtual", "--steps",     "5",    "--workers",
          "4",     "--quiet",   "--json",  "--latency",   "1ms",  "--compute-time",
          "1ms",   "--dataset", "blobs",   "--bandwidth", "1Gbps"};
}

/// The columns of a CSV file, by their names.
std::map<std::string, std::vector<std::string>> read_columns(const fs::path& file) {
  std::istringstream stream(read_file(file));
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::string>> columns;
  for (std::string line; std::getline(stream, line);) {
    std::istringstream cells(line);
    std::size_t column = 0;
    const bool header = names.empty();
    for (std::string cell; std::getline(cells, cell, ','); ++column) {
      if (header) {
        names.push_back(cell);
      } else {
        columns[names.at(column)].push_back(cell);
      }
    }
  }
  return columns;
}

double sum_of(const std::vector<std::string>& cells) {
  double sum = 0.0;
  for (const std::string& cell : cells) sum += std::stod(cell);
  return sum;
}

}  // namespace

TEST_CASE("timeline prints the examples' makespans as JSON", "[app]") {
  for (const auto& [example, makespan] : std::map<std::string, double>{
           {"example-1.1", 14}, {"example-1.2", 9}, {"example-1.3", 16.5}, {"example-1.4", 16.5}}) {
    CAPTURE(example);
    const Outcome outcome = run_program({"timeline", example, "--json"});
    CHECK(outcome.status == 0);
    CHECK(outcome.errors.empty());
    CHECK(Json::parse(outcome.output)["makespan"] == makespan);
  }
}

TEST_CASE("timeline draws schemes, collectives and files, with their flags", "[app]") {
  const TemporaryFolder folder;
  folder.write("list.txt", "0 0 1 1MB\n");
  const ProgramOptions here{.folder = folder.path()};
  const auto makespan = [&](const std::vector<std::string>& words) {
    const Outcome outcome = run_program({"timeline", words[0], "--json"}, here);
    return outcome.status;
  };
  CHECK(makespan({"ring"}) == 0);
  const Outcome text = run_program({"timeline", "list.txt"}, here);
  CHECK(text.status == 0);
  CHECK_THAT(text.output, ContainsSubstring("makespan 6.5 s"));
  const Outcome flags = run_program({"timeline", "gossip", "--topology", "full", "--workers", "3",
                                     "--latency", "1ms", "--bandwidth", "96MB/s", "--compute-time",
                                     "5ms", "--steps", "2", "--ports", "circuit", "--json"},
                                    here);
  CHECK(Json::parse(flags.output)["makespan"].get<double>() == Approx(2 * (0.005 + 2 * 0.002)));
}

// "some links otherwise" was all that the text said, and the document nothing.
TEST_CASE("timeline: text and document name the network and the machines", "[app]") {
  const std::vector<std::string> asked{"timeline",          "ring", "--workers",   "2",
                                       "--racks",           "2",    "--ports",     "cutthrough",
                                       "--between-latency", "2ms",  "--straggler", "0:2"};
  const std::string detail = "computing 3 ms, latency 1.5 ms, bandwidth 160Mbps";
  const std::string text = run_program(asked).output;
  CHECK_THAT(text, ContainsSubstring(detail));
  const Json document = Json::parse(run_program(asked + std::vector<std::string>{"--json"}).output);
  CHECK_THAT(document.at("detail").get<std::string>(), Catch::Matchers::StartsWith(detail));
  for (const std::string clause :
       {", ports cutthrough", ", racks 2", ", between-latency 2ms", ", straggler 0:2"}) {
    CAPTURE(clause);
    CHECK_THAT(text, ContainsSubstring(clause));
    CHECK_THAT(document.at("detail").get<std::string>(), ContainsSubstring(clause));
  }
}

TEST_CASE("timeline --svg writes a figure once, and again with --force", "[app]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  const std::vector<std::string> words{"timeline", "example-1.1", "--svg", "figure.svg"};
  CHECK(run_program(words, here).status == 0);
  CHECK_THAT(read_file(folder.path() / "figure.svg"), ContainsSubstring("makespan 14 s"));
  const Outcome again = run_program(words, here);
  CHECK(again.status == 2);
  CHECK_THAT(again.errors, ContainsSubstring("--svg: figure.svg exists; --force overwrites it"));
  CHECK(run_program(words + std::vector<std::string>{"--force"}, here).status == 0);
  CHECK_FALSE(fs::exists(folder.path() / "figure.svg.partial"));
}

TEST_CASE("timeline says what it does not understand", "[app]") {
  const TemporaryFolder folder;
  folder.write("list.txt", "0 0 1 1MB\n0 0 1\n");
  const ProgramOptions here{.folder = folder.path()};
  const auto error = [&](const std::vector<std::string>& words) {
    const Outcome outcome = run_program(std::vector<std::string>{"timeline"} + words, here);
    CHECK(outcome.status == 2);
    CHECK(outcome.output.empty());
    return outcome.errors;
  };
  CHECK_THAT(error({}), ContainsSubstring("timeline of what?"));
  CHECK_THAT(error({"rign"}), ContainsSubstring("did you mean 'ring'?"));
  CHECK_THAT(error({"list.txt"}), ContainsSubstring("list.txt:2: found 3 words"));
  CHECK_THAT(error({"ring", "--workers", "x"}), ContainsSubstring("--workers: 'x'"));
  CHECK_THAT(error({"ring", "--compute-time", "auto"}), ContainsSubstring("--compute-time"));
  CHECK_THAT(error({"ring", "--wokers", "3"}), ContainsSubstring("did you mean '--workers'?"));
}

TEST_CASE(
    "with --trace it writes the first steps, --trace-steps others, and compare one file a scheme",
    "[app]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  const auto messages_in = [&](const std::string& file) {
    const Json trace = Json::parse(read_file(folder.path() / file));
    int flows = 0;
    for (const Json& event : trace["traceEvents"]) flows += event["ph"] == "s" ? 1 : 0;
    return flows;
  };
  REQUIRE(run_program(with_few_steps("run") + std::vector<std::string>{"--trace", "t.json"}, here)
              .status == 0);
  CHECK(messages_in("t.json") == 3 * 4 * 6);  // three steps, four workers, six rounds
  const std::vector<std::string> later{"--trace", "t.json", "--trace-steps", "4:5", "--force"};
  REQUIRE(run_program(with_few_steps("run") + later, here).status == 0);
  CHECK(messages_in("t.json") == 4 * 6);

  const std::vector<std::string> two{"--schemes", "ring,gossip", "--trace", "c.json"};
  REQUIRE(run_program(with_few_steps("compare") + two, here).status == 0);
  CHECK(messages_in("c-ring.json") == 3 * 4 * 6);
  CHECK(messages_in("c-gossip.json") == 3 * 4 * 2);
  const Outcome again = run_program(with_few_steps("compare") + two, here);
  CHECK(again.status == 2);
  CHECK_THAT(again.errors, ContainsSubstring("--trace: c-ring.json exists; --force overwrites it"));
}

TEST_CASE("Chakra's traces are a file for each rank, and overwrite none", "[app]") {
  const TemporaryFolder folder;
  const auto write = [&](const std::vector<std::string>& more) {
    return run_program(std::vector<std::string>{"timeline", "ring", "--workers", "3"} + more,
                       {.folder = folder.path()});
  };
  CHECK(write({"--chakra", "ring"}).status == 0);
  for (const char* rank : {"0", "1", "2"}) {
    CHECK(std::filesystem::file_size(folder.path() / (std::string("ring.") + rank + ".et")) > 100);
  }
  CHECK_FALSE(std::filesystem::exists(folder.path() / "ring.3.et"));
  const Outcome again = write({"--chakra", "ring"});
  CHECK(again.status == 2);
  CHECK_THAT(again.errors, ContainsSubstring("--chakra: ring.0.et exists; --force overwrites it"));
  CHECK(write({"--chakra", "ring", "--force"}).status == 0);
  // One of the others in the way: none is written, and the answer is there all the same.
  (void)folder.write("other.2.et", "mine");
  const Outcome third = write({"--chakra", "other"});
  CHECK(third.status != 0);
  CHECK_THAT(third.errors, ContainsSubstring("--chakra: other.2.et exists"));
  CHECK_THAT(third.output, ContainsSubstring("worker 2"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "other.0.et"));
  CHECK_THAT(write({"--chakra", "/dev/null"}).errors,
             ContainsSubstring("--chakra: '/dev/null' is a device; a file for each rank"));
  CHECK_THAT(write({"--chakra", "here/"}).errors, ContainsSubstring("'here/' is a folder"));
  CHECK_THAT(write({"--chakra", "/nowhere/ring"}).errors,
             ContainsSubstring("--chakra: /nowhere/ring.0.et cannot be written"));
}

TEST_CASE("a trace that cannot be written, or steps that are none, are refused", "[app]") {
  const auto error = [](const std::vector<std::string>& words) {
    const Outcome outcome = run_program(with_few_steps("run") + words);
    CHECK(outcome.status == 2);
    return outcome.errors;
  };
  CHECK_THAT(error({"--trace", "/nowhere/t.json"}),
             ContainsSubstring("--trace: /nowhere/t.json cannot be written: No such file"));
  CHECK_THAT(error({"--trace-steps", "3"}), ContainsSubstring("--trace-steps: '3' is not A:B"));
  CHECK_THAT(error({"--trace-steps", "3:3"}), ContainsSubstring("--trace-steps: '3'"));
}

TEST_CASE("what there is to say of a trace is in the run's document", "[app]") {
  const TemporaryFolder folder;
  const Outcome outcome = run_program(
      with_few_steps("run") + std::vector<std::string>{"--scheme", "ring", "--trace", "t.json",
                                                       "--trace-steps", "100000:100001"},
      {.folder = folder.path()});
  REQUIRE(outcome.status == 0);
  constexpr const char* note = "note: the trace is empty: no step of --trace-steps was taken";
  CHECK_THAT(outcome.errors, ContainsSubstring(note));
  const Json notes = Json::parse(outcome.output)["notes"];
  REQUIRE(notes.size() == 1);
  CHECK(notes[0]["text"] == note);
}

TEST_CASE("a traced run leaves a configuration that can be fed back, and a table of its ranks",
          "[app]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  const std::vector<std::string> words{"--scheme", "ps-sync", "--servers", "2",    "--trace",
                                       "t.json",   "--out",   "results",   "--lr", "0.1"};
  const Outcome first = run_program(with_few_steps("run") + words, here);
  REQUIRE(first.status == 0);
  const Json summary = Json::parse(first.output);

  auto ranks = read_columns(folder.path() / "results" / "ps-sync" / "ranks.csv");
  CHECK(ranks["rank"] == std::vector<std::string>{"0", "1", "2", "3", "4", "5"});
  CHECK(ranks["role"][3] == "worker");
  CHECK(ranks["role"][4] == "server");
  CHECK(sum_of(ranks["messages_sent"]) == summary["messages"]);
  CHECK(sum_of(ranks["messages_received"]) == summary["messages"]);
  CHECK(sum_of(ranks["bytes_sent"]) == summary["bytes_sent"]);
  CHECK(sum_of(ranks["bytes_received"]) == summary["bytes_sent"]);
  for (std::size_t rank = 0; rank < 6; ++rank) {
    const double total = std::stod(ranks["compute_s"][rank]) +
                         std::stod(ranks["transfer_s"][rank]) + std::stod(ranks["wait_s"][rank]);
    CHECK(total == Approx(summary["seconds"].get<double>()).epsilon(1e-12));
  }

  const Outcome second =
      run_program({"run", "results/ps-sync/config.toml", "--json", "--quiet"}, here);
  CHECK(second.status == 0);
  CHECK(summary_of(second.output) == summary_of(first.output));
}

}  // namespace trainyard
