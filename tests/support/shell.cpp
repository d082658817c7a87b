#include "support/shell.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <sys/wait.h>

#include "support/catch.hpp"

namespace trainyard::test {

ShellOutcome shell(const std::string& command) {
  std::FILE* pipe = popen(("{ " + command + "; } 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  char piece[4096];
  while (const std::size_t count = std::fread(piece, 1, sizeof piece, pipe))
    output.append(piece, count);
  const int status = pclose(pipe);
  return {WEXITSTATUS(status), output};
}

std::string quoted_path(const std::filesystem::path& path) {
  return fmt::format("'{}'", path.string());
}

}  // namespace trainyard::test
