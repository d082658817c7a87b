#include "support/shell.hpp"

#include <algorithm>
#include <cstdio>
#include <future>
#include <stdexcept>

#include <fmt/format.h>
#include <sys/wait.h>

namespace trainyard::test {

ShellOutcome shell(const std::string& command) {
  std::FILE* pipe = popen(("{ " + command + "; } 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no shell for " + command);
  std::string output;
  char piece[4096];
  while (const std::size_t count = std::fread(piece, 1, sizeof piece, pipe))
    output.append(piece, count);
  const int status = pclose(pipe);
  return {WEXITSTATUS(status), output};
}

std::vector<ShellOutcome> at_once(const std::vector<std::function<ShellOutcome()>>& commands) {
  constexpr std::size_t together = 4;
  std::vector<ShellOutcome> outcomes;
  for (std::size_t begin = 0; begin < commands.size(); begin += together) {
    std::vector<std::future<ShellOutcome>> running;
    for (std::size_t i = begin; i < std::min(begin + together, commands.size()); ++i) {
      running.push_back(std::async(std::launch::async, commands[i]));
    }
    for (auto& one : running) outcomes.push_back(one.get());
  }
  return outcomes;
}

std::string quoted_path(const std::filesystem::path& path) {
  return fmt::format("'{}'", path.string());
}

}  // namespace trainyard::test
