// A 64-bit fingerprint of bytes (FNV-1a), to compare results bit for bit across runs.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace trainyard {

inline constexpr std::uint64_t fingerprint_of_nothing = 14695981039346656037U;  // FNV offset basis

/// Of bytes that follow others, whose fingerprint is `before`.
std::uint64_t fingerprint(std::span<const std::byte> bytes,
                          std::uint64_t before = fingerprint_of_nothing);
/// Sixteen hexadecimal digits.
std::string fingerprint_text(std::span<const std::byte> bytes);

}  // namespace trainyard
