#include "trainyard/network/message_list.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/text_file.hpp"
#include "trainyard/network/switch.hpp"

namespace trainyard {

namespace {

constexpr double longest_seconds = 9e6;

/// "6.5" are seconds; "6.5ms" says what it is.
Time parse_moment(std::string_view text, const std::string& where) {
  const bool bare = text.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
  const std::string what = where + ": time";
  if (!bare) return parse_duration(text, what);
  const double value = parse_number(text, what);
  if (value < 0.0 || value > longest_seconds) {
    throw UsageError(fmt::format("{}: {} is not from 0 to {} seconds", what, echoed(text),
                                 static_cast<int>(longest_seconds)));
  }
  return seconds(value);
}

PreparedMessage parse_line(const std::vector<std::string_view>& words, const std::string& where) {
  if (words.size() != 4) {
    throw UsageError(
        fmt::format("{}: found {} word{}; expected 'time from to bytes', like '5 0 1 1MB'", where,
                    words.size(), words.size() == 1 ? "" : "s"));
  }
  PreparedMessage message;
  message.posted = parse_moment(words[0], where);
  const auto rank = [&](std::string_view text, const char* name) {
    return static_cast<int>(
        parse_integer(text, fmt::format("{}: {}", where, name), 0, most_listed_ranks - 1));
  };
  message.from = rank(words[1], "from");
  message.to = rank(words[2], "to");
  if (message.from == message.to) {
    throw UsageError(fmt::format("{}: rank {} sends to itself; expected two different ranks", where,
                                 message.from));
  }
  message.bytes = parse_bytes(words[3], where + ": bytes");
  return message;
}

/// Sums of moments stay below 2^63 ps: even one after another the messages take no longer.
void check_length(const Network& network, std::span<const PreparedMessage> messages) {
  double total = 0.0;
  for (const PreparedMessage& message : messages) {
    total += to_seconds(network.message_time(message.bytes));
  }
  if (total + to_seconds(messages.back().posted) > longest_seconds) {
    throw UsageError(fmt::format(
        "the messages may take {:.3g} s; the longest time that can be kept is 106 days", total));
  }
}

}  // namespace

std::vector<PreparedMessage> read_message_list(const std::filesystem::path& file) {
  const std::string name = file.string();
  return parse_message_list(
      read_text_file(file, name, "a file with a message a line, 'time from to bytes'"), name);
}

std::vector<PreparedMessage> parse_message_list(std::string_view text, const std::string& name) {
  std::vector<PreparedMessage> messages;
  for_each_line(text, [&](std::size_t number, std::string_view line) {
    const auto words = words_of(line);
    if (!words.empty()) messages.push_back(parse_line(words, fmt::format("{}:{}", name, number)));
    return true;
  });
  if (messages.empty()) {
    throw UsageError(
        fmt::format("{}: no messages in it; expected lines 'time from to bytes'", name));
  }
  return messages;
}

int ranks_of(std::span<const PreparedMessage> messages) {
  int highest = 0;
  for (const PreparedMessage& message : messages) {
    highest = std::max({highest, message.from, message.to});
  }
  return highest + 1;
}

std::vector<Transfer> play_messages(const Network& network,
                                    std::span<const PreparedMessage> messages) {
  std::vector<PreparedMessage> ordered(messages.begin(), messages.end());
  std::ranges::stable_sort(ordered, {}, &PreparedMessage::posted);
  if (ordered.empty()) return {};
  check_length(network, ordered);

  Switch network_switch(network, ranks_of(messages));
  std::vector<Transfer> transfers(ordered.size());
  const auto started = [&](const Transfer& transfer) { transfers[transfer.id] = transfer; };
  for (const PreparedMessage& message : ordered) {
    // Up to just before the post: all that is posted at one moment is decided about together.
    network_switch.advance(message.posted - Time{1}, started);
    network_switch.post(message.from, message.to, message.bytes, message.posted);
  }
  network_switch.advance(Time::max() - Time{1}, started);
  return transfers;
}

}  // namespace trainyard
