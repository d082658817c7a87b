#include "trainyard/runtime/message.hpp"

#include <cstring>
#include <exception>

#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

void Envelope::fill(std::span<const std::byte> payload) {
  if (payload.size() > storage.size()) storage = AlignedBuffer<std::byte>(payload.size());
  if (!payload.empty()) std::memcpy(storage.data(), payload.data(), payload.size());
  data = storage.data();
  size = payload.size();
}

void Envelope::copy_to(std::span<float> into) const {
  const std::span<const float> payload = floats();
  require(payload.size() == into.size(), "a message is received into as much as was sent");
  if (!into.empty()) std::memcpy(into.data(), payload.data(), into.size_bytes());
}

std::uint64_t Communicator::receive_into(int from, std::span<float> into) {
  const Message message = receive(from);
  message.copy_to(into);
  return message.tag();
}

Loans::~Loans() {
  comm_.reclaim(std::uncaught_exceptions() > exceptions_);
}

}  // namespace trainyard
