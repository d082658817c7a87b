#include <string>

#include "trainyard/base/error.hpp"
#include "trainyard/data/catalog.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

DatasetRequest request_for(const std::string& dataset, const std::string& test = "") {
  DatasetRequest request;
  request.dataset = dataset;
  request.test = test;
  request.data_dir = "no-such-folder";
  return request;
}

template <typename Error>
std::string error_of(const DatasetRequest& request) {
  try {
    load_dataset(request);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("data sets are found by generator, name or path", "[data][load]") {
  const LoadedData built_in = load_dataset(DatasetRequest{});
  CHECK(built_in.name == "sparse-logistic");
  CHECK(built_in.train.rows == 20'000);
  CHECK(built_in.test.rows == 5'000);
  const TemporaryFolder folder;
  const std::string file = folder.write("mine.svm", "1 1:1\n-1 2:1\n").string();
  const LoadedData mine = load_dataset(request_for(file));
  CHECK(mine.name == "mine.svm");
  CHECK(mine.train.rows == 2);
  CHECK(mine.test.rows == 0);
}

TEST_CASE("a generator's seed is the request's", "[data][load]") {
  DatasetRequest first = request_for("blobs");
  DatasetRequest second = first;
  second.seed = 2;
  CHECK(fingerprint_of(load_dataset(first).train) == fingerprint_of(load_dataset(first).train));
  CHECK(fingerprint_of(load_dataset(first).train) != fingerprint_of(load_dataset(second).train));
}

TEST_CASE("unknown names are answered with the nearest known one", "[data][load]") {
  const std::string message = error_of<UsageError>(request_for("a9q"));
  CHECK_THAT(message, ContainsSubstring("no data set named 'a9q'"));
  CHECK_THAT(message, ContainsSubstring("did you mean 'a9a'?"));
  CHECK_THAT(message, ContainsSubstring("sparse-logistic"));
  CHECK(error_of<DataError>(request_for("missing.svm")) == "missing.svm: no such file");
  CHECK(error_of<DataError>(request_for("missing/file")) == "missing/file: no such file");
}

TEST_CASE("a known set that is not there says where and how to get it", "[data][load]") {
  CHECK(error_of<DataError>(request_for("a9a")) ==
        "data set 'a9a': no file no-such-folder/a9a/a9a.gz; get it with: "
        "scripts/fetch_datasets.sh a9a --data-dir no-such-folder");
  CHECK_THAT(error_of<DataError>(request_for("fashion-mnist")),
             ContainsSubstring("no-such-folder/fashion-mnist/train-"));
}

TEST_CASE("a test file has its training file's features and labels", "[data][load]") {
  const TemporaryFolder folder;
  const std::string train = folder.write("t", "1 1:1 5:2\n2 2:1\n3 3:1\n").string();
  const std::string fewer = folder.write("fewer", "2 1:1\n").string();
  const LoadedData padded = load_dataset(request_for(train, fewer));
  CHECK(padded.test.features == 5);
  CHECK(padded.test.classes == 3);
  CHECK(padded.test.labels[0] == 1);
  const std::string more = folder.write("more", "3 1:1 9:7\n").string();
  const LoadedData dropped = load_dataset(request_for(train, more));
  CHECK(dropped.test.features == 5);
  CHECK(dropped.test.nonzeros() == 1);
  const std::string other = folder.write("other", "1 1:1\n0 1:1\n").string();
  CHECK(error_of<DataError>(request_for(train, other)) ==
        other + ":2:1: found label 0; expected 1 to 3");
}

TEST_CASE("a test set every-fifth takes rows 4, 9, 14, ... out of training", "[data][load]") {
  const TemporaryFolder folder;
  std::string text;
  for (int row = 0; row < 11; ++row)
    text += std::to_string(row % 2) + "," + std::to_string(row) + "\n";
  const LoadedData loaded =
      load_dataset(request_for(folder.write("rows.csv", text).string(), "every-fifth"));
  CHECK(std::vector<float>(loaded.test.dense.begin(), loaded.test.dense.end()) ==
        std::vector<float>{4, 9});
  CHECK(std::vector<float>(loaded.train.dense.begin(), loaded.train.dense.end()) ==
        std::vector<float>{0, 1, 2, 3, 5, 6, 7, 8, 10});
  const std::string few = folder.write("few.csv", "0,1\n1,2\n").string();
  CHECK_THAT(error_of<UsageError>(request_for(few, "every-fifth")),
             ContainsSubstring("needs at least 5 rows"));
}

TEST_CASE("the format is guessed from the name unless it is given", "[data][load]") {
  CHECK(guess_format("a/b.csv") == Format::csv);
  CHECK(guess_format("a/b.csv.gz") == Format::csv);
  CHECK(guess_format("b.tsv") == Format::tsv);
  CHECK(guess_format("train-images-idx3-ubyte.gz") == Format::idx);
  CHECK(guess_format("x.idx") == Format::idx);
  CHECK(guess_format("X_train.npy.gz") == Format::npy);
  CHECK(guess_format("a9a.t") == Format::libsvm);
  CHECK(guess_format("a9a.gz") == Format::libsvm);
  const TemporaryFolder folder;
  DatasetRequest request = request_for(folder.write("table.txt", "1,2\n0,3\n").string());
  request.format = "csv";
  CHECK(load_dataset(request).train.rows == 2);
  request.format = "xlsx";
  CHECK(error_of<UsageError>(request) ==
        "--data-format: found 'xlsx'; expected one of libsvm, csv, tsv, idx, npy, npz");
  request.format = "csv";
  request.label_column.assign(1, '2');
  CHECK_THAT(error_of<OptionError>(request),
             ContainsSubstring("table.txt has 2 columns and no header line; expected a number from "
                               "0 to 1, or -1 for the last column"));
}

}  // namespace trainyard
