// --json, --html and --quiet mean the same wherever they are, and are wherever they have a meaning.
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "app/results.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

constexpr unsigned json = 1;   // one JSON document on standard output, and nothing else there
constexpr unsigned html = 2;   // a page in a file, and the same answer on standard output
constexpr unsigned quiet = 4;  // the same answer, and on standard error only what is not progress
constexpr unsigned all_three = json | html | quiet;

constexpr const char* customers = TRAINYARD_SOURCE_DIR "/docs/data/customers.csv";

/// A call whose answer is the same each time, and the flags that it takes.
struct Call {
  Words words;
  unsigned takes = all_three;
};

const Words short_run{"--dataset", "blobs:400", "--time",  "virtual", "--compute-time", "1ms",
                      "--lr",      "0.1",       "--steps", "2",       "--workers",      "2"};

/// A list is there at once, and rows are scored as they come; a file of rows and a machine are no
/// drawing, and a page to play with has no answer.
std::vector<Call> calls() {
  std::vector<Call> all{
      {Words{"run"} + short_run},
      {Words{"compare", "--schemes", "ring,gossip"} + short_run},
      {Words{"compare", "--schemes", "ring,gossip", "--map",
             "latency=10us,10ms,bandwidth=1Mbps,1Gbps"} +
       short_run},
      {{"timeline", "ring"}},
      {{"netcheck", "--collectives", "ring"}},
      {{"predict", "--schemes", "ring"}},
      {{"predict", "--schemes", "ring,gossip", "--vary", "latency=1us,1ms"}},
      {{"predict", "--break-even", "--schemes", "csgd", "--codec", "fp16"}},
      {{"predict", "--training-time"}, json | quiet},
      {{"predict", "--noise-ratio", "3"}, json | quiet},
      {{"predict", "--checkpoint-time", "1min", "--mtbf", "1h"}, json | quiet},
      {{"predict", "--split", "all", "--workers", "4", "--dataset", "blobs:40", "--model", "mlp:8"},
       json | quiet},
      {{"predict", "--compute-share", "90%"}, json | quiet},
      {{"advise", "--workers", "2", "--size", "4kB"}},
      {{"reproduce", "daly"}},
      {{"topology", "ring"}},
      {{"consensus"}},
      {{"report", "saved"}, json | html | quiet},
      {{"split", "--dataset", "blobs:40", "--workers", "2", "--out", "rows.split", "--force"},
       json | quiet},
      {{"score", "scored", customers}, json | html},
      {{"export", "scored", "--force"}, 0},
      {{"machine"}, json | quiet},
      {{"lab"}, quiet},
  };
  for (const char* what : {"schemes", "presets", "topologies", "collectives", "codecs", "models",
                           "datasets", "labs"}) {
    all.push_back({{"list", what}, json});
  }
  return all;
}

/// With the folders that `report` and `score` are about.
struct Place {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};

  Place() {
    REQUIRE(run_program(Words{"run", "--out", "saved"} + short_run, here).status == 0);
    REQUIRE(run_program({"run", "--out", "scored", "--dataset", customers, "--label-column", "left",
                         "--missing", "mean", "--scale", "standard", "--steps", "2", "--lr", "0.1",
                         "--workers", "2"},
                        here)
                .status == 0);
  }
};

Outcome answered(const Words& words, const ProgramOptions& here) {
  Outcome outcome = run_program(words, here);
  CAPTURE(outcome.errors);
  CHECK(outcome.status == 0);
  return outcome;
}

/// A page to play with answers until it is interrupted, and `report` prints JSON or writes a page.
bool has_text(const Call& call) {
  return call.words.front() != "lab" && call.words.front() != "report";
}

/// "note: …", "warning: …", or, of `split`, what it has written, which is its answer.
bool is_no_progress(const std::string& line) {
  static const std::regex kept("(note|warning): .*|rows\\.split: .* rows of .*");
  return std::regex_match(line, kept);
}

}  // namespace

TEST_CASE("each command has --json, --html and --quiet, or no use for them", "[app]") {
  std::set<std::string> covered;
  for (const Call& call : calls()) {
    const std::string& command = call.words.front();
    if (!covered.insert(command).second) continue;
    CAPTURE(command);
    const std::string help = run_program({command, "--help"}).output;
    for (const auto& [flag, bit] :
         {std::pair{"--json", json}, std::pair{"--html FILE", html}, std::pair{"--quiet", quiet}}) {
      CAPTURE(flag);
      const bool is_there = help.find("\n  " + std::string(flag) + " ") != std::string::npos;
      CHECK(is_there == ((call.takes & bit) != 0));
    }
  }
  // All that there are: a new one has a row above.
  const std::string program = run_program({"--help"}).output;
  const std::size_t begin = program.find("Subcommands:\n");
  REQUIRE(begin != std::string::npos);
  std::set<std::string> commands;
  for (const std::string& line :
       lines_of(program.substr(begin, program.find("\n\n", begin) - begin))) {
    if (line.starts_with("  ")) commands.insert(line.substr(2, line.find(' ', 2) - 2));
  }
  CHECK(commands == covered);
}

TEST_CASE("the flag --json prints one JSON document and nothing else", "[app]") {
  const Place place;
  for (const Call& call : calls()) {
    if ((call.takes & json) == 0) continue;
    CAPTURE(call.words);
    const Outcome outcome = answered(call.words + Words{"--json"}, place.here);
    const Json document = Json::parse(outcome.output, nullptr, false);
    CHECK(document.is_object());
    CHECK(outcome.output.ends_with("\n}\n"));
  }
}

TEST_CASE("the flag --html writes a page and changes nothing that is printed", "[app]") {
  const Place place;
  for (const Call& call : calls()) {
    if ((call.takes & html) == 0) continue;
    CAPTURE(call.words);
    const Outcome outcome =
        answered(call.words + Words{"--html", "page.html", "--force"}, place.here);
    CHECK(read_file(place.folder.path() / "page.html").starts_with("<!doctype html>"));
    std::filesystem::remove(place.folder.path() / "page.html");
    if (has_text(call)) CHECK(outcome.output == answered(call.words, place.here).output);
  }
}

TEST_CASE("the flag --quiet leaves answers, notes and warnings", "[app]") {
  const Place place;
  for (const Call& call : calls()) {
    if ((call.takes & quiet) == 0 || !has_text(call)) continue;
    CAPTURE(call.words);
    const Outcome loud = answered(call.words, place.here);
    const Outcome silent = answered(call.words + Words{"--quiet"}, place.here);
    CHECK(silent.output == loud.output);
    for (const std::string& line : lines_of(silent.errors)) {
      CAPTURE(line);
      CHECK(is_no_progress(line));
    }
    for (const std::string& line : lines_of(loud.errors)) {
      if (is_no_progress(line)) CHECK_THAT(silent.errors, ContainsSubstring(line));
    }
  }
}

TEST_CASE("runs say what they do unless they are told --quiet", "[app]") {
  CHECK_FALSE(run_program(Words{"run"} + short_run).errors.empty());
  CHECK(run_program(Words{"run", "--quiet"} + short_run).errors.empty());
}

}  // namespace trainyard
