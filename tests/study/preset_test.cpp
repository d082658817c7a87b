// Systems by their names: each is the scheme that it names, and gives way to what is asked for.
#include "trainyard/configuration/preset.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "trainyard/analysis/prediction.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/configuration/contestant.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/study/comparison.hpp"

#include "support/catch.hpp"
#include "support/contestants.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

LoadedData blobs() {
  return {"blobs", generate_blobs(400, 12, 4, 1.0, 3), generate_blobs(50, 12, 4, 1.0, 4)};
}

/// What every system can run: layers to cut, servers, and a network that takes time.
Configuration of_system(const std::string& name) {
  Configuration c = quick("ring", 4, 12);
  c.model = "mlp:10,8,6,5";
  c.servers = 2;
  c.network.latency = std::chrono::microseconds(50);
  c.network.bytes_per_second = 1e6;
  option_named("scheme").set(c, name, "--scheme");
  return c;
}

}  // namespace

TEST_CASE("every preset says what it is", "[study]") {
  std::set<std::string> names;
  for (const Preset& preset : presets()) {
    CAPTURE(preset.name);
    CHECK(names.insert(preset.name).second);
    CHECK(find_preset(preset.name) == &preset);
    for (const std::string* text :
         {&preset.system, &preset.source, &preset.emulated, &preset.not_emulated,
          &preset.criteria.parallelism, &preset.criteria.schedule, &preset.criteria.optimisation,
          &preset.criteria.exchange, &preset.criteria.topology}) {
      CHECK_FALSE(text->empty());
    }
    CHECK_NOTHROW(find_scheme(preset.scheme));
    // A name that is a scheme's, too, means one thing.
    const auto named = std::ranges::find(schemes(), preset.name, &Scheme::name);
    if (named != schemes().end()) CHECK(preset.spelt_out() == preset.name);
    CHECK(parse_contestants(preset.spelt_out()).size() == 1);
  }
  CHECK(std::ranges::is_sorted(presets(), {}, &Preset::name));
}

TEST_CASE("a preset is the scheme spelt by hand to the bit", "[study]") {
  const LoadedData data = blobs();
  for (const Preset& preset : presets()) {
    CAPTURE(preset.name);
    const RunResult named = train(of_system(preset.name), data);
    Configuration c = of_system(preset.scheme);
    apply(parse_contestants(preset.spelt_out()).front(), c);
    const RunResult spelt = train(c, data);
    CHECK(named.summary.model_hash == spelt.summary.model_hash);
    CHECK(named.summary.seconds == spelt.summary.seconds);
    CHECK(named.summary.bytes_sent == spelt.summary.bytes_sent);
    CHECK(named.resolved.preset.empty());
    CHECK(configuration_text(named.resolved) == configuration_text(spelt.resolved));
  }
}

TEST_CASE("what is given wins over what a preset sets", "[study]") {
  const LoadedData data = blobs();
  Configuration c = of_system("petuum");
  CHECK(option_named("scheme").get(c) == "petuum");
  CHECK(train(c, data).resolved.hyperparameters.at("staleness") == 3);
  c.hyperparameters["staleness"] = 8;
  CHECK(train(c, data).resolved.hyperparameters.at("staleness") == 3);
  c.given = {"staleness"};
  CHECK(train(c, data).resolved.hyperparameters.at("staleness") == 8);

  Configuration later = of_system("petuum");
  option_named("scheme").set(later, "ring", "--scheme");
  CHECK(train(later, data).resolved.scheme == "ring");
}

TEST_CASE("contestants are systems, too", "[study]") {
  const auto both = parse_contestants("petuum,petuum{staleness=8},ring");
  REQUIRE(both.size() == 3);
  CHECK(both[0].label == "petuum");
  CHECK(both[0].preset == "petuum");
  CHECK(both[0].scheme == "essp");
  CHECK(both[1].label == "petuum{staleness=8}");
  CHECK(both[2].preset.empty());
  const auto staleness = [](const Contestant& each, std::vector<std::string> given) {
    Configuration c;
    c.hyperparameters["staleness"] = 5;
    c.given = std::move(given);
    apply(each, c);
    return c.hyperparameters.at("staleness");
  };
  CHECK(staleness(both[0], {}) == 3);
  CHECK(staleness(both[0], {"staleness"}) == 5);
  CHECK(staleness(both[1], {"staleness"}) == 8);

  const auto all = parse_contestants("all-systems{lr=0.1},ring");
  CHECK(all.size() == presets().size() + 1);
  for (const Contestant& each : all) CHECK(each.named == (each.label == "ring"));
  CHECK(all.front().label == presets().front().name + "{lr=0.1}");
  CHECK_THROWS_WITH(parse_contestants("petum"), ContainsSubstring("did you mean 'petuum'?"));
  CHECK_THROWS_WITH(parse_contestants("all-system"), ContainsSubstring("'all-systems'?"));
  CHECK_THROWS_WITH(parse_contestants("all-systems:ring"), ContainsSubstring("takes no ':'"));
  CHECK_THROWS_WITH(option_named("scheme").set(*std::make_unique<Configuration>(), "petum", "x"),
                    ContainsSubstring("did you mean 'petuum'?"));
}

TEST_CASE("what is varied is varied of a preset as well", "[study]") {
  ComparisonRequest request{.configuration = of_system("ring"),
                            .contestants = parse_contestants("petuum"),
                            .variations = {parse_variation("staleness=1,2")}};
  const std::vector<RunResult> results = run_comparison(request, blobs(), {}).runs;
  REQUIRE(results.size() == 2);
  CHECK(results[0].resolved.hyperparameters.at("staleness") == 1);
  CHECK(results[1].resolved.hyperparameters.at("staleness") == 2);
  CHECK(results[0].summary.label == "petuum");
}

TEST_CASE("predictions of systems are those of their schemes", "[study]") {
  PredictionSetting setting{.configuration = of_system("ring"), .parameters = 1000, .rows = 100};
  const auto petuum = predicted_contestants("petuum");
  REQUIRE(petuum.size() == 1);
  CHECK(petuum.front().label == "petuum");
  const Prediction by_default = predict(petuum.front(), setting);
  setting.configuration.hyperparameters["staleness"] = 3;
  CHECK(by_default.step_s == predict(test::contestant("essp"), setting).step_s);
  setting.configuration.hyperparameters["staleness"] = 0;
  setting.configuration.given = {"staleness"};
  CHECK(predict(petuum.front(), setting).step_s ==
        predict(test::contestant("essp"), setting).step_s);

  CHECK(predicted_contestants("sparknet").front().label == "sparknet");
  const auto other = predicted_contestants("sparknet:tree").front();
  CHECK(other.label == "sparknet:tree");
  setting.configuration.hyperparameters["period"] = 10;
  CHECK(predict(other, setting).bytes ==
        predict(test::contestant("local-sgd:tree"), setting).bytes);
  std::vector<std::string> left_out;
  for (const Preset& preset : presets()) {
    try {
      (void)predicted_contestants(preset.name);
    } catch (const UsageError&) {
      left_out.push_back(preset.name);
    }
  }
  // Rounds of epochs that end early, and steps of line searches, have no closed form.
  CHECK(left_out == std::vector<std::string>{"project-adam", "sandblaster"});
  // Of small models a layer has fewer units than there may be workers.
  const auto all = predicted_contestants(all_systems);
  CHECK(all.size() == presets().size() - left_out.size() - 1);
  CHECK(std::ranges::count(all, std::string("cots-hpc"), &Contestant::preset) == 0);
}

TEST_CASE("MXNet and TensorFlow have a server on each worker's machine", "[study]") {
  const LoadedData data = blobs();
  for (const char* name : {"mxnet", "mxnet-async", "mxnet-bounded", "mxnet-two-bit", "tensorflow",
                           "tensorflow-async"}) {
    CAPTURE(name);
    Configuration c = of_system(name);
    c.servers = 1;
    const Configuration of_four = train(c, data).resolved;
    CHECK(of_four.servers == 4);
    CHECK(of_four.network.server_placement == ServerPlacement::colocated);
    c.servers = 3;
    c.given = {"servers"};
    CHECK(train(c, data).resolved.servers == 3);
    // Whatever the number of workers comes to afterwards.
    Configuration later = of_system("ring");
    apply(parse_contestants(std::string(name) + "{workers=2}").front(), later);
    CHECK(servers_of(later) == 2);
  }
  // 14 messages of an eighth of the model, and not of the model.
  PredictionSetting setting{.configuration = quick("ring", 8, 1), .parameters = 8000};
  Network& network = setting.configuration.network;
  network = {.latency = std::chrono::milliseconds(1), .bytes_per_second = 1e6};
  const Prediction mxnet = predict(predicted_contestants("mxnet").front(), setting);
  CHECK(mxnet.servers == 8);
  CHECK(*mxnet.closed_form_s == Approx(1e-3 + 14 * (1e-3 + 4e-3)));
  CHECK(mxnet.step_s == Approx(*mxnet.closed_form_s));
  setting.configuration.servers = 1;
  setting.configuration.given = {"servers"};
  CHECK(predict(predicted_contestants("mxnet").front(), setting).servers == 1);
}

namespace {

/// The first step of that system as it is trained, over rows that make a model of 840 parameters.
double first_step(const Preset& preset, Configuration c) {
  static const LoadedData rows = test::dense_problem(60, 840);
  // 20 · 21 · 2 parameters, in two layers alike: what a prediction takes where layers are divided.
  static const LoadedData chain{"chain", generate_blobs(400, 20, 20, 1.0, 3), {}};
  const bool divides = preset.scheme == "tensor-split";
  c.model = divides ? "mlp:20" : "logistic";
  c.steps = 1;
  c.preset = preset.name;
  c.scheme = preset.scheme;
  return train(c, divides ? chain : rows).summary.seconds;
}

}  // namespace

TEST_CASE("each system's first step takes its closed form, or a prediction says why it has none",
          "[study]") {
  // One server, or one on each worker's machine where that is the system's; then as many as
  // workers, or one in each group. The rest has reasons.
  const std::map<std::string, std::string> open{
      {"easgd", "known roughly: c, or in every τ-th step"},
      {"easgd-async", "known roughly: c, or in every τ-th step"},
      {"gosgd", "known roughly: c"},
      {"mxnet-async", "colocated servers: it depends"},
      {"mxnet-bounded", "colocated servers: it depends"},
      {"mxnet-two-bit", "colocated servers: it depends"},
      {"petuum", "known roughly: between max(c, n(α + t))"},
      {"tensorflow", "colocated servers: it depends"},
      {"tensorflow-async", "colocated servers: it depends"}};
  const std::map<std::string, std::string> open_with_more{
      {"distbelief", "not with these settings; otherwise as ps-async"},
      {"parameter-server", "not with these settings; otherwise c + (n+1)(α + t)"}};
  for (const int workers : {1, 2, 4, 5}) {
    for (const bool more : {false, true}) {
      PredictionSetting setting{.configuration = quick("ring", workers, 1), .parameters = 840};
      Configuration& c = setting.configuration;
      c.servers = more ? workers : 1;
      c.compute_time = std::chrono::milliseconds(3);
      c.encode_time = c.decode_time = Duration{0};
      c.network = {.latency = std::chrono::milliseconds(1), .bytes_per_second = 1e6};
      for (const Preset& preset : presets()) {
        if (preset.name == "project-adam" || preset.name == "sandblaster") continue;
        CAPTURE(preset.name, workers, c.servers);
        const Prediction found = predict(test::contestant(preset.name), setting);
        CHECK(found.closed_form_s.has_value() == found.why_no_closed_form.empty());
        if (found.closed_form_s) {
          CHECK(*found.closed_form_s == Approx(first_step(preset, c)).epsilon(1e-6));
          continue;
        }
        std::string why;
        if (const auto it = open.find(preset.name); it != open.end()) why = it->second;
        if (const auto it = open_with_more.find(preset.name); more && it != open_with_more.end()) {
          why = it->second;
        }
        REQUIRE_FALSE(why.empty());
        CHECK_THAT(found.why_no_closed_form, ContainsSubstring(why));
      }
    }
  }
}
