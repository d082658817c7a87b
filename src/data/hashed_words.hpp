// Features of words that are found by hashing, so that no list of them is kept (Weinberger et al.,
// "Feature hashing for large scale multitask learning", ICML 2009, without signs, as Vowpal Wabbit
// has them): a word has the feature FNV-1a("column=word") mod the number of features, in 64 bits.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstdint>
#include <string_view>

namespace trainyard {

inline constexpr std::uint64_t hash_basis = 0xcbf29ce484222325U;

/// The hash of a text that goes on with `text`; `hash` is that of its beginning.
inline std::uint64_t hashed_on(std::uint64_t hash, std::string_view text) {
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return hash;
}

/// Of "column=", which hashed_on() continues with a word.
inline std::uint64_t column_hash(std::string_view column) {
  return hashed_on(hashed_on(hash_basis, column), "=");
}

}  // namespace trainyard
