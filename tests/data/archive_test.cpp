// NumPy's .npz files of arrays with names: what is read is what was written, or it is refused.
#include "trainyard/data/archive.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/base/error.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"
#include "support/shell.hpp"

using namespace trainyard;

namespace {

/// One of each kind.
struct Held {
  std::uint64_t steps = 0;
  double loss = 0.0;
  std::string text;
  std::vector<std::uint32_t> stream;
  std::vector<std::string> texts;
  std::optional<double> there, missing;
  Duration time{0};
  VectorBuffer floats, doubles, none;

  void exchange(Archive& archive) {
    archive.exchange("steps", steps);
    archive.exchange("loss", loss);
    archive.exchange("text", text);
    archive.exchange("rank 0/streams/own", stream);
    archive.exchange("texts", texts);
    archive.exchange("there", there);
    archive.exchange("missing", missing);
    archive.exchange("time", time);
    archive.exchange("rank 0/kept/floats", floats);
    archive.exchange("rank 0/kept/doubles", doubles);
    archive.exchange("rank 0/kept/none", none);
  }
};

Held filled() {
  const std::vector<float> floats{0.5F, -1.25F, 3e-30F};
  const std::vector<double> doubles{1.0 / 3.0, 1e300};
  return {.steps = std::uint64_t{1} << 63U,
          .loss = 0.1,
          .text = "γ = 0.1",
          .stream = {1, 2, 0xFFFFFFFFU},
          .texts = {"", "two"},
          .there = -0.25,
          .missing = {},
          .time = Duration{7},
          .floats = VectorBuffer::copy_of(floats),
          .doubles = VectorBuffer::copy_of(doubles),
          .none = VectorBuffer(Scalar::float64, 0)};
}

std::filesystem::path written(const TemporaryFolder& folder) {
  Held held = filled();
  Archive archive;
  held.exchange(archive);
  archive.write(folder.path() / "a.npz");
  return folder.path() / "a.npz";
}

std::string bytes_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("an archive gives back what it was given", "[data]") {
  const TemporaryFolder folder;
  Archive archive = Archive::read(written(folder));
  Held held;
  held.exchange(archive);
  const Held expected = filled();
  CHECK(held.steps == expected.steps);
  CHECK(held.loss == expected.loss);
  CHECK(held.text == expected.text);
  CHECK(held.stream == expected.stream);
  CHECK(held.texts == expected.texts);
  CHECK(held.there == expected.there);
  CHECK(!held.missing);
  CHECK(held.time == expected.time);
  CHECK(std::ranges::equal(held.floats.view().bytes(), expected.floats.view().bytes()));
  CHECK(std::ranges::equal(held.doubles.view().bytes(), expected.doubles.view().bytes()));
  CHECK(held.none.empty());
  CHECK(held.none.scalar() == Scalar::float64);
  CHECK(archive.names_behind("rank 0/kept/") ==
        std::vector<std::string>{"doubles", "floats", "none"});
}

// Of more pieces than one, by which contents are checked and written.
TEST_CASE("an archive gives back a long vector", "[data]") {
  const TemporaryFolder folder;
  std::vector<float> values(700'001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1009);
  VectorBuffer vector = VectorBuffer::copy_of(ConstVector(std::span<const float>(values)));
  Archive archive;
  archive.exchange("long", vector);
  archive.write(folder.path() / "long.npz");
  Archive again = Archive::read(folder.path() / "long.npz");
  VectorBuffer read;
  again.exchange("long", read);
  CHECK(std::ranges::equal(read.view().bytes(), vector.view().bytes()));
}

TEST_CASE("an archive goes to another process in parts", "[data]") {
  const auto is_kept = [](std::string_view name) { return name.starts_with("rank 0/kept/"); };
  Held held = filled();
  Archive whole;
  held.exchange(whole);
  const auto kept = whole.packed(is_kept);
  const auto others = whole.packed([&](std::string_view name) { return !is_kept(name); });
  // What another process has of its own is not what this one has under these names.
  Held other = filled();
  other.steps = 7;
  other.floats = VectorBuffer::zeroed(Scalar::float64, 1);
  Archive together;
  other.exchange(together);
  together.drop(is_kept);
  CHECK(together.names_behind("rank 0/kept/").empty());
  CHECK(together.names_behind("rank 0/").size() == 1);
  together.take_over(kept);
  const TemporaryFolder folder;
  together.write(folder.path() / "together.npz");
  const auto all = together.packed([](std::string_view) { return true; });
  const auto check_read = [&](Archive archive) {
    CHECK_FALSE(archive.is_filled());
    Held read;
    read.exchange(archive);
    CHECK(read.steps == 7U);
    CHECK(read.text == held.text);
    CHECK(read.texts == held.texts);
    CHECK(read.missing == held.missing);
    CHECK(std::ranges::equal(read.floats.view().bytes(), held.floats.view().bytes()));
    CHECK(std::ranges::equal(read.doubles.view().bytes(), held.doubles.view().bytes()));
    CHECK(read.doubles.scalar() == Scalar::float64);
    CHECK(read.none.empty());
  };
  check_read(Archive::read(folder.path() / "together.npz"));
  check_read(Archive::unpacked(all));
  const Archive without = Archive::unpacked(others);
  CHECK(without.names_behind("rank 0/kept/").empty());
  CHECK_THROWS_AS(Archive::unpacked(std::span(all).first(all.size() - 1)), InternalError);
}

TEST_CASE("NumPy reads an archive", "[data]") {
  const TemporaryFolder folder;
  const std::filesystem::path file = written(folder);
  const test::ShellOutcome read = test::shell(
      "PATH=/usr/bin:$PATH python3 -c \"import numpy, sys; a = numpy.load(sys.argv[1]); "
      "print(a['steps'][0], a['rank 0/kept/floats'].dtype, a['rank 0/kept/doubles'][0], "
      "len(a.files), sum(v.size == 0 for v in a.values()))\" " +
      test::quoted_path(file));
  constexpr int no_such_command = 127;
  if (read.status == no_such_command ||
      read.output.find("No module named 'numpy'") != std::string::npos) {
    WARN("skipped: there is no NumPy");
    return;
  }
  CHECK(read.output == "9223372036854775808 float32 0.3333333333333333 13 3\n");
}

TEST_CASE("an archive that is cut off or changed anywhere is refused", "[data]") {
  const TemporaryFolder folder;
  const std::string whole = bytes_of_file(written(folder));
  const std::filesystem::path file = folder.path() / "b.npz";
  const std::size_t end_of_arrays = whole.find("PK\x01\x02");  // the directory says it all again
  std::size_t refused = 0, tried = 0;
  for (std::size_t place = 0; place < end_of_arrays; place += 7) {
    for (const bool cut : {true, false}) {
      std::string bytes = cut ? whole.substr(0, place) : whole;
      if (!cut) bytes[place] = static_cast<char>(bytes[place] ^ 0x10);
      std::ofstream(file, std::ios::binary) << bytes;
      ++tried;
      try {
        Archive archive = Archive::read(file);
        Held held;
        held.exchange(archive);
        // Nobody reads an array's date, or for which version of zip it is.
        const Held expected = filled();
        const bool same =
            held.steps == expected.steps && held.loss == expected.loss &&
            held.text == expected.text && held.stream == expected.stream &&
            std::ranges::equal(held.floats.view().bytes(), expected.floats.view().bytes());
        CHECK(same);
        CHECK(!cut);
      } catch (const DataError&) {
        ++refused;
      }
    }
  }
  CHECK(refused > tried * 9 / 10);
}

TEST_CASE("an archive that cannot be written leaves no file", "[data]") {
  const TemporaryFolder folder;
  Held held = filled();
  Archive archive;
  held.exchange(archive);
  CHECK_THROWS_WITH(archive.write(folder.path() / "no" / "a.npz"),
                    ContainsSubstring("cannot write") && ContainsSubstring("No such file"));
}

TEST_CASE("a missing array, and one of other numbers, are refused by name", "[data]") {
  const TemporaryFolder folder;
  Archive archive = Archive::read(written(folder));
  std::uint64_t count = 0;
  CHECK_THROWS_WITH(archive.exchange("steps of nobody", count),
                    ContainsSubstring("has no array 'steps of nobody'"));
  CHECK_THROWS_WITH(archive.exchange("loss", count), ContainsSubstring("loss"));
  CHECK_THROWS_AS(archive.exchange("rank 0/streams/own", count), DataError);
  CHECK_THROWS_AS(Archive::read(folder.path()), DataError);
  CHECK_THROWS_AS(Archive::read(folder.path() / "none.npz"), DataError);
}
