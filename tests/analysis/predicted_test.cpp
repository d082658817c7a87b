// What a name that `predict` is given stands for.
#include <algorithm>

#include "trainyard/analysis/prediction.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/contestants.hpp"

using namespace trainyard;

namespace {

std::vector<std::string> names(std::string_view text, const IngredientNames& given = {}) {
  std::vector<std::string> labels;
  for (const Contestant& each : predicted_contestants(text, given)) labels.push_back(each.label);
  return labels;
}

}  // namespace

TEST_CASE("predicted: a scheme, one way of it, or settings of its own", "[analysis]") {
  using Names = std::vector<std::string>;
  CHECK(names("ring") == Names{"ring"});
  CHECK(names("all-reduce:tree") == Names{"all-reduce:tree"});
  CHECK(way_of(predicted_contestants("all-reduce:tree").front()) == "tree");
  CHECK(names("gossip").size() > 3);
  CHECK(names("gossip,gossip:ring").size() == names("gossip").size());
  CHECK(names("local-sgd{period=8},ring") == Names{"local-sgd{period=8}", "ring"});
  // Of a kind that is given there is no other way, but for those who say one.
  CHECK(names("csgd", {{"codec", "top-k:5%"}}) == Names{"csgd:top-k:5%"});
  CHECK(names("csgd:top-k:1%", {{"codec", "top-k:5%"}}) == Names{"csgd:top-k:1%"});
  CHECK_THROWS_WITH(names("gossip:rung"), ContainsSubstring("did you mean 'ring'?"));
  CHECK_THROWS_WITH(names("ring:tree"), ContainsSubstring("no choice"));
  CHECK_THROWS_WITH(names("rnig"), ContainsSubstring("did you mean 'ring'?"));
  CHECK_THROWS_WITH(names("ring{epochs=3}"), ContainsSubstring("--schemes: epochs is not taken"));
}

TEST_CASE("predicted: of a group those that can be", "[analysis]") {
  const auto has = [](std::string_view group, const std::string& scheme) {
    return std::ranges::count(predicted_contestants(group), scheme, &Contestant::scheme) > 0;
  };
  CHECK(has("all-decentralised", "gosgd"));
  CHECK_FALSE(has("all-decentralised", "gossip-aga"));
  CHECK_FALSE(has("all-decentralised", "ring"));
  CHECK(names("all").size() == names("all-decentralised").size() + names("all-centralised").size());
  CHECK_THROWS_WITH(names("all-decentralized"),
                    ContainsSubstring("did you mean 'all-decentralised'?"));
  CHECK_THROWS_WITH(names("gossip-aga"),
                    ContainsSubstring("goes by the data or by the model itself"));
  CHECK_FALSE(has("all", "tensor-split"));
  // Servers add up vectors of one length alone.
  for (const Contestant& each : predicted_contestants("tensor-split")) {
    for (const char* with_servers : {"ps", "ps-sharded", "hierarchical", "tree-root"}) {
      CHECK(way_of(each) != with_servers);
    }
  }
  // What may divide layers and need not does not, of a model without any.
  CHECK(names("downpour") == std::vector<std::string>{"downpour"});
  CHECK(has("all", "downpour"));
}

// A step depends on what a contestant has for itself.
TEST_CASE("predicted: settings of one's own are predicted as options of all are", "[analysis]") {
  PredictionSetting setting;
  Configuration& c = setting.configuration;
  c.workers = 4;
  c.compute_time = std::chrono::milliseconds(3);
  c.network = {.latency = std::chrono::milliseconds(1), .bytes_per_second = 1e7};
  setting.parameters = 1000;
  const auto own = [&](std::string_view text) {
    return predict(predicted_contestants(text).front(), setting);
  };
  const Prediction of_eight = own("local-sgd{period=8}"), of_two = own("local-sgd{period=2}");
  const Prediction slow = own("ring{latency=5ms,workers=8}");
  CHECK(of_eight.step_s < of_two.step_s);
  c.hyperparameters["period"] = 8;
  CHECK(own("local-sgd:ring").step_s == of_eight.step_s);
  c.network.latency = std::chrono::milliseconds(5);
  c.workers = 8;
  CHECK(own("ring").step_s == slow.step_s);
}

TEST_CASE("predicted: no machine measures a compute time", "[analysis]") {
  PredictionSetting setting;
  setting.configuration.compute_time = std::chrono::milliseconds(3);
  CHECK_THROWS_WITH(predict(predicted_contestants("ring{compute-time=auto}").front(), setting),
                    ContainsSubstring("--compute-time: auto: a prediction takes a duration"));
}
