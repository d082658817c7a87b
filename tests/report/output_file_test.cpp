#include "trainyard/report/output_file.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <thread>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trainyard/base/error.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

std::string refusal(const fs::path& file, bool overwrite) {
  try {
    const OutputFile output("--svg", file, overwrite);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "taken";
}

std::size_t entries_of(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a file is there when it is whole, and before that there is none", "[report]") {
  const TemporaryFolder temporary;
  const fs::path file = temporary.path() / "f.svg";
  const OutputFile output("--svg", file, false);
  CHECK(fs::is_empty(temporary.path()));
  output.finish("one");
  CHECK(read_file(file) == "one");
  CHECK(entries_of(temporary.path()) == 1);
  CHECK_THAT(refusal(file, false), ContainsSubstring("f.svg exists; --force overwrites it"));
  OutputFile("--svg", file, true).finish("two");
  CHECK(read_file(file) == "two");
  CHECK(entries_of(temporary.path()) == 1);
}

TEST_CASE("a file that appears meanwhile is not overwritten, and nothing is lost", "[report]") {
  const TemporaryFolder temporary;
  const fs::path file = temporary.path() / "f.svg";
  const OutputFile output("--svg", file, false);
  temporary.write("f.svg", "another's");
  CHECK_THROWS_AS(output.finish("mine"), RunError);
  CHECK(read_file(file) == "another's");
  for (const auto& entry : fs::directory_iterator(temporary.path())) {
    if (entry.path() != file) CHECK(read_file(entry.path()) == "mine");
  }
  CHECK(entries_of(temporary.path()) == 2);
}

TEST_CASE("a partial file of the same name is another's, and stays", "[report]") {
  const TemporaryFolder temporary;
  // As of a process with the same number in another container.
  const std::string name = "f.svg." + std::to_string(getpid()) + ".partial";
  temporary.write(name, "another's");
  OutputFile("--svg", temporary.path() / "f.svg", false).finish("mine");
  CHECK(read_file(temporary.path() / "f.svg") == "mine");
  CHECK(read_file(temporary.path() / name) == "another's");
}

TEST_CASE("a kernel or a sandbox without renameat2 is no obstacle", "[report]") {
  const TemporaryFolder temporary;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::array filter{
        sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_renameat2},
        sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
        sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    const sock_fprog program{.len = filter.size(), .filter = filter.data()};
    constexpr int cannot_be_tested = 2;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) _exit(cannot_be_tested);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(cannot_be_tested);
    try {
      OutputFile("--svg", temporary.path() / "f.svg", false).finish("text");
      const OutputFile late("--svg", temporary.path() / "g.svg", false);
      temporary.write("g.svg", "another's");
      late.finish("text");
      _exit(1);
    } catch (const RunError&) {
      _exit(0);  // what has appeared meanwhile is not overwritten
    }
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) {
    WARN("left out: no system call can be taken away here");
    return;
  }
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(read_file(temporary.path() / "f.svg") == "text");
  CHECK(read_file(temporary.path() / "g.svg") == "another's");
}

TEST_CASE("a link to a file stays one", "[report]") {
  const TemporaryFolder temporary;
  const fs::path link = temporary.path() / "link";
  temporary.write("f.svg", "old");
  fs::create_symlink("f.svg", link);
  CHECK_THAT(refusal(link, false), ContainsSubstring("--force overwrites it"));
  OutputFile("--svg", link, true).finish("new");
  CHECK(fs::is_symlink(link));
  CHECK(read_file(temporary.path() / "f.svg") == "new");
  fs::remove(temporary.path() / "f.svg");
  for (const bool overwrite : {false, true}) {
    CHECK_THAT(refusal(link, overwrite), ContainsSubstring("link is a link to nothing"));
  }
  fs::remove(link);
  fs::create_symlink("link", link);  // to itself
  CHECK_THAT(refusal(link, true), ContainsSubstring("link is a link to nothing"));
}

TEST_CASE("a pipe is written to, and its reader sees one text", "[report]") {
  const TemporaryFolder temporary;
  const fs::path pipe = temporary.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (const bool overwrite : {false, true}) {
    std::string text;
    std::thread reader([&] { text = read_file(pipe); });
    const OutputFile output("--svg", pipe, overwrite);
    output.finish("through the pipe");
    reader.join();
    CHECK(text == "through the pipe");
    CHECK(fs::is_fifo(pipe));
  }
}

TEST_CASE("a device is written to and stays one", "[report]") {
  const std::string full = "/dev/full";
  if (!fs::exists(full)) {
    WARN("left out: there is no /dev/full here");
    return;
  }
  for (const bool overwrite : {false, true}) {
    const OutputFile output("--svg", full, overwrite);
    CHECK_THROWS_WITH(output.finish("text"), ContainsSubstring("No space left on device"));
    CHECK_THROWS_AS(output.finish("text"), RunError);
    CHECK(fs::is_character_file(full));
  }
}

TEST_CASE("what is neither file, device nor pipe is refused, and --force not recommended",
          "[report]") {
  const TemporaryFolder temporary;
  const fs::path socket_file = temporary.path() / "socket";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(socket_file.native().copy(address.sun_path, sizeof address.sun_path - 1) ==
          socket_file.native().size());
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  for (const bool overwrite : {false, true}) {
    for (const fs::path& place : {socket_file, temporary.path(), temporary.path() / "no" / "f"}) {
      INFO(place);
      const std::string message = refusal(place, overwrite);
      CHECK(message.starts_with("--svg: " + place.string() + " "));
      CHECK_THAT(message, !ContainsSubstring("--force"));
    }
  }
  CHECK(fs::is_socket(socket_file));
  close(listener);
}

}  // namespace trainyard
