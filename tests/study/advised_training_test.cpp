// What advice takes of a configuration and of data.
#include "trainyard/study/advised_training.hpp"

#include <string>
#include <utility>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/run/run.hpp"

#include "support/catch.hpp"

using namespace trainyard;
using namespace std::chrono_literals;

namespace {

Configuration given(const std::vector<std::pair<std::string, std::string>>& said) {
  Configuration c = default_configuration();
  for (const auto& [name, text] : said) {
    option_named(name).set(c, text, "--" + name);
    c.given.push_back(name);
  }
  return c;
}

LoadedData rows_of(const Configuration& c) {
  return load_dataset(dataset_request(c));
}

std::string refusal(const Configuration& c, const LoadedData& data) {
  try {
    check_advised_data(c, data);
  } catch (const OptionError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("advice trains in simulated time, without what it does not look at", "[study]") {
  const Configuration said = given({{"dataset", "dense-logistic:400"},
                                    {"latency", "3ms"},
                                    {"fault", "loss:0.1"},
                                    {"sparse-wire", "off"},
                                    {"html", "mine.html"},
                                    {"batch", "16"},
                                    {"time", "wall"}});
  CHECK(unadvised_options(said) == std::vector<std::string>{"fault", "sparse-wire"});
  const Configuration training = advised_training(said);
  CHECK(training.network.latency == 3ms);
  CHECK_FALSE(training.network.is_irregular());
  CHECK(training.html.empty());
  CHECK(training.batch == 16);
  CHECK(training.time == TimeMode::simulated);
}

TEST_CASE("a run to a target is bounded, and looked at often, unless somebody says", "[study]") {
  Configuration c = given({{"target-loss", "0.5"}, {"steps", "7"}});
  run_to_target(c);
  CHECK(c.epochs == advised_epochs);
  CHECK(c.evaluate_every == 0.05);
  CHECK_FALSE(c.steps);
  CHECK(c.target_loss == 0.5);
  Configuration mine = given({{"epochs", "3"}, {"evaluate-every", "0.5"}});
  run_to_target(mine);
  CHECK(mine.epochs == 3.0);
  CHECK(mine.evaluate_every == 0.5);
}

TEST_CASE("rows that are too few for advice are named, each with the option", "[study]") {
  const Configuration c =
      given({{"dataset", "dense-logistic:40"}, {"workers", "40"}, {"batch", "40"}});
  LoadedData data = rows_of(c);
  REQUIRE(data.train.rows == 40);
  CHECK(refusal(c, data).empty());
  Configuration more = c;
  more.workers = 41;
  CHECK_THAT(refusal(more, data),
             Catch::Matchers::StartsWith("--workers: each of 41 needs a training row, and "));
  more = c;
  more.batch = 41;
  CHECK_THAT(refusal(more, data),
             Catch::Matchers::StartsWith("--batch: a minibatch of 41 rows is more than the 40"));
  more = c;
  more.target_accuracy = 0.9;
  CHECK(refusal(more, data).empty());
  data.test = {};
  CHECK_THAT(refusal(more, data), Catch::Matchers::StartsWith("--target-accuracy: ") &&
                                      ContainsSubstring("neither validation nor test rows"));
}

TEST_CASE("the data's model and its minibatch are the question's", "[study]") {
  const Configuration c = given({{"dataset", "dense-logistic:400"}, {"compute-time", "7ms"}});
  const Configuration training = advised_training(c);
  const LoadedData data = rows_of(training);
  const AdvisedModel model = advised_model(training, data);
  CHECK(model.parameters == data.train.features);
  CHECK(model.compute_time == 7ms);
  const Configuration unsaid = advised_training(given({{"dataset", "dense-logistic:400"}}));
  // Of one worker: there need be no rows for all, nor for their minibatches, and no target.
  Configuration many = training;
  many.workers = 500;
  many.batch = 500;
  many.target_accuracy = 0.9;
  LoadedData untested = rows_of(training);
  untested.test = {};
  CHECK(advised_model(many, untested).parameters == model.parameters);
  CHECK(advised_model(unsaid, data).compute_time > Duration{0});
}
