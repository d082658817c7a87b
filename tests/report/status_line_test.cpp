#include "trainyard/report/status_line.hpp"

#include <array>
#include <cstdlib>
#include <string>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include "support/catch.hpp"

namespace trainyard {

namespace {

/// Both ends of a terminal that is none.
struct Terminal {
  int screen = posix_openpt(O_RDWR | O_NOCTTY);
  int line = -1;

  Terminal() {
    REQUIRE(screen >= 0);
    REQUIRE(grantpt(screen) == 0);
    REQUIRE(unlockpt(screen) == 0);
    line = open(ptsname(screen), O_RDWR | O_NOCTTY);
    REQUIRE(line >= 0);
  }
  ~Terminal() {
    close(line);
    close(screen);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// What is shown until the text has appeared.
  std::string read_until(const std::string& text) const {
    std::string shown;
    while (shown.find(text) == std::string::npos) {
      std::array<char, 256> block{};
      const ssize_t count = read(screen, block.data(), block.size());
      REQUIRE(count > 0);
      shown.append(block.data(), static_cast<std::size_t>(count));
    }
    return shown;
  }
};

/// As long as a line that should not come takes to come; a slower machine only notices less.
void wait_a_little() {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

}  // namespace

TEST_CASE("a terminal shows what is computed, and nothing of it afterwards") {
  const Terminal terminal;
  {
    StatusLine status_line(terminal.line, std::chrono::milliseconds(1));
    status_line.show("matcha, 12 of 60");
    // On a busy machine it may be a second later.
    const std::string shown = terminal.read_until("matcha, 12 of 60  ");
    CHECK(shown.starts_with("\r\033[K"));
  }
  REQUIRE(write(terminal.line, "end", 3) == 3);
  CHECK(terminal.read_until("end").ends_with("\r\033[Kend"));
}

TEST_CASE("what ends before anybody loses status_line shows nothing") {
  const Terminal terminal;
  {
    StatusLine status_line(terminal.line, std::chrono::hours(1));
    status_line.show("ring");
    wait_a_little();
  }
  REQUIRE(write(terminal.line, "end", 3) == 3);
  CHECK(terminal.read_until("end") == "end");
}

TEST_CASE("who is no terminal hears nothing of status_line") {
  std::array<int, 2> pipe_ends{};
  REQUIRE(pipe2(pipe_ends.data(), O_CLOEXEC | O_NONBLOCK) == 0);
  {
    StatusLine status_line(pipe_ends[1], std::chrono::milliseconds(0));
    status_line.show("ring");
    wait_a_little();
  }
  char byte = 0;
  CHECK(read(pipe_ends[0], &byte, 1) == -1);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

}  // namespace trainyard
