#include "trainyard/runtime/model_gatherer.hpp"

#include <vector>

#include "trainyard/runtime/deposits.hpp"

#include "support/catch.hpp"

using namespace trainyard;

namespace {

std::vector<double> doubles_of(ConstVector values) {
  const auto all = values.doubles();
  return {all.begin(), all.end()};
}

}  // namespace

TEST_CASE("the model of replicas is their mean, and how far they are from it", "[runtime]") {
  // More coordinates than one core takes at a time: 3j for worker 0, -j for the others.
  constexpr std::size_t size = 10000;
  RunState state({.workers = 4, .scalar = Scalar::float64, .dimension = size});
  double squares = 0.0;  // of one coordinate: mean 0, ((3j)² + 3 j²) / 4 = 3 j²
  for (int worker = 0; worker < 4; ++worker) {
    std::vector<double> x(size);
    for (std::size_t j = 0; j < size; ++j) {
      x[j] = (worker == 0 ? 3.0 : -1.0) * static_cast<double>(j) + 1.0;
      if (worker == 0) squares += 3.0 * static_cast<double>(j * j);
    }
    (void)state.keep_model(worker, x);
  }
  ModelGatherer gatherer(state);
  const GatheredModel model = gatherer.gather();
  CHECK(doubles_of(model.values) == std::vector<double>(size, 1.0));
  REQUIRE(model.consensus_distance);
  CHECK(*model.consensus_distance == Approx(squares).epsilon(1e-14));
}

TEST_CASE("the model of servers is their shards, one after another", "[runtime]") {
  RunState state({.home = ModelHome::servers,
                  .workers = 2,
                  .servers = 3,
                  .scalar = Scalar::float64,
                  .dimension = 5});
  const std::vector<double> whole{1.0, 2.0, 3.0, 4.0, 5.0};
  (void)state.keep_model(0, std::vector<double>(5, 9.0));  // a worker's copy is not the model
  (void)state.keep_model(2, ConstVector(whole).first(0));  // a proxy has none
  (void)state.keep_model(3, ConstVector(whole).first(3));
  const Vector last = state.keep_model(4, ConstVector(whole).subspan(3));
  ModelGatherer gatherer(state);
  CHECK(doubles_of(gatherer.gather().values) == whole);
  CHECK_FALSE(gatherer.gather().consensus_distance);
  last.doubles()[1] = 6.0;
  CHECK(gatherer.gather().values.doubles()[4] == 6.0);
}

TEST_CASE("the model of groups that share one each is the mean of these", "[runtime]") {
  for (const int groups : {1, 2}) {
    CAPTURE(groups);
    RunState state(
        {.home = ModelHome::shared, .workers = 4, .shared_models = groups, .dimension = 2});
    for (int group = 0; group < groups; ++group) {
      state.shared()->lay_out(group, std::vector<float>{1.0F, group == 0 ? 2.0F : 4.0F});
    }
    ModelGatherer gatherer(state);
    const GatheredModel model = gatherer.gather();
    CHECK(model.values.floats()[0] == 1.0F);
    CHECK(model.values.floats()[1] == (groups == 1 ? 2.0F : 3.0F));
    CHECK(model.consensus_distance == (groups == 1 ? std::optional<double>() : 1.0));
  }
}

TEST_CASE("the model of parts is what their holders have, or the mean of it", "[runtime]") {
  const std::vector<double> whole{1.0, 2.0, 3.0, 4.0, 5.0};
  ModelLayout layout{.workers = 2, .scalar = Scalar::float64, .dimension = 5};
  layout.holdings = {{2, 3}, {0, 2}};  // not in the order of ranks
  {
    RunState state(layout);
    (void)state.keep_model(0, ConstVector(whole).subspan(2));
    (void)state.keep_model(1, ConstVector(whole).first(2));
    ModelGatherer gatherer(state);
    CHECK(doubles_of(gatherer.gather().values) == whole);
    CHECK(doubles_of(gatherer.gather().values) == whole);  // nothing is left of the first time
    CHECK_FALSE(gatherer.gather().consensus_distance);
  }
  {
    // Of several ranges: those of a part of columns, and the rest.
    ModelLayout columns = layout;
    columns.holdings = {{0, 1}, {1, 1}};
    columns.holdings[0].add({2, 0});  // nothing
    columns.holdings[0].add({3, 1});
    columns.holdings[0].add({4, 1});  // joined to the one before
    columns.holdings[1].add({2, 1});
    CHECK(columns.holdings[0].ranges == std::vector<ParameterRange>{{0, 1}, {3, 2}});
    CHECK(columns.holdings[1].ranges == std::vector<ParameterRange>{{1, 2}});
    CHECK(columns.count_of(0) == 3);
    CHECK(columns.place_of(1) == 3);
    CHECK(columns.copies() == 1);
    RunState state(columns);
    (void)state.keep_model(0, std::vector<double>{1.0, 4.0, 5.0});
    (void)state.keep_model(1, std::vector<double>{2.0, 3.0});
    ModelGatherer gatherer(state);
    CHECK(doubles_of(gatherer.gather().values) == whole);
    CHECK_FALSE(gatherer.gather().consensus_distance);
  }
  layout.workers = 4;
  layout.holdings.push_back({0, 1});
  layout.holdings.push_back({1, 4});
  RunState state(layout);
  (void)state.keep_model(0, ConstVector(whole).subspan(2));
  (void)state.keep_model(1, ConstVector(whole).first(2));
  (void)state.keep_model(2, std::vector<double>{3.0});
  (void)state.keep_model(3, std::vector<double>{2.0, 3.0, 4.0, 7.0});
  ModelGatherer gatherer(state);
  const GatheredModel model = gatherer.gather();
  CHECK(doubles_of(model.values) == std::vector<double>{2.0, 2.0, 3.0, 4.0, 6.0});
  CHECK(model.consensus_distance == 2.0);  // (2·1² + 2·1²) / 2
}

TEST_CASE("deposits are of one step each, however far workers are apart", "[runtime]") {
  const ModelLayout layout{.workers = 2, .scalar = Scalar::float64, .dimension = 1};
  Deposits deposits(layout);
  const auto laid_down = [&](int worker, std::uint64_t step, double value) {
    const std::vector<double> replica{value};
    return deposits.lay_down(worker, step, step, replica);
  };
  // Worker 1 is two looks ahead.
  CHECK(laid_down(1, 10, 1.0) == nullptr);
  CHECK(laid_down(1, 20, 2.0) == nullptr);
  Deposit* const first = laid_down(0, 10, 5.0);
  REQUIRE(first != nullptr);
  CHECK(first->minibatches == 20);
  CHECK(doubles_of(std::as_const(first->replicas).view()) == std::vector<double>{5.0, 1.0});
  Deposits::free(*first);
  CHECK(laid_down(1, 30, 3.0) == nullptr);  // in the memory of the first
  Deposit* const second = laid_down(0, 20, 6.0);
  REQUIRE(second != nullptr);
  CHECK(second != first);
  CHECK(doubles_of(std::as_const(second->replicas).view()) == std::vector<double>{6.0, 2.0});
  CHECK(laid_down(0, 30, 7.0) == first);
  CHECK(first->minibatches == 60);
}
