// Vectors of parameters, gradients and what is between them, in single or double precision.
//
// Schemes and collectives send, add and scale whole vectors, and do not care how precise these are:
// they are written once, with these views, and the kernels ask for the precision once a call. What
// is trained at speed is float32; double is for objectives whose trajectories are known in closed
// form (--model quadratic).
//
// Threads: a value like any other: any number of threads may read one, and who writes one has it
// alone.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/base/error.hpp"

namespace trainyard {

enum class Scalar : std::uint8_t { float32, float64 };  // VectorView has one bit for it

constexpr std::size_t bytes_of(Scalar scalar) {
  return scalar == Scalar::float32 ? sizeof(float) : sizeof(double);
}

template <typename T>
concept IsScalar = std::same_as<T, float> || std::same_as<T, double>;
template <IsScalar T>
inline constexpr Scalar scalar_of = std::same_as<T, float> ? Scalar::float32 : Scalar::float64;

/// Floats or doubles in a row; those that are not const may be written.
template <typename Range, bool is_const>
concept ScalarRange = std::ranges::contiguous_range<Range> &&
    IsScalar<std::ranges::range_value_t<Range>> &&
    (is_const || !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>);

/// Like std::span of floats or of doubles. `Byte` is const where the values are.
template <typename Byte>
class VectorView {
  static constexpr bool is_const = std::is_const_v<Byte>;
  template <typename T>
  using Value = std::conditional_t<is_const, const T, T>;

 public:
  VectorView() = default;
  VectorView(Scalar scalar, Byte* data, std::size_t size)
      : data_(data), size_(size), is_double_(scalar == Scalar::float64) {}
  /// A view of contiguous floats or doubles.
  template <ScalarRange<is_const> Range>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): it is a view
  VectorView(Range&& values)
      : data_(reinterpret_cast<Byte*>(std::ranges::data(values))),
        size_(std::ranges::size(values)),
        is_double_(std::same_as<std::ranges::range_value_t<Range>, double>) {}
  /// A read-only view of a writable vector.
  template <typename Other>
  requires is_const && std::same_as<Other, std::byte> VectorView(const VectorView<Other>& other)
      : VectorView(other.scalar(), other.data(), other.size()) {}

  Scalar scalar() const { return is_double_ ? Scalar::float64 : Scalar::float32; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Byte* data() const { return data_; }
  std::span<Byte> bytes() const { return {data_, size_ * bytes_of(scalar())}; }

  /// REQUIRES: it is of that precision.
  template <IsScalar T>
  std::span<Value<T>> as() const {
    require(scalar() == scalar_of<T> || size_ == 0, "a vector is used in its own precision");
    return {reinterpret_cast<Value<T>*>(data_), size_};
  }
  std::span<Value<float>> floats() const { return as<float>(); }
  std::span<Value<double>> doubles() const { return as<double>(); }

  /// REQUIRES: first + count ≤ size().
  VectorView subspan(std::size_t first, std::size_t count) const {
    return {scalar(), data_ + first * bytes_of(scalar()), count};
  }
  VectorView first(std::size_t count) const { return subspan(0, count); }
  VectorView subspan(std::size_t first) const { return subspan(first, size_ - first); }

 private:
  // Two words, so that a view travels in registers. As three it went over the stack, and was read
  // from there in wider pieces than it was written in, for which a processor waits some 15 cycles
  // each time: 6 % of what a simulated message took.
  Byte* data_ = nullptr;
  std::size_t size_ : 63 = 0;
  bool is_double_ : 1 = false;
};
static_assert(sizeof(VectorView<std::byte>) == 2 * sizeof(void*));

using Vector = VectorView<std::byte>;
using ConstVector = VectorView<const std::byte>;

/// Calls visit(T{}) with a float or a double, as `scalar` says.
template <typename Visit>
decltype(auto) with_scalar(Scalar scalar, Visit&& visit) {
  return scalar == Scalar::float32 ? visit(float{}) : visit(double{});
}

/// The last value, for what rides along with a vector. REQUIRES: not empty().
inline double last(ConstVector values) {
  return with_scalar(values.scalar(),
                     [&]<typename T>(T) -> double { return values.as<T>().back(); });
}
inline void set_last(Vector values, double value) {
  with_scalar(values.scalar(),
              [&]<typename T>(T) { values.as<T>().back() = static_cast<T>(value); });
}

/// A vector that owns its memory. The first touch decides where that lies, as in AlignedBuffer.
class VectorBuffer {
 public:
  VectorBuffer() = default;
  /// Uninitialised.
  VectorBuffer(Scalar scalar, std::size_t size)
      : bytes_(size * bytes_of(scalar)), size_(size), scalar_(scalar) {}
  static VectorBuffer zeroed(Scalar scalar, std::size_t size) {
    VectorBuffer buffer(scalar, size);
    if (size != 0) std::memset(buffer.bytes_.data(), 0, buffer.bytes_.size());
    return buffer;
  }
  static VectorBuffer copy_of(ConstVector values) {
    VectorBuffer buffer(values.scalar(), values.size());
    if (!values.empty()) std::memcpy(buffer.bytes_.data(), values.data(), values.bytes().size());
    return buffer;
  }

  Scalar scalar() const { return scalar_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Vector view() { return {scalar_, bytes_.data(), size_}; }
  ConstVector view() const { return {scalar_, bytes_.data(), size_}; }

 private:
  AlignedBuffer<std::byte> bytes_;
  std::size_t size_ = 0;
  Scalar scalar_ = Scalar::float32;
};

}  // namespace trainyard
