// Features of words that are found by hashing, so that no list of them is kept (Weinberger et al.,
// "Feature hashing for large scale multitask learning", ICML 2009, without signs, as Vowpal Wabbit
// has them): a word has the feature FNV-1a("column=word") mod the number of features, in 64 bits.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "trainyard/base/hash.hpp"

namespace trainyard {

/// The hash of a text that goes on with `text`; `hash` is that of its beginning.
inline std::uint64_t hashed_on(std::uint64_t hash, std::string_view text) {
  return fingerprint(std::as_bytes(std::span(text)), hash);
}

/// Of "column=", which hashed_on() continues with a word.
inline std::uint64_t column_hash(std::string_view column) {
  return hashed_on(hashed_on(fingerprint_of_nothing, column), "=");
}

}  // namespace trainyard
