// The whole input is an archive, with labels or, as a file to be scored, without.
#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainyard;
  ReadOptions options;
  options.format = Format::npz;
  for (const LabelUse labels : {LabelUse::required, LabelUse::if_there}) {
    options.labels = labels;
    read_and_check(as_text(data, size), {}, options);
  }
  return 0;
}
