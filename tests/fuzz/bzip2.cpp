#include "decompression.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return trainyard::decompress(trainyard::open_bzip2, data, size);
}
