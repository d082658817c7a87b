// A scheme of one's own that is wrong: one message, as for everything else that is.
#include <array>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "trainyard/app/program.hpp"
#include "trainyard/base/error.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

struct Ended {
  int status = 0;  // 128 + signal where one killed it
  std::string errors;
};

/// The whole program with such a scheme, in a process of its own.
Ended run_with(const SchemeMaker& make) {
  std::array<int, 2> errors{};
  REQUIRE(pipe(errors.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(errors[1], STDERR_FILENO);
    std::string program = "trainyard", command = "list", what = "codecs";
    std::array<char*, 4> words{program.data(), command.data(), what.data(), nullptr};
    _exit(run_program(3, words.data(), {make}));
  }
  close(errors[1]);
  Ended ended;
  std::array<char, 4096> block{};
  for (ssize_t count = 0; (count = read(errors[0], block.data(), block.size())) > 0;) {
    ended.errors.append(block.data(), static_cast<std::size_t>(count));
  }
  close(errors[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

}  // namespace

TEST_CASE("a mistyped name in a row of one's own is one message", "[app]") {
  const Ended ended = run_with([]() -> Scheme {
    Scheme scheme;
    scheme.name = "mine";
    scheme.hyperparameters = {known_hyperparameter("perod")};
    return scheme;
  });
  CHECK(ended.status == 2);
  CHECK_THAT(ended.errors,
             ContainsSubstring("trainyard: no hyperparameter of the published schemes "
                               "named 'perod'; did you mean 'period'?"));
}

TEST_CASE("whatever making a row throws is a message", "[app]") {
  const Ended ended = run_with([]() -> Scheme { throw RunError("no table of mine"); });
  CHECK(ended.status == 1);
  CHECK(ended.errors == "trainyard: no table of mine\n");
}

}  // namespace trainyard
