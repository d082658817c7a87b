#include "trainyard/codec/loops.hpp"

// The order matters: foreach_target.h compiles this file once more for each other instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/loops.cpp"
#include <hwy/foreach_target.h>
#include "codec/half-inl.hpp"
#include "codec/magnitude-inl.hpp"
#include "codec/norms-inl.hpp"
#include "codec/ruler-inl.hpp"
#include "codec/signs-inl.hpp"
#include "codec/ternary-inl.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace trainyard {
namespace HWY_NAMESPACE {  // NOLINT: Highway's pattern

template <typename T>
CodecLoops<T> loops_of() {
  return {.largest = largest_magnitude<T>,
          .sum = sum<T>,
          .sum_of_squares = sum_of_squares<T>,
          .sum_of_magnitudes = sum_of_magnitudes<T>,
          .write_fp16 = write_halves<Fp16, T>,
          .add_fp16 = add_halves<Fp16, T>,
          .write_bf16 = write_halves<Bf16, T>,
          .add_bf16 = add_halves<Bf16, T>,
          .write_signs = write_signs<T>,
          .add_signs = add_signs<T>,
          .write_random_trits = write_random_trits<T>,
          .write_trits_beyond = write_trits_beyond<T>,
          .add_trits = add_trits<T>,
          .write_level_bytes = write_level_bytes<T>,
          .find_levels = find_levels<T>,
          .add_level_bytes = add_level_bytes<T>,
          .count_from = count_from<T>,
          .places_from = places_from<T>};
}

const BothCodecLoops& both_loops() {
  static const BothCodecLoops loops{loops_of<float>(), loops_of<double>()};
  return loops;
}

}  // namespace HWY_NAMESPACE
}  // namespace trainyard
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trainyard {

HWY_EXPORT(both_loops);

const BothCodecLoops& both_codec_loops() {
  return HWY_DYNAMIC_DISPATCH(both_loops)();
}

}  // namespace trainyard
#endif  // HWY_ONCE
