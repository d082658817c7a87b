#include "trainyard/analysis/timeline.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/data/generate.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "analysis/timeline_of_programs.hpp"
#include "analysis/timeline_training.hpp"
#include "base/echoed.hpp"

namespace trainyard {

namespace {

// A model of 96 kB, which most numbers of workers divide; 20 MB/s carry it in 4.8 ms. So one figure
// shows a latency, a chunk and a computation alike.
constexpr Duration default_latency = std::chrono::microseconds(1500);
constexpr double default_bandwidth = 20e6;
constexpr int default_workers = 4;
Network changed(Network network, const TimelineOptions& options) {
  network.latency = options.latency.value_or(network.latency);
  network.bytes_per_second = options.bytes_per_second.value_or(network.bytes_per_second);
  network.ports = options.ports.value_or(network.ports);
  return network;
}

Network default_network(const TimelineOptions& options) {
  return changed({.latency = default_latency, .bytes_per_second = default_bandwidth}, options);
}

std::string network_text(const Network& network) {
  return fmt::format("latency {}, bandwidth {}{}", human_duration(to_seconds(network.latency)),
                     bandwidth_text(network.bytes_per_second),
                     network.ports == PortMode::cutthrough ? ", cut-through ports" : "") +
         (network.server_placement == ServerPlacement::colocated ? ", servers on workers' machines"
                                                                 : "");
}

void set_network(Timeline& timeline, const Network& network) {
  timeline.detail = network_text(network);
  timeline.latency = network.latency;
  timeline.bytes_per_second = network.bytes_per_second;
}

/// Throws for an option that is given but has no effect on `what`.
void refuse(bool given, std::string_view option, const std::string& what, std::string_view why) {
  if (given) throw OptionError(option, fmt::format("has no effect on {}: {}", what, why));
}

void refuse_ingredients(const TimelineOptions& options, const std::string& what,
                        std::string_view why) {
  for (const auto& [kind, name] : options.ingredients) refuse(true, kind, what, why);
}

void refuse_hyperparameters(const TimelineOptions& options, const std::string& what,
                            std::string_view why) {
  for (const auto& [name, value] : options.hyperparameters) refuse(true, name, what, why);
}

void refuse_all_but_network(const std::string& what, const TimelineOptions& o) {
  const char* why = "its messages are fixed; --latency, --bandwidth and --ports are accepted";
  refuse(o.workers.has_value(), "workers", what, why);
  refuse(o.servers.has_value(), "servers", what, why);
  refuse_ingredients(o, what, why);
  refuse_hyperparameters(o, what, why);
  refuse(o.compute_time.has_value(), "compute-time", what, why);
  refuse(o.steps.has_value(), "steps", what, why);
  refuse(o.server_placement.has_value(), "server-placement", what, why);
}

std::vector<std::string> rank_names(int workers, int servers) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(workers) + static_cast<std::size_t>(servers));
  for (int w = 0; w < workers; ++w) names.push_back(fmt::format("worker {}", w));
  for (int s = 0; s < servers; ++s) names.push_back(fmt::format("server {}", s));
  return names;
}

int checked_workers(const TimelineOptions& options) {
  const int workers = options.workers.value_or(default_workers);
  if (workers < 1 || workers > most_timeline_workers) {
    throw OptionError("workers", fmt::format("a timeline shows 1 to {} workers, not {}",
                                             most_timeline_workers, workers));
  }
  return workers;
}

std::string lines_text(const Scheme& scheme) {
  return scheme.family == SchemeFamily::shared_memory ? "; cache lines are free" : "";
}

Timeline timeline_of_scheme(const Scheme& scheme, const TimelineOptions& options) {
  refuse(options.servers && scheme.server == nullptr, "servers", scheme.name, "it has none");
  for (const auto& [kind, name] : options.ingredients) {
    refuse(!takes(scheme, kind), kind, scheme.name, "it " + ingredient_kind(kind).missing);
  }
  Configuration c;
  c.scheme = scheme.name;
  c.workers = checked_workers(options);
  c.servers = options.servers.value_or(c.servers);
  c.ingredients = options.ingredients;
  c.network = default_network(options);
  refuse(options.server_placement && cast_of(scheme, c).servers == 0, "server-placement",
         scheme.name, "it has no servers");
  c.network.server_placement = options.server_placement.value_or(ServerPlacement::dedicated);
  for (const auto& [name, value] : options.hyperparameters) {
    refuse(std::ranges::count(scheme.hyperparameters, name, &HyperparameterInfo::name) == 0, name,
           scheme.name, "it does not take it");
  }
  c.steps = options.steps.value_or(1);
  c.time = TimeMode::simulated;
  c.line_time = Duration{0};  // which lines workers meet at is the data's
  c.evaluate_every = 1e6;     // nobody looks at the losses

  const LoadedData data = choose_training(scheme, options, c);
  const Configuration resolved = resolve(c, {c.scheme}, data, {});
  TraceRecorder recorder({.first = 0, .last = *resolved.steps});
  RunHooks hooks;
  hooks.recorder = &recorder;

  Timeline timeline;
  timeline.trace = *run_experiment(plan_run(resolved, data), hooks).trace;
  // Nobody need wait for the last ones.
  for (const Transfer& message : timeline.trace.messages) {
    timeline.trace.until = std::max(timeline.trace.until, message.end);
  }
  timeline.names = rank_names(timeline.trace.workers, timeline.trace.servers);
  timeline.title =
      fmt::format("{}{}: {} step{} with a model of {}", scheme.name,
                  takes(scheme, "topology")
                      ? fmt::format(" over {}", ingredient_name(c.ingredients, "topology"))
                      : "",
                  *c.steps, *c.steps == 1 ? "" : "s", data.name);
  set_network(timeline, c.network);
  timeline.detail = fmt::format("computing {}, {}{}", human_duration(to_seconds(*c.compute_time)),
                                timeline.detail, lines_text(scheme));
  return timeline;
}

Timeline timeline_of_collective(const AllReduce& collective, const TimelineOptions& options) {
  const char* why = "it is one all-reduce, without computing";
  refuse_ingredients(options, collective.name, why);
  refuse_hyperparameters(options, collective.name, why);
  refuse(options.compute_time.has_value(), "compute-time", collective.name, why);
  refuse(options.steps.has_value(), "steps", collective.name, why);
  refuse(options.server_placement.has_value(), "server-placement", collective.name,
         "its servers have machines of their own");
  refuse(options.servers && collective.serve == nullptr, "servers", collective.name, "it has none");
  const int workers = checked_workers(options);
  const int wanted = options.servers.value_or(1);
  const int servers = collective.servers(workers, wanted == 0 ? workers : wanted);
  const Network network = default_network(options);
  return timeline_of_programs(fmt::format("{}: all-reduce of 96 kB", collective.name), workers,
                              servers, network, [&](Rank& rank) {
                                std::vector<float> vector(timeline_model_size);
                                if (rank.rank() < workers) {
                                  collective.sum(rank, vector);
                                } else {
                                  collective.serve(rank, Scalar::float32, timeline_model_size);
                                }
                              });
}

Timeline timeline_of_file(const std::string& file, const TimelineOptions& options) {
  const Network network = changed(textbook_network(), options);
  return timeline_of_messages(file, read_message_list(file), network);
}

[[noreturn]] void refuse_unknown(const std::string& what) {
  std::vector<std::string> known;
  for (const TimelineExample& example : timeline_examples()) known.push_back(example.name);
  for (const Scheme& scheme : schemes()) known.push_back(scheme.name);
  for (const AllReduce& collective : all_reduces()) {
    if (std::ranges::find(known, collective.name) == known.end()) known.push_back(collective.name);
  }
  const std::string nearest = nearest_name(what, known);
  throw UsageError(fmt::format("timeline: {} is no file and no name{}; known: {}", echoed(what),
                               nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest),
                               joined(known)));
}

}  // namespace

Timeline timeline_of_messages(std::string title, std::span<const PreparedMessage> messages,
                              const Network& network) {
  Timeline timeline;
  timeline.title = std::move(title);
  set_network(timeline, network);
  Trace& trace = timeline.trace;
  trace.workers = ranks_of(messages);
  trace.ports = network.ports;
  trace.messages = play_messages(network, messages);
  trace.from = trace.messages.front().posted;
  for (const Transfer& message : trace.messages) trace.until = std::max(trace.until, message.end);
  for (int r = 0; r < trace.workers; ++r) timeline.names.push_back(fmt::format("rank {}", r));
  return timeline;
}

Timeline timeline_of_programs(std::string title, int workers, int servers, const Network& network,
                              const std::function<void(Rank&)>& program) {
  TraceRecorder recorder({.first = 0, .last = 1});
  RuntimeSetup setup;
  setup.workers = workers;
  setup.servers = servers;
  setup.network = network;
  setup.recorder = &recorder;
  run_virtual(setup, [&](Rank& rank) {
    rank.begin();
    program(rank);
  });
  Timeline timeline;
  timeline.title = std::move(title);
  set_network(timeline, network);
  timeline.names = rank_names(workers, servers);
  timeline.trace = recorder.take();
  timeline.trace.spans.clear();
  return timeline;
}

Timeline make_timeline(const std::string& what, const TimelineOptions& options) {
  for (const TimelineExample& example : timeline_examples()) {
    if (example.name != what) continue;
    refuse_all_but_network(what, options);
    return example.draw(changed(textbook_network(), options));
  }
  for (const Scheme& scheme : schemes()) {
    if (scheme.name == what) return timeline_of_scheme(scheme, options);
  }
  for (const AllReduce& collective : all_reduces()) {
    if (collective.name == what) return timeline_of_collective(collective, options);
  }
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(what, error);
  const bool is_file = std::filesystem::exists(status) && !std::filesystem::is_directory(status);
  if (!is_file) refuse_unknown(what);  // a pipe will do
  refuse_all_but_network(what, options);
  return timeline_of_file(what, options);
}

}  // namespace trainyard
