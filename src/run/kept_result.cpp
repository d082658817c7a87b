#include "trainyard/run/kept_result.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/run/checkpoint.hpp"
#include "trainyard/runtime/trace.hpp"

namespace trainyard {

namespace {

/// Exchanges figures below one name.
class Fields {
 public:
  Fields(Archive& archive, std::string begin) : archive_(archive), begin_(std::move(begin)) {}

  template <ArchivedNumber T>
  void operator()(const char* name, T& value) {
    archive_.exchange(begin_ + name, value);
  }
  void operator()(const char* name, int& value) { as<std::int64_t>(name, value); }
  void operator()(const char* name, bool& value) { as<std::uint8_t>(name, value); }
  void operator()(const char* name, std::string& text) { archive_.exchange(begin_ + name, text); }
  template <typename T>
  void operator()(const char* name, std::optional<T>& value) {
    bool is_there = value.has_value();
    (*this)((std::string(name) + "/is there").c_str(), is_there);
    if (is_there && !value) value.emplace();
    if (!is_there) value.reset();
    if (value) (*this)(name, *value);
  }
  void operator()(const char* name, std::vector<OptionText>& options) {
    pairs(name, options, &OptionText::option, &OptionText::text);
  }
  void operator()(const char* name, std::vector<Note>& notes) {
    pairs(name, notes, &Note::about, &Note::text);
  }

 private:
  template <typename Archived, typename T>
  void as(const char* name, T& value) {
    auto archived = static_cast<Archived>(value);
    archive_.exchange(begin_ + name, archived);
    value = static_cast<T>(archived);
  }
  template <typename T>
  void pairs(const char* name, std::vector<T>& values, std::string T::*first,
             std::string T::*second) {
    std::vector<std::string> texts;
    for (const T& value : values) texts.insert(texts.end(), {value.*first, value.*second});
    archive_.exchange(begin_ + name, texts);
    values.resize(texts.size() / 2);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i].*first = texts[2 * i];
      values[i].*second = texts[2 * i + 1];
    }
  }

  Archive& archive_;
  const std::string begin_;
};

void exchange_asked(Fields field, AskedFor& part) {
  auto& [label, settings, varied, tuned, scheme, workers, servers, time, seed, dataset, rows,
         features, test_rows, validation_rows, classes, model, metric, parameters, lr, batch,
         latency_s, bandwidth_bytes_per_s, ports, partition, stragglers, within] = part;
  field("label", label);
  field("settings", settings);
  field("varied", varied);
  field("tuned", tuned);
  field("scheme", scheme);
  field("workers", workers);
  field("servers", servers);
  field("time", time);
  field("seed", seed);
  field("dataset", dataset);
  field("rows", rows);
  field("features", features);
  field("test_rows", test_rows);
  field("validation_rows", validation_rows);
  field("classes", classes);
  field("model", model);
  field("metric", metric);
  field("parameters", parameters);
  field("lr", lr);
  field("batch", batch);
  field("latency_s", latency_s);
  field("bandwidth_bytes_per_s", bandwidth_bytes_per_s);
  field("ports", ports);
  field("partition", partition);
  field("stragglers", stragglers);
  field("within", within);
}

void exchange_work(Fields field, WorkDone& part) {
  auto& [steps, epochs, samples, samples_computed, gradients] = part;
  field("steps", steps);
  field("epochs", epochs);
  field("samples", samples);
  field("samples_computed", samples_computed);
  field("gradients", gradients);
}

void exchange_noise(Fields field, GradientNoise& part) {
  auto& [row_variance, worker_variance, diversity, batch_bound, signal, noise, scale, rows] = part;
  field("row_variance", row_variance);
  field("worker_variance", worker_variance);
  field("diversity", diversity);
  field("batch_bound", batch_bound);
  field("signal", signal);
  field("noise", noise);
  field("scale", scale);
  field("rows", rows);
}

void exchange_model(Archive& archive, Fields field, ModelFigures& part) {
  auto& [train_loss, test_loss, test_accuracy, validation_loss, validation_accuracy, test_metric,
         validation_metric, kept_epoch, consensus_distance, squared_gradient_norm, gradient_noise,
         suboptimality, optimum_distance, transient_iterations, train_r_squared, test_r_squared,
         model_hash] = part;
  field("train_loss", train_loss);
  field("test_loss", test_loss);
  field("test_accuracy", test_accuracy);
  field("validation_loss", validation_loss);
  field("validation_accuracy", validation_accuracy);
  field("test_metric", test_metric);
  field("validation_metric", validation_metric);
  field("kept_epoch", kept_epoch);
  field("consensus_distance", consensus_distance);
  field("squared_gradient_norm", squared_gradient_norm);
  exchange_noise({archive, "summary/gradient_noise/"}, gradient_noise);
  field("suboptimality", suboptimality);
  field("optimum_distance", optimum_distance);
  field("transient_iterations", transient_iterations);
  field("train_r_squared", train_r_squared);
  field("test_r_squared", test_r_squared);
  field("model_hash", model_hash);
}

void exchange_optimum(Fields field, OptimumFigures& part) {
  auto& [optimum_loss, linear_rate, linear_rate_error] = part;
  field("optimum_loss", optimum_loss);
  field("linear_rate", linear_rate);
  field("linear_rate_error", linear_rate_error);
}

void exchange_target(Fields field, TargetFigures& part) {
  auto& [target_loss, target_accuracy, target_gradient, seconds_to_target, epochs_to_target,
         target_interval_s, speed_up, speed_up_pass_time, speed_up_passes] = part;
  field("target_loss", target_loss);
  field("target_accuracy", target_accuracy);
  field("target_gradient", target_gradient);
  field("seconds_to_target", seconds_to_target);
  field("epochs_to_target", epochs_to_target);
  field("target_interval_s", target_interval_s);
  field("speed_up", speed_up);
  field("speed_up_pass_time", speed_up_pass_time);
  field("speed_up_passes", speed_up_passes);
}

void exchange_time(Fields field, TimeFigures& part) {
  auto& [seconds, compute_s, transfer_s, wait_s, compute_stretch, coding_s, crashes, lost_s,
         lines_s, samples_per_second] = part;
  field("seconds", seconds);
  field("compute_s", compute_s);
  field("transfer_s", transfer_s);
  field("wait_s", wait_s);
  field("compute_stretch", compute_stretch);
  field("coding_s", coding_s);
  field("crashes", crashes);
  field("lost_s", lost_s);
  field("lines_s", lines_s);
  field("samples_per_second", samples_per_second);
}

void exchange_messages(Fields field, MessageFigures& part) {
  auto& [messages, bytes_sent, messages_dropped, tries_lost, staleness, compression, coding_error] =
      part;
  field("messages", messages);
  field("bytes_sent", bytes_sent);
  field("messages_dropped", messages_dropped);
  field("tries_lost", tries_lost);
  bool has_staleness = staleness.has_value();
  field("staleness/is there", has_staleness);
  StalenessSummary summary = staleness.value_or(StalenessSummary());
  auto& [mean, p50, p99, max] = summary;
  field("staleness/mean", mean);
  field("staleness/p50", p50);
  field("staleness/p99", p99);
  field("staleness/max", max);
  staleness = has_staleness ? std::optional(summary) : std::nullopt;
  field("compression", compression);
  field("coding_error", coding_error);
}

void exchange_counts(Fields field, ThreadCounts& part) {
  auto& [cycles, instructions, cache_misses, remote_loads, context_switches, page_faults] = part;
  field("cycles", cycles);
  field("instructions", instructions);
  field("cache_misses", cache_misses);
  field("remote_loads", remote_loads);
  field("context_switches", context_switches);
  field("page_faults", page_faults);
}

void exchange_machine(Archive& archive, Fields field, MachineFigures& part) {
  auto& [machine, ran_on, moves, counts, energy_j] = part;
  field("machine", machine);
  field("ran_on", ran_on);
  field("moves", moves);
  bool has_counts = counts.has_value();
  field("counts/is there", has_counts);
  ThreadCounts sums = counts.value_or(ThreadCounts());
  exchange_counts({archive, "summary/counts/"}, sums);
  counts = has_counts ? std::optional(sums) : std::nullopt;
  field("energy_j", energy_j);
}

void exchange_summary(Archive& archive, Summary& s) {
  Fields field(archive, "summary/");
  exchange_asked(field, s);
  exchange_work(field, s);
  exchange_model(archive, field, s);
  exchange_optimum(field, s);
  exchange_target(field, s);
  exchange_time(field, s);
  exchange_messages(field, s);
  exchange_machine(archive, field, s);
  field("diverged", s.diverged);
  field("interrupted", s.interrupted);
  field("crashed", s.crashed);
  field("notes", s.notes);
}

/// The number of what a vector has, so that one that is read has as many.
template <typename T>
void exchange_size(Archive& archive, const std::string& name, std::vector<T>& values) {
  std::uint64_t size = values.size();
  archive.exchange(name + "/count", size);
  values.resize(size);
}

void exchange_accounts(Archive& archive, std::vector<RankAccount>& accounts) {
  exchange_size(archive, "ranks/accounts", accounts);
  for (std::size_t rank = 0; rank < accounts.size(); ++rank) {
    auto& [compute, transfer, wait, messages_sent, bytes_sent, messages_received, bytes_received] =
        accounts[rank];
    std::vector<std::int64_t> times{compute.count(), transfer.count(), wait.count()};
    std::vector<std::uint64_t> traffic{messages_sent, bytes_sent, messages_received,
                                       bytes_received};
    archive.exchange(fmt::format("ranks/{}/times", rank), times);
    archive.exchange(fmt::format("ranks/{}/traffic", rank), traffic);
    if (times.size() != 3 || traffic.size() != 4) {
      throw DataError("the account of a rank has other figures");
    }
    accounts[rank] = {Duration(times[0]), Duration(times[1]), Duration(times[2]), traffic[0],
                      traffic[1],         traffic[2],         traffic[3]};
  }
}

void exchange_threads(Archive& archive, RunResult& result) {
  exchange_size(archive, "ranks/places", result.places);
  for (std::size_t rank = 0; rank < result.places.size(); ++rank) {
    auto& [unit, core, node, moves, pinned] = result.places[rank];
    Fields field(archive, fmt::format("ranks/{}/place/", rank));
    field("unit", unit);
    field("core", core);
    field("node", node);
    field("moves", moves);
    field("pinned", pinned);
  }
  exchange_size(archive, "ranks/counts", result.counts);
  for (std::size_t rank = 0; rank < result.counts.size(); ++rank) {
    exchange_counts({archive, fmt::format("ranks/{}/counts/", rank)}, result.counts[rank]);
  }
}

/// Each message is a row of `count` whole numbers, as is each span.
constexpr std::size_t message_numbers = 7, span_numbers = 4;

std::vector<std::int64_t> rows_of_messages(const Trace& trace) {
  std::vector<std::int64_t> rows;
  for (const Transfer& m : trace.messages) {
    rows.insert(rows.end(), {m.from, m.to, static_cast<std::int64_t>(m.bytes), m.posted.count(),
                             m.start.count(), m.first_bit.count(), m.end.count()});
  }
  return rows;
}

std::vector<std::int64_t> rows_of_spans(const Trace& trace) {
  std::vector<std::int64_t> rows;
  for (std::size_t rank = 0; rank < trace.spans.size(); ++rank) {
    for (const TracedSpan& span : trace.spans[rank]) {
      rows.insert(rows.end(),
                  {static_cast<std::int64_t>(rank), static_cast<std::int64_t>(span.activity),
                   span.from.count(), span.until.count()});
    }
  }
  return rows;
}

void take_messages(const std::vector<std::int64_t>& rows, Trace& trace) {
  trace.messages.clear();
  for (std::size_t at = 0; at + message_numbers <= rows.size(); at += message_numbers) {
    trace.messages.push_back({.id = trace.messages.size(),
                              .from = static_cast<int>(rows[at]),
                              .to = static_cast<int>(rows[at + 1]),
                              .bytes = static_cast<std::uint64_t>(rows[at + 2]),
                              .posted = Time(rows[at + 3]),
                              .start = Time(rows[at + 4]),
                              .first_bit = Time(rows[at + 5]),
                              .end = Time(rows[at + 6])});
  }
}

void take_spans(const std::vector<std::int64_t>& rows, Trace& trace) {
  for (auto& spans : trace.spans) spans.clear();
  for (std::size_t at = 0; at + span_numbers <= rows.size(); at += span_numbers) {
    trace.spans.at(static_cast<std::size_t>(rows[at]))
        .push_back({static_cast<Activity>(rows[at + 1]), Time(rows[at + 2]), Time(rows[at + 3])});
  }
}

/// What a page draws of the first steps.
void exchange_trace(Archive& archive, std::shared_ptr<const Trace>& trace) {
  Fields field(archive, "first steps/");
  bool is_there = trace != nullptr;
  field("is there", is_there);
  if (!is_there) {
    trace = nullptr;
    return;
  }
  Trace copy = trace ? *trace : Trace();
  field("workers", copy.workers);
  field("servers", copy.servers);
  bool is_cutthrough = copy.ports == PortMode::cutthrough;
  field("cutthrough", is_cutthrough);
  copy.ports = is_cutthrough ? PortMode::cutthrough : PortMode::circuit;
  archive.exchange("first steps/from", copy.from);
  archive.exchange("first steps/until", copy.until);
  field("cut", copy.cut);
  exchange_size(archive, "first steps/ranks", copy.spans);
  std::vector<std::int64_t> messages = rows_of_messages(copy), spans = rows_of_spans(copy);
  archive.exchange("first steps/messages", messages);
  archive.exchange("first steps/spans", spans);
  if (archive.is_filled()) return;
  take_messages(messages, copy);
  take_spans(spans, copy);
  trace = std::make_shared<const Trace>(std::move(copy));
}

}  // namespace

void exchange_result(Archive& archive, RunResult& result) {
  std::string configuration = archive.is_filled() ? configuration_text(result.resolved) : "";
  archive.exchange("configuration", configuration);
  if (!archive.is_filled()) {
    const std::vector<std::string> given = result.resolved.given;
    parse_configuration(configuration, "configuration", result.resolved);
    result.resolved.given = given;
  }
  exchange_summary(archive, result.summary);
  exchange_metrics(archive, result.metrics);
  exchange_accounts(archive, result.accounts);
  exchange_threads(archive, result);
  std::vector<std::uint64_t> staleness = result.staleness.packed();
  archive.exchange("staleness", staleness);
  result.staleness = Staleness::unpacked(staleness);
  exchange_trace(archive, result.trace);
}

}  // namespace trainyard
