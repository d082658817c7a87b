#include "study/work_list.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <thread>

#include <tbb/task_arena.h>

namespace trainyard {

void WorkList::add(std::vector<Work> pieces) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.insert(waiting_.begin(), std::make_move_iterator(pieces.begin()),
                    std::make_move_iterator(pieces.end()));
  }
  changed_.notify_all();
}

/// Waits for a piece; false when there will be none.
bool WorkList::take(std::unique_lock<std::mutex>& lock, Work& piece) {
  changed_.wait(lock, [this] { return !waiting_.empty() || under_way_ == 0; });
  if (waiting_.empty()) return false;
  piece = std::move(waiting_.front());
  waiting_.pop_front();
  ++under_way_;
  return true;
}

void WorkList::work() {
  std::unique_lock lock(mutex_);
  for (Work piece; take(lock, piece);) {
    lock.unlock();
    std::exception_ptr error;
    try {
      piece();
    } catch (...) {
      error = std::current_exception();
    }
    piece = nullptr;  // what it holds goes before it counts as done
    lock.lock();
    --under_way_;
    if (error != nullptr) {
      if (error_ == nullptr) error_ = error;
      waiting_.clear();
    }
    changed_.notify_all();
  }
}

void WorkList::run(int threads) {
  if (threads <= 1) {
    work();
  } else {
    // Tasks of one run are done by its own thread as long as there are as many runs as cores: no
    // time goes into handing them over.
    const int cores = std::max(1, tbb::this_task_arena::max_concurrency());
    std::vector<std::jthread> workers;
    workers.reserve(static_cast<std::size_t>(threads));
    try {
      for (int t = 0; t < threads; ++t) {
        workers.emplace_back([this, cores, threads] {
          tbb::task_arena share(std::max(1, cores / threads));
          share.execute([this] { work(); });
        });
      }
    } catch (const std::system_error&) {
      // The system gives no more threads: those that are there do all of it.
      if (workers.empty()) work();
    }
  }
  if (error_ != nullptr) std::rethrow_exception(error_);
}

}  // namespace trainyard
