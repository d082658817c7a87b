#include "trainyard/analysis/timeline.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/text_file.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/configuration/contestant.hpp"
#include "trainyard/configuration/preset.hpp"
#include "trainyard/configuration/settings_text.hpp"
#include "trainyard/data/generate.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "analysis/timeline_of_programs.hpp"
#include "analysis/timeline_training.hpp"

namespace trainyard {

namespace {

// A model of 96 kB, which most numbers of workers divide; 20 MB/s carry it in 4.8 ms. So one figure
// shows a latency, a chunk and a computation alike.
constexpr Duration default_latency = std::chrono::microseconds(1500);
constexpr double default_bandwidth = 20e6;
constexpr int default_workers = 4;

/// The prepared configuration with the settings, which are then those that are given.
Configuration with(Configuration prepared, const std::vector<OptionText>& settings) {
  for (const auto& [option, text] : settings) {
    option_named(option).set(prepared, text, "--" + option);
    prepared.given.push_back(option);
  }
  return prepared;
}

Configuration prepared(const Network& network) {
  Configuration c;
  c.workers = default_workers;
  c.network = network;
  return c;
}

const Network default_network{.latency = default_latency, .bytes_per_second = default_bandwidth};

void set_network(Timeline& timeline, const Network& network) {
  timeline.detail =
      fmt::format("latency {}, bandwidth {}{}", human_duration(to_seconds(network.latency)),
                  bandwidth_text(network.bytes_per_second), clauses(unusual_settings(network)));
  timeline.latency = network.latency;
  timeline.bytes_per_second = network.bytes_per_second;
}

/// Of `settings` those that neither the title, nor the picture, nor the network's words have.
std::vector<OptionText> other_settings(const std::vector<OptionText>& settings) {
  std::vector<OptionText> others;
  for (const OptionText& setting : settings) {
    const std::string& name = setting.option;
    const bool is_told = name == "workers" || name == "steps" || name == "topology" ||
                         name == "compute-time" || option_named(name).section == "network";
    if (!is_told) others.push_back(setting);
  }
  return others;
}

[[noreturn]] void refuse(const std::string& option, const std::string& what,
                         const std::string& why) {
  throw OptionError(option, fmt::format("has no effect on {}: {}", what, why));
}

/// Throws for what is given besides `accepted`.
void accept_only(const std::vector<std::string>& accepted, const std::string& what,
                 const std::vector<OptionText>& settings, const std::string& why) {
  for (const OptionText& setting : settings) {
    if (std::ranges::count(accepted, setting.option) == 0) refuse(setting.option, what, why);
  }
}

const std::vector<std::string> of_a_network{"latency", "bandwidth", "tcp-window", "ports"};

Network network_of_list(const std::string& what, const std::vector<OptionText>& settings,
                        const Network& usual = textbook_network()) {
  accept_only(
      of_a_network, what, settings,
      "its messages are fixed; --latency, --bandwidth, --tcp-window and --ports are accepted");
  return with(prepared(usual), settings).network;
}

std::vector<std::string> rank_names(int workers, int servers) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(workers) + static_cast<std::size_t>(servers));
  for (int w = 0; w < workers; ++w) names.push_back(fmt::format("worker {}", w));
  for (int s = 0; s < servers; ++s) names.push_back(fmt::format("server {}", s));
  return names;
}

void check_workers(int workers) {
  if (workers >= 1 && workers <= most_timeline_workers) return;
  throw OptionError("workers", fmt::format("a timeline shows 1 to {} workers, not {}",
                                           most_timeline_workers, workers));
}

std::string lines_text(const Scheme& scheme) {
  return scheme.family == SchemeFamily::shared_memory ? "; cache lines are free" : "";
}

/// Throws for what is given and changes nothing there, but for the network's: a timeline without
/// messages says enough.
void refuse_idle(const Scheme& scheme, const Configuration& resolved,
                 const std::vector<OptionText>& settings) {
  const OptionSetting there{resolved, scheme};
  for (const OptionText& setting : settings) {
    const Option& option = option_named(setting.option);
    if (option.section == "network" && option.name != "server-placement") continue;
    const std::string why = option.idle ? option.idle(there) : "";
    if (!why.empty()) refuse(setting.option, scheme.name, why);
  }
}

/// What was recorded of some steps.
struct Played {
  Trace trace;
  std::optional<Microbatches> microbatches;
};

/// The steps of `c`.
Played played(const Scheme& scheme, const Configuration& c, const LoadedData& data,
              const std::vector<OptionText>& settings) {
  const Plan plan = prepare_run(c, data, {});
  refuse_idle(scheme, plan.configuration, settings);
  TraceRecorder recorder({.first = 0, .last = *plan.configuration.steps});
  RunHooks hooks;
  hooks.recorder = &recorder;
  Trace trace = *run_experiment(plan, hooks).trace;
  // Nobody need wait for the last ones.
  for (const Transfer& message : trace.messages) trace.until = std::max(trace.until, message.end);
  std::optional<Microbatches> microbatches = microbatches_of(trace, plan.configuration);
  return {std::move(trace), std::move(microbatches)};
}

/// Of more nobody can read the picture.
constexpr std::uint64_t most_steps_unasked = 200;

/// Steps of a worker from one meeting to the next, 1 where that is not a hyperparameter.
std::uint64_t steps_of_round(const Scheme& scheme, const Hyperparameters& complete) {
  const auto period = complete.find("period");
  if (scheme.family == SchemeFamily::shared_memory || period == complete.end()) return 1;
  const auto steps = static_cast<std::uint64_t>(period->second);
  return steps <= most_steps_unasked ? steps : 1;
}

/// As many steps as are asked for. Unless they are, a round: one step, or as many as workers make
/// between two meetings; or more, of a scheme that sends nothing in these, as where chance says
/// when workers meet. `c` has their number then.
Played played_round(const Scheme& scheme, Configuration& c, const LoadedData& data,
                    const std::vector<OptionText>& settings) {
  if (c.steps) return played(scheme, c, data, settings);
  const Hyperparameters complete = with_fallbacks(scheme, c.hyperparameters, c.workers);
  const std::uint64_t round = steps_of_round(scheme, complete);
  c.steps = round;
  Played first = played(scheme, c, data, settings);
  if (scheme.family == SchemeFamily::shared_memory || c.workers == 1) return first;
  Played longer = first;
  while (longer.trace.messages.empty()) {
    c.steps = std::max(2 * *c.steps, steps_of_cycle(scheme, c.workers, complete));
    if (*c.steps > most_steps_unasked) {  // there are none
      c.steps = round;
      return first;
    }
    longer = played(scheme, c, data, settings);
  }
  return longer;
}

Timeline timeline_of_scheme(const Contestant& contestant, const std::vector<OptionText>& settings) {
  const Scheme& scheme = find_scheme(contestant.scheme);
  Configuration c = with(prepared(default_network), settings);
  apply(contestant, c);
  for (const OptionText& own : contestant.settings) c.given.push_back(own.option);
  if (!c.compute_time && std::ranges::count(c.given, "compute-time") > 0) {
    throw OptionError("compute-time", "auto: a timeline takes a duration, like 3ms");
  }
  check_workers(c.workers);
  c.time = TimeMode::simulated;
  c.line_time = Duration{0};  // which lines workers meet at is the data's
  c.evaluate_every = 1e6;     // nobody looks at the losses

  const LoadedData data = choose_training(scheme, c);
  Timeline timeline;
  Played round = played_round(scheme, c, data, settings);
  timeline.trace = std::move(round.trace);
  timeline.microbatches = std::move(round.microbatches);
  timeline.names = rank_names(timeline.trace.workers, timeline.trace.servers);
  timeline.title =
      fmt::format("{}{}: {} step{} with a model of {}", contestant.label,
                  takes(scheme, "topology") && contestant.label == scheme.name
                      ? fmt::format(" over {}", ingredient_name(c.ingredients, "topology"))
                      : "",
                  *c.steps, *c.steps == 1 ? "" : "s", data.name);
  set_network(timeline, c.network);
  timeline.detail =
      fmt::format("computing {}, {}{}{}", human_duration(to_seconds(*c.compute_time)),
                  timeline.detail, clauses(other_settings(settings)), lines_text(scheme));
  return timeline;
}

Timeline timeline_of_collective(const AllReduce& collective,
                                const std::vector<OptionText>& settings) {
  accept_only({"workers", "servers", "latency", "bandwidth", "tcp-window", "ports", "racks",
               "between-latency", "between-bandwidth", "links", "jitter", "seed"},
              collective.name, settings, "it is one all-reduce, without computing");
  const Configuration c = with(prepared(default_network), settings);
  if (collective.serve == nullptr && std::ranges::count(c.given, "servers") > 0) {
    refuse("servers", collective.name, "it has none");
  }
  check_workers(c.workers);
  const int workers = c.workers;
  const int servers = collective.servers(workers, servers_of(c));
  const Network& network = c.network;
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

/// Whether it is a scheme or a system, whatever follows the name.
bool is_contestant(const std::string& what) {
  const std::string head = what.substr(0, what.find_first_of(":{"));
  return std::ranges::count(schemes(), head, &Scheme::name) > 0 || find_preset(head) != nullptr;
}

/// What is wrong with it is about no flag here.
std::vector<Contestant> contestants_in(const std::string& what) {
  try {
    return parse_contestants(what, taken_by(taker::timeline));
  } catch (const UsageError& error) {
    constexpr std::string_view flag = "--schemes: ";
    const std::string_view message = error.what();
    if (!message.starts_with(flag)) throw;
    throw UsageError(fmt::format("timeline: {}", message.substr(flag.size())));
  }
}

Contestant contestant_of(const std::string& what) {
  const std::vector<Contestant> named = contestants_in(what);
  if (named.size() == 1) return named.front();
  throw UsageError(fmt::format("timeline: {} are several schemes; it draws one", echoed(what)));
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

Timeline timeline_of_file(const std::string& file, const std::vector<OptionText>& settings) {
  const std::string text =
      read_text_file(file, file, "a schedule in GOAL, or a message a line, 'time from to bytes'");
  if (is_goal_schedule(text)) {
    return timeline_of_schedule(parse_goal_schedule(text, file),
                                network_of_list(file, settings, default_network));
  }
  return timeline_of_messages(file, parse_message_list(text, file),
                              network_of_list(file, settings));
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

Timeline make_timeline(const std::string& what, const std::vector<OptionText>& settings) {
  for (const TimelineExample& example : timeline_examples()) {
    if (example.name == what) return example.draw(network_of_list(what, settings));
  }
  if (is_contestant(what)) return timeline_of_scheme(contestant_of(what), settings);
  for (const AllReduce& collective : all_reduces()) {
    if (collective.name == what) return timeline_of_collective(collective, settings);
  }
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(what, error);
  const bool is_file = std::filesystem::exists(status) && !std::filesystem::is_directory(status);
  if (!is_file) refuse_unknown(what);  // a pipe will do
  return timeline_of_file(what, settings);
}

}  // namespace trainyard
