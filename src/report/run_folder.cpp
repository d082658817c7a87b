#include "trainyard/report/run_folder.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/file_writing.hpp"
#include "trainyard/base/interrupt.hpp"
#include "trainyard/base/standard_streams.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/data/npy.hpp"
#include "trainyard/report/folder_claim.hpp"
#include "trainyard/report/summary_format.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/scoring/trained_model.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

fs::path with_suffix(const fs::path& folder, const std::string& suffix) {
  return folder.parent_path() / (folder.filename().string() + suffix);
}

/// Throws UsageError unless results may be given that name.
void refuse_final(const fs::path& folder, bool overwrite) {
  const std::string why = why_not_replaced(folder, true);
  if (!why.empty()) throw OptionError("out", fmt::format("{} exists and {}", folder.string(), why));
  std::error_code error;
  if (!overwrite && fs::exists(folder, error)) {
    throw OptionError("out", fmt::format("{} exists; --force overwrites it", folder.string()));
  }
}

/// Throws UsageError when a run that was killed has left results.
void refuse_left(const fs::path& partial, bool overwrite) {
  const std::string why = why_not_replaced(partial, false);
  if (!why.empty())
    throw OptionError("out", fmt::format("{} exists and {}", partial.string(), why));
  if (!overwrite && !holds_no_results(partial)) {
    refuse_held(partial);
    throw OptionError(
        "out", fmt::format("{} exists, left by a run that was killed or could not write all; "
                           "--force overwrites it",
                           partial.string()));
  }
}

/// Removes what this process has claimed, unless something would be lost. What it has `made` need
/// not be looked into, for which there may be no descriptor.
void remove_unused(const fs::path& partial, bool made) {
  try {
    if (!holds_no_results(partial)) return;
    if (made || why_not_replaced(partial, false).empty()) remove_run_files(partial);
  } catch (const RunError&) {
    return;  // it cannot be looked into, and stays
  }
}

/// A name beside the folder for what it holds so far. Process numbers repeat on other machines and
/// in other containers.
fs::path unused_name(const fs::path& folder) {
  for (int attempt = 0;; ++attempt) {
    const std::string number = attempt == 0 ? "" : fmt::format("-{}", attempt);
    fs::path name = with_suffix(folder, fmt::format(".{}{}.old", getpid(), number));
    std::error_code error;
    if (fs::symlink_status(name, error).type() == fs::file_type::not_found) return name;
    if (error) return name;  // renaming to it will give the reason
  }
}

/// How `trainyard run` uses the file.
std::string use_of_file(const Configuration& resolved) {
  if (resolved.time == TimeMode::wall && resolved.seconds) {
    return "makes the run again. Its clock ends it,\n# and so after another number of steps";
  }
  if (resolved.time == TimeMode::wall && by_arrival(find_scheme(resolved.scheme))) {
    return "makes the run again, in which it\n# matters who comes first";
  }
  if (resolved.time == TimeMode::wall && resolved.deal == Deal::speed) {
    return "makes the run again, to\n# rounding: who takes which rows goes by how fast cores are "
           "then";
  }
  return "repeats the run";
}

/// The file reads as without the mark.
std::string marked_configuration(const Configuration& resolved) {
  return fmt::format("{}: `trainyard run` with this file {}.\n\n{}", run_mark,
                     use_of_file(resolved), configuration_text(resolved));
}

std::string configuration_of_interrupted(const RunResult& result) {
  return fmt::format(
      "{}, for a run that was interrupted: its results are those after\n# {}, and "
      "`trainyard run` with this file goes to its end.\n\n{}",
      run_mark, counted(fmt::format("{:.6g}", result.summary.steps), "step"),
      configuration_text(result.resolved));
}

}  // namespace

void write_npy(const fs::path& file, ConstVector values) {
  const std::array shape{values.size()};
  write_file(file, npy_head(values.scalar(), shape),
             {reinterpret_cast<const char*>(values.data()), values.bytes().size()});
}

void refuse_taken_folder(const fs::path& out, const std::string& name, bool overwrite) {
  const fs::path folder = out / name;
  const fs::path partial = with_suffix(folder, ".partial");
  refuse_final(folder, overwrite);
  refuse_held(partial);
  refuse_left(partial, overwrite);
}

RunFolder::RunFolder(const fs::path& out, const std::string& name, const Configuration& resolved,
                     bool overwrite)
    : final_(out / name), partial_(with_suffix(final_, ".partial")), overwrite_(overwrite) {
  refuse_taken_folder(out, name, overwrite);
  const InterruptsWait wait;
  made_ = folders_to_make(partial_);
  try {
    metrics_ = claim_folder(partial_);
    // Once more: what is there now stays until this run ends.
    refuse_final(final_, overwrite);
    refuse_left(partial_, overwrite);
    begin(resolved);
  } catch (...) {
    if (metrics_.is_open()) remove_unused(partial_, !made_.empty());
    remove_empty(made_);
    throw;
  }
  std::vector<fs::path> paths{partial_ / "config.toml", partial_ / "metrics.jsonl", partial_};
  paths.insert(paths.end(), made_.begin(), made_.end());
  unfinished_ = std::make_unique<Unfinished>(std::move(paths));
}

RunFolder::~RunFolder() {
  if (finished_ || !still_holds(metrics_, partial_)) return;
  remove_unused(partial_, !made_.empty());
  remove_empty(made_);
}

void RunFolder::discard() {
  if (finished_ || !still_holds(metrics_, partial_)) return;
  finished_ = true;
  evaluations_ = 0;
  remove_run_files(partial_);
  remove_empty(made_);
}

void RunFolder::begin(const Configuration& resolved) {
  if (ftruncate(metrics_.number(), 0) != 0) {
    throw RunError(
        fmt::format("--out: cannot write to {}: {}", partial_.string(), reason_of(errno)));
  }
  for (const char* file : run_files) {
    if (file != std::string_view("metrics.jsonl")) unlink((partial_ / file).c_str());
  }
  write_file(partial_ / "config.toml", marked_configuration(resolved));
}

void RunFolder::append(const Metrics& metrics) {
  const off_t whole = lseek(metrics_.number(), 0, SEEK_CUR);
  metrics_error_ = write_all(metrics_.number(), metrics_json(metrics));
  if (!metrics_error_) {
    ++evaluations_;
    unfinished_.reset();  // there is something to keep
    return;
  }
  // No half of a line.
  if (ftruncate(metrics_.number(), whole) == 0) lseek(metrics_.number(), whole, SEEK_SET);
}

void RunFolder::add(const Metrics& metrics) {
  if (metrics_error_) return;
  append(metrics);
  if (!metrics_error_) return;
  say(fmt::format("warning: cannot write {}: {}; the run goes on\n",
                  (partial_ / "metrics.jsonl").string(), reason_of(metrics_error_)));
}

fs::path RunFolder::kept() const {
  return evaluations_ > 0 ? partial_ : fs::path{};
}

/// The partial folder was removed, or is another's now: what is in memory goes into a new one.
void RunFolder::move_elsewhere() {
  const fs::path begun_in = partial_;
  partial_ = with_suffix(final_, fmt::format(".{}.partial", getpid()));
  try {
    metrics_ = claim_folder(partial_);
  } catch (const UsageError& error) {
    // The place was right when the run began.
    throw RunError(
        fmt::format("{}; {} was removed while the run went on", error.what(), begun_in.string()));
  }
  evaluations_ = 0;
  metrics_error_ = 0;
}

/// The lines that could not be written, in case there is room meanwhile.
void RunFolder::write_metrics(const RunResult& result) {
  metrics_error_ = 0;
  while (evaluations_ < result.metrics.size() && !metrics_error_) {
    append(result.metrics[evaluations_]);
  }
  if (metrics_error_) {
    throw RunError(fmt::format("cannot write {}: {}", (partial_ / "metrics.jsonl").string(),
                               reason_of(metrics_error_)));
  }
}

void RunFolder::finish(const RunResult& result, const Archive* kept) {
  finished_ = true;
  unfinished_.reset();
  const fs::path begun_in = partial_;
  const bool elsewhere = !still_holds(metrics_, partial_);
  if (elsewhere) move_elsewhere();
  std::string reason;
  std::string lacking;
  const auto attempt = [&](const char* file, const auto& write) {
    try {
      write(partial_ / file);
    } catch (const RunError& error) {
      if (reason.empty()) reason = error.what();
      lacking += fmt::format("{}{}", lacking.empty() ? "" : ", ", file);
    }
  };
  attempt("summary.json",
          [&](const fs::path& file) { write_file(file, summary_json(result.summary)); });
  attempt("model.npy", [&](const fs::path& file) { write_npy(file, result.model.view()); });
  if (result.preparation.features > 0) {
    attempt("model.json", [&](const fs::path& file) {
      write_file(file, trained_model_json(result.resolved.model, result.preparation));
    });
  }
  attempt("ranks.csv", [&](const fs::path& file) { write_file(file, ranks_csv(result)); });
  if (kept != nullptr) attempt(kept_name, [&](const fs::path& file) { kept->write(file); });
  const bool interrupted = result.summary.interrupted;
  if (elsewhere || interrupted) {
    attempt("config.toml", [&](const fs::path& file) {
      write_file(file, interrupted ? configuration_of_interrupted(result)
                                   : marked_configuration(result.resolved));
    });
  }
  if (elsewhere || metrics_error_) {
    attempt("metrics.jsonl", [&](const fs::path&) { write_metrics(result); });
  }
  if (!lacking.empty()) {
    throw RunError(
        fmt::format("--out: {}; {} is not whole, it lacks {}", reason, partial_.string(), lacking));
  }
  if (kept != nullptr) force_all_to_disk();
  take_final_name();
  if (kept != nullptr) force_to_disk(final_.parent_path());
  if (elsewhere) {
    throw RunError(
        fmt::format("--out: {} was removed while the run went on; its results are in {} "
                    "all the same",
                    begun_in.string(), final_.string()));
  }
}

/// Of a folder that has its name nobody asks whether what is in it is whole.
void RunFolder::force_all_to_disk() const {
  for (const char* file : run_files) force_to_disk(partial_ / file);
  force_to_disk(partial_);
}

void RunFolder::take_final_name() const {
  const auto fail = [&](const std::string& why) {
    throw RunError(fmt::format("--out: {} {}; the results are in {}", final_.string(), why,
                               partial_.string()));
  };
  const std::string why = why_not_replaced(final_, true);
  if (!why.empty()) fail("exists and " + why);
  const fs::path aside = unused_name(final_);
  std::error_code error;
  const bool replaces = fs::exists(final_, error);
  if (replaces && !overwrite_) fail("has appeared while the run went on");
  if (replaces && rename(final_.c_str(), aside.c_str()) != 0) {
    fail("cannot be renamed to " + aside.string() + ": " + reason_of(errno));
  }
  if (rename(partial_.c_str(), final_.c_str()) != 0) {
    const std::string reason = reason_of(errno);
    if (replaces) rename(aside.c_str(), final_.c_str());
    fail("cannot be written: " + reason);
  }
  if (replaces) remove_run_files(aside);
}

}  // namespace trainyard
