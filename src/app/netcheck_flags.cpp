#include "app/netcheck_flags.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/named_table.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/options.hpp"

#include "app/training_flags.hpp"

namespace trainyard::app {

NetcheckFlags::NetcheckFlags(CLI::App& command) {
  for (const Option* option : options_taken_by(taker::netcheck)) {
    options_.push_back(add_value_flag(command, option->name, option->argument, option->help));
  }
  size_ = add_value_flag(command, "size", "SIZE", "of the vector of each worker, like 4MiB [1MiB]");
  repetitions_ = add_value_flag(command, "repetitions", "R", "wall: how often each is done [20]");
  collectives_ =
      add_value_flag(command, "collectives", "A,B,…", "which (list collectives) [all all-reduces]");
  output_.emplace(command, "rows as JSON", AnswerFiles::page);
  command.footer(
      "Without flags: 8 workers, 2 servers, 100us a message, 1Gbps, simulated time. The closed "
      "forms\n"
      "are for circuit ports and links that are all alike.");
}

NetcheckOptions NetcheckFlags::options() const {
  Configuration asked;
  asked.servers = 2;
  asked.time = TimeMode::simulated;
  asked.network = default_configuration().network;
  for (const CLI::Option* flag : options_) {
    const std::string text = only_value(*flag);
    if (flag->count() > 0) option_named(flag->get_single_name()).set(asked, text, flag->get_name());
  }
  if (asked.time == TimeMode::automatic) asked.time = TimeMode::simulated;

  NetcheckOptions options{.workers = asked.workers,
                          .servers = servers_of(asked),
                          .network = asked.network,
                          .time = asked.time,
                          .placement = asked.placement};
  if (const std::string text = only_value(*size_); size_->count() > 0) {
    const std::uint64_t bytes = parse_bytes(text, "--size");
    if (bytes % sizeof(float) != 0 || bytes > (std::uint64_t{1} << 36U)) {
      throw UsageError(fmt::format("--size: {} is not a multiple of 4 bytes (floats) up to 64GiB",
                                   echoed(text)));
    }
    options.length = bytes / sizeof(float);
  }
  if (const std::string text = only_value(*repetitions_); repetitions_->count() > 0) {
    options.repetitions = static_cast<int>(parse_integer(text, "--repetitions", 1, 1'000'000));
  }
  return options;
}

std::vector<std::string> NetcheckFlags::collectives() const {
  std::vector<std::string> names;
  if (collectives_->count() > 0) {
    std::vector<std::string> besides;
    for (const Primitive& primitive : primitives()) besides.push_back(primitive.name);
    for (const std::string& name : split_names(only_value(*collectives_))) {
      names.push_back(find_primitive(name) != nullptr
                          ? name
                          : find_named(all_reduces(), name, "collective", besides).name);
    }
  } else {
    for (const AllReduce& way : all_reduces()) names.push_back(way.name);
  }
  return names;
}

AnswerOutput NetcheckFlags::output() const {
  AnswerOutput output = output_->read();
  output.notes = notes();
  return output;
}

std::vector<std::string> NetcheckFlags::notes() const {
  const NetcheckOptions asked = options();
  const auto idle_here = [&](const std::string& name) -> std::string {
    if (name == "servers") {
      const auto chosen = collectives();
      return std::ranges::any_of(chosen, depends_on_servers) ? "" : "no collective here takes it";
    }
    const bool of_wall = name == "placement" || name == "repetitions";
    return of_wall && asked.time != TimeMode::wall ? "it is for --time wall" : "";
  };
  std::vector<std::string> notes = output_->notes();
  std::vector<const CLI::Option*> flags(options_.begin(), options_.end());
  flags.push_back(repetitions_);
  for (const CLI::Option* flag : flags) {
    const std::string reason = flag->count() > 0 ? idle_here(flag->get_single_name()) : "";
    if (reason.empty()) continue;
    notes.push_back(fmt::format("note: {} has no effect: {}", flag->get_name(), reason));
  }
  return notes;
}

}  // namespace trainyard::app
