// Messages of protocol buffers, written field by field (protobuf.dev, "Encoding"): a key, which is
// the field's number and the kind of what follows, and that.
//
// Threads: one at a time for one object.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace trainyard {

class ProtobufMessage {
 public:
  /// An integer, a Boolean or an enumerator.
  ProtobufMessage& number(unsigned field, std::uint64_t value) {
    key(field, 0);
    varint(value);
    return *this;
  }

  ProtobufMessage& real(unsigned field, float value) {
    key(field, 5);
    auto bits = std::bit_cast<std::uint32_t>(value);
    for (int byte = 0; byte < 4; ++byte, bits >>= 8U) bytes_ += static_cast<char>(bits & 0xFFU);
    return *this;
  }

  /// Text, bytes, or another message.
  ProtobufMessage& text(unsigned field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  ProtobufMessage& message(unsigned field, const ProtobufMessage& value) {
    return text(field, value.bytes_);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  void key(unsigned field, unsigned kind) { varint(field << 3U | kind); }

  void varint(std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) bytes_ += static_cast<char>(value | 0x80U);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace trainyard
