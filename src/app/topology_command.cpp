#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/report/output_file.hpp"
#include "trainyard/report/topology_format.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

int topology_command(const TopologyQuestion& question) {
  check_topology(question.name);
  std::optional<OutputFile> figure;
  if (!question.svg.empty()) figure.emplace("--svg", question.svg, question.force);
  std::vector<TopologyReport> reports;
  for (const int workers : question.workers) {
    Topology topology = make_topology(question.name, workers, question.seed);
    const TopologyFigures figures = analyse(topology);
    reports.push_back({std::move(topology), figures, question.model_bytes});
  }
  if (figure) figure->finish(topology_svg(reports.front()));
  fmt::print("{}", question.json ? topology_json(reports, question.seed) : topology_text(reports));
  return exit_done;
}

int consensus_command(const ConsensusQuestion& question) {
  const Topology topology = make_topology(question.topology, question.workers, question.seed);
  std::vector<double> start(static_cast<std::size_t>(question.workers));
  std::iota(start.begin(), start.end(), 0.0);
  if (!question.from.empty()) start = read_values(question.from, question.workers, "--from");
  const auto rounds = average_over(topology, std::move(start), question.rounds);
  fmt::print("{}", question.json ? consensus_json(topology, question.seed, rounds)
                                 : consensus_text(topology, rounds));
  return exit_done;
}

}  // namespace trainyard::app
