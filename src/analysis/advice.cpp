#include "trainyard/analysis/advice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"

#include "analysis/advised_memory.hpp"
#include "analysis/advised_setting.hpp"
#include "analysis/explained_rate.hpp"

namespace trainyard {

namespace {

constexpr double least_gain = 1.02;
constexpr double wanted_share = 0.9;
constexpr std::size_t most_ways = 3;  // of other ways to talk among what would change a rate
constexpr int most_workers = 128;     // of whom a hundred steps take two seconds to play

struct Candidate {
  std::string_view text;
  bool as_one;
  std::string_view learns;  // by what, where it is not as one
  bool of_racks = false;    // in one it is the ring
  bool has_heads = false;   // of messages, which a smaller model does not make smaller
};

// One of each way to talk that is in use; all of them have `predict`.
constexpr std::array candidates{
    Candidate{"ring", true, ""},
    Candidate{"all-reduce:hierarchical-ring", true, "", true},
    Candidate{"all-reduce:recursive-doubling", true, ""},
    Candidate{"all-reduce:rabenseifner", true, ""},
    Candidate{"all-reduce:tree", true, ""},
    Candidate{"ps-sync", true, ""},
    Candidate{"coded-all-reduce:fp16", false, "from sums of rounded gradients, 11 bits", false,
              true},
    Candidate{"coded-all-reduce:qsgd:127", false, "from gradients with noise of 8 bits", false,
              true},
    Candidate{"local-sgd{period=8}", false, "from replicas that meet every 8 steps"},
    Candidate{"local-sgd-sum", false, "from sums of what replicas did in 10 steps"},
    Candidate{"async-local-sgd", false, "from replicas that come to a server every 10 steps"},
    Candidate{"halos", false, "from replicas that come to servers, which come to one"},
    Candidate{"diloco{period=50}", false, "from replicas that meet every 50 steps"},
    Candidate{"diloco{period=10}", false, "from replicas that meet every 10 steps"},
    Candidate{"coded-diloco", false, "from replicas that meet every 10 steps, rounded", false,
              true},
    Candidate{"eager-diloco", false, "from replicas that meet every 10 steps, a round late"},
    Candidate{"gossip:one-peer-exp", false, "from replicas that each average with one other"},
    Candidate{"qgm:one-peer-exp", false, "from such averages, with their momentum"},
    Candidate{"ps-async", false, "from gradients of old models"},
    Candidate{"ssp", false, "from models that are a few steps old"},
};

bool is_asked(std::size_t i, const PredictionSetting& setting) {
  return !candidates[i].of_racks || setting.configuration.network.racks > 1;
}

/// With one of them predictions are asked again and again.
class Asked {
 public:
  explicit Asked(const AdviceQuestion& question)
      : memory_bytes_(question.memory_bytes), optimizer_(question.optimizer) {
    for (const Candidate& candidate : candidates) {
      contestants_.push_back(
          predicted_contestants(candidate.text, question.setting.configuration.ingredients)
              .front());
    }
  }

  const Contestant& contestant(std::size_t i) const { return contestants_[i]; }

  /// Of a candidate. Empty where it cannot run so, with the reason.
  std::optional<AdvisedScheme> scheme(std::size_t i, const PredictionSetting& setting,
                                      std::string& why_not) const {
    try {
      const MemoryNeed memory = memory_need(contestants_[i], setting, optimizer_);
      if (memory_bytes_ && memory.bytes > static_cast<double>(*memory_bytes_)) {
        why_not = beyond_memory(memory, *memory_bytes_);
        return std::nullopt;
      }
      PredictionSetting played = setting;
      if (candidates[i].has_heads) played.most_floats = PredictionSetting{}.most_floats;
      Prediction found = predict(contestants_[i], played);
      if (!found.is_played) {
        why_not = "so many workers take too long to play";
        return std::nullopt;
      }
      AdvisedScheme made{std::move(found), candidates[i].as_one, std::string(candidates[i].learns)};
      made.rate = rate_of(setting, made.prediction.step_s);
      made.share = made.rate / ideal_rate(setting);
      made.memory = memory;
      return made;
    } catch (const UsageError& error) {
      why_not = error.what();
      return std::nullopt;
    }
  }

  /// The fastest of those that learn as one. REQUIRES: `setting` is one that some can run.
  AdvisedScheme best(const PredictionSetting& setting) const {
    std::optional<AdvisedScheme> best;
    std::string ignored;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (!candidates[i].as_one || !is_asked(i, setting)) continue;
      auto found = scheme(i, setting, ignored);
      if (found && (!best || found->rate > best->rate)) best = std::move(found);
    }
    if (!best) throw UsageError("--workers: no scheme can be played with so many: " + ignored);
    return *best;
  }

 private:
  std::vector<Contestant> contestants_;
  const std::optional<std::uint64_t> memory_bytes_;
  const OptimizerOptions optimizer_;
};

/// The fastest first, those as one before the others.
void sort_schemes(std::vector<AdvisedScheme>& schemes) {
  std::ranges::stable_sort(schemes, [](const AdvisedScheme& a, const AdvisedScheme& b) {
    return a.as_one != b.as_one ? a.as_one : a.rate > b.rate;
  });
}

std::vector<Limit> limits_of(const AdvisedScheme& best, const PredictionSetting& setting) {
  const double step_s = best.prediction.step_s;
  const auto gain = [&](const PredictionSetting& other) {
    return std::max(0.0, step_s - predict(best.prediction.contestant, other).step_s);
  };
  std::vector<Limit> limits{{"bandwidth", gain(without_bandwidth_limit(setting))},
                            {"the window", gain(without_window(setting))},
                            {"latency", gain(without_latency(setting))},
                            {"stragglers", gain(without_stragglers(setting))},
                            {"computing", to_seconds(*setting.configuration.compute_time)}};
  std::erase_if(limits, [&](const Limit& limit) { return limit.seconds < 1e-3 * step_s; });
  std::ranges::stable_sort(limits, std::ranges::greater(), &Limit::seconds);
  return limits;
}

std::string cost_of_batch(const AdviceQuestion& question) {
  const Configuration& c = question.setting.configuration;
  if (!question.noise_scale) return "up to twice as many passes; --noise-scale says";
  const double rows = static_cast<double>(c.batch) * c.workers;
  const double passes = (2.0 * rows + *question.noise_scale) / (rows + *question.noise_scale);
  return fmt::format("{:.2f} times as many passes", passes);
}

/// Of the setting with these changes, where they gain something.
void add_lever(const Asked& asked, const AdviceQuestion& question, double rate, Lever lever,
               std::vector<Lever>& levers) {
  const PredictionSetting setting = with_changes(question.setting, lever.changes);
  const AdvisedScheme best = asked.best(setting);
  lever.scheme = best.prediction.contestant.label;
  lever.step_s = best.prediction.step_s;
  lever.rate = best.rate;
  lever.factor = best.rate / rate;
  if (lever.factor > least_gain) levers.push_back(std::move(lever));
}

/// Fewer workers that are faster, where there are any: the best of them.
std::optional<Lever> fewer_workers(const Asked& asked, const AdviceQuestion& question,
                                   double rate) {
  std::optional<Lever> found;
  const int workers = question.setting.configuration.workers;
  for (const int fewer : worker_counts(workers - 1)) {
    Lever lever{
        .what = fmt::format("{} of the workers{}", fewer,
                            is_uneven(question.setting.configuration) ? ", the fastest" : ""),
        .changes = {{"workers", fmt::to_string(fewer)}}};
    std::vector<Lever> gains;
    add_lever(asked, question, rate, std::move(lever), gains);
    if (!gains.empty() && (!found || gains.front().rate > found->rate)) found = gains.front();
  }
  return found;
}

std::vector<Lever> levers_of(const Asked& asked, const AdviceQuestion& question,
                             const Advice& advice) {
  const Configuration& c = question.setting.configuration;
  const double rate = advice.best().rate;
  std::vector<Lever> levers;
  const auto add = [&](std::string what, std::vector<OptionText> changes, std::string cost = "") {
    add_lever(asked, question, rate,
              {.what = std::move(what), .changes = std::move(changes), .cost = std::move(cost)},
              levers);
  };
  const bool between = is_between_racks(c);
  const std::string of = between ? "between-" : "", where = between ? " between racks" : "";
  const double bandwidth =
      between ? *c.network.between_bytes_per_second : c.network.bytes_per_second;
  if (std::isfinite(bandwidth)) {
    add("twice the bandwidth" + where, {{of + "bandwidth", bandwidth_text(2.0 * bandwidth)}});
  }
  const auto add_ports = [&](const char* way, const std::optional<double>& given) {
    if (!given || std::isinf(*given)) return;
    add(fmt::format("twice the bandwidth of workers {}", way),
        {{fmt::format("{}-bandwidth", way), bandwidth_text(2.0 * *given)}});
  };
  add_ports("up", c.network.up_bytes_per_second);
  add_ports("down", c.network.down_bytes_per_second);
  if (c.network.tcp_window != 0) {
    add("twice the window", {{"tcp-window", fmt::format("{}B", 2 * c.network.tcp_window)}});
  }
  if (c.network.latency > Duration{0}) {
    std::vector<OptionText> halved{{"latency", exact_text(c.network.latency / 2)}};
    if (const auto& apart = c.network.between_latency; apart && c.network.racks > 1) {
      halved.push_back({"between-latency", exact_text(*apart / 2)});
    }
    add("half the latency", halved);
  }
  if (is_uneven(c)) {
    add("workers that are alike",
        {{"straggler", ""}, {"compute-noise", "none"}, {"pause", "none"}});
  }
  add("minibatches twice as large",
      {{"batch", fmt::to_string(2 * c.batch)}, {"compute-time", exact_text(2 * *c.compute_time)}},
      cost_of_batch(question));
  if (auto fewer = fewer_workers(asked, question, rate)) levers.push_back(std::move(*fewer));
  std::size_t ways = 0;  // the fastest come first
  for (const AdvisedScheme& scheme : advice.schemes) {
    if (scheme.as_one || scheme.rate <= least_gain * rate || ++ways > most_ways) continue;
    levers.push_back(
        {.what = scheme.prediction.contestant.label,
         .scheme = scheme.prediction.contestant.label,
         .step_s = scheme.prediction.step_s,
         .rate = scheme.rate,
         .factor = scheme.rate / rate,
         .cost = fmt::format("learns {}: pays while it needs less than {:.3g} times as "
                             "many passes",
                             scheme.learns, scheme.rate / rate)});
  }
  std::ranges::stable_sort(levers, std::ranges::greater(), &Lever::factor);
  return levers;
}

BandwidthNeed need_of(const Asked& asked, const PredictionSetting& setting) {
  const auto step_at = [&](double seconds_a_byte) {
    return asked.best(with_bandwidth(setting, 1.0 / seconds_a_byte)).prediction.step_s;
  };
  const Configuration& c = setting.configuration;
  const double rows = static_cast<double>(c.batch) * c.workers;
  const double wanted = rows / (wanted_share * ideal_rate(setting)), least = step_at(0.0);
  BandwidthNeed need{.share = wanted_share,
                     .between_racks = is_between_racks(c),
                     .most_share = rows / least / ideal_rate(setting)};
  if (least >= wanted) return need;
  // The model takes so long at least: all of a step.
  const double high = wanted / static_cast<double>(setting.parameters * sizeof(float));
  if (c.workers == 1 || step_at(high) <= wanted) return need;  // it hardly needs any
  need.bytes_per_second = 1.0 / solve(0.0, high, wanted, step_at);
  return need;
}

CheckpointedSteps checkpoints_of(const CheckpointTask& task, double step_s) {
  CheckpointedSteps found = checkpointed_steps(task, step_s);
  const bool is_hopeless = task.checkpoint_s >= task.mtbf_s;  // Daly's formula still has a number
  if (std::isfinite(found.run.factor) && !is_hopeless) return found;
  throw UsageError(fmt::format(
      "--mtbf: where something fails every {} a run with checkpoints of {} never ends: hardly one "
      "is written before the next failure",
      long_duration(task.mtbf_s), long_duration(task.checkpoint_s)));
}

std::vector<WorkerCount> worker_counts_of(const Asked& asked, const AdviceQuestion& question) {
  std::vector<WorkerCount> all;
  if (!question.noise_scale) return all;
  const Configuration& c = question.setting.configuration;
  const auto steps = [&](int workers) {
    return 1.0 + *question.noise_scale / (static_cast<double>(c.batch) * workers);
  };
  const double present = asked.best(question.setting).prediction.step_s * steps(c.workers);
  std::vector<int> counts = worker_counts(std::min(most_workers, 8 * c.workers));
  if (std::ranges::find(counts, c.workers) == counts.end()) counts.push_back(c.workers);
  std::ranges::sort(counts);
  for (const int workers : counts) {
    const PredictionSetting setting =
        with_changes(question.setting, {{"workers", fmt::to_string(workers)}});
    try {
      const double step_s = asked.best(setting).prediction.step_s;
      all.push_back({workers, step_s, step_s * steps(workers) / present});
    } catch (const UsageError&) {
      break;  // more are too many to play
    }
  }
  return all;
}

}  // namespace

std::vector<std::string> advised_schemes() {
  std::vector<std::string> all;
  all.reserve(candidates.size());
  for (const Candidate& candidate : candidates) all.emplace_back(candidate.text);
  return all;
}

std::span<const std::string_view> advised_options() {
  static constexpr std::array<std::string_view, 18> all{
      "workers",         "servers",           "batch",
      "compute-time",    "latency",           "bandwidth",
      "up-bandwidth",    "down-bandwidth",    "tcp-window",
      "ports",           "server-placement",  "racks",
      "between-latency", "between-bandwidth", "jitter",
      "straggler",       "compute-noise",     "pause"};
  return all;
}

void play_smaller(PredictionSetting& setting) {
  const auto floats =
      setting.parameters * static_cast<std::uint64_t>(setting.configuration.workers);
  if (floats > setting.most_floats) setting.most_floats = std::uint64_t{1} << 17U;
}

Advice advise(const AdviceQuestion& asked_for) {
  AdviceQuestion question = asked_for;
  PredictionSetting& setting = question.setting;
  if (setting.configuration.workers > most_workers) {
    throw OptionError("workers", fmt::to_string(setting.configuration.workers),
                      fmt::format("advice plays many steps, of {} workers at most; predict takes "
                                  "more of them, a step at a time",
                                  most_workers));
  }
  play_smaller(setting);
  if (question.memory_bytes) check_memory_holds(setting, *question.memory_bytes);
  const Asked asked(question);
  Advice advice;
  advice.alone_rate = alone_rate(setting);
  advice.ideal_rate = ideal_rate(setting);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!is_asked(i, setting)) continue;
    std::string why_not;
    if (auto found = asked.scheme(i, setting, why_not)) {
      advice.schemes.push_back(std::move(*found));
    } else {
      advice.left_out.push_back(fmt::format("{}: {}", asked.contestant(i).label, why_not));
    }
  }
  sort_schemes(advice.schemes);
  if (advice.schemes.empty() || !advice.schemes.front().as_one)
    (void)asked.best(setting);  // throws
  advice.limits = limits_of(advice.best(), setting);
  advice.levers = levers_of(asked, question, advice);
  advice.need = need_of(asked, setting);
  advice.workers = worker_counts_of(asked, question);
  if (question.checkpoints) {
    advice.checkpoints = checkpoints_of(*question.checkpoints, advice.best().prediction.step_s);
  }
  if (!question.measured_rate) return advice;
  if (*question.measured_rate > 1.001 * advice.ideal_rate) {
    throw UsageError(
        fmt::format("--measured: {:.6g} rows a second are more than {} workers do that wait for "
                    "nothing, {:.6g}: "
                    "--batch rows in --compute-time each",
                    *question.measured_rate, setting.configuration.workers, advice.ideal_rate));
  }
  const Contestant& contestant =
      question.measured ? *question.measured : advice.best().prediction.contestant;
  const Prediction expected = predict(contestant, setting);
  if (expected.messages == 0.0 && setting.configuration.workers > 1) {
    throw OptionError("scheme", contestant.label, "sends no messages, which advice is about");
  }
  advice.expected_rate = rate_of(setting, expected.step_s);
  constexpr double near = 0.03;
  if (std::abs(*question.measured_rate / advice.expected_rate - 1.0) > near) {
    advice.explanations = explanations_of(contestant, question, advice.schemes);
  }
  return advice;
}

}  // namespace trainyard
