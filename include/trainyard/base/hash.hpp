// A 64-bit fingerprint of bytes (FNV-1a), to compare results bit for bit across runs.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace trainyard {

std::uint64_t fingerprint(std::span<const std::byte> bytes);
/// Sixteen hexadecimal digits.
std::string fingerprint_text(std::span<const std::byte> bytes);

}  // namespace trainyard
