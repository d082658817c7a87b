#include "trainyard/base/interrupt.hpp"

#include <csignal>
#include <filesystem>

#include <unistd.h>

#include "data/files.hpp"
#include "support/catch.hpp"
#include "support/interrupted.hpp"

namespace trainyard {

namespace fs = std::filesystem;

using test::status_when_interrupted;

TEST_CASE("an interrupt ends the program at once, and removes what is not whole", "[base]") {
  const TemporaryFolder folder;
  folder.write("half", "written");
  folder.write("made/by-somebody-else/file", "whole");
  fs::create_directory(folder.path() / "empty");
  const int status = status_when_interrupted([&] {
    const Unfinished file({folder.path() / "half"});
    const Unfinished folders({folder.path() / "empty", folder.path() / "made"});
    { const Unfinished done({folder.path() / "made/by-somebody-else/file"}); }
    std::raise(SIGTERM);
  });
  CHECK(status == 130);
  CHECK(!fs::exists(folder.path() / "half"));
  CHECK(!fs::exists(folder.path() / "empty"));
  CHECK(read_file(folder.path() / "made/by-somebody-else/file") == "whole");
}

TEST_CASE("an interrupt waits until what would be left is named or gone", "[base]") {
  const TemporaryFolder folder;
  const fs::path early = folder.path() / "early", late = folder.path() / "late";
  const int status = status_when_interrupted([&] {
    {
      const InterruptsWait outer;
      {
        const InterruptsWait inner;
        std::raise(SIGINT);
      }
      fs::create_directory(early);
      std::raise(SIGINT);
    }
    fs::create_directory(late);
  });
  CHECK(status == 130);
  CHECK(fs::exists(early));
  CHECK(!fs::exists(late));
}

TEST_CASE("an interrupt that is only noted does not wait", "[base]") {
  const int status = status_when_interrupted([] {
    keep_results_when_interrupted();
    const InterruptsWait wait;
    std::raise(SIGTERM);
    _exit(interrupt_flag().load() ? 7 : 8);
  });
  CHECK(status == 7);
}

}  // namespace trainyard
