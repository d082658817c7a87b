#include "network/client_times.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view availability_form =
    R"({"client": {"active": […], "inactive": […], "finish_time": …}, …}, in seconds)";
constexpr double most_s = 9e6;

[[noreturn]] void refuse_client(const std::string& where, const std::string& found) {
  throw UsageError(fmt::format("{}: {}; expected {}", where, found, availability_form));
}

double moment_of(const OrderedJson& value, const std::string& where) {
  const double moment = value.is_number() ? value.get<double>() : -1.0;
  if (moment >= 0.0 && moment <= most_s) return moment;
  refuse_client(
      where, fmt::format("{} is no moment from 0 to {:.0f} seconds", echoed(value.dump()), most_s));
}

std::vector<double> moments_of(const OrderedJson& client, const char* key,
                               const std::string& where) {
  const auto found = client.find(key);
  if (found == client.end() || !found->is_array()) {
    refuse_client(where, fmt::format("it has no list \"{}\"", key));
  }
  std::vector<double> moments;
  for (const OrderedJson& value : *found) moments.push_back(moment_of(value, where));
  return moments;
}

/// Up to the end of the period. Stretches that meet are one.
void add_stretch(ClientTimes& client, double from_s, double until_s, const std::string& where) {
  const FaultTime stretch{seconds(from_s), std::min(seconds(until_s), client.period)};
  const Time before = client.up.empty() ? Time{0} : client.up.back().until;
  if (until_s < from_s || stretch.from < before) {
    refuse_client(where,
                  fmt::format("it is active from {} to {}, after {}, and a stretch neither ends "
                              "before it begins nor overlaps another",
                              from_s, until_s, to_seconds(before)));
  }
  if (stretch.from >= stretch.until) return;
  if (!client.up.empty() && stretch.from == before) {
    client.up.back().until = stretch.until;
  } else {
    client.up.push_back(stretch);
  }
}

ClientTimes client_of(const OrderedJson& value, const std::string& where) {
  if (!value.is_object())
    refuse_client(where, fmt::format("{} is no object", echoed(value.dump())));
  const auto finish = value.find("finish_time");
  const double period = finish == value.end() ? 0.0 : moment_of(*finish, where);
  if (!(period > 0.0)) refuse_client(where, "it has no \"finish_time\" above 0");
  const std::vector<double> active = moments_of(value, "active", where);
  const std::vector<double> inactive = moments_of(value, "inactive", where);
  if (active.size() != inactive.size()) {
    refuse_client(where, fmt::format("it has {} moments \"active\" and {} \"inactive\"",
                                     active.size(), inactive.size()));
  }
  ClientTimes client{.period = seconds(period)};
  for (std::size_t i = 0; i < active.size(); ++i) {
    add_stretch(client, active[i], inactive[i], where);
  }
  if (client.up.empty()) refuse_client(where, "it is never active");
  return client;
}

}  // namespace

std::vector<ClientTimes> parse_client_times(std::string_view text, const std::string& name) {
  OrderedJson all;
  try {
    all = OrderedJson::parse(text);
  } catch (const OrderedJson::parse_error& error) {
    const std::string_view before = text.substr(0, std::min(error.byte, text.size()));
    refuse_client(fmt::format("{}:{}", name, 1 + std::ranges::count(before, '\n')),
                  "it is not JSON");
  }
  std::vector<ClientTimes> clients;
  for (const auto& [key, value] : all.items()) {
    clients.push_back(client_of(value, fmt::format("{}: client {}", name, echoed(key))));
  }
  if (clients.empty()) refuse_client(name, "there is no client");
  return clients;
}

TracedOutages outages_of(const ClientTimes& client) {
  TracedOutages traced{.cycle = {.period = client.period}};
  const Time begins = client.up.front().from;
  if (begins > Time{0}) traced.once.push_back({Time{0}, begins});
  for (std::size_t i = 0; i < client.up.size(); ++i) {
    const bool is_last = i + 1 == client.up.size();
    const Time until = is_last ? client.period + begins : client.up[i + 1].from;
    if (client.up[i].until < until) {
      traced.cycle.outages.push_back({client.up[i].until, until});
    }
  }
  return traced;
}

}  // namespace trainyard
