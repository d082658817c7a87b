#include "app/asked_setting.hpp"

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/configuration/defaults.hpp"

namespace trainyard::app {

std::uint64_t parameters_of_size(const std::string& text) {
  const std::uint64_t bytes = parse_bytes(text, "--size");
  if (bytes < sizeof(float) || bytes % sizeof(float) != 0 || bytes > (std::uint64_t{1} << 46U)) {
    throw UsageError(fmt::format(
        "--size: {} is not a multiple of 4 bytes (floats) from 4B to 64TiB", echoed(text)));
  }
  return bytes / sizeof(float);
}

PredictionSetting default_prediction() {
  PredictionSetting setting;
  setting.configuration = default_configuration();
  setting.configuration.compute_time = default_compute_time;
  return setting;
}

}  // namespace trainyard::app
