// Weights of rows: of a table's column, behind LIBSVM's labels, and of classes.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/data/class_weights.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/data/preparation.hpp"
#include "trainyard/data/row_windows.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using Weights = std::vector<float>;
using Names = std::vector<std::string>;

constexpr const char* table =
    "age,w,town,left\n"
    "30,2,Kiel,no\n"
    "41,0,Ulm,yes\n"
    "28,1,Kiel,yes\n"
    "25,0.5,Ulm,no\n"
    "52,3,Kiel,no\n"
    "38,1.5,Ulm,no\n";

Weights weights_of(const Dataset& data) {
  return {data.weights.begin(), data.weights.end()};
}

DatasetRequest request_for(const std::filesystem::path& file) {
  DatasetRequest request;
  request.dataset = file.string();
  request.label_column = "left";
  request.table.weight_column = "w";
  return request;
}

template <typename Error>
std::string error_of(const DatasetRequest& request) {
  try {
    (void)load_dataset(request);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

Dataset svm(std::string_view text) {
  return read_dataset_bytes(text, {}, "data", {});
}

}  // namespace

TEST_CASE("a column of weights is no feature, and has mean 1", "[data][weights]") {
  const TemporaryFolder folder;
  DatasetRequest request = request_for(folder.write("rows.csv", table));
  const LoadedData loaded = load_dataset(request);
  CHECK(feature_names(loaded.preparation) == Names{"age", "town=Kiel", "town=Ulm"});
  CHECK(weights_of(loaded.train) == Weights{2 / (8 / 6.0F), 0, 1 / (8 / 6.0F), 0.5F / (8 / 6.0F),
                                            3 / (8 / 6.0F), 1.5F / (8 / 6.0F)});
  CHECK_THAT(loaded.remarks.back(),
             ContainsSubstring("weighted by column 'w', divided by their mean, 1.333"));
  request.table.weight_column = "1";
  CHECK(fingerprint_of(load_dataset(request).train) == fingerprint_of(loaded.train));
  request.table.columns = "age";
  CHECK(load_dataset(request).train.features == 1);
  request.table.columns = "age,w";
  CHECK(load_dataset(request).train.features == 1);
}

TEST_CASE("test rows keep their weights, and are taken out before the mean", "[data][weights]") {
  const TemporaryFolder folder;
  const auto file = folder.write("rows.csv", table);
  DatasetRequest request = request_for(file);
  request.test = "every-fifth";
  const LoadedData fifth = load_dataset(request);
  CHECK(weights_of(fifth.train) == Weights{2, 0, 1, 0.5F, 1.5F});
  CHECK(weights_of(fifth.test) == Weights{3});
  CHECK_THAT(fifth.remarks.back(),
             EndsWith("weighted by column 'w'; test rows by column 'w', in weighted means"));
  request.test = file.string();
  CHECK(weights_of(load_dataset(request).test) == Weights{2, 0, 1, 0.5F, 3, 1.5F});
  request.test = folder.write("bare.csv", "age,town,left\n30,Kiel,no\n").string();
  CHECK_THAT(error_of<DataError>(request), ContainsSubstring("found no column 'w'"));
  request.test = folder.write("none.csv", "age,w,town,left\n30,0,Kiel,no\n").string();
  CHECK_THAT(error_of<DataError>(request), ContainsSubstring("the weights of all 1 rows are 0"));
}

TEST_CASE("weights that are none are refused with their places", "[data][weights]") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& second) {
    return error_of<DataError>(request_for(
        folder.write("rows.csv", "age,w,town,left\n1,1,Ulm,no\n2," + second + ",Ulm,yes\n")));
  };
  for (const char* weight : {"-1", "nan", "inf", "1e60", "", "many", "NA"}) {
    CAPTURE(weight);
    CHECK_THAT(refused(weight), ContainsSubstring("rows.csv:3:3: found "));
    CHECK_THAT(refused(weight), ContainsSubstring("expected the row's weight, a finite number"));
  }
  CHECK(refused("-0") == "no error");
  DatasetRequest dropped = request_for(
      folder.write("rows.csv", "age,w,town,left\n1,1,Ulm,no\n2,,Ulm,yes\n3,4,Ulm,yes\n"));
  dropped.table.missing = MissingFields::drop;
  CHECK(load_dataset(dropped).train.rows == 2);
  DatasetRequest zeros =
      request_for(folder.write("rows.csv", "age,w,left\n1,0,no\n2,0,yes\n3,0,yes\n"));
  CHECK_THAT(error_of<DataError>(zeros), ContainsSubstring("the weights of all 3 rows are 0"));
}

TEST_CASE("a weight column is another one than the label and the features", "[data][weights]") {
  const TemporaryFolder folder;
  DatasetRequest request = request_for(folder.write("rows.csv", table));
  request.table.weight_column = "weight";
  CHECK_THAT(error_of<OptionError>(request), ContainsSubstring("has no such column"));
  request.table.weight_column = "left";
  CHECK_THAT(error_of<OptionError>(request), ContainsSubstring("column 'left' holds the label"));
  request = request_for(folder.write("rows.csv", table));
  request.table.drop_columns = "w";
  CHECK_THAT(error_of<OptionError>(request), ContainsSubstring("column 'w' holds the weights"));
  request = request_for(folder.write("rows.csv", "w,left\n1,no\n2,yes\n"));
  CHECK_THAT(error_of<OptionError>(request), ContainsSubstring("no column is left for a feature"));
}

TEST_CASE("weights have the decimals of their table", "[data][weights]") {
  const TemporaryFolder folder;
  const DatasetRequest request =
      request_for(folder.write("rows.csv", "age;w;left\n1,5;0,5;no\n2,5;1,5;yes\n3,5;1,0;yes\n"));
  CHECK(weights_of(load_dataset(request).train) == Weights{0.5F, 1.5F, 1});
}

TEST_CASE("rows of LIBSVM may have weights behind their labels", "[data][libsvm][weights]") {
  CHECK(weights_of(svm("1:0.5 1:1\n-1:2 2:1\n+1:0 1:3\n")) == Weights{0.5F, 2, 0});
  // Rows without one weigh 1, before, between and behind.
  CHECK(weights_of(svm("1 1:1\n-1:2 2:1\n1 1:3\n-1:.25 2:3\n1 1:1\n")) ==
        Weights{1, 2, 1, 0.25F, 1});
  CHECK(svm("1 1:1\n-1 2:1\n").weights.empty());
  const Dataset plain = svm("1 1:1\n-1 2:1\n"), weighted = svm("1:3 1:1\n-1:4 2:1\n");
  CHECK(std::ranges::equal(plain.labels, weighted.labels));
  CHECK(std::ranges::equal(plain.columns, weighted.columns));
  // Of a file of many blocks too.
  std::string text;
  for (int row = 0; row < 200'000; ++row) {
    text += row == 150'000 ? "1:3 1:0.5\n" : row % 2 == 0 ? "1 1:0.5\n" : "-1 1:0.25\n";
  }
  const Dataset many = svm(text);
  REQUIRE(many.weights.size() == many.rows);
  CHECK(many.weights[150'000] == 3.0F);
  CHECK(std::ranges::count(many.weights, 1.0F) == 199'999);
}

TEST_CASE("real labels have weights behind them", "[data][libsvm][weights]") {
  ReadOptions options;
  options.real_labels = true;
  const Dataset data = read_dataset_bytes("1.5:2 1:1\n-3 2:1\n2:0.5 1:3\n", {}, "data", options);
  CHECK(weights_of(data) == Weights{2, 1, 0.5F});
  CHECK(data.targets[0] == 1.5F);
  CHECK(data.targets[2] == 2.0F);
}

TEST_CASE("rows that may have no label are asked about", "[data][libsvm][weights]") {
  const auto remarks = [](const char* text) {
    return read_coded_dataset_bytes(text, {}, "data", {}).remarks;
  };
  for (const char* text : {"1:2 2:1\n3:5 7:1\n", "1:2\n4:1 5:1\n"}) {
    REQUIRE(remarks(text).size() == 1);
    CHECK_THAT(remarks(text).front(), StartsWith("warning: data: what its rows begin with"));
  }
  // An index has no sign and no fraction, and is below the next; some row has a label alone.
  for (const char* text : {"1:2 2:1\n-1:5 7:1\n", "1:2 1:1\n2:5 7:1\n", "1:2 2:1\n2 7:1\n",
                           "+1:2 2:1\n-1:5 7:1\n", "1.0:2 2:1\n2.0:5 7:1\n"}) {
    CAPTURE(text);
    CHECK(remarks(text).empty());
  }
}

TEST_CASE("a model of label:weight takes what rows begin with for that", "[data][weights]") {
  const TemporaryFolder folder;
  const auto file = folder.write("rows.svm", "1:2 1:1\n-1:6 2:1\n1 1:1\n-1 2:1\n");
  DatasetRequest request;
  request.dataset = file.string();
  const LoadedData loaded = load_dataset(request);
  CHECK(weights_of(loaded.train) == Weights{0.8F, 2.4F, 0.4F, 0.4F});
  const Preparation stored = parse_preparation(preparation_json(loaded.preparation), "model.json");
  CHECK(stored.label_weights);
  ReadOptions options = reading_of(stored, file, Format::libsvm);
  const auto read = [&](const char* text) {
    return read_coded_dataset_bytes(text, {}, "data", options);
  };
  CHECK(weights_of(read("1:2 1:1\n-1:6 2:1\n").data) == Weights{2, 6});
  options.labels = LabelUse::none;
  CHECK(read("1:2\n1:6 2:1\n").data.nonzeros() == 1);  // labels that are passed over
  options = reading_of(stored, file, Format::libsvm);
  options.label_weights = false;
  const CodedDataset unlabelled = read("1:2\n1:6 2:1\n");
  CHECK_FALSE(unlabelled.labelled);
  CHECK(unlabelled.data.nonzeros() == 3);
  CHECK(weights_of(read("+1:2 1:1\n-1:6 2:1\n").data) == Weights{2, 6});  // no index has a sign
}

TEST_CASE("a model knows its weight column, and does without it", "[data][weights]") {
  const TemporaryFolder folder;
  const auto file = folder.write("rows.csv", table);
  const LoadedData loaded = load_dataset(request_for(file));
  const Preparation stored = parse_preparation(preparation_json(loaded.preparation), "model.json");
  const auto weights = [&](const std::string& text, const std::string& other = "") {
    ReadOptions options = reading_of(stored, file, Format::csv);
    options.other_weight_column = other;
    const CodedDataset read = read_coded_dataset_bytes(text, {}, "data", options);
    CHECK(read.data.features == 3);
    return weights_of(read.data);
  };
  CHECK(weights("town,left,w,age\nUlm,no,4,20\n") == Weights{4});
  CHECK(weights("town,w,age\nUlm,4,20\n").empty());     // nothing is measured without labels,
  CHECK(weights("town,w,age\nUlm,none,20\n").empty());  // so it may be anything
  CHECK(weights("town,left,age\nUlm,no,20\n").empty());
  CHECK(weights("town,age,n\nUlm,20,7\n").empty());
  CHECK(weights("town,age,n\nUlm,20,7\n", "n") == Weights{7});
  CHECK(weights("town,age,w,n\nUlm,20,4,7\n", "n") == Weights{7});
  CHECK_THROWS_WITH(weights("town,age,n\nUlm,20,7\n", "age"),
                    ContainsSubstring("it is one of the model's features"));
  CHECK_THROWS_WITH(weights("town,age,left\nUlm,20,no\n", "left"),
                    ContainsSubstring("it holds the label"));
  // By place: all columns, or neither label nor weight.
  CHECK(weights("20,4,Ulm,no\n") == Weights{4});
  CHECK(weights("20,Ulm\n").empty());
  CHECK_THROWS_WITH(weights("20,4,Ulm\n"),
                    ContainsSubstring("expected 4 as in the training file, or 2 without the label "
                                      "and the weight"));
}

TEST_CASE("the beginning of a file shows whether rows have label:weight", "[data][weights]") {
  const TemporaryFolder folder;
  ReadOptions options;
  options.features = 9;
  options.classes = 2;
  options.coding = LabelCoding::from_one;
  options.label_weights = true;
  const auto labelled = [&](const char* text, LabelUse use) {
    options.labels = use;
    RowWindows windows(folder.write("rows.svm", text), options);
    const auto rows = windows.next();
    CHECK(windows.remarks().empty() == (rows->labelled || rows->data.nonzeros() == 1));
    return rows->labelled;
  };
  CHECK(labelled("1:2 1:4\n2:6 4:1\n", LabelUse::if_there));
  CHECK(labelled("1 2:4\n2:6 4:1\n", LabelUse::if_there));
  CHECK_FALSE(labelled("1:2 2:4\n3:6 4:1\n", LabelUse::if_there));
  CHECK_FALSE(labelled("1:2 2:4\n3:-6 4:1\n", LabelUse::if_there));
  CHECK_FALSE(labelled("1:2 2:4\n3:-6 4:1\n", LabelUse::none));
  CHECK_FALSE(labelled("2:2 2:4\n1:6\n", LabelUse::none));  // labels that are passed over
}

TEST_CASE("windows of a file have its weights", "[data][weights]") {
  const TemporaryFolder folder;
  const auto file = folder.write("rows.csv", table);
  const LoadedData loaded = load_dataset(request_for(file));
  RowWindows windows(file, reading_of(loaded.preparation, file, Format::csv), 1);
  Weights all;
  while (const auto rows = windows.next()) {
    const Weights some = weights_of(rows->data);
    all.insert(all.end(), some.begin(), some.end());
  }
  CHECK(all == Weights{2, 0, 1, 0.5F, 3, 1.5F});
}

TEST_CASE("copied rows keep their weights", "[data][weights]") {
  const Dataset data = svm("1:3 1:1\n-1:4 2:1\n1:5 1:2\n");
  CHECK(weights_of(copy_rows(data, {2, 0})) == Weights{5, 3});
}

TEST_CASE("classes have weights by name, or balanced ones", "[data][weights]") {
  const TemporaryFolder folder;
  DatasetRequest request = request_for(folder.write("rows.csv", table));
  request.table.weight_column = "";
  request.class_weight = "balanced";  // 6 rows, 4 of them no: 6 / (2 · 4) and 6 / (2 · 2)
  const LoadedData balanced = load_dataset(request);
  CHECK(weights_of(balanced.train) == Weights{0.75F, 1.5F, 1.5F, 0.75F, 0.75F, 0.75F});
  CHECK(balanced.remarks.back() ==
        "note: training rows are weighted by their classes (no 0.75, yes 1.5)");
  request.class_weight = "yes:4";
  CHECK(weights_of(load_dataset(request).train) == Weights{0.5F, 2, 2, 0.5F, 0.5F, 0.5F});
  request.class_weight = "no:3,yes:12";
  CHECK(weights_of(load_dataset(request).train) == Weights{0.5F, 2, 2, 0.5F, 0.5F, 0.5F});
  request.class_weight = "yess:4";
  CHECK_THAT(error_of<OptionError>(request),
             ContainsSubstring("no such class; did you mean 'yes'? Expected one of no, yes"));
  request.class_weight = "yes:0,no:0";
  CHECK_THAT(error_of<DataError>(request), ContainsSubstring("the weights of all 6 rows are 0"));
}

TEST_CASE("weights of classes multiply those of rows, and leave test rows alone",
          "[data][weights]") {
  const TemporaryFolder folder;
  DatasetRequest request = request_for(folder.write("rows.csv", table));
  request.test = "every-fifth";
  request.class_weight = "yes:3";
  const LoadedData loaded = load_dataset(request);
  constexpr float mean = 7.0F / 5.0F;  // of 2, 0, 3, 0.5, 1.5
  CHECK(weights_of(loaded.train) == Weights{2 / mean, 0, 3 / mean, 0.5F / mean, 1.5F / mean});
  CHECK(weights_of(loaded.test) == Weights{3});
  CHECK_THAT(loaded.remarks.back(),
             ContainsSubstring("by column 'w' and their classes (no 1, yes 3), divided by"));
}

TEST_CASE("classes that are numbers are named as in the file", "[data][weights]") {
  const TemporaryFolder folder;
  DatasetRequest request;
  request.dataset = folder.write("rows.svm", "+1 1:1\n-1 2:1\n-1 1:1 2:1\n-1 2:2\n").string();
  for (const char* weights : {"+1:5", "1:5", "-1:1,1:5"}) {
    request.class_weight = weights;
    CHECK(weights_of(load_dataset(request).train) == Weights{2.5F, 0.5F, 0.5F, 0.5F});
  }
  request.class_weight = "2:5";
  CHECK_THAT(error_of<OptionError>(request), ContainsSubstring("Expected one of -1, 1"));
  request.class_weight = "balanced";
  request.real_labels = true;
  CHECK_THAT(error_of<OptionError>(request), ContainsSubstring("labels are real numbers"));
  request.real_labels = false;
  request.labels_used = false;
  CHECK_THAT(error_of<OptionError>(request), ContainsSubstring("does not look at labels"));
  DatasetRequest made;
  made.dataset = "blobs:600";
  made.class_weight = "3:2";
  const Dataset blobs = load_dataset(made).train;
  CHECK(blobs.weights.size() == blobs.rows);
}

TEST_CASE("weights of classes are written CLASS:W", "[data][weights]") {
  const auto parsed = [](const char* text) { return parse_class_weights(text, "--class-weight"); };
  CHECK(parsed("balanced").balanced);
  CHECK(parsed("a:1,\"b, c:2.5\"").named ==
        std::vector<std::pair<std::string, double>>{{"a", 1.0}, {"b, c", 2.5}});
  CHECK(parsed("12:30:2").named.front().first == "12:30");
  for (const char* text : {"even", "a:1,b", ":3", "a:-1", "a:inf", "a:x", "a:1,a:2"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parsed(text), StartsWith("--class-weight: "));
  }
}

}  // namespace trainyard
