#include "trainyard/configuration/options.hpp"

#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

#include "configuration/data_values.hpp"
#include "configuration/links_file.hpp"
#include "configuration/scheme_values.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Catch::Matchers::StartsWith;
/// For each option a text that is not its default: of the run and its scheme.
const std::map<std::string, std::string>& other_values_of_schemes() {
  static const std::map<std::string, std::string> values{{"scheme", "gossip"},
                                                         {"workers", "3"},
                                                         {"servers", "2"},
                                                         {"time", "virtual"},
                                                         {"epochs", "2.5"},
                                                         {"steps", "1000000000000"},
                                                         {"seconds", "86400.000025"},
                                                         {"target-loss", "0.3245069247"},
                                                         {"target-accuracy", "0.85"},
                                                         {"target-gradient", "0.001"},
                                                         {"patience", "7"},
                                                         {"metric", "average-precision"},
                                                         {"start", "results/first one"},
                                                         {"gradient-norm", "true"},
                                                         {"optimum", "auto"},
                                                         {"gradient-noise", "true"},
                                                         {"global-batch", "48"},
                                                         {"progress", "true"},
                                                         {"seed", "9007199254740993"},
                                                         {"evaluate-every", "0.1"},
                                                         {"topology", "one-peer-exp"},
                                                         {"collective", "tree"},
                                                         {"codec", "top-k:1%"},
                                                         {"aggregate", "median"},
                                                         {"byzantine", "1:zero"},
                                                         {"direction", "both"},
                                                         {"coded-form", "ring"},
                                                         {"rank", "3"},
                                                         {"freeze-step", "17"},
                                                         {"power-memory", "local"},
                                                         {"consensus-rate", "0.125"},
                                                         {"choco-order", "mix-first"},
                                                         {"period", "7"},
                                                         {"added", "0.5"},
                                                         {"turns", "9"},
                                                         {"lambda", "0.5"},
                                                         {"lambda0", "1.5"},
                                                         {"mean-square", "0.75"},
                                                         {"staleness", "5"},
                                                         {"backups", "2"},
                                                         {"delay-threshold", "17"},
                                                         {"gradients", "12"},
                                                         {"stragglers", "2"},
                                                         {"copies", "3"},
                                                         {"distinct", "5"},
                                                         {"split", "dp=2,pp=3,tp=1"},
                                                         {"stages", "2"},
                                                         {"microbatches", "8"},
                                                         {"value-bound", "0.25"},
                                                         {"penalty", "0.25"},
                                                         {"relaxation", "0.75"},
                                                         {"extrapolation", "0.5"},
                                                         {"moving-rate", "0.7"},
                                                         {"access", "cas-add"},
                                                         {"bucket", "1MiB"},
                                                         {"cycle-time", "2500us"},
                                                         {"fusion-buffer", "4097"},
                                                         {"wire", "fp16"},
                                                         {"exchange-uses", "16"},
                                                         {"clip-deviations", "2.5"},
                                                         {"model-bits", "8"},
                                                         {"model-range", "2.5"},
                                                         {"groups", "3"},
                                                         {"tensor-size", "2"},
                                                         {"token-updates", "16"},
                                                         {"tolerance", "0.001"}};
  return values;
}

/// The same of all the rest.
const std::map<std::string, std::string>& other_values_of_the_rest() {
  static const std::map<std::string, std::string> values{{"model", "mlp:256,128"},
                                                         {"l2", "3.071159e-05"},
                                                         {"batch", "7"},
                                                         {"lr", "0.1234567890123456"},
                                                         {"lr-decay", "0.30000000000000004"},
                                                         {"momentum", "0.9"},
                                                         {"optimizer", "adam"},
                                                         {"lr-schedule", "step:7.5:0.3"},
                                                         {"warmup", "0.25"},
                                                         {"beta1", "0.8"},
                                                         {"beta2", "0.99"},
                                                         {"switch-epoch", "2.5"},
                                                         {"participation", "0.25"},
                                                         {"local-steps", "speed"},
                                                         {"fetch-period", "3"},
                                                         {"push-period", "4"},
                                                         {"delta", "0.95"},
                                                         {"fan-out", "4"},
                                                         {"budget", "0.25"},
                                                         {"epoch-share", "0.5"},
                                                         {"machine-threads", "2"},
                                                         {"push", "activations"},
                                                         {"history", "7"},
                                                         {"warm-start", "12"},
                                                         {"global-period", "12"},
                                                         {"quasi-momentum", "0.8"},
                                                         {"quasi-memory", "0.7"},
                                                         {"send-probability", "0.1"},
                                                         {"group-size", "4"},
                                                         {"significance", "0.25"},
                                                         {"proxies", "2"},
                                                         {"period-up", "6"},
                                                         {"period-down", "60"},
                                                         {"period-growth", "10"},
                                                         {"worker-rate", "0.8"},
                                                         {"exchange", "blocking"},
                                                         {"queue", "staleness"},
                                                         {"latency", "1234567ps"},
                                                         {"bandwidth", "1.4Gbps"},
                                                         {"ports", "cutthrough"},
                                                         {"server-placement", "colocated"},
                                                         {"racks", "4"},
                                                         {"between-latency", "2ms"},
                                                         {"between-bandwidth", "100Mbps"},
                                                         {"links", links_file()},
                                                         {"jitter", "exponential:50us"},
                                                         {"tcp-window", "64KiB"},
                                                         {"sparse-wire", "off"},
                                                         {"charge-control", "true"},
                                                         {"compute-time", "2143ns"},
                                                         {"line-time", "44ns"},
                                                         {"encode-time", "1250ps"},
                                                         {"aggregate-time", "2ns"},
                                                         {"decode-time", "350ps"},
                                                         {"straggler", "0:2,5:4.5"},
                                                         {"compute-noise", "exponential:0.3"},
                                                         {"pause", "0.01:50ms"},
                                                         {"placement", "scatter"},
                                                         {"counters", "true"},
                                                         {"out", "results"},
                                                         {"trace", "trace.json"},
                                                         {"html", "report.html"},
                                                         {"trace-steps", "2:5"},
                                                         {"format", "json"},
                                                         {"quiet", "true"},
                                                         {"force-memory", "true"},
                                                         {"force", "true"}};
  return values;
}

/// The same of ports that differ, of faults, and of what survives them.
const std::map<std::string, std::string>& other_values_of_faults() {
  static const std::map<std::string, std::string> values{
      {"up-bandwidth", "10Mbps"},
      {"down-bandwidth", "40Mbps"},
      {"fault", "loss:0.01+stall:3@2s-5s+crash:1@6s"},
      {"retransmit", "50ms:double"},
      {"checkpoint", "checkpoints"},
      {"checkpoint-every", "0.75"},
      {"checkpoint-time", "3s"},
      {"on-failure", "restart"},
      {"detection", "1s"},
      {"resume", "checkpoints"},
      {"force-resume", "lr,data"}};
  return values;
}

const std::map<std::string, std::string>& other_values() {
  static const std::map<std::string, std::string> values = [] {
    std::map<std::string, std::string> all = other_values_of_schemes();
    for (const auto* more :
         {&other_values_of_data(), &other_values_of_faults(), &other_values_of_outer_optimizers(),
          &other_values_of_federated_schemes(), &other_values_of_decentralised_schemes(),
          &other_values_of_the_rest()}) {
      all.insert(more->begin(), more->end());
    }
    all.insert({{"l1", "0.001"}, {"weight-decay", "0.5"}, {"clip-norm", "2.5"}});
    return all;
  }();
  return values;
}

const std::string& other_value(const Option& option) {
  INFO("other_values() has none of --" << option.name);
  const auto& all = other_values();
  const auto found = all.find(option.name);
  REQUIRE(found != all.end());
  return found->second;
}

Configuration all_other() {
  Configuration configuration;
  for (const Option& option : options()) {
    option.set(configuration, other_value(option), "test");
  }
  return configuration;
}

}  // namespace

TEST_CASE("every option gives back the text that sets it", "[configuration]") {
  for (const Option& option : options()) {
    INFO(option.name);
    Configuration configuration;
    const std::string before = option.get(configuration);
    option.set(configuration, other_value(option), "test");
    const std::string text = option.get(configuration);
    CHECK(text != before);
    CHECK(text == other_value(option));
    Configuration again;
    option.set(again, text, "test");
    CHECK(option.get(again) == text);
  }
}

TEST_CASE("option names are unique, and each has a word of help", "[configuration]") {
  std::set<std::string> names;
  for (const Option& option : options()) {
    CHECK(names.insert(option.name).second);
    CHECK(!option.help.empty());
  }
}

TEST_CASE("a configuration read back from its own text is the same", "[configuration]") {
  const TemporaryFolder folder;
  for (const Configuration& configuration : {Configuration{}, all_other()}) {
    const std::string text = configuration_text(configuration);
    Configuration again;
    read_configuration(folder.write("run.toml", text), again);
    CHECK(configuration_text(again) == text);
    for (const Option& option : options()) {
      INFO(option.name);
      if (option.describes_run) CHECK(option.get(again) == option.get(configuration));
    }
  }
}

TEST_CASE("names of files that are not UTF-8 are written and read back", "[configuration]") {
  for (const std::string name :
       {"latin\xe4 100%.csv", "\xff", "caf\u00e9/\xc3.csv", "a\"b\\c\x80\n"}) {
    Configuration c;
    c.dataset = name;
    const std::string text = configuration_text(c);
    CAPTURE(text);
    CHECK_THAT(text, ContainsSubstring("\ndataset = { bytes = \""));
    Configuration read;
    REQUIRE_NOTHROW(parse_configuration(text, "file", read));
    CHECK(read.dataset == name);
  }
  Configuration c;
  c.dataset = "caf\u00e9.csv";  // is UTF-8
  CHECK_THAT(configuration_text(c), ContainsSubstring("dataset = \"caf\u00e9.csv\""));
  for (const std::string table : {"{ bytes = \"%F\" }", "{ bytes = \"%GG\" }", "{ bytes = 3 }",
                                  "{ bytes = \"a\", more = 1 }", "{ text = \"a\" }"}) {
    CHECK_THROWS_WITH(parse_configuration("[data]\ndataset = " + table + "\n", "file", c),
                      ContainsSubstring("{ bytes = \"a%FF.csv\" }"));
  }
}

TEST_CASE("where results go is no part of a configuration's text", "[configuration]") {
  const std::string text = configuration_text(all_other());
  CHECK_THAT(text, !ContainsSubstring("\nout ="));
  CHECK_THAT(text, !ContainsSubstring("force"));
}

TEST_CASE("a file changes what it names and nothing else", "[configuration]") {
  const TemporaryFolder folder;
  Configuration configuration;
  configuration.batch = 5;
  read_configuration(folder.write("run.toml", "[run]\nworkers = 3\n[optimizer]\nlr = 1\n"),
                     configuration);
  CHECK(configuration.workers == 3);
  CHECK(configuration.optimizer.lr == 1.0);
  CHECK(configuration.batch == 5);
  CHECK(configuration.scheme == Configuration{}.scheme);
}

TEST_CASE("an empty value in a file is refused, for every option", "[configuration]") {
  for (const Option& option : options()) {
    INFO(option.name);
    Configuration c;
    CHECK_THROWS_WITH(
        parse_configuration("[" + option.section + "]\n" + option.name + " = ''\n", "file", c),
        StartsWith("file:2: " + option.name + ": the value is empty; expected "));
  }
}

TEST_CASE("a run's seconds are from a nanosecond to what the clock can count", "[configuration]") {
  Configuration c;
  const auto set = [&](const char* text) { option_named("seconds").set(c, text, "--seconds"); };
  for (const char* text : {"1e-9", "1ns", "9000000"}) CHECK_NOTHROW(set(text));
  for (const char* text : {"9e-10", "0", "9000001"}) CHECK_THROWS_AS(set(text), UsageError);
}

TEST_CASE("a refused value leaves the option's name or line in the message", "[configuration]") {
  Configuration configuration;
  CHECK_THROWS_WITH(option_named("workers").set(configuration, "0", "--workers"),
                    ContainsSubstring("--workers: '0'"));
  CHECK_THROWS_WITH(option_named("scheme").set(configuration, "rign", "a.toml:7: scheme"),
                    ContainsSubstring("a.toml:7: scheme: no scheme named 'rign'"));
  CHECK_THROWS_AS(option_named("no such"), InternalError);
}

TEST_CASE("as many servers as workers are asked for by a word, whatever comes later",
          "[configuration]") {
  Configuration c;
  option_named("servers").set(c, "workers", "--servers");
  option_named("workers").set(c, "5", "--workers");
  CHECK(servers_of(c) == 5);
  Configuration read;
  parse_configuration(configuration_text(c), "text", read);
  CHECK(option_named("servers").get(read) == "workers");
  CHECK(servers_of(read) == 5);
  option_named("servers").set(c, "2", "--servers");
  CHECK(servers_of(c) == 2);
  CHECK_THROWS_WITH(option_named("servers").set(c, "0", "--servers"),
                    ContainsSubstring("--servers"));
  CHECK_THROWS_AS(option_named("servers").set(c, "worker", "--servers"), UsageError);
}

}  // namespace trainyard
