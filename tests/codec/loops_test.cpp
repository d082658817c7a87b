// The loops that are compiled for each instruction set write the same bytes and add the same bits
// on all of them, for every length up to a few of their blocks, and wherever the message begins.
#include "trainyard/codec/loops.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "trainyard/base/random.hpp"

#include "model/instruction_sets.hpp"
#include "support/catch.hpp"

using namespace trainyard;

namespace {

/// All that the loops make of x, as bytes.
class Outcome {
 public:
  template <typename T>
  void add(const T& value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof(T));
  }
  template <typename T>
  void add_all(const std::vector<T>& values) {
    for (const T& value : values) add(value);
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

constexpr std::size_t behind = 9;  // bytes that nobody may write

template <typename T>
class Loops {
 public:
  Loops(const std::vector<T>& x, std::size_t offset) : x_(x), offset_(offset) {}

  std::vector<std::byte> all() {
    const CodecLoops<T>& loops = codec_loops<T>();
    const std::span<const T> x = x_;
    const T most = loops.largest(x);
    const Dither u(0x123456789abcdefU);
    outcome_.add(most);
    outcome_.add(loops.sum(x, 0.25, 0.125));
    outcome_.add(loops.sum_of_squares(x, 0.25, 0.0));
    outcome_.add(loops.sum_of_squares(x, 0.25, 0.125));
    outcome_.add(loops.sum_of_magnitudes(x, 0.25));
    coded(
        2 * x.size(), [&](std::byte* to) { loops.write_fp16(x, to); },
        [&](const std::byte* from) { return loops.add_fp16(T(0.3), from, sum_); });
    coded(
        2 * x.size(), [&](std::byte* to) { loops.write_bf16(x, to); },
        [&](const std::byte* from) { return loops.add_bf16(T(0.3), from, sum_); });
    coded((x.size() + 7) / 8, [&](std::byte* to) { loops.write_signs(x, to); },
          [&](const std::byte* from) { return loops.add_signs(T(0.3), from, sum_), true; });
    const auto add_trits = [&](const std::byte* from) {
      return loops.add_trits(T(0.3), from, sum_);
    };
    coded((2 * x.size() + 7) / 8, [&](std::byte* to) { loops.write_random_trits(x, most, u, to); },
          add_trits);
    coded((2 * x.size() + 7) / 8, [&](std::byte* to) { loops.write_trits_beyond(x, T(0.5), to); },
          add_trits);
    const T up = scale_up_of(most);
    for (const std::int32_t s : {1, 7, 127}) {
      const RulerMarks<T> marks{up, most == T{0} ? T{0} : static_cast<T>(s) / (most * up), s};
      coded(
          x.size(), [&](std::byte* to) { loops.write_level_bytes(x, 5, marks, u, to); },
          [&](const std::byte* from) { return loops.add_level_bytes(0.7, s, from, sum_); });
      std::vector<std::int32_t> levels(x.size());
      loops.find_levels(x, 5, marks, u, levels.data());
      outcome_.add_all(levels);
    }
    const auto least =
        static_cast<MagnitudeKey<T>>(std::bit_cast<MagnitudeKey<T>>(static_cast<T>(most / 2)));
    std::vector<std::uint32_t> places(x.size());
    places.resize(loops.places_from(x, least, places));
    outcome_.add_all(places);
    CHECK(places.size() == loops.count_from(x, least));
    return outcome_.bytes();
  }

 private:
  /// Writes at the offset, and adds what was written to a sum that is not zero.
  template <typename Write, typename Add>
  void coded(std::size_t bytes, const Write& write, const Add& add) {
    std::vector<std::byte> wire(offset_ + bytes + behind, std::byte{0xA5});
    write(wire.data() + offset_);
    for (std::size_t i = 0; i < behind; ++i) REQUIRE(wire[offset_ + bytes + i] == std::byte{0xA5});
    sum_.assign(x_.size(), T(0.1));
    CHECK(add(wire.data() + offset_));
    outcome_.add_all(wire);
    outcome_.add_all(sum_);
  }

  const std::vector<T>& x_;
  std::size_t offset_;
  std::vector<T> sum_;
  Outcome outcome_;
};

template <typename T>
std::vector<std::vector<T>> vectors_of(std::size_t length) {
  RandomStream random(length + 1, Purpose::data_generator);
  std::vector<T> normal, huge, tiny, zeros(length, T{0});
  for (std::size_t i = 0; i < length; ++i) {
    normal.push_back(static_cast<T>(random.normal()));
    huge.push_back(std::copysign(std::numeric_limits<T>::max(), normal.back()));
    tiny.push_back(std::numeric_limits<T>::denorm_min() *
                   static_cast<T>(std::round(10.0 * random.normal())));
    if (i % 3 == 0) zeros[i] = -T{0};
  }
  return {normal, huge, tiny, zeros};
}

template <typename T>
void check_same_on_all_instruction_sets() {
  for (std::size_t length = 0; length <= 70; ++length) {
    for (const std::vector<T>& x : vectors_of<T>(length)) {
      const std::size_t offset = length % 4;
      std::optional<std::vector<std::byte>> first;
      test::with_each_instruction_set([&] {
        CAPTURE(length, offset, sizeof(T));
        const std::vector<std::byte> found = Loops<T>(x, offset).all();
        if (!first) first = found;
        CHECK(found == *first);
      });
    }
  }
}

}  // namespace

TEST_CASE("codecs' loops do the same on every instruction set", "[codec][kernels]") {
  check_same_on_all_instruction_sets<float>();
  check_same_on_all_instruction_sets<double>();
}
