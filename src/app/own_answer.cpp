#include "app/own_answer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trainyard/app/program.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/shell.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

namespace {

namespace fs = std::filesystem;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void fail(const std::string& what) {
  throw RunError(fmt::format("cannot {}: {}", what, std::system_category().message(errno)));
}

/// Both streams go to files, so that neither fills while the other is read.
File temporary_file() {
  File file(std::tmpfile(), &std::fclose);
  if (!file) fail("make a temporary file");
  return file;
}

std::string content_of(std::FILE* file) {
  std::string text;
  std::array<char, 65536> part{};
  std::rewind(file);
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), file)) {
    text.append(part.data(), size);
  }
  return text;
}

std::vector<std::string> words_with_flags(const std::string& command, const fs::path& data_dir) {
  std::vector<std::string> words = shell_words(command);
  require(!words.empty() && words.front() == "trainyard", "a command is one of this program");
  if (!data_dir.empty() && std::ranges::find(words, "--dataset") != words.end()) {
    words.insert(words.end(), {"--data-dir", data_dir});
  }
  words.insert(words.end(), {"--json", "--quiet"});
  return words;
}

/// In the new process, which ends here.
[[noreturn]] void become(std::vector<std::string> words, const fs::path& folder, std::FILE* output,
                         std::FILE* errors) {
  const bool placed = (folder.empty() || chdir(folder.c_str()) == 0) &&
                      dup2(fileno(output), STDOUT_FILENO) >= 0 &&
                      dup2(fileno(errors), STDERR_FILENO) >= 0;
  if (!placed) _exit(exit_failed);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  _exit(run_program(static_cast<int>(words.size()), arguments.data()));
}

/// As a shell would see it.
int status_of(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) fail("wait for a process");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// The message of a failure, the last line, without the program's name.
std::string message_in(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  constexpr std::string_view name = "trainyard: ";
  const std::string line = text.substr(text.rfind('\n') + 1);
  return line.starts_with(name) ? line.substr(name.size()) : line;
}

}  // namespace

CommandFolder::CommandFolder(const std::map<std::string, std::string>& files) {
  if (files.empty()) return;
  const InterruptsWait wait;
  std::string name = (fs::temp_directory_path() / "trainyard-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) fail("make the folder " + name);
  path_ = name;
  for (const auto& [file, content] : files) {
    if (!(std::ofstream(path_ / file) << content).flush()) fail("write " + (path_ / file).string());
  }
  std::vector<fs::path> made;
  made.reserve(files.size());
  for (const auto& [file, content] : files) made.push_back(path_ / file);
  made.push_back(path_);
  unfinished_.emplace(std::move(made));
}

CommandFolder::~CommandFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::string answer_of(const std::string& command, const fs::path& folder,
                      const fs::path& data_dir) {
  const std::vector<std::string> words = words_with_flags(command, data_dir);
  const File output = temporary_file(), errors = temporary_file();
  std::fflush(stdout);  // or both would print what is in its buffer
  const pid_t process = fork();
  if (process < 0) fail("start a process");
  if (process == 0) become(words, folder, output.get(), errors.get());
  const int status = status_of(process);
  if (status == exit_done || status == exit_diverged) return content_of(output.get());
  const std::string message = message_in(content_of(errors.get()));
  if (status == exit_data) throw DataError(message);
  if (status == exit_interrupted) throw Interrupted("interrupted");
  throw RunError(fmt::format("{}: status {}: {}", command, status, message));
}

}  // namespace trainyard::app
