#include <fmt/format.h>

#include "trainyard/report/summary_format.hpp"
#include "trainyard/run/figures.hpp"
#include "trainyard/study/seed_statistics.hpp"

namespace trainyard {

namespace {

/// Quoted where a comma, a quote or a line end asks for it (RFC 4180).
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

struct ToField {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(const std::string& text) const { return field(text); }
  template <typename T>
  std::string operator()(T value) const {
    return fmt::to_string(value);
  }
};

}  // namespace

std::string summary_csv(const std::vector<RunResult>& results) {
  const std::vector<const Figure*> columns = figures_in(View::csv);
  std::vector<std::string> cells;
  cells.reserve(columns.size());
  for (const Figure* figure : columns) cells.emplace_back(figure->key);
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (const RunResult& result : results) {
    cells.clear();
    for (const Figure* figure : columns) {
      cells.push_back(std::visit(ToField(), figure->of(result.summary)));
    }
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

std::string statistics_csv(const std::vector<RunResult>& results) {
  const std::vector<const Figure*> figures = figures_in(View::statistics);
  std::vector<std::string> cells{"scheme", "seeds", "lr", "diverged", "reached_target"};
  for (const Figure* figure : figures) {
    cells.push_back(fmt::format("{}_mean", figure->key));
    cells.push_back(fmt::format("{}_sd", figure->key));
  }
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (const SeedStatistics& statistics : seed_statistics(results)) {
    cells = {field(statistics.scheme), fmt::to_string(statistics.summaries.size()),
             fmt::to_string(statistics.summaries.front()->lr), fmt::to_string(statistics.diverged),
             fmt::to_string(statistics.reached_target)};
    for (const Figure* figure : figures) {
      const std::optional<SampleStatistics> s = statistics_of(statistics.summaries, *figure);
      cells.push_back(s ? fmt::to_string(s->mean) : "");
      cells.push_back(s && s->deviation ? fmt::to_string(*s->deviation) : "");
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
