// What made the rows of a training file makes the same of another's.
#include "trainyard/data/preparation.hpp"

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "trainyard/base/error.hpp"
#include "trainyard/data/catalog.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* table =
    "id,age,town,when,left\n"
    "1,30,Kiel,1700000001,no\n"
    "2,41,Ulm,1700000900,yes\n"
    "3,,Kiel,1700000300,yes\n"
    "4,25,\"Bonn, am Rhein\",1700000700,no\n"
    "5,52,?,1700000100,no\n"
    "6,38,Ulm,1700000400,yes\n";

DatasetRequest table_request(const std::string& file, FeatureScaling scaling) {
  DatasetRequest request;
  request.dataset = file;
  request.label_column = "left";
  request.table.drop_columns = "id";
  request.table.missing = MissingFields::mean;
  request.scaling = scaling;
  request.intercept = true;
  return request;
}

/// The largest difference between two sets of rows.
double difference(const Dataset& a, const Dataset& b) {
  REQUIRE(a.rows == b.rows);
  REQUIRE(a.features == b.features);
  REQUIRE(a.sparse == b.sparse);
  double largest = 0.0;
  const std::size_t count = a.sparse ? a.values.size() : a.rows * a.features;
  REQUIRE((!a.sparse || a.values.size() == b.values.size()));
  for (std::size_t i = 0; i < count; ++i) {
    const double x = a.sparse ? a.values[i] : a.dense[i], y = b.sparse ? b.values[i] : b.dense[i];
    largest = std::max(largest, std::abs(x - y));
  }
  return largest;
}

Dataset again(const LoadedData& loaded, const std::string& file) {
  // By way of its text, as model.json has it.
  const Preparation preparation =
      parse_preparation(preparation_json(loaded.preparation), "model.json");
  const ReadOptions options = reading_of(preparation, file, guess_format(file));
  return prepared(read_coded_dataset(file, options).data, preparation);
}

}  // namespace

TEST_CASE("a table's rows are made again as training had them", "[data][preparation]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("rows.csv", table).string();
  for (const FeatureScaling scaling : {FeatureScaling::none, FeatureScaling::standard,
                                       FeatureScaling::minmax, FeatureScaling::unit_rows}) {
    const LoadedData loaded = load_dataset(table_request(file, scaling));
    const Dataset rows = again(loaded, file);
    CAPTURE(scaling_text(scaling));
    // Of times in seconds a float keeps the last two digits; then they are subtracted in double.
    const bool large = scaling == FeatureScaling::none;
    CHECK(difference(rows, loaded.train) <= (large ? 0.0 : 1e-6));
    CHECK(rows.intercept);
    CHECK(std::ranges::equal(rows.labels, loaded.train.labels));
  }
}

TEST_CASE("a LIBSVM file's rows are made again as training had them", "[data][preparation]") {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("rows.svm", "2 1:3 4:2\n1 2:5\n3 1:1 3:0.25 4:8\n2 4:1\n").string();
  for (const FeatureScaling scaling :
       {FeatureScaling::none, FeatureScaling::standard, FeatureScaling::minmax}) {
    DatasetRequest request;
    request.dataset = file;
    request.scaling = scaling;
    request.intercept = true;
    const LoadedData loaded = load_dataset(request);
    const Dataset rows = again(loaded, file);
    CHECK(difference(rows, loaded.train) == 0.0);
    CHECK(std::ranges::equal(rows.columns, loaded.train.columns));
    CHECK(std::ranges::equal(rows.labels, loaded.train.labels));
    CHECK(class_texts(loaded.preparation) == std::vector<std::string>{"1", "2", "3"});
  }
}

TEST_CASE("rows without labels are read where none are needed", "[data][preparation]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("rows.csv", table).string();
  const LoadedData loaded = load_dataset(table_request(file, FeatureScaling::standard));
  // By name, in another order, and without the column that is not used.
  const std::string other =
      folder.write("other.csv", "town,when,age\nUlm,1700000900,41\nRom,1700000001,30\n").string();
  const ReadOptions options = reading_of(loaded.preparation, other, Format::csv);
  const CodedDataset read = read_coded_dataset(other, options);
  CHECK_FALSE(read.labelled);
  CHECK(read.unknown_words == 1);
  const Dataset rows = prepared(read_coded_dataset(other, options).data, loaded.preparation);
  for (std::size_t f = 0; f < rows.features; ++f) {
    CHECK(rows.dense_row(0)[f] == Approx(loaded.train.dense_row(1)[f]).margin(1e-6));
  }
  const std::string bare = folder.write("bare.csv", "town,when\nUlm,1700000900\n").string();
  CHECK(error_of_file(bare, reading_of(loaded.preparation, bare, Format::csv)) ==
        bare + ":1:1: found no column 'age'; expected those of the training file");
}

TEST_CASE("in a table without a header line the label's column may be missing",
          "[data][preparation]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("rows.csv", "1,5,0.5\n0,6,0.25\n").string();
  DatasetRequest request;
  request.dataset = file;
  const LoadedData loaded = load_dataset(request);
  const std::string bare = folder.write("bare.csv", "5,0.5\n6,0.25\n7,1\n").string();
  const CodedDataset read =
      read_coded_dataset(bare, reading_of(loaded.preparation, bare, Format::csv));
  CHECK_FALSE(read.labelled);
  CHECK(read.data.rows == 3);
  CHECK(read.data.dense_row(1)[1] == 0.25F);
  const std::string narrow = folder.write("narrow.csv", "5\n6\n").string();
  CHECK_THAT(error_of_file(narrow, reading_of(loaded.preparation, narrow, Format::csv)),
             ContainsSubstring("found 1 column; expected 3 as in the training file"));
}

TEST_CASE("rows of a LIBSVM file have all a label, or none", "[data][preparation]") {
  ReadOptions options;
  options.labels = LabelUse::if_there;
  options.classes = 2;
  options.coding = LabelCoding::plus_minus;
  options.features = 3;
  CHECK_FALSE(read_coded_dataset_bytes("1:1 3:2\n2:1\n", {}, "rows", options).labelled);
  CHECK(read_coded_dataset_bytes("+1 1:1 3:2\n-1 2:1\n", {}, "rows", options).labelled);
  CHECK(error_of_bytes("+1 1:1\n2:1\n+1 3:1\n", options) ==
        "data: 1 of 3 rows have no label; expected one in each row, or in none (--no-labels "
        "passes them over)");
  options.labels = LabelUse::none;
  CHECK_FALSE(read_coded_dataset_bytes("7 1:1 3:2\nx 2:1\n", {}, "rows", options).labelled);
  options.labels = LabelUse::required;
  CHECK_THAT(error_of_bytes("1.5:1 3:2\n", options), ContainsSubstring("expected a class label"));
}

TEST_CASE("a file of another kind than the training file's is refused", "[data][preparation]") {
  Preparation sparse;
  sparse.sparse = true;
  sparse.features = 4;
  const auto error_of = [](const Preparation& preparation, Format format) -> std::string {
    try {
      reading_of(preparation, "new.txt", format);
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  };
  CHECK_THAT(error_of(sparse, Format::npy), ContainsSubstring("expected a LIBSVM file"));
  CHECK(error_of(sparse, Format::libsvm) == "no error");
  Preparation dense = sparse;
  dense.sparse = false;
  dense.format = Format::npy;
  CHECK(error_of(dense, Format::idx) == "no error");
  CHECK_THAT(error_of(dense, Format::csv), ContainsSubstring("file of format npy"));
  dense.schema = std::make_shared<const TableSchema>();
  CHECK(error_of(dense, Format::tsv) == "no error");
  CHECK_THAT(error_of(dense, Format::npy), ContainsSubstring("CSV or TSV file"));
}

TEST_CASE("what is wrong with a model.json's rows is said", "[data][preparation]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("rows.csv", table).string();
  const LoadedData loaded = load_dataset(table_request(file, FeatureScaling::standard));
  const Json right = Json::parse(preparation_json(loaded.preparation));
  const auto error_after = [&](const std::function<void(Json&)>& change) -> std::string {
    Json json = right;
    change(json);
    try {
      parse_preparation(json.dump(), "model.json");
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  };
  CHECK(error_after([](Json&) {}) == "no error");
  for (const auto& member : right.items()) {
    const std::string& name = member.key();  // a binding could not be captured
    CAPTURE(name);
    if (name == "feature_names") continue;  // for other programs: they follow from the table
    CHECK_THAT(error_after([&](Json& json) { json.erase(name); }),
               ContainsSubstring("found no member '" + name + "'"));
    CHECK(error_after([&](Json& json) { json[name] = Json::array({Json::object()}); }) !=
          "no error");
  }
  CHECK_THAT(error_after([](Json& json) { json["features"] = -3; }),
             ContainsSubstring("member 'features' is -3"));
  CHECK_THAT(error_after([](Json& json) { json["divided_by"].erase(0); }),
             ContainsSubstring("to divide by"));
  CHECK_THAT(error_after([](Json& json) { json["divided_by"] = Json::array(); }),
             ContainsSubstring("to divide by"));
  CHECK_THAT(
      error_after([](Json& json) { json["divided_by"] = json["subtracted"] = Json::array(); }),
      ContainsSubstring("do not go together"));
  CHECK_THAT(error_after([](Json& json) { json["filling"] = Json::array(); }),
             ContainsSubstring("found no numbers to fill in"));
  CHECK_THAT(error_after([](Json& json) { json["table"] = nullptr; }),
             ContainsSubstring("and no table"));
  CHECK_THAT(error_after([](Json& json) { json["table"]["columns"] = Json::array(); }),
             ContainsSubstring("found 0 features of columns"));
  CHECK_THAT(error_after([](Json& json) {
               json["classes"] = {"yes", "no"};
             }),
             ContainsSubstring("not in order"));
  CHECK_THAT(error_after([](Json& json) { json["first_index"] = 7; }),
             ContainsSubstring("neither 0 nor 1"));
  CHECK_THAT(error_after([](Json& json) { json["table"]["columns"][1]["words"][0] = "Zwickau"; }),
             ContainsSubstring("are not sorted"));
  CHECK_THAT(error_after([](Json& json) { json["table"]["columns"][0]["column"] = 5; }),
             ContainsSubstring("beyond the 5"));
  CHECK_THAT(error_after([](Json& json) { json["scaling"] = "sideways"; }),
             ContainsSubstring("'sideways' is not one of"));
  CHECK_THROWS_AS(parse_preparation("{", "model.json"), DataError);
}

TEST_CASE("words that are not UTF-8 come back as they were", "[data][preparation]") {
  Preparation preparation;
  preparation.features = 1;
  preparation.coding = LabelCoding::from_zero;
  preparation.classes = 3;
  TableSchema schema;
  schema.file_columns = 2;
  schema.columns = {{.column = 1,
                     .name = "Gr\xf6\xdf"
                             "e"}};
  schema.features = 1;
  schema.class_names = {"Kr\xf6te", "é", "\xff"};
  preparation.schema = std::make_shared<const TableSchema>(schema);
  const Preparation back = parse_preparation(preparation_json(preparation), "model.json");
  CHECK(class_texts(back) == schema.class_names);
  CHECK(back.schema->columns[0].name == schema.columns[0].name);
}

}  // namespace trainyard
