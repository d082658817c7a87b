#include <fmt/format.h>

#include "trainyard/base/standard_streams.hpp"
#include "trainyard/report/output_file.hpp"
#include "trainyard/scoring/onnx.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

int export_command(const ExportQuestion& question) {
  const OutputFile out("--out", question.out, question.force);
  const TrainedModel trained = open_trained_model(question.folder);
  const OnnxModel made = onnx_model(trained);
  for (const std::string& remark : made.remarks) say(remark + "\n");
  out.finish(made.bytes);
  // Not on standard output, which may be what --out names.
  say(fmt::format("{}: model '{}' with {} parameters, and what makes its rows\n",
                  question.out.string(), trained.name, trained.model->dimension()));
  return exit_done;
}

}  // namespace trainyard::app
