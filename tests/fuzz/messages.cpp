// A list of messages (timeline FILE), and what the switch makes of a short one.
#include <chrono>

#include "trainyard/network/message_list.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainyard;
  try {
    const std::vector<PreparedMessage> messages = parse_message_list(as_text(data, size), "input");
    require(!messages.empty(), "no messages");
    if (messages.size() > 32) return 0;
    Network network;
    network.latency = std::chrono::milliseconds(1);
    network.bytes_per_second = 1e6;
    const auto transfers = play_messages(network, messages);
    require(transfers.size() == messages.size(), "a message that is lost");
    for (const Transfer& transfer : transfers) {
      require(transfer.start <= transfer.end, "a message that arrives before it starts");
    }
  } catch (const UsageError&) {  // the input is bad, and said to be
  }
  return 0;
}
