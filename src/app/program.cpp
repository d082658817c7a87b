// The program: a command line into a command, and every error into a message and an exit status.
#include "trainyard/app/program.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "trainyard/base/error.hpp"
#include "trainyard/base/hash.hpp"
#include "trainyard/base/interrupt.hpp"
#include "trainyard/base/memory_account.hpp"
#include "trainyard/base/standard_streams.hpp"
#include "trainyard/hardware/memory.hpp"
#include "trainyard/hardware/thread_limits.hpp"
#include "trainyard/runtime/processes.hpp"

#include "app/agreed.hpp"
#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "app/failures.hpp"
#include "app/load_plug_ins.hpp"

namespace trainyard {

namespace {

/// A sixteenth is left for what is not counted: code, stacks, tables, what readers have in hand;
/// and where there is little, 8 MiB, as all of that takes at least.
std::size_t usable_memory() {
  constexpr std::size_t least_uncounted = std::size_t{8} << 20U;
  const std::size_t available = available_memory();
  return available - std::min(available / 2, std::max(available / 16, least_uncounted));
}

int failed_with(const std::exception& error, int status) {
  app::complain(error);
  return status;
}

/// oneTBB's words where the system gives it no thread.
bool is_of_threads(const std::exception& error) {
  return std::string_view(error.what()).starts_with("pthread_create has failed");
}

int complain_of_threads() {
  app::complain("cannot start a thread: the system gives no more" + thread_limits_text());
  return app::exit_failed;
}

/// Reports a failure of standard output or of the operating system.
int complain_of_system(const std::system_error& error) {
  if (error.code() == std::errc::resource_unavailable_try_again) return complain_of_threads();
  if (std::ferror(stdout) == 0) return failed_with(error, app::exit_failed);
  // The reader has seen enough, as with `| head`.
  if (error.code().value() == EPIPE) return app::exit_failed;
  const std::string reason = error.code() ? ": " + error.code().message() : "";
  app::complain("cannot write standard output" + reason);
  return app::exit_failed;
}

/// Throws in all processes where one was started with another command than the leading one, which
/// it would wait for in vain.
void require_same_command(int argc, char** argv, Processes* processes) {
  if (processes == nullptr) return;
  std::string command = argc > 1 ? argv[1] : "";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") command += " --help";
  }
  const auto unlike = processes->first_unlike(fingerprint(std::as_bytes(std::span(command))));
  if (unlike.empty()) return;
  throw UsageError(unlike +
                   " was started with another command than rank 0; all processes take the same");
}

}  // namespace

int run_program(int argc, char** argv, const std::vector<SchemeMaker>& own_schemes,
                Processes* processes) {
  const auto add = [&] {
    for (const SchemeMaker& make : own_schemes) add_scheme(make());
  };
  return run_program_with(argc, argv, add, processes);
}

int run_program_with(int argc, char** argv, const std::function<void()>& add_own,
                     Processes* processes) {
  keep_standard_streams_open();
  watch_signals();
  try {
    bound_memory(usable_memory());
    add_own();
    app::Loads loads = app::taken_from(argc, argv);
    const int words = static_cast<int>(loads.words.size()) - 1;
    require_same_command(words, loads.words.data(), processes);
    std::optional<app::CommandLine> line;
    // A process may not find a file that the command line names, as on another host.
    const auto parse = [&] {
      for (const std::string& file : loads.files) app::load_plug_in(file);
      line.emplace(processes);
      return line->parse(words, loads.words.data());
    };
    const int status = (processes == nullptr ? parse() : app::agreed(*processes, parse))();
    flush_output();
    return status;
  } catch (const UsageError& error) {
    return failed_with(error, app::exit_usage);
  } catch (const Interrupted& error) {
    return failed_with(error, app::exit_interrupted);
  } catch (const DataError& error) {
    return failed_with(error, app::exit_data);
  } catch (const std::system_error& error) {
    return complain_of_system(error);
  } catch (const std::exception& error) {
    return is_of_threads(error) ? complain_of_threads() : failed_with(error, app::exit_failed);
  }
}

}  // namespace trainyard
