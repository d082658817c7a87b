#include "trainyard/report/curves_svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/configuration/contestant.hpp"

#include "report/svg_text.hpp"
#include "report/timeline_scale.hpp"

namespace trainyard {

namespace {

constexpr double plot_left = 70.0, plot_top = 44.0, plot_width = 560.0, plot_height = 320.0;
constexpr double name_width = 230.0, foot = 52.0, name_height = 18.0;
constexpr int most_ticks = 6;

// Okabe & Ito 2008, which people who see few colours tell apart; then the same in dashes.
constexpr std::array colors{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                            "#e69f00", "#56b4e9", "#000000"};

struct Range {
  double low = 0.0, high = 1.0;

  double share(double value) const { return (value - low) / (high - low); }
};

double x_of(const Range& seconds, double value) {
  return plot_left + plot_width * seconds.share(value);
}
double y_of(const Range& losses, double value) {
  return plot_top + plot_height * (1.0 - losses.share(value));
}

Range seconds_of(const std::vector<RunResult>& runs) {
  double last = 0.0;
  for (const RunResult& run : runs) {
    for (const Metrics& point : run.metrics) last = std::max(last, point.seconds);
  }
  return {0.0, last > 0.0 ? last : 1.0};
}

Range losses_of(const std::vector<RunResult>& runs) {
  double least = HUGE_VAL, first = -HUGE_VAL;
  for (const RunResult& run : runs) {
    bool is_first = true;
    for (const Metrics& point : run.metrics) {
      if (!std::isfinite(point.train_loss)) continue;
      least = std::min(least, point.train_loss);
      if (std::exchange(is_first, false)) first = std::max(first, point.train_loss);
    }
  }
  if (!std::isfinite(least)) return {};
  return {least, first > least ? first : least + std::max(1e-12, std::abs(least))};
}

/// Round values within the range.
std::vector<double> ticks_within(const Range& range) {
  const double step = rounded_up((range.high - range.low) / most_ticks);
  std::vector<double> ticks;
  for (double k = std::ceil(range.low / step); k * step <= range.high + 1e-9 * step; ++k) {
    ticks.push_back(k * step);
  }
  return ticks;
}

std::string word(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n",
                     x, y, anchor, ink, svg_escaped(text));
}

std::string axes(const Range& seconds, const Range& losses) {
  std::string text;
  const double right = plot_left + plot_width, bottom = plot_top + plot_height;
  for (const double tick : ticks_within(losses)) {
    const double y = y_of(losses, tick);
    text +=
        fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"{}\" stroke-opacity=\"0.25\"/>\n",
                    plot_left, y, right, faint_ink);
    text += word(plot_left - 8.0, y + 4.0, "end", fmt::format("{:.6g}", tick));
  }
  const auto [unit, factor] = seconds.high >= 1.0    ? std::pair("s", 1.0)
                              : seconds.high >= 1e-3 ? std::pair("ms", 1e3)
                                                     : std::pair("µs", 1e6);
  for (const double tick : ticks_within({0.0, seconds.high * factor})) {
    const double x = x_of(seconds, tick / factor);
    text += fmt::format("<path d=\"M{:.1f} {:.1f}v5\" stroke=\"{}\"/>\n", x, bottom, ink);
    text += word(x, bottom + 19.0, "middle", fmt::format("{:.6g}", tick));
  }
  text += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\" fill=\"none\" stroke=\"{}\"/>\n",
                      plot_left, plot_top, bottom, right, ink);
  text += word(plot_left + plot_width / 2, bottom + 40.0, "middle", fmt::format("time, {}", unit));
  return text + word(plot_left - 8.0, plot_top - 10.0, "start", "training loss");
}

std::string style_of(std::size_t place) {
  const char* const dashes = place < colors.size() ? "" : " stroke-dasharray=\"6 3\"";
  return fmt::format("stroke=\"{}\" stroke-width=\"1.8\"{}", colors[place % colors.size()], dashes);
}

std::string line_of(const RunResult& run, const Range& seconds, const Range& losses,
                    std::size_t place) {
  std::string path;
  bool goes_on = false;
  for (const Metrics& point : run.metrics) {
    if (!std::isfinite(point.train_loss)) {
      goes_on = false;
      continue;
    }
    // Far above, a line still goes where it would go.
    const double y = std::max(y_of(losses, point.train_loss), plot_top - 1e5);
    path += fmt::format("{}{:.2f} {:.2f}", goes_on ? "L" : "M", x_of(seconds, point.seconds), y);
    goes_on = true;
  }
  if (path.empty()) return "";
  return fmt::format("<path d=\"{}\" fill=\"none\" {}/>\n", path, style_of(place));
}

std::string target_line(const RunResult& run, const Range& losses) {
  const auto target = run.resolved.target_loss;
  if (!target || *target < losses.low || *target > losses.high) return "";
  return fmt::format("<path d=\"M{:.1f} {:.2f}h{:.1f}\" stroke=\"{}\" stroke-dasharray=\"2 4\"/>\n",
                     plot_left, y_of(losses, *target), plot_width, ink);
}

}  // namespace

std::string curves_svg(const std::vector<RunResult>& runs, const std::string& title) {
  const Range seconds = seconds_of(runs), losses = losses_of(runs);
  std::vector<std::string> names;
  std::string lines, words;
  for (const RunResult& run : runs) {
    const std::string name = name_at(run.summary.label, run.summary.varied);
    const auto known = std::ranges::find(names, name);
    const auto place = static_cast<std::size_t>(known - names.begin());
    if (known == names.end()) {
      const double y = plot_top + name_height * (static_cast<double>(place) + 0.5);
      const double x = plot_left + plot_width + 16.0;
      words += fmt::format("<path d=\"M{:.1f} {:.1f}h22\" {}/>\n", x, y, style_of(place));
      words += word(x + 28.0, y + 4.0, "start", name);
      names.push_back(name);
    }
    lines += line_of(run, seconds, losses, place);
  }
  const double width = plot_left + plot_width + name_width;
  const double height = plot_top + std::max(plot_height + foot, name_height * (names.size() + 1.0));
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
             "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
             "<clipPath id=\"plot\"><rect x=\"{2}\" y=\"{3}\" width=\"{4}\" "
             "height=\"{5}\"/></clipPath>\n",
             width, height, plot_left, plot_top - 1.0, plot_width + 1.0, plot_height + 2.0) +
         word(plot_left + plot_width / 2, 18.0, "middle", title) + axes(seconds, losses) +
         target_line(runs.front(), losses) + "<g clip-path=\"url(#plot)\">\n" + lines + "</g>\n" +
         words + "</svg>\n";
}

}  // namespace trainyard
