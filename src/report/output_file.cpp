#include "trainyard/report/output_file.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/file_writing.hpp"
#include "trainyard/base/interrupt.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

/// A new file with a name that no other run uses, whatever machines and containers share the
/// folder: process numbers alone repeat. `name` is filled in.
Descriptor make_partial(const fs::path& file, fs::path& name) {
  Descriptor made;
  for (int attempt = 0; attempt < 100 && !made.is_open(); ++attempt) {
    name = fmt::format("{}.{}{}.partial", file.string(), getpid(),
                       attempt == 0 ? "" : fmt::format("-{}", attempt));
    made = Descriptor(open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!made.is_open() && errno != EEXIST) break;
  }
  return made;
}

/// Gives the file its name; 0, or the errno of what is in the way.
int place(const fs::path& partial, const fs::path& file, bool overwrite) {
  if (!overwrite) {
    if (renameat2(AT_FDCWD, partial.c_str(), AT_FDCWD, file.c_str(), RENAME_NOREPLACE) == 0) {
      return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) return errno;
    // A file system that cannot do that in one step, NFS for one; or a kernel or a sandbox, for
    // which glibc says EINVAL, and another C library ENOSYS.
    struct stat status {};
    if (lstat(file.c_str(), &status) == 0) return EEXIST;
  }
  return rename(partial.c_str(), file.c_str()) == 0 ? 0 : errno;
}

/// 0, or the errno of what stopped it.
int write_pieces(int descriptor, FunctionRef<std::string_view()> next_piece) {
  int error = 0;
  for (auto piece = next_piece(); !piece.empty() && !error;) {
    error = write_all(descriptor, piece);
    if (!error) piece = next_piece();
  }
  return error;
}

bool same_as(const struct stat& file, int stream) {
  struct stat other {};
  return fstat(stream, &other) == 0 && other.st_dev == file.st_dev && other.st_ino == file.st_ino;
}

}  // namespace

OutputFile::OutputFile(std::string flag, fs::path file, bool overwrite)
    : flag_(std::move(flag)), overwrite_(overwrite), file_(std::move(file)) {
  choose_target();
  probe();
}

/// Throws UsageError for what cannot be written to or replaced.
void OutputFile::choose_target() {
  struct stat status {};
  if (stat(file_.c_str(), &status) != 0) {
    std::error_code error;
    if (fs::is_symlink(file_, error)) {  // one to itself, too
      throw UsageError(told("is a link to nothing; a file is expected"));
    }
    return;  // a new file, or one that probe() cannot make
  }
  // Before the streams: one that is closed stands for the root folder (standard_streams.cpp).
  if (S_ISDIR(status.st_mode)) throw UsageError(told("is a folder; a file is expected"));
  // Opening them by name would begin a redirected file anew, and fails on a socket.
  if (same_as(status, STDOUT_FILENO)) {
    target_ = Target::output;
  } else if (same_as(status, STDERR_FILENO)) {
    target_ = Target::errors;
  } else if (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode)) {
    target_ = Target::device;
  } else if (!S_ISREG(status.st_mode)) {
    throw UsageError(
        told("is neither a file nor a character device nor a pipe; one of them is expected"));
  } else if (!overwrite_) {
    throw UsageError(told("exists; --force overwrites it"));
  } else {
    file_ = fs::canonical(file_);
  }
}

/// A partial file is made and removed again, so that a run that is killed leaves none. A pipe is
/// not opened before there is something to write: its reader would see it end.
void OutputFile::probe() const {
  if (target_ == Target::output || target_ == Target::errors) return;
  bool can_be_written = false;
  if (target_ == Target::device) {
    can_be_written = access(file_.c_str(), W_OK) == 0;
  } else {
    const InterruptsWait wait;
    fs::path partial;
    can_be_written = make_partial(file_, partial).is_open();
    if (can_be_written) can_be_written = unlink(partial.c_str()) == 0;
  }
  if (!can_be_written) throw UsageError(told("cannot be written: " + reason_of(errno)));
}

/// Waits until a pipe has a reader. Opening it would wait too, but whatever is signalled: the
/// signals that end a run are noted only, once it has results.
Descriptor OutputFile::open_device() const {
  const int flags = O_WRONLY | O_NOCTTY | O_CLOEXEC;
  std::error_code error;
  if (!fs::is_fifo(file_, error)) return Descriptor(open(file_.c_str(), flags));
  for (;;) {
    Descriptor pipe(open(file_.c_str(), flags | O_NONBLOCK));
    if (pipe.is_open()) fcntl(pipe.number(), F_SETFL, O_WRONLY);  // writing waits for the reader
    if (pipe.is_open() || errno != ENXIO) return pipe;
    // relaxed: a flag that a signal sets; nothing is published with it.
    if (interrupt_flag().load(std::memory_order_relaxed)) {
      throw Interrupted(told("was not written: interrupted, and nobody reads from it"));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void OutputFile::write_directly(FunctionRef<std::string_view()> next_piece) const {
  int error = 0;
  if (target_ == Target::device) {
    Descriptor descriptor = open_device();
    error = descriptor.is_open() ? write_pieces(descriptor.number(), next_piece) : errno;
    if (!error) error = descriptor.close();
  } else {
    std::fflush(stdout);  // what was printed before comes before it
    error = write_pieces(target_ == Target::output ? STDOUT_FILENO : STDERR_FILENO, next_piece);
  }
  if (error) throw RunError(told("cannot be written: " + reason_of(error)));
}

void OutputFile::finish(const std::string& text) const {
  const std::string_view piece = text;
  finish({&piece, 1});
}

void OutputFile::finish(std::span<const std::string_view> pieces) const {
  finish_in_pieces([&]() -> std::string_view {
    while (!pieces.empty()) {
      const std::string_view piece = pieces.front();
      pieces = pieces.subspan(1);
      if (!piece.empty()) return piece;
    }
    return {};
  });
}

void OutputFile::finish_in_pieces(FunctionRef<std::string_view()> next_piece) const {
  if (target_ != Target::file) return write_directly(next_piece);
  fs::path partial;
  std::optional<InterruptsWait> wait(std::in_place);
  Descriptor descriptor = make_partial(file_, partial);
  int error = descriptor.is_open() ? 0 : errno;
  if (error) throw RunError(told("cannot be written: " + reason_of(error)));
  std::optional<Unfinished> unfinished(std::in_place, std::vector{partial});
  wait.reset();
  try {
    error = write_pieces(descriptor.number(), next_piece);
  } catch (...) {
    unlink(partial.c_str());
    throw;
  }
  if (!error) error = descriptor.close();
  const int not_placed = error ? 0 : place(partial, file_, overwrite_);
  if (error) unlink(partial.c_str());
  unfinished.reset();
  if (error) {
    throw RunError(told("cannot be written: " + reason_of(error)));
  }
  if (not_placed) {
    throw RunError(fmt::format("{}; what was to be written is in {}",
                               told("cannot be written: " + reason_of(not_placed)),
                               partial.string()));
  }
}

std::string OutputFile::told(const std::string& why) const {
  return fmt::format("{}: {} {}", flag_, file_.string(), why);
}

}  // namespace trainyard
