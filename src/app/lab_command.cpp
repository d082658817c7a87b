// Pages to play with: from a server until Ctrl-C, or as files.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/interrupt.hpp"
#include "trainyard/base/standard_streams.hpp"
#include "trainyard/report/folder_claim.hpp"
#include "trainyard/report/output_file.hpp"
#include "trainyard/report/status_line.hpp"
#include "trainyard/report/zip_archive.hpp"
#include "trainyard/web/lab.hpp"
#include "trainyard/web/page.hpp"

#include "app/commands.hpp"
#include "app/failures.hpp"

namespace trainyard::app {

namespace {

/// The folder, which goes again where nothing is written into it.
class ExportFolder {
 public:
  explicit ExportFolder(const std::filesystem::path& folder) : made_(folders_to_make(folder)) {
    const InterruptsWait wait;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
      remove_empty(made_);
      throw UsageError(fmt::format("--export: {}: {}", folder.string(), error.message()));
    }
    unfinished_.emplace(made_);
  }
  ~ExportFolder() { remove_empty(made_); }
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;

 private:
  const std::vector<std::filesystem::path> made_;
  std::optional<Unfinished> unfinished_;
};

bool is_archive(const std::filesystem::path& place) {
  return place.extension() == ".zip";
}

/// One archive, whole or not there.
void export_archive(const LabPlace& place, int progress_to) {
  const std::filesystem::path& file = place.folder;
  const OutputFile output("--export", file, place.force);
  StatusLine status_line(progress_to);
  ZipArchive archive;
  const std::filesystem::path folder = file.stem();
  export_lab(
      place.name, interrupt_flag(), place.without_answers,
      [&](const std::string& name, const std::string& text) {
        archive.add((folder / name).generic_string(), text);
      },
      [&](const std::string& told) { status_line.show(told); });
  output.finish(archive.finished());
}

/// The scripts of this very program need no --force: another lab's page brought them.
bool is_there_already(const std::filesystem::path& file, const std::string& text) {
  std::error_code unreadable;
  if (std::filesystem::file_size(file, unreadable) != text.size() || unreadable) return false;
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {}) == text;
}

/// Each file is whole or not there; an interrupt leaves those that are.
void export_to(const LabPlace& place, int progress_to) {
  const std::filesystem::path& folder = place.folder;
  const ExportFolder made(folder);
  // Nobody finds out after a minute that the last one is there already.
  for (const std::string& name : exported_lab_pages(place.name)) {
    if (is_there_already(folder / name, page_scripts())) continue;
    const OutputFile checked("--export", folder / name, place.force);
  }
  keep_results_when_interrupted();
  StatusLine status_line(progress_to);
  export_lab(
      place.name, interrupt_flag(), place.without_answers,
      [&](const std::string& name, const std::string& text) {
        if (is_there_already(folder / name, text)) return;
        OutputFile("--export", folder / name, place.force).finish(text);
      },
      [&](const std::string& told) { status_line.show(told); });
}

int export_pages(const LabPlace& place) {
  const AnswerOutput output{.quiet = place.quiet};
  std::filesystem::path begin = place.folder;
  if (is_archive(place.folder)) {
    export_archive(place, output.progress_to());
  } else {
    export_to(place, output.progress_to());
    begin /= place.name.empty() ? "index.html" : place.name + ".html";
  }
  print_text(begin.string() + "\n");
  return exit_done;
}

}  // namespace

int lab_command(const LabPlace& place) {
  if (!place.folder.empty()) return export_pages(place);
  LabServerOptions options{.port = place.port, .without_answers = place.without_answers};
  if (!place.network_address.empty()) {
    options.address = listening_address(place.network_address);
  }
  serve_lab(options, interrupt_flag(), [&](const std::string& url) {
    // There is nothing to keep; but the files of uploads are to go.
    keep_results_when_interrupted();
    if (!place.network_address.empty()) {
      complain(
          fmt::format("warning: whoever reaches {} may run computations here", options.address));
    }
    fmt::print("{}/{}\n", url, place.name.empty() ? "" : "lab/" + place.name);
    flush_output();
  });
  return exit_done;
}

}  // namespace trainyard::app
