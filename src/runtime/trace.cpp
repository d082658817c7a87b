// Only blocked time is recorded while a run goes on. What lies between is computing, by the same
// rule by which the accounts are closed, so the spans of a run add up to its accounts.
#include "trainyard/runtime/trace.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "runtime/accounting.hpp"

namespace trainyard {

namespace {

constexpr std::int64_t never = Time::max().count();

void append(std::vector<TracedSpan>& spans, Activity activity, Time from, Time until) {
  if (until <= from) return;
  const bool goes_on =
      !spans.empty() && spans.back().activity == activity && spans.back().until == from;
  if (goes_on) {
    spans.back().until = until;
  } else {
    spans.push_back({activity, from, until});
  }
}

/// The part of the spans within [from, until].
std::vector<TracedSpan> clipped(std::vector<TracedSpan> spans, Time from, Time until) {
  for (TracedSpan& span : spans) {
    span.from = std::clamp(span.from, from, until);
    span.until = std::clamp(span.until, from, until);
  }
  std::erase_if(spans, [](const TracedSpan& span) { return span.from == span.until; });
  return spans;
}

}  // namespace

TimeSpan send_port_hold(const Transfer& message, PortMode ports) {
  if (ports == PortMode::circuit) return {message.start, message.end};
  return {message.start, message.start + (message.end - message.first_bit)};
}

TimeSpan receive_port_hold(const Transfer& message, PortMode ports) {
  return {ports == PortMode::circuit ? message.start : message.first_bit, message.end};
}

void TraceRecorder::begin(int workers, int servers, PortMode ports) {
  trace_ = Trace{};
  trace_.workers = workers;
  trace_.servers = servers;
  trace_.ports = ports;
  const auto ranks = static_cast<std::size_t>(workers) + static_cast<std::size_t>(servers);
  most_each_ = std::max<std::size_t>(16, most_records_ / ranks);
  buffers_ = std::vector<Buffer>(ranks);
  for (Buffer& buffer : buffers_) {
    buffer.messages.reserve(most_each_);  // address space until it is written
    buffer.blocked.reserve(most_each_);
  }
  // relaxed, here and below: the runtime starts and joins its threads around all this, and within
  // the run a moment seen late only moves the edge of the window.
  opened_.store(steps_.first == 0 ? 0 : never, std::memory_order_relaxed);
  closed_.store(never, std::memory_order_relaxed);
  steps_begun_.store(0, std::memory_order_relaxed);
  cut_.store(false, std::memory_order_relaxed);
}

bool TraceRecorder::in_window(Time since, Time until) const {
  return until.count() >= opened_.load(std::memory_order_relaxed) &&
         since.count() < closed_.load(std::memory_order_relaxed);
}

void TraceRecorder::close(Time now) {
  std::int64_t closed = closed_.load(std::memory_order_relaxed);
  while (now.count() < closed &&
         !closed_.compare_exchange_weak(closed, now.count(), std::memory_order_relaxed)) {
  }
}

void TraceRecorder::step_begins(Time now) {
  if (closed_.load(std::memory_order_relaxed) != never) return;
  const auto workers = static_cast<std::uint64_t>(trace_.workers);
  const std::uint64_t before = steps_begun_.fetch_add(1, std::memory_order_relaxed);
  const bool opens = steps_.first > 0 && before == steps_.first * workers;  // else it is open
  if (opens) opened_.store(now.count(), std::memory_order_relaxed);
  if (before + 1 == (steps_.last + 1) * workers) close(now);
}

void TraceRecorder::message(const Transfer& transfer) {
  if (!in_window(transfer.posted, transfer.posted)) return;
  auto& messages = buffers_[static_cast<std::size_t>(transfer.from)].messages;
  if (messages.size() == most_each_) {
    cut_.store(true, std::memory_order_relaxed);
    close(transfer.posted);
    return;
  }
  messages.push_back(transfer);
  messages.back().cookie = nullptr;
}

void TraceRecorder::blocked(int rank, Time since, Time until, Time start, Time end) {
  if (!in_window(since, until)) return;
  auto& blocked = buffers_[static_cast<std::size_t>(rank)].blocked;
  if (blocked.size() + 3 > most_each_) {
    cut_.store(true, std::memory_order_relaxed);
    close(since);
    return;
  }
  const BlockedTime split = split_blocked(since, until, start, end);
  append(blocked, Activity::wait, since, split.transfer_from);
  append(blocked, Activity::transfer, split.transfer_from, split.transfer_until);
  append(blocked, Activity::wait, split.transfer_until, until);
}

std::vector<TracedSpan> TraceRecorder::spans_of(const Buffer& buffer, Time ended) const {
  std::vector<TracedSpan> spans;
  Time reached{0};
  for (const TracedSpan& span : buffer.blocked) {
    append(spans, Activity::compute, reached, span.from);
    append(spans, span.activity, span.from, span.until);
    reached = span.until;
  }
  append(spans, Activity::compute, reached, ended);
  append(spans, Activity::wait, ended, std::max(ended, trace_.until));
  return clipped(std::move(spans), trace_.from, trace_.until);
}

void TraceRecorder::finish(const std::vector<Time>& ended) {
  const Time elapsed = std::ranges::max(ended);
  const auto moment = [&](const std::atomic<std::int64_t>& at) {
    return std::min(elapsed, Time(at.load(std::memory_order_relaxed)));
  };
  trace_.from = moment(opened_);
  trace_.until = std::max(trace_.from, moment(closed_));
  trace_.cut = cut_.load(std::memory_order_relaxed);
  for (std::size_t rank = 0; rank < buffers_.size(); ++rank) {
    const Buffer& buffer = buffers_[rank];
    trace_.spans.push_back(spans_of(buffer, ended[rank]));
    // A full buffer closes the window at a moment that others may have passed already.
    std::ranges::copy_if(buffer.messages, std::back_inserter(trace_.messages),
                         [&](const Transfer& t) {
                           return t.posted.count() < closed_.load(std::memory_order_relaxed);
                         });
  }
  buffers_.clear();
  std::ranges::stable_sort(trace_.messages, [](const Transfer& a, const Transfer& b) {
    return std::tie(a.posted, a.id) < std::tie(b.posted, b.id);
  });
  for (std::size_t i = 0; i < trace_.messages.size(); ++i) trace_.messages[i].id = i;
}

Trace TraceRecorder::take() {
  return std::exchange(trace_, Trace{});
}

}  // namespace trainyard
