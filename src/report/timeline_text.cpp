#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/report/aligned.hpp"
#include "trainyard/report/network_format.hpp"

#include "report/timeline_scale.hpp"

namespace trainyard {

namespace {

constexpr std::size_t letters = 26;
constexpr std::size_t most_listed = 52;  // messages beneath the picture

char letter_of(std::size_t message) {
  return static_cast<char>('A' + message % letters);
}

/// The duration of a column. Where some number of columns fits every moment exactly, that one: the
/// picture then has no rounding in it.
double column_seconds(const Trace& trace, int columns) {
  const Duration makespan = trace.until - trace.from;
  if (makespan.count() <= 0) return 1.0;
  std::int64_t grain = makespan.count();
  for (const Transfer& message : trace.messages) {
    for (const Time moment : {message.posted, message.start, message.first_bit, message.end}) {
      grain = std::gcd(grain, (moment - trace.from).count());
    }
  }
  for (const auto& rank : trace.spans) {
    for (const TracedSpan& span : rank) grain = std::gcd(grain, (span.until - trace.from).count());
  }
  const std::int64_t grains = makespan.count() / grain;  // without a rest
  if (grains > columns) return rounded_up(to_seconds(makespan) / columns);
  const std::int64_t columns_a_grain = columns / grains;
  return to_seconds(Duration(grain)) / static_cast<double>(columns_a_grain);
}

/// The picture: rows of characters under one axis.
class Canvas {
 public:
  Canvas(const Trace& trace, int columns)
      : from_(trace.from), column_(column_seconds(trace, columns)) {
    width_ = static_cast<std::size_t>(
        std::max(1.0, std::ceil(to_seconds(trace.until - trace.from) / column_ - 1e-6)));
  }

  std::size_t width() const { return width_; }
  double column() const { return column_; }
  std::string blank() const { return std::string(width_, ' '); }
  double column_of(Time at) const { return to_seconds(at - from_) / column_; }

  /// A column belongs to whoever holds its middle; what is shorter than a column still gets one.
  void fill(std::string& row, Time from, Time until, char mark) const {
    const auto edge = [&](Time at) {
      return static_cast<std::size_t>(
          std::clamp(std::ceil(column_of(at) - 0.5 - 1e-6), 0.0, static_cast<double>(width_)));
    };
    const std::size_t begin = edge(from);
    const std::size_t end = edge(until);
    for (std::size_t c = begin; c < end; ++c) row[c] = mark;
    if (begin == end && begin < width_ && row[begin] == ' ') row[begin] = mark;
  }

 private:
  Time from_;
  double column_ = 1.0;
  std::size_t width_ = 1;
};

struct Lanes {
  std::string send, program, receive;
};

std::vector<Lanes> draw_lanes(const Trace& trace, const Canvas& canvas) {
  const std::size_t ranks =
      static_cast<std::size_t>(trace.workers) + static_cast<std::size_t>(trace.servers);
  std::vector<Lanes> lanes(ranks, {canvas.blank(), canvas.blank(), canvas.blank()});
  const auto draw = [&](std::string& row, const TimeSpan& hold, const Transfer& message) {
    const char bits = letter_of(message.id);
    const auto latency = static_cast<char>(std::tolower(bits));
    const Time split = std::clamp(message.first_bit, hold.from, hold.until);
    const bool is_latency_held = trace.ports == PortMode::circuit && split > hold.from;
    if (is_latency_held) canvas.fill(row, hold.from, split, latency);
    canvas.fill(row, is_latency_held ? split : hold.from, hold.until, bits);
  };
  for (const Transfer& message : trace.messages) {
    draw(lanes[static_cast<std::size_t>(message.from)].send, send_port_hold(message, trace.ports),
         message);
    draw(lanes[static_cast<std::size_t>(message.to)].receive,
         receive_port_hold(message, trace.ports), message);
  }
  for (std::size_t rank = 0; rank < trace.spans.size(); ++rank) {
    for (const TracedSpan& span : trace.spans[rank]) {
      const char mark = span.activity == Activity::compute    ? '#'
                        : span.activity == Activity::transfer ? '~'
                                                              : '.';
      canvas.fill(lanes[rank].program, span.from, span.until, mark);
    }
  }
  return lanes;
}

/// Latency in yellow, everything else as it is.
std::string colored(const std::string& row) {
  std::string text;
  bool inside = false;
  for (const char c : row) {
    const bool latency = std::islower(static_cast<unsigned char>(c)) != 0;
    if (latency != inside) text += latency ? "\033[33m" : "\033[0m";
    inside = latency;
    text += c;
  }
  return inside ? text + "\033[0m" : text;
}

std::string axis(const Trace& trace, const Canvas& canvas, const TimeUnit& unit) {
  std::string row(canvas.width() + 8, ' ');
  std::size_t free_from = 0;
  for (const Time tick : ticks_of(trace, static_cast<int>(canvas.width() / 8 + 1))) {
    const auto at = static_cast<std::size_t>(std::lround(canvas.column_of(tick)));
    const std::string label = fmt::format("|{}", in_unit(tick, unit));
    if (at < free_from || at + label.size() > row.size()) continue;
    row.replace(at, label.size(), label);
    free_from = at + label.size() + 1;
  }
  return row;
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// Which microbatch the message carries, in a pipeline.
std::string carried_cell(const Timeline& timeline, std::size_t message) {
  if (!timeline.microbatches) return "";
  const auto& [word, numbers] = *timeline.microbatches;
  return fmt::format("  {:>{}}", numbers[message] ? fmt::to_string(*numbers[message]) : "-",
                     word.size());
}

std::string message_list(const Timeline& timeline, const TimeUnit& unit) {
  const auto& messages = timeline.trace.messages;
  const std::size_t listed = std::min(messages.size(), most_listed);
  std::size_t width = 0;
  for (const std::string& name : timeline.names) width = std::max(width, name.size());
  const int times = std::max(9, unit.digits + 2);  // a column's letters
  const auto name = [&](int rank) { return timeline.names[static_cast<std::size_t>(rank)]; };
  std::string text = fmt::format(
      "   {:<{}}   {:<{}}  {:>9}  {:>{}}  {:>{}}  {:>{}}  {:>{}}{}\n", "from", width, "to", width,
      "bytes", "posted", times, "starts", times, "first bit", times, "arrives", times,
      timeline.microbatches ? fmt::format("  {}", timeline.microbatches->word) : "");
  for (std::size_t i = 0; i < listed; ++i) {
    const Transfer& m = messages[i];
    text += fmt::format(
        "{}  {:<{}} → {:<{}}  {:>9}  {:>{}}  {:>{}}  {:>{}}  {:>{}}{}{}\n", letter_of(i),
        name(m.from), width, name(m.to), width, human_bytes(static_cast<double>(m.bytes)),
        in_unit(m.posted, unit), times, in_unit(m.start, unit), times, in_unit(m.first_bit, unit),
        times, in_unit(m.end, unit), times, carried_cell(timeline, i), m.lost ? "  lost" : "");
  }
  if (messages.size() > listed) {
    text += fmt::format("… and {} more messages; --json lists all\n", messages.size() - listed);
  }
  return messages.empty() ? "no messages\n" : text;
}

std::string rank_list(const Timeline& timeline, const TimeUnit& unit) {
  if (timeline.rank_times.empty()) return "";
  std::vector<TableRow> lines{{unit.name, "ends", "computes"}};
  for (std::size_t rank = 0; rank < timeline.names.size(); ++rank) {
    const RankTime& time = timeline.rank_times[rank];
    lines.push_back(
        {timeline.names[rank], in_unit(time.ended, unit), in_unit(time.computed, unit)});
  }
  return aligned(lines) + "\n";
}

double exact_seconds(Duration duration) {
  return static_cast<double>(duration.count()) / 1e12;  // rounded once
}

}  // namespace

std::string timeline_json(const Timeline& timeline) {
  using Json = nlohmann::ordered_json;
  Json messages = Json::array();
  for (const Transfer& m : timeline.trace.messages) {
    messages.push_back({{"from", m.from},
                        {"to", m.to},
                        {"bytes", m.bytes},
                        {"posted", exact_seconds(m.posted)},
                        {"start", exact_seconds(m.start)},
                        {"first_bit", exact_seconds(m.first_bit)},
                        {"end", exact_seconds(m.end)}});
    if (m.lost) messages.back()["lost"] = true;
    if (!timeline.microbatches) continue;
    const auto& [word, numbers] = *timeline.microbatches;
    if (const auto number = numbers[messages.size() - 1]) {
      messages.back()[std::string(word)] = *number;
    }
  }
  const Json bandwidth = std::isfinite(timeline.bytes_per_second) ? Json(timeline.bytes_per_second)
                                                                  : Json(nullptr);  // no limit
  Json all{{"title", timeline.title},
           {"detail", timeline.detail},
           {"latency_s", exact_seconds(timeline.latency)},
           {"bandwidth_bytes_per_s", bandwidth},
           {"from", exact_seconds(timeline.trace.from)},
           {"makespan", exact_seconds(timeline.makespan())},
           {"ranks", timeline.names},
           {"messages", messages}};
  if (timeline.rank_times.empty()) return all.dump(2) + "\n";
  Json& times = all["rank_times"] = Json::array();
  for (const RankTime& time : timeline.rank_times) {
    times.push_back(
        {{"ended", exact_seconds(time.ended)}, {"computed", exact_seconds(time.computed)}});
  }
  return all.dump(2) + "\n";
}

std::string timeline_text(const Timeline& timeline, const TextStyle& style) {
  const Trace& trace = timeline.trace;
  const TimeUnit unit = unit_for(trace);
  std::size_t label = 0;
  for (const std::string& name : timeline.names) label = std::max(label, name.size());
  const int room = std::max(20, style.columns - static_cast<int>(label) - 18);
  const Canvas canvas(trace, room);

  std::string text =
      fmt::format("{}\n{}\nmakespan {} {}; a column is {}; abc: latency, ABC: bits{}\n\n",
                  timeline.title, timeline.detail, in_unit(timeline.makespan(), unit), unit.name,
                  human_duration(canvas.column()),
                  trace.spans.empty() ? "" : "; # computes, ~ its message is on the wire, . waits");
  text += trimmed(fmt::format("{:{}}  {:>7}  {}", "", label, unit.name, axis(trace, canvas, unit)));
  const auto line = [&](const std::string& name, const char* lane, const std::string& row) {
    const std::string shown = style.color ? colored(row) : row;
    text += trimmed(fmt::format("{:<{}}  {:>7}  {}", name, label, lane, shown));
  };
  const std::vector<Lanes> lanes = draw_lanes(trace, canvas);
  for (std::size_t rank = 0; rank < lanes.size(); ++rank) {
    line(timeline.names[rank], "send", lanes[rank].send);
    if (!trace.spans.empty()) line("", "does", lanes[rank].program);
    line("", "receive", lanes[rank].receive);
    text += "\n";
  }
  return text + rank_list(timeline, unit) + message_list(timeline, unit);
}

}  // namespace trainyard
