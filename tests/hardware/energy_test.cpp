#include "trainyard/hardware/energy.hpp"

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

/// A folder as /sys/class/powercap is.
class Powercap {
 public:
  void zone(const std::string& name, const std::string& what, std::uint64_t range) const {
    const fs::path folder = folder_.path() / name;
    fs::create_directories(folder);
    std::ofstream(folder / "name") << what << "\n";
    std::ofstream(folder / "max_energy_range_uj") << range << "\n";
    set(name, 0);
  }
  /// As a whole: the meter's thread may be reading.
  void set(const std::string& name, std::uint64_t microjoules) const {
    const fs::path file = folder_.path() / name / "energy_uj";
    std::ofstream(file.string() + ".new") << microjoules << "\n";
    fs::rename(file.string() + ".new", file);
  }
  const fs::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("energy is that of all packages, and of nothing that they hold", "[hardware]") {
  const Powercap powercap;
  powercap.zone("intel-rapl:0", "package-0", 1000000);
  powercap.zone("intel-rapl:1", "package-1", 1000000);
  powercap.zone("intel-rapl:0:0", "core", 1000000);
  powercap.zone("intel-rapl:2", "psys", 1000000);
  powercap.zone("intel-rapl-mmio:0", "package-0", 1000000);
  EnergyMeter meter(powercap.path());
  CHECK(meter.joules() == 0.0);
  powercap.set("intel-rapl:0", 100000);  // before it starts
  meter.start();
  for (const char* name :
       {"intel-rapl:0", "intel-rapl:1", "intel-rapl:0:0", "intel-rapl:2", "intel-rapl-mmio:0"}) {
    powercap.set(name, 350000);
  }
  meter.stop();
  REQUIRE(meter.joules());
  CHECK(*meter.joules() == Approx(0.6));
  powercap.set("intel-rapl:0", 900000);  // while it stands still
  meter.start();
  powercap.set("intel-rapl:0", 950000);
  meter.stop();
  CHECK(*meter.joules() == Approx(0.65));
}

TEST_CASE("a package's count that begins again goes on", "[hardware]") {
  const Powercap powercap;
  powercap.zone("intel-rapl:0", "package-0", 1000000);
  powercap.set("intel-rapl:0", 900000);
  EnergyMeter meter(powercap.path());
  meter.start();
  powercap.set("intel-rapl:0", 150000);
  meter.stop();
  CHECK(*meter.joules() == Approx(0.25));
}

TEST_CASE("a count that goes round more than once is seen each time", "[hardware]") {
  const Powercap powercap;
  powercap.zone("intel-rapl:0", "package-0", 1000000);
  EnergyMeter meter(powercap.path(), std::chrono::milliseconds(1));
  meter.start();
  const auto wait_for = [&](double joules) {
    for (int i = 0; i < 10000 && *meter.joules() < joules - 1e-9; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  double expected = 0.0;
  for (int round = 0; round < 3; ++round) {
    powercap.set("intel-rapl:0", 800000);
    expected += round == 0 ? 0.8 : 0.7;
    wait_for(expected);
    powercap.set("intel-rapl:0", 100000);
    expected += 0.3;
    wait_for(expected);
  }
  meter.stop();
  CHECK(*meter.joules() == Approx(3.1));
}

TEST_CASE("energy that cannot be read is not known", "[hardware]") {
  const Powercap powercap;
  CHECK(!EnergyMeter(powercap.path() / "nowhere").joules());
  CHECK(!EnergyMeter(powercap.path()).joules());
  powercap.zone("intel-rapl:0", "package-0", 1000000);
  powercap.zone("intel-rapl:1", "package-1", 1000000);
  fs::remove(powercap.path() / "intel-rapl:1" / "energy_uj");
  EnergyMeter meter(powercap.path());
  meter.start();
  meter.stop();
  CHECK(!meter.joules());
}

}  // namespace trainyard
