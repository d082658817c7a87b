// Shared by compressed schemes: a server that adds up, and how long their steps take.
#pragma once

#include <optional>

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// Adds up what workers push encoded, and answers the mean as it is.
void serve_coded_mean(Server& server);

/// Which of a server's exchanges are encoded, and where an error is kept: then encoding takes a
/// decoding more.
struct ServerCoding {
  bool answers = false;  // encoded, too, once for all workers
  bool worker_feedback = false, server_feedback = false;
  int pushing = 0;  // how many workers push a vector; 0: all of them
};

/// c, then vectors are encoded, pushed, decoded one after the other as they come, and answered:
///   c + e + max(m + nd, nm + d) + n(α + t)         answers as they are
///   c + e + max(m + nd, nm + d) + e + nm + d       answers encoded
/// with e, d what encoding and decoding a vector takes, m = α + β|C| the time of an encoded
/// message. Empty where messages differ in length, and with several servers unless coding takes no
/// time: then shards are encoded while others are under way.
std::optional<Duration> coded_server_time(const StepSetting& setting, const Codec& codec,
                                          const ServerCoding& coding);

/// c + 2(n − 1)m, m the time of a message with an encoded part of n: all-to-all, and the ring, of
/// collective/coded_all_reduce.hpp. Empty where messages differ in length, and where coding takes
/// time: several parts are encoded while others are under way.
std::optional<Duration> coded_parts_time(const StepSetting& setting);

/// c + e + max(qd + Δd, qd − d + Δm + d): a gradient, then encoded vectors to and from each of Δ
/// neighbours, decoded as they come, after this worker's own, which takes `own` decodings. Empty
/// where messages differ in length or some wait for others.
std::optional<Duration> coded_gossip_step_time(const StepSetting& setting, int own = 1);

}  // namespace trainyard
