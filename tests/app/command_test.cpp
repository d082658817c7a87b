// The commands, as a user and a script see them.
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "trainyard/base/hash.hpp"
#include "trainyard/experiment/options.hpp"
#include "trainyard/hardware/machine.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "app/program.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// A short run whose every bit is simulated.
const Words short_run{"run",   "--time",         "virtual", "--epochs",  "1",      "--workers",
                      "4",     "--compute-time", "1ms",     "--latency", "1ms",    "--bandwidth",
                      "1Gbps", "--dataset",      "blobs",   "--model",   "softmax"};

std::set<std::string> keys_of(const Json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The floats of a .npy file, after its header has been held against NumPy's description of it.
std::vector<float> read_npy(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  REQUIRE(bytes.starts_with(std::string("\x93NUMPY\x01\x00", 8)));
  const std::size_t length =
      static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
  const std::string header = bytes.substr(10, length);
  CHECK((10 + length) % 64 == 0);
  CHECK(header.back() == '\n');
  CHECK_THAT(header, ContainsSubstring("{'descr': '<f4', 'fortran_order': False, 'shape': ("));
  const std::size_t shape = header.find("'shape': (") + 10;
  const std::size_t count = std::stoul(header.substr(shape));
  CHECK(header.substr(header.find(',', shape), 5) == ",), }");
  REQUIRE(bytes.size() == 10 + length + count * sizeof(float));
  std::vector<float> values(count);
  std::memcpy(values.data(), bytes.data() + 10 + length, count * sizeof(float));
  return values;
}

const std::set<std::string> summary_keys{"scheme",
                                         "workers",
                                         "servers",
                                         "time",
                                         "seed",
                                         "dataset",
                                         "model",
                                         "lr",
                                         "steps",
                                         "epochs",
                                         "samples",
                                         "seconds",
                                         "samples_computed",
                                         "target_loss",
                                         "seconds_to_target",
                                         "epochs_to_target",
                                         "train_loss",
                                         "test_loss",
                                         "test_accuracy",
                                         "messages",
                                         "bytes_sent",
                                         "time_split",
                                         "compute_stretch",
                                         "staleness",
                                         "consensus_distance",
                                         "samples_per_second",
                                         "model_hash",
                                         "diverged",
                                         "interrupted"};
const std::set<std::string> metrics_keys{"step",      "epoch",         "seconds",
                                         "samples",   "bytes_sent",    "train_loss",
                                         "test_loss", "test_accuracy", "consensus_distance"};

void check_results_folder(const std::filesystem::path& folder) {
  const Json summary = Json::parse(read_file(folder / "summary.json"));
  CHECK(keys_of(summary) == summary_keys);
  const auto lines = lines_of(read_file(folder / "metrics.jsonl"));
  REQUIRE(!lines.empty());
  for (const std::string& line : lines) CHECK(keys_of(Json::parse(line)) == metrics_keys);
  CHECK(Json::parse(lines.back())["train_loss"] == summary["train_loss"]);
  const std::vector<float> model = read_npy(folder / "model.npy");
  CHECK(model.size() == summary["model"]["parameters"]);
  CHECK(fingerprint_text(std::as_bytes(std::span(model))) == summary["model_hash"]);
  Configuration configuration;
  CHECK_NOTHROW(read_configuration(folder / "config.toml", configuration));
}

}  // namespace

TEST_CASE("help (--help) names every option and nothing that is not built", "[app]") {
  for (const std::string command : {"run", "compare"}) {
    const Outcome help = run_program({command, "--help"});
    CHECK(help.status == 0);
    CHECK(help.errors.empty());
    for (const Option& option : options()) {
      if (command == "compare" && option.name == "scheme") continue;
      INFO(option.name);
      CHECK_THAT(help.output, ContainsSubstring("--" + option.name + " "));
      CHECK_THAT(help.output, ContainsSubstring(option.help));
    }
    for (const char* absent : {"--codec"}) {
      CHECK_THAT(help.output, !ContainsSubstring(absent));
    }
  }
  const std::string compare = run_program({"compare", "--help"}).output;
  for (const char* part : {"--schemes A,B", "all-centralised", "--seeds K", "--tune-lr"}) {
    CHECK_THAT(compare, ContainsSubstring(part));
  }
  CHECK_THAT(run_program({"run", "--help"}).output, !ContainsSubstring("--seeds"));
  const Outcome program = run_program({"--help"});
  for (const char* command : {"run", "compare", "timeline", "netcheck", "predict", "topology",
                              "consensus", "list", "machine"}) {
    CHECK_THAT(program.output, ContainsSubstring(command));
    CHECK(run_program({command, "--help"}).status == 0);
  }
}

TEST_CASE("the program without a command says how it is used", "[app]") {
  const Outcome outcome = run_program({});
  CHECK(outcome.status == 2);
  CHECK(outcome.output.empty());
  CHECK_THAT(outcome.errors, ContainsSubstring("Usage: trainyard"));
  CHECK_THAT(run_program({"--version"}).output, ContainsSubstring("trainyard 0."));
}

TEST_CASE("schemes are listed under their families", "[app]") {
  const std::string list = run_program({"list", "schemes"}).output;
  std::size_t last = 0;
  for (const char* part :
       {"# synchronous", "\nring\n", "# asynchronous", "\nps-async\n", "# bounded", "\nssp\n",
        "# local updates", "\nlocal-sgd\n", "# shared memory", "\nhogwild++\n", "# decentralised",
        "\ngossip\n", "time, of a step"}) {
    INFO(part);
    const std::size_t place = list.find(part, last);
    REQUIRE(place != std::string::npos);
    last = place;
  }
  for (const Scheme& scheme : schemes()) {
    const std::size_t first = list.find("\n" + scheme.name + "\n");
    CHECK(first != std::string::npos);
    CHECK(list.find("\n" + scheme.name + "\n", first + 1) == std::string::npos);
  }
}

TEST_CASE("a group skips the schemes that cannot, and says so; a name does not", "[app]") {
  const Words words{"compare", "--time",  "virtual",    "--epochs", "0.1",
                    "--json",  "--quiet", "--momentum", "0.5",      "--schemes"};
  const Outcome group = run_program(words + Words{"all"});
  CHECK(group.status == 0);
  CHECK_THAT(group.errors, ContainsSubstring("warning: hogwild is skipped: --momentum: hogwild"));
  CHECK_THAT(group.errors, !ContainsSubstring("ring is skipped"));
  std::set<std::string> ran;
  const Json document = Json::parse(group.output);
  for (const Json& run : document["runs"]) ran.insert(run["scheme"]);
  CHECK(ran.contains("ring"));
  CHECK_FALSE(ran.contains("hogwild"));
  CHECK(ran.size() + lines_of(group.errors).size() == schemes().size());
  const Outcome named = run_program(words + Words{"all,hogwild"});
  CHECK(named.status == 2);
  CHECK_THAT(named.errors, ContainsSubstring("--momentum: hogwild takes none"));
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
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.errors, ContainsSubstring("106 days"));
  const Json document = Json::parse(outcome.output);
  REQUIRE(document["runs"].size() == 1);
  CHECK(document["runs"][0]["scheme"] == "ring");
  CHECK(document["runs"][0]["seconds"].get<double>() == Approx(5 * 100 * 3600.0));
}

TEST_CASE("an interrupt among seeds, or while tuning, keeps what there is", "[app]") {
  const Words words{"compare", "--schemes", "ring,gossip", "--time", "virtual", "--json"};
  const Outcome seeds = run_program(words + Words{"--seeds", "1000", "--epochs", "20"},
                                    {.signal_after = "seed 3 (3 of 1000)"});
  CHECK(seeds.status == 130);
  const Json document = Json::parse(seeds.output);
  CHECK(document["runs"].size() >= 4);
  REQUIRE(document["spread"].size() == 2);
  CHECK(document["spread"][0]["seeds"].size() >= 2);
  CHECK(document["spread"][0]["train_loss"]["count"] == document["spread"][0]["seeds"].size());

  const Outcome tuning = run_program(words + Words{"--tune-lr", "--epochs", "100"},
                                     {.signal_after = "ring         done"});
  CHECK(tuning.status == 130);
  CHECK(Json::parse(tuning.output)["runs"][0]["interrupted"] == false);
}

TEST_CASE("list and machine tell what there is", "[app]") {
  CHECK_THAT(run_program({"list", "schemes"}).output, ContainsSubstring("gossip"));
  CHECK_THAT(run_program({"list", "collectives"}).output, ContainsSubstring("rabenseifner"));
  const std::string topologies = run_program({"list", "topologies"}).output;
  for (const char* part : {"one-peer-exp", "base:B", "erdos-renyi:P", "file:PATH"}) {
    CHECK_THAT(topologies, ContainsSubstring(part));
  }
  CHECK_THAT(run_program({"list", "models"}).output, ContainsSubstring("mlp:H1,H2"));
  const std::string sets = run_program({"list", "datasets"}).output;
  for (const char* part : {"sparse-logistic", "a9a", "32561", "fashion-mnist"}) {
    CHECK_THAT(sets, ContainsSubstring(part));
  }
  const Outcome machine = run_program({"machine", "--workers", "3", "--placement", "scatter"});
  CHECK(machine.status == 0);
  CHECK_THAT(machine.output, ContainsSubstring("\n   2 "));
  CHECK_THAT(run_program({"machine", "--placement", "none"}).output,
             ContainsSubstring("not pinned"));
}

TEST_CASE("with --json it prints one document with the documented keys and nothing else", "[app]") {
  const Outcome outcome = run_program(short_run + Words{"--json"});
  CHECK(outcome.status == 0);
  const Json summary = Json::parse(outcome.output);
  CHECK(keys_of(summary) == summary_keys);
  CHECK(keys_of(summary["dataset"]) ==
        std::set<std::string>{"name", "rows", "features", "classes", "test_rows"});
  CHECK(keys_of(summary["model"]) == std::set<std::string>{"name", "parameters"});
  CHECK(keys_of(summary["time_split"]) == std::set<std::string>{"compute", "transfer", "wait"});
  CHECK(summary["staleness"].is_null());
  CHECK(summary["target_loss"].is_null());
  CHECK(summary["consensus_distance"] == 0.0);
  CHECK_THAT(outcome.errors, ContainsSubstring("epoch"));
  const Json& split = summary["time_split"];
  CHECK(split["compute"].get<double>() + split["transfer"].get<double>() +
            split["wait"].get<double>() ==
        Approx(summary["seconds"].get<double>()).epsilon(1e-9));
}

TEST_CASE("compare --json is a list of summaries in the order asked for", "[app]") {
  const Outcome outcome = run_program({"compare", "--schemes", "gossip,ps-async,sequential",
                                       "--time", "virtual", "--epochs", "1", "--json", "--quiet"});
  CHECK(outcome.status == 0);
  CHECK(outcome.errors.empty());
  const Json document = Json::parse(outcome.output);
  CHECK(keys_of(document) == std::set<std::string>{"runs"});
  REQUIRE(document["runs"].size() == 3);
  CHECK(document["runs"][0]["scheme"] == "gossip");
  CHECK(document["runs"][2]["scheme"] == "sequential");
  for (const Json& summary : document["runs"]) {
    CHECK(keys_of(summary) == summary_keys);
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

TEST_CASE("the resolved configuration repeats a run with a measured compute time", "[app]") {
  for (const std::string scheme : {"ring", "ps-async"}) {
    const TemporaryFolder folder;
    const ProgramOptions here{.folder = folder.path()};
    const Outcome first =
        run_program({"run", "--scheme", scheme, "--time", "virtual", "--compute-time", "auto",
                     "--latency", "3us", "--epochs", "0.5", "--evaluate-every", "0.1",
                     "--straggler", "2:1.5", "--json", "--quiet", "--out", "first"},
                    here);
    REQUIRE(first.status == 0);
    const std::string configuration = "first/" + scheme + "/config.toml";
    const Outcome second = run_program({"run", configuration, "--out", "second"}, here);
    CHECK(second.output == first.output);
    for (const char* file : {"config.toml", "summary.json", "metrics.jsonl", "model.npy"}) {
      INFO(file);
      CHECK(read_file(folder.path() / "first" / scheme / file) ==
            read_file(folder.path() / "second" / scheme / file));
    }
    // Where the results lie is not part of it, so that they are not in the way.
    CHECK(run_program({"run", configuration}, here).output == first.output);
  }
}

TEST_CASE("flags win over the file", "[app]") {
  const TemporaryFolder folder;
  folder.write("run.toml",
               "[run]\nworkers = 3\nsteps = 5\ntime = \"virtual\"\n[output]\nquiet = true\n");
  const ProgramOptions here{.folder = folder.path()};
  const Outcome file = run_program({"run", "run.toml", "--json"}, here);
  CHECK(Json::parse(file.output)["workers"] == 3);
  CHECK(file.errors.empty());
  const Outcome flags =
      run_program({"run", "run.toml", "--workers", "2", "--json", "--quiet=false"}, here);
  CHECK(Json::parse(flags.output)["workers"] == 2);
  CHECK(Json::parse(flags.output)["steps"] == 5.0);
  CHECK(!flags.errors.empty());
}

TEST_CASE("without --model, the number of classes chooses it", "[app]") {
  const Words one_step{"run", "--time", "virtual", "--steps", "1", "--json", "--quiet"};
  const auto model_on = [&](const std::string& dataset) {
    return Json::parse(run_program(one_step + Words{"--dataset", dataset}).output)["model"]["name"];
  };
  CHECK(model_on("dense-logistic") == "logistic");
  CHECK(model_on("blobs") == "softmax");
}

TEST_CASE("results on disk are whole", "[app]") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_program({"compare", "--time", "virtual", "--epochs", "1", "--quiet", "--out", "results"},
                  {.folder = folder.path()});
  CHECK(outcome.status == 0);
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "results")) {
    names.insert(entry.path().filename());
    check_results_folder(entry.path());
  }
  CHECK(names ==
        std::set<std::string>{"sequential", "ps-sync", "ps-async", "ring", "hogwild", "gossip"});
}

TEST_CASE("CSV has a header and as many columns on each line", "[app]") {
  const Outcome outcome = run_program(
      {"compare", "--time", "virtual", "--epochs", "0.2", "--quiet", "--format", "csv"});
  const auto lines = lines_of(outcome.output);
  REQUIRE(lines.size() == 7);
  for (const std::string& line : lines) {
    CHECK(std::ranges::count(line, ',') == std::ranges::count(lines.front(), ','));
  }
  CHECK(lines.front().starts_with("scheme,workers,"));
  CHECK(lines[1].starts_with("sequential,8,0,virtual,"));
}

TEST_CASE("an interrupt ends a run with its results so far", "[app]") {
  for (const std::string time : {"virtual", "wall"}) {
    for (const std::string scheme : {"ring", "ps-async"}) {
      INFO(time << " " << scheme);
      const TemporaryFolder folder;
      const Outcome outcome =
          run_program({"run", "--scheme", scheme, "--time", time, "--workers", "2", "--epochs",
                       "1000000", "--json", "--out", "results"},
                      {.folder = folder.path(), .signal_after = " samples/s"});
      CHECK(outcome.status == 130);
      CHECK_THAT(outcome.errors, ContainsSubstring("trainyard: interrupted"));
      const Json summary = Json::parse(outcome.output);
      CHECK(summary["interrupted"] == true);
      CHECK(summary["diverged"] == false);
      CHECK(summary["epochs"].get<double>() > 0.0);
      CHECK(summary["epochs"].get<double>() < 1000000.0);
      check_results_folder(folder.path() / "results" / scheme);
    }
  }
}

TEST_CASE("an interrupted comparison shows the schemes that have run", "[app]") {
  const Outcome outcome = run_program({"compare", "--time", "virtual", "--epochs", "100", "--json"},
                                      {.signal_after = "ps-sync      epoch    5.99"});
  CHECK(outcome.status == 130);
  const Json runs = Json::parse(outcome.output)["runs"];
  REQUIRE(runs.size() == 2);
  CHECK(runs[0]["interrupted"] == false);
  CHECK(runs[1]["interrupted"] == true);
}

TEST_CASE("a killed run leaves what it had, under a name that says so", "[app]") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_program({"run", "--time", "virtual", "--epochs", "1000000", "--out", "results"},
                  {.folder = folder.path(), .signal_after = "epoch    2.00", .signal = SIGKILL});
  CHECK(outcome.status == 128 + SIGKILL);
  const auto results = folder.path() / "results";
  CHECK(!std::filesystem::exists(results / "ring"));
  CHECK(std::filesystem::exists(results / "ring.partial" / "config.toml"));
  CHECK(!std::filesystem::exists(results / "ring.partial" / "summary.json"));
  CHECK(lines_of(read_file(results / "ring.partial" / "metrics.jsonl")).size() >= 4);
}

TEST_CASE("results are overwritten with --force alone", "[app]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  const Words words = short_run + Words{"--quiet", "--out", "results"};
  CHECK(run_program(words, here).status == 0);
  const std::string before = read_file(folder.path() / "results/ring/summary.json");
  CHECK(run_program(words + Words{"--seed", "2"}, here).status == 2);
  CHECK(read_file(folder.path() / "results/ring/summary.json") == before);
  CHECK(run_program(words + Words{"--seed", "2", "--force"}, here).status == 0);
  CHECK(read_file(folder.path() / "results/ring/summary.json") != before);
}

TEST_CASE("the program says which clock it took, and warns when cores are too few", "[app]") {
  const int cores = this_machine().cores;
  const std::string ranks = std::to_string(cores + 1);
  const Words words{"run", "--steps", "3", "--workers", ranks};
  const Outcome wall = run_program(words + Words{"--time", "wall", "--quiet"});
  CHECK(wall.status == 0);
  CHECK_THAT(wall.errors, ContainsSubstring("warning: " + ranks + " ranks share " +
                                            std::to_string(cores) + " core"));
  CHECK_THAT(run_program(words).errors, ContainsSubstring("time: virtual (" + ranks + " ranks on"));
  CHECK_THAT(run_program({"run", "--steps", "3", "--workers", "1"}).errors,
             ContainsSubstring("time: wall (1 rank on"));
}

TEST_CASE("what has no effect is said", "[app]") {
  const Words one_step{"run", "--time", "virtual", "--steps", "1"};
  CHECK_THAT(run_program(one_step + Words{"--servers", "2"}).errors,
             ContainsSubstring("note: --servers has no effect"));
  CHECK_THAT(run_program(one_step + Words{"--topology", "full"}).errors,
             ContainsSubstring("note: --topology has no effect"));
  CHECK_THAT(run_program(one_step + Words{"--scheme", "ps-sync", "--servers", "2"}).errors,
             !ContainsSubstring("note:"));
}

}  // namespace trainyard
