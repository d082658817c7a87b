#include "trainyard/report/run_folder.hpp"

#include <bit>
#include <system_error>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/experiment/options.hpp"
#include "trainyard/report/summary_format.hpp"

namespace trainyard {

namespace {

void check_written(const std::ofstream& stream, const std::filesystem::path& file) {
  if (!stream) throw UsageError(fmt::format("--out: cannot write {}", file.string()));
}

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.flush();
  check_written(stream, file);
}

std::filesystem::path partial_folder(const std::filesystem::path& out, const std::string& name) {
  return out / (name + ".partial");
}

}  // namespace

void write_npy(const std::filesystem::path& file, ConstVector values) {
  static_assert(std::endian::native == std::endian::little, "the header says little-endian");
  std::string header = fmt::format("{{'descr': '<{}', 'fortran_order': False, 'shape': ({},), }}",
                                   values.scalar() == Scalar::float32 ? "f4" : "f8", values.size());
  // Magic, version and length take 10 bytes; the data begins at a multiple of 64.
  header.append(64 - (10 + header.size() + 1) % 64, ' ');
  header += '\n';
  std::ofstream stream(file, std::ios::binary);
  stream << "\x93NUMPY" << '\x01' << '\0' << static_cast<char>(header.size() & 0xFFU)
         << static_cast<char>(header.size() >> 8U) << header;
  stream.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.bytes().size()));
  stream.flush();
  check_written(stream, file);
}

void refuse_existing_results(const std::filesystem::path& out, const std::string& name) {
  std::error_code error;
  if (std::filesystem::exists(out / name, error)) {
    throw UsageError(fmt::format("--out: {} exists; --force overwrites it", (out / name).string()));
  }
  const std::filesystem::path partial = partial_folder(out, name);
  if (std::filesystem::exists(partial, error)) {
    throw UsageError(fmt::format(
        "--out: {} exists, left by a run that is under way or was killed; --force overwrites it",
        partial.string()));
  }
}

RunFolder::RunFolder(const std::filesystem::path& out, const std::string& name,
                     const Configuration& resolved, bool overwrite)
    : final_(out / name), partial_(partial_folder(out, name)), overwrite_(overwrite) {
  if (!overwrite) refuse_existing_results(out, name);
  std::error_code error;
  std::filesystem::remove_all(partial_, error);
  std::filesystem::create_directories(partial_, error);
  if (error) {
    throw UsageError(
        fmt::format("--out: cannot write to {}: {}; expected a folder, or a place for one",
                    out.string(), error.message()));
  }
  write_text(partial_ / "config.toml", configuration_text(resolved));
  metrics_.open(partial_ / "metrics.jsonl", std::ios::binary);
  check_written(metrics_, partial_ / "metrics.jsonl");
}

void RunFolder::add(const Metrics& metrics) {
  metrics_ << metrics_json(metrics);
  metrics_.flush();
}

void RunFolder::finish(const RunResult& result) {
  check_written(metrics_, partial_ / "metrics.jsonl");
  metrics_.close();
  write_text(partial_ / "summary.json", summary_json(result.summary));
  write_text(partial_ / "ranks.csv", ranks_csv(result));
  write_npy(partial_ / "model.npy", result.model.view());
  std::error_code error;
  if (overwrite_) std::filesystem::remove_all(final_, error);
  std::filesystem::rename(partial_, final_, error);
  if (error) {
    throw UsageError(fmt::format("--out: cannot rename {} to {}: {}", partial_.string(),
                                 final_.string(), error.message()));
  }
}

}  // namespace trainyard
