// Which labels a file holds, and what they mean. Only when the last row is read is it known whether
// 1 and 2 are two classes of two or of twenty, so rows keep their label as written until then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/data/dataset.hpp"
#include "trainyard/data/read.hpp"

#include "data/text_position.hpp"

namespace trainyard {

/// Labels as written are whole numbers of at most this size.
constexpr std::int32_t largest_label = 1'000'000;

/// Classes that are listed in any order: more different labels are counts or measures.
inline constexpr std::size_t most_listed_classes = 1000;

/// A hint for labels that are real numbers instead of classes: the model that takes them.
inline constexpr std::string_view real_labels_hint = "--model least-squares takes real labels";

class LabelCensus {
 public:
  void add(std::int32_t label, TextPosition place) {
    if (label != last_ || first_.empty()) add_to_map(label, place);
  }
  /// Adds what `later` saw, in a part of the file that begins after `lines_before` lines.
  void merge(const LabelCensus& later, std::size_t lines_before);
  void clear() { first_.clear(); }

  struct Coding {
    LabelCoding coding = LabelCoding::found;
    int classes = 2;
    std::vector<std::int32_t> values{};  // [classes] as written, of LabelCoding::listed

    Label class_of(std::int32_t label) const;
  };
  /// Throws DataError, naming `name` and the first place, when a label is none that was expected.
  Coding decide(const std::string& name, const ReadOptions& options) const;

 private:
  void add_to_map(std::int32_t label, TextPosition place) {
    first_.try_emplace(label, place);
    last_ = label;
  }

  std::map<std::int32_t, TextPosition> first_;  // where each label occurs first
  std::int32_t last_ = 0;
};

}  // namespace trainyard
