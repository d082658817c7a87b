#include "trainyard/report/folder_claim.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/file_writing.hpp"
#include "trainyard/base/interrupt.hpp"
#include "trainyard/report/run_folder.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

bool is_run_file(const fs::directory_entry& entry) {
  std::error_code error;
  return entry.symlink_status(error).type() == fs::file_type::regular &&
         std::ranges::find(run_files, entry.path().filename()) != run_files.end();
}

bool begins_with_mark(const fs::path& file) {
  std::string beginning(run_mark.size(), ' ');
  std::ifstream stream(file, std::ios::binary);
  return stream.read(beginning.data(), std::ssize(beginning)) && beginning == run_mark;
}

/// The state of a folder in which a run was killed while it began.
bool holds_nothing(const fs::path& folder, const std::set<std::string>& names) {
  return std::ranges::all_of(names, [&](const std::string& name) {
    std::error_code error;
    return (name == "config.toml" || name == "metrics.jsonl") &&
           fs::file_size(folder / name, error) == 0;
  });
}

/// Something is missing that a run needs in any folder.
bool is_lack(int error) {
  constexpr std::array lacks{ENOSPC, EDQUOT, EFBIG, EIO, EMFILE, ENFILE, ENOMEM, ENOLCK};
  return std::ranges::find(lacks, error) != lacks.end();
}

/// The place is wrong, or something lacks.
[[noreturn]] void throw_not_made(const fs::path& partial, int error) {
  const std::string message =
      fmt::format("cannot write to {}: {}", partial.string(), reason_of(error));
  if (is_lack(error)) throw RunError("--out: " + message);
  throw OptionError("out", message + "; expected a folder, or a place for one");
}

/// The folder that holds `out`, however far above, or is it. Throws where there can be none.
fs::path nearest_there(const fs::path& out) {
  fs::path there = out;
  struct stat status {};
  while (stat(there.c_str(), &status) != 0) {
    const int why = errno;
    std::error_code error;
    if (why != ENOENT || fs::is_symlink(there, error)) throw_not_made(out, why);
    there = there.has_parent_path() ? there.parent_path() : fs::path(".");
  }
  if (!S_ISDIR(status.st_mode)) throw_not_made(out, ENOTDIR);
  return there;
}

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// Throws UsageError when another process has the lock; false when it has just given it back.
bool refuse_holder(int metrics, const fs::path& partial) {
  struct flock lock = whole_file();
  if (fcntl(metrics, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return false;
  // In another container it has no number here.
  const std::string who =
      lock.l_pid > 0 ? fmt::format("process {}", lock.l_pid) : "another process";
  throw OptionError("out",
                    fmt::format("{} is being written by {}; expected another folder, or none "
                                "at work there",
                                partial.string(), who));
}

}  // namespace

std::string why_not_replaced(const fs::path& folder, bool finished) {
  constexpr const char* rule = "only a folder that a run wrote is overwritten";
  std::error_code error;
  const fs::file_type type = fs::symlink_status(folder, error).type();
  if (type == fs::file_type::not_found || type == fs::file_type::none) return {};
  if (type == fs::file_type::symlink) return fmt::format("is a link; {}", rule);
  if (type != fs::file_type::directory) return fmt::format("is not a folder; {}", rule);
  std::set<std::string> names;
  std::set<std::string> foreign;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    (is_run_file(*entry) ? names : foreign).insert(name);
  }
  if (is_lack(error.value())) {
    throw RunError(fmt::format("--out: cannot look into {}: {}", folder.parent_path().string(),
                               reason_of(error.value())));
  }
  if (error) return "cannot be read: " + error.message();
  if (!foreign.empty()) {
    return fmt::format("holds '{}', which no run wrote; {}", *foreign.begin(), rule);
  }
  if (finished ? names.empty() : holds_nothing(folder, names)) return {};
  for (const char* file : {"config.toml", "summary.json"}) {
    const bool needed = finished || file == std::string_view("config.toml");
    if (needed && !names.contains(file)) return fmt::format("lacks {}; {}", file, rule);
  }
  if (!begins_with_mark(folder / "config.toml")) {
    return fmt::format("its config.toml does not begin with '{}'; {}", run_mark, rule);
  }
  return {};
}

bool holds_no_results(const fs::path& partial) {
  std::error_code error;
  for (const char* file : run_files) {
    if (file == std::string_view("config.toml") || !fs::exists(partial / file, error)) continue;
    if (file != std::string_view("metrics.jsonl") || fs::file_size(partial / file, error) > 0) {
      return false;
    }
  }
  return true;
}

void refuse_held(const fs::path& partial) {
  const Descriptor metrics(
      open((partial / "metrics.jsonl").c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (metrics.is_open()) refuse_holder(metrics.number(), partial);
}

Descriptor claim_folder(const fs::path& partial) {
  // Another process may rename the folder, or remove it, between any two of these steps; then they
  // begin anew. Where there is never such a folder, in /proc for one, the reason is the same.
  for (int attempt = 0; attempt < 1000; ++attempt) {
    std::error_code error;
    fs::create_directories(partial, error);
    if (error.value() == ENOENT) continue;
    if (error) throw_not_made(partial, error.value());
    Descriptor metrics(
        open((partial / "metrics.jsonl").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!metrics.is_open() && errno == ENOENT) continue;
    if (!metrics.is_open()) throw_not_made(partial, errno);
    const struct flock lock = whole_file();
    if (fcntl(metrics.number(), F_SETLK, &lock) != 0) {
      if (errno != EACCES && errno != EAGAIN) throw_not_made(partial, errno);
      refuse_holder(metrics.number(), partial);
      continue;
    }
    if (still_holds(metrics, partial)) return metrics;
  }
  throw_not_made(partial, ENOENT);
}

std::vector<fs::path> folders_to_make(const fs::path& partial) {
  std::vector<fs::path> missing;
  std::error_code error;
  for (fs::path folder = partial; !folder.empty(); folder = folder.parent_path()) {
    if (fs::symlink_status(folder, error).type() != fs::file_type::not_found) break;
    missing.push_back(folder);
  }
  return missing;
}

void remove_empty(const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) rmdir(folder.c_str());
}

bool still_holds(const Descriptor& metrics, const fs::path& partial) {
  struct stat ours {};
  struct stat there {};
  return fstat(metrics.number(), &ours) == 0 &&
         lstat((partial / "metrics.jsonl").c_str(), &there) == 0 && ours.st_dev == there.st_dev &&
         ours.st_ino == there.st_ino;
}

void refuse_unwritable(const fs::path& out) {
  const fs::path there = nearest_there(out);
  const long longest = pathconf(there.c_str(), _PC_NAME_MAX);  // below 0: none, or not known
  for (const fs::path& part : out) {
    if (longest > 0 && std::ssize(part.native()) > longest) throw_not_made(out, ENAMETOOLONG);
  }
  // Tried, as permissions do not tell: of a file system that is read-only or full, or of /proc.
  for (int attempt = 0; attempt < 100; ++attempt) {
    const fs::path probe = there / fmt::format("trainyard.{}-{}.probe", getpid(), attempt);
    const Unfinished left({probe});  // gone, whatever becomes of the below
    const InterruptsWait wait;
    const int made = mkdir(probe.c_str(), 0777);
    // Some file systems (NFS, FUSE) end a call at a signal, and may have done what it asked for.
    const bool was_cut_short = made != 0 && errno == EINTR;
    if (made == 0 || was_cut_short) {
      while (rmdir(probe.c_str()) != 0 && errno == EINTR) continue;
      if (made == 0) return;
      continue;
    }
    if (errno != EEXIST) throw_not_made(out, errno);  // a name of another container's process
  }
  throw_not_made(out, EEXIST);
}

void force_to_disk(const fs::path& path) {
  const Descriptor opened(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (opened.is_open()) (void)fsync(opened.number());
}

void remove_run_files(const fs::path& folder) {
  for (const char* file : run_files) unlink((folder / file).c_str());
  rmdir(folder.c_str());
}

}  // namespace trainyard
