#include "trainyard/report/saved_runs.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/report/json_text.hpp"
#include "trainyard/run/curve_figures.hpp"
#include "trainyard/run/figures.hpp"
#include "trainyard/run/rank_figures.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/study/collated_notes.hpp"
#include "trainyard/study/relate.hpp"

#include "report/json_columns.hpp"
#include "report/saved_figures.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string whole_text(const fs::path& file) {
  // A pipe of that name would be waited for.
  if (!fs::is_regular_file(file)) throw DataError(fmt::format("{}: no file", file.string()));
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) throw DataError(fmt::format("{}: cannot be read", file.string()));
  return text;
}

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw DataError(fmt::format("{}: not as trainyard writes it: {}", file.string(), why));
}

/// Without the library's name of the kind of error: "[json.exception.type_error.302] type must …".
std::string plain_reason(const Json::exception& error) {
  const std::string_view what = error.what();
  const std::size_t end = what.starts_with("[json.") ? what.find("] ") : std::string_view::npos;
  return std::string(end == std::string_view::npos ? what : what.substr(end + 2));
}

/// Applies `read` to the text of a file; errors are reported with the file's name.
template <typename Read>
auto read_file(const fs::path& file, const Read& read) {
  const std::string text = whole_text(file);
  try {
    return read(text);
  } catch (const Json::exception& error) {
    refuse(file, plain_reason(error));
  } catch (const UsageError& error) {
    refuse(file, error.what());
  }
}

template <typename T>
std::optional<T> optional_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::nullopt;
  if (!found->is_number()) {
    throw UsageError(fmt::format("'{}' is {}; expected a number", key, echoed(found->dump())));
  }
  return found->get<T>();
}

/// A count, which nlohmann would make of -1 and of true, too.
std::uint64_t count_at(const Json& object, const char* key) {
  const Json& value = object.at(key);
  if (!value.is_number_unsigned()) {
    throw UsageError(fmt::format("'{}' is {}; expected a whole number", key, echoed(value.dump())));
  }
  return value.get<std::uint64_t>();
}

/// A loss that is not finite is null.
double number_at(const Json& object, const char* key) {
  return optional_at<double>(object, key).value_or(std::numeric_limits<double>::quiet_NaN());
}

void read_into(double& value, const Json& line, const char* key) {
  value = number_at(line, key);
}
void read_into(std::uint64_t& value, const Json& line, const char* key) {
  value = count_at(line, key);
}
void read_into(std::optional<double>& value, const Json& line, const char* key) {
  value = optional_at<double>(line, key);
}

Metrics metrics_of(const Json& line) {
  Metrics metrics;
  for (const CurveFigure& figure : curve_figures()) {
    const std::string key(figure.key);
    // A figure that came with a later version: results that are there stay readable.
    const bool of_every_version =
        key == "step" || key == "epoch" || key == "seconds" || key == "train_loss";
    if (of_every_version) (void)line.at(key);  // throws
    if (!line.contains(key)) continue;
    std::visit([&](auto member) { read_into(curve_value(metrics, member), line, key.c_str()); },
               figure.member);
  }
  return metrics;
}

std::vector<Metrics> metrics_in(const std::string& text) {
  std::vector<Metrics> metrics;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    metrics.push_back(metrics_of(Json::parse(line)));
  return metrics;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::istringstream stream(line + ",");  // so that an empty last field is one, too
  std::vector<std::string> fields;
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

/// Whether a column of ranks.csv may have empty fields: of what the system may not tell.
bool may_lack(const std::string& heading) {
  if (heading == "rank" || heading == "role") return false;
  const auto figure = std::ranges::find(rank_figures(), heading, &RankFigure::key);
  return figure == rank_figures().end() || !is_of_account(*figure);
}

/// ranks.csv as columns: words where they are words, else numbers.
Json columns_in(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> headings = fields_of(line);
  Json columns = Json::object();
  for (const std::string& heading : headings) columns[heading] = Json::array();
  while (std::getline(lines, line)) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() != headings.size())
      throw UsageError("a line with other columns than the first");
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const bool is_word = headings[i] == "role";
      const bool lacks = fields[i].empty() && may_lack(headings[i]);
      Json value = is_word ? Json(fields[i]) : lacks ? Json(nullptr) : Json::parse(fields[i]);
      if (!is_word && !lacks && !value.is_number()) {
        throw UsageError(
            fmt::format("{} is {}; expected a number", echoed(headings[i]), echoed(fields[i])));
      }
      columns[headings[i]].push_back(std::move(value));
    }
  }
  return columns;
}

/// A saved run: the parts that relate() needs, and its summary as it was saved.
struct SavedRun {
  fs::path folder;
  Json object;
  RunResult result;
};

std::vector<OptionText> options_in(const Json& object, const char* key) {
  std::vector<OptionText> options;
  if (const auto found = object.find(key); found != object.end() && found->is_object()) {
    for (const auto& [option, text] : found->items()) options.push_back({option, text});
  }
  return options;
}

/// None where the run was saved by a version without.
std::vector<Note> notes_in(const Json& object) {
  std::vector<Note> notes;
  const auto found = object.find("notes");
  if (found == object.end()) return notes;
  for (const Json& note : *found) notes.push_back({note.at("about"), note.at("text")});
  return notes;
}

Summary summary_of(const Json& object) {
  Summary s;
  s.label = object.at("label");
  s.scheme = object.at("scheme");
  s.seed = object.at("seed");
  if (const auto within = object.find("within"); within != object.end() && !within->is_null()) {
    s.within = within->get<std::string>();
  }
  s.settings = options_in(object, "settings");
  s.varied = options_in(object, "varied");
  s.tuned = options_in(object, "tuned");
  s.diverged = object.at("diverged");
  s.interrupted = object.at("interrupted");
  s.crashed = object.value("crashed", false);
  s.target_loss = optional_at<double>(object, "target_loss");
  s.target_accuracy = optional_at<double>(object, "target_accuracy");
  s.target_gradient = optional_at<double>(object, "target_gradient");
  s.seconds_to_target = optional_at<double>(object, "seconds_to_target");
  s.epochs_to_target = optional_at<double>(object, "epochs_to_target");
  s.target_interval_s = optional_at<double>(object, "target_interval_s");
  s.notes = notes_in(object);
  return s;
}

SavedRun read_run(const fs::path& folder) {
  SavedRun run{.folder = folder, .object = {}, .result = {}};
  RunResult& result = run.result;
  const fs::path settings = folder / "config.toml";
  read_file(settings, [&](const std::string& text) {
    parse_configuration(text, settings.string(), result.resolved);
    return 0;
  });
  run.object = read_file(folder / "summary.json", [](const std::string& text) {
    Json json = Json::parse(text);
    if (!json.is_object()) throw UsageError("no object");
    check_figures(json);
    return json;
  });
  result.metrics = read_file(folder / "metrics.jsonl", metrics_in);
  if (result.metrics.empty()) refuse(folder / "metrics.jsonl", "no evaluation in it");
  run.object["command"] = run_command_text(result.resolved);
  run.object["configuration"] = configuration_text(result.resolved);
  run.object["evaluations"] = evaluation_columns(result.metrics);
  run.object["ranks"] = read_file(folder / "ranks.csv", columns_in);
  result.summary = read_file(folder / "summary.json",
                             [&](const std::string&) { return summary_of(run.object); });
  run.object["circumstances"] = circumstances_object(result);
  run.object["not_taken"] = not_taken_array(result);
  return run;
}

/// By name, so that a report does not depend on the file system; not what links lead to, which may
/// lead back.
std::vector<fs::path> folders_within(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory() && !entry.is_symlink()) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

void collect(const fs::path& folder, const Remark& remark, std::vector<SavedRun>& runs) {
  const bool has_part = fs::exists(folder / "config.toml") || fs::exists(folder / "metrics.jsonl");
  if (fs::exists(folder / "summary.json")) {
    runs.push_back(read_run(folder));
    return;
  }
  if (has_part) {
    remark(fmt::format("note: {} is of a run that did not end, and left out", folder.string()));
    return;
  }
  for (const fs::path& inner : folders_within(folder)) collect(inner, remark, runs);
}

/// All runs in a folder. Throws DataError for what the system refuses, too.
void collect_all(const fs::path& folder, const Remark& remark, std::vector<SavedRun>& runs) {
  const std::size_t before = runs.size();
  try {
    if (!fs::is_directory(folder)) {
      throw DataError(fmt::format("{}: no folder of that name", folder.string()));
    }
    collect(folder.lexically_normal(), remark, runs);
  } catch (const fs::filesystem_error& error) {
    throw DataError(fmt::format("{}: {}", error.path1().string(), error.code().message()));
  }
  if (runs.size() == before) {
    throw DataError(
        fmt::format("{}: no run of trainyard in it; --out DIR makes them", folder.string()));
  }
}

/// Copies the figures that relate() sets into the saved summary.
void take_relations(SavedRun& run) {
  for (const char* key : {"target_loss", "target_accuracy", "target_gradient", "seconds_to_target",
                          "epochs_to_target", "target_interval_s", "speed_up", "speed_up_pass_time",
                          "speed_up_passes"}) {
    const auto figure = std::ranges::find(figures(), key, &Figure::key);
    const auto value = number_of(figure->of(run.result.summary));
    run.object[key] = value ? Json(*value) : Json(nullptr);
  }
}

/// A run that is counted twice would look like two seeds.
void refuse_twice(const std::vector<SavedRun>& runs) {
  std::set<fs::path> seen;
  for (const SavedRun& run : runs) {
    if (seen.insert(fs::canonical(run.folder)).second) continue;
    throw DataError(fmt::format("{}: is given twice", run.folder.string()));
  }
}

/// A text that is the same for all seeds of an experiment.
std::string text_without_seed(const Configuration& configuration) {
  Configuration other = configuration;
  other.seed = 0;
  return configuration_text(other);
}

/// Without the folder of a seed: seeds of one experiment belong together.
std::string source_of(const fs::path& folder) {
  fs::path source;
  for (const fs::path& part : folder) {
    if (!part.string().starts_with("seed-")) source /= part;
  }
  return source.string();
}

/// Two runs of one name are two seeds of one experiment, or have their folders beside their names.
void tell_apart(std::vector<SavedRun>& runs) {
  std::map<std::string, std::vector<SavedRun*>> groups;
  for (SavedRun& run : runs) {
    const Summary& s = run.result.summary;
    std::string name = s.label;
    for (const OptionText& varied : s.varied) name += " " + varied.option + "=" + varied.text;
    groups[name].push_back(&run);
  }
  for (const auto& [name, group] : groups) {
    std::set<std::uint64_t> seeds;
    std::set<std::string> experiments;
    for (const SavedRun* run : group) {
      seeds.insert(run->result.summary.seed);
      experiments.insert(text_without_seed(run->result.resolved));
    }
    if (seeds.size() == group.size() && experiments.size() == 1) continue;
    for (SavedRun* run : group) {
      const std::string source = source_of(run->folder);
      run->object["source"] = source;
      run->result.summary.label += ", " + source;  // for what is said of them together
    }
  }
}

}  // namespace

std::string saved_runs_json(const std::vector<fs::path>& folders, const Remark& listener) {
  std::vector<Note> notes;
  const Remark remark = noting(notes, listener);
  std::vector<SavedRun> runs;
  for (const fs::path& folder : folders) collect_all(folder, remark, runs);
  refuse_twice(runs);
  tell_apart(runs);
  std::vector<RunResult> results;
  results.reserve(runs.size());
  for (SavedRun& run : runs) results.push_back(std::move(run.result));
  relate(results, remark);
  if (const auto note = differing_steps_note(results)) notes.push_back(*note);
  const Json all_notes = notes_array(collated_notes(results, notes));
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].result = std::move(results[i]);
  Json document{{"runs", Json::array()}};
  for (SavedRun& run : runs) {
    take_relations(run);
    document["runs"].push_back(run.object);
  }
  document["notes"] = all_notes;
  return json_text(document);
}

}  // namespace trainyard
