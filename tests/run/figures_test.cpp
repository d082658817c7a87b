#include "trainyard/run/figures.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/report/summary_format.hpp"

#include "report/results.hpp"
#include "run/distinct_noise.hpp"
#include "run/figure_text.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

/// No two of its numbers are alike, so that no figure can be taken for another.
RunResult distinct_result() {
  RunResult result = full_result("ring");
  Summary& s = result.summary;
  s.servers = 2;
  s.seed = 18446744073709551557U;  // no double is that
  s.rows = 9007199254740993;       // nor that: 2^53 + 1
  s.features = 21;
  s.test_rows = 22;
  s.classes = 23;
  s.parameters = 24;
  s.lr = 0.125;
  s.steps = 40.5;
  s.epochs = 1.75;
  s.samples = 5120;
  s.samples_computed = 5121;
  s.gradients = 205;
  s.seconds = 2.5;
  s.compute_s = 1.125;
  s.transfer_s = 0.875;
  s.compute_stretch = 1.375;
  s.samples_per_second = 2048;
  s.batch = 25;
  s.latency_s = 0.0625;
  s.bandwidth_bytes_per_s = 1e9;
  s.ports = "circuit";
  s.partition = "iid";
  s.stragglers = "3:4";
  s.target_interval_s = 0.375;
  s.speed_up = 3.25;
  s.speed_up_pass_time = 6.5;
  s.speed_up_passes = 0.4375;
  s.squared_gradient_norm = 0.0078125;
  s.gradient_noise = test::distinct_noise;
  s.transient_iterations = 910.25;
  s.suboptimality = 0.001953125;
  s.optimum_distance = 0.6875;
  s.optimum_loss = 0.2480625;
  s.linear_rate = 0.78125;
  s.linear_rate_error = 0.015625;
  s.train_r_squared = 0.9375;
  s.validation_rows = 26;
  s.metric = "auc";
  s.validation_loss = 0.4375;
  s.validation_accuracy = 0.8125;
  s.test_metric = 0.96875;
  s.validation_metric = 0.984375;
  s.kept_epoch = 1.25;
  s.compression = 3.75;
  s.coding_error = 0.15625;
  s.coding_s = 0.28125;
  s.lines_s = 0.1875;
  s.test_r_squared = 0.90625;
  s.ran_on = "ranks 0-7 on cores 0-7 of node 0; never moved";
  s.moves = 0;
  s.counts = ThreadCounts{.cycles = 1001,
                          .instructions = 1002,
                          .cache_misses = 1003,
                          .remote_loads = 1004,
                          .context_switches = 1005,
                          .page_faults = 1006};
  s.energy_j = 10.25;
  s.diverged = true;
  return result;
}

/// What the program has written of it since before there was a table of figures.
constexpr const char* distinct_json = R"({
  "scheme": "ring", "workers": 8, "servers": 2, "time": "virtual", "seed": 18446744073709551557,
  "dataset": {"name": "small", "rows": 9007199254740993, "features": 21, "classes": 23,
              "test_rows": 22},
  "model": {"name": "mlp:256,128", "parameters": 24},
  "lr": 0.125, "steps": 40.5, "epochs": 1.75, "samples": 5120, "samples_computed": 5121,
  "seconds": 2.5, "target_loss": 0.3, "seconds_to_target": 1.25e-05, "epochs_to_target": 1.25,
  "train_loss": 0.25, "test_loss": 0.31, "test_accuracy": 0.875,
  "messages": 87581, "bytes_sent": 437900000,
  "time_split": {"compute": 1.125, "transfer": 0.875, "wait": 0.5}, "compute_stretch": 1.375,
  "staleness": {"mean": 6.97, "p50": 7, "p99": 8, "max": 14}, "consensus_distance": 0.0092,
  "samples_per_second": 2048.0, "model_hash": "0123456789abcdef",
  "diverged": true, "interrupted": false})";

constexpr const char* distinct_csv =
    "scheme,workers,servers,time,seed,dataset,model,parameters,lr,steps,epochs,samples,"
    "samples_computed,seconds,target_loss,seconds_to_target,epochs_to_target,train_loss,test_loss,"
    "test_accuracy,compute_s,transfer_s,wait_s,messages,bytes_sent,staleness_mean,"
    "consensus_distance,samples_per_second,model_hash,diverged,interrupted\n"
    "ring,8,2,virtual,18446744073709551557,small,\"mlp:256,128\",24,0.125,40.5,1.75,5120,"
    "5121,2.5,0.3,1.25e-05,1.25,0.25,0.31,"
    "0.875,1.125,0.875,0.5,87581,437900000,6.97,"
    "0.0092,2048,0123456789abcdef,true,false\n";

constexpr const char* statistics_header =
    "train_loss,test_loss,test_accuracy,seconds_to_target,epochs_to_target,seconds,epochs,"
    "compute_s,transfer_s,wait_s,bytes_sent,messages,staleness_mean,consensus_distance,"
    "samples_per_second";

/// Of one line of CSV, quotes taken off.
Words cells_of(const std::string& line) {
  Words cells{""};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

/// The header and the line of one run.
std::pair<Words, Words> header_and_cells(const std::string& csv) {
  std::istringstream stream(csv);
  std::string header, line;
  std::getline(stream, header);
  std::getline(stream, line);
  return {cells_of(header), cells_of(line)};
}

std::string csv_of(RunResult result) {
  std::vector<RunResult> results;
  results.push_back(std::move(result));
  return summary_csv(results);
}

/// "staleness.mean" and the like, in the order of the document.
Words paths_of(const Json& object, const std::string& within = "") {
  Words paths;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_object()) {
      paths.push_back(within + key);
      continue;
    }
    const Words inner = paths_of(value, fmt::format("{}{}.", within, key));
    paths.insert(paths.end(), inner.begin(), inner.end());
  }
  return paths;
}

/// Null also where the object is.
Json at_path(const Json& document, std::string_view path) {
  const std::size_t dot = path.find('.');
  const Json& value = document.at(std::string(path.substr(0, dot)));
  if (dot == std::string_view::npos || value.is_null()) return value;
  return at_path(value, path.substr(dot + 1));
}

Words names_in(View view) {
  Words names;
  for (const Figure* figure : figures_in(view)) {
    names.emplace_back(view == View::json ? json_path(*figure) : figure->key);
  }
  return names;
}

/// Those of `words` that are among `kept`.
Words only(const Words& words, const Words& kept) {
  Words left;
  for (const std::string& word : words) {
    if (std::ranges::find(kept, word) != kept.end()) left.push_back(word);
  }
  return left;
}

void check_cell(const std::string& cell, const Json& value) {
  if (value.is_null()) CHECK(cell.empty());
  if (value.is_string()) CHECK(cell == value.get<std::string>());
  if (value.is_boolean()) CHECK(cell == (value.get<bool>() ? "true" : "false"));
  if (value.is_number_integer()) CHECK(cell == std::to_string(value.get<std::uint64_t>()));
  if (!value.is_number_float()) return;
  double read = 0.0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), read);
  CHECK((error == std::errc() && end == cell.data() + cell.size()));
  CHECK(read == value.get<double>());
}

}  // namespace

TEST_CASE("each figure has a key of its own, and is shown somewhere", "[figures]") {
  std::set<std::string_view> keys, paths;
  for (const Figure& figure : figures()) {
    INFO(figure.key);
    CHECK(keys.insert(figure.key).second);
    CHECK(paths.insert(json_path(figure)).second);
    CHECK(figure.shown != View());
    const bool read_by_people =
        holds(figure.shown, View::run_table) || holds(figure.shown, View::comparison_table);
    CHECK(figure.heading.empty() != read_by_people);
  }
  REQUIRE(keys.size() > 30);
}

TEST_CASE("the key of a figure carries its unit", "[figures]") {
  for (const Figure& figure : figures()) {
    INFO(figure.key);
    const bool in_seconds = figure.key.ends_with("_s") || figure.key.starts_with("seconds");
    CHECK(in_seconds == (figure.unit == "s"));
    CHECK(figure.key.starts_with("bytes") == (figure.unit == "B"));
    CHECK(figure.key.ends_with("_per_second") == (figure.unit == "1/s"));
    CHECK(figure.key.ends_with("_j") == (figure.unit == "J"));
  }
}

TEST_CASE("JSON and the header of CSV have the figures of the table, and no other", "[figures]") {
  const RunResult result = distinct_result();
  Words in_json = names_in(View::json);
  in_json.emplace_back("tuned");
  in_json.emplace_back("notes");  // what is said of them
  CHECK(paths_of(Json::parse(summary_json(result.summary))) == in_json);
  CHECK(header_and_cells(csv_of(distinct_result())).first == names_in(View::csv));
}

TEST_CASE("JSON and CSV say the same of each figure", "[figures]") {
  for (const bool full : {true, false}) {
    const auto made = [&] { return full ? distinct_result() : bare_result("gossip"); };
    const Json document = Json::parse(summary_json(made().summary));
    const auto [header, cells] = header_and_cells(csv_of(made()));
    REQUIRE(header.size() == cells.size());
    for (const Figure* figure : figures_in(View::csv)) {
      if (!holds(figure->shown, View::json)) continue;
      INFO(figure->key);
      const auto column = std::ranges::find(header, figure->key) - header.begin();
      check_cell(cells[static_cast<std::size_t>(column)], at_path(document, json_path(*figure)));
    }
  }
}

TEST_CASE("the figures that programs read stay, with their values and in their order",
          "[figures]") {
  const Json expected = Json::parse(distinct_json);
  const Json found = Json::parse(summary_json(distinct_result().summary));
  CHECK(only(paths_of(found), paths_of(expected)) == paths_of(expected));
  for (const std::string& path : paths_of(expected)) {
    INFO(path);
    CHECK(at_path(found, path).dump() == at_path(expected, path).dump());
  }
  const auto [header, cells] = header_and_cells(distinct_csv);
  const auto [found_header, found_cells] = header_and_cells(csv_of(distinct_result()));
  CHECK(only(found_header, header) == header);
  for (std::size_t i = 0; i < header.size(); ++i) {
    INFO(header[i]);
    const auto column = std::ranges::find(found_header, header[i]) - found_header.begin();
    REQUIRE(static_cast<std::size_t>(column) < found_cells.size());
    CHECK(found_cells[static_cast<std::size_t>(column)] == cells[i]);
  }
  const Words statistics = cells_of(statistics_header);
  CHECK(only(names_in(View::statistics), statistics) == statistics);
}

TEST_CASE("the statistics over seeds have a mean and a deviation of their figures", "[figures]") {
  std::vector<RunResult> results;
  for (int i = 0; i < 2; ++i) results.push_back(distinct_result());
  const Json spread = Json::parse(comparison_json(results, {.seeds = 2}))["spread"][0];
  Words keys = names_in(View::setting);
  for (const char* name : {"workers", "batch", "latency_s", "partition", "stragglers", "dataset"}) {
    CHECK(std::ranges::count(keys, name) == 1);
  }
  for (const char* name : {"seeds", "diverged", "reached_target"}) keys.emplace_back(name);
  Words columns = keys;
  for (const Figure* figure : figures_in(View::statistics)) {
    INFO(figure->key);
    keys.emplace_back(figure->key);
    columns.push_back(keys.back() + "_mean");
    columns.push_back(keys.back() + "_sd");
    // Two runs alike: whatever is shown here is a number, and that is their mean.
    const Json value = at_path(Json::parse(summary_json(results[0].summary)), json_path(*figure));
    CHECK(spread.at(keys.back()).at("mean").get<double>() == value.get<double>());
    CHECK(spread.at(keys.back()).at("standard_deviation") == 0.0);
  }
  Words found;
  for (const auto& [key, value] : spread.items()) found.push_back(key);
  CHECK(found == keys);
  CHECK(header_and_cells(statistics_csv(results)).first == columns);
}

TEST_CASE("a loss that is not a number is nan whatever its sign", "[figures]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(loss_text(nan) == "nan");
  CHECK(loss_text(std::copysign(nan, -1.0)) == "nan");
}

TEST_CASE("the tables for people have a heading for each of their figures", "[figures]") {
  std::vector<RunResult> results;
  results.push_back(distinct_result());
  const std::string comparison = comparison_table(results);
  std::size_t at = comparison.find("\nscheme ");
  for (const Figure* figure : figures_in(View::comparison_table)) {
    const std::string_view own = figure->column.heading;
    at = comparison.find(own.empty() ? figure->heading : own, at);
    INFO(figure->key);
    REQUIRE(at != std::string::npos);
    CHECK_THAT(comparison, ContainsSubstring(std::string(figure->column.legend)));
  }
  const std::string table = summary_table(results[0].summary);
  at = 0;
  for (const Figure* figure : figures_in(View::run_table)) {
    INFO(figure->key);
    at = table.find(fmt::format("\n{} ", figure->heading), at);
    REQUIRE(at != std::string::npos);
  }
}

}  // namespace trainyard
