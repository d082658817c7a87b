#include "app/program.hpp"

#include <algorithm>
#include <array>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/catch.hpp"

namespace trainyard {

namespace {

void use_one_core() {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed)) continue;
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(core, &first);
    sched_setaffinity(0, sizeof first, &first);
    return;
  }
}

/// Whoever started the tests may ignore some.
void set_signals(int ignored) {
  for (const int number : {SIGHUP, SIGINT, SIGPIPE, SIGTERM}) signal(number, SIG_DFL);
  if (ignored != 0) signal(ignored, SIG_IGN);
}

std::vector<std::string> program_words(std::vector<std::string> arguments,
                                       const ProgramOptions& options) {
  arguments.insert(arguments.begin(), TRAINYARD_PROGRAM);
  if (!options.processor.empty()) {
    arguments.insert(arguments.begin(), {"qemu-x86_64", "-cpu", options.processor});
  }
  return arguments;
}

[[noreturn]] void become_program(std::vector<std::string> words, const ProgramOptions& options,
                                 int output, int errors) {
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  if (!options.output.empty()) dup2(open(options.output.c_str(), O_WRONLY), STDOUT_FILENO);
  if (options.one_core) use_one_core();
  if (!options.folder.empty() && chdir(options.folder.c_str()) != 0) _exit(126);
  set_signals(options.ignored);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers.front(), pointers.data());
  _exit(127);
}

/// Appends what there is; false at the end of the stream.
bool drain(int stream, std::string& text) {
  std::array<char, 65536> block;
  const ssize_t count = read(stream, block.data(), block.size());
  if (count <= 0) return false;
  text.append(block.data(), static_cast<std::size_t>(count));
  return true;
}

/// Both at once: a program that fills one pipe while the other is read would wait forever.
void read_both(pid_t child, const ProgramOptions& options, int output, int errors,
               Outcome& outcome) {
  std::array<pollfd, 2> streams{pollfd{output, POLLIN, 0}, pollfd{errors, POLLIN, 0}};
  bool signalled = options.signal_after.empty();
  std::size_t searched = 0;
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    if (poll(streams.data(), streams.size(), -1) < 0) continue;
    if (streams[0].revents != 0 && !drain(output, outcome.output)) streams[0].fd = -1;
    if (streams[1].revents != 0 && !drain(errors, outcome.errors)) streams[1].fd = -1;
    // Only what is new, and before it as much as a match may begin in: a run may write megabytes.
    const std::size_t seen = std::min(searched, outcome.errors.size());
    const std::size_t from = seen - std::min(seen, options.signal_after.size());
    searched = outcome.errors.size();
    if (!signalled && outcome.errors.find(options.signal_after, from) != std::string::npos) {
      for (int i = 0; i < options.signals; ++i) kill(child, options.signal);
      signalled = true;
    }
  }
}

Outcome run_words(const std::vector<std::string>& words, const ProgramOptions& options) {
  std::array<int, 2> output{};
  std::array<int, 2> errors{};
  REQUIRE(pipe2(output.data(), O_CLOEXEC) == 0);
  REQUIRE(pipe2(errors.data(), O_CLOEXEC) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) become_program(words, options, output[1], errors[1]);
  close(output[1]);
  close(errors[1]);
  Outcome outcome;
  read_both(child, options, output[0], errors[0], outcome);
  close(output[0]);
  close(errors[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

}  // namespace

Outcome run_program(const std::vector<std::string>& arguments, const ProgramOptions& options) {
  return run_words(program_words(arguments, options), options);
}

Outcome run_script(const std::string& script, const std::filesystem::path& folder) {
  return run_words({"sh", "-c", "P='" TRAINYARD_PROGRAM "'\n" + script}, {.folder = folder});
}

}  // namespace trainyard
