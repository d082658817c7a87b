// scripts/fetch_datasets.sh, without the network: from a mirror, and from file:// addresses.
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "trainyard/data/catalog.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"
#include "support/data_sets.hpp"
#include "support/shell.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

using test::quoted_path;
using test::shell;
using Outcome = test::ShellOutcome;

const fs::path script = fs::path(TRAINYARD_SOURCE_DIR) / "scripts/fetch_datasets.sh";

Outcome fetch(const std::string& names, const fs::path& data_dir, const fs::path& mirror) {
  return shell(quoted_path(script) + " " + names + " --data-dir " + quoted_path(data_dir) +
               " --mirror " + quoted_path(mirror));
}

bool has_tool(const std::string& tool) {
  return shell(fmt::format("command -v {}", tool)).status == 0;
}

std::size_t file_count(const fs::path& folder) {
  std::size_t count = 0;
  if (!fs::exists(folder)) return 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    count += entry.is_regular_file() ? 1 : 0;
  }
  return count;
}

/// A copy of the script beside a catalogue of one set, "mine", fetched from `source`.
fs::path script_with_set(const TemporaryFolder& folder, const fs::path& source,
                         const std::string& content_sha256) {
  folder.write("datasets/catalog.toml",
               fmt::format("[[dataset]]\nname = \"mine\"\nformat = \"libsvm\"\n"
                           "[[dataset.train]]\npath = \"mine/mine.gz\"\n"
                           "source = \"file://{}\"\ncontent_sha256 = \"{}\"\n",
                           source.string(), content_sha256));
  const fs::path copy = folder.write("scripts/fetch_datasets.sh", read_file(script));
  fs::permissions(copy, fs::perms::owner_all);
  return copy;
}

}  // namespace

TEST_CASE("sets are copied from a mirror, verified, and left alone when there", "[data][fetch]") {
  const fs::path mirror = test::small_sets();
  const TemporaryFolder folder;
  const Outcome first = fetch("heart_scale", folder.path(), mirror);
  INFO(first.output);
  CHECK(first.status == 0);
  CHECK(file_count(folder.path()) == 1);
  DatasetRequest request;
  request.dataset = "heart_scale";
  request.data_dir = folder.path().string();
  CHECK(load_dataset(request).train.rows == 270);
  const Outcome second = fetch("heart_scale", folder.path(), mirror);
  CHECK(second.status == 0);
  CHECK_THAT(second.output, ContainsSubstring("there already"));
  CHECK_THAT(second.output, !ContainsSubstring("fetched"));
}

TEST_CASE("every file of the real data sets has the catalogue's checksums", "[data][fetch]") {
  std::string sums;
  for (const CatalogEntry& entry : catalog()) {
    // Those without a checksum are known by their address only.
    if (entry.train[0].sha256.empty()) continue;
    const fs::path folder = fs::exists(test::small_sets() / entry.name)
                                ? test::small_sets()
                                : test::large_sets_with(entry.name);
    if (folder.empty()) continue;
    for (const auto* files : {&entry.train, &entry.test}) {
      for (const CatalogFile& file : *files) {
        const fs::path stored = folder / file.path;
        sums += fmt::format("{}  {}\n", file.sha256, stored.string());
        const Outcome content = shell(fmt::format("gzip -dc {} | sha256sum", quoted_path(stored)));
        CHECK_THAT(content.output, ContainsSubstring(file.content_sha256));
        CHECK(file.content_sha256.size() == 64);
      }
    }
  }
  const TemporaryFolder folder;
  const Outcome stored = shell("sha256sum -c " + quoted_path(folder.write("sums", sums)));
  INFO(stored.output);
  CHECK(stored.status == 0);
}

TEST_CASE("a file that was damaged, cut or added to does not arrive", "[data][fetch]") {
  const TemporaryFolder folder;
  const std::string good = read_file(test::small_sets() / "heart_scale/heart_scale.gz");
  std::string damaged = good;
  damaged[good.size() / 2] = static_cast<char>(damaged[good.size() / 2] ^ 4);
  const fs::path mirror = folder.path() / "mirror";
  const fs::path target = folder.path() / "target";
  for (const std::string& bad :
       {damaged, good.substr(0, 2000), good + "x", gzipped("1 1:1\n"), std::string()}) {
    folder.write("mirror/heart_scale/heart_scale.gz", bad);
    const Outcome outcome = fetch("heart_scale", target, mirror);
    CHECK(outcome.status == 3);
    CHECK_THAT(outcome.output, ContainsSubstring("heart_scale/heart_scale.gz: the sha256 is"));
    CHECK(file_count(target) == 0);
  }
  // A damaged file under the data directory is replaced.
  folder.write("mirror/heart_scale/heart_scale.gz", good);
  folder.write("target/heart_scale/heart_scale.gz", damaged);
  CHECK(fetch("heart_scale", target, mirror).status == 0);
  CHECK(read_file(target / "heart_scale/heart_scale.gz") == good);
}

TEST_CASE("the same content packed by another gzip is accepted", "[data][fetch]") {
  const TemporaryFolder folder;
  const fs::path packed = test::small_sets() / "heart_scale/heart_scale.gz";
  fs::create_directories(folder.path() / "mirror/heart_scale");
  shell("gzip -dc " + quoted_path(packed) + " | gzip -1 > " +
        quoted_path(folder.path() / "mirror/heart_scale/heart_scale.gz"));
  CHECK(fetch("heart_scale", folder.path() / "target", folder.path() / "mirror").status == 0);
}

TEST_CASE("wrong use of the fetch script is told with the known names", "[data][fetch]") {
  const TemporaryFolder folder;
  const Outcome unknown = fetch("a9a nonesuch", folder.path() / "target", folder.path());
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.output, ContainsSubstring("no data set named 'nonesuch'; known: a9a w8a"));
  CHECK(file_count(folder.path()) == 0);
  CHECK(shell(quoted_path(script)).status == 2);
  CHECK(shell(quoted_path(script) + " a9a --data-dir").status == 2);
  CHECK(shell(quoted_path(script) + " a9a --quiet").status == 2);
  CHECK(fetch("letter", folder.path() / "target", folder.path() / "none").status == 1);
  const Outcome missing = fetch("letter", folder.path() / "target", folder.path());
  CHECK(missing.status == 1);
  CHECK_THAT(missing.output, ContainsSubstring("no file"));
  const Outcome no_source =
      shell(quoted_path(script) + " letter --data-dir " + quoted_path(folder.path() / "target"));
  CHECK(no_source.status == 1);
  CHECK_THAT(no_source.output, ContainsSubstring("copy it with --mirror"));
  const Outcome list = shell(quoted_path(script) + " --list");
  CHECK(list.status == 0);
  CHECK_THAT(list.output, ContainsSubstring("a9a                32561 rows       123 features"));
}

TEST_CASE("originals are downloaded, unpacked, tidied and packed as .gz", "[data][fetch]") {
  if (!has_tool("curl")) {
    WARN("skipped: no curl, and wget knows no file:// addresses");
    return;
  }
  const std::string content = "1 1:1 2:1\n-1 1:1\n";
  const std::string sum = "43cc4c291513841a1654a821b1100a94dafa5d22819a0c96e86c1f1434680f32";
  for (const std::string packer : {"cat", "bzip2", "xz", "gzip"}) {
    if (!has_tool(packer)) {
      WARN("skipped: no " << packer);
      continue;
    }
    INFO(packer);
    const TemporaryFolder folder;
    const std::string ending = packer == "cat"     ? ""
                               : packer == "bzip2" ? ".bz2"
                               : packer == "xz"    ? ".xz"
                                                   : ".gz";
    // What comes as .gz is kept as it is, the others lose the blanks at the ends of their lines.
    const fs::path plain =
        folder.write("plain", packer == "gzip" ? content : "1 1:1 2:1  \n-1 1:1 \n\n");
    const fs::path original = folder.path() / ("original" + ending);
    REQUIRE(shell(packer + " < " + quoted_path(plain) + " > " + quoted_path(original)).status == 0);
    const fs::path fetcher = script_with_set(folder, original, sum);
    const fs::path target = folder.path() / "target";
    const std::string command = quoted_path(fetcher) + " mine --data-dir " + quoted_path(target);
    const Outcome outcome = shell(command);
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK(shell("gzip -dc " + quoted_path(target / "mine/mine.gz")).output == content);
    CHECK_THAT(shell(command).output, ContainsSubstring("there already"));
    // An original cut short.
    if (packer == "cat") continue;
    fs::remove_all(target);
    fs::resize_file(original, fs::file_size(original) - 3);
    const Outcome cut = shell(command);
    INFO(cut.output);
    CHECK(cut.status != 0);
    CHECK(file_count(target) == 0);
  }
}

}  // namespace trainyard
