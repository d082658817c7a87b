#include "trainyard/analysis/exchange_bounds.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

#include <fmt/format.h>

namespace trainyard {

namespace {

using Costs = ExchangeCosts;

int log2_up(int n) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(n - 1)));
}

/// (n−1)/n
double others(const Costs& c) {
  return static_cast<double>(c.workers - 1) / c.workers;
}

/// n/k
double workers_a_server(const Costs& c) {
  return static_cast<double>(c.workers) / c.servers;
}

double parameter_servers(const Costs& c) {
  const double share = std::max(1.0, workers_a_server(c));
  return 2 * share * c.transmit_s + ((c.workers - 1) * c.reduce_s + c.update_s) / c.servers;
}

double binomial(const Costs& c) {
  return 2 * log2_up(c.workers + 1) * c.transmit_s + log2_up(c.workers) * c.reduce_s + c.update_s;
}

double scatter_reduce(const Costs& c) {
  return (2 + 2 * others(c)) * c.transmit_s + others(c) * c.reduce_s + c.update_s;
}

}  // namespace

ExchangeCosts exchange_costs(int workers, int servers, double model_bytes, double bandwidth,
                             double reduce_rate, double update_rate) {
  return {.workers = workers,
          .servers = servers,
          .transmit_s = model_bytes / bandwidth,
          .reduce_s = model_bytes / reduce_rate,
          .update_s = model_bytes / update_rate};
}

std::string name_at(const ExchangeBound& bound, const ExchangeCosts& costs) {
  std::string name = bound.name;
  const auto put = [&name](std::string_view letter, double value) {
    const std::size_t at = name.find(letter);
    if (at == std::string::npos) return;
    name.replace(at, letter.size(), fmt::format("{}= {} ", letter, value));
  };
  put("k ", costs.servers);
  put("τ ", costs.period);
  return name;
}

const std::vector<ExchangeBound>& exchange_bounds() {
  static const std::vector<ExchangeBound> table{
      {"one server, synchronous", "2nT + (n-1)R + U",
       [](const Costs& c) {
         return 2 * c.workers * c.transmit_s + (c.workers - 1) * c.reduce_s + c.update_s;
       }},
      {"k servers, synchronous", "2 max(1, n/k)T + ((n-1)R + U)/k", parameter_servers},
      {"server at the root of a tree", "2⌈log2(n+1)⌉T + ⌈log2 n⌉R + U", binomial},
      {"scatter-reduce to a server, broadcast", "(2 + 2(n-1)/n)T + (n-1)/n R + U", scatter_reduce},
      {"all-reduce by doubling", "⌈log2 n⌉(T + R) + U",
       [](const Costs& c) {
         return log2_up(c.workers) * (c.transmit_s + c.reduce_s) + c.update_s;
       }},
      {"ring all-reduce", "2(n-1)/n T + (n-1)/n R + U",
       [](const Costs& c) { return others(c) * (2 * c.transmit_s + c.reduce_s) + c.update_s; }},
      {"one server, asynchronous: a worker", "2T + U",
       [](const Costs& c) { return 2 * c.transmit_s + c.update_s; }},
      {"one server, asynchronous: all n", "nT + U",
       [](const Costs& c) { return c.workers * c.transmit_s + c.update_s; }},
      {"k servers, asynchronous: all n", "max(2, n/k)T + U/k",
       [](const Costs& c) {
         return std::max(2.0, workers_a_server(c)) * c.transmit_s + c.update_s / c.servers;
       }},
      {"k servers, asynchronous: the first n", "max(1, n/k)T + T + U/k",
       [](const Costs& c) {
         return (std::max(1.0, workers_a_server(c)) + 1.0) * c.transmit_s + c.update_s / c.servers;
       }},
      {"servers on the workers' own ports", "2(n-1)/n T + ((n-1)R + U)/n",
       [](const Costs& c) {
         return others(c) * (2 * c.transmit_s + c.reduce_s) + c.update_s / c.workers;
       }},
      {"averaged every τ steps: a local step", "T/τ",
       [](const Costs& c) { return c.transmit_s / c.period; }},
  };
  return table;
}

}  // namespace trainyard
