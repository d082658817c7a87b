// `trainyard compare`, as a user and a script see it.
#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "trainyard/scheme/scheme.hpp"

#include "app/program.hpp"
#include "app/results.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("a group skips the schemes that cannot, and says so, a name does not", "[app]") {
  const Words words{"compare", "--time",  "virtual",    "--epochs", "0.1",
                    "--json",  "--quiet", "--momentum", "0.5",      "--schemes"};
  const Outcome group = run_program(words + Words{"all"});
  CHECK(group.status == 0);
  std::set<std::string> ran;
  const Json document = Json::parse(group.output);
  for (const Json& run : document["runs"]) ran.insert(run["scheme"]);
  CHECK(ran.contains("ring"));
  CHECK_FALSE(ran.contains("hogwild"));
  std::string skipped;
  for (const std::string& line : lines_of(group.errors)) {
    if (line.find(" skipped") != std::string::npos) skipped += line + "\n";
  }
  CHECK_THAT(skipped, ContainsSubstring(" are skipped, all as the first: "));
  CHECK_THAT(skipped, ContainsSubstring("hogwild") && !ContainsSubstring(", ring"));
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    CHECK((ran.contains(scheme.name) || skipped.find(scheme.name) != std::string::npos));
  }
  const Outcome named = run_program(words + Words{"all,hogwild"});
  CHECK(named.status == 2);
  CHECK_THAT(named.errors, ContainsSubstring("--momentum: hogwild takes none"));
}

TEST_CASE("a picture and a report are not written into one file", "[app]") {
  const TemporaryFolder folder;
  const Outcome one = run_program(
      {"compare", "--schemes", "ring", "--steps", "2", "--svg", "f.svg", "--html", "./f.svg"},
      {.folder = folder.path()});
  CHECK(one.status == 2);
  CHECK_THAT(one.errors, ContainsSubstring("--html writes this file"));
}

TEST_CASE("several seeds: each a run of its own on disk, together mean and deviation", "[app]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  const Words words{"compare",  "--schemes", "ring,hogwild", "--time", "virtual",
                    "--epochs", "0.5",       "--seeds",      "3",      "--tune-lr",
                    "--seed",   "5",         "--quiet",      "--json", "--lr",
                    "1",        "--out",     "results"};
  const Outcome outcome = run_program(words, here);
  REQUIRE(outcome.status == 0);
  const Json document = Json::parse(outcome.output);
  REQUIRE(document["runs"].size() == 6);
  REQUIRE(document["spread"].size() == 2);
  for (const Json& spread : document["spread"]) {
    const std::string scheme = spread["scheme"];
    CHECK(spread["seeds"] == Json{5, 6, 7});
    double mean = 0.0;
    for (const Json& run : document["runs"]) {
      if (run["scheme"] == scheme) mean += run["train_loss"].get<double>() / 3;
    }
    CHECK(spread["train_loss"]["mean"].get<double>() == Approx(mean));
    CHECK(spread["train_loss"]["standard_deviation"].get<double>() > 0.0);
    CHECK(spread["train_loss"]["count"] == 3);
    for (const char* seed : {"5", "6", "7"}) {
      const auto results = folder.path() / "results" / (std::string("seed-") + seed) / scheme;
      check_results_folder(results);
      // Fed back, each repeats its run, step size included.
      if (seed != std::string("6")) continue;
      const Outcome again =
          run_program({"run", (results / "config.toml").string(), "--json"}, here);
      const Json repeated = Json::parse(again.output);
      CHECK(repeated["lr"] == spread["lr"]);
      CHECK(repeated["model_hash"] ==
            Json::parse(read_file(results / "summary.json"))["model_hash"]);
    }
  }
  CHECK(document["spread"][0]["lr"] != document["spread"][1]["lr"]);
  CHECK(run_program(words, here).status == 2);  // the results are there
  CHECK(run_program(words + Words{"--force"}, here).output == outcome.output);
}

TEST_CASE("a run that fails does not cost the results of those before it", "[app]") {
  // 5 steps of 100 h are within what the clock holds; the 40 of a lone rank are not.
  const Outcome outcome =
      run_program({"compare", "--schemes", "ring,sequential,gossip", "--time", "virtual",
                   "--compute-time", "100h", "--steps", "5", "--json", "--quiet"});
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.errors, ContainsSubstring("106 days"));
  const Json document = Json::parse(outcome.output);
  REQUIRE(document["runs"].size() == 2);
  CHECK(document["runs"][0]["scheme"] == "ring");
  CHECK(document["runs"][0]["seconds"].get<double>() == Approx(5 * 100 * 3600.0));
}

TEST_CASE("each run that ends says how many of all have", "[app]") {
  const Words words{"compare", "--schemes", "ring,gossip", "--time", "virtual",
                    "--steps", "2",         "--vary",      "lr=1,2", "--jobs"};
  for (const char* jobs : {"1", "2"}) {
    const Outcome outcome = run_program(words + Words{jobs, "--seeds", "3"});
    REQUIRE(outcome.status == 0);
    int ended = 0;
    for (const std::string& line : lines_of(outcome.errors)) {
      if (line.find(" done: ") == std::string::npos) continue;
      INFO(line);
      const std::string count = std::to_string(++ended) + " of 12  ";
      CHECK(line.find_first_not_of(' ') == line.find(count));
    }
    CHECK(ended == 12);
  }
  // What is tuned is counted for itself: how many runs that takes is not known before.
  const Outcome tuned = run_program(words + Words{"1", "--tune-lr"});
  for (const char* part : {"\ntuning 1 of 4, ring, lr 1: step size ", "\n1 of 4  ring, lr 1",
                           "\ntuning 4 of 4, gossip, lr 2: step size ", "\n4 of 4  gossip, lr 2"}) {
    CHECK_THAT(tuned.errors, ContainsSubstring(part));
  }
  const Outcome single = run_program({"compare", "--schemes", "ring", "--steps", "2"});
  CHECK_THAT(single.errors, ContainsSubstring("\nring         done: "));
}

TEST_CASE("a place that cannot be written is found out before the first run", "[app]") {
  const TemporaryFolder folder;
  folder.write("file", "mine");
  const ProgramOptions here{.folder = folder.path()};
  const Words words{"compare", "--schemes", "ring,gossip", "--time", "virtual", "--steps", "2"};
  const std::string long_name(300, 'x');
  for (const std::string& out :
       {std::string("file"), std::string("file/results"), std::string("/proc/no/results"),
        long_name, "results/" + long_name}) {
    const Outcome outcome = run_program(words + Words{"--out", out}, here);
    INFO(out << "\n" << outcome.errors);
    CHECK(outcome.status == 2);
    CHECK(outcome.output.empty());
    CHECK_THAT(outcome.errors, ContainsSubstring("--out: cannot write to " + out));
    CHECK_THAT(outcome.errors, ContainsSubstring("expected a folder, or a place for one"));
    CHECK_THAT(outcome.errors, !ContainsSubstring("done"));
    CHECK(lines_of(outcome.errors).size() == 1);
  }
  for (const std::string trace : {"file/t.json", "no/t.json", "/proc/t.json"}) {
    const Outcome outcome = run_program(words + Words{"--trace", trace}, here);
    INFO(trace << "\n" << outcome.errors);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.errors, ContainsSubstring("--trace: "));
    CHECK_THAT(outcome.errors, !ContainsSubstring("done"));
  }
  // What was found out leaves nothing, nor does a run that is refused later.
  const Outcome refused =
      run_program(words + Words{"--out", "a/b/c", "--dataset", "no-such.svm"}, here);
  CHECK(refused.status == 3);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("an interrupt among seeds, or while tuning, keeps what there is", "[app]") {
  const Words words{"compare", "--schemes", "ring,gossip", "--time",
                    "virtual", "--json",    "--dataset",   "sparse-logistic:2000"};
  const Outcome seeds = run_program(words + Words{"--seeds", "1000", "--epochs", "20", "--lr", "4"},
                                    {.signal_after = "gossip, seed 2 done"});
  CHECK(seeds.status == 130);
  const Json document = Json::parse(seeds.output);
  CHECK(document["runs"].size() >= 3);
  CHECK_THAT(document["notes"].dump(), ContainsSubstring(" of 2000 runs are there; the others"));
  REQUIRE(document["spread"].size() == 2);
  CHECK(document["spread"][1]["seeds"].size() >= 1);
  CHECK(document["spread"][0]["train_loss"]["count"] == document["spread"][0]["seeds"].size());

  // One after the other: gossip would else be done as soon as ring.
  const Outcome tuning = run_program(words + Words{"--tune-lr", "--epochs", "400", "--jobs", "1"},
                                     {.signal_after = "ring         done"});
  CHECK(tuning.status == 130);
  CHECK(Json::parse(tuning.output)["runs"][0]["interrupted"] == false);
}

TEST_CASE("chosen columns are those of tables", "[app]") {
  for (const char* format : {"json", "csv", "markdown"}) {
    CAPTURE(format);
    const Outcome outcome =
        run_program({"compare", "--schemes", "ring,gossip", "--time", "virtual", "--epochs", "1",
                     "--table-columns", "seconds", "--format", format});
    CHECK(outcome.status == 0);
    const bool is_table = format == std::string_view("markdown");
    CHECK(is_table != (outcome.errors.find("--table-columns has no effect") != std::string::npos));
  }
}

TEST_CASE("compare --json is a list of summaries in the order asked for", "[app]") {
  const Outcome outcome =
      run_program({"compare", "--schemes", "gossip,ps-async,sequential", "--time", "virtual",
                   "--epochs", "1", "--evaluate-every", "0.02", "--json", "--quiet"});
  CHECK(outcome.status == 0);
  CHECK(outcome.errors.empty());
  const Json document = Json::parse(outcome.output);
  CHECK(keys_of(document) == std::set<std::string>{"lacking", "notes", "runs"});
  REQUIRE(document["runs"].size() == 3);
  CHECK(document["runs"][0]["scheme"] == "gossip");
  CHECK(document["runs"][2]["scheme"] == "sequential");
  for (const Json& summary : document["runs"]) {
    CHECK(keys_of(summary) == run_keys);
    CHECK(summary["target_loss"] == document["runs"][0]["target_loss"]);
    CHECK(summary["seconds_to_target"].is_number());
  }
  CHECK(keys_of(document["runs"][1]["staleness"]) ==
        std::set<std::string>{"mean", "p50", "p99", "max"});
}

TEST_CASE("a comparison prints the same bytes again, and on one core", "[app]") {
  const Words words{"compare", "--time", "virtual", "--epochs", "1", "--json", "--quiet"};
  const std::string once = run_program(words).output;
  CHECK(!once.empty());
  CHECK(run_program(words).output == once);
  CHECK(run_program(words, {.one_core = true}).output == once);
}

TEST_CASE("an interrupted comparison shows the schemes that have run", "[app]") {
  const Outcome outcome = run_program({"compare", "--time", "virtual", "--epochs", "100", "--lr",
                                       "4", "--json", "--progress", "--jobs", "1"},
                                      {.signal_after = "ps-sync      epoch    5.99"});
  CHECK(outcome.status == 130);
  const Json runs = Json::parse(outcome.output)["runs"];
  REQUIRE(runs.size() == 2);
  CHECK(runs[0]["interrupted"] == false);
  CHECK(runs[1]["interrupted"] == true);
}

TEST_CASE("a map is printed as text, JSON and CSV with the same figures", "[app]") {
  const Words words{
      "compare", "--schemes", "ring,gossip:one-peer-exp,ps-async",       "--epochs", "0.5",
      "--quiet", "--map",     "latency=20us,10ms,bandwidth=10Mbps,1Gbps"};
  const Outcome text = run_program(words);
  CAPTURE(text.errors);
  REQUIRE(text.status == 0);
  const Json map = Json::parse(run_program(words + Words{"--json"}).output);
  REQUIRE(map["cells"].size() == 4);
  REQUIRE(map["contestants"].size() == 3);
  CHECK(map["contestants"][0]["predicted"] == true);
  CHECK(map["contestants"][2]["predicted"] == false);
  const std::vector<std::string> csv =
      lines_of(run_program(words + Words{"--format", "csv"}).output);
  REQUIRE(csv.size() == 1 + 4 * 3);
  CHECK(csv[0] == "bandwidth,latency,label,lr,predicted,seconds_to_target,first");
  for (std::size_t cell = 0; cell < 4; ++cell) {
    const Json& one = map["cells"][cell];
    double least = 1e9;
    std::string first;
    for (std::size_t i = 0; i < 3; ++i) {
      const double seconds = one["seconds_to_target"][i];
      const std::string label = map["contestants"][i]["label"];
      if (seconds < least) first = label;
      least = std::min(least, seconds);
      CHECK_THAT(csv[1 + 3 * cell + i], ContainsSubstring(label));
      CHECK_THAT(csv[1 + 3 * cell + i], ContainsSubstring(fmt::format("{}", seconds)));
    }
    CHECK(one["first"] == first);
    const std::string letter = first == "ring" ? "A" : first == "ps-async" ? "C" : "B";
    CHECK_THAT(text.output,
               ContainsSubstring(fmt::format("{} {:.2f}", letter, one["ahead"].get<double>())));
  }
}

TEST_CASE("what does not go with a map is refused", "[app]") {
  const Words words{"compare", "--schemes", "ring", "--map", "latency=1us,1ms,workers=2,4"};
  const auto errors = [&](const Words& more) {
    const Outcome outcome = run_program(words + more);
    CHECK(outcome.status == 2);
    CHECK(outcome.output.empty());
    return outcome.errors;
  };
  CHECK_THAT(errors({"--vary", "batch=1,2"}), ContainsSubstring("--map: --vary is given beside"));
  CHECK_THAT(errors({"--seeds", "2"}), ContainsSubstring("--map: --seeds is given beside"));
  CHECK_THAT(errors({"--out", "/tmp/none"}), ContainsSubstring("--map: its runs are not kept"));
  CHECK_THAT(errors({"--time", "wall"}), ContainsSubstring("--map: it is made in simulated time"));
  CHECK_THAT(errors({"--format", "latex"}), ContainsSubstring("table, json or csv"));
}

}  // namespace trainyard
