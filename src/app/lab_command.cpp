// Pages to play with: from a server until Ctrl-C, or as files.
#include <filesystem>
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
#include "trainyard/web/lab.hpp"

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

/// Each file is whole or not there; an interrupt leaves those that are.
void export_to(const std::filesystem::path& folder, bool force, int progress_to) {
  const ExportFolder made(folder);
  // Nobody finds out after a minute that the last one is there already.
  for (const std::string& name : exported_lab_pages()) {
    const OutputFile checked("--export", folder / name, force);
  }
  keep_results_when_interrupted();
  StatusLine status_line(progress_to);
  export_lab(
      interrupt_flag(),
      [&](const std::string& name, const std::string& html) {
        OutputFile("--export", folder / name, force).finish(html);
      },
      [&](const std::string& told) { status_line.show(told); });
}

}  // namespace

int lab_command(const LabPlace& place) {
  if (!place.folder.empty()) {
    const AnswerOutput output{.quiet = place.quiet};
    export_to(place.folder, place.force, output.progress_to());
    print_text((place.folder / "index.html").string() + "\n");
    return exit_done;
  }
  LabServerOptions options{.port = place.port};
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
