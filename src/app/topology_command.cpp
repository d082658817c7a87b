#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/report/network_format.hpp"
#include "trainyard/report/status_line.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

namespace {

std::vector<TopologyReport> reports_on(const TopologyQuestion& question) {
  StatusLine status_line(question.output.progress_to());
  std::vector<TopologyReport> reports;
  for (const int workers : question.workers) {
    status_line.show(fmt::format("{} of {}", question.name, counted(workers, "worker")));
    Topology topology = make_topology(question.name, workers, question.seed);
    const TopologyFigures figures = analyse(topology);
    reports.push_back({std::move(topology), figures, question.model_bytes});
  }
  return reports;
}

/// And the graph that they go over.
std::pair<Topology, std::vector<ConsensusRound>> rounds_of(const ConsensusQuestion& question) {
  StatusLine status_line(question.output.progress_to());
  status_line.show(fmt::format("{} over {} of {}", counted(question.rounds, "round"),
                               question.topology, counted(question.workers, "worker")));
  Topology topology = make_topology(question.topology, question.workers, question.seed);
  std::vector<double> start(static_cast<std::size_t>(question.workers));
  std::iota(start.begin(), start.end(), 0.0);
  if (!question.from.empty()) start = read_values(question.from, question.workers, "--from");
  auto rounds = average_over(topology, std::move(start), question.rounds);
  return {std::move(topology), std::move(rounds)};
}

}  // namespace

int topology_command(const TopologyQuestion& question) {
  check_topology(question.name);
  const Answer answer(question.output);
  const std::vector<TopologyReport> reports = reports_on(question);
  answer.give(PageKind::topology, "Topology " + question.name,
              {.text = [&] { return topology_text(reports); },
               .json = [&] { return topology_json(reports, question.seed); },
               .svg = [&] { return topology_svg(reports.front()); }});
  return exit_done;
}

int consensus_command(const ConsensusQuestion& question) {
  const Answer answer(question.output);
  const auto [topology, rounds] = rounds_of(question);
  const Topology& graph = topology;  // C++20's lambdas capture no binding in every compiler
  const std::vector<ConsensusRound>& values = rounds;
  answer.give(PageKind::consensus, "Consensus over " + question.topology,
              {.text = [&] { return consensus_text(graph, values); },
               .json = [&] { return consensus_json(graph, question.seed, values); }});
  return exit_done;
}

}  // namespace trainyard::app
