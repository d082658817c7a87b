// A command line, a word in each line: refused with a UsageError, or parsed to a call, which is not
// made.
#include "app/command_line.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainyard;
  if (size > 400) return 0;  // what more words do, fewer do
  std::vector<std::string> words{"trainyard"};
  std::string_view rest = as_text(data, size);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    words.emplace_back(rest.substr(0, end).substr(0, rest.find('\0')));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (words.back() == "--links" || words.back().starts_with("--links=")) return 0;
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  static app::CommandLine line;
  try {
    require(bool(line.parse(static_cast<int>(words.size()), argv.data())), "no call");
  } catch (const UsageError&) {  // the input is bad, and said to be
  }
  return 0;
}
