// Decompression alone: the other targets reach it too, but seldom with a header that is right.
#include <string>

#include "check.hpp"
#include "data/byte_source.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainyard;
  try {
    const auto source = open_bytes(as_text(data, size), "input");
    std::string piece(1000, '\0');
    while (source->read(piece) == piece.size()) {
    }
  } catch (const DataError&) {  // the input is bad, and said to be
  }
  return 0;
}
