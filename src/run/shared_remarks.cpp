#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/hardware/machine.hpp"
#include "trainyard/hardware/processor_quota.hpp"
#include "trainyard/run/calibration.hpp"
#include "trainyard/runtime/hot_lines.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "run/remarks.hpp"

namespace trainyard {

namespace {

/// For hogwild on lines that most rows touch.
std::string advice_on_hot_lines(const Configuration& config, const Model& model,
                                const Dataset& train) {
  if (config.scheme != "hogwild" || !config.optimizer.plain()) return "";
  const HotLines hot = find_hot_lines(
      train, model, config.workers, config.batch,
      harmless_uses(train, model, config.workers, config.batch, config.optimizer.lr));
  if (hot.empty()) return "";
  return fmt::format(
      "--scheme hogwild-split keeps the {} that most rows touch apart, ",
      hot.blocks.size() == 1 ? "cache line" : fmt::format("{} cache lines", hot.blocks.size()));
}

}  // namespace

void remark_whether_sharing_pays(const Configuration& config, const Model& model,
                                 const Dataset& train, const Summary& summary,
                                 const Remark& remark) {
  if (config.time != TimeMode::wall || config.workers == 1 || summary.samples == 0) return;
  const double alone = static_cast<double>(config.batch) /
                       to_seconds(measure_lone_step_time(model, train, config.batch));
  if (summary.samples_per_second >= alone) return;
  // Workers that share cores are slow for that reason, too.
  const Machine machine = this_machine();
  const bool crowded = !has_core_for_each(config.workers, machine.cores, processor_quota());
  remark(
      fmt::format("note: {} workers{} took {} samples/s on the shared model, and one alone takes "
                  "{}: here sharing does not pay; {}--scheme local-sgd gives each a replica",
                  config.workers, crowded ? ", more than there are cores," : "",
                  human_count(summary.samples_per_second), human_count(alone),
                  advice_on_hot_lines(config, model, train)));
}

void remark_ends_of_range(const Cast& cast, ConstVector model, const Remark& remark) {
  if (!cast.shared_format) return;
  const auto [bits, unit] = *cast.shared_format;
  const float end = unit * static_cast<float>(FixedPoint::largest_of(bits));
  const auto there =
      std::ranges::count_if(model.floats(), [&](float w) { return std::abs(w) >= end; });
  if (there == 0) return;
  const bool is_one = there == 1;
  remark(fmt::format("warning: {} of {} {} ±{:g}, the largest that {} {} bits hold", there,
                     counted(model.size(), "parameter"), is_one ? "is" : "are", end,
                     is_one ? "its" : "their", bits));
}

}  // namespace trainyard
