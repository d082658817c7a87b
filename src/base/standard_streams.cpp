#include "trainyard/base/standard_streams.hpp"

#include <cerrno>
#include <cstdio>
#include <new>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "trainyard/base/echoed.hpp"

namespace trainyard {

void keep_standard_streams_open() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest free descriptor, which is this one. O_PATH neither reads nor writes, and unlike
    // /dev/null the root folder is always there.
    open("/", O_PATH);
  }
}

namespace {

/// Escape sequences of the program's own come before it.
void write_printable(std::string_view before, std::string_view text, std::FILE* stream) {
  const std::string shown = printable(text);
  (void)std::fwrite(before.data(), 1, before.size(), stream);
  (void)std::fwrite(shown.data(), 1, shown.size(), stream);
}

void say_behind(std::string_view before, std::string_view text) noexcept {
  try {
    write_printable(before, text, stderr);
  } catch (const std::bad_alloc&) {
    // Better as it is than not at all.
    (void)std::fwrite(text.data(), 1, text.size(), stderr);
  }
  (void)std::fflush(stderr);
}

}  // namespace

void say(std::string_view text) noexcept {
  say_behind("", text);
}

void say_over_line(std::string_view text) noexcept {
  say_behind(erase_line, text);
}

void print_text(std::string_view text) {
  write_printable("", text, stdout);
}

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw std::system_error(errno, std::generic_category(), "cannot write standard output");
}

}  // namespace trainyard
