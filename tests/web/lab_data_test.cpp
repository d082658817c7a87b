#include "web/lab_data.hpp"

#include <cstdlib>
#include <string>

#include <stdlib.h>
#include <sys/stat.h>

#include "trainyard/base/error.hpp"
#include "trainyard/run/run.hpp"

#include "support/catch.hpp"
#include "web/lab_question.hpp"

namespace trainyard {

namespace {

using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;

constexpr const char* rows = "1,0.5,2\n0,-1,3\n1,0.25,1\n0,-2,4\n1,1,1\n0,-1,2\n";

std::string error_of(LabData& data, const std::string& name, const std::string& bytes,
                     const std::vector<OptionText>& options = {}) {
  try {
    (void)data.add(name, bytes, options);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a folder for uploads that is none is named, with what names another", "[web]") {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", "/nowhere/at/all", 1);
  LabData data;
  const std::string error = error_of(data, "rows.csv", rows);
  if (before == nullptr) {
    unsetenv("TMPDIR");
  } else {
    setenv("TMPDIR", kept.c_str(), 1);
  }
  CHECK(error ==
        "no folder for uploads: /nowhere/at/all is none (No such file or directory); TMPDIR names "
        "one");
}

TEST_CASE("an upload is kept where nobody else looks and goes with the last who has it", "[web]") {
  fs::path file, folder;
  std::shared_ptr<const UploadedData> kept;
  {
    LabData data;
    kept = data.add("../../etc/rows.csv", rows, {});
    CHECK(kept->name == "rows.csv");
    CHECK(kept->rows == 6);
    CHECK(kept->features == 2);
    CHECK(kept->classes == 2);
    CHECK(kept->token.size() == 32);
    file = kept->file;
    folder = file.parent_path();
    struct stat about {};
    REQUIRE(stat(folder.c_str(), &about) == 0);
    CHECK((about.st_mode & 0777U) == 0700U);
    CHECK(fs::exists(file));
    CHECK(data.find(kept->token) == kept);
    CHECK(data.find("") == nullptr);
    for (std::size_t i = 0; i < LabData::most_uploads; ++i) (void)data.add("x.csv", rows, {});
    CHECK(data.find(kept->token) == nullptr);  // the oldest is out
    CHECK(fs::exists(file));                   // but somebody may be computing on it
    kept.reset();
    CHECK(!fs::exists(file));
    CHECK(fs::exists(folder));
  }
  CHECK(!fs::exists(folder));
}

TEST_CASE("uploads are refused with row and column and under the user's name", "[web]") {
  LabData data;
  CHECK_THAT(error_of(data, "my rows.csv", "1,2\n0,x\n1,3\n"), StartsWith("my rows.csv:2:3: "));
  CHECK_THAT(error_of(data, "rows.svm", "1 1:2\n0 2:y\n"), StartsWith("rows.svm:2:5"));
  CHECK_THAT(error_of(data, "rows.exe", "1,2\n"), ContainsSubstring("ends in none of .csv"));
  CHECK_THAT(error_of(data, "", "1,2\n"), ContainsSubstring("ends in none of .csv"));
  CHECK_THAT(error_of(data, "rows.csv", ""), StartsWith("rows.csv"));
  CHECK_THAT(error_of(data, "rows.csv", "\x1f\x8b..."), ContainsSubstring("is compressed"));
  CHECK_THAT(error_of(data, "rows.svm", "1 2000000000:1\n0 1:1\n"),
             ContainsSubstring("2000000000 features; the lab takes up to 200000"));
  CHECK_THAT(error_of(data, "rows.csv", rows, {{"label-column", "9"}}),
             StartsWith("--label-column"));
  CHECK_THAT(error_of(data, "rows.csv", std::string(LabData::most_upload_bytes + 1, '1')),
             ContainsSubstring("more than 8 MiB"));
}

TEST_CASE("a table that would become gigabytes is refused before it does", "[web]") {
  LabData data;
  std::string words;
  for (int i = 0; i < 700'000; ++i) words += "0,w" + std::to_string(i % 999) + "\n";
  CHECK_THAT(error_of(data, "words.csv", words), ContainsSubstring("700001 lines of 999 features"));
  // A row has room for all columns of the first one, however few it has.
  const auto wide = [](int columns, int rows) {
    std::string text = "1";
    for (int i = 1; i < columns; ++i) text += ",1";
    text += "\n";
    for (int i = 0; i < rows; ++i) text += "0\n";
    return text;
  };
  CHECK_THAT(error_of(data, "wide.csv", wide(100'000, 1'000'000)),
             ContainsSubstring("1000002 lines of 99999 features"));
  CHECK_THAT(error_of(data, "wide.csv", wide(200'001, 1)), ContainsSubstring("200001 columns"));
  std::string few = "kind,colour\n";
  for (int i = 0; i < 2000; ++i) {
    few += std::to_string(i % 2) + ",c" + std::to_string(i % 20) + "\n";
  }
  CHECK(data.add("few.csv", few, {})->features == 20);
}

TEST_CASE("a question on an upload is about it and is shown under its name", "[web]") {
  LabData data;
  const auto upload = data.add("rows.csv", rows, {{"label-column", "0"}});
  const LabQuestion question = parse_lab_question(
      R"({"data":")" + upload->token + R"(","options":{"workers":"2","test":"every-fifth"}})",
      [&](std::string_view token) { return data.find(token); });
  const Configuration& c = question.request.configuration;
  CHECK(question.upload == upload);
  CHECK(c.workers == 2);
  const auto loaded = data.load(c, question.upload.get());
  CHECK(loaded->name == "rows.csv");
  CHECK(loaded->train.rows == 5);
  CHECK(loaded->test.rows == 1);
  CHECK(data.load(c, question.upload.get()) == loaded);  // once
  try {
    (void)parse_lab_question(R"({"data":")" + upload->token + R"(","options":{"dataset":"blobs"}})",
                             [&](std::string_view token) { return data.find(token); });
    FAIL("both data sets were accepted");
  } catch (const UsageError& error) {
    CHECK(option_of(error) == "dataset");
  }
}

TEST_CASE("real labels are uploaded with the model that takes them", "[web]") {
  LabData data;
  const std::string real = "1.5,0.5\n2.25,1\n-3,2\n";
  CHECK(error_of(data, "prices.csv", real) != "no error");
  const auto upload = data.add("prices.csv", real, {{"model", "least-squares"}});
  const LabQuestion question =
      parse_lab_question(R"({"data":")" + upload->token + R"("})",
                         [&](std::string_view token) { return data.find(token); });
  CHECK(question.request.configuration.model == "least-squares");
  CHECK(!data.load(question.request.configuration, upload.get())->train.targets.empty());
}

}  // namespace trainyard
