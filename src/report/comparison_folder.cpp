#include "trainyard/report/comparison_folder.hpp"

#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/file_writing.hpp"
#include "trainyard/base/hash.hpp"
#include "trainyard/base/interrupt.hpp"
#include "trainyard/report/folder_claim.hpp"
#include "trainyard/run/kept_result.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t format_version = 1;
constexpr std::string_view comparison_name = "comparison.npz";
constexpr std::string_view begun_name = ".comparison.";  // begins that of one that is being written

[[noreturn]] void refuse_folder(const std::string& what) {
  throw OptionError("continue", what);
}

/// Of what was asked for; with it a run's file is known as one of the comparison's.
std::uint64_t print_of(const BegunComparison& begun) {
  std::uint64_t print = fingerprint_of_nothing;
  const auto add = [&](std::string_view text) {
    print = fingerprint(std::as_bytes(std::span(text)), print);
    print = fingerprint(std::as_bytes(std::span("\n", 1)), print);
  };
  add(begun.program);
  for (const BegunCase& one : begun.cases) {
    for (const std::string& text : {one.folder, one.configuration, joined(one.tuned)}) add(text);
    add(fmt::to_string(one.rows));
  }
  return print;
}

/// But for what a process has left that was killed while it began.
bool holds_anything(const fs::path& folder, std::error_code& error) {
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(begun_name)) return true;
  }
  return false;
}

/// None where the folder is missing or empty.
std::optional<BegunComparison> comparison_in(const fs::path& out) {
  std::error_code error;
  const fs::path file = out / comparison_name;
  if (!fs::exists(file, error)) {
    if (!fs::exists(out, error)) return std::nullopt;
    const bool holds_something = holds_anything(out, error);
    if (!error && !holds_something) return std::nullopt;
    refuse_folder(error ? fmt::format("{}: {}", out.string(), error.message())
                        : fmt::format("{} holds no comparison that could go on (no {}); expected "
                                      "the folder of one, or an empty one",
                                      out.string(), comparison_name));
  }
  try {
    Archive archive = Archive::read(file);
    std::uint64_t version = 0;
    archive.exchange("format version", version);
    if (version != format_version) {
      refuse_folder(fmt::format("{} has version {} of the format, and this program reads {}",
                                file.string(), version, format_version));
    }
    BegunComparison begun;
    exchange_comparison(archive, begun);
    return begun;
  } catch (const DataError& damage) {
    refuse_folder(damage.what());
  }
}

}  // namespace

ComparisonFolder::ComparisonFolder(fs::path out, bool goes_on)
    : out_(std::move(out)), goes_on_(goes_on) {
  if (goes_on_) begun_ = comparison_in(out_);
  if (begun_) print_ = print_of(*begun_);
}

ComparisonFolder::~ComparisonFolder() {
  if (!is_new_ || keeps_) return;
  unlink((out_ / comparison_name).c_str());
  remove_empty(made_);
}

const BegunCase* ComparisonFolder::begun(const Case& one) const {
  return begun_ ? find_case(*begun_, folder_of(one).string()) : nullptr;
}

void ComparisonFolder::hold_against(const std::vector<Case>& cases, const Remark& remark) {
  if (!begun_) return;
  require_same(*begun_, begun_of(cases));
  for (const Case& one : cases) read_ended(one, remark);
}

void ComparisonFolder::begin(const std::vector<Case>& cases) {
  if (begun_) return;
  begun_ = begun_of(cases);
  print_ = print_of(*begun_);
  const InterruptsWait wait;
  made_ = folders_to_make(out_);
  is_new_ = true;
  write();
  std::vector<fs::path> paths{out_ / comparison_name};
  paths.insert(paths.end(), made_.begin(), made_.end());
  unfinished_ = std::make_unique<Unfinished>(std::move(paths));
}

void ComparisonFolder::write() const {
  std::error_code error;
  fs::create_directories(out_, error);
  if (error) throw RunError(fmt::format("--out: {}: {}", out_.string(), error.message()));
  const fs::path beside = out_ / fmt::format("{}{}.partial", begun_name, getpid());
  Archive archive;
  std::uint64_t version = format_version;
  archive.exchange("format version", version);
  BegunComparison begun = *begun_;
  exchange_comparison(archive, begun);
  archive.write(beside);
  fs::rename(beside, out_ / comparison_name, error);
  if (error) {
    throw RunError(fmt::format("--out: cannot rename {} to {}: {}", beside.string(),
                               comparison_name, error.message()));
  }
  force_to_disk(out_);
}

/// A run that was interrupted is there and has not ended.
void ComparisonFolder::read_ended(const Case& one, const Remark& remark) {
  const fs::path folder = out_ / folder_of(one), file = folder / kept_name;
  std::error_code error;
  if (!fs::exists(folder, error)) return;
  const auto refuse = [&](const std::string& why) {
    if (one.configuration.force) return;
    refuse_folder(fmt::format("{} is not of this comparison: it {}; --force makes the run anew",
                              folder.string(), why));
  };
  if (!fs::exists(file, error)) return refuse(fmt::format("has no {}", kept_name));
  try {
    Archive kept = Archive::read(file);
    std::uint64_t print = 0;
    std::uint8_t is_interrupted = 0;
    kept.exchange("comparison", print);
    kept.exchange("summary/interrupted", is_interrupted);
    if (print != print_) return refuse("was begun with other settings");
    RunResult tried;
    exchange_result(kept, tried);  // a file that lacks an array is damaged, too
    if (is_interrupted == 0) ended_.insert_or_assign(folder_of(one).string(), std::move(kept));
  } catch (const DataError& damage) {
    if (remark) remark(fmt::format("warning: {}: the run is made again", damage.what()));
  }
}

bool ComparisonFolder::has_ended(const Case& one) const {
  return ended_.contains(folder_of(one).string());
}

std::optional<Archive> ComparisonFolder::take_ended(const Case& one) {
  auto taken = ended_.extract(folder_of(one).string());
  return taken ? std::optional(std::move(taken.mapped())) : std::nullopt;
}

void ComparisonFolder::keep() {
  if (!keeps_.exchange(true)) unfinished_.reset();
}

void ComparisonFolder::sign(Archive& kept) {
  keep();
  std::uint64_t print = print_;
  kept.exchange("comparison", print);
}

}  // namespace trainyard
