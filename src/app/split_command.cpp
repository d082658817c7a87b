#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/standard_streams.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/data/split_file.hpp"
#include "trainyard/report/output_file.hpp"
#include "trainyard/run/run.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

int split_command(const SplitRequest& request) {
  const OutputFile out("--out", request.out, request.force);
  const Configuration& c = request.configuration;
  LoadedData data = load_dataset(dataset_request(c));
  for (const std::string& remark : data.remarks) say(remark + "\n");
  const auto parts =
      divide_rows(data.train, c.partition, static_cast<std::size_t>(c.workers), c.seed);
  const auto [fewest, most] = std::ranges::minmax(
      parts, {}, [](const std::vector<std::uint32_t>& part) { return part.size(); });
  const LoadedData ordered = in_order_of_parts(std::move(data), parts);
  const std::string head =
      split_file_head(ordered, {.rule = partition_text(c.partition), .seed = c.seed});
  const std::vector<std::string_view> pieces = split_file_pieces(ordered, head);
  out.finish(std::span(pieces));
  // Not on standard output, which may be what --out names.
  const std::string range = fewest.size() == most.size()
                                ? fmt::to_string(most.size())
                                : fmt::format("{} to {}", fewest.size(), most.size());
  say(fmt::format("{}: {} rows of {} in {} parts of {} rows, by {} with seed {}\n",
                  request.out.string(), ordered.train.rows, ordered.name, parts.size(), range,
                  partition_text(c.partition), c.seed));
  return exit_done;
}

}  // namespace trainyard::app
