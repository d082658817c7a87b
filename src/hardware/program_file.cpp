#include "trainyard/hardware/program_file.hpp"

#include <cerrno>
#include <system_error>

namespace trainyard {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path>& libraries() {
  static std::vector<fs::path> all;
  return all;
}

}  // namespace

const std::vector<fs::path>& loaded_code() {
  return libraries();
}

void note_loaded_code(const fs::path& library) {
  libraries().push_back(library);
}

fs::path program_file() {
  std::error_code error;
  const fs::path running = fs::read_symlink("/proc/self/exe", error);
  // Where the dynamic linker is called by its name, with the program as its argument
  // (scripts/one_file.sh), the system runs the linker.
  const bool is_linker = running.filename().string().starts_with("ld-");
  return is_linker ? fs::path(program_invocation_name) : running;
}

}  // namespace trainyard
