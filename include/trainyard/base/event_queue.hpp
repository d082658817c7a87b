// Future events in the order of time.
//
// Where ranks work in lock-step, hundreds of events share one moment and are added one after
// another. Such a run of events is one entry of the heap, and the run that is still growing is kept
// beside the heap; a run is taken as a whole and its memory given back as a whole: so an event of a
// run costs a few instructions instead of O(log n). Events whose moments all differ cost what they
// cost in any binary heap.
//
// Threads: none; the caller sees to it that calls do not overlap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "trainyard/base/units.hpp"

namespace trainyard {

/// Events of one moment come out in the order in which they were added. Allocates only when there
/// are more events than ever before.
template <typename Event>
class EventQueue {
 public:
  /// The time of the next event; Time::max() when there is none.
  Time next() const {
    const Time queued = heap_.empty() ? Time::max() : heap_.front().at;
    return growing_.first == none ? queued : std::min(queued, growing_.at);
  }

  void add(Time at, const Event& event) {
    const std::int32_t node = take_node(event);
    if (growing_.first != none && growing_.at == at) {
      at_index(growing_.last).next = node;
      growing_.last = node;
    } else {
      begin_run(at, node);
    }
  }

  /// Takes the events up to and including that moment and tells `happens` of each, also of those
  /// that `happens` adds. Where it throws, the other events of that one's moment are lost.
  template <typename Happens>
  void take_until(Time at, Happens&& happens) {
    while (next() <= at && next() != Time::max()) {
      const Run run = take_run();
      for (std::int32_t node = run.first; node != none;) {
        const Event event = at_index(node).event;  // `happens` may move the nodes
        node = at_index(node).next;
        happens(event);
      }
      at_index(run.last).next = free_;
      free_ = run.first;
    }
  }

 private:
  static constexpr std::int32_t none = -1;

  struct Node {
    Event event;
    std::int32_t next = none;
  };
  /// Events of one moment, as a list of nodes.
  struct Run {
    Time at{0};
    std::uint64_t order = 0;  // of two runs of one moment the older one comes first
    std::int32_t first = none, last = none;
  };

  static bool comes_later(const Run& a, const Run& b) {
    return a.at != b.at ? a.at > b.at : a.order > b.order;
  }

  void begin_run(Time at, std::int32_t node) {
    if (growing_.first != none) {
      heap_.push_back(growing_);
      std::push_heap(heap_.begin(), heap_.end(), comes_later);
    }
    growing_ = {at, runs_++, node, node};
  }

  /// REQUIRES: there is an event.
  Run take_run() {
    const bool from_growing =
        heap_.empty() || (growing_.first != none && growing_.at < heap_.front().at);
    if (from_growing) return std::exchange(growing_, Run{});
    std::pop_heap(heap_.begin(), heap_.end(), comes_later);
    const Run run = heap_.back();
    heap_.pop_back();
    return run;
  }

  Node& at_index(std::int32_t index) { return nodes_[static_cast<std::size_t>(index)]; }

  std::int32_t take_node(const Event& event) {
    if (free_ == none) {
      nodes_.push_back({event, none});
      return static_cast<std::int32_t>(nodes_.size()) - 1;
    }
    const std::int32_t node = free_;
    free_ = at_index(node).next;
    at_index(node) = {event, none};
    return node;
  }

  std::vector<Run> heap_;  // the earliest on top
  Run growing_;            // the youngest run; empty when all of it has been taken
  std::uint64_t runs_ = 0;
  std::vector<Node> nodes_;
  std::int32_t free_ = none;
};

}  // namespace trainyard
