#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/units.hpp"
#include "trainyard/report/aligned.hpp"
#include "trainyard/report/network_format.hpp"
#include "trainyard/topology/transient.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_entries_as_json = 1'000'000;
constexpr std::size_t widest_in_text = 16;  // ranks
constexpr std::size_t most_rounds_in_text = 16;

template <typename Number>
Json number_or_null(const std::optional<Number>& value) {
  return value ? Json(*value) : Json();
}

std::optional<double> transient_order(const TopologyFigures& f, double Transient::*which) {
  if (!f.doubly_stochastic) return std::nullopt;
  const auto found = transient(f.ranks, f.period, f.rho, f.rms);
  return found ? std::optional(*found.*which) : std::nullopt;
}

std::string transient_text(const TopologyFigures& f, double Transient::*which) {
  const auto order = transient_order(f, which);
  return order ? fmt::format("{:.2g}", *order) : "-";
}

Json json_row(const TopologyReport& report) {
  const TopologyFigures& f = report.figures;
  Json matrices;
  const auto n = static_cast<std::size_t>(f.ranks);
  if (n * n * f.period <= most_entries_as_json) {
    matrices = Json::array();
    for (const MixingMatrix& matrix : report.topology.matrices) matrices.push_back(dense(matrix));
  }
  return {{"workers", f.ranks},
          {"period", f.period},
          {"symmetric", f.symmetric},
          {"doubly_stochastic", f.doubly_stochastic},
          {"connected", f.connected},
          {"in_degree", f.in_degree},
          {"out_degree", f.out_degree},
          {"messages_per_step", f.messages},
          {"bytes_per_step", f.messages * static_cast<double>(report.model_bytes)},
          {"lockstep_message_times", number_or_null(f.lockstep_rounds)},
          {"rho", f.rho},
          {"rms_contraction", f.rms},
          {"spectral_gap", f.spectral_gap()},
          {"lambda_min", number_or_null(f.lambda_min)},
          {"rounds_to_exact", number_or_null(f.exact_rounds)},
          {"rounds_to_1e-3", number_or_null(f.rounds_to_1e3)},
          {"rounds_to_1e-6", number_or_null(f.rounds_to_1e6)},
          {"least_push_sum_weight", number_or_null(f.least_weight)},
          {"transient_iterations", number_or_null(transient_order(f, &Transient::alike))},
          {"transient_iterations_unlike", number_or_null(transient_order(f, &Transient::unlike))},
          {"W", matrices}};
}

/// Averages of 10^-17 are what is left of 0 by rounding.
std::string decimal(double value) {
  return fmt::format("{:.6f}", std::abs(value) < 5e-13 ? 0.0 : value);
}

std::string rounds_text(const std::optional<std::size_t>& rounds, const TopologyFigures& figures) {
  if (rounds) return fmt::format("{}", *rounds);
  return figures.connected && figures.doubly_stochastic
             ? fmt::format("> {}", TopologyFigures::most_rounds)
             : "never";
}

std::string degree_text(const TopologyFigures& f) {
  return f.in_degree == f.out_degree ? fmt::format("{}", f.in_degree)
                                     : fmt::format("{} in, {} out", f.in_degree, f.out_degree);
}

std::string message_times(const TopologyFigures& f) {
  return f.lockstep_rounds ? fmt::format("{}", *f.lockstep_rounds)
                           : fmt::format(">= {}", std::max(f.in_degree, f.out_degree));
}

std::string rho_label(const TopologyFigures& f) {
  if (!f.doubly_stochastic) return "second largest |eigenvalue|";
  return f.period > 1 ? "rho of a cycle's product" : "rho";
}

std::string yes_or_no(bool yes) {
  return yes ? "yes" : "no";
}

std::string matrix_text(const MixingMatrix& matrix) {
  std::string text;
  for (const auto& row : dense(matrix)) {
    for (const double weight : row) {
      text += weight == 0.0 ? fmt::format("{:>9}", ".") : fmt::format("{:>9.5f}", weight);
    }
    text += "\n";
  }
  return text;
}

std::string matrices_text(const Topology& topology) {
  const std::size_t ranks = topology.matrices.front().size();
  if (ranks > widest_in_text || topology.period() > most_rounds_in_text) return "";
  std::string text;
  for (std::size_t k = 0; k < topology.period(); ++k) {
    text += topology.period() == 1 ? "\nW\n" : fmt::format("\nW({})\n", k);
    text += matrix_text(topology.matrices[k]);
  }
  return text;
}

constexpr const char* about_cycles =
    "cycle: rounds until the matrices repeat; rho: ‖W − 11ᵀ/n‖₂, of the product over a cycle; "
    "rms:\n"
    "what a round leaves of the distance to consensus, by the mean square over the cycle; exact:\n"
    "rounds until all hold the mean; 1e-3, 1e-6: until so much is left, from x_i = i; transient: "
    "the\n"
    "order of the steps before DSGD's rate is parallel SGD's, n³ρ⁴/(1 − ρ)² with ρ of a round (of\n"
    "matrices that change 1 − ρ is the larger of (1 − rho)/cycle and 1 − rms), times LF/σ²,\n"
    "F = f(x⁰) − f*, workers' data alike; times: how many α + t a step's messages take; sent: by "
    "a\n"
    "worker in a step\n";

constexpr const char* about_transients =
    "\ntransient iterations: until DSGD's rate is parallel SGD's, n³ρ⁴/(1 − ρ)² and n³ρ⁴/(1 − ρ)⁴ "
    "with\nρ of a round, up to constants; F = f(x⁰) − f*, L smoothness, σ² and ς² the variances of "
    "a\n"
    "minibatch's gradient and of the workers' (Koloskova et al. 2020; Ying et al. 2021)\n";

std::string sent_text(const TopologyReport& report) {
  return human_bytes(report.figures.messages * static_cast<double>(report.model_bytes));
}

std::string single_text(const TopologyReport& report) {
  const TopologyFigures& f = report.figures;
  const bool varies = f.period > 1;
  std::vector<TableRow> rows{
      {"symmetric", yes_or_no(f.symmetric)}, {"doubly stochastic", yes_or_no(f.doubly_stochastic)},
      {"connected", yes_or_no(f.connected)}, {"degree", degree_text(f)},
      {rho_label(f), decimal(f.rho)},
  };
  if (varies) {
    rows.insert(rows.begin(), {"rounds in a cycle", fmt::format("{}", f.period)});
    rows.push_back({"rms contraction of a round", decimal(f.rms)});
  } else {
    rows.push_back({"spectral gap", fmt::format("{:.6g}", f.spectral_gap())});
  }
  if (f.lambda_min) rows.push_back({"smallest eigenvalue", decimal(*f.lambda_min)});
  rows.push_back(
      {"rounds to exact consensus", f.exact_rounds ? fmt::format("{}", *f.exact_rounds) : "never"});
  rows.push_back({"rounds to 1e-3", rounds_text(f.rounds_to_1e3, f)});
  rows.push_back({"rounds to 1e-6", rounds_text(f.rounds_to_1e6, f)});
  if (f.least_weight) {
    rows.push_back({"least weight of push-sum", fmt::format("{:.4g}", *f.least_weight)});
  }
  if (transient_order(f, &Transient::alike)) {
    rows.push_back(
        {"transient iterations, of the order of",
         fmt::format("{} LF/σ²; data not alike: {} LFς⁴/σ⁶", transient_text(f, &Transient::alike),
                     transient_text(f, &Transient::unlike))});
  }
  rows.push_back({"message times a step", message_times(f)});
  rows.push_back({"messages a worker and step", fmt::format("{:.6g}", f.messages)});
  rows.push_back(
      {fmt::format("bytes, of a model of {}", human_bytes(static_cast<double>(report.model_bytes))),
       sent_text(report)});
  return fmt::format("{}, {} worker{}\n", report.topology.name, f.ranks, f.ranks == 1 ? "" : "s") +
         aligned(rows) + (transient_order(f, &Transient::alike) ? about_transients : "") +
         matrices_text(report.topology);
}

}  // namespace

std::string topology_json(const std::vector<TopologyReport>& reports, std::uint64_t seed) {
  Json rows = Json::array();
  for (const TopologyReport& report : reports) rows.push_back(json_row(report));
  return Json{{"topology", reports.front().topology.name},
              {"seed", seed},
              {"model_bytes", reports.front().model_bytes},
              {"rows", rows}}
             .dump(2) +
         "\n";
}

std::string topology_text(const std::vector<TopologyReport>& reports) {
  if (reports.size() == 1) return single_text(reports.front());
  std::vector<TableRow> rows{{"workers", "cycle", "degree", "rho", "rms", "lambda_min", "exact",
                              "1e-3", "1e-6", "transient", "times", "sent"}};
  for (const TopologyReport& report : reports) {
    const TopologyFigures& f = report.figures;
    rows.push_back({fmt::format("{}", f.ranks), fmt::format("{}", f.period), degree_text(f),
                    decimal(f.rho), decimal(f.rms), f.lambda_min ? decimal(*f.lambda_min) : "-",
                    f.exact_rounds ? fmt::format("{}", *f.exact_rounds) : "never",
                    rounds_text(f.rounds_to_1e3, f), rounds_text(f.rounds_to_1e6, f),
                    transient_text(f, &Transient::alike), message_times(f), sent_text(report)});
  }
  return fmt::format("{}; a model of {}\n\n", reports.front().topology.name,
                     human_bytes(static_cast<double>(reports.front().model_bytes))) +
         aligned(rows) + "\n" + about_cycles;
}

std::string consensus_json(const Topology& topology, std::uint64_t seed,
                           const std::vector<ConsensusRound>& rounds) {
  const std::vector<double>& start = rounds.front().values;
  const double mean =
      std::accumulate(start.begin(), start.end(), 0.0) / static_cast<double>(start.size());
  Json list = Json::array();
  for (std::size_t k = 0; k < rounds.size(); ++k) {
    list.push_back(
        {{"round", k}, {"x", rounds[k].values}, {"consensus_distance", rounds[k].distance}});
  }
  return Json{{"topology", topology.name},
              {"workers", start.size()},
              {"seed", seed},
              {"mean", mean},
              {"rounds", list}}
             .dump(2) +
         "\n";
}

std::string consensus_text(const Topology& topology, const std::vector<ConsensusRound>& rounds) {
  const std::size_t workers = rounds.front().values.size();
  const bool all = workers <= widest_in_text;
  TableRow header{"round"};
  for (std::size_t i = 0; all && i < workers; ++i) header.push_back(fmt::format("x{}", i));
  if (!all) header.insert(header.end(), {"lowest", "highest"});
  header.emplace_back("distance");
  std::vector<TableRow> rows{header};
  for (std::size_t k = 0; k < rounds.size(); ++k) {
    TableRow row{fmt::format("{}", k)};
    const auto [low, high] = std::ranges::minmax(rounds[k].values);
    for (std::size_t i = 0; all && i < workers; ++i) {
      row.push_back(fmt::format("{:.6g}", rounds[k].values[i]));
    }
    if (!all) row.insert(row.end(), {fmt::format("{:.6g}", low), fmt::format("{:.6g}", high)});
    row.push_back(fmt::format("{:.4g}", rounds[k].distance));
    rows.push_back(row);
  }
  const bool plain = std::ranges::all_of(topology.matrices, row_stochastic);
  return fmt::format("{} over {}, {} worker{}\n\n",
                     plain ? "partial averaging" : "estimates of push-sum", topology.name, workers,
                     workers == 1 ? "" : "s") +
         aligned(rows) + "\ndistance: (1/n) Σ (x_i − mean)²\n";
}

}  // namespace trainyard
