#include "app/process_run.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/hash.hpp"
#include "trainyard/base/interrupt.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/run/checkpoint.hpp"
#include "trainyard/run/host_data.hpp"
#include "trainyard/run/processes.hpp"

#include "app/agreed.hpp"
#include "app/commands.hpp"
#include "app/failures.hpp"
#include "app/one_run.hpp"

namespace trainyard::app {

namespace {

/// The text of the options that have to agree. A file may lie elsewhere on another host: of links
/// its content is compared, and of data the rows that were read.
std::string asked_text(Configuration c) {
  if (origin_of(c.dataset) == DataOrigin::file) c.dataset.clear();
  if (c.test != "every-fifth") c.test.clear();
  for (std::string* place : {&c.data_dir, &c.labels, &c.test_labels}) place->clear();
  c.network.links.file.clear();
  std::string text = run_command_text(c);
  // All send what they keep, or none; and none begins where others go on.
  if (!c.checkpoint.empty()) text += " --checkpoint";
  if (!c.resume.empty()) text += " --resume";
  for (const NamedLink& one : c.network.links.named) {
    text += fmt::format(" {},{},{},{}", one.from, one.to, one.link.latency.count(),
                        one.link.bytes_per_second);
  }
  return text;
}

/// Throws in all processes where one was started with other options than the leading one, as it may
/// be by hand.
void require_same_options(const Configuration& configuration, Processes& processes) {
  const std::string text = asked_text(configuration);
  const auto unlike = processes.first_unlike(fingerprint(std::as_bytes(std::span(text))));
  if (unlike.empty()) return;
  throw UsageError(
      unlike + " was started with other options than rank 0; all processes of a run take the same");
}

/// Requires the same of the data that they have read.
void require_same_data(const LoadedData& data, Processes& processes) {
  const auto start = data.start == nullptr ? 0 : fingerprint(data.start->parameters.view().bytes());
  std::vector<std::uint64_t> shape{static_cast<std::uint64_t>(data.train.classes), data.content,
                                   start};
  for (const Dataset* const set : {&data.train, &data.test, &data.validation}) {
    for (const std::uint64_t size :
         {std::uint64_t{set->rows}, std::uint64_t{set->features}, std::uint64_t{set->nonzeros()},
          std::uint64_t{set->weights.size()}}) {
      shape.push_back(size);
    }
  }
  const auto unlike = processes.first_unlike(fingerprint(std::as_bytes(std::span(shape))));
  if (unlike.empty()) return;
  throw DataError(
      fmt::format("{}: {} has read other data than rank 0; all processes of a run need the same",
                  data.name, unlike));
}

/// The data, which all of them have, with the remarks of its readers.
HostData load_agreed(const Configuration& configuration, const RunHooks& hooks,
                     Processes& processes) {
  HostData loaded = agreed(processes, [&] {
    HostData read = load_once_a_host(dataset_request(configuration), processes);
    for (const std::string& remark : read.data.remarks) hooks.remark(remark);
    return read;
  });
  require_same_data(loaded.data, processes);
  return loaded;
}

/// Prepares the run, on hosts that have room for it.
std::unique_ptr<PreparedRun> prepared_for(const Configuration& asked, const LoadedData& data,
                                          const RunHooks& hooks, Processes& processes) {
  auto prepared = std::make_unique<PreparedRun>(asked, data, hooks);
  check_processes(prepared->plan, processes.size());
  check_hosts(prepared->plan, processes.hosts());
  return prepared;
}

/// What the leading process has found. The others are handed what is theirs of it: they may be on
/// hosts that have no such file.
std::optional<FoundCheckpoint> agreed_checkpoint(const Configuration& asked, Processes& processes) {
  auto found = agreed(
      processes, [&] { return processes.leads() ? checkpoint_asked_for(asked) : std::nullopt; });
  const auto bytes = processes.handed_out([&](int rank) {
    return found && rank != 0 ? found->archive.packed([&](std::string_view name) {
      return !is_kept_by_another(name, rank);
    })
                              : std::vector<std::byte>();
  });
  if (found) {
    found->archive.drop([](std::string_view name) { return is_kept_by_another(name, 0); });
  } else if (!bytes.empty()) {
    found = FoundCheckpoint{asked.resume, Archive::unpacked(bytes)};
  }
  return found;
}

/// A rank whose results the leading process prints.
int follow(const Configuration& given, Processes& processes) {
  Resumption resumption(agreed_checkpoint(given, processes));
  const Configuration asked = agreed(processes, [&] { return resumption.configuration(given); });
  RunHooks hooks;
  resumption.put_into(hooks);
  hooks.remark = [](const std::string&) {};
  hooks.interrupted = &interrupt_flag();
  hooks.interrupt = note_interrupt;
  hooks.processes = &processes;
  processes.agree(nullptr);  // the leading one has opened what it writes
  require_same_options(asked, processes);
  const HostData loaded = load_agreed(asked, hooks, processes);
  const auto prepared =
      agreed(processes, [&] { return prepared_for(asked, loaded.data, hooks, processes); });
  keep_results_when_interrupted();  // which the leading process has
  run_experiment(prepared->plan, hooks);
  return exit_done;
}

/// The rank whose process prints and writes.
int lead(const Configuration& given, Processes& processes) {
  Resumption resumption(agreed_checkpoint(given, processes));
  const Configuration asked = agreed(processes, [&] { return resumption.configuration(given); });
  const auto run = agreed(processes, [&] { return std::make_unique<OpenedRun>(asked); });
  run->hooks.processes = &processes;
  resumption.put_into(run->hooks);
  require_same_options(asked, processes);
  const HostData loaded = load_agreed(asked, run->hooks, processes);
  const auto prepared = agreed(processes, [&] {
    auto made = prepared_for(asked, loaded.data, run->hooks, processes);
    (void)checkpoint_folder(made->plan.configuration);  // where it cannot be, no run begins
    run->listeners.begin(made->plan.configuration);
    return made;
  });
  return train(*run, *prepared);
}

}  // namespace

int run_among(const Configuration& configuration, Processes& processes) {
  return processes.leads() ? lead(configuration, processes) : follow(configuration, processes);
}

}  // namespace trainyard::app
