#include <string>
#include <vector>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/standard_streams.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/data/split_file.hpp"
#include "trainyard/report/output_file.hpp"
#include "trainyard/report/split_file_format.hpp"
#include "trainyard/report/status_line.hpp"
#include "trainyard/run/run.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

namespace {

/// Writes the file; `notes` get what its data had to say.
SplitFileReport written(const SplitRequest& request, std::vector<Note>& notes) {
  const OutputFile out("--out", request.out, request.force);
  const Configuration& c = request.configuration;
  StatusLine status_line(request.output.progress_to());
  status_line.show("reading " + c.dataset);
  LoadedData data = load_dataset(dataset_request(c));
  for (const std::string& remark : data.remarks) {
    say(remark + "\n");
    notes.push_back({"", remark});
  }
  status_line.show("dividing " + data.name);
  const auto parts =
      divide_rows(data.train, c.partition, static_cast<std::size_t>(c.workers), c.seed);
  SplitFileReport report{
      .file = request.out.string(), .rule = partition_text(c.partition), .seed = c.seed};
  for (const auto& part : parts) report.rows_of_parts.push_back(part.size());
  const LoadedData ordered = in_order_of_parts(std::move(data), parts);
  report.dataset = ordered.name;
  report.rows = ordered.train.rows;
  status_line.show("writing " + report.file);
  const std::string head = split_file_head(ordered, {.rule = report.rule, .seed = report.seed});
  out.finish(split_file_pieces(ordered, head));
  return report;
}

}  // namespace

int split_command(const SplitRequest& request) {
  std::vector<Note> notes;
  const SplitFileReport report = written(request, notes);
  // For people not on standard output, which may be what --out names.
  if (!request.output.json) {
    say(split_file_text(report));
    return exit_done;
  }
  print_answer(request.output,
               {.text = {}, .json = [&] { return split_file_json(report); }, .notes = notes});
  return exit_done;
}

}  // namespace trainyard::app
