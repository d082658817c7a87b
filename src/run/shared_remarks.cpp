#include "run/shared_remarks.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/run/calibration.hpp"

namespace trainyard {

void remark_whether_sharing_pays(const Configuration& config, const Model& model,
                                 const Dataset& train, const Summary& summary,
                                 const Remark& remark) {
  if (config.time != TimeMode::wall || config.workers == 1 || summary.samples == 0) return;
  const double alone = static_cast<double>(config.batch) /
                       to_seconds(measure_lone_step_time(model, train, config.batch));
  if (summary.samples_per_second >= alone) return;
  remark(
      fmt::format("note: {} workers took {} samples/s on the shared model, and one alone takes "
                  "{}: here sharing does not pay; --scheme local-sgd gives each a replica",
                  config.workers, human_count(summary.samples_per_second), human_count(alone)));
}

void remark_ends_of_range(const Cast& cast, ConstVector model, const Remark& remark) {
  if (!cast.shared_format) return;
  const auto [bits, unit] = *cast.shared_format;
  const float end = unit * static_cast<float>(FixedPoint::largest_of(bits));
  const auto there =
      std::ranges::count_if(model.floats(), [&](float w) { return std::abs(w) >= end; });
  if (there == 0) return;
  remark(fmt::format("warning: {} of {} parameters are ±{:g}, the largest that their {} bits hold",
                     there, model.size(), end, bits));
}

}  // namespace trainyard
