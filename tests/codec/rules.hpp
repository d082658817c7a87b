// The rules of all codecs once more, slowly: what each may make of a vector, in how many bits, and
// with what error. Each codec of the table has an entry at least.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "codec/vectors.hpp"

namespace trainyard::test {

/// What C(x)_i may be: one value of a rule without chance.
using Choices = std::vector<std::vector<long double>>;

struct CodecRule {
  std::string text;  // as it is typed
  /// Of the message `wire` for x, by the table of catalogue §5. The bits of a codec of variable
  /// size may depend on what is written.
  std::function<std::size_t(const CodecSample& x, std::span<const std::byte> wire)> bits;
  std::function<Choices(const CodecSample& x)> choices;
  /// E‖C(x) − x‖², in the middle of the precision's range. Empty: what `choices` gives, without
  /// chance.
  std::function<long double(const CodecSample& x)> error{};
  /// E C(x) = x for all x.
  bool unbiased = false;
  /// The magnitudes that the error bound holds for.
  long double from = 0.0L, to = std::numeric_limits<long double>::max();

  std::string name() const { return text.substr(0, text.find(':')); }
};

const std::vector<CodecRule>& codec_rules();

/// ‖x‖ as a codec may send it: the largest number where it is beyond.
long double sent_norm(const CodecSample& x);

}  // namespace trainyard::test
