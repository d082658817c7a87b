#include "trainyard/report/zip_archive.hpp"

#include <string>

#include "data/byte_source.hpp"
#include "data/zip.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

std::string whole(ByteSource& source) {
  std::string text;
  for (std::string piece(1000, '\0');;) {
    const std::size_t count = source.read(piece);
    text.append(piece, 0, count);
    if (count < piece.size()) return text;
  }
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * i) + ",";
  return text;
}

ZipArchive two_files() {
  ZipArchive archive;
  archive.add("a.html", "<p>one</p>");
  archive.add("folder/b.js", long_text());
  return archive;
}

}  // namespace

TEST_CASE("a zip archive gives back what was added, in its order", "[data]") {
  const std::string bytes = two_files().finished();
  CHECK(bytes.size() < long_text().size());
  const auto source = open_plain_bytes(bytes);
  const std::string texts[] = {"<p>one</p>", long_text()};
  const std::string names[] = {"a.html", "folder/b.js"};
  for (int i = 0; i < 2; ++i) {
    const auto entry = next_zip_entry(*source, "archive");
    REQUIRE(entry.has_value());
    CHECK(entry->name == names[i]);
    CHECK(entry->method == 8);
    std::string packed(entry->bytes, '\0');
    REQUIRE(source->read(packed) == entry->bytes);
    // Which checks the content's checksum, too.
    const auto content = open_zip_entry(open_plain_bytes(packed), *entry, "archive");
    CHECK(whole(*content) == texts[i]);
  }
  CHECK_FALSE(next_zip_entry(*source, "archive").has_value());
}

TEST_CASE("a zip archive's directory, by which others open it, leads to each file", "[data]") {
  const std::string bytes = two_files().finished();
  const auto number = [&](std::size_t at, int count) {
    std::size_t value = 0;
    for (int i = count; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
    return value;
  };
  const std::size_t end = bytes.size() - 22;
  REQUIRE(bytes.substr(end, 4) == "PK\5\6");
  CHECK(number(end + 10, 2) == 2);
  std::size_t at = number(end + 16, 4);
  CHECK(at + number(end + 12, 4) == end);
  for (const std::string name : {"a.html", "folder/b.js"}) {
    REQUIRE(bytes.substr(at, 4) == "PK\1\2");
    CHECK(bytes.substr(at + 46, number(at + 28, 2)) == name);
    const std::size_t file = number(at + 42, 4);
    CHECK(bytes.substr(file, 4) == "PK\3\4");
    CHECK(bytes.substr(file + 30, number(file + 26, 2)) == name);
    // From the version that unpacking needs to the length of the name.
    CHECK(bytes.substr(at + 6, 24) == bytes.substr(file + 4, 24));
    at += 46 + name.size();
  }
  CHECK(at == end);
}

TEST_CASE("the same files give the same zip archive", "[data]") {
  CHECK(two_files().finished() == two_files().finished());
}

TEST_CASE("an empty zip archive is its end alone", "[data]") {
  std::string end("PK\5\6", 4);
  end.resize(22);  // with zeros
  CHECK(ZipArchive().finished() == end);
}

}  // namespace trainyard
