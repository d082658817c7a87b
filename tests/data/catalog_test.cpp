#include "trainyard/data/catalog.hpp"

#include <set>

#include "trainyard/base/error.hpp"

#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("the catalogue is whole", "[data][catalog]") {
  std::set<std::string> names;
  for (const CatalogEntry& entry : catalog()) {
    INFO(entry.name);
    CHECK(names.insert(entry.name).second);
    CHECK_FALSE(entry.summary.empty());
    CHECK_FALSE(entry.licence.empty());
    CHECK(entry.rows > 0);
    CHECK(entry.features > 0);
    CHECK(entry.classes >= 2);
    CHECK((entry.test_rows > 0) == !entry.test.empty());
    for (const auto* files : {&entry.train, &entry.test}) {
      for (const CatalogFile& file : *files) {
        CHECK(file.path.starts_with(entry.name + "/"));
        CHECK(file.path.ends_with(".gz"));
        CHECK((file.source.empty() || file.source.starts_with("https://")));
        // What can neither be downloaded nor verified would be of no use.
        CHECK((!file.source.empty() || !file.sha256.empty()));
        for (const std::string& sum : {file.sha256, file.content_sha256}) {
          CHECK((sum.empty() || (sum.size() == 64 &&
                                 sum.find_first_not_of("0123456789abcdef") == std::string::npos)));
        }
      }
    }
  }
  for (const char* name : {"a9a", "w8a", "rcv1-small", "news20-binary", "news20", "heart_scale",
                           "fashion-mnist", "letter", "optdigits", "higgs-small", "skin", "rcv1",
                           "covtype", "real-sim", "mnist", "news20.binary", "epsilon", "higgs"}) {
    INFO(name);
    CHECK(names.count(name) == 1);
  }
}

TEST_CASE("a broken catalogue is said to be so, with file and line", "[data][catalog]") {
  const auto message = [&](const std::string& content) {
    try {
      read_catalog(content, "catalog.toml");
    } catch (const InternalError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK_THAT(message("[[dataset]\n"), ContainsSubstring("catalog.toml:1: "));
  CHECK_THAT(message(""), ContainsSubstring("no [[dataset]]"));
  CHECK_THAT(message("dataset = [1]\n"), ContainsSubstring("expected a table"));
  CHECK_THAT(message("\n[[dataset]]\nsummary = \"x\"\n"),
             ContainsSubstring("catalog.toml:2: 'name' is missing"));
  const std::string known =
      "[[dataset]]\nname = \"x\"\nsummary = \"x\"\nlicence = \"x\"\nfeatures = 1\nclasses = 2\n";
  CHECK_THAT(message(known + "format = \"libsvm\"\nrows = -1\n"),
             ContainsSubstring("'rows' is missing or no count"));
  CHECK_THAT(message(known + "rows = 1\ntest_rows = 0\nformat = \"parquet\"\n"),
             ContainsSubstring("found 'parquet'; expected one of libsvm, csv, tsv, idx"));
  CHECK_THAT(message(known + "rows = 1\ntest_rows = 0\nformat = \"libsvm\"\n"),
             ContainsSubstring("'x' needs 1 training file(s)"));
}

}  // namespace trainyard
