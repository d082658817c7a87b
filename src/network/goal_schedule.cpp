#include "trainyard/network/goal_schedule.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/text_file.hpp"
#include "trainyard/network/message_list.hpp"

namespace trainyard {

namespace {

using Words = std::vector<std::string_view>;
using Kind = GoalOperation::Kind;

constexpr std::int64_t longest_calc_ns = 9'000'000'000'000'000;  // 104 days

/// Before a comment, "//" or '#', and a ';' at its end.
Words words_in(std::string_view line) {
  line = line.substr(0, line.find("//"));
  Words words = words_of(line);
  if (!words.empty() && words.back().ends_with(';')) {
    words.back().remove_suffix(1);
    if (words.back().empty()) words.pop_back();
  }
  return words;
}

class Parser {
 public:
  explicit Parser(std::string name) { schedule_.name = std::move(name); }

  void take(std::size_t line, const Words& words) {
    line_ = line;
    if (words.empty()) return;
    if (!has_ranks_) {
      take_number_of_ranks(words);
    } else if (words.front() == "rank") {
      open_rank(words);
    } else if (!rank_) {
      refuse(words, "rank NUMBER {");
    } else if (words.front() == "}") {
      if (words.size() > 1) refuse(words, "} alone");
      rank_.reset();
    } else if (words.size() == 3 && (words[1] == "requires" || words[1] == "irequires")) {
      take_dependency(words);
    } else {
      take_operation(words);
    }
  }

  GoalSchedule result() {
    if (!has_ranks_) {
      throw UsageError(
          fmt::format("{}: no schedule in it; expected 'num_ranks N' and a block for "
                      "each rank",
                      schedule_.name));
    }
    if (rank_) {
      throw UsageError(
          fmt::format("{}: the block of rank {} has no }} at its end", schedule_.name, *rank_));
    }
    match();
    return std::move(schedule_);
  }

 private:
  std::string where() const { return fmt::format("{}:{}", schedule_.name, line_); }

  [[noreturn]] void refuse(const Words& words, std::string_view accepted) const {
    throw UsageError(fmt::format("{}: {} is not known here; accepted is {}", where(),
                                 echoed(fmt::format("{}", fmt::join(words, " "))), accepted));
  }

  int rank_named(std::string_view text, const char* what) const {
    const auto most = static_cast<std::int64_t>(schedule_.ranks.size()) - 1;
    return static_cast<int>(parse_integer(text, fmt::format("{}: {}", where(), what), 0, most));
  }

  void take_number_of_ranks(const Words& words) {
    if (words.size() != 2 || words[0] != "num_ranks") refuse(words, "num_ranks N, at first");
    schedule_.ranks.resize(static_cast<std::size_t>(
        parse_integer(words[1], where() + ": num_ranks", 1, most_listed_ranks)));
    opened_.resize(schedule_.ranks.size());
    has_ranks_ = true;
  }

  void open_rank(const Words& words) {
    if (rank_ || words.size() != 3 || words[2] != "{") {
      refuse(words, rank_ ? "} before the next rank" : "rank NUMBER {");
    }
    rank_ = static_cast<std::size_t>(rank_named(words[1], "rank"));
    if (opened_[*rank_]) {
      throw UsageError(fmt::format("{}: rank {} has a block already", where(), *rank_));
    }
    opened_[*rank_] = true;
    labels_.clear();
  }

  void take_operation(Words words) {
    GoalOperation operation;
    operation.line = line_;
    if (words.front().ends_with(':')) {
      operation.label = words.front().substr(0, words.front().size() - 1);
      words.erase(words.begin());
      const std::size_t place = schedule_.ranks[*rank_].size();
      if (!labels_.emplace(operation.label, place).second) {
        throw UsageError(
            fmt::format("{}: {} is a label already", where(), echoed(operation.label)));
      }
    }
    constexpr std::string_view accepted =
        "[LABEL:] calc NANOSECONDS, send BYTESb to RANK [tag TAG], recv BYTESb from RANK [tag "
        "TAG], "
        "and LABEL requires|irequires LABEL";
    if (words.size() < 2) refuse(words, accepted);
    const std::string_view verb = words.front();
    if (verb == "calc") {
      operation.length =
          std::chrono::nanoseconds(parse_integer(words[1], where() + ": calc", 0, longest_calc_ns));
      take_attributes(words, 2, operation);
    } else if ((verb == "send" || verb == "recv") && words.size() >= 4 &&
               words[2] == (verb == "send" ? "to" : "from")) {
      take_message(words, operation);
    } else {
      refuse(words, accepted);
    }
    schedule_.ranks[*rank_].push_back(std::move(operation));
  }

  void take_message(const Words& words, GoalOperation& operation) {
    operation.kind = words[0] == "send" ? Kind::send : Kind::receive;
    std::string_view bytes = words[1];
    if (!bytes.ends_with('b')) refuse(words, "a length like 1000b");
    bytes.remove_suffix(1);
    operation.bytes = static_cast<std::uint64_t>(
        parse_integer(bytes, where() + ": bytes", 0, std::int64_t{1} << 46U));
    operation.peer = rank_named(words[3], words[2] == "to" ? "to" : "from");
    if (static_cast<std::size_t>(operation.peer) == *rank_) {
      throw UsageError(fmt::format("{}: rank {} talks to itself; expected two different ranks",
                                   where(), operation.peer));
    }
    take_attributes(words, 4, operation);
  }

  /// A rank has one processor and one port here.
  void take_attributes(const Words& words, std::size_t from, GoalOperation& operation) {
    for (std::size_t i = from; i < words.size(); i += 2) {
      const std::string_view name = words[i];
      const bool is_known =
          name == "cpu" || name == "nic" || (name == "tag" && operation.kind != Kind::calc);
      if (!is_known || i + 1 == words.size()) refuse(words, "tag TAG, cpu 0 and nic 0 at the end");
      const std::int64_t most = name == "tag" ? std::int64_t{1} << 62U : 0;
      const auto value = static_cast<std::uint64_t>(
          parse_integer(words[i + 1], fmt::format("{}: {}", where(), name), 0, most));
      if (name == "tag") operation.tag = value;
    }
  }

  std::size_t labelled(std::string_view label) const {
    const auto found = labels_.find(label);
    if (found != labels_.end()) return found->second;
    throw UsageError(
        fmt::format("{}: rank {} has no {} above; a line names what it waits for "
                    "behind both",
                    where(), *rank_, echoed(label)));
  }

  void take_dependency(const Words& words) {
    const std::size_t later = labelled(words[0]), earlier = labelled(words[2]);
    GoalOperation& operation = schedule_.ranks[*rank_][later];
    (words[1] == "requires" ? operation.after : operation.beside).push_back(earlier);
  }

  /// Sends with receives.
  void match() {
    using Way = std::tuple<int, int, std::uint64_t>;  // from, to, tag
    std::map<Way, std::vector<std::size_t>> sends, receives;
    for (std::size_t rank = 0; rank < schedule_.ranks.size(); ++rank) {
      for (std::size_t i = 0; i < schedule_.ranks[rank].size(); ++i) {
        const GoalOperation& operation = schedule_.ranks[rank][i];
        const int own = static_cast<int>(rank);
        if (operation.kind == Kind::send) sends[{own, operation.peer, operation.tag}].push_back(i);
        if (operation.kind == Kind::receive) {
          receives[{operation.peer, own, operation.tag}].push_back(i);
        }
      }
    }
    for (const auto& [way, all] : sends) match(way, all, receives[way]);
    for (const auto& [way, all] : receives) match(way, sends[way], all);
  }

  void match(const std::tuple<int, int, std::uint64_t>& way, const std::vector<std::size_t>& sends,
             const std::vector<std::size_t>& receives) {
    const auto [from, to, tag] = way;
    auto& sender = schedule_.ranks[static_cast<std::size_t>(from)];
    auto& receiver = schedule_.ranks[static_cast<std::size_t>(to)];
    for (std::size_t k = 0; k < std::max(sends.size(), receives.size()); ++k) {
      if (k >= receives.size()) {
        throw UsageError(
            fmt::format("{}:{}: rank {} never receives this message from {} with tag {}",
                        schedule_.name, sender[sends[k]].line, to, from, tag));
      }
      if (k >= sends.size()) {
        throw UsageError(fmt::format("{}:{}: rank {} never sends rank {} this message with tag {}",
                                     schedule_.name, receiver[receives[k]].line, from, to, tag));
      }
      GoalOperation& send = sender[sends[k]];
      GoalOperation& receive = receiver[receives[k]];
      if (send.bytes != receive.bytes) {
        throw UsageError(fmt::format("{}:{}: {} bytes are received, and line {} sends {}",
                                     schedule_.name, receive.line, receive.bytes, send.line,
                                     send.bytes));
      }
      send.match = receives[k];
      receive.match = sends[k];
    }
  }

  GoalSchedule schedule_;
  bool has_ranks_ = false;
  std::size_t line_ = 0;
  std::optional<std::size_t> rank_{};  // whose block it is
  std::vector<bool> opened_;
  std::map<std::string, std::size_t, std::less<>> labels_;  // of its operations
};

}  // namespace

bool is_goal_schedule(std::string_view text) {
  bool is_goal = false;
  for_each_line(without_byte_order_mark(text), [&](std::size_t, std::string_view line) {
    const Words words = words_in(line);
    is_goal = !words.empty() && words.front() == "num_ranks";
    return words.empty();
  });
  return is_goal;
}

GoalSchedule parse_goal_schedule(std::string_view text, const std::string& name) {
  Parser parser(name);
  for_each_line(without_byte_order_mark(text), [&](std::size_t number, std::string_view line) {
    parser.take(number, words_in(line));
    return true;
  });
  return parser.result();
}

}  // namespace trainyard
