#include <fmt/format.h>

#include "trainyard/report/summary_format.hpp"

namespace trainyard {

namespace {

template <typename T>
std::string or_empty(const std::optional<T>& value) {
  return value ? fmt::to_string(*value) : "";
}

/// Quoted where a comma, a quote or a line end asks for it (RFC 4180).
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string line_of(const Summary& s) {
  return fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", s.scheme,
      s.workers, s.servers, s.time, s.seed, field(s.dataset), field(s.model), s.steps, s.epochs,
      s.seconds, or_empty(s.target_loss), or_empty(s.seconds_to_target),
      or_empty(s.epochs_to_target), s.train_loss, or_empty(s.test_loss), or_empty(s.test_accuracy),
      s.compute_s, s.transfer_s, s.wait_s, s.messages, s.bytes_sent,
      s.staleness ? fmt::to_string(s.staleness->mean) : "", or_empty(s.consensus_distance),
      s.samples_per_second, s.diverged ? "true" : "false");
}

}  // namespace

std::string summary_csv(const std::vector<RunResult>& results) {
  std::string text =
      "scheme,workers,servers,time,seed,dataset,model,steps,epochs,seconds,target_loss,"
      "seconds_to_target,epochs_to_target,train_loss,test_loss,test_accuracy,compute_s,transfer_s,"
      "wait_s,messages,bytes_sent,staleness_mean,consensus_distance,samples_per_second,diverged\n";
  for (const RunResult& result : results) text += line_of(result.summary);
  return text;
}

}  // namespace trainyard
