// Whole vectors and the rest. Kernels say what to do with one vector of lanes; for_vectors walks an
// array with it and hands the last, shorter part over as a masked vector, so that no kernel has a
// second, scalar body whose rounding could differ from the first.
//
// Compiled once for each instruction set (Highway's foreach_target), hence the odd include guard.
#if defined(TRAINYARD_MODEL_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_MODEL_LANES_INL_HPP
#undef TRAINYARD_MODEL_LANES_INL_HPP
#else
#define TRAINYARD_MODEL_LANES_INL_HPP
#endif

#include <cstddef>
#include <cstring>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trainyard::kernels {
namespace HWY_NAMESPACE {  // NOLINT: Highway's pattern
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::ScalableTag<float>;
using Vector = hn::Vec<Lanes>;
inline constexpr Lanes lanes;

/// Access to a vector that lies whole in the array.
struct Whole {
  HWY_INLINE HWY_ATTR Vector load(const float* from) const { return hn::LoadU(lanes, from); }
  HWY_INLINE HWY_ATTR void store(Vector vector, float* to) const { hn::StoreU(vector, lanes, to); }
  /// The lanes of `vector` that lie in the array; `other` elsewhere.
  HWY_INLINE HWY_ATTR Vector inside_or(Vector vector, Vector /*other*/) const { return vector; }
};

/// Access to the first `count` lanes; the others load as zero and are not stored.
struct Part {
  std::size_t count;

  // SSE has no masked moves: there a masked load may read past the array, so it goes through a
  // copy.
  HWY_INLINE HWY_ATTR Vector load(const float* from) const {
#if HWY_MEM_OPS_MIGHT_FAULT
    HWY_ALIGN float copy[hn::MaxLanes(lanes)] = {};
    for (std::size_t i = 0; i < count; ++i) copy[i] = from[i];
    return hn::Load(lanes, copy);
#else
    return hn::MaskedLoad(hn::FirstN(lanes, count), lanes, from);
#endif
  }
  HWY_INLINE HWY_ATTR void store(Vector vector, float* to) const {
#if HWY_MEM_OPS_MIGHT_FAULT
    HWY_ALIGN float copy[hn::MaxLanes(lanes)];
    hn::Store(vector, lanes, copy);
    for (std::size_t i = 0; i < count; ++i) to[i] = copy[i];
#else
    hn::BlendedStore(vector, hn::FirstN(lanes, count), lanes, to);
#endif
  }
  HWY_INLINE HWY_ATTR Vector inside_or(Vector vector, Vector other) const {
    return hn::IfThenElse(hn::FirstN(lanes, count), vector, other);
  }
};

/// body(offset, access) for each vector of an array of `size` floats, starting at `offset`.
template <typename Body>
HWY_INLINE HWY_ATTR void for_vectors(std::size_t offset, std::size_t size, const Body& body) {
  const std::size_t width = hn::Lanes(lanes);
  for (; offset + width <= size; offset += width) body(offset, Whole{});
  if (offset < size) body(offset, Part{size - offset});
}

HWY_INLINE HWY_ATTR float sum_of_lanes(Vector vector) {
  return hn::GetLane(hn::SumOfLanes(lanes, vector));
}

}  // namespace HWY_NAMESPACE
}  // namespace trainyard::kernels
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_MODEL_LANES_INL_HPP
