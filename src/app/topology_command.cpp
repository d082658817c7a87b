#include <numeric>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/report/output_file.hpp"
#include "trainyard/report/status_line.hpp"
#include "trainyard/report/topology_format.hpp"

#include "app/commands.hpp"
#include "app/failures.hpp"

namespace trainyard::app {

namespace {

std::vector<TopologyReport> reports_on(const TopologyQuestion& question) {
  StatusLine status_line;
  std::vector<TopologyReport> reports;
  for (const int workers : question.workers) {
    status_line.show(fmt::format("{} of {} workers", question.name, workers));
    Topology topology = make_topology(question.name, workers, question.seed);
    const TopologyFigures figures = analyse(topology);
    reports.push_back({std::move(topology), figures, question.model_bytes});
  }
  return reports;
}

std::string answer(const ConsensusQuestion& question) {
  StatusLine status_line;
  status_line.show(fmt::format("{} rounds over {} of {} workers", question.rounds,
                               question.topology, question.workers));
  const Topology topology = make_topology(question.topology, question.workers, question.seed);
  std::vector<double> start(static_cast<std::size_t>(question.workers));
  std::iota(start.begin(), start.end(), 0.0);
  if (!question.from.empty()) start = read_values(question.from, question.workers, "--from");
  const auto rounds = average_over(topology, std::move(start), question.rounds);
  return question.json ? consensus_json(topology, question.seed, rounds)
                       : consensus_text(topology, rounds);
}

}  // namespace

int topology_command(const TopologyQuestion& question) {
  check_topology(question.name);
  std::optional<OutputFile> figure;
  if (!question.svg.empty()) figure.emplace("--svg", question.svg, question.force);
  const std::vector<TopologyReport> reports = reports_on(question);
  Failures failures;  // a figure that cannot be written does not cost the text
  if (figure) failures.attempt([&] { figure->finish(topology_svg(reports.front())); });
  failures.attempt([&] {
    fmt::print("{}",
               question.json ? topology_json(reports, question.seed) : topology_text(reports));
  });
  failures.rethrow();
  return exit_done;
}

int consensus_command(const ConsensusQuestion& question) {
  fmt::print("{}", answer(question));
  return exit_done;
}

}  // namespace trainyard::app
