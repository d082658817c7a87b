// The order in which questions are answered: they take turns, one waiting and one under way of each
// client.
//
// A client that asks again has no use for its older answer: the question under way is interrupted,
// and one that waits gives its place to the newer one. So a page that asks at every move of a
// slider costs its neighbours no more than one that asks once. Of different clients the one that
// has waited longest is next: whoever has just been answered stands behind all who wait. Of clients
// without a name nobody knows whether they are one; so they have few of the places together.
//
// Threads: any may call anything at any time. A question is answered on the thread that asks it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace trainyard {

struct QueueLimits {
  int at_once = 1;                         // questions under way
  std::size_t waiting = 32;                // of all clients; one more is told that it is busy here
  std::size_t anonymous = 8;               // of these, of clients without a name
  std::chrono::milliseconds budget{2000};  // of an answer, from its beginning
};

enum class QuestionEnd {
  answered,
  superseded,  // the same client has asked a newer one
  busy,        // too many wait
  gone,        // nobody listens any more
};

class QuestionQueue {
 public:
  explicit QuestionQueue(const QueueLimits& limits);
  QuestionQueue(const QuestionQueue&) = delete;
  QuestionQueue& operator=(const QuestionQueue&) = delete;
  /// REQUIRES: nobody asks.
  ~QuestionQueue() = default;

  /// Sets the flag of its question when its time is over, when it is superseded, and when nobody
  /// listens any more. `alone`: no other question waits or is under way.
  using Answer = std::function<void(const std::atomic<bool>& interrupted, bool alone)>;

  /// Waits for its turn and calls `answer`; what that throws goes through, unless the question was
  /// superseded meanwhile or nobody listens. A client without a name has no other questions. `gone`
  /// is called from another thread, now and then.
  QuestionEnd ask(const std::string& client, std::uint64_t number,
                  const std::function<bool()>& gone, const Answer& answer);

 private:
  struct Question {
    std::string client;
    std::uint64_t number = 0;
    const std::function<bool()>* gone = nullptr;
    bool superseded = false, left = false;
    std::chrono::steady_clock::time_point ends{};
    std::atomic<bool> interrupted{false};
  };

  bool has_room_for(const std::string& client) const;
  bool supersede(Question& newer);
  bool wait_for_turn(std::unique_lock<std::mutex>& lock, Question& question);
  void leave(Question& question);
  void watch(const std::stop_token& stopping);
  void look_after(Question& question, bool under_way);

  const QueueLimits limits_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::deque<Question*> waiting_;  // in the order of their turns
  std::vector<Question*> under_way_;
  std::jthread watcher_;  // the last: it ends before what it looks at goes
};

}  // namespace trainyard
