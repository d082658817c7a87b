// The commands, as a user and a script see them; compare has a file of its own.
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/configuration/labs.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/configuration/preset.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/hardware/machine.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "app/program.hpp"
#include "app/results.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

/// A short run whose every bit is simulated.
const Words short_run{"run",   "--time",         "virtual", "--epochs",  "1",      "--workers",
                      "4",     "--compute-time", "1ms",     "--latency", "1ms",    "--bandwidth",
                      "1Gbps", "--dataset",      "blobs",   "--model",   "softmax"};

}  // namespace

TEST_CASE("help (--help) names every option and nothing that is not built", "[app]") {
  for (const std::string command : {"run", "compare"}) {
    const Outcome help = run_program({command, "--help-all"});
    CHECK(help.status == 0);
    CHECK(help.errors.empty());
    for (const Option& option : options()) {
      if (command == "compare" && option.name == "scheme") continue;
      INFO(option.name);
      CHECK_THAT(help.output, ContainsSubstring("--" + option.name + " "));
      CHECK_THAT(help.output, ContainsSubstring(option.help));
    }
    for (const char* absent : {"--mpi", "--energy"}) {
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
                              "consensus", "lab", "list", "machine", "split"}) {
    CHECK_THAT(program.output, ContainsSubstring(command));
    CHECK(run_program({command, "--help"}).status == 0);
  }
}

// 70 of 140 flags were those of schemes' own rules, whoever asked.
TEST_CASE("help shows the flags of the schemes that are named beside it, and no others", "[app]") {
  struct Call {
    std::vector<std::string> words;
    std::vector<std::string> shown, hidden;
  };
  for (const Call& call :
       {Call{{"run"}, {"--workers N"}, {"--staleness", "--period"}},
        Call{{"run", "--scheme", "ssp"}, {"--staleness", "--workers N"}, {"--period"}},
        Call{{"run", "--scheme", "petuum"}, {"--staleness"}, {"--period"}},
        Call{{"run", "--scheme", "sssp"}, {"--workers N"}, {"--staleness", "--period"}},
        Call{{"compare", "--schemes", "ssp,local-sgd{period=3}"},
             {"--staleness", "--period"},
             {"--backups"}},
        Call{{"predict", "--schemes", "ssp"}, {"--staleness"}, {"--period"}},
        Call{{"timeline", "ddp"}, {"--bucket"}, {"--period"}},
        Call{{"timeline", "example-1.1"}, {"--latency"}, {"--period", "--bucket"}}}) {
    CAPTURE(call.words);
    std::vector<std::string> words = call.words;
    words.emplace_back("--help");
    const Outcome help = run_program(words);
    CHECK(help.status == 0);
    for (const std::string& flag : call.shown) {
      CHECK_THAT(help.output, ContainsSubstring("\n  " + flag));
    }
    for (const std::string& flag : call.hidden) {
      CHECK_THAT(help.output, !ContainsSubstring("\n  " + flag));
    }
    CHECK_THAT(help.output, ContainsSubstring("--help-all"));
  }
}

TEST_CASE("the program without a command says how it is used", "[app]") {
  const Outcome outcome = run_program({});
  CHECK(outcome.status == 2);
  CHECK(outcome.output.empty());
  CHECK_THAT(outcome.errors, ContainsSubstring("Usage: trainyard"));
  CHECK_THAT(run_program({"--version"}).output, ContainsSubstring("trainyard 0."));
}

TEST_CASE("schemes are listed under their families, a line each", "[app]") {
  const std::string list = run_program({"list", "schemes"}).output;
  std::size_t last = 0;
  for (const char* part : {"# synchronous", "\nring ", "# asynchronous", "\nps-async ", "# bounded",
                           "\nssp ", "# local updates", "\nlocal-sgd ", "# shared memory",
                           "\nhogwild++ ", "# decentralised", "\ngossip ", "list schemes NAME"}) {
    INFO(part);
    const std::size_t place = list.find(part, last);
    REQUIRE(place != std::string::npos);
    last = place;
  }
  for (const Scheme& scheme : schemes()) {
    const std::size_t first = list.find("\n" + scheme.name + " ");
    CHECK(first != std::string::npos);
    CHECK(list.find("\n" + scheme.name + " ", first + 1) == std::string::npos);
  }
}

TEST_CASE("a scheme, or a group of them, is told about in full", "[app]") {
  const std::string one = run_program({"list", "schemes", "local-sgd"}).output;
  for (const char* part :
       {"local-sgd\n", "step: ", "time: ", "rate: ", "source: ", "--period ", "time, of a step"}) {
    CHECK_THAT(one, ContainsSubstring(part));
  }
  CHECK_THAT(one, !ContainsSubstring("gossip"));
  const std::string all = fmt::format("\n{}", run_program({"list", "schemes", "all"}).output);
  for (const Scheme& scheme : schemes()) {
    const std::size_t its = all.find("\n" + scheme.name + "\n");
    REQUIRE(its != std::string::npos);
    const std::size_t line = all.find("in wall: ", its);
    CHECK_THAT(all.substr(line, all.find('\n', line) - line),
               ContainsSubstring(by_arrival(scheme) ? "runs differ, by who comes when"
                                                    : "the bits of virtual, in every run") &&
                   ContainsSubstring(scheme.order.repeats_with));
  }
  CHECK_THAT(run_program({"list", "schemes", "one-bit-adam"}).output,
             ContainsSubstring("--codec: qsgd:127 unless it is given") &&
                 ContainsSubstring("with β₁ = 0.9 and β₂ = 0.999"));
  // By name it has one bit, and unless it is asked for eight.
  CHECK_THAT(run_program({"list", "schemes", "one-bit-adam"}).output,
             ContainsSubstring("--codec: qsgd:127 unless it is given, 8 bits a number") &&
                 ContainsSubstring("in one bit with --codec one-bit"));
  CHECK_THAT(run_program({"list", "presets", "mxnet"}).output,
             ContainsSubstring("a step: c + 2(n-1)(α + t/n)\n"));
  CHECK_THAT(run_program({"list", "schemes", "rnig"}).errors, ContainsSubstring("'ring'?"));
  CHECK_THAT(run_program({"list", "models", "ring"}).errors,
             ContainsSubstring("one word too many"));
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
  CHECK(keys_of(summary) == run_keys);
  CHECK(keys_of(summary["dataset"]) == std::set<std::string>{"name", "rows", "features", "classes",
                                                             "test_rows", "validation_rows"});
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
    if (entry.path().filename() == "comparison.npz") continue;  // of all of them
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
  CHECK(lines.front().starts_with("label,scheme,workers,"));
  CHECK(lines[1].starts_with("sequential,sequential,8,0,virtual,"));
}

TEST_CASE("an interrupt ends a run with its results so far", "[app]") {
  for (const std::string time : {"virtual", "wall"}) {
    for (const std::string scheme : {"ring", "ps-async"}) {
      INFO(time << " " << scheme);
      const TemporaryFolder folder;
      const Outcome outcome =
          run_program({"run", "--scheme", scheme, "--time", time, "--workers", "2", "--epochs",
                       "1000000", "--json", "--progress", "--out", "results"},
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

TEST_CASE("a killed run leaves what it had, under a name that says so", "[app]") {
  const TemporaryFolder folder;
  const Outcome outcome = run_program(
      {"run", "--time", "virtual", "--epochs", "1000000", "--progress", "--out", "results"},
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
  // The built-in set has a compute time, and is in simulated time by that.
  const Words three{"run", "--dataset", "dense-logistic", "--steps", "3"};
  const Words words = three + Words{"--workers", ranks};
  const Outcome wall = run_program(words + Words{"--time", "wall", "--quiet"});
  CHECK(wall.status == 0);
  CHECK_THAT(wall.errors, ContainsSubstring("warning: " + ranks + " ranks share " +
                                            std::to_string(cores) + " core"));
  CHECK_THAT(run_program(words).errors, ContainsSubstring("time: virtual (" + ranks + " ranks on"));
  CHECK_THAT(run_program(three + Words{"--workers", "1"}).errors,
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
  // Even to those who want to hear nothing else.
  CHECK(run_program(one_step + Words{"--quiet", "--topology", "full"}).errors ==
        "note: --topology has no effect: ring has none\n");
}

TEST_CASE("list --json has all rows of each table, or those of a name", "[app]") {
  const auto listed = [](const Words& words) {
    const Outcome outcome = run_program(Words{"list"} + words + Words{"--json"});
    CAPTURE(words, outcome.errors);
    REQUIRE(outcome.status == 0);
    return Json::parse(outcome.output)[words.front()];
  };
  const Json all = listed({"schemes"});
  REQUIRE(all.size() == schemes().size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Scheme& scheme = schemes()[i];
    CHECK(all[i]["name"] == scheme.name);
    CHECK(all[i]["hyperparameters"].size() == scheme.hyperparameters.size());
  }
  const Json one = listed({"schemes", "ps-async"});
  REQUIRE(one.size() == 1);
  CHECK(one[0]["takes_servers"] == true);
  CHECK(one[0]["repeats_on_threads"] == false);
  CHECK(listed({"schemes", "all-centralised"}).size() > 1);
  for (const IngredientKind& kind : ingredient_kinds()) {
    CHECK(listed({kind.plural}).size() == kind.all().size());
  }
  CHECK(listed({"models"}).size() == models().size());
  CHECK(listed({"datasets"}).size() == generators().size() + catalog().size());
  CHECK(listed({"labs"}).size() == labs().size());
  CHECK(listed({"labs", "straggler"})[0]["configuration"] == *lab_text("lab:straggler"));
  CHECK(listed({"labs", "lab:straggler"}) == listed({"labs", "straggler"}));
  // What the table names, `trainyard lab` and `lab:` take.
  const std::string table = run_program({"list", "labs"}).output;
  for (const Lab& lab : labs()) {
    CHECK(std::regex_search(
        table, std::regex(fmt::format(R"((^|\n) *{}  {} +\S)", lab.page.number, lab.name))));
  }
}

TEST_CASE("list presets --json says what the text says", "[app]") {
  const Outcome all = run_program({"list", "presets", "--json"});
  REQUIRE(all.status == 0);
  const Json document = Json::parse(all.output);
  const Json& listed = document["presets"];
  REQUIRE(listed.size() == presets().size());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const Preset& preset = presets()[i];
    CAPTURE(preset.name);
    CHECK(listed[i]["name"] == preset.name);
    CHECK(listed[i]["spelt_out"] == preset.spelt_out());
    CHECK(listed[i]["criteria"]["parallelism"] == preset.criteria.parallelism);
    CHECK(listed[i]["criteria"]["schedule"] == preset.criteria.schedule);
    CHECK(listed[i]["settings"].size() == preset.settings.size());
    CHECK(listed[i]["not_emulated"] == preset.not_emulated);
  }
  const Outcome one = run_program({"list", "presets", "petuum", "--json"});
  const Json alone = Json::parse(one.output);
  REQUIRE(alone["presets"].size() == 1);
  CHECK(alone["presets"][0]["settings"]["staleness"] == "3");
  CHECK(run_program({"list", "presets", "petum", "--json"}).status == 2);
}

}  // namespace trainyard
