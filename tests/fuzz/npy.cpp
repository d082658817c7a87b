// The first byte says how many bytes of the rest are the file of labels; what follows is the file
// of features.
#include <algorithm>

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainyard;
  if (size == 0) return 0;
  const std::string_view rest = as_text(data + 1, size - 1);
  const std::size_t label_bytes = std::min<std::size_t>(data[0], rest.size());
  ReadOptions options;
  options.format = Format::npy;
  for (const bool real : {false, true}) {
    options.real_labels = real;
    read_and_check(rest.substr(label_bytes), rest.substr(0, label_bytes), options);
  }
  return 0;
}
