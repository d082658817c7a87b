// The program: a command line into a command, and every error into a message and an exit status.
#include "trainyard/app/program.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

#include "app/command_line.hpp"
#include "app/commands.hpp"

namespace trainyard {

namespace {

int complain(const char* message, int status) {
  fmt::print(stderr, "trainyard: {}\n", message);
  return status;
}

}  // namespace

int run_program(int argc, char** argv, std::vector<Scheme> own_schemes) {
  try {
    for (Scheme& scheme : own_schemes) add_scheme(std::move(scheme));
    const int status = app::dispatch(argc, argv);
    // A full disk behind `> results.json` shows only here.
    if (std::fflush(stdout) != 0) return complain("cannot write standard output", app::exit_failed);
    return status;
  } catch (const UsageError& error) {
    return complain(error.what(), app::exit_usage);
  } catch (const DataError& error) {
    return complain(error.what(), app::exit_data);
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) return complain("cannot write standard output", app::exit_failed);
    return complain(error.what(), app::exit_failed);
  } catch (const std::bad_alloc&) {
    return complain("not enough memory for this data set, model and number of workers",
                    app::exit_failed);
  } catch (const std::exception& error) {
    return complain(error.what(), app::exit_failed);
  }
}

}  // namespace trainyard
