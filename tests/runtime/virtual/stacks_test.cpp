#include "runtime/virtual/stacks.hpp"

#include <algorithm>
#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

#include "support/catch.hpp"

using namespace trainyard;

namespace {

/// The signal that ends a process which writes there, or 0.
int signal_of_writing(std::byte* place) {
  const pid_t child = fork();
  if (child == 0) {
    (void)std::signal(SIGSEGV, SIG_DFL);
    *place = std::byte{1};
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

TEST_CASE("stacks lie apart, and a page below each is nobody's", "[runtime]") {
  const Stacks stacks(3);
  for (const std::size_t number : {0U, 1U, 2U}) {
    const auto stack = stacks.at(number);
    CHECK(stack.size() >= 200 * 1024);
    if (number > 0) CHECK(stacks.at(number - 1).data() + stack.size() < stack.data());
    CHECK(signal_of_writing(&stack.front()) == 0);
    CHECK(signal_of_writing(&stack.back()) == 0);
    CHECK(signal_of_writing(&stack.front() - 1) == SIGSEGV);
  }
}

// A power of two would let the pages that all use share a few sets of the TLB.
TEST_CASE("stacks are an odd number of pages apart", "[runtime]") {
  // Also where kernels of Arm have larger pages, in whose middle no guard may begin.
  for (const std::size_t page : {Stacks::system_page(), std::size_t{16384}, std::size_t{65536}}) {
    CAPTURE(page);
    const Stacks stacks(2, page);
    const std::byte* const second = stacks.at(1).data();
    const auto apart = static_cast<std::size_t>(second - stacks.at(0).data());
    CHECK(apart % page == 0);
    CHECK(apart / page % 2 == 1);
    CHECK(stacks.at(0).size() % page == 0);
    CHECK(apart - stacks.at(0).size() == page);  // the guard
  }
}

// Mapped one by one they ended at 32,000, where Linux gives a process no further mapping.
TEST_CASE("there are stacks for a hundred thousand ranks", "[runtime]") {
  const Stacks stacks(100'000);
  for (const std::size_t number : {0U, 31'999U, 65'535U, 99'999U}) {
    const auto stack = stacks.at(number);
    stack.front() = stack.back() = std::byte{7};
    CHECK(stack.front() == stack.back());
  }
}
