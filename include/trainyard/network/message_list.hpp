// Messages whose moments are known beforehand, and what the switch makes of them: the examples of
// the textbook, and anybody's own.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/network/network.hpp"
#include "trainyard/network/transfer.hpp"

namespace trainyard {

struct PreparedMessage {
  Time posted{0};
  int from = 0, to = 0;
  std::uint64_t bytes = 0;
};

/// Ranks of a message list are numbers below this.
inline constexpr int most_listed_ranks = 1024;

/// A text file with a message a line, `time from to bytes`: seconds or a duration with its unit,
/// two ranks from 0, bytes or a size with its unit; # begins a comment. In any order; the messages
/// of one moment and sender are sent in the order of the file. Throws UsageError: "FILE:LINE: what
/// was found; what is accepted".
std::vector<PreparedMessage> read_message_list(const std::filesystem::path& file);
/// Reads them from text; `name` stands for the file.
std::vector<PreparedMessage> parse_message_list(std::string_view text, const std::string& name);

/// The highest rank, plus one.
int ranks_of(std::span<const PreparedMessage> messages);

/// When each message starts and has arrived, in the order of the posts. Throws UsageError when all
/// of it would take longer than can be counted (106 days).
std::vector<Transfer> play_messages(const Network& network,
                                    std::span<const PreparedMessage> messages);

}  // namespace trainyard
