#include "analysis/explained_rate.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "trainyard/base/units.hpp"

#include "analysis/advised_setting.hpp"

namespace trainyard {

namespace {

/// What makes `contestant` as slow as it was measured, each for itself.
class Explaining {
 public:
  Explaining(const Contestant& contestant, const AdviceQuestion& question)
      : contestant_(contestant),
        setting_(question.setting),
        c_(question.setting.configuration),
        wanted_s_(static_cast<double>(c_.batch) * c_.workers / *question.measured_rate) {}

  /// Than predicted.
  bool is_slower() const { return predict(contestant_, setting_).step_s < wanted_s_; }

  void links(std::vector<Explanation>& found) const {
    const auto [option, full] = slowest_links();
    if (!std::isfinite(full)) return;
    const auto with = [&, option = option](double seconds_a_byte) -> std::vector<OptionText> {
      return {{option, bandwidth_text(rounded(8.0 / seconds_a_byte) / 8.0)}};
    };
    const auto place = place_of(1.0 / full, 1e4 / full, with);
    if (!place) return;
    // A sender that may have no more than that under way; less than a packet is no window.
    constexpr double packet = 1500.0;
    const double window = 2.0 * to_seconds(c_.network.latency) / *place;
    found.push_back({fmt::format("links that give {} of {}: others' traffic{}",
                                 with(*place).front().text, bandwidth_text(full),
                                 window < packet ? ""
                                                 : fmt::format(", or a window of {} a round trip",
                                                               human_bytes(window))),
                     with(*place)});
  }

  void slow_worker(std::vector<Explanation>& found) const {
    const auto with = [](double factor) -> std::vector<OptionText> {
      return {{"straggler", fmt::format("0:{:.4g}", factor)}};
    };
    const bool is_even = c_.workers > 1 && c_.stragglers.empty();
    const auto place = is_even ? place_of(1.0, 1e4, with) : std::nullopt;
    if (!place) return;
    found.push_back(
        {fmt::format("a worker that is {:.3g} times as slow as the others", *place), with(*place)});
  }

  void slower_minibatches(std::vector<Explanation>& found) const {
    const double alone = to_seconds(*c_.compute_time);
    const auto with = [](double each_s) -> std::vector<OptionText> {
      return {{"compute-time", exact_text(seconds(rounded(each_s)))}};
    };
    const auto place = place_of(alone, 1e4 * alone, with);
    if (!place) return;
    found.push_back({fmt::format("minibatches that take {} together and {} alone: shared memory, "
                                 "heat, input",
                                 human_duration(*place), human_duration(alone)),
                     with(*place)});
  }

 private:
  struct LinkSpeed {
    std::string option;
    double bytes_per_second;
  };

  /// Between racks where those are links of their own, else of workers' slower ports.
  LinkSpeed slowest_links() const {
    const Network& network = c_.network;
    if (is_between_racks(c_)) return {"between-bandwidth", *network.between_bytes_per_second};
    const bool is_up = network.worker_up() <= network.worker_down();
    if (is_up && network.up_bytes_per_second) return {"up-bandwidth", network.worker_up()};
    if (!is_up && network.down_bytes_per_second) return {"down-bandwidth", network.worker_down()};
    return {"bandwidth", network.bytes_per_second};
  }

  template <typename With>
  std::optional<double> place_of(double low, double high, const With& with) const {
    const auto step = [&](double place) {
      return predict(contestant_, with_changes(setting_, with(place))).step_s;
    };
    if (step(high) < wanted_s_) return std::nullopt;
    return solve(low, high, wanted_s_, step);
  }

  const Contestant& contestant_;
  const PredictionSetting& setting_;
  const Configuration& c_;
  const double wanted_s_;
};

}  // namespace

std::vector<Explanation> explanations_of(const Contestant& contestant,
                                         const AdviceQuestion& question,
                                         std::span<const AdvisedScheme> schemes) {
  std::vector<Explanation> found;
  const Explaining explaining(contestant, question);
  if (explaining.is_slower()) {
    explaining.links(found);
    explaining.slow_worker(found);
    explaining.slower_minibatches(found);
  } else {
    found.push_back({"links or minibatches that are faster than was said", {}});
  }
  for (const AdvisedScheme& scheme : schemes) {
    const std::string& label = scheme.prediction.contestant.label;
    const double off = scheme.rate / *question.measured_rate - 1.0;
    if (label == contestant.label || std::abs(off) > 0.1) continue;
    found.push_back(
        {fmt::format("another way to talk: {} does {:.4g} rows/s", label, scheme.rate), {}});
  }
  return found;
}

}  // namespace trainyard
