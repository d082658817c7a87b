// A visible table that takes rows of one's own beside the published ones. References into it are
// handed out, so rows stay where they are: there is room for 256 more.
//
//   OpenTable<CodecInfo> codecs("codec", {identity_codec(), fp16_codec()});
//   codecs.add(mine);
//
// Threads: add() by one, while nobody else reads; else any may read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

inline constexpr std::size_t most_own_rows = 256;

/// Throws UsageError for a name that cannot be typed after a flag: of lower-case letters, digits
/// and hyphens, without one at its beginning.
void check_own_name(std::string_view kind, std::string_view name);
[[noreturn]] void throw_published(std::string_view kind, std::string_view name);
[[noreturn]] void throw_no_room(std::string_view kind, std::string_view name);

template <typename Row>
class OpenTable {
 public:
  OpenTable(std::string kind, std::vector<Row> published)
      : kind_(std::move(kind)), rows_(std::move(published)), published_(rows_.size()) {
    rows_.reserve(published_ + most_own_rows);
  }

  const std::vector<Row>& rows() const { return rows_; }

  /// In the place of one of the same name that was added before. Throws UsageError for a name that
  /// cannot be typed or is a published row's, and where there is no room left.
  void add(Row row) {
    check_own_name(kind_, row.name);
    const auto same = std::find_if(rows_.begin(), rows_.end(),
                                   [&](const Row& other) { return other.name == row.name; });
    if (same == rows_.end()) {
      if (rows_.size() == rows_.capacity()) throw_no_room(kind_, row.name);
      rows_.push_back(std::move(row));
      return;
    }
    if (static_cast<std::size_t>(same - rows_.begin()) < published_) {
      throw_published(kind_, row.name);
    }
    *same = std::move(row);
  }

 private:
  std::string kind_;  // for messages
  std::vector<Row> rows_;
  std::size_t published_;
};

}  // namespace trainyard
