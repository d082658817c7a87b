#include "trainyard/network/fault_trace.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/hash.hpp"
#include "trainyard/base/text_file.hpp"

#include "network/client_times.hpp"

namespace trainyard {

namespace {

constexpr std::string_view line_form = "lines 'ms,add|remove,node', like '2500,remove,3'";
constexpr double most_ms = 9e9;  // as --seconds
constexpr int most_worker = 131071;
constexpr std::string_view decimal_digits = "0123456789";

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_number(std::string_view node) {
  return node.find_first_not_of(decimal_digits) == std::string_view::npos;
}

Time moment_of_change(std::string_view text, const std::string& where) {
  const double ms = parse_number(text, where);
  if (ms >= 0.0 && ms <= most_ms) return seconds(ms / 1e3);
  throw UsageError(fmt::format("{}: {} is not from 0 to {:.0f} milliseconds (104 days)", where,
                               echoed(text), most_ms));
}

NodeChange parse_change(std::string_view line, std::size_t number, const std::string& where) {
  const std::size_t first = line.find(',');
  const std::size_t second = first == std::string_view::npos ? first : line.find(',', first + 1);
  const auto refuse = [&] {
    throw UsageError(fmt::format("{}: {}; expected {}", where, echoed(line), line_form));
  };
  if (second == std::string_view::npos || line.find(',', second + 1) != std::string_view::npos) {
    refuse();
  }
  const std::string_view what = without_blanks(line.substr(first + 1, second - first - 1));
  const std::string_view node = without_blanks(line.substr(second + 1));
  if ((what != "add" && what != "remove") || node.empty()) refuse();
  return {moment_of_change(without_blanks(line.substr(0, first)), where), what == "add",
          std::string(node), number};
}

/// Each comes and goes in turn. A worker may have been there before its first line.
void check_turns(const FaultTrace& trace, const std::string& name) {
  std::map<std::string, const NodeChange*> latest;
  for (const NodeChange& change : trace.changes) {
    const NodeChange*& before = latest[change.node];
    const bool is_there = before != nullptr ? before->adds : trace.names_workers && !change.adds;
    if (is_there == change.adds) {
      const std::string since =
          before != nullptr ? fmt::format(" since line {}", before->line) : std::string();
      throw UsageError(fmt::format(
          "{}:{}: {} {} is {}{}, and is {} again; expected that each is added and removed in turn",
          name, change.line, trace.names_workers ? "worker" : "node", echoed(change.node),
          is_there ? "there" : "not there", since, change.adds ? "added" : "removed"));
    }
    before = &change;
  }
}

FaultTrace parse_changes(std::string_view text, const std::string& name) {
  FaultTrace trace;
  for_each_line(text, [&](std::size_t number, std::string_view line) {
    line = without_blanks(line.substr(0, line.find('#')));
    if (line.empty()) return true;
    const std::string where = fmt::format("{}:{}", name, number);
    NodeChange change = parse_change(line, number, where);
    if (!trace.changes.empty() && change.at < trace.changes.back().at) {
      throw UsageError(fmt::format("{}: it is earlier than line {}; expected rising times", where,
                                   trace.changes.back().line));
    }
    trace.changes.push_back(std::move(change));
    return true;
  });
  if (trace.changes.empty()) {
    throw UsageError(
        fmt::format("{}: nothing in it; expected {}, or FedScale's JSON", name, line_form));
  }
  trace.names_workers = std::ranges::all_of(trace.changes, is_number, &NodeChange::node);
  for (const NodeChange& change : trace.changes) {
    if (!trace.names_workers) break;
    const std::string where = fmt::format("{}:{}: worker", name, change.line);
    (void)parse_integer(change.node, where, 0, most_worker);
  }
  check_turns(trace, name);
  return trace;
}

int worker_of(const NodeChange& change) {
  return static_cast<int>(parse_integer(change.node, "", 0, most_worker));
}

/// When nodes are workers.
std::vector<FaultTime> outages_of_worker(const FaultTrace& trace, int worker) {
  std::vector<FaultTime> outages;
  Time since{0};  // it was down, and before its first line if that is `add`
  bool is_down = false, is_first = true;
  for (const NodeChange& change : trace.changes) {
    if (worker_of(change) != worker) continue;
    if (!change.adds) {
      since = change.at;
    } else if (!is_first || change.at > Time{0}) {
      outages.push_back({since, change.at});
    }
    is_down = !change.adds;
    is_first = false;
  }
  if (is_down) outages.push_back({since, Time::max()});
  return outages;
}

/// Which nodes have the places of workers, as they come and go.
class Places {
 public:
  explicit Places(int workers) {
    for (int place = 0; place < workers; ++place) free_.insert(place);
  }

  /// The place that it takes, empty where it waits for one.
  std::optional<int> add(const std::string& node) {
    if (free_.empty()) {
      waiting_.push_back(node);
      return std::nullopt;
    }
    const int place = *free_.begin();
    free_.erase(free_.begin());
    place_of_[node] = place;
    return place;
  }

  /// The place that it leaves; empty where it had none.
  std::optional<int> remove(const std::string& node) {
    const auto found = place_of_.find(node);
    if (found == place_of_.end()) {
      waiting_.erase(std::ranges::find(waiting_, node));
      return std::nullopt;
    }
    const int place = found->second;
    place_of_.erase(found);
    free_.insert(place);
    return place;
  }

  /// Whoever waits for one takes a place that is free.
  std::optional<int> fill() {
    if (waiting_.empty() || free_.empty()) return std::nullopt;
    const std::string node = waiting_.front();
    waiting_.pop_front();
    return add(node);
  }

 private:
  std::set<int> free_;
  std::map<std::string, int> place_of_;
  std::deque<std::string> waiting_;
};

/// When nodes have other names. A worker whose place passes from one node to the next in one moment
/// has crashed, and is back in that moment.
std::vector<FaultTime> outages_of_place(const FaultTrace& trace, int worker, int workers) {
  std::vector<FaultTime> outages;
  Places places(workers);
  Time since{0};
  bool is_down = true;
  const auto take = [&](std::optional<int> place, Time at) {
    if (place != worker) return;
    if (at > Time{0}) outages.push_back({since, at});
    is_down = false;
  };
  for (const NodeChange& change : trace.changes) {
    if (change.adds) {
      take(places.add(change.node), change.at);
      continue;
    }
    if (places.remove(change.node) == worker) {
      since = change.at;
      is_down = true;
    }
    take(places.fill(), change.at);
  }
  if (is_down) outages.push_back({since, Time::max()});
  return outages;
}

}  // namespace

FaultTrace read_fault_trace(const std::string& file, std::string_view what) {
  const std::string name = fmt::format("{}: {}", what, file);
  const std::string expected = fmt::format("a file with {}, or FedScale's JSON", line_form);
  FaultTrace trace = parse_fault_trace(read_text_file(file, name, expected), name);
  trace.file = file;
  return trace;
}

FaultTrace parse_fault_trace(std::string_view text, const std::string& name) {
  const std::size_t begins = text.find_first_not_of(" \t\r\n");
  FaultTrace trace;
  if (begins != std::string_view::npos && text[begins] == '{') {
    trace.clients = parse_client_times(text, name);
  } else {
    trace = parse_changes(text, name);
  }
  trace.content = fingerprint(std::as_bytes(std::span(text)));
  return trace;
}

TracedOutages outages_in(const FaultTrace& trace, int worker, int workers) {
  if (!trace.clients.empty()) {
    const auto w = static_cast<std::size_t>(worker);
    return outages_of(trace.clients[w % trace.clients.size()]);
  }
  if (trace.names_workers) return {outages_of_worker(trace, worker)};
  return {outages_of_place(trace, worker, workers)};
}

void check_workers_of(const FaultTrace& trace, int workers) {
  if (!trace.names_workers) return;
  for (const NodeChange& change : trace.changes) {
    if (worker_of(change) < workers) continue;
    throw OptionError("fault", fmt::format("trace:{}:{}: there is no worker {}; they are 0 to {}",
                                           trace.file, change.line, change.node, workers - 1));
  }
}

}  // namespace trainyard
