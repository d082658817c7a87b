// Who comes first: in which schemes it matters, and with which options it does not.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/units.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

/// "--backups 0", of which n stands for so many workers.
Hyperparameters with(const std::string& options, int workers) {
  const std::size_t name_ends = options.find(' ');
  const std::string value = options.substr(name_ends + 1);
  return {{options.substr(2, name_ends - 2),
           value.starts_with('n') ? static_cast<double>(workers) : std::stod(value)}};
}

}  // namespace

TEST_CASE("some schemes that wait for one another go by who comes first all the same", "[scheme]") {
  std::vector<std::string> named;
  for (const Scheme& scheme : schemes()) {
    const bool waits = scheme.family == SchemeFamily::synchronous ||
                       scheme.family == SchemeFamily::local_updates ||
                       scheme.family == SchemeFamily::decentralised;
    if (waits && by_arrival(scheme)) named.push_back(scheme.name);
  }
  std::ranges::sort(named);
  CHECK(named == std::vector<std::string>{"ad-psgd", "async-local-sgd", "decoupled-diloco",
                                          "eamsgd", "easgd-async", "fedasync", "fedbuff",
                                          "fused-all-reduce", "gosgd", "gradient-coding", "halos",
                                          "mpca-sgd", "ps-backup", "ps-backup-interrupt",
                                          "sandblaster", "tree-easgd", "uncoded"});
}

TEST_CASE("with the options that its row names a scheme by arrival repeats on threads",
          "[scheme]") {
  const LoadedData data = test::dense_problem();
  std::size_t rows = 0;
  for (const Scheme& scheme : schemes()) {
    if (scheme.order.repeats_with.empty()) continue;
    CHECK(by_arrival(scheme));
    ++rows;
    for (const int n : {2, 4}) {
      CAPTURE(scheme.name, n);
      Configuration c = quick(scheme.name, n, 10);
      c.model = "mlp:3";  // of four tensors
      c.servers = 2;
      c.hyperparameters = with(scheme.order.repeats_with, n);
      const RunResult simulated = train(c, data);
      c.time = TimeMode::wall;
      c.stragglers = {{n - 1, 3.0}};
      CHECK(train(c, data).summary.model_hash == simulated.summary.model_hash);
    }
  }
  CHECK(rows == 5);
}
