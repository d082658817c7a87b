// What other programs call our options, for whoever types it here.
//
// Threads: any; a table that never changes.
#pragma once

#include <span>
#include <string_view>

namespace trainyard {

/// Both as flags: "--learning-rate", "--lr". A word may be there twice: the first one counts that
/// is an option where it was typed.
struct Synonym {
  std::string_view word, flag;
};
std::span<const Synonym> synonyms();

}  // namespace trainyard
