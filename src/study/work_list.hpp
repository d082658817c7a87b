// Pieces of work of which some bring others, done by so many threads at once.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

namespace trainyard {

/// A piece is taken off the front. What it adds while it is done is done next, before the pieces
/// that were there: so one thread does everything in the order of a depth-first walk.
///
/// Threads: add() may be called by a piece of work on any thread, and before run().
class WorkList {
 public:
  using Work = std::function<void()>;

  /// In front of what waits, in this order.
  void add(std::vector<Work> pieces);
  /// Returns when everything is done; with one thread, on the calling one. Otherwise each of them
  /// has its share of the machine's cores for the tasks of oneTBB that it starts. After an
  /// exception no piece begins any more, and the first one is rethrown.
  void run(int threads);

 private:
  void work();
  bool take(std::unique_lock<std::mutex>& lock, Work& piece);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> waiting_;
  int under_way_ = 0;  // pieces
  std::exception_ptr error_;
};

}  // namespace trainyard
