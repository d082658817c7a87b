#include "app/results.hpp"

#include <cstring>
#include <span>
#include <sstream>

#include "trainyard/base/hash.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/run/curve_figures.hpp"
#include "trainyard/run/figures.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

/// Of a line; tests/run/curve_figures_test.cpp holds the table against what it was.
std::set<std::string> make_metrics_keys() {
  std::set<std::string> keys;
  for (const CurveFigure& figure : curve_figures()) keys.emplace(figure.key);
  return keys;
}

/// Of the document's own level; tests/run/figures_test.cpp holds the table against what it was.
std::set<std::string> make_summary_keys() {
  std::set<std::string> keys;
  for (const Figure* figure : figures_in(View::json)) {
    const std::string_view path = json_path(*figure);
    keys.emplace(path.substr(0, path.find('.')));
  }
  keys.emplace("notes");
  keys.emplace("tuned");
  return keys;
}

/// The floats of a .npy file, after its header has been held against NumPy's description of it.
std::vector<float> read_npy(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  REQUIRE(bytes.starts_with(std::string("\x93NUMPY\x01\x00", 8)));
  const std::size_t length =
      static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
  const std::string header = bytes.substr(10, length);
  CHECK((10 + length) % 64 == 0);
  CHECK(header.back() == '\n');
  CHECK_THAT(header, ContainsSubstring("{'descr': '<f4', 'fortran_order': False, 'shape': ("));
  const std::size_t shape = header.find("'shape': (") + 10;
  const std::size_t count = std::stoul(header.substr(shape));
  CHECK(header.substr(header.find(',', shape), 5) == ",), }");
  REQUIRE(bytes.size() == 10 + length + count * sizeof(float));
  std::vector<float> values(count);
  std::memcpy(values.data(), bytes.data() + 10 + length, count * sizeof(float));
  return values;
}

std::set<std::string> make_run_keys() {
  std::set<std::string> keys = make_summary_keys();
  keys.insert({"circumstances", "command", "configuration", "evaluations", "first_steps",
               "not_taken", "ranks", "updates_by_staleness"});
  return keys;
}

}  // namespace

const std::set<std::string> summary_keys = make_summary_keys();
const std::set<std::string> run_keys = make_run_keys();

Json summary_of(const std::string& output) {
  Json run = Json::parse(output);
  for (const std::string& key : run_keys) {
    if (summary_keys.count(key) == 0) run.erase(key);
  }
  return run;
}

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::set<std::string> keys_of(const Json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void check_results_folder(const std::filesystem::path& folder) {
  const Json summary = Json::parse(read_file(folder / "summary.json"));
  CHECK(keys_of(summary) == summary_keys);
  const auto lines = lines_of(read_file(folder / "metrics.jsonl"));
  REQUIRE(!lines.empty());
  for (const std::string& line : lines) CHECK(keys_of(Json::parse(line)) == make_metrics_keys());
  CHECK(Json::parse(lines.back())["train_loss"] == summary["train_loss"]);
  const std::vector<float> model = read_npy(folder / "model.npy");
  CHECK(model.size() == summary["model"]["parameters"].get<std::size_t>());
  CHECK(fingerprint_text(std::as_bytes(std::span(model))) ==
        summary["model_hash"].get<std::string>());
  Configuration configuration;
  CHECK_NOTHROW(read_configuration(folder / "config.toml", configuration));
}

}  // namespace trainyard
