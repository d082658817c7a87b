// The mean of the workers' vectors as their receiver takes it where some workers may lie: with
// --byzantine the liars' vectors are first replaced by their lies, and with --aggregate a robust
// rule takes the place of the mean.
//
//   RobustMean robust(server);
//   while (server.comm().await_message()) {
//     for (int w = 0; w < workers; ++w) robust.hear(w, server.comm().receive(w).vector());
//     server.apply(robust.mean(), workers);
//
// Asked for neither, a program takes its mean as it always does: is_asked_for() says so. A rule
// knows of a vector only what is in it, so that all count alike, whatever rows a worker has.
//
// In simulated time a rule takes the run's time of a coordinate as often as vectors have
// coordinates, and a straggler so many times longer; in `wall` it takes what it takes.
//
// Threads: belongs to its rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "trainyard/aggregation/aggregator.hpp"
#include "trainyard/aggregation/attack.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/runtime/rank.hpp"
#include "trainyard/runtime/run_context.hpp"

namespace trainyard {

class Server;
class Worker;

/// The kinds of components that it goes by (scheme/ingredient.hpp): an Aggregator, a Byzantine.
inline constexpr const char* aggregate_kind = "aggregate";
inline constexpr const char* byzantine_kind = "byzantine";

/// Nobody lies where the scheme's row takes no "byzantine".
Byzantine byzantine_of(const Ingredients& ingredients);

/// Whether something else than the mean of the truth is taken.
bool is_robust(const Ingredients& ingredients);
/// The same of the components that somebody asked for, by kind.
bool asks_for_robust(const std::map<std::string, std::string, std::less<>>& names);

class RobustMean {
 public:
  /// Of vectors of the replica's size, which each worker combines by itself: all of them get the
  /// same bits.
  explicit RobustMean(Worker& worker);
  /// Of vectors of the shard's size.
  explicit RobustMean(Server& server);
  /// The next leg of the run goes on with what has not been drawn.
  ~RobustMean();
  RobustMean(const RobustMean&) = delete;
  RobustMean& operator=(const RobustMean&) = delete;

  /// Whether there are liars, or a rule that is not the mean.
  bool is_asked_for() const { return rule_ != nullptr; }

  /// Takes a copy of what that worker sent. REQUIRES: is_asked_for(); workers come in the order of
  /// their numbers, each once before mean(), as many as the rule was made for.
  void hear(int worker, ConstVector vector);
  /// hear() of vector − from.
  void hear_difference(int worker, ConstVector vector, ConstVector from);
  /// What is taken for the mean of what was heard. Valid until the next call.
  ConstVector mean();

  /// mean() of the own vectors of all workers, each of which sends its own to all others, round
  /// after round to who is so many places further on: (n − 1)(α + t). Called by all of them.
  ConstVector mean_of_all(Communicator& comm, ConstVector own);

 private:
  RobustMean(Rank& rank, const RunContext& context, std::size_t length, double slowdown,
             std::uint32_t stream);
  Vector place_of(int worker);
  void lie();

  Rank& rank_;
  const RunContext& context_;
  const double slowdown_;
  const Aggregator* rule_ = nullptr;
  Byzantine byzantine_{};
  RandomStream& lying_;
  AggregatorScratch scratch_;
  std::vector<VectorBuffer> places_;
  std::vector<int> heard_;  // whose vectors lie in places_
  std::vector<ConstVector> all_, honest_;
  std::vector<Vector> lies_;
  VectorBuffer own_result_;
  Vector result_;  // that, or kept
  bool has_found_liars_ = false;
};

}  // namespace trainyard
