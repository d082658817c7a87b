#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/standard_streams.hpp"
#include "trainyard/report/reproduction_format.hpp"

#include "app/commands.hpp"
#include "app/own_answer.hpp"

namespace trainyard::app {

namespace {

/// On a terminal, one line that says what runs; without a thread, as commands run in forks.
class Progress {
 public:
  explicit Progress(int descriptor) : shown_(descriptor >= 0 && isatty(descriptor) == 1) {}
  ~Progress() {
    if (shown_) say(erase_line);
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& what) const {
    if (shown_) say(erase_line + what.substr(0, 79));
  }

 private:
  const bool shown_;
};

Reproduction reproduced(const PublishedResult& result, const std::filesystem::path& data_dir,
                        const Progress& progress) {
  const CommandFolder folder(result.files);
  try {
    return reproduce(result, [&](const std::string& command) {
      progress.show(result.name + ": " + command);
      return answer_of(command, folder.path(), data_dir);
    });
  } catch (const DataError& error) {
    return {.result = &result, .skipped = error.what()};
  }
}

int status_of(const std::vector<Reproduction>& all) {
  if (std::ranges::any_of(all, [](const Reproduction& one) { return !one.unlike.empty(); })) {
    return exit_not_reproduced;
  }
  const bool lacks =
      std::ranges::any_of(all, [](const Reproduction& one) { return !one.skipped.empty(); });
  return lacks ? exit_data : exit_done;
}

int list_published(const AnswerOutput& output) {
  print_answer(output, {.text = [] { return published_list_text(published_results()); },
                        .json = [] { return published_list_json(published_results()); }});
  return exit_done;
}

}  // namespace

int reproduce_command(const ReproduceQuestion& question) {
  if (question.results.empty()) return list_published(question.output);
  const Answer answer(question.output);
  std::vector<Reproduction> all;
  {
    const Progress progress(question.output.progress_to());
    const auto data_dir = std::filesystem::absolute(question.data_dir);
    for (const PublishedResult* result : question.results) {
      all.push_back(reproduced(*result, data_dir, progress));
    }
  }
  const std::string title =
      all.size() == 1 ? all.front().result->title : std::string("Published, and here");
  answer.give(PageKind::published, title,
              {.text = [&] { return reproductions_text(all); },
               .json = [&] { return reproductions_json(all); }});
  return status_of(all);
}

}  // namespace trainyard::app
