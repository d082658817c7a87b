#include "trainyard/runtime/message.hpp"

#include <cstring>

namespace trainyard {

void Envelope::fill(std::span<const std::byte> payload) {
  if (payload.size() > storage.size()) storage = AlignedBuffer<std::byte>(payload.size());
  if (!payload.empty()) std::memcpy(storage.data(), payload.data(), payload.size());
  size = payload.size();
}

}  // namespace trainyard
