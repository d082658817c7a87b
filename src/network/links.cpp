#include "trainyard/network/links.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

std::uint64_t key_of(int from, int to) {
  return (static_cast<std::uint64_t>(from) << 32U) | static_cast<std::uint64_t>(to);
}

/// The part, of `parts` of `length` elements, that `element` falls into by the rule of
/// even_split().
std::int32_t part_with(std::int64_t element, std::int64_t length, std::int64_t parts) {
  return static_cast<std::int32_t>(((element + 1) * parts - 1) / length);
}

/// Of a link that is not named: its ports say it where they are unequal.
double own_bandwidth(const Network& network) {
  return network.unequal_ports() ? std::numeric_limits<double>::infinity()
                                 : network.bytes_per_second;
}

/// How many times the scale.
double draw(Jitter::Kind kind, RandomStream& random) {
  switch (kind) {
    case Jitter::Kind::none:
      return 0.0;
    case Jitter::Kind::uniform:
      return random.uniform();
    case Jitter::Kind::exponential:
      return random.exponential();
    case Jitter::Kind::lognormal:
      return std::exp(random.normal());
  }
  return 0.0;
}

}  // namespace

Links::Links(const Network& network, int workers, int servers, std::span<const int> hosts)
    : rule_(network.jitter),
      faults_(network.faults),
      seed_(network.seed),
      charge_control_(network.charge_control),
      ranks_(workers + servers),
      workers_(workers),
      inside_(network.within_window({network.latency, own_bandwidth(network)})),
      outside_(network.within_window(
          {network.between_latency.value_or(network.latency),
           network.between_bytes_per_second.value_or(own_bandwidth(network))})),
      unequal_ports_(network.unequal_ports()),
      port_(network.bytes_per_second),
      worker_up_(network.worker_up()),
      worker_down_(network.worker_down()) {
  require(!network.is_irregular() || ranks_ <= most_ranks_with_jitter,
          "so many ranks have no jitter and lose nothing");
  if (!hosts.empty()) {
    require(hosts.size() == static_cast<std::size_t>(ranks_), "every rank runs on a machine");
    for (const int host : hosts) {
      const bool is_alone = host == own_machine;
      require(is_alone || (host >= 0 && host < workers), "a rank shares the machine of a worker");
      machine_.push_back(is_alone ? 2 * workers + own_machines_++ : host);
    }
  }
  if (network.racks > 1) {
    for (int w = 0; w < workers; ++w) {
      const int first = hosts.empty() ? w : hosts[static_cast<std::size_t>(w)];  // of its machine
      rack_.push_back(part_with(first, workers, network.racks));
    }
    for (int s = 0; s < servers; ++s) {
      const std::size_t rank = rack_.size();
      const int host = hosts.empty() ? own_machine : hosts[rank];
      const int rack_of_host =
          host == own_machine ? s % network.racks : rack_[static_cast<std::size_t>(host)];
      rack_.push_back(rack_of_host);
    }
  }
  for (const NamedLink& named : network.links.named) {
    named_.emplace(key_of(named.from, named.to), network.within_window(named.link));
  }
  uniform_ = machine_.empty() && rack_.empty() && named_.empty() && !unequal_ports_ &&
             !network.is_irregular();
  if (charge_control_) last_ = {inside_, 0, {inside_.latency, Duration{0}, false}};
}

Link Links::between(int from, int to) const {
  Link link = link_between(from, to);
  if (unequal_ports_) {
    const double up = on_workers_machine(from) ? worker_up_ : port_;
    const double down = on_workers_machine(to) ? worker_down_ : port_;
    link.bytes_per_second = std::min({link.bytes_per_second, up, down});
  }
  return link;
}

Link Links::link_between(int from, int to) const {
  if (!named_.empty()) {
    const auto named = named_.find(key_of(from, to));
    if (named != named_.end()) return named->second;
  }
  if (rack_.empty()) return inside_;
  const bool together =
      rack_[static_cast<std::size_t>(from)] == rack_[static_cast<std::size_t>(to)];
  return together ? inside_ : outside_;
}

Passage Links::next_passage_of(int from, int to, std::uint64_t bytes, Time now) {
  if (!is_on_network(from, to, bytes)) return {};
  Passage passage = passage_of(between(from, to), bytes);
  if (rule_.any()) passage.latency = checked_sum(passage.latency, draw_jitter(from, to));
  if (faults_.on_messages()) {
    const double times = slowness(from, to, now);
    if (times != 1.0) {
      passage = {scaled(passage.latency, times), scaled(passage.transfer, times), false};
    }
    draw_losses(from, to, now, passage);
  }
  (void)checked_sum(passage.latency, passage.transfer);  // as below
  return passage;
}

/// Of all slow links that a message goes by the slowest counts.
double Links::slowness(int from, int to, Time now) const {
  double times = 1.0;
  for (const SlowLink& link : faults_.slow_links) {
    const bool begins = link.rank == from && link.other.value_or(to) == to;
    const bool ends = link.rank == to && link.other.value_or(from) == from;
    if ((begins || ends) && link.when.has(now)) times = std::max(times, link.factor);
  }
  return times;
}

/// Messages within a machine meet no network, nor does control traffic that is free.
bool Links::is_on_network(int from, int to, std::uint64_t bytes) const {
  return (bytes != 0 || charge_control_) && !within_machine(from, to);
}

void Links::cross_cut(int from, int to, std::uint64_t bytes, Time at, Passage& passage) {
  if (!faults_.retransmission.never) {
    passage.transfer = checked_sum(passage.transfer, wait_for_joining(from, to, bytes, at));
    return;
  }
  const bool cut = is_on_network(from, to, bytes) && until_joined(from, to, at) > Duration{0};
  if (cut && !std::exchange(passage.lost, true)) ++tries_lost_;
}

Duration Links::wait_for_joining(int from, int to, std::uint64_t bytes, Time at) {
  Duration waited{0};
  if (!is_on_network(from, to, bytes)) return waited;
  Duration timeout = faults_.retransmission.timeout;
  for (const Duration apart = until_joined(from, to, at); waited < apart;) {
    // As many as there are, but for one, at once: they may be many.
    const auto more = faults_.retransmission.doubles ? 0 : (apart - waited - Duration{1}) / timeout;
    tries_lost_ += static_cast<std::uint64_t>(more);
    waited += more * timeout;
    time_out(waited, timeout);
  }
  return waited;
}

/// The time-outs until the message gets through, or that it does not. They are drawn by the rule of
/// the moment when it was posted, so that what it suffers does not depend on when its ports are
/// free.
void Links::draw_losses(int from, int to, Time now, Passage& passage) {
  const auto rule =
      std::ranges::find_if(faults_.losses, [&](const LossRule& r) { return r.when.has(now); });
  if (rule == faults_.losses.end()) return;
  const auto stream = static_cast<std::uint32_t>(from) << 16U | static_cast<std::uint32_t>(to);
  const auto found = lossy_.try_emplace(
      key_of(from, to), LossyLink{RandomStream(seed_, Purpose::message_loss, stream), {}});
  LossyLink& link = found.first->second;
  if (faults_.retransmission.never) {
    passage.lost = is_lost(*rule, link);
    if (passage.lost) ++tries_lost_;
    return;
  }
  Duration waited{0};
  Duration timeout = faults_.retransmission.timeout;
  while (is_lost(*rule, link)) time_out(waited, timeout);
  passage.transfer = checked_sum(passage.transfer, waited);
}

/// A try is lost, and the next one made after a time-out.
void Links::time_out(Duration& waited, Duration& timeout) {
  ++tries_lost_;
  waited = checked_sum(waited, timeout);
  if (faults_.retransmission.doubles) timeout = checked_sum(timeout, timeout);
}

/// How long from now the two have no network between them.
Duration Links::until_joined(int from, int to, Time now) const {
  Time joined = now;
  for (bool longer = true; longer;) {  // one may follow another
    longer = false;
    for (const PartitionFault& partition : faults_.partitions) {
      if (!partition.when.has(joined) || !partition.parts(from, to)) continue;
      joined = partition.when.until;
      longer = true;
    }
  }
  return joined - now;
}

/// Draws the next try of that link.
bool Links::is_lost(const LossRule& rule, LossyLink& link) {
  if (!rule.chain) return link.random.uniform() < rule.in_good;
  if (!link.bad) {
    link.bad = link.random.uniform() < rule.to_bad / (rule.to_bad + rule.to_good);
  } else {
    const double turns = *link.bad ? rule.to_good : rule.to_bad;
    if (link.random.uniform() < turns) link.bad = !*link.bad;
  }
  return link.random.uniform() < (*link.bad ? rule.in_bad : rule.in_good);
}

/// Without jitter. The whole passage is a time that can be kept.
const Passage& Links::passage_of(const Link& link, std::uint64_t bytes) {
  if (bytes != last_.bytes || link != last_.link) {
    const Passage passage{link.latency, link.transfer_time(bytes), false};
    (void)checked_sum(passage.latency, passage.transfer);
    last_ = {link, bytes, passage};
  }
  return last_.passage;
}

Duration Links::draw_jitter(int from, int to) {
  const auto stream = static_cast<std::uint32_t>(from) << 16U | static_cast<std::uint32_t>(to);
  auto& random =
      jitter_.try_emplace(key_of(from, to), seed_, Purpose::network, stream).first->second;
  return seconds(to_seconds(rule_.scale) * draw(rule_.kind, random));
}

}  // namespace trainyard
