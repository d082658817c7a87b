#include <nlohmann/json.hpp>

#include "trainyard/experiment/spread.hpp"
#include "trainyard/report/summary_format.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;  // keys in the order they are written here

/// A file name need not be UTF-8, and JSON has to be: what is not becomes U+FFFD.
std::string written(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json staleness_object(const std::optional<StalenessSummary>& s) {
  if (!s) return nullptr;
  return {{"mean", s->mean}, {"p50", s->p50}, {"p99", s->p99}, {"max", s->max}};
}

Json summary_object(const Summary& s) {
  return {
      {"scheme", s.scheme},
      {"workers", s.workers},
      {"servers", s.servers},
      {"time", s.time},
      {"seed", s.seed},
      {"dataset",
       {{"name", s.dataset},
        {"rows", s.rows},
        {"features", s.features},
        {"classes", s.classes},
        {"test_rows", s.test_rows}}},
      {"model", {{"name", s.model}, {"parameters", s.parameters}}},
      {"lr", s.lr},
      {"steps", s.steps},
      {"epochs", s.epochs},
      {"samples", s.samples},
      {"samples_computed", s.samples_computed},
      {"seconds", s.seconds},
      {"target_loss", or_null(s.target_loss)},
      {"seconds_to_target", or_null(s.seconds_to_target)},
      {"epochs_to_target", or_null(s.epochs_to_target)},
      {"train_loss", s.train_loss},
      {"test_loss", or_null(s.test_loss)},
      {"test_accuracy", or_null(s.test_accuracy)},
      {"messages", s.messages},
      {"bytes_sent", s.bytes_sent},
      {"time_split", {{"compute", s.compute_s}, {"transfer", s.transfer_s}, {"wait", s.wait_s}}},
      {"compute_stretch", or_null(s.compute_stretch)},
      {"staleness", staleness_object(s.staleness)},
      {"consensus_distance", or_null(s.consensus_distance)},
      {"samples_per_second", s.samples_per_second},
      {"model_hash", s.model_hash},
      {"diverged", s.diverged},
      {"interrupted", s.interrupted}};
}

/// null for the deviation of a single value.
Json spread_object(const std::optional<Spread>& spread) {
  if (!spread) return nullptr;
  return {{"mean", spread->mean},
          {"standard_deviation", or_null(spread->deviation)},
          {"count", spread->count}};
}

Json spreads_object(const SchemeSpread& spread) {
  Json object{{"scheme", spread.scheme},
              {"seeds", spread.seeds},
              {"lr", spread.summaries.front()->lr},
              {"diverged", spread.diverged},
              {"reached_target", spread.reached_target}};
  for (const Figure& figure : figures()) {
    object[figure.name] = spread_object(spread_of(spread.summaries, figure.of));
  }
  return object;
}

}  // namespace

std::string summary_json(const Summary& summary) {
  return written(summary_object(summary), 2);
}

std::string comparison_json(const std::vector<RunResult>& results,
                            const ComparisonOptions& options) {
  Json runs = Json::array();
  for (const RunResult& result : results) runs.push_back(summary_object(result.summary));
  Json document{{"runs", runs}};
  if (options.seeds > 1) {
    document["spread"] = Json::array();
    for (const SchemeSpread& spread : spreads_of(results)) {
      document["spread"].push_back(spreads_object(spread));
    }
  }
  return written(document, 2);
}

std::string metrics_json(const Metrics& m) {
  constexpr int one_line = -1;
  return written({{"step", m.step},
                  {"epoch", m.epoch},
                  {"seconds", m.seconds},
                  {"samples", m.samples},
                  {"bytes_sent", m.bytes_sent},
                  {"train_loss", m.train_loss},
                  {"test_loss", or_null(m.test_loss)},
                  {"test_accuracy", or_null(m.test_accuracy)},
                  {"consensus_distance", or_null(m.consensus_distance)}},
                 one_line);
}

}  // namespace trainyard
