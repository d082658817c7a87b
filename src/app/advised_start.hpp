// What `trainyard advise FILE` begins with: a configuration, a data set, or a run that was saved.
//
// Threads: the main one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/configuration/configuration.hpp"

namespace trainyard::app {

struct AdvisedStart {
  Configuration configuration{};  // its `given` are the options that the file says
  std::optional<std::uint64_t> parameters{};
  /// Rows a second of a run that took the machine's time, and whose workers sent messages.
  std::optional<double> measured_rate{};
  std::vector<std::string> notes{};  // "note: …"
};

/// `file`: a TOML configuration; a data file; the folder of a saved run, or its summary.json. The
/// model's length is that of the saved run, or, with `needs_model`, of the configuration's model on
/// its data, which are read then, and on which a minibatch is measured unless the configuration
/// says how long one takes. Throws UsageError and DataError.
AdvisedStart advised_start(const std::filesystem::path& file, bool needs_model);

}  // namespace trainyard::app
