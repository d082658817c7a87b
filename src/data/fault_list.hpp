// Faults of a text, gathered over the whole of it: with a file of a million lines nobody wants to
// learn of its bad ones one by one.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/text_position.hpp"

namespace trainyard {

/// Faults that are counted together.
enum class FaultKind {
  not_a_number,
  not_finite,
  too_large,
  missing,
  label,
  weight,
  column_count,
  quotes,
  entry,
  index,
};
inline constexpr std::size_t fault_kinds = 10;

class FaultList {
 public:
  /// `found` is what stands there; `message()` makes the text "found X; expected Y". It is called
  /// for the first of its kind only.
  template <typename Message>
  void add(FaultKind kind, TextPosition place, std::string_view found, Message&& message) {
    OfKind& list = kinds_[static_cast<std::size_t>(kind)];
    if (list.count == 0) list.message = message();
    add_place(list, place, found);
  }

  /// Adds those of a part of the file that begins after `lines_before` lines. REQUIRES: it lies
  /// behind everything that has been added so far.
  void merge(const FaultList& later, std::size_t lines_before);

  bool empty() const { return empty_; }
  void clear();

  /// Throws DataError for the kind with the first fault of all: "NAME:LINE:COLUMN: found X;
  /// expected Y", and where there are several of it how many, and the first five places.
  /// REQUIRES: not empty.
  [[noreturn]] void raise(const std::string& name) const;

 private:
  struct Place {
    TextPosition place;
    std::string found;
  };
  struct OfKind {
    std::size_t count = 0;
    std::string message;  // of the first
    std::vector<Place> first;
  };
  void add_place(OfKind& list, TextPosition place, std::string_view found);

  bool empty_ = true;
  std::array<OfKind, fault_kinds> kinds_;
};

}  // namespace trainyard
