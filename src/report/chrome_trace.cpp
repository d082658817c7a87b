#include "trainyard/report/chrome_trace.hpp"

#include <iterator>

#include <fmt/format.h>

namespace trainyard {

namespace {

// The tracks of a rank, in the order in which they are shown.
constexpr int program_track = 1, send_track = 2, receive_track = 3;

/// Microseconds, exact to the picosecond.
std::string microseconds(Duration duration) {
  constexpr std::int64_t ticks = 1'000'000;
  return fmt::format("{}.{:06}", duration.count() / ticks, duration.count() % ticks);
}

const char* activity_name(Activity activity) {
  switch (activity) {
    case Activity::compute:
      return "compute";
    case Activity::transfer:
      return "transfer";
    case Activity::wait:
      return "wait";
  }
  return "";
}

/// Appends events to the JSON array.
class Events {
 public:
  explicit Events(const Trace& trace) : trace_(trace) {}

  std::string all() {
    const int ranks = trace_.workers + trace_.servers;
    for (int rank = 0; rank < ranks; ++rank) name_tracks(rank);
    for (std::size_t rank = 0; rank < trace_.spans.size(); ++rank) {
      for (const TracedSpan& span : trace_.spans[rank]) add_span(static_cast<int>(rank), span);
    }
    for (const Transfer& message : trace_.messages) add_message(message);
    return fmt::format("{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{}\n]}}\n",
                       fmt::to_string(text_));
  }

 private:
  std::string rank_name(int rank) const {
    return rank < trace_.workers ? fmt::format("worker {}", rank)
                                 : fmt::format("server {}", rank - trace_.workers);
  }

  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    if (text_.size() > 0) fmt::format_to(std::back_inserter(text_), ",\n");
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  void name_tracks(int rank) {
    constexpr const char* metadata =
        R"({{"ph":"M","name":"{}","pid":{},"tid":{},"ts":0,"args":{{"{}":{}}}}})";
    const std::string name = fmt::format("\"{}\"", rank_name(rank));
    add(metadata, "process_name", rank, program_track, "name", name);
    add(metadata, "process_sort_index", rank, program_track, "sort_index", rank);
    add(metadata, "thread_name", rank, program_track, "name", "\"program\"");
    add(metadata, "thread_name", rank, send_track, "name", "\"send port\"");
    add(metadata, "thread_name", rank, receive_track, "name", "\"receive port\"");
    for (const int track : {program_track, send_track, receive_track}) {
      add(metadata, "thread_sort_index", rank, track, "sort_index", track);
    }
  }

  void add_span(int rank, const TracedSpan& span) {
    add(R"({{"ph":"X","name":"{}","cat":"program","pid":{},"tid":{},"ts":{},"dur":{}}})",
        activity_name(span.activity), rank, program_track, microseconds(span.from),
        microseconds(span.until - span.from));
  }

  void add_message(const Transfer& message) {
    const TimeSpan sent = send_port_hold(message, trace_.ports);
    const TimeSpan received = receive_port_hold(message, trace_.ports);
    const std::string lost = message.lost ? ", lost" : "";
    add_hold(message, "to " + rank_name(message.to) + lost, message.from, send_track, sent);
    add_hold(message, "from " + rank_name(message.from) + lost, message.to, receive_track,
             received);
    // A flow binds to the slice that is open at its moment, so both ends lie at a slice's begin;
    // "bp":"e" says that the end, too, is meant for the slice around it and not for the next one.
    add(R"({{"ph":"s","name":"message","cat":"message","id":{},"pid":{},"tid":{},"ts":{}}})",
        message.id, message.from, send_track, microseconds(sent.from));
    add(R"({{"ph":"f","bp":"e","name":"message","cat":"message","id":{},"pid":{},"tid":{},"ts":{}}})",
        message.id, message.to, receive_track, microseconds(received.from));
  }

  void add_hold(const Transfer& message, const std::string& name, int rank, int track,
                const TimeSpan& hold) {
    add(R"({{"ph":"X","name":"{}","cat":"message","pid":{},"tid":{},"ts":{},"dur":{},)"
        R"("args":{{"message":{},"bytes":{},"posted_us":{},"first_bit_us":{},"end_us":{}}}}})",
        name, rank, track, microseconds(hold.from), microseconds(hold.until - hold.from),
        message.id, message.bytes, microseconds(message.posted), microseconds(message.first_bit),
        microseconds(message.end));
  }

  const Trace& trace_;
  fmt::memory_buffer text_;
};

}  // namespace

std::string chrome_trace(const Trace& trace) {
  return Events(trace).all();
}

}  // namespace trainyard
