#include "trainyard/runtime/shared_lines.hpp"

#include <algorithm>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

constexpr std::int64_t lines_under_way = 8, times_held = 2;
constexpr std::size_t bits_of_word = 64;

std::size_t lines_of(const SharedLines::Shape& shape) {
  return (shape.parameters + shape.parameters_of_a_line - 1) / shape.parameters_of_a_line;
}

}  // namespace

/// At first everyone holds every line: what a model begins as, all have seen.
SharedLines::SharedLines(Duration line_time, const Shape& shape)
    : line_time_(line_time),
      shape_(shape),
      places_(shape.touched_whole ? 1 : lines_of(shape)),
      lines_behind_(shape.touched_whole ? static_cast<std::int64_t>(lines_of(shape)) - 1 : 0),
      words_((static_cast<std::size_t>(shape.workers) + bits_of_word - 1) / bits_of_word),
      sets_out_(places_ * static_cast<std::size_t>(shape.models)),
      holders_(sets_out_.size() * words_) {
  require(line_time.count() > 0 && shape.parameters > 0, "a line takes time, and there is one");
  std::ranges::fill(sets_out_.span(), Time{0});
  std::ranges::fill(holders_.span(), ~std::uint64_t{0});
}

void SharedLines::touch(Passage& passage, int model, std::size_t first, std::size_t count,
                        LineUse use) {
  const std::size_t begin = static_cast<std::size_t>(model) * places_;
  if (shape_.touched_whole) {
    touch_line(passage, begin, use);
    return;
  }
  const std::size_t last = (first + count - 1) / shape_.parameters_of_a_line;
  for (std::size_t line = first / shape_.parameters_of_a_line; line <= last; ++line) {
    touch_line(passage, begin + line, use);
  }
}

void SharedLines::touch_all(Passage& passage, int model, LineUse use) {
  touch(passage, model, 0, shape_.parameters, use);
}

/// Lines behind the first of a place are asked for, set out and arrive as much later as they are
/// asked for one after the other, each time: so the first of them stands for all.
void SharedLines::touch_line(Passage& passage, std::size_t line, LineUse use) {
  const std::span<std::uint64_t> holders = holders_of(line);
  const auto worker = static_cast<std::size_t>(passage.worker);
  std::uint64_t& word = holders[worker / bits_of_word];
  const std::uint64_t own = std::uint64_t{1} << (worker % bits_of_word);
  if ((word & own) == 0) {
    const Duration apart = line_time_ / lines_under_way;
    const Time sets_out = std::max(passage.asks, sets_out_[line]);
    sets_out_[line] = sets_out + times_held * line_time_;
    passage.asks = sets_out + (lines_behind_ + 1) * apart;
    passage.has = std::max(passage.has, sets_out + lines_behind_ * apart + line_time_);
  }
  if (use == LineUse::write) {
    std::ranges::fill(holders, 0);
    word = own;
  } else {
    word |= own;
  }
}

}  // namespace trainyard
