// The labs of docs/labs: that what they promise is what one sees. Orderings only; the figures in
// their README are of one machine.
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/data/catalog.hpp"
#include "trainyard/experiment/experiment.hpp"
#include "trainyard/experiment/options.hpp"
#include "trainyard/experiment/resolve.hpp"

#include "support/catch.hpp"

using namespace trainyard;

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// docs/labs/NAME.toml with `settings` over it, as flags would be.
RunResult lab(const std::string& name, const Settings& settings) {
  const std::filesystem::path root(TRAINYARD_SOURCE_DIR);
  Configuration c;
  read_configuration(root / "docs" / "labs" / (name + ".toml"), c);
  for (const auto& [key, text] : settings) {
    option_named(key).set(c, text, "--" + key);
  }
  if (c.dataset.ends_with(".csv")) c.dataset = (root / c.dataset).string();
  static std::map<std::string, LoadedData> loaded;
  auto found = loaded.find(c.dataset);
  if (found == loaded.end()) {
    found = loaded.emplace(c.dataset, load_dataset(dataset_request(c))).first;
  }
  return run_experiment(resolve(c, {c.scheme}, found->second, {}), found->second, {});
}

/// Infinite where the target is not reached.
double seconds_to_target(const std::string& name, const Settings& settings) {
  return lab(name, settings)
      .summary.seconds_to_target.value_or(std::numeric_limits<double>::infinity());
}

double throughput(const std::string& scheme, const std::string& stragglers) {
  Settings settings{{"scheme", scheme}};
  if (!stragglers.empty()) settings.emplace_back("straggler", stragglers);
  return lab("straggler", settings).summary.samples_per_second;
}

}  // namespace

TEST_CASE("lab: one slow worker slows those who wait for it", "[labs]") {
  for (const char* scheme : {"ps-sync", "ring", "local-sgd", "ssp", "gossip"}) {
    CAPTURE(scheme);
    CHECK(throughput(scheme, "0:1") / throughput(scheme, "0:10") > 8.0);
  }
  for (const char* scheme : {"ps-async", "hogwild", "ad-psgd", "gosgd"}) {
    CAPTURE(scheme);
    CHECK(throughput(scheme, "0:1") / throughput(scheme, "0:10") < 1.2);
  }
}

TEST_CASE("lab: bounded staleness has a best bound", "[labs]") {
  const auto time = [](const char* bound) {
    return seconds_to_target("staleness", {{"staleness", bound}});
  };
  const double best = time("4");
  CHECK(best < 0.8 * time("1"));
  CHECK(best < 0.95 * time("2"));
  CHECK(best < 0.95 * time("8"));
  CHECK(best < 0.8 * time("16"));
  CHECK(best < 0.8 * time("1000"));
}

TEST_CASE("lab: local steps have a best number", "[labs]") {
  const auto time = [](const char* period) {
    return seconds_to_target("local-steps", {{"period", period}});
  };
  const double best = time("8");
  CHECK(best < 0.5 * time("1"));
  CHECK(best < 0.9 * time("4"));
  CHECK(best < 0.9 * time("16"));
  CHECK(best < 0.5 * time("64"));
}

TEST_CASE("lab: on unlike data gossip stalls, and corrected gossip does not", "[labs]") {
  const auto loss = [](const char* scheme) {
    return lab("label-skew", {{"scheme", scheme}}).summary.train_loss;
  };
  const double all_reduce = loss("ring");
  for (const char* scheme : {"gossip", "d-psgd", "sgp"}) {
    CAPTURE(scheme);
    CHECK(loss(scheme) > all_reduce + 0.005);
  }
  for (const char* scheme : {"gradient-tracking", "diging", "exact-diffusion", "extra"}) {
    CAPTURE(scheme);
    CHECK(loss(scheme) < all_reduce + 0.001);
  }
}
