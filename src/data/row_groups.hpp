// Which value of a column each row has: values are numbered as they first occur.
//
// Threads: one at a time for one object; different objects share nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace trainyard {

/// The values of a column, numbered.
class ValueNumbers {
 public:
  /// The value's number, a new one where it is new.
  std::uint32_t of(std::string_view value) {
    const auto found = numbers_.find(value);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<std::uint32_t>(values_.size());
    numbers_.emplace(value, number);
    values_.emplace_back(value);
    return number;
  }

  /// In the order of their numbers.
  std::span<const std::string> values() const { return values_; }

  void clear() {
    numbers_.clear();
    values_.clear();
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
  std::vector<std::string> values_;
};

/// Those of the rows of a block.
struct RowGroups {
  std::vector<std::uint32_t> of_rows;  // of each row; empty where no column divides rows
  ValueNumbers numbers;

  void add(std::string_view value) { of_rows.push_back(numbers.of(value)); }
  void clear() {
    of_rows.clear();
    numbers.clear();
  }
};

}  // namespace trainyard
