// Small files of which each was once read wrongly without a word, or refused without help. They lie
// beside a development checkout; the kinds that they stand for are in the tests of their subjects.
#include <algorithm>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/data/catalog.hpp"

#include "support/catch.hpp"
#include "support/data_sets.hpp"

namespace trainyard {

namespace {

struct Input {
  const char* file;
  std::string label_column;
  std::size_t rows;  // 0: it is refused
  std::string says;  // the refusal, or one of the remarks; empty: none is asked for
};

struct Outcome {
  std::size_t rows = 0;
  std::string says;
};

Outcome outcome_of(const DatasetRequest& request) {
  Outcome outcome;
  try {
    const LoadedData loaded = load_dataset(request);
    outcome.rows = loaded.train.rows;
    for (const std::string& remark : loaded.remarks) outcome.says += remark + "\n";
  } catch (const DataError& error) {
    outcome.says = error.what();
  } catch (const OptionError& error) {
    outcome.says = error.what();
  }
  return outcome;
}

}  // namespace

TEST_CASE("files that were read wrongly are read, or refused with what to do", "[data][inputs]") {
  const std::filesystem::path folder = test::small_inputs();
  if (folder.empty()) return;
  for (const Input& input : std::vector<Input>{
           {"f01_semicolon_decimal_comma.csv", "0", 4, "--delimiter ';' --decimal ,"},
           {"f03_numbered_header.csv", "0", 4, "is taken for the names of columns"},
           {"f05_years_as_names.csv", "y", 4, ""},
           {"f07_id_first.csv", "0", 0, "column 'Id', the label, differs in every row"},
           {"f11_one_class.svm", "0", 0, "the same in all 4 rows"},
           {"f13_labels_2_4.csv", "-1", 4, "the labels 2, 4 are taken for classes"},
           {"f15_commas.data", "0", 4, ""},
           {"f17_label_last.csv", "0", 0, "--label-column says which column is the label, -1 the"},
           {"f19_utf16.csv", "0", 0, "is UTF-16; save it as UTF-8"},
           {"f21_arrays.npz", "0", 4, ""},
           {"f23_weka.arff", "0", 0, "is an ARFF file"},
           {"f25_blank_after_colon.svm", "0", 4, ""},
           {"f27_same_name_twice.csv", "x", 0, "several columns of this name; expected a number"},
           {"f33_every_name_once.csv", "0", 100, "comes once, as in an identifier"},
           {"f35_old_mac_lines.csv", "0", 0, "its line ends are CR"},
       }) {
    INFO(input.file);
    DatasetRequest request;
    request.dataset = (folder / input.file).string();
    request.label_column = input.label_column;
    const Outcome outcome = outcome_of(request);
    CHECK(outcome.rows == input.rows);
    CHECK_THAT(outcome.says, ContainsSubstring(input.says));
  }
}

TEST_CASE("of times in seconds scaling leaves what they differ by", "[data][inputs]") {
  const std::filesystem::path folder = test::small_inputs();
  if (folder.empty()) return;
  DatasetRequest request;
  request.dataset = (folder / "f09_unix_times.csv").string();
  request.scaling = FeatureScaling::standard;
  const Dataset train = load_dataset(request).train;
  std::vector<float> values(train.dense.begin(), train.dense.end());
  std::ranges::sort(values);
  CHECK(std::ranges::adjacent_find(values) == values.end());
}

}  // namespace trainyard
