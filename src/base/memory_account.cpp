#include "trainyard/base/memory_account.hpp"

#include <atomic>
#include <limits>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"

namespace trainyard {

namespace {

// relaxed, all of them: counts that publish nothing.
std::atomic<std::size_t> held{0}, peak{0};
std::atomic<std::size_t> bound{std::numeric_limits<std::size_t>::max()};

[[noreturn]] void refuse(const std::string& what, double bytes, std::size_t limit,
                         std::size_t taken) {
  const double free = limit > taken ? static_cast<double>(limit - taken) : 0.0;
  throw RunError(fmt::format("not enough memory: {} needs {}, and {} are free", what,
                             human_bytes(bytes), human_bytes(free)));
}

}  // namespace

std::size_t memory_held() {
  return held.load(std::memory_order_relaxed);
}

std::size_t memory_peak() {
  return peak.load(std::memory_order_relaxed);
}

void reset_memory_peak() {
  peak.store(memory_held(), std::memory_order_relaxed);
}

std::size_t memory_bound() {
  return bound.load(std::memory_order_relaxed);
}

void bound_memory(std::size_t bytes) {
  bound.store(bytes, std::memory_order_relaxed);
}

void require_room(double bytes, const std::string& what) {
  const std::size_t limit = memory_bound();
  const std::size_t taken = memory_held();
  if (static_cast<double>(taken) + bytes > static_cast<double>(limit)) {
    refuse(what, bytes, limit, taken);
  }
}

void account_memory(std::size_t bytes) {
  const std::size_t before = held.fetch_add(bytes, std::memory_order_relaxed);
  const std::size_t limit = memory_bound();
  if (bytes > limit || before > limit - bytes) {
    held.fetch_sub(bytes, std::memory_order_relaxed);
    refuse("the next array", static_cast<double>(bytes), limit, before);
  }
  const std::size_t after = before + bytes;
  std::size_t most = memory_peak();
  while (after > most && !peak.compare_exchange_weak(most, after, std::memory_order_relaxed)) {
  }
}

void release_memory(std::size_t bytes) noexcept {
  held.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace trainyard
