#include "trainyard/base/text_file.hpp"

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>

#include "trainyard/base/error.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

std::string read(const std::filesystem::path& file, std::size_t most = most_text_bytes) {
  return read_text_file(file, "NAME", "a text", most);
}

}  // namespace

TEST_CASE("a text file is read whole, without a byte order mark", "[base]") {
  const TemporaryFolder folder;
  CHECK(read(folder.write("plain", "a\nb")) == "a\nb");
  CHECK(read(folder.write("empty", "")).empty());
  CHECK(read(folder.write("marked",
                          "\xEF\xBB\xBF"
                          "a\nb\n")) == "a\nb\n");
  CHECK(read(folder.write("within",
                          "a\n\xEF\xBB\xBF"
                          "b\n")) ==
        "a\n\xEF\xBB\xBF"
        "b\n");
  std::string rows;
  for (int i = 0; i < 50'000; ++i) rows += std::to_string(i) + "\n";
  CHECK(read(folder.write("rows", rows)) == rows);
}

TEST_CASE("a text file may be a pipe", "[base]") {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(pipe) << "[run]\nworkers = 3\n" << std::flush; });
  const std::string text = read(pipe);
  writer.join();
  CHECK(text == "[run]\nworkers = 3\n");
}

TEST_CASE("no text file makes us read without end", "[base]") {
  CHECK_THROWS_WITH(read("/dev/zero"), "NAME: found a line of more than 1 MiB; expected a text");
  CHECK_THROWS_WITH(read("/dev/zero", 1024 * 1024), "NAME: found more than 1 MiB; expected a text");
  const TemporaryFolder folder;
  std::string lines;
  while (lines.size() <= 1024 * 1024) lines += std::string(999, 'x') + "\n";
  CHECK(read(folder.write("lines", lines)) == lines);
  CHECK_THROWS_WITH(read(folder.write("more", lines), 1024 * 1024),
                    "NAME: found more than 1 MiB; expected a text");
}

TEST_CASE("what is no text file is named", "[base]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(read(folder.path() / "missing"), "NAME: no such file; expected a text");
  CHECK_THROWS_WITH(read(folder.path()), "NAME: found a directory; expected a text");
}

TEST_CASE("lines and words", "[base]") {
  std::vector<std::string> lines;
  CHECK(for_each_line("a\r\n\nb", [&](std::size_t, std::string_view line) {
          lines.emplace_back(line);
          return true;
        }) == 3);
  CHECK(lines == std::vector<std::string>{"a", "", "b"});
  CHECK(words_of(" a\tbc  d # e") == std::vector<std::string_view>{"a", "bc", "d"});
  CHECK(words_of("# all").empty());
}

}  // namespace trainyard
