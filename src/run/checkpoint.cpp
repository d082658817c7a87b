#include "trainyard/run/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "trainyard/base/descriptor.hpp"
#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/file_writing.hpp"
#include "trainyard/base/hash.hpp"
#include "trainyard/base/version.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/hardware/program_file.hpp"
#include "trainyard/network/fault_trace.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t format_version = 1;
constexpr std::string_view name_begins = "checkpoint-", name_ends = ".npz";
constexpr std::size_t kept_checkpoints = 2;
// What --force-resume takes besides options.
constexpr std::string_view program_name = "program", data_name = "data";

/// The number in the name of a checkpoint; empty of other files.
std::optional<std::uint64_t> number_of(const fs::path& file) {
  const std::string name = file.filename().string();
  if (!name.starts_with(name_begins) || !name.ends_with(name_ends)) return std::nullopt;
  std::uint64_t number = 0;
  const char* const first = name.data() + name_begins.size();
  const char* const last = name.data() + name.size() - name_ends.size();
  const auto [end, error] = std::from_chars(first, last, number);
  return error == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

/// With their numbers, the latest first.
std::vector<std::pair<std::uint64_t, fs::path>> checkpoints_in(const fs::path& folder) {
  std::vector<std::pair<std::uint64_t, fs::path>> all;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (const auto number = number_of(entry->path())) all.emplace_back(*number, entry->path());
  }
  std::ranges::sort(all, std::ranges::greater());
  return all;
}

template <typename T>
std::uint64_t print_of(const AlignedBuffer<T>& values, std::uint64_t before) {
  return fingerprint(std::as_bytes(values.span()), before);
}

bool is_forced(const Configuration& c, std::string_view name) {
  return ("," + c.force_resume + ",").find(fmt::format(",{},", name)) != std::string::npos;
}

/// A file decides a run by what it holds. 0: there is none.
std::uint64_t fingerprint_of_trace(const Faults& faults) {
  return faults.trace ? faults.trace->content : 0;
}

void check_forced(const Configuration& c) {
  std::istringstream names(c.force_resume);
  for (std::string name; std::getline(names, name, ',');) {
    const bool is_option = std::ranges::any_of(
        options(), [&](const Option& option) { return is_of_run(option) && option.name == name; });
    if (is_option || name == program_name || name == data_name) continue;
    throw OptionError("force-resume",
                      fmt::format("{} is no option of a run; expected those that may be otherwise, "
                                  "like lr,batch, or {} or {}",
                                  echoed(name), program_name, data_name));
  }
}

[[noreturn]] void refuse_other(std::string_view name, const std::string& what) {
  throw OptionError("resume",
                    fmt::format("{}; --force-resume {} goes on all the same", what, name));
}

/// Where the run goes on with another value than it had.
void require_alike(const Option& option, const Configuration& before, const Configuration& now) {
  const std::string was = option.get(before), is = option.get(now);
  if (was == is || !is_of_run(option) || is_forced(now, option.name)) return;
  const auto text = [](const std::string& value) { return value.empty() ? "not given" : value; };
  refuse_other(option.name,
               fmt::format("the run that was checkpointed had --{} {}, and this one {}",
                           option.name, text(was), text(is)));
}

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

const std::string& program_print() {
  static const std::string print = [] {
    std::string bytes = content_of(program_file());
    for (const fs::path& library : loaded_code()) bytes += content_of(library);
    return bytes.empty() ? std::string(version())
                         : fingerprint_text(std::as_bytes(std::span(bytes)));
  }();
  return print;
}

bool is_of_run(const Option& option) {
  return option.describes_run && option.section != "output";
}

FoundCheckpoint latest_checkpoint(const fs::path& folder) {
  std::vector<std::string> remarks;
  for (const auto& [number, file] : checkpoints_in(folder)) {
    try {
      Archive archive = Archive::read(file);
      std::uint64_t version = format_version;
      archive.exchange("format version", version);
      if (version != format_version) {
        throw DataError(fmt::format("{}: has version {} of the format, and this program reads {}",
                                    file.string(), version, format_version));
      }
      return {file, std::move(archive), std::move(remarks)};
    } catch (const DataError& error) {
      remarks.push_back(fmt::format("warning: {}: the one before it is taken", error.what()));
    }
  }
  std::error_code error;
  std::string why = !fs::exists(folder, error) ? "there is no such folder"
                    : remarks.empty()          ? "it holds no checkpoint"
                                               : remarks.front();
  throw OptionError("resume", folder.string(), why);
}

Configuration resumed_configuration(FoundCheckpoint& found, const Configuration& asked) {
  check_forced(asked);
  std::string text, program;
  found.archive.exchange("configuration", text);
  found.archive.exchange("program", program);
  Configuration before;
  parse_configuration(text, found.file.string(), before);
  Configuration resumed = before;
  resumed.given.insert(resumed.given.end(), asked.given.begin(), asked.given.end());
  const auto is_given = [&](std::string_view name) {
    return std::ranges::find(asked.given, name) != asked.given.end();
  };
  // The steps that it has are those of its epochs.
  if (is_given("epochs") && !is_given("steps")) resumed.steps.reset();
  if (asked.checkpoint.empty()) resumed.checkpoint = asked.resume;
  for (const Option& option : options()) {
    if (is_of_run(option) && !is_given(option.name)) continue;
    const std::string value = option.get(asked);
    if (!value.empty()) option.set(resumed, value, "--" + option.name);
  }
  for (const Option& option : options()) {
    if (option.name != "steps" || is_given("steps")) require_alike(option, before, resumed);
  }
  if (program != program_print() && !is_forced(asked, program_name)) {
    refuse_other(program_name,
                 "another build of the program wrote it, and this one may compute "
                 "other bits");
  }
  return resumed;
}

CheckpointFolder::CheckpointFolder(fs::path folder, bool goes_on) : folder_(std::move(folder)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!error && !fs::is_directory(folder_))
    error = std::make_error_code(std::errc::not_a_directory);
  if (error) throw OptionError("checkpoint", folder_.string(), error.message());
  if (access(folder_.c_str(), W_OK) != 0) {
    throw OptionError("checkpoint", folder_.string(), reason_of(errno));
  }
  if (goes_on || checkpoints_in(folder_).empty()) return;
  throw OptionError("checkpoint",
                    fmt::format("{} holds the checkpoints of another run; --resume {} goes on with "
                                "it, and a new run takes an empty folder",
                                folder_.string(), folder_.string()));
}

std::optional<CheckpointFolder> checkpoint_folder(const Configuration& c) {
  if (c.checkpoint.empty()) return std::nullopt;
  std::error_code error;
  const bool goes_on = fs::equivalent(c.checkpoint, c.resume, error);
  return CheckpointFolder(c.checkpoint, goes_on);
}

void CheckpointFolder::write(Archive& archive, std::uint64_t leg) const {
  const fs::path file = folder_ / fmt::format("{}{:06}{}", name_begins, leg, name_ends);
  const fs::path beside = folder_ / fmt::format(".{}{:06}.partial", name_begins, leg);
  archive.write(beside);
  std::error_code error;
  fs::rename(beside, file, error);
  if (error) {
    throw RunError(
        fmt::format("cannot rename {} to {}: {}", beside.string(), file.string(), error.message()));
  }
  // The name, too, is to be on the disk before others go.
  const Descriptor directory(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.is_open()) (void)fsync(directory.number());
  const auto all = checkpoints_in(folder_);
  for (std::size_t i = kept_checkpoints; i < all.size(); ++i) fs::remove(all[i].second, error);
}

std::uint64_t fingerprint_of_rows(const LoadedData& data) {
  if (data.content != 0) return data.content;
  const Dataset& rows = data.train;
  std::uint64_t print = fingerprint_of_nothing;
  print = print_of(rows.labels, print);
  print = print_of(rows.targets, print);
  print = print_of(rows.weights, print);
  print = print_of(rows.dense, print);
  print = print_of(rows.row_begin, print);
  print = print_of(rows.columns, print);
  return print_of(rows.values, print);
}

void exchange_identity(Archive& archive, const Configuration& resolved, std::uint64_t rows) {
  std::uint64_t version = format_version, data = rows;
  std::string text = configuration_text(resolved), program = program_print();
  archive.exchange("format version", version);
  archive.exchange("configuration", text);
  archive.exchange("program", program);
  archive.exchange("data", data);
  if (data != rows && !is_forced(resolved, data_name)) {
    refuse_other(data_name, "the training rows are not those that the checkpointed run had");
  }
  const std::uint64_t trace = fingerprint_of_trace(resolved.network.faults);
  std::uint64_t faults = trace;
  archive.exchange("fault trace", faults);
  if (faults != trace && !is_forced(resolved, "fault")) {
    refuse_other("fault", "the trace of faults holds something else than when the run began");
  }
}

void exchange_begun(Archive& archive, Begun& begun) {
  archive.exchange("clock", begun.at);
  std::vector<std::int64_t> times;
  std::vector<std::uint64_t> traffic;
  for (const RankAccount& a : begun.accounts) {
    times.insert(times.end(), {a.compute.count(), a.transfer.count(), a.wait.count()});
    traffic.insert(traffic.end(),
                   {a.messages_sent, a.bytes_sent, a.messages_received, a.bytes_received});
  }
  archive.exchange("accounts/times", times);
  archive.exchange("accounts/traffic", traffic);
  begun.accounts.clear();
  for (std::size_t rank = 0; 3 * rank < times.size() && 4 * rank < traffic.size(); ++rank) {
    const auto time = [&](std::size_t place) { return Duration(times[3 * rank + place]); };
    const auto count = [&](std::size_t place) { return traffic[4 * rank + place]; };
    begun.accounts.push_back({time(0), time(1), time(2), count(0), count(1), count(2), count(3)});
  }
}

namespace {

/// Of one evaluation all that may be missing.
auto optional_figures(Metrics& m) {
  GradientNoise& noise = m.gradient_noise;
  return std::to_array<std::optional<double>*>(
      {&m.test_loss, &m.test_accuracy, &m.consensus_distance, &m.squared_gradient_norm,
       &noise.row_variance, &noise.worker_variance, &noise.diversity, &noise.batch_bound,
       &noise.signal, &noise.noise, &noise.scale, &m.suboptimality, &m.optimum_distance,
       &m.train_r_squared, &m.test_r_squared, &m.validation_loss, &m.validation_accuracy,
       &m.test_metric, &m.validation_metric});
}

/// All evaluations, row by row of each table.
struct EvaluationTables {
  std::vector<double> figures, optional_figures;
  std::vector<std::uint64_t> counts;
  std::vector<std::uint8_t> are_there;
};

constexpr std::size_t figures_each = 4, counts_each = 3;

void add_row(EvaluationTables& tables, Metrics& m) {
  tables.figures.insert(tables.figures.end(), {m.step, m.epoch, m.seconds, m.train_loss});
  const std::optional<std::uint64_t> rows = m.gradient_noise.rows;
  tables.counts.insert(tables.counts.end(), {m.samples, m.bytes_sent, rows.value_or(0)});
  tables.are_there.push_back(rows ? 1 : 0);
  for (const std::optional<double>* figure : optional_figures(m)) {
    tables.are_there.push_back(*figure ? 1 : 0);
    tables.optional_figures.push_back(figure->value_or(0.0));
  }
}

/// REQUIRES: the tables have such a row.
Metrics row_of(const EvaluationTables& tables, std::size_t row) {
  Metrics m;
  const double* const figures = &tables.figures[row * figures_each];
  const std::uint64_t* const counts = &tables.counts[row * counts_each];
  m.step = figures[0];
  m.epoch = figures[1];
  m.seconds = figures[2];
  m.train_loss = figures[3];
  m.samples = counts[0];
  m.bytes_sent = counts[1];
  const auto optional = optional_figures(m);
  const std::uint8_t* const are_there = &tables.are_there[row * (optional.size() + 1)];
  if (are_there[0] != 0) m.gradient_noise.rows = counts[2];
  for (std::size_t i = 0; i < optional.size(); ++i) {
    if (are_there[i + 1] == 0) continue;
    *optional[i] = tables.optional_figures[row * optional.size() + i];
  }
  return m;
}

}  // namespace

void exchange_metrics(Archive& archive, std::vector<Metrics>& metrics) {
  EvaluationTables tables;
  for (Metrics& one : metrics) add_row(tables, one);
  archive.exchange("evaluations/figures", tables.figures);
  archive.exchange("evaluations/optional figures", tables.optional_figures);
  archive.exchange("evaluations/counts", tables.counts);
  archive.exchange("evaluations/are there", tables.are_there);
  Metrics empty;
  const std::size_t rows = tables.figures.size() / figures_each;
  const std::size_t optional = optional_figures(empty).size();
  if (tables.counts.size() != rows * counts_each ||
      tables.optional_figures.size() != rows * optional ||
      tables.are_there.size() != rows * (optional + 1)) {
    throw DataError("a checkpoint's tables of evaluations are not equally long");
  }
  metrics.clear();
  for (std::size_t row = 0; row < rows; ++row) metrics.push_back(row_of(tables, row));
}

bool is_kept_by_another(std::string_view name, int rank) {
  return name.starts_with("rank ") && name.find("/kept/") == name.find('/') &&
         !name.starts_with(fmt::format("rank {}/", rank));
}

}  // namespace trainyard
