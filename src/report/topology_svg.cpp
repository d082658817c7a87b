// A graph as people draw it: ranks around a circle, or where the topology says that they lie. A
// link that both ends use alike is a line; one that goes one way is an arrow in the direction of
// its message. The thicker, the larger its weight. Time-varying graphs get a panel a round.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "trainyard/report/network_format.hpp"

#include "report/svg_text.hpp"

namespace trainyard {

namespace {

constexpr double margin = 30.0, title_height = 66.0;
constexpr double single_side = 460.0, panel_side = 220.0, panel_label = 22.0;
constexpr std::size_t most_panels = 12, panels_a_row = 4;
constexpr int most_named = 40;  // ranks whose numbers fit into their dots

constexpr const char* link_color = "#2f6fb7";

std::size_t at(int rank) {
  return static_cast<std::size_t>(rank);
}

/// In a square of side 1.
std::vector<Place> places_of(const Topology& topology) {
  const std::size_t ranks = topology.matrices.front().size();
  std::vector<Place> places = topology.places;
  if (places.empty()) {
    for (std::size_t i = 0; i < ranks; ++i) {
      const double angle =
          2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(ranks);
      places.push_back({std::sin(angle), -std::cos(angle)});
    }
  }
  const auto [left, right] = std::ranges::minmax(places, {}, &Place::x);
  const auto [up, down] = std::ranges::minmax(places, {}, &Place::y);
  const double side = std::max({right.x - left.x, down.y - up.y, 1e-9});
  const Place middle{(left.x + right.x) / 2, (up.y + down.y) / 2};
  for (Place& place : places) {
    place = {0.5 + (place.x - middle.x) / side, 0.5 + (place.y - middle.y) / side};
  }
  return places;
}

class Panel {
 public:
  Panel(const std::vector<Place>& places, Place corner, double side)
      : dot_(std::clamp(side * 0.3 / std::sqrt(places.size()), 2.0, 13.0)) {
    const double inner = side - 2.0 * dot_ - 4.0;
    for (const Place& place : places) {
      places_.push_back(
          {corner.x + dot_ + 2.0 + inner * place.x, corner.y + dot_ + 2.0 + inner * place.y});
    }
  }

  std::string draw(const MixingMatrix& matrix) {
    for (const MixingRow& row : matrix) {
      for (const auto& from : row.receives) heaviest_ = std::max(heaviest_, from.weight);
    }
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      const int to = static_cast<int>(i);
      for (const auto& from : matrix[i].receives) {
        if (!goes_back(matrix, to, from)) {
          draw_link(from.rank, to, from.weight, true);
        } else if (from.rank < to) {
          draw_link(from.rank, to, from.weight, false);
        }
      }
    }
    for (std::size_t i = 0; i < places_.size(); ++i) draw_rank(i);
    return text_;
  }

 private:
  static bool goes_back(const MixingMatrix& matrix, int to, const MixingRow::Neighbour& from) {
    const auto& back = matrix[at(from.rank)].receives;
    const auto same = std::ranges::find(back, to, &MixingRow::Neighbour::rank);
    return same != back.end() && std::abs(same->weight - from.weight) < 1e-12;
  }

  /// How far the middle of the line is moved aside, so that it does not run through other ranks.
  double bow(int from, int to) const {
    const Place& a = places_[at(from)];
    const Place& b = places_[at(to)];
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    for (const Place& p : places_) {
      const double along = ((p.x - a.x) * (b.x - a.x) + (p.y - a.y) * (b.y - a.y)) / length;
      const double aside = ((p.x - a.x) * (b.y - a.y) - (p.y - a.y) * (b.x - a.x)) / length;
      if (along > 1.0 && along < length - 1.0 && std::abs(aside) < dot_) {
        return std::min(0.3 * length, 4.0 * dot_);
      }
    }
    return 0.0;
  }

  void draw_link(int from, int to, double weight, bool one_way) {
    const Place& a = places_[at(from)];
    const Place& b = places_[at(to)];
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    const Place unit{(b.x - a.x) / length, (b.y - a.y) / length};
    const double aside = bow(from, to);
    const Place control{(a.x + b.x) / 2 + aside * unit.y, (a.y + b.y) / 2 - aside * unit.x};
    // The arrow comes in from the control point.
    const double last = std::hypot(b.x - control.x, b.y - control.y);
    const Place in{(b.x - control.x) / last, (b.y - control.y) / last};
    const double head = one_way ? std::min(8.0, dot_ + 3.0) : 0.0;
    const double short_of = one_way ? dot_ : 0.0;
    const Place tip{b.x - short_of * in.x, b.y - short_of * in.y};
    const Place neck{tip.x - head * in.x, tip.y - head * in.y};
    text_ += fmt::format(
        "<path d=\"M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}\" fill=\"none\" stroke=\"{}\" "
        "stroke-width=\"{:.2f}\" stroke-opacity=\"0.6\"/>\n",
        a.x, a.y, control.x, control.y, neck.x, neck.y, link_color, 0.6 + 1.8 * weight / heaviest_);
    if (!one_way) return;
    const double half = head * 0.45;
    text_ += fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z\" fill=\"{}\"/>\n",
                         tip.x, tip.y, neck.x - half * in.y, neck.y + half * in.x,
                         neck.x + half * in.y, neck.y - half * in.x, link_color);
  }

  void draw_rank(std::size_t rank) {
    const Place& place = places_[rank];
    text_ += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"#ffffff\" stroke=\"{}\"/>\n",
        place.x, place.y, dot_, ink);
    if (places_.size() > most_named || dot_ < 7.0) return;
    text_ += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"small\" text-anchor=\"middle\" "
        "fill=\"{}\">{}</text>\n",
        place.x, place.y + 3.8, ink, rank);
  }

  const double dot_;  // radius
  std::vector<Place> places_;
  double heaviest_ = 0.0;
  std::string text_;
};

std::string detail_of(const TopologyReport& report, std::size_t panels) {
  const TopologyFigures& f = report.figures;
  const char* const figure = !f.doubly_stochastic ? "|λ₂|" : f.period > 1 ? "rms contraction" : "ρ";
  std::string text =
      fmt::format("{} {:.6f}, degree {}", figure, f.rms, std::max(f.in_degree, f.out_degree));
  if (f.exact_rounds) text += fmt::format(", exact in {}", *f.exact_rounds);
  if (panels < f.period) text += fmt::format("; the first {} of {} rounds", panels, f.period);
  if (!f.symmetric) text += "; arrows: messages, lines: both ways";
  return text;
}

}  // namespace

std::string topology_svg(const TopologyReport& report) {
  const Topology& topology = report.topology;
  const std::size_t panels = std::min(topology.period(), most_panels);
  const std::size_t columns = std::min(panels, panels_a_row);
  const std::size_t rows = (panels + columns - 1) / columns;
  const double side = panels == 1 ? single_side : panel_side;
  const double pitch = side + panel_label + (panels == 1 ? 0.0 : 16.0);
  const std::vector<Place> places = places_of(topology);
  std::string body;
  for (std::size_t k = 0; k < panels; ++k) {
    const std::size_t row = k / columns;
    const Place corner{margin + pitch * static_cast<double>(k % columns),
                       title_height + pitch * static_cast<double>(row)};
    if (panels > 1) {
      body += fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"label\" fill=\"{}\">round {}</text>\n", corner.x,
          corner.y + 10.0, faint_ink, k);
    }
    body += Panel(places, {corner.x, corner.y + (panels > 1 ? panel_label : 0.0)}, side)
                .draw(topology.matrices[k]);
  }
  const std::string title = fmt::format("{}, {} worker{}", topology.name, report.figures.ranks,
                                        report.figures.ranks == 1 ? "" : "s");
  const double width = std::max(single_side, pitch * static_cast<double>(columns)) + 2 * margin;
  const double height = title_height + pitch * static_cast<double>(rows) + margin;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', "
      "sans-serif\">\n"
      "<style>.title{{font-size:15px;font-weight:bold}}.label{{font-size:12.5px}}"
      ".small{{font-size:11px}}</style>\n"
      "<title>{2}</title>\n"
      "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\"/>\n"
      "<text x=\"{3:.0f}\" y=\"28\" class=\"title\" fill=\"{4}\">{2}</text>\n"
      "<text x=\"{3:.0f}\" y=\"48\" class=\"label\" fill=\"{5}\">{6}</text>\n{7}</svg>\n",
      width, height, svg_escaped(title), margin, ink, faint_ink,
      svg_escaped(detail_of(report, panels)), body);
}

}  // namespace trainyard
