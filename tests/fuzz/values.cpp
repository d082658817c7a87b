// A number for each worker (consensus --from). The first byte says how many workers there are.
#include <cmath>

#include "trainyard/analysis/consensus.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainyard;
  if (size == 0) return 0;
  const int workers = 1 + data[0] % 16;
  try {
    const auto values = parse_values(as_text(data + 1, size - 1), workers, "input");
    require(values.size() == static_cast<std::size_t>(workers), "a value for each worker");
    for (const double value : values) require(std::isfinite(value), "a value");
  } catch (const UsageError&) {  // the input is bad, and said to be
  }
  return 0;
}
