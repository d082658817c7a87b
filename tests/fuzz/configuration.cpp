// A configuration file: refused with a UsageError, or read, and then the text that the program
// writes of it is read back to the same.
#include <string>

#include "trainyard/configuration/options.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainyard;
  const std::string_view text = as_text(data, size);
  if (text.find("links") != std::string_view::npos) return 0;  // names a file; target links
  Configuration read;
  try {
    parse_configuration(text, "input", read);
  } catch (const UsageError&) {  // the input is bad, and said to be
    return 0;
  }
  const std::string written = configuration_text(read);
  Configuration again;
  parse_configuration(written, "written", again);
  require(configuration_text(again) == written, "a configuration that changes when it is read");
  return 0;
}
