#include "data/fault_list.hpp"

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

constexpr std::size_t most_places = 5;
constexpr std::size_t most_bytes_of_a_place = 24;

/// "7:1 'x'".
std::string place_text(TextPosition place, const std::string& found) {
  return fmt::format("{}:{} {}", place.line, place.column, found);
}

std::string shortly(std::string_view found) {
  if (found.empty()) return "empty";
  if (found.size() <= most_bytes_of_a_place) return echoed(found);
  return echoed(found.substr(0, most_bytes_of_a_place)) + "…";
}

}  // namespace

void FaultList::add_place(OfKind& list, TextPosition place, std::string_view found) {
  empty_ = false;
  if (++list.count <= most_places) list.first.push_back({place, shortly(found)});
}

void FaultList::merge(const FaultList& later, std::size_t lines_before) {
  if (later.empty_) return;
  empty_ = false;
  for (std::size_t kind = 0; kind < fault_kinds; ++kind) {
    const OfKind& from = later.kinds_[kind];
    OfKind& to = kinds_[kind];
    if (to.count == 0) to.message = from.message;
    to.count += from.count;
    for (const Place& place : from.first) {
      if (to.first.size() == most_places) break;
      to.first.push_back({{place.place.line + lines_before, place.place.column}, place.found});
    }
  }
}

void FaultList::clear() {
  if (empty_) return;
  kinds_ = {};
  empty_ = true;
}

void FaultList::raise(const std::string& name) const {
  require(!empty_, "there is no fault to speak of");
  const OfKind* first = &kinds_.front();
  for (const OfKind& kind : kinds_) {
    if (kind.count == 0) continue;
    if (first->count == 0 || kind.first.front().place < first->first.front().place) first = &kind;
  }
  const TextPosition place = first->first.front().place;
  std::string message = fmt::format("{}:{}:{}: {}", name, place.line, place.column, first->message);
  if (first->count > 1) {
    std::vector<std::string> places;
    for (const Place& one : first->first) places.push_back(place_text(one.place, one.found));
    if (first->count > most_places) places.emplace_back("…");
    message +=
        fmt::format("; {} faults of this kind in the file: {}", first->count, joined(places));
  }
  throw DataError(message);
}

}  // namespace trainyard
