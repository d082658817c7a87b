#include "data/digit_map.hpp"

// The order matters: foreach_target.h compiles this file once more for each other instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "data/digit_map.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace trainyard {
namespace HWY_NAMESPACE {  // NOLINT: Highway's pattern

namespace hn = hwy::HWY_NAMESPACE;

/// Marks text[0, size) up to its last whole vector; returns where that ends.
std::size_t mark_vectors(const char* text, std::size_t size, std::uint8_t* bits) {
  const hn::CappedTag<std::uint8_t, 64> lanes;
  if constexpr (hn::MaxLanes(lanes) < 8) {
    return 0;
  } else {
    const auto zero = hn::Set(lanes, std::uint8_t{'0'}), nine = hn::Set(lanes, std::uint8_t{9});
    const auto* characters = reinterpret_cast<const std::uint8_t*>(text);
    const std::size_t width = hn::Lanes(lanes);
    std::size_t at = 0;
    for (; at + width <= size; at += width) {
      // A character below '0' wraps around.
      const auto values = hn::Sub(hn::LoadU(lanes, characters + at), zero);
      hn::StoreMaskBits(lanes, hn::Gt(values, nine), bits + at / 8);
    }
    return at;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace trainyard
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trainyard {

namespace {
HWY_EXPORT(mark_vectors);
}  // namespace

void DigitMap::read(std::string_view text) {
  begin_ = text.data();
  // A word more: from() reads eight bytes wherever it begins.
  bits_.resize((text.size() / 64 + 2) * sizeof(std::uint64_t));
  std::size_t at = HWY_DYNAMIC_DISPATCH(mark_vectors)(text.data(), text.size(), bits_.data());
  std::memset(bits_.data() + at / 8, 0xFF, bits_.size() - at / 8);
  for (; at < text.size(); ++at) {
    const bool is_digit = text[at] >= '0' && text[at] <= '9';
    if (is_digit) bits_[at / 8] &= static_cast<std::uint8_t>(~(1U << at % 8));
  }
}

}  // namespace trainyard
#endif  // HWY_ONCE
