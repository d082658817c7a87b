#include "app/export_flags.hpp"

#include <array>

#include "trainyard/base/error.hpp"

#include "app/training_flags.hpp"

namespace trainyard::app {

ExportFlags::ExportFlags(CLI::App& command) {
  folder_ = command.add_option("DIR", "of a run, which --out wrote")->type_name("");
  to_ = add_value_flag(command, "to", "FORMAT", "onnx [onnx]");
  out_ = add_value_flag(command, "out", "FILE", "what is written [model.onnx]");
  force_ = add_switch(command, "force", "overwrite --out FILE");
  command.footer(
      "The ONNX file takes values as they stand in a file: of a table an input a column, named "
      "like\n"
      "it, numbers as float64 and words as strings, a row each; of other files one input, "
      "features.\n"
      "What training made of them, filling, scaling, words, is in the file. It gives class and\n"
      "probabilities, or of least squares value.\n"
      "\n"
      "  trainyard export results/ring --to onnx --out ring.onnx");
}

ExportQuestion ExportFlags::question() const {
  ExportQuestion question;
  question.folder = only_word(*folder_);
  if (question.folder.empty()) {
    throw UsageError(
        "export: expected the folder of a run, as in 'trainyard export results/ring --to onnx'");
  }
  const std::array<std::string, 1> formats{"onnx"};
  if (const std::string format = only_value(*to_); to_->count() > 0) {
    (void)chosen(format, "--to", formats);
  }
  if (const std::string out = only_value(*out_); out_->count() > 0) question.out = out;
  question.force = is_given(*force_);
  return question;
}

}  // namespace trainyard::app
