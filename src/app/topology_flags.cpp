#include "app/topology_flags.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"

#include "app/training_flags.hpp"

namespace trainyard::app {

namespace {

constexpr int default_workers = 8;
/// Eigenvalues take n³: half a minute for 2048.
constexpr int most_analysed = 2048;
constexpr std::int64_t default_rounds = 20;
constexpr std::int64_t most_values = 10'000'000;

std::uint64_t seed_from(const CLI::Option& flag) {
  Configuration c;
  const std::string text = only_value(flag);
  if (flag.count() > 0) option_named("seed").set(c, text, "--seed");
  return c.seed;
}

CLI::Option* add_seed_flag(CLI::App& command) {
  return add_value_flag(command, "seed", "SEED", "of the random ones [1]");
}

std::vector<int> parse_worker_counts(const std::string& text, int most) {
  std::vector<int> counts;
  for (const std::string& item : split_names(text)) {
    counts.push_back(static_cast<int>(parse_integer(item, "--workers", 1, most)));
  }
  return counts;
}

}  // namespace

TopologyFlags::TopologyFlags(CLI::App& command) {
  name_ = command.add_option("NAME", "ring, base:3, file:PATH, … (list topologies)")->type_name("");
  workers_ = add_value_flag(command, "workers", "N,…",
                            fmt::format("of how many workers, 1 to {}; several make a table [{}]",
                                        most_analysed, default_workers));
  seed_ = add_seed_flag(command);
  size_ = add_value_flag(command, "size", "SIZE", "of the model that is sent, like 100MB [1MiB]");
  output_.emplace(command, "the figures and W as JSON", AnswerFiles::page_and_figure);
}

TopologyQuestion TopologyFlags::question() const {
  if (name_->count() == 0) {
    throw UsageError("topology of which name? 'trainyard list topologies' says what there is");
  }
  TopologyQuestion question{.name = only_word(*name_), .workers = {default_workers}};
  const std::string workers = only_value(*workers_);
  if (workers_->count() > 0) question.workers = parse_worker_counts(workers, most_analysed);
  question.seed = seed_from(*seed_);
  if (const std::string text = only_value(*size_); size_->count() > 0) {
    question.model_bytes = parse_bytes(text, "--size");
  }
  question.output = output_->read();
  if (!question.output.svg.empty() && question.workers.size() > 1) {
    throw UsageError("--svg: one figure shows one number of workers; --workers gives several");
  }
  return question;
}

ConsensusFlags::ConsensusFlags(CLI::App& command) {
  topology_ = add_value_flag(command, "topology", "NAME", "over which graph [ring]");
  workers_ = add_value_flag(command, "workers", "N",
                            fmt::format("how many workers [{}]", default_workers));
  seed_ = add_seed_flag(command);
  rounds_ = add_value_flag(command, "rounds", "T", fmt::format("how often [{}]", default_rounds));
  from_ = add_value_flag(command, "from", "FILE", "a number for each worker [0, 1, 2, …]");
  output_.emplace(command, "values of all rounds as JSON", AnswerFiles::page);
}

ConsensusQuestion ConsensusFlags::question() const {
  Configuration c;
  c.workers = default_workers;
  for (const CLI::Option* flag : {topology_, workers_, seed_}) {
    const std::string text = only_value(*flag);
    if (flag->count() > 0) option_named(flag->get_single_name()).set(c, text, flag->get_name());
  }
  ConsensusQuestion question{
      .topology = ingredient_name(c.ingredients, "topology"), .workers = c.workers, .seed = c.seed};
  const std::int64_t most_rounds = most_values / c.workers;
  const std::string rounds = only_value(*rounds_);
  question.rounds = static_cast<std::uint64_t>(
      rounds_->count() > 0 ? parse_integer(rounds, "--rounds", 0, most_rounds)
                           : std::min(default_rounds, most_rounds));
  question.from = only_value(*from_);
  question.output = output_->read();
  return question;
}

std::vector<std::string> TopologyFlags::notes() const {
  return output_->notes();
}

std::vector<std::string> ConsensusFlags::notes() const {
  return output_->notes();
}

}  // namespace trainyard::app
