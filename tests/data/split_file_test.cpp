#include "trainyard/data/split_file.hpp"

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/memory_account.hpp"
#include "trainyard/data/partition.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

TrainTest generated(const char* name, std::size_t rows) {
  return find_generator(name)->generator->make(3, rows);
}

LoadedData sparse_set() {
  TrainTest made = generated("sparse-logistic", 2000);
  LoadedData data{"rows.txt", std::move(made.train), std::move(made.test)};
  data.largest_feature_line = 17;
  data.preparation.sparse = true;
  data.preparation.features = data.train.features;
  data.preparation.coding = LabelCoding::plus_minus;
  data.train.weights = AlignedBuffer<float>(data.train.rows);
  for (std::size_t row = 0; row < data.train.rows; ++row) {
    data.train.weights[row] = static_cast<float>(row % 5);
  }
  data.remarks = {"note: one"};
  return data;
}

LoadedData dense_set() {
  return {"blobs", generated("blobs", 1000).train, {}};
}

/// Dense rows whose labels are real numbers.
LoadedData real_set() {
  LoadedData data = dense_set();
  data.train.classes = 1;
  data.train.targets = AlignedBuffer<float>(data.train.rows);
  for (std::size_t row = 0; row < data.train.rows; ++row) {
    data.train.targets[row] = 0.5F * static_cast<float>(data.train.labels[row]);
    data.train.labels[row] = 0;
  }
  return data;
}

PartitionRule rule_of(const char* text) {
  return parse_partition(text, "--partition");
}

std::string bytes_of(const LoadedData& ordered) {
  const std::string head = split_file_head(ordered, {"iid", 7});
  std::string bytes;
  for (const std::string_view piece : split_file_pieces(ordered, head)) bytes += piece;
  return bytes;
}

LoadedData divided(LoadedData data, const char* rule, std::size_t workers) {
  const auto parts = divide_rows(data.train, rule_of(rule), workers, 7);
  return in_order_of_parts(std::move(data), parts);
}

std::string error_of(const fs::path& file, RowCheck check = RowCheck::all) {
  try {
    (void)open_split_file(file, check);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

/// Of the mapping at an address: KiB of it that this process has in memory.
std::size_t resident_kib(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  bool found = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0, end = 0, kib = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx ", &begin, &end) == 2) {
      found = begin <= wanted && wanted < end;
    } else if (found && std::sscanf(line.c_str(), "Rss: %llu kB", &kib) == 1) {
      return kib;
    }
  }
  FAIL("the address is not mapped");
  return 0;
}

}  // namespace

TEST_CASE("a split file holds the data set in the order of its parts", "[data]") {
  const TemporaryFolder folder;
  for (const auto make : {sparse_set, dense_set, real_set}) {
    const LoadedData ordered = divided(make(), "shards", 3);
    CAPTURE(ordered.name);
    const fs::path file = folder.write("rows.split", bytes_of(ordered));
    CHECK(is_split_file(file));
    for (const RowCheck check : {RowCheck::all, RowCheck::later}) {
      const std::size_t held = memory_held();
      const LoadedData opened = open_split_file(file, check);
      CHECK(memory_held() == held);  // the system may drop its pages
      CHECK(fingerprint_of(opened.train) == fingerprint_of(ordered.train));
      CHECK(fingerprint_of(opened.test) == fingerprint_of(ordered.test));
      CHECK(opened.train.part_begin == ordered.train.part_begin);
      CHECK(class_texts(opened.preparation) == class_texts(ordered.preparation));
      CHECK(opened.largest_feature_line == ordered.largest_feature_line);
      CHECK(opened.name == "rows.split");
      REQUIRE(opened.remarks.size() == ordered.remarks.size() + 1);
      CHECK_THAT(opened.remarks.back(), ContainsSubstring(ordered.name) &&
                                            ContainsSubstring("3 workers by iid with seed 7"));
      CHECK(opened.train.unchecked_file.empty() == (check == RowCheck::all));
    }
  }
}

TEST_CASE("the parts of a split file are those of a run that divides the rows itself", "[data]") {
  const TemporaryFolder folder;
  for (const char* rule :
       {"iid", "contiguous", "shards", "label-quantity:2", "dirichlet:0.5", "size:1"}) {
    for (const std::size_t workers : {1, 2, 7}) {
      CAPTURE(rule, workers);
      const LoadedData whole = sparse_set();
      const auto own = partition(whole.train, rule_of(rule), workers, 7);
      const LoadedData opened = open_split_file(
          folder.write("rows.split", bytes_of(divided(sparse_set(), rule, workers))),
          RowCheck::all);
      const auto written = partition(opened.train, rule_of("split"), workers, 7);
      REQUIRE(written.size() == workers);
      for (std::size_t w = 0; w < workers; ++w) {
        CHECK(fingerprint_of(copy_rows(opened.train, written[w])) ==
              fingerprint_of(copy_rows(whole.train, own[w])));
      }
    }
  }
}

TEST_CASE("split files that differ in anything say so", "[data]") {
  const TemporaryFolder folder;
  const auto content = [&](const LoadedData& ordered, const Division& division) {
    const std::string head = split_file_head(ordered, division);
    std::string bytes;
    for (const std::string_view piece : split_file_pieces(ordered, head)) bytes += piece;
    return open_split_file(folder.write("rows.split", bytes), RowCheck::later).content;
  };
  LoadedData ordered = divided(sparse_set(), "iid", 3);
  const std::uint64_t first = content(ordered, {"iid", 7});
  CHECK(content(ordered, {"iid", 7}) == first);
  CHECK(content(ordered, {"iid", 8}) != first);
  CHECK(content(divided(sparse_set(), "iid", 2), {"iid", 7}) != first);
  CHECK(content(divided(sparse_set(), "shards", 3), {"iid", 7}) != first);
  ordered.test.values[0] += 1.0F;
  CHECK(content(ordered, {"iid", 7}) != first);
}

TEST_CASE("a split file can be divided anew", "[data]") {
  const TemporaryFolder folder;
  const LoadedData first = divided(sparse_set(), "iid", 4);
  LoadedData opened = open_split_file(folder.write("rows.split", bytes_of(first)), RowCheck::later);
  const LoadedData again = divided(std::move(opened), "shards", 3);
  CHECK(again.train.part_begin.size() == 4);
  CHECK(again.train.unchecked_file.empty());
  CHECK(again.train.rows == first.train.rows);
  CHECK(again.train.nonzeros() == first.train.nonzeros());
}

TEST_CASE("parts are asked for where there are such, and as many", "[data][partition]") {
  const LoadedData ordered = divided(dense_set(), "iid", 4);
  CHECK_THROWS_WITH(partition(dense_set().train, rule_of("split"), 4, 1),
                    ContainsSubstring("--partition split") && ContainsSubstring("trainyard split"));
  CHECK_THROWS_WITH(partition(ordered.train, rule_of("split"), 5, 1),
                    ContainsSubstring("among 4 workers, and there are 5"));
}

TEST_CASE("a process has the pages in memory of the rows that it reads alone", "[data]") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "rows.split";
  {
    TrainTest made = generated("sparse-logistic", 200000);
    const LoadedData ordered = divided({"rows", std::move(made.train), {}}, "iid", 8);
    std::ofstream(file) << bytes_of(ordered);
  }
  const LoadedData opened = open_split_file(file, RowCheck::later);
  const std::size_t kib = opened.train.columns.span().size_bytes() / 1024;
  REQUIRE(kib > 8 * 1024);  // so that what the system maps around a page matters little
  const auto parts = partition(opened.train, rule_of("split"), 8, 1);
  CHECK(copy_rows(opened.train, parts[5]).rows == parts[5].size());
  CHECK(resident_kib(opened.train.columns.data()) < kib / 4);
  CHECK(open_split_file(file, RowCheck::all).train.rows == opened.train.rows);
}

TEST_CASE("a split file that is cut short or longer is refused", "[data]") {
  const TemporaryFolder folder;
  const std::string bytes = bytes_of(divided(sparse_set(), "iid", 2));
  const auto error_with = [&](std::string_view content) {
    return error_of(folder.write("rows.split", content));
  };
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{16}}) {
    CHECK_THAT(error_with(std::string_view(bytes).substr(0, size)),
               ContainsSubstring(size < 16 ? "not a file that 'trainyard split' has written"
                                           : "another byte order"));
  }
  for (const std::size_t size : {std::size_t{60}, bytes.size() - 1, bytes.size() / 2}) {
    CAPTURE(size);
    CHECK_THAT(error_with(std::string_view(bytes).substr(0, size)),
               ContainsSubstring("rows.split: ") && ContainsSubstring("was it copied whole?"));
  }
  CHECK_THAT(error_with(bytes + "x"), ContainsSubstring("was it copied whole?"));
  CHECK_THAT(error_of(folder.path() / "none"), ContainsSubstring("No such file"));
}

TEST_CASE("a beginning that is another program's is refused", "[data]") {
  const TemporaryFolder folder;
  const std::string bytes = bytes_of(divided(sparse_set(), "iid", 2));
  const auto error_with = [&](std::size_t at, char byte) {
    std::string changed = bytes;
    changed[at] = byte;
    return error_of(folder.write("rows.split", changed));
  };
  CHECK_THAT(error_with(3, 'X'), ContainsSubstring("not a file that 'trainyard split'"));
  CHECK_THAT(error_with(16, 1), ContainsSubstring("another byte order"));
  CHECK_THAT(error_with(24, 1), ContainsSubstring("version 4") && ContainsSubstring("version 1"));
  // A description that is shorter, longer, and longer than all there is.
  CHECK_THAT(error_with(33, static_cast<char>(bytes[33] - 1)),
             ContainsSubstring("description of its arrays is not whole"));
  CHECK_THAT(error_with(32, static_cast<char>(bytes[32] + 8)),
             ContainsSubstring("more in the description"));
  CHECK_THAT(error_with(34, 0x7f), ContainsSubstring("ends within the description"));
  CHECK_THAT(error_with(39, 0x7f), ContainsSubstring("its description has "));
}

TEST_CASE("arrays that do not go together are refused", "[data]") {
  const TemporaryFolder folder;
  const auto error_after = [&](LoadedData (*make)(), const auto& change) {
    LoadedData ordered = divided(make(), "iid", 2);
    change(ordered);
    return error_of(folder.write("rows.split", bytes_of(ordered)));
  };
  using Change = std::function<void(LoadedData&)>;
  const std::vector<Change> shapes{
      [](LoadedData& d) { d.train.rows += 1; },
      [](LoadedData& d) { d.train.rows -= 1; },
      [](LoadedData& d) { d.train.rows = std::numeric_limits<std::size_t>::max(); },
      [](LoadedData& d) { d.train.features = 0; },
      [](LoadedData& d) { d.train.features = std::size_t{1} << 40U; },
      [](LoadedData& d) { d.train.classes = 0; },
      [](LoadedData& d) { d.train.classes = 1; },
      [](LoadedData& d) { d.train.classes = -3; },
      [](LoadedData& d) { d.train.sparse = !d.train.sparse; },
      [](LoadedData& d) { d.train.targets = AlignedBuffer<float>::zeroed(3); },
      [](LoadedData& d) { d.train.columns = AlignedBuffer<std::uint32_t>::zeroed(3); },
      [](LoadedData& d) { d.train.dense = AlignedBuffer<float>::zeroed(3); },
  };
  for (const auto make : {sparse_set, dense_set}) {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      CAPTURE(make().name, i);
      CHECK_THAT(error_after(make, shapes[i]), ContainsSubstring("sizes that do not go together"));
    }
  }
  for (const std::vector<double>& weights :
       {std::vector<double>(9, 1.0), std::vector<double>(10, -1.0),
        std::vector<double>(10, std::numeric_limits<double>::infinity())}) {
    CHECK_THAT(error_after(dense_set, [&](LoadedData& d) { d.class_weights = weights; }),
               ContainsSubstring("its classes have not a weight each"));
  }
  for (const Change& change : std::vector<Change>{[](LoadedData& d) {
                                                    d.train.part_begin = {0, 0, d.train.rows};
                                                  },
                                                  [](LoadedData& d) {
                                                    d.train.part_begin = {1, d.train.rows};
                                                  },
                                                  [](LoadedData& d) {
                                                    d.train.part_begin = {0, d.train.rows - 1};
                                                  },
                                                  [](LoadedData& d) {
                                                    d.train.part_begin = {0, 9, 5, d.train.rows};
                                                  },
                                                  [](LoadedData& d) { d.train.part_begin = {0}; },
                                                  [](LoadedData& d) { d.train.part_begin = {}; }}) {
    CHECK_THAT(error_after(dense_set, change), ContainsSubstring("parts are not all of its rows"));
  }
  CHECK_THAT(error_after(sparse_set, [](LoadedData& d) { d.preparation.features += 1; }),
             ContainsSubstring("not the features or classes"));
  CHECK_THAT(error_after(sparse_set, [](LoadedData& d) { d.preparation.intercept = true; }),
             ContainsSubstring("not the features or classes"));
  CHECK_THAT(error_after(sparse_set, [](LoadedData& d) { d.test.rows = 0; }),
             ContainsSubstring("arrays of test or validation rows"));
  CHECK_THAT(error_after(sparse_set,
                         [](LoadedData& d) {
                           d.test.part_begin = {0, 1};
                         }),
             ContainsSubstring("test or validation rows are not like"));
  CHECK_THAT(error_after(sparse_set, [](LoadedData& d) { d.test.features += 1; }),
             ContainsSubstring("test or validation rows are not like"));
  CHECK_THAT(error_after(sparse_set, [](LoadedData& d) { d.test.rows += 1; }),
             ContainsSubstring("sizes that do not go together"));
  CHECK_THAT(error_after(sparse_set, [](LoadedData& d) { d.train.row_begin[0] = 1; }),
             ContainsSubstring("not all of its nonzeros"));
}

TEST_CASE("rows that hold what they may not are refused by who reads them", "[data]") {
  const TemporaryFolder folder;
  constexpr std::size_t row = 5;
  struct Fault {
    LoadedData (*make)();
    std::function<void(Dataset&)> damage;
    const char* message;
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Fault> faults{
      {sparse_set, [](Dataset& d) { d.labels[row] = 2; }, "a class that is none"},
      {sparse_set, [](Dataset& d) { d.labels[row] = -1; }, "a class that is none"},
      {sparse_set, [](Dataset& d) { d.row_begin[row + 1] = d.columns.size() + 1; },
       "nonzeros that are another row's"},
      {sparse_set, [](Dataset& d) { d.columns[d.row_begin[row]] = 1U << 31U; },
       "a feature beyond the last"},
      {sparse_set,
       [](Dataset& d) { d.columns[d.row_begin[row] + 1] = d.columns[d.row_begin[row]]; },
       "features in disorder"},
      {sparse_set, [=](Dataset& d) { d.values[d.row_begin[row]] = nan; }, "a value that is no"},
      {dense_set, [=](Dataset& d) { d.dense[row * d.features] = nan; }, "a value that is no"},
      {real_set, [=](Dataset& d) { d.targets[row] = nan; }, "a label that is no number"},
  };
  for (const Fault& fault : faults) {
    LoadedData ordered = divided(fault.make(), "iid", 2);
    fault.damage(ordered.train);
    const fs::path file = folder.write("rows.split", bytes_of(ordered));
    const std::string told = fmt::format("rows.split: its row {} has {}", row, fault.message);
    CHECK_THAT(error_of(file), ContainsSubstring(told));
    const LoadedData opened = open_split_file(file, RowCheck::later);
    CHECK_THROWS_WITH(copy_rows(opened.train, {0, row}), ContainsSubstring(told));
    CHECK(copy_rows(opened.train, {0, row + 2}).rows == 2);
  }
  LoadedData ordered = divided(sparse_set(), "iid", 2);
  ordered.test.values[0] = nan;
  CHECK_THAT(error_of(folder.write("rows.split", bytes_of(ordered))),
             ContainsSubstring("its row 0 has a value that is no number"));
}
