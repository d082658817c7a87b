#include "report/results.hpp"

namespace trainyard {

RunResult bare_result(const std::string& scheme) {
  RunResult result;
  Configuration& c = result.resolved;
  c.scheme = scheme;
  c.compute_time = std::chrono::milliseconds(1);
  Summary& s = result.summary;
  s.label = scheme;
  s.scheme = scheme;
  s.workers = 8;
  s.time = "virtual";
  s.dataset = "small";
  s.model = "mlp:256,128";
  s.rows = 1000;
  s.seconds = 2.0;
  s.compute_s = 1.0;
  s.transfer_s = 0.5;
  s.wait_s = 0.5;
  s.train_loss = 0.25;
  s.model_hash = "0123456789abcdef";
  result.metrics.push_back({.step = 0.0, .train_loss = 0.5});
  result.metrics.push_back({.step = 10.0, .epoch = 1.5, .seconds = 2.0, .train_loss = 0.25});
  result.model = VectorBuffer::zeroed(Scalar::float32, 3);
  result.model.view().floats()[1] = -2.5F;
  return result;
}

RunResult full_result(const std::string& scheme) {
  RunResult result = bare_result(scheme);
  Summary& s = result.summary;
  s.target_loss = 0.3;
  s.seconds_to_target = 0.0000125;
  s.epochs_to_target = 1.25;
  s.test_loss = 0.31;
  s.test_accuracy = 0.875;
  s.messages = 87581;
  s.bytes_sent = 437900000;
  s.staleness = StalenessSummary{.mean = 6.97, .p50 = 7, .p99 = 8, .max = 14};
  s.consensus_distance = 0.0092;
  return result;
}

}  // namespace trainyard
