#include "scheme/coded.hpp"

#include <algorithm>

#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/coded_exchange.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/collective/short_parts.hpp"

namespace trainyard {

namespace {

/// n messages of time m arrive one after the other, and each is worked on for d when the one before
/// is done.
Duration worked_off(int n, Duration m, Duration d) {
  return std::max(m + n * d, n * m + d);
}

}  // namespace

void serve_coded_mean(Server& server) {
  Coder coder = server.coder();
  Communicator& comm = server.comm();
  while (comm.await_message()) {
    const auto mean = server.zeroed_sum();
    sum_coded_pushes(comm, coder, 1.0 / comm.workers(), mean);
    answer_all(comm, mean);
  }
}

std::optional<Duration> coded_server_time(const StepSetting& s, const Codec& codec,
                                          const ServerCoding& coding) {
  const int n = s.workers, k = s.servers;
  const int pushing = coding.pushing == 0 ? n : coding.pushing;
  const std::size_t shard =
      (s.parameters + static_cast<std::size_t>(k) - 1) / static_cast<std::size_t>(k);
  const bool coding_is_free = s.coding.encode.count() == 0 && s.coding.decode.count() == 0;
  const auto message = s.coded_message(shard, codec);
  if (!message || k > n || (k > 1 && !(coding_is_free && pushing == n))) return std::nullopt;
  if (takes_turns(s.parameters, n, k)) return std::nullopt;  // as ps-sync
  const Duration e = s.encoding(shard), d = s.decoding(shard);
  const Duration up =
      s.compute + e + (coding.worker_feedback ? d : Duration{0}) + worked_off(pushing, *message, d);
  if (!coding.answers) return up + n * s.message(shard);
  return up + e + (coding.server_feedback ? d : Duration{0}) + n * *message + d;
}

std::optional<Duration> coded_parts_time(const StepSetting& s) {
  const auto message = s.coded_message(largest_part(s.parameters, s.workers));
  const bool coding_is_free = s.coding.encode.count() == 0 && s.coding.decode.count() == 0;
  if (!message || !coding_is_free) return std::nullopt;
  return s.compute + 2 * (s.workers - 1) * *message;
}

std::optional<Duration> coded_gossip_step_time(const StepSetting& s, int own) {
  const auto degree = lockstep_rounds(s.topology().matrices.front());
  const auto message = s.coded_message(s.parameters);
  if (!degree || !message) return std::nullopt;
  const auto messages = static_cast<std::int64_t>(*degree);
  const Duration d = s.decoding(s.parameters);
  // The k-th message is there after k m, and nobody decodes two at once: whichever holds up those
  // behind it decides.
  Duration done = own * d;
  for (std::int64_t k = 1; k <= messages; ++k) done = std::max(done, k * *message) + d;
  return s.compute + s.encoding(s.parameters) + done;
}

}  // namespace trainyard
