#include "trainyard/network/faults.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/network/fault_trace.hpp"

namespace trainyard {

namespace {

constexpr double most_lost = 0.95;     // of the tries of a message that gets through at last
constexpr double least_return = 1e-4;  // of a bad link that loses all
constexpr double most_slow = 1e6;
constexpr int most_rank = 1 << 20;
constexpr Duration least_mean = std::chrono::microseconds(1);  // of crashes, each of which is kept
// In the order of OnFailure.
const std::array<std::string, 4> on_failure_names{"wait", "stop", "restart", "shrink"};

/// The first place of `mark` that is not the sign of an exponent, as in 1e-3s.
std::size_t find_mark(std::string_view text, char mark) {
  for (std::size_t at = text.find(mark); at != std::string_view::npos;
       at = text.find(mark, at + 1)) {
    const char before = at == 0 ? ' ' : text[at - 1];
    if (before != 'e' && before != 'E') return at;
  }
  return std::string_view::npos;
}

/// Takes what stands before the next mark off the text, and the mark.
std::string_view take_part(std::string_view& text, char mark) {
  const std::size_t at = find_mark(text, mark);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

/// What stands between the marks, empty parts too.
std::vector<std::string_view> parts_of(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  for (std::size_t at = find_mark(text, mark); at != std::string_view::npos;
       at = find_mark(text, mark)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.push_back(text);
  return parts;
}

/// FROM alone is from there on for good, where that `may_last`.
FaultTime parse_span(std::string_view text, std::string_view what, bool may_last) {
  const std::size_t dash = find_mark(text, '-');
  if (dash == std::string_view::npos && may_last) return {parse_duration(text, what)};
  if (dash == std::string_view::npos) {
    throw UsageError(fmt::format("{}: {} is not FROM-TO, two moments of the run, like 2s-5s", what,
                                 echoed(text)));
  }
  const FaultTime span{parse_duration(text.substr(0, dash), what),
                       parse_duration(text.substr(dash + 1), what)};
  if (span.until < span.from || (span.until == span.from && !may_last)) {
    throw UsageError(fmt::format("{}: {} ends before it begins", what, echoed(text)));
  }
  return span;
}

int parse_rank(std::string_view text, std::string_view what) {
  return static_cast<int>(parse_integer(text, what, 0, most_rank));
}

double parse_share(std::string_view text, std::string_view what, double most) {
  const double share = parse_number(text, what);
  if (!(share >= 0.0 && share <= most)) {
    throw UsageError(
        fmt::format("{}: {} is not a probability from 0 to {}", what, echoed(text), most));
  }
  return share;
}

LossRule parse_loss(std::string_view text, std::string_view what) {
  constexpr std::string_view chain = "gilbert:";
  LossRule rule;
  if (!text.starts_with(chain)) {
    rule.in_bad = rule.in_good = parse_share(text, what, most_lost);
    return rule;
  }
  std::string_view rest = text.substr(chain.size());
  if (std::ranges::count(rest, ',') != 3) {
    throw UsageError(
        fmt::format("{}: {} is not gilbert:p,r,h,k, the probabilities that a link turns bad, that "
                    "it turns good, "
                    "and that a message is lost in the bad and in the good state",
                    what, echoed(text)));
  }
  rule.chain = true;
  rule.to_bad = parse_share(take_part(rest, ','), what, 1.0);
  rule.to_good = parse_share(take_part(rest, ','), what, 1.0);
  rule.in_bad = parse_share(take_part(rest, ','), what, 1.0);
  rule.in_good = parse_share(rest, what, most_lost);
  const bool stays_lost = rule.in_bad > most_lost && rule.to_good < least_return;
  if (stays_lost || rule.to_bad + rule.to_good == 0.0) {
    throw UsageError(
        fmt::format("{}: {}: with r below {:g} a link that has turned bad would stay so for good",
                    what, echoed(text), least_return));
  }
  return rule;
}

SlowLink parse_slow_link(std::string_view text, std::string_view what) {
  const std::vector<std::string_view> parts = parts_of(text, ':');
  const std::vector<std::string_view> ranks = parts_of(parts[0], ',');
  if (parts.size() != 2 || ranks.size() > 2) {
    throw UsageError(fmt::format("{}: {} is not RANK:FACTOR or RANK,RANK:FACTOR, like 0,3:10", what,
                                 echoed(text)));
  }
  SlowLink link;
  link.rank = parse_rank(ranks[0], what);
  if (ranks.size() == 2) link.other = parse_rank(ranks[1], what);
  if (link.other == link.rank) {
    throw UsageError(fmt::format("{}: {} names one rank twice", what, echoed(text)));
  }
  const std::string_view rest = parts[1];
  link.factor = parse_number(rest, what);
  if (!(link.factor >= 1.0 && link.factor <= most_slow)) {
    throw UsageError(
        fmt::format("{}: {} is not a factor from 1 to {:g}", what, echoed(rest), most_slow));
  }
  return link;
}

/// "0-3,7": puts these ranks on that side.
void parse_side(std::string_view text, std::string_view what, int side, std::vector<int>& sides) {
  for (const std::string_view range : parts_of(text, ',')) {
    const std::vector<std::string_view> ends = parts_of(range, '-');
    const int first = parse_rank(ends[0], what), last = parse_rank(ends.back(), what);
    if (last < first || ends.size() > 2) {
      throw UsageError(fmt::format("{}: {} is not a range like 0-3", what, echoed(range)));
    }
    if (sides.size() <= static_cast<std::size_t>(last)) {
      sides.resize(static_cast<std::size_t>(last) + 1, 0);
    }
    for (int rank = first; rank <= last; ++rank) {
      int& of = sides[static_cast<std::size_t>(rank)];
      if (of != 0) throw UsageError(fmt::format("{}: rank {} is named twice", what, rank));
      of = side;
    }
  }
}

PartitionFault parse_partition(std::string_view text, std::string_view what) {
  const std::vector<std::string_view> sides = parts_of(text, '|');
  if (sides.size() < 2) {
    throw UsageError(
        fmt::format("{}: {} are not two sides or more, like 0-3|4-7", what, echoed(text)));
  }
  PartitionFault found;
  int side = 0;
  for (const std::string_view ranks : sides) parse_side(ranks, what, ++side, found.side);
  return found;
}

/// "worker-mtbf=24h,repair=10min"
DrawnCrashes parse_drawn_crashes(std::string_view text, std::string_view what) {
  constexpr std::string_view mean = "worker-mtbf=", repair = "repair=";
  const std::vector<std::string_view> parts = parts_of(text, ',');
  if (parts.size() != 2 || !parts[0].starts_with(mean) || !parts[1].starts_with(repair)) {
    throw UsageError(
        fmt::format("{}: {} is neither RANK@FROM-TO, like 3@2s-5s, nor {}DURATION,{}DURATION, "
                    "like {}24h,{}10min",
                    what, echoed(text), mean, repair, mean, repair));
  }
  const DrawnCrashes rule{parse_duration(parts[0].substr(mean.size()), what),
                          parse_duration(parts[1].substr(repair.size()), what)};
  if (rule.mean < least_mean) {
    throw UsageError(fmt::format("{}: {} is shorter than {}, the least time between failures", what,
                                 echoed(parts[0].substr(mean.size())), exact_text(least_mean)));
  }
  return rule;
}

void parse_crash(std::string_view text, std::string_view what, const std::optional<FaultTime>& when,
                 Faults& faults) {
  if (when) {
    faults.crashes.push_back({parse_rank(text, what), *when});
  } else if (faults.drawn_crashes) {
    throw UsageError(fmt::format("{}: crashes are drawn by one rule", what));
  } else {
    faults.drawn_crashes = parse_drawn_crashes(text, what);
  }
}

void parse_trace(std::string_view file, std::string_view what, Faults& faults) {
  if (file.empty()) {
    throw UsageError(fmt::format("{}: trace: names no file; like trace:machines.csv", what));
  }
  if (faults.trace) throw UsageError(fmt::format("{}: there is one trace at the most", what));
  faults.trace = std::make_shared<const FaultTrace>(read_fault_trace(std::string(file), what));
}

/// Nothing stands behind the name of a fault: "crash@2s", "loss".
void refuse_bare(std::string_view name, std::string_view text, std::string_view what) {
  constexpr std::array examples{
      std::pair{"loss", "loss:0.01"}, std::pair{"slow-link", "slow-link:3:10"},
      std::pair{"stall", "stall:3@2s-5s"}, std::pair{"partition", "partition:0-3|4-7@2s-5s"},
      std::pair{"crash", "crash:3@2s"}};
  const auto* const example =
      std::ranges::find(examples, name, &std::pair<const char*, const char*>::first);
  if (example == examples.end()) return;
  throw UsageError(fmt::format("{}: {} lacks what stands behind its colon, like {}", what,
                               echoed(text), example->second));
}

void parse_fault(std::string_view text, std::string_view what, Faults& faults) {
  std::string_view rest = text;
  const std::string_view untimed = take_part(rest, '@');
  const bool is_timed = untimed.size() < text.size();
  constexpr std::string_view trace = "trace:";
  if (text.starts_with(trace)) return parse_trace(text.substr(trace.size()), what, faults);
  std::string_view argument = untimed;
  const std::string_view name = take_part(argument, ':');
  if (argument.empty()) refuse_bare(name, text, what);
  const bool is_crash = name == "crash";
  const FaultTime when = is_timed ? parse_span(rest, what, is_crash) : FaultTime{};
  if (name == "loss") {
    faults.losses.push_back(parse_loss(argument, what));
    faults.losses.back().when = when;
  } else if (name == "slow-link") {
    faults.slow_links.push_back(parse_slow_link(argument, what));
    faults.slow_links.back().when = when;
  } else if (name == "stall" || name == "partition") {
    if (!is_timed) {
      throw UsageError(
          fmt::format("{}: {} does not say when; like stall:3@2s-5s", what, echoed(text)));
    }
    if (name == "stall") {
      faults.stalls.push_back({parse_rank(argument, what), when});
    } else {
      faults.partitions.push_back(parse_partition(argument, what));
      faults.partitions.back().when = when;
    }
  } else if (is_crash) {
    parse_crash(argument, what, is_timed ? std::optional(when) : std::nullopt, faults);
  } else {
    throw UsageError(fmt::format(
        "{}: {} is none of loss:P, loss:gilbert:p,r,h,k, "
        "slow-link:RANK[,RANK]:FACTOR, partition:RANKS|RANKS, stall:RANK and "
        "crash:RANK, with @FROM-TO, crash:worker-mtbf=DURATION,repair=DURATION and trace:FILE",
        what, echoed(text)));
  }
}

std::string span_text(const FaultTime& span) {
  if (span == FaultTime{}) return "";
  if (span.until == Time::max()) return fmt::format("@{}", exact_text(span.from));
  return fmt::format("@{}-{}", exact_text(span.from), exact_text(span.until));
}

std::string loss_text(const LossRule& rule) {
  if (!rule.chain) return fmt::format("loss:{}", rule.in_good);
  return fmt::format("loss:gilbert:{},{},{},{}", rule.to_bad, rule.to_good, rule.in_bad,
                     rule.in_good);
}

/// "0-3,7|4-6"
std::string sides_text(const std::vector<int>& sides) {
  std::string text;
  const int most = sides.empty() ? 0 : *std::ranges::max_element(sides);
  for (int side = 1; side <= most; ++side) {
    std::string ranks;
    for (std::size_t first = 0; first < sides.size(); ++first) {
      if (sides[first] != side) continue;
      std::size_t last = first;
      while (last + 1 < sides.size() && sides[last + 1] == side) ++last;
      ranks += fmt::format("{}{}", ranks.empty() ? "" : ",", first);
      if (last > first) ranks += fmt::format("-{}", last);
      first = last;
    }
    text += (text.empty() ? "" : "|") + ranks;
  }
  return text;
}

}  // namespace

int Faults::ranks() const {
  int most = 0;
  for (const SlowLink& link : slow_links) {
    most = std::max({most, link.rank + 1, link.other.value_or(0) + 1});
  }
  for (const Stall& stall : stalls) most = std::max(most, stall.rank + 1);
  for (const Crash& crash : crashes) most = std::max(most, crash.rank + 1);
  for (const PartitionFault& partition : partitions) {
    most = std::max(most, static_cast<int>(partition.side.size()));
  }
  return most;
}

void parse_faults(std::string_view text, std::string_view what, Faults& faults) {
  Faults found;
  found.retransmission = faults.retransmission;
  found.on_failure = faults.on_failure;
  found.detection = faults.detection;
  if (text.empty()) refuse_empty(what, "none or faults joined by '+'");
  if (text.starts_with("none+") || text.ends_with("+none")) {
    throw UsageError(
        fmt::format("{}: {} are none and others; either is accepted", what, echoed(text)));
  }
  if (text != "none") {
    for (bool more = true; more;) {
      const std::size_t plus = find_mark(text, '+');
      parse_fault(text.substr(0, plus), what, found);
      more = plus != std::string_view::npos;
      if (more) text.remove_prefix(plus + 1);
    }
  }
  faults = std::move(found);
}

std::string faults_text(const Faults& faults) {
  std::string text;
  const auto add = [&](std::string_view fault, const FaultTime& when) {
    text += fmt::format("{}{}{}", text.empty() ? "" : "+", fault, span_text(when));
  };
  for (const LossRule& rule : faults.losses) add(loss_text(rule), rule.when);
  for (const SlowLink& link : faults.slow_links) {
    const std::string other = link.other ? fmt::format(",{}", *link.other) : "";
    add(fmt::format("slow-link:{}{}:{}", link.rank, other, link.factor), link.when);
  }
  for (const PartitionFault& partition : faults.partitions) {
    add("partition:" + sides_text(partition.side), partition.when);
  }
  for (const Stall& stall : faults.stalls) add(fmt::format("stall:{}", stall.rank), stall.when);
  for (const Crash& crash : faults.crashes) {
    // From the beginning for good, it is said all the same.
    add(fmt::format("crash:{}{}", crash.rank, crash.when == FaultTime{} ? "@0s" : ""), crash.when);
  }
  if (const auto& drawn = faults.drawn_crashes) {
    add(fmt::format("crash:worker-mtbf={},repair={}", exact_text(drawn->mean),
                    exact_text(drawn->repair)),
        {});
  }
  if (faults.trace) add("trace:" + faults.trace->file, {});
  return text.empty() ? "none" : text;
}

OnFailure parse_on_failure(std::string_view text, std::string_view what) {
  return static_cast<OnFailure>(chosen(text, what, on_failure_names));
}

std::string on_failure_text(OnFailure rule) {
  return on_failure_names[static_cast<std::size_t>(rule)];
}

Retransmission parse_retransmission(std::string_view text, std::string_view what) {
  if (text == "never") return {.never = true};
  const std::vector<std::string_view> parts = parts_of(text, ':');
  if (parts.front() == "never" || parts.size() > 2 || (parts.size() == 2 && parts[1] != "double")) {
    throw UsageError(fmt::format("{}: {} is not DURATION, DURATION:double or never, like 200ms",
                                 what, echoed(text)));
  }
  const Duration timeout = [&] {
    try {
      return parse_duration(parts[0], what);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}; or never", error.what()));
    }
  }();
  if (timeout == Duration{0}) {
    throw UsageError(fmt::format("{}: a time-out is longer than 0", what));
  }
  return {.timeout = timeout, .doubles = parts.size() == 2};
}

std::string retransmission_text(const Retransmission& rule) {
  if (rule.never) return "never";
  return exact_text(rule.timeout) + (rule.doubles ? ":double" : "");
}

}  // namespace trainyard
