// The energy that the processor's packages have used, if the kernel lets everybody read it (RAPL,
// by powercap: Documentation/power/powercap). Since 2020 most let only root, because it tells what
// others compute.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace trainyard {

/// All packages together, whoever uses them.
///
/// A package counts microjoules and begins again after some 65 or 262 kJ: minutes to hours. So it
/// is also read every ten seconds, by a thread of its own, within which nothing goes round twice.
/// Threads: start(), stop() and joules() by any, one at a time.
class EnergyMeter {
 public:
  explicit EnergyMeter(const std::filesystem::path& powercap = "/sys/class/powercap",
                       std::chrono::milliseconds every = std::chrono::seconds(10));

  /// Counts until stop(); then it may be started again.
  void start();
  void stop();
  /// While it was started; empty where a package cannot be read, or there is none.
  std::optional<double> joules() const;

 private:
  struct Package {
    std::filesystem::path energy;  // a file, in µJ
    std::uint64_t range = 0;       // µJ, after which it begins again
    std::uint64_t last = 0;
  };

  void read_all(bool counts);
  void watch(const std::stop_token& stop);

  std::vector<Package> packages_;
  std::chrono::milliseconds every_;
  mutable std::mutex mutex_;  // guards all of it
  std::condition_variable_any changed_;
  bool running_ = false, readable_ = false;
  double microjoules_ = 0.0;
  std::jthread watcher_;  // last: it uses what stands above
};

}  // namespace trainyard
