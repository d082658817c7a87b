// Comparisons of which several are made at once, by threads that know nothing of each other.
#include <string>
#include <thread>
#include <vector>

#include "trainyard/report/summary_format.hpp"
#include "trainyard/study/comparison.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

ComparisonRequest request_of(const std::string& schemes, int jobs) {
  ComparisonRequest request{.configuration = small_configuration(""),
                            .contestants = parse_contestants(schemes)};
  request.configuration.epochs = 0.5;
  request.options.jobs = jobs;
  return request;
}

std::string answer_to(const ComparisonRequest& request) {
  return comparison_json(run_comparison(request, small_data(), {}).runs, request.options);
}

}  // namespace

TEST_CASE("comparisons at once give what each gives alone", "[study]") {
  // All schemes that share something in their own run: a model, a server, a codec, a graph.
  const std::vector<std::string> schemes{"ring,ps-async,hogwild", "gossip:one-peer-exp,local-sgd",
                                         "ec-sgd{codec=top-k:1%},ring", "ps-sync,sequential"};
  std::vector<std::string> together(2 * schemes.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < together.size(); ++i) {
      const int jobs = i < schemes.size() ? 1 : 2;
      threads.emplace_back(
          [&, i, jobs] { together[i] = answer_to(request_of(schemes[i % schemes.size()], jobs)); });
    }
  }
  for (std::size_t i = 0; i < together.size(); ++i) {
    INFO(schemes[i % schemes.size()]);
    CHECK(together[i] == answer_to(request_of(schemes[i % schemes.size()], 1)));
  }
}

}  // namespace trainyard
