// Every option that may be without effect, with a case where it is and one where it is not.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "trainyard/configuration/options.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "configuration/network_effects.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

std::vector<std::string> notes_of(const EffectCase& run, const std::vector<std::string>& given) {
  Configuration c;
  c.time = TimeMode::simulated;
  for (const auto& [name, value] : run.values) option_named(name).set(c, value, "test");
  std::vector<OptionSetting> settings;
  for (const std::string& name : run.schemes) settings.push_back({c, find_scheme(name)});
  return idle_notes(settings, given);
}

std::vector<Effect> most_effects() {
  return {
      {"servers", {{{"servers", "2"}}, {"ring", "hogwild"}}, {{{"servers", "2"}}, {"ps-sync"}}},
      {"servers",
       {{{"servers", "2"}, {"collective", "tree"}}, {"all-reduce"}},
       {{{"servers", "2"}, {"collective", "hierarchical"}}, {"all-reduce"}}},
      {"topology",
       {{{"topology", "full"}}, {"ring", "hogwild"}},
       {{{"topology", "ring"}}, {"ring", "gossip"}}},
      {"collective", {{{"collective", "tree"}}}, {{{"collective", "tree"}}, {"all-reduce"}}},
      {"data-format",
       {{{"data-format", "csv"}}},
       {{{"data-format", "csv"}, {"dataset", "rows.txt"}}}},
      {"data-format",
       {{{"data-format", "csv"}, {"dataset", "a9a"}, {"test", "every-fifth"}}},
       {{{"data-format", "csv"}, {"dataset", "a9a"}, {"test", "rows.txt"}}}},
      {"data-dir",
       {{{"data-dir", "d"}, {"dataset", "rows.csv"}}},
       {{{"data-dir", "d"}, {"dataset", "a9a"}}}},
      {"label-column",
       {{{"label-column", "1"}, {"dataset", "rows.svm"}}},
       {{{"label-column", "1"}, {"dataset", "rows.tsv.gz"}}}},
      {"label-column",
       {{{"label-column", "1"}, {"dataset", "covtype"}}},
       {{{"label-column", "1"}, {"dataset", "rows.txt"}, {"data-format", "csv"}}}},
      {"weights", {{{"weights", "rows"}, {"workers", "1"}}}, {{{"weights", "rows"}}}},
      {"deal", {{{"deal", "pass"}, {"workers", "1"}}}, {{{"deal", "pass"}}}},
      {"deal", {{{"deal", "speed"}, {"batch", "1"}}}, {{{"deal", "speed"}, {"batch", "2"}}}},
      {"order", {{{"order", "file"}, {"replacement", "true"}}}, {{{"order", "reshuffle"}}}},
      {"lr-decay",
       {{{"lr-decay", "0"}, {"lr-schedule", "constant"}}},
       {{{"lr-decay", "0.5"}, {"lr-schedule", "inverse-time"}}}},
      {"momentum", {{{"momentum", "0.9"}, {"optimizer", "adagrad"}}}, {{{"momentum", "0"}}}},
      {"beta1",
       {{{"beta1", "0.8"}, {"optimizer", "adagrad"}}},
       {{{"beta1", "0.9"}, {"optimizer", "adam"}}}},
      {"beta2", {{{"beta2", "0.8"}}}, {{{"beta2", "0.8"}, {"optimizer", "adam"}}}},
      {"weight-decay",
       {{{"weight-decay", "1"}}},
       {{{"weight-decay", "1"}, {"optimizer", "adamw"}}}},
      {"compute-time", {{{"compute-time", "1ms"}, {"time", "wall"}}}, {{{"compute-time", "1ms"}}}},
      {"line-time",
       {{{"line-time", "50ns"}}, {"ring", "ps-async"}},
       {{{"line-time", "50ns"}}, {"ring", "hogwild"}}},
      {"line-time",
       {{{"line-time", "50ns"}, {"workers", "1"}}, {"hogwild"}},
       {{{"line-time", "50ns"}}, {"hogwild"}}},
      {"line-time",
       {{{"line-time", "auto"}, {"time", "wall"}}, {"hogwild"}},
       {{{"line-time", "0"}}, {"hogwild"}}},
      {"straggler",
       {{{"straggler", "0:2"}, {"compute-time", "0"}}},
       {{{"straggler", "0:2"}, {"time", "wall"}}}},
      {"compute-noise",
       {{{"compute-noise", "memoryless"}, {"compute-time", "0"}}},
       {{{"compute-noise", "memoryless"}, {"compute-time", "1ns"}}}},
      {"batch", {{{"global-batch", "64"}}}, {{{"batch", "8"}}}},
      {"gradient-norm",
       {{{"gradient-norm", "true"}, {"target-gradient", "1"}}},
       {{{"gradient-norm", "true"}}}},
      {"progress", {{{"progress", "true"}, {"quiet", "true"}}}, {{{"progress", "true"}}}},
      {"placement", {{{"placement", "scatter"}}}, {{{"placement", "compact"}, {"time", "wall"}}}},
      {"counters", {{{"counters", "true"}}}, {{{"counters", "true"}, {"time", "wall"}}}},
      {"trace-steps", {{{"trace-steps", "0:3"}}}, {{{"trace-steps", "0:3"}, {"trace", "t.json"}}}},
      {"force", {{{"force", "true"}}}, {{{"force", "true"}, {"out", "o"}}}},
      {"force", {{{"force", "true"}}}, {{{"force", "true"}, {"trace", "t.json"}}}},
      {"force", {{{"force", "true"}}}, {{{"force", "true"}, {"html", "p.html"}}}},
  };
}

/// What is for schemes that encode.
std::vector<Effect> effects_on_coding() {
  return {
      {"codec", {{{"codec", "sign"}}}, {{{"codec", "sign"}}, {"dcd"}}},
      {"encode-time", {{{"encode-time", "1ns"}}}, {{{"encode-time", "1ns"}}, {"choco"}}},
      {"decode-time",
       {{{"decode-time", "1ns"}, {"time", "wall"}}, {"choco"}},
       {{{"decode-time", "1ns"}}, {"sign-sgd"}}},
  };
}

/// What is for schemes with a rule for liars.
std::vector<Effect> effects_on_liars() {
  const Values timed{{"aggregate-time", "1ns"}};
  Values both = timed;
  both.emplace("aggregate", "median");
  return {
      {"aggregate", {{{"aggregate", "median"}}}, {{{"aggregate", "median"}}, {"ps-sync"}}},
      {"byzantine", {{{"byzantine", "1:zero"}}}, {{{"byzantine", "1:zero"}}, {"bridge"}}},
      {"aggregate-time", {timed, {"ps-sync"}}, {both, {"ps-sync"}}},
  };
}

/// What the built-in schemes on shared memory send: nothing, and hogwild++ a token without bytes.
std::vector<Effect> effects_on_shared_memory() {
  const auto with = [](Values values, const std::string& scheme) {
    values.emplace("groups", "2");
    values.emplace("workers", "4");
    return EffectCase{values, {scheme}};
  };
  const Values charged{{"charge-control", "true"}};
  std::vector<Effect> all{
      {"charge-control", with(charged, "hogwild-numa"), with(charged, "hogwild++")},
      {"access",
       {{{"access", "locked"}}, {"hogwild", "hogwild-split", "hogwild-numa", "hogwild++"}},
       {{{"access", "locked"}, {"time", "wall"}}, {"hogwild"}}}};
  // What a message without bytes takes, too.
  for (const auto& [name, value] : Values{{"latency", "1ms"},
                                          {"ports", "cutthrough"},
                                          {"links", links_file()},
                                          {"jitter", "uniform:1ms"},
                                          {"racks", "2"},
                                          {"between-latency", "1ms"}}) {
    Values free{{name, value}};
    free.insert({{"latency", "1ms"}, {"racks", "2"}, {"between-latency", "1ms"}});
    Values paid = free;
    paid.insert(charged.begin(), charged.end());
    all.push_back({name, with(free, "hogwild"), with(free, "ring")});
    all.push_back({name, with(free, "hogwild++"), with(paid, "hogwild++")});
    all.push_back({name, with(paid, "hogwild-numa"), with(paid, "ring")});
    paid.emplace("groups", "1");
    all.push_back({name, with(paid, "hogwild++"), with(free, "ps-async")});
  }
  // What it does not.
  for (const auto& [name, value] : Values{{"bandwidth", "1Gbps"}, {"between-bandwidth", "1Gbps"}}) {
    Values paid{{name, value}, {"racks", "2"}};
    paid.insert(charged.begin(), charged.end());
    all.push_back({name, with(paid, "hogwild++"), with(paid, "ring")});
  }
  return all;
}

/// Those of networks without latency, and of schemes of one rank.
std::vector<Effect> effects_of_latency_and_stragglers() {
  return {
      {"ports",
       {{{"ports", "cutthrough"}, {"bandwidth", "1Gbps"}}},
       {{{"ports", "cutthrough"}, {"jitter", "uniform:1ms"}}}},
      {"ports",
       {{{"ports", "cutthrough"}, {"between-latency", "0"}, {"racks", "2"}}},
       {{{"ports", "cutthrough"}, {"between-latency", "1ms"}, {"racks", "2"}}}},
      {"ports", {{{"ports", "cutthrough"}}}, {{{"ports", "cutthrough"}, {"links", links_file()}}}},
      {"split",
       {{{"split", "dp=2,pp=2,tp=1"}}, {"ring", "ps-sync"}},
       {{{"split", "dp=2,pp=2,tp=1"}}, {"ring", "gpipe"}}},
      {"split", {{{"split", "dp=2,tp=2"}}, {"ring"}}, {{{"split", "dp=2,tp=2"}}, {"tensor-split"}}},
      {"straggler",
       {{{"straggler", "1:100,2:2"}}, {"sequential"}},
       {{{"straggler", "1:100,0:2"}}, {"sequential"}}},
      {"straggler",
       {{{"straggler", "1:100"}, {"time", "wall"}}, {"sequential"}},
       {{{"straggler", "1:100"}, {"time", "wall"}}, {"sequential", "ring"}}},
  };
}

/// Those of files of one format.
std::vector<Effect> effects_of_files() {
  std::vector<Effect> all{
      {"data-seed",
       {{{"data-seed", "2"}, {"dataset", "rows.csv"}}},
       {{{"data-seed", "2"}, {"dataset", "blobs"}}}},
      {"labels",
       {{{"labels", "y"}, {"dataset", "rows.csv"}}},
       {{{"labels", "y"}, {"dataset", "X.npy"}}}},
      {"labels",
       {{{"labels", "y"}, {"dataset", "fashion-mnist"}}},
       {{{"labels", "y"}, {"dataset", "rows"}, {"data-format", "idx"}}}},
      {"test-labels",
       {{{"test-labels", "y"}, {"dataset", "X.npy"}, {"test", "every-fifth"}}},
       {{{"test-labels", "y"}, {"dataset", "a9a"}, {"test", "X.npy"}}}},
      {"test-labels",
       {{{"test-labels", "y"}, {"dataset", "X.npy"}, {"test", "rows.csv"}}},
       {{{"test-labels", "y"}, {"dataset", "rows.csv"}, {"test", "X.npy"}}}},
      {"first-index",
       {{{"first-index", "0"}, {"dataset", "rows.csv"}}},
       {{{"first-index", "0"}, {"dataset", "rows.svm"}}}},
      {"first-index",
       {{{"first-index", "0"}, {"dataset", "a9a"}}},
       {{{"first-index", "0"}, {"dataset", "a9a"}, {"test", "rows.svm"}}}},
      {"scale-columns",
       {{{"scale-columns", "1"}, {"dataset", "rows.csv"}}},
       {{{"scale-columns", "1"}, {"dataset", "rows.csv"}, {"scale", "standard"}}}},
      {"scale-columns",
       {{{"scale-columns", "1"}, {"dataset", "rows.csv"}, {"scale", "unit-rows"}}},
       {{{"scale-columns", "1"}, {"dataset", "rows.csv"}, {"scale", "minmax"}}}},
  };
  const Values of_any_table{{"header", "yes"},      {"missing", "drop"}, {"missing-words", "-999"},
                            {"weight-column", "w"}, {"delimiter", ";"},  {"decimal", ","}};
  Values of_training_table{{"columns", "1"}, {"drop-columns", "1"}, {"categorical", "1"},
                           {"numeric", "1"}, {"date", "1"},         {"hash", "2^18"}};
  of_training_table.insert(of_any_table.begin(), of_any_table.end());
  for (const auto& [name, value] : of_training_table) {
    all.push_back({name,
                   {{{name, value}, {"dataset", "X.npy"}}},
                   {{{name, value}, {"dataset", "rows.csv"}}}});
    all.push_back({name,
                   {{{name, value}, {"dataset", "blobs"}}},
                   {{{name, value}, {"dataset", "rows"}, {"data-format", "tsv"}}}});
  }
  for (const auto& [name, value] : of_any_table) {
    all.push_back({name,
                   {{{name, value}, {"dataset", "a9a"}, {"test", "rows.svm"}}},
                   {{{name, value}, {"dataset", "a9a"}, {"test", "rows.csv"}}}});
  }
  return all;
}

std::vector<Effect> effects() {
  std::vector<Effect> all = most_effects();
  for (const auto& more :
       {effects_of_network(), effects_on_coding(), effects_on_liars(), effects_on_shared_memory(),
        effects_of_latency_and_stragglers(), effects_of_files()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace

TEST_CASE("an option that has no effect is said to have none, and no other", "[configuration]") {
  for (const Effect& effect : effects()) {
    INFO(effect.option);
    const auto notes = notes_of(effect.without, {effect.option});
    REQUIRE(notes.size() == 1);
    CHECK_THAT(notes.front(), ContainsSubstring("note: --" + effect.option + " has no effect: "));
    CHECK(notes_of(effect.with, {effect.option}).empty());
    CHECK(notes_of(effect.without, {}).empty());  // nobody gave it
  }
}

TEST_CASE("a hyperparameter has an effect on the schemes that take it", "[configuration]") {
  for (const Option& option : options()) {
    if (option.section != "scheme") continue;
    INFO(option.name);
    for (const Scheme& scheme : schemes()) {
      const bool takes =
          std::ranges::count(scheme.hyperparameters, option.name, &HyperparameterInfo::name) > 0;
      // On threads: what is of_wall has no effect in simulated time, a case of effects().
      const auto notes = notes_of({{{"time", "wall"}}, {scheme.name}}, {option.name});
      CHECK(notes.empty() == takes);
      if (!takes) {
        CHECK(notes.front() ==
              "note: --" + option.name + " has no effect: " + scheme.name + " does not take it");
      }
    }
  }
}

TEST_CASE("a flag --format has no effect beside --json", "[configuration]") {
  CHECK(notes_of({}, {"format"}).empty());
  Configuration c;
  c.given = {"format", std::string(json_flag)};
  const std::vector<OptionSetting> settings{{c, find_scheme("ring")}};
  CHECK(idle_notes(settings, c.given) ==
        std::vector<std::string>{"note: --format has no effect: --json is given, too"});
}

TEST_CASE("every option has an effect always, or a case here", "[configuration]") {
  // What decides a run in every setting. An option that is neither here nor in effects() has no
  // rule yet.
  std::vector<std::string> always{
      "scheme",          "workers",      "time",         "epochs",
      "steps",           "seconds",      "target-loss",  "target-accuracy",
      "target-gradient", "global-batch", "seed",         "evaluate-every",
      "patience",        "metric",       "validation",   "start",
      "gradient-noise",  "optimum",      "dataset",      "test",
      "scale",           "intercept",    "class-weight", "partition",
      "replacement",     "model",        "l2",           "l1",
      "clip-norm",       "data-source",  "optimizer",    "lr",
      "lr-schedule",     "warmup",       "pause",        "out",
      "trace",           "quiet",        "force-memory", "html"};
  always.insert(always.end(), {"checkpoint", "checkpoint-every", "resume"});
  for (const Option& option : options()) {
    INFO(option.name);
    const bool is_always = std::ranges::count(always, option.name) > 0;
    CHECK(is_always == !option.idle);
    if (is_always || option.section == "scheme" || option.name == "format") continue;
    CHECK(std::ranges::count(effects(), option.name, &Effect::option) > 0);
  }
}

TEST_CASE("a file gives what differs from the default", "[configuration]") {
  const auto given = [](const std::string& text) {
    Configuration c;
    parse_configuration(text, "input", c);
    return c.given;
  };
  using Names = std::vector<std::string>;
  CHECK(given("[run]\nservers = 1\ntopology = 'ring'\nworkers = 3\n") == Names{"workers"});
  CHECK(given("[scheme]\nstaleness = 7\n") == Names{"staleness"});
  // All that the program writes of a run that nobody changed is no wish of anybody's, but for the
  // step size, which is then one for all of a comparison.
  for (const Scheme& scheme : schemes()) {
    INFO(scheme.name);
    Configuration c;
    c.scheme = scheme.name;
    c.hyperparameters = with_fallbacks(scheme, {}, c.workers);
    const Names names = given(configuration_text(c));
    CHECK(std::ranges::count_if(names, [](const std::string& name) {
            return name != "scheme" && name != "lr";
          }) == 0);
  }
}

}  // namespace trainyard
