// The figure that people know from the textbook: one row a machine, above the line what its send
// port does, below what its receive port does; an arrow from each message sent to where it arrives.
//
// Bits have the colour of their sender, so that a row of received messages says where they come
// from even where arrows cross. In a pipeline they come from the stages beside it, and have the
// colour and number of their microbatch.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "trainyard/report/network_format.hpp"

#include "report/svg_text.hpp"
#include "report/timeline_scale.hpp"

namespace trainyard {

namespace {

constexpr double left = 96.0, right = 36.0, top = 82.0, bottom = 88.0;
constexpr double lane_height = 20.0, row_distance = 30.0;
constexpr double narrowest_plot = 760.0, widest_plot = 2600.0;
constexpr double readable_message = 34.0;  // a message that has its name written in it
constexpr std::size_t most_arrows = 600;

constexpr const char* latency_color = "#f6c445";
constexpr const char* compute_color = "#8793a3";
constexpr const char* server_color = "#3e4c59";
// Bits of the first eight workers or microbatches, and then again; dark enough for white letters.
constexpr std::array<const char*, 8> worker_colors{"#2f6fb7", "#c2453d", "#3a8f4d", "#7d4fa8",
                                                   "#c46a1b", "#1e8a95", "#b03a7e", "#5d6b2f"};

struct Point {
  double x = 0.0, y = 0.0;
};

class TimelineDrawing {
 public:
  explicit TimelineDrawing(const Timeline& timeline);
  std::string draw();

 private:
  void rectangle(double x, double y, double width, double height, const std::string& style);
  void text(double x, double y, const std::string& style, const std::string& words);
  void line(Point from, Point to, const std::string& style);
  void draw_axis();
  void draw_rows();
  void draw_compute();
  void draw_hold(const TimeSpan& hold, double y, const Transfer& message, const std::string& label);
  void draw_messages();
  void draw_arrow(const Transfer& message);
  void draw_makespan();
  void draw_legend();

  double x_of(Time at) const { return left + to_seconds(at - trace_.from) * pixels_a_second_; }
  double row_height() const { return 2 * lane_height + gap_; }
  double send_y(int rank) const { return top + rank * (row_height() + row_distance); }
  double receive_y(int rank) const { return send_y(rank) + lane_height + gap_; }
  double plot_bottom() const { return send_y(ranks_ - 1) + row_height() + 14.0; }
  const char* rank_color(int rank) const {
    if (rank >= trace_.workers) return server_color;
    return worker_colors[static_cast<std::size_t>(rank) % worker_colors.size()];
  }
  const char* name_color(int rank) const {
    return timeline_.microbatches ? server_color : rank_color(rank);
  }
  /// Of the microbatch that it carries, in a pipeline; else its sender's.
  const char* color_of(const Transfer& message) const {
    const std::optional<std::uint64_t> number = carried_by(message);
    if (!timeline_.microbatches) return rank_color(message.from);
    return number ? worker_colors[*number % worker_colors.size()] : server_color;
  }
  std::optional<std::uint64_t> carried_by(const Transfer& message) const {
    if (!timeline_.microbatches) return {};
    return timeline_.microbatches->of_messages[static_cast<std::size_t>(message.id)];
  }
  /// Written into a message: its number, or the rank at its other end.
  std::string label(const Transfer& message, int other) const {
    const std::optional<std::uint64_t> number = carried_by(message);
    return number ? fmt::to_string(*number) : short_name(name(other));
  }
  const std::string& name(int rank) const {
    return timeline_.names[static_cast<std::size_t>(rank)];
  }

  const Timeline& timeline_;
  const Trace& trace_;
  const int ranks_;
  const double gap_;  // between the lanes of a rank: the line, or what its program computes
  const TimeUnit unit_;
  double plot_width_ = narrowest_plot;
  double pixels_a_second_ = 1.0;
  std::string body_, labels_;
};

TimelineDrawing::TimelineDrawing(const Timeline& timeline)
    : timeline_(timeline),
      trace_(timeline.trace),
      ranks_(trace_.workers + trace_.servers),
      gap_(trace_.spans.empty() ? 5.0 : 15.0),
      unit_(unit_for(trace_)) {
  // About the width of the words above the figure.
  const std::size_t words = std::max(timeline.title.size() * 9, timeline.detail.size() * 7);
  plot_width_ = std::max(plot_width_, static_cast<double>(words) - left);
  const double whole = to_seconds(trace_.until - trace_.from);
  if (whole <= 0.0) return;
  double shortest = whole;
  for (const Transfer& message : trace_.messages) {
    const double lasts = to_seconds(message.end - message.start);
    if (lasts > 0.0) shortest = std::min(shortest, lasts);
  }
  plot_width_ = std::clamp(readable_message * whole / shortest, plot_width_, widest_plot);
  pixels_a_second_ = plot_width_ / whole;
}

void TimelineDrawing::rectangle(double x, double y, double width, double height,
                                const std::string& style) {
  body_ += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" {}/>\n",
                       x, y, width, height, style);
}

void TimelineDrawing::text(double x, double y, const std::string& style, const std::string& words) {
  body_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" {}>{}</text>\n", x, y, style,
                       svg_escaped(words));
}

void TimelineDrawing::line(Point from, Point to, const std::string& style) {
  body_ += fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" {}/>\n",
                       from.x, from.y, to.x, to.y, style);
}

void TimelineDrawing::draw_axis() {
  const double y = plot_bottom();
  line({left, y}, {left + plot_width_, y}, fmt::format("stroke=\"{}\"", faint_ink));
  for (const Time tick : ticks_of(trace_, static_cast<int>(plot_width_ / 60.0))) {
    const double x = x_of(tick);
    line({x, top - 10.0}, {x, y}, "stroke=\"#e1e6eb\"");
    line({x, y}, {x, y + 5.0}, fmt::format("stroke=\"{}\"", faint_ink));
    text(x, y + 18.0, fmt::format("class=\"small\" text-anchor=\"middle\" fill=\"{}\"", faint_ink),
         in_unit(tick, unit_));
  }
  // Beneath the first tick, which may be a wide one.
  text(left - 14.0, y + 38.0,
       fmt::format("class=\"small\" text-anchor=\"end\" fill=\"{}\"", faint_ink),
       fmt::format("time, {}", unit_.name));
}

void TimelineDrawing::draw_rows() {
  const std::string lane_style =
      fmt::format("class=\"small\" text-anchor=\"end\" fill=\"{}\"", faint_ink);
  for (int rank = 0; rank < ranks_; ++rank) {
    const double y = send_y(rank);
    rectangle(left, y, plot_width_, lane_height, "fill=\"#f2f5f8\"");
    rectangle(left, receive_y(rank), plot_width_, lane_height, "fill=\"#f2f5f8\"");
    const double middle = y + row_height() / 2.0;
    line({left, middle}, {left + plot_width_, middle}, "stroke=\"#9aa5b1\" stroke-width=\"1.2\"");
    text(12.0, middle + 4.5, fmt::format("class=\"name\" fill=\"{}\"", name_color(rank)),
         short_name(name(rank)));
    text(left - 8.0, y + lane_height - 6.0, lane_style, "send");
    text(left - 8.0, receive_y(rank) + lane_height - 6.0, lane_style, "receive");
  }
}

void TimelineDrawing::draw_compute() {
  for (std::size_t rank = 0; rank < trace_.spans.size(); ++rank) {
    const double y = send_y(static_cast<int>(rank)) + lane_height + 2.0;
    for (const TracedSpan& span : trace_.spans[rank]) {
      if (span.activity != Activity::compute) continue;
      rectangle(x_of(span.from), y, x_of(span.until) - x_of(span.from), gap_ - 4.0,
                fmt::format("rx=\"2\" fill=\"{}\"", compute_color));
    }
  }
}

/// One message in one lane: its latency, where the port is held for it, and its bits.
void TimelineDrawing::draw_hold(const TimeSpan& hold, double y, const Transfer& message,
                                const std::string& label) {
  const double from = x_of(hold.from);
  const double until = std::max(x_of(hold.until), from + 1.0);
  const bool latency_held = trace_.ports == PortMode::circuit && message.first_bit > hold.from;
  const double split = latency_held ? x_of(message.first_bit) : from;
  if (latency_held) {
    rectangle(from, y + 1.0, split - from, lane_height - 2.0,
              fmt::format("fill=\"{}\"", latency_color));
  }
  rectangle(split, y + 1.0, until - split, lane_height - 2.0,
            fmt::format("fill=\"{}\"", color_of(message)));
  rectangle(from, y + 1.0, until - from, lane_height - 2.0,
            "fill=\"none\" stroke=\"#ffffff\" stroke-width=\"1.2\"");
  const double letters = 6.6 * static_cast<double>(label.size());
  if (until - split >= letters + 4.0) {
    labels_ += fmt::format(
        "<text x=\"{:.2f}\" y=\"{:.2f}\" class=\"small\" text-anchor=\"middle\" fill=\"#ffffff\" "
        "stroke=\"{}\" stroke-width=\"4\" stroke-linejoin=\"round\" "
        "paint-order=\"stroke\">{}</text>\n",
        (split + until) / 2.0, y + lane_height - 6.0, color_of(message), svg_escaped(label));
  } else if (carried_by(message) && until - from >= letters + 4.0) {
    // What stages send each other is short beside its latency.
    labels_ += fmt::format(
        "<text x=\"{:.2f}\" y=\"{:.2f}\" class=\"small\" text-anchor=\"middle\" "
        "fill=\"{}\">{}</text>\n",
        (from + until) / 2.0, y + lane_height - 6.0, ink, svg_escaped(label));
  }
}

/// The names in the messages go on top of the arrows, so that they can be read where many cross.
void TimelineDrawing::draw_messages() {
  for (const Transfer& message : trace_.messages) {
    draw_hold(send_port_hold(message, trace_.ports), send_y(message.from), message,
              label(message, message.to));
    draw_hold(receive_port_hold(message, trace_.ports), receive_y(message.to), message,
              message.lost ? "lost" : label(message, message.from));
  }
  if (trace_.messages.size() <= most_arrows) {
    for (const Transfer& message : trace_.messages) draw_arrow(message);
  }
  body_ += labels_;
}

/// From the sender's lane to the receiver's, leaning forward in time.
void TimelineDrawing::draw_arrow(const Transfer& message) {
  const TimeSpan sent = send_port_hold(message, trace_.ports);
  const TimeSpan received = receive_port_hold(message, trace_.ports);
  const bool down = message.to > message.from;
  const auto along = [&](const TimeSpan& span, double part) {
    return x_of(span.from) + part * (x_of(span.until) - x_of(span.from));
  };
  const Point from{along(sent, 0.3), send_y(message.from) + (down ? lane_height : 0.0)};
  const Point to{along(received, 0.7), receive_y(message.to) + (down ? 0.0 : lane_height)};
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  if (length <= 0.0) return;
  const Point unit{(to.x - from.x) / length, (to.y - from.y) / length};
  const double head = 7.0;
  const Point neck{to.x - head * unit.x, to.y - head * unit.y};
  const char* color = color_of(message);
  line(from, neck, "stroke=\"#ffffff\" stroke-width=\"2.8\" stroke-opacity=\"0.55\"");
  line(from, neck,
       fmt::format("stroke=\"{}\" stroke-width=\"1.3\"{}", color,
                   message.lost ? " stroke-dasharray=\"4 3\"" : ""));
  body_ += fmt::format(
      "<path d=\"M{:.2f} {:.2f}L{:.2f} {:.2f}L{:.2f} {:.2f}Z\" fill=\"{}\" stroke=\"#ffffff\" "
      "stroke-width=\"0.6\"/>\n",
      to.x, to.y, neck.x - 3.2 * unit.y, neck.y + 3.2 * unit.x, neck.x + 3.2 * unit.y,
      neck.y - 3.2 * unit.x, color);
}

void TimelineDrawing::draw_makespan() {
  const double y = plot_bottom() + 34.0;
  const double end = left + plot_width_;
  const std::string style = fmt::format("stroke=\"{}\"", ink);
  line({left, y}, {end, y}, style);
  line({left, y - 4.0}, {left, y + 4.0}, style);
  line({end, y - 4.0}, {end, y + 4.0}, style);
  const std::string words =
      fmt::format("makespan {} {}", in_unit(timeline_.makespan(), unit_), unit_.name);
  const double width = 8.6 * static_cast<double>(words.size());
  rectangle(left + (plot_width_ - width) / 2.0, y - 9.0, width, 18.0, "fill=\"#ffffff\"");
  text(left + plot_width_ / 2.0, y + 4.5,
       fmt::format("class=\"label\" text-anchor=\"middle\" fill=\"{}\"", ink), words);
}

void TimelineDrawing::draw_legend() {
  const double y = plot_bottom() + 58.0;
  double x = left;
  const auto entry = [&](const std::string& color, const std::string& words) {
    rectangle(x, y, 22.0, 13.0, fmt::format("fill=\"{}\"", color));
    text(x + 28.0, y + 11.0, fmt::format("class=\"small\" fill=\"{}\"", ink), words);
    x += 44.0 + 5.9 * static_cast<double>(words.size());
  };
  if (trace_.ports == PortMode::circuit) entry(latency_color, "latency");
  if (timeline_.microbatches) {
    entry(worker_colors[0],
          fmt::format("bits and arrows, in the colour of their {}, with its number",
                      timeline_.microbatches->word));
  } else {
    entry(rank_color(0), "bits, in their sender's colour");
  }
  if (!trace_.spans.empty()) entry(compute_color, "computing");
}

std::string TimelineDrawing::draw() {
  draw_axis();
  draw_rows();
  draw_compute();
  draw_messages();
  draw_makespan();
  draw_legend();
  const double width = left + plot_width_ + right;
  const double height = plot_bottom() + bottom;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', "
      "sans-serif\">\n"
      "<style>.title{{font-size:15px;font-weight:bold}}.name{{font-size:14px;font-weight:bold}}"
      ".label{{font-size:12.5px}}.small{{font-size:11px}}</style>\n"
      "<title>{2}</title>\n"
      "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\"/>\n"
      "<text x=\"12\" y=\"30\" class=\"title\" fill=\"{3}\">{2}</text>\n"
      "<text x=\"12\" y=\"50\" class=\"label\" fill=\"{4}\">{5}</text>\n{6}</svg>\n",
      width, height, svg_escaped(timeline_.title), ink, faint_ink, svg_escaped(timeline_.detail),
      body_);
}

}  // namespace

std::string timeline_svg(const Timeline& timeline) {
  return TimelineDrawing(timeline).draw();
}

}  // namespace trainyard
