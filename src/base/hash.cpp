#include "trainyard/base/hash.hpp"

#include <fmt/format.h>

namespace trainyard {

std::uint64_t fingerprint(std::span<const std::byte> bytes, std::uint64_t before) {
  std::uint64_t hash = before;
  for (const std::byte byte : bytes) {
    hash ^= std::to_integer<std::uint64_t>(byte);
    hash *= 1099511628211ULL;  // FNV prime
  }
  return hash;
}

std::string fingerprint_text(std::span<const std::byte> bytes) {
  return fmt::format("{:016x}", fingerprint(bytes));
}

}  // namespace trainyard
