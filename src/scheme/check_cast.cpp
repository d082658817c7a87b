#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "trainyard/scheme/scheme.hpp"

#include "scheme/check.hpp"
#include "scheme/refuse.hpp"

namespace trainyard {

namespace {

bool takes_whom(std::span<const int> shares, int workers) {
  return !shares.empty() &&
         std::ranges::all_of(shares, [&](int worker) { return worker >= 0 && worker < workers; });
}

}  // namespace

void check_cast(const Scheme& scheme, const Cast& made, int workers) {
  const auto ranks = static_cast<std::size_t>(std::max(made.workers, 0));
  const bool shares_fit =
      made.shares.empty() ? made.workers == workers : made.shares.size() == ranks;
  const bool shared = made.model == ModelHome::shared;
  const bool all_taken = std::ranges::all_of(
      made.shares, [&](const std::vector<int>& shares) { return takes_whom(shares, workers); });
  check_rules(
      scheme,
      std::array{
          Rule{made.workers < 1, ".cast", "has no worker"},
          Rule{made.servers > 0 && scheme.server == nullptr, ".server",
               "missing; it is the program of the servers that .cast has"},
          Rule{made.model == ModelHome::servers && made.servers <= made.proxies, ".cast",
               "keeps the model on servers, and has none that holds a part"},
          Rule{made.workers != 1 && made.workers != workers, ".cast",
               "has neither one rank for all workers nor one for each of them"},
          Rule{made.holds != nullptr && shared, ".cast",
               "says what of the model each worker holds, and shares it in memory"},
          Rule{made.tensor_size < 1 || made.workers % made.tensor_size != 0, ".cast",
               "has so many workers hold layers together that they do not divide all"},
          Rule{made.machine_threads < 1 || made.workers % made.machine_threads != 0, ".cast",
               "has so many threads on each machine that they do not divide the workers"},
          Rule{made.machine_threads > 1 && (shared || made.holds != nullptr), ".cast",
               "has machines whose threads share a model beside their replicas, which are to be "
               "whole models of their own"},
          Rule{made.servers < 0 || made.proxies < 0 || made.proxies > made.servers, ".cast",
               "has fewer servers than none, or than there are proxies among them"},
          Rule{shared && made.servers > 0, ".cast",
               "shares the model in memory, and has servers, which hold no part of it"},
          Rule{made.shared_models < 1 || made.shared_models > made.workers, ".cast",
               "has no shared model, or more of them than workers"},
          Rule{!shares_fit, ".cast",
               "says of another number of workers than it has whose minibatches they take"},
          Rule{
              !all_taken, ".cast",
              "a worker takes the minibatches of one worker at least, and of those that there are"},
      });
}

void check_holdings(const Scheme& scheme, const Cast& cast, std::span<const Holding> holdings,
                    std::size_t dimension) {
  if (holdings.size() != static_cast<std::size_t>(cast.workers)) {
    refuse(scheme, ".cast", ".holds says of another number of workers than there are");
  }
  // How many begin or end to hold at each parameter: summed up, how many hold it.
  std::vector<int> changes(dimension + 1, 0);
  for (const Holding& held : holdings) {
    bool there = held.count() > 0;
    for (const ParameterRange& range : held.ranges) {
      there = there && range.first <= dimension && range.count <= dimension - range.first;
      if (!there) break;
      ++changes[range.first];
      --changes[range.first + range.count];
    }
    if (!there) {
      refuse(scheme, ".cast", ".holds gives a worker nothing, or what the model does not have");
    }
  }
  const bool alike =
      std::all_of(changes.begin() + 1, changes.end() - 1, [](int change) { return change == 0; });
  if (changes.front() == 0 || !alike) {
    refuse(scheme, ".cast", ".holds gives some parameters to more workers than others");
  }
}

}  // namespace trainyard
