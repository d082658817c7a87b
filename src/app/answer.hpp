// The output of a command that trains nothing: its answer as text or JSON on standard output, and
// beside it the files that --svg, --html, --goal and --chakra name.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "trainyard/report/output_file.hpp"
#include "trainyard/run/notes.hpp"
#include "trainyard/web/page.hpp"

namespace trainyard::app {

struct AnswerOutput {
  bool json = false;
  std::filesystem::path svg{}, html{}, goal{};  // empty: none
  std::filesystem::path chakra{};               // of a file for each rank, without its ending
  bool force = false;
  bool quiet = false;
  std::vector<std::string> notes{};  // that were said of the call; they go with the answer

  /// The descriptor that a StatusLine writes to.
  int progress_to() const;
};

/// The files that a command writes beside its answer.
enum class AnswerFiles { none, page, page_and_figure, page_figure_and_schedules };

class AnswerFlags {
 public:
  /// Adds --json and --quiet, and --html, --svg, --goal, --chakra and --force for the files that
  /// there may be.
  AnswerFlags(CLI::App& command, const std::string& json_help, AnswerFiles files);

  /// Throws UsageError.
  AnswerOutput read() const;

  /// "note: --X has no effect: REASON" for each flag that is given in vain.
  std::vector<std::string> notes() const;

 private:
  /// "--svg FILE and --html FILE", of those that there are.
  std::string files_text(const std::string& what, const std::string& last) const;

  /// Those of files, in the order of --help; nullptr: it has none.
  std::array<CLI::Option*, 4> of_files() const { return {svg_, goal_, chakra_, html_}; }

  CLI::Option *json_, *svg_ = nullptr, *goal_ = nullptr, *chakra_ = nullptr, *html_ = nullptr,
                      *force_ = nullptr, *quiet_;
};

/// Each is asked for only where it is wanted.
struct AnswerTexts {
  std::function<std::string()> text, json, svg{}, goal{};
  std::function<std::vector<std::string>()> chakra{};  // of each rank
  bool json_has_notes = false;                         // those of saved runs
  std::vector<Note> notes{};                           // beside those of the call
};

/// The JSON document, an object on lines of its own, with "notes" for its last member: those of the
/// call, and others.
std::string with_notes(const std::string& document, const std::vector<std::string>& of_call,
                       const std::vector<Note>& others = {});

/// Prints the answer as text or JSON on standard output.
void print_answer(const AnswerOutput& output, const AnswerTexts& texts);

class Answer {
 public:
  /// Before anything is computed: throws UsageError for a file that cannot be written.
  explicit Answer(const AnswerOutput& output);

  /// A file that cannot be written does not cost the text. Throws what could not be done.
  void give(PageKind kind, const std::string& title, const AnswerTexts& texts) const;

 private:
  void write_chakra(const std::vector<std::string>& traces) const;

  const AnswerOutput output_;
  std::optional<OutputFile> svg_, goal_, html_;
};

}  // namespace trainyard::app
