// One data set in the memory of a machine, for all processes of a run.
#include "trainyard/data/shared_data.hpp"

#include <cstdint>
#include <fstream>
#include <ios>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/base/error.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

using namespace trainyard;

namespace {

LoadedData named_set() {
  LoadedData data;
  data.name = "rows";
  data.train = find_generator("sparse-logistic")->generator->make(3, 2000).train;
  data.test = find_generator("blobs")->generator->make(4, 2000).test;
  data.train.intercept = true;
  data.test.weights = AlignedBuffer<float>::zeroed(data.test.rows);
  data.test.weights[3] = 1.5F;
  data.largest_feature_line = 17;
  data.preparation.features = 2;
  data.preparation.intercept = true;
  TableSchema schema;
  schema.file_columns = 3;
  schema.has_names = true;
  schema.columns = {{.column = 1, .name = "a"}, {.column = 2, .name = "c\xff", .first = 1}};
  schema.features = 2;
  schema.class_names = {"no", "yes"};
  data.preparation.schema = std::make_shared<const TableSchema>(schema);
  data.remarks = {"note: one"};
  return data;
}

/// What the system says of the pages of an address: rights, offset, device, inode and name.
std::string mapping_of(const void* address) {
  std::ifstream maps("/proc/self/maps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  for (std::string line; std::getline(maps, line);) {
    std::istringstream text(line);
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    text >> std::hex >> begin >> dash >> end;
    if (begin <= wanted && wanted < end) return line.substr(line.find(' '));
  }
  return "none";
}

}  // namespace

TEST_CASE("a shared data set is that which was shared", "[data]") {
  LoadedData data = named_set();
  const std::uint64_t train = fingerprint_of(data.train), test = fingerprint_of(data.test);
  const SharedData shared(data);
  const LoadedData other = described_data(shared.description());
  for (const LoadedData* one : {&std::as_const(data), &other}) {
    CHECK(fingerprint_of(one->train) == train);
    CHECK(fingerprint_of(one->test) == test);
    CHECK(one->name == "rows");
    CHECK(one->train.intercept);
    CHECK(one->largest_feature_line == 17);
    CHECK(feature_names(one->preparation) == std::vector<std::string>{"a", "c\xff", "intercept"});
    CHECK(class_texts(one->preparation) == std::vector<std::string>{"no", "yes"});
    CHECK(one->remarks == std::vector<std::string>{"note: one"});
  }
}

TEST_CASE("the pages of a shared data set are the same, and nobody writes to them", "[data]") {
  LoadedData data = named_set();
  const SharedData shared(data);
  const LoadedData other = described_data(shared.description());
  REQUIRE(data.train.labels.data() != other.train.labels.data());
  const std::string mapping = mapping_of(data.train.labels.data());
  CHECK(mapping == mapping_of(other.train.labels.data()));
  CHECK_THAT(mapping, ContainsSubstring(" r--s ") && ContainsSubstring("memfd:trainyard data"));
}

TEST_CASE("a shared data set outlives the process's offer of it", "[data]") {
  LoadedData data = named_set();
  const std::uint64_t train = fingerprint_of(data.train);
  auto shared = std::make_unique<const SharedData>(data);
  const auto description = shared->description();
  const LoadedData other = described_data(description);
  shared.reset();
  data = {};
  CHECK(fingerprint_of(other.train) == train);
  CHECK_THROWS_AS(described_data(description), RunError);
}

TEST_CASE("another file under the same number is not taken for the data", "[data]") {
  LoadedData data = named_set();
  const SharedData shared(data);
  std::vector<std::byte> description = shared.description();
  description[3 * sizeof(std::uint64_t)] ^= std::byte{1};  // the inode, after process, file, device
  CHECK_THROWS_WITH(described_data(description), ContainsSubstring("is another file"));
}
