#include "trainyard/report/compute_share_format.hpp"

#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/report/aligned.hpp"
#include "trainyard/report/json_text.hpp"

#include "report/prediction_setting.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;  // keys in the order they are written here

struct Way {
  std::string_view key;
  std::string name;
  Meetings meetings;
};

std::array<Way, 4> ways_of(const Meetings& all) {
  const std::string period = fmt::format("every {:g} steps", all.period);
  const std::string fragments = fmt::format("{}, {:g} fragments", period, all.fragments);
  return {{{"every-step", "every step", {}},
           {"every-period", period, {.period = all.period}},
           {"fragments", fragments, {.period = all.period, .fragments = all.fragments}},
           {"delayed-fragments",
            fmt::format("{}, {} late", fragments, counted(fmt::format("{:g}", all.delay), "step")),
            all}}};
}

std::string percent_text(double share) {
  return fmt::format("{:.6g}%", 100.0 * share);
}

}  // namespace

std::string compute_share_json(const ComputeShareQuestion& question) {
  const ShareTask& task = question.task;
  Json rows = Json::array();
  for (const Way& way : ways_of(question.meetings)) {
    Json shares = Json::array();
    for (const double share : question.shares) {
      const std::optional<double> needed = bandwidth_for_share(task, way.meetings, share);
      shares.push_back({{"share", percent_text(share)},
                        {"bandwidth_bits_per_s", needed ? Json(8.0 * *needed) : Json(nullptr)}});
    }
    rows.push_back({{"way", way.key},
                    {"period", way.meetings.period},
                    {"fragments", way.meetings.fragments},
                    {"fragment_delay", way.meetings.delay},
                    {"shares", shares}});
  }
  return json_text({{"workers", task.workers},
                    {"bytes", task.bytes},
                    {"compute_s", task.compute_s},
                    {"latency_s", task.latency_s},
                    {"period", question.meetings.period},
                    {"fragments", question.meetings.fragments},
                    {"fragment_delay", question.meetings.delay},
                    {"rows", rows}});
}

std::string compute_share_table(const ComputeShareQuestion& question) {
  const ShareTask& task = question.task;
  std::vector<TableRow> lines{{"the model is summed"}};
  for (const double share : question.shares) lines[0].push_back(percent_text(share));
  for (const Way& way : ways_of(question.meetings)) {
    lines.push_back({way.name});
    for (const double share : question.shares) {
      const std::optional<double> needed = bandwidth_for_share(task, way.meetings, share);
      lines.back().push_back(needed ? bits_per_second(*needed) : "none is enough");
    }
  }
  return fmt::format(
             "{}, {} of model, {} a step, {} a message: the bandwidth at which so much of the "
             "time is\ncomputing, on paper\n\n",
             counted(task.workers, "worker"), human_bytes(task.bytes),
             human_duration(task.compute_s), human_duration(task.latency_s)) +
         aligned(lines) +
         "\nAround a ring, which begins during the backward pass, two thirds of a step, and is "
         "waited for\nlate where it says so: --period, --fragments, --fragment-delay. Fewer bits a "
         "number are a smaller\n--size. What a scheme's own steps take, 'predict --schemes' "
         "says, and how fast it learns, 'compare'.\n";
}

}  // namespace trainyard
