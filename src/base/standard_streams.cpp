#include "base/standard_streams.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace trainyard {

void keep_standard_streams_open() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest free descriptor, which is this one. O_PATH neither reads nor writes, and unlike
    // /dev/null the root folder is always there.
    open("/", O_PATH);
  }
}

void say(std::string_view text) noexcept {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
  (void)std::fflush(stderr);
}

void flush_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw std::system_error(errno, std::generic_category(), "cannot write standard output");
}

}  // namespace trainyard
