#include "trainyard/base/file_writing.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "trainyard/base/descriptor.hpp"
#include "trainyard/base/error.hpp"

namespace trainyard {

std::string reason_of(int error_number) {
  std::string reason = std::generic_category().message(error_number);
  rlimit limit{};
  if (error_number != EMFILE || getrlimit(RLIMIT_NOFILE, &limit) != 0) return reason;
  return fmt::format("{} (ulimit -n allows {})", reason, limit.rlim_cur);
}

int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

void write_file(const std::filesystem::path& file, std::string_view head, std::string_view rest) {
  Descriptor descriptor(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  int error = descriptor.is_open() ? 0 : errno;
  if (!error) error = write_all(descriptor.number(), head);
  if (!error) error = write_all(descriptor.number(), rest);
  // Some file systems find out only now that there is no room.
  if (!error) error = descriptor.close();
  if (!error) return;
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  throw RunError(fmt::format("cannot write {}: {}", file.string(), reason_of(error)));
}

}  // namespace trainyard
