#include "web/question_queue.hpp"

#include <algorithm>

namespace trainyard {

namespace {

using Clock = std::chrono::steady_clock;

/// How late an end may be noticed: a tenth of what is felt as immediate.
constexpr std::chrono::milliseconds tick{10};

// relaxed, everywhere: a flag that is only read for itself; nothing is published with it.
void interrupt(std::atomic<bool>& flag) {
  flag.store(true, std::memory_order_relaxed);
}

}  // namespace

QuestionQueue::QuestionQueue(const QueueLimits& limits)
    : limits_(limits), watcher_([this](const std::stop_token& stopping) { watch(stopping); }) {}

/// Ends older questions of the client, whose place in the row it takes. False where a newer one is
/// there already.
bool QuestionQueue::supersede(Question& newer) {
  if (newer.client.empty()) return true;
  const auto is_same = [&](const Question* other) { return other->client == newer.client; };
  const auto is_later = [&](const Question* other) {
    return is_same(other) && other->number > newer.number;
  };
  if (std::ranges::any_of(under_way_, is_later) || std::ranges::any_of(waiting_, is_later)) {
    return false;
  }
  for (Question* other : under_way_) {
    if (!is_same(other)) continue;
    other->superseded = true;
    interrupt(other->interrupted);
  }
  const auto older = std::ranges::find_if(waiting_, is_same);
  if (older != waiting_.end()) {
    (*older)->superseded = true;
    *older = &newer;
  }
  return true;
}

bool QuestionQueue::has_room_for(const std::string& client) const {
  if (waiting_.size() >= limits_.waiting) return false;
  if (!client.empty()) return true;
  const auto anonymous =
      std::ranges::count_if(waiting_, [](const Question* other) { return other->client.empty(); });
  return static_cast<std::size_t>(anonymous) < limits_.anonymous;
}

/// False where it ends before.
bool QuestionQueue::wait_for_turn(std::unique_lock<std::mutex>& lock, Question& question) {
  changed_.wait(lock, [&] {
    return question.superseded || question.left ||
           (waiting_.front() == &question &&
            under_way_.size() < static_cast<std::size_t>(limits_.at_once));
  });
  std::erase(waiting_, &question);
  changed_.notify_all();  // another one may be the first now
  return !question.superseded && !question.left;
}

void QuestionQueue::leave(Question& question) {
  std::erase(under_way_, &question);
  changed_.notify_all();
}

QuestionEnd QuestionQueue::ask(const std::string& client, std::uint64_t number,
                               const std::function<bool()>& gone, const Answer& answer) {
  Question question;
  question.client = client;
  question.number = number;
  question.gone = &gone;
  const auto end_of = [&] {
    if (question.superseded) return QuestionEnd::superseded;
    return question.left ? QuestionEnd::gone : QuestionEnd::answered;
  };
  std::unique_lock lock(mutex_);
  if (!supersede(question)) return QuestionEnd::superseded;
  if (std::ranges::find(waiting_, &question) == waiting_.end()) {
    if (!has_room_for(client)) return QuestionEnd::busy;
    waiting_.push_back(&question);
  }
  changed_.notify_all();
  if (!wait_for_turn(lock, question)) return end_of();
  question.ends = Clock::now() + limits_.budget;
  under_way_.push_back(&question);
  const bool alone = waiting_.empty() && under_way_.size() == 1;
  lock.unlock();
  try {
    answer(question.interrupted, alone);
  } catch (...) {
    lock.lock();
    leave(question);
    if (end_of() == QuestionEnd::answered) throw;
    return end_of();
  }
  lock.lock();
  leave(question);
  return end_of();
}

void QuestionQueue::look_after(Question& question, bool under_way) {
  const bool late = under_way && Clock::now() >= question.ends;
  question.left = question.left || (*question.gone)();
  if (late || question.left) interrupt(question.interrupted);
}

void QuestionQueue::watch(const std::stop_token& stopping) {
  std::unique_lock lock(mutex_);
  while (!stopping.stop_requested()) {
    changed_.wait(lock, stopping, [this] { return !waiting_.empty() || !under_way_.empty(); });
    bool left = false;
    for (Question* question : under_way_) look_after(*question, true);
    for (Question* question : waiting_) {
      look_after(*question, false);
      left = left || question->left;
    }
    if (left) changed_.notify_all();
    changed_.wait_for(lock, stopping, tick, [] { return false; });
  }
}

}  // namespace trainyard
