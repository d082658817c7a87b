#include <fmt/format.h>

#include "trainyard/experiment/spread.hpp"
#include "trainyard/report/summary_format.hpp"

namespace trainyard {

namespace {

template <typename T>
std::string or_empty(const std::optional<T>& value) {
  return value ? fmt::to_string(*value) : "";
}

/// Quoted where a comma, a quote or a line end asks for it (RFC 4180).
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

struct Column {
  const char* name;
  std::string (*text)(const Summary&);
};

const std::vector<Column>& columns() {
  using S = Summary;
  static const std::vector<Column> table{
      {"scheme", [](const S& s) { return field(s.scheme); }},
      {"workers", [](const S& s) { return fmt::to_string(s.workers); }},
      {"servers", [](const S& s) { return fmt::to_string(s.servers); }},
      {"time", [](const S& s) { return field(s.time); }},
      {"seed", [](const S& s) { return fmt::to_string(s.seed); }},
      {"dataset", [](const S& s) { return field(s.dataset); }},
      {"model", [](const S& s) { return field(s.model); }},
      {"parameters", [](const S& s) { return fmt::to_string(s.parameters); }},
      {"lr", [](const S& s) { return fmt::to_string(s.lr); }},
      {"steps", [](const S& s) { return fmt::to_string(s.steps); }},
      {"epochs", [](const S& s) { return fmt::to_string(s.epochs); }},
      {"samples", [](const S& s) { return fmt::to_string(s.samples); }},
      {"samples_computed", [](const S& s) { return fmt::to_string(s.samples_computed); }},
      {"seconds", [](const S& s) { return fmt::to_string(s.seconds); }},
      {"target_loss", [](const S& s) { return or_empty(s.target_loss); }},
      {"seconds_to_target", [](const S& s) { return or_empty(s.seconds_to_target); }},
      {"epochs_to_target", [](const S& s) { return or_empty(s.epochs_to_target); }},
      {"train_loss", [](const S& s) { return fmt::to_string(s.train_loss); }},
      {"test_loss", [](const S& s) { return or_empty(s.test_loss); }},
      {"test_accuracy", [](const S& s) { return or_empty(s.test_accuracy); }},
      {"compute_s", [](const S& s) { return fmt::to_string(s.compute_s); }},
      {"transfer_s", [](const S& s) { return fmt::to_string(s.transfer_s); }},
      {"wait_s", [](const S& s) { return fmt::to_string(s.wait_s); }},
      {"messages", [](const S& s) { return fmt::to_string(s.messages); }},
      {"bytes_sent", [](const S& s) { return fmt::to_string(s.bytes_sent); }},
      {"staleness_mean",
       [](const S& s) { return s.staleness ? fmt::to_string(s.staleness->mean) : ""; }},
      {"consensus_distance", [](const S& s) { return or_empty(s.consensus_distance); }},
      {"samples_per_second", [](const S& s) { return fmt::to_string(s.samples_per_second); }},
      {"model_hash", [](const S& s) { return s.model_hash; }},
      {"diverged", [](const S& s) { return fmt::to_string(s.diverged); }},
      {"interrupted", [](const S& s) { return fmt::to_string(s.interrupted); }},
  };
  return table;
}

}  // namespace

std::string summary_csv(const std::vector<RunResult>& results) {
  std::vector<std::string> cells;
  for (const Column& column : columns()) cells.emplace_back(column.name);
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (const RunResult& result : results) {
    cells.clear();
    for (const Column& column : columns()) cells.push_back(column.text(result.summary));
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

std::string spread_csv(const std::vector<RunResult>& results) {
  std::vector<std::string> cells{"scheme", "seeds", "lr", "diverged", "reached_target"};
  for (const Figure& figure : figures()) {
    cells.push_back(fmt::format("{}_mean", figure.name));
    cells.push_back(fmt::format("{}_sd", figure.name));
  }
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (const SchemeSpread& spread : spreads_of(results)) {
    cells = {field(spread.scheme), fmt::to_string(spread.summaries.size()),
             fmt::to_string(spread.summaries.front()->lr), fmt::to_string(spread.diverged),
             fmt::to_string(spread.reached_target)};
    for (const Figure& figure : figures()) {
      const std::optional<Spread> s = spread_of(spread.summaries, figure.of);
      cells.push_back(s ? fmt::to_string(s->mean) : "");
      cells.push_back(s ? or_empty(s->deviation) : "");
    }
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

std::string ranks_csv(const RunResult& result) {
  std::string text =
      "rank,role,compute_s,transfer_s,wait_s,messages_sent,bytes_sent,messages_received,"
      "bytes_received\n";
  const std::size_t servers = static_cast<std::size_t>(result.summary.servers);
  for (std::size_t rank = 0; rank < result.accounts.size(); ++rank) {
    const RankAccount& a = result.accounts[rank];
    text += fmt::format("{},{},{},{},{},{},{},{},{}\n", rank,
                        rank + servers < result.accounts.size() ? "worker" : "server",
                        to_seconds(a.compute), to_seconds(a.transfer), to_seconds(a.wait),
                        a.messages_sent, a.bytes_sent, a.messages_received, a.bytes_received);
  }
  return text;
}

}  // namespace trainyard
