#include <algorithm>

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

namespace {

/// What the grid varies and no column says already, in the order of --vary.
std::vector<std::string> varied_columns(const std::vector<RunResult>& results,
                                        const std::vector<const Figure*>& columns) {
  std::vector<std::string> names;
  if (results.empty()) return names;
  for (const OptionText& varied : results.front().summary.varied) {
    if (std::ranges::find(columns, varied.option, &Figure::key) == columns.end()) {
      names.push_back(varied.option);
    }
  }
  return names;
}

std::string varied_field(const std::vector<OptionText>& varied, const std::string& option) {
  const auto found = std::ranges::find(varied, option, &OptionText::option);
  return found == varied.end() ? "" : field(found->text);
}

/// After the label, which comes first.
void insert_varied(std::vector<std::string>& cells, const std::vector<std::string>& varied) {
  cells.insert(cells.begin() + 1, varied.begin(), varied.end());
}

}  // namespace

std::string summary_csv(const std::vector<RunResult>& results) {
  const std::vector<const Figure*> columns = figures_in(View::csv);
  const std::vector<std::string> options = varied_columns(results, columns);
  std::vector<std::string> cells;
  cells.reserve(columns.size());
  for (const Figure* figure : columns) cells.emplace_back(figure->key);
  insert_varied(cells, options);
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (const RunResult& result : results) {
    cells.clear();
    for (const Figure* figure : columns) {
      cells.push_back(std::visit(ToField(), figure->of(result.summary)));
    }
    std::vector<std::string> varied;
    for (const std::string& option : options) {
      varied.push_back(varied_field(result.summary.varied, option));
    }
    insert_varied(cells, varied);
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

std::string statistics_csv(const std::vector<RunResult>& results) {
  const std::vector<const Figure*> settings = figures_in(View::setting);
  const std::vector<const Figure*> figures = figures_in(View::statistics);
  const std::vector<std::string> options = varied_columns(results, settings);
  std::vector<std::string> cells;
  for (const Figure* figure : settings) cells.emplace_back(figure->key);
  insert_varied(cells, options);
  for (const char* count : {"seeds", "diverged", "reached_target"}) cells.emplace_back(count);
  for (const Figure* figure : figures) {
    cells.push_back(fmt::format("{}_mean", figure->key));
    cells.push_back(fmt::format("{}_sd", figure->key));
  }
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (const SeedStatistics& statistics : seed_statistics(results)) {
    cells.clear();
    for (const Figure* figure : settings) {
      cells.push_back(std::visit(ToField(), figure->of(*statistics.summaries.front())));
    }
    std::vector<std::string> varied;
    for (const std::string& option : options) {
      varied.push_back(varied_field(statistics.varied, option));
    }
    insert_varied(cells, varied);
    for (const std::size_t count :
         {statistics.summaries.size(), statistics.diverged, statistics.reached_target}) {
      cells.push_back(fmt::to_string(count));
    }
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
