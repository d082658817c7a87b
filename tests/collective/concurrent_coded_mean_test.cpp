// A mean of encoded parts that is under way while workers compute is the one that they wait for.
#include "trainyard/collective/concurrent_coded_mean.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/collective/coded_all_reduce.hpp"

#include "support/catch.hpp"
#include "support/random_network.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::setup_of;

namespace {

/// What one worker has: a vector of each round, and the errors that it keeps.
struct Own {
  std::vector<std::vector<float>> vectors;
  std::vector<float> error, own_error;

  bool operator==(const Own&) const = default;
};

/// What a coder is made of, on a rank by itself.
class RankCoder {
 public:
  RankCoder(Rank& rank, const Codec& codec, CodingTime time)
      : random_(5, Purpose::codec, static_cast<std::uint32_t>(rank.rank())),
        sampling_(6, Purpose::codec, static_cast<std::uint32_t>(rank.rank())),
        coder_({.rank = rank,
                .codec = codec,
                .time = time,
                .tensors = {},
                .random = random_,
                .sampling = sampling_,
                .next_sample = next_sample_,
                .account = account_,
                .scheme = "test",
                .step = step_}) {}
  RankCoder(const RankCoder&) = delete;
  RankCoder& operator=(const RankCoder&) = delete;

  Coder& coder() { return coder_; }
  const CodingAccount& account() const { return account_; }

 private:
  RandomStream random_, sampling_;
  std::uint64_t next_sample_ = 0, step_ = 0;
  CodingAccount account_;
  Coder coder_;
};

/// `rounds` vectors of `length` numbers for each of n workers.
std::vector<Own> random_work(int n, std::size_t rounds, std::size_t length, bool keeps,
                             RandomStream& random) {
  std::vector<Own> all(static_cast<std::size_t>(n));
  for (std::size_t w = 0; w < all.size(); ++w) {
    for (std::size_t round = 0; round < rounds; ++round) {
      for (float& value : all[w].vectors.emplace_back(length)) {
        value = static_cast<float>(random.normal());
      }
    }
    if (!keeps) continue;
    all[w].error.resize(length);
    all[w].own_error.resize((w + 1) * length / all.size() - w * length / all.size());
  }
  return all;
}

/// One after the other, waited for.
RuntimeReport mean_in_turn(const test::Runtime& runtime, const Network& network, const Codec& codec,
                           CodingTime time, std::vector<Own>& work) {
  return runtime.run(setup_of(static_cast<int>(work.size()), 0, network), [&](Rank& rank) {
    RankCoder own(rank, codec, time);
    Own& mine = work[static_cast<std::size_t>(rank.rank())];
    rank.begin();
    for (auto& vector : mine.vectors) {
      coded_all_to_all_mean(rank, own.coder(), vector, mine.error, mine.own_error);
    }
  });
}

/// Each while its worker computes a few times, for as long as it pleases up to `longest`.
RuntimeReport mean_meanwhile(const test::Runtime& runtime, const Network& network,
                             const Codec& codec, CodingTime time, Duration longest,
                             std::vector<Own>& work) {
  return runtime.run(setup_of(static_cast<int>(work.size()), 0, network), [&](Rank& rank) {
    RandomStream random(7, Purpose::scheme, static_cast<std::uint32_t>(rank.rank()));
    RankCoder own(rank, codec, time);
    ConcurrentCodedMean mean(rank, own.coder());
    Own& mine = work[static_cast<std::size_t>(rank.rank())];
    rank.begin();
    for (auto& vector : mine.vectors) {
      mean.start(vector, mine.error, mine.own_error);
      const std::uint64_t times = longest == Duration{0} ? 0 : random.below(4);
      for (std::uint64_t i = 0; i < times; ++i) {
        rank.compute_serving(
            {.simulated = scaled(longest, random.uniform())}, [] {},
            [&](Message& message) {
              mean.take(message);
              return true;
            });
        mean.settle();
      }
      mean.finish();
      require(!mean.is_under_way(), "nothing is left");
      mean.finish();  // of nothing
    }
  });
}

void check_same(const test::Runtime& runtime, std::uint64_t seed) {
  RandomStream random(seed, Purpose::scheme);
  const int n = 1 + static_cast<int>(random.below(7));
  const std::size_t rounds = 1 + random.below(4), length = random.below(60);
  const bool keeps = random.below(2) == 0;
  const std::vector<std::string> names{"qsgd:7", "e3m0", "natural", "top-k:30%", "identity"};
  const std::string name = names[random.below(names.size())];
  const Network network = random.below(3) == 0 ? Network{} : test::random_network(random);
  const CodingTime time{std::chrono::nanoseconds(random.below(3000)),
                        std::chrono::nanoseconds(random.below(3000))};
  CAPTURE(runtime.name, seed, n, rounds, length, keeps, name);
  const auto codec = make_codec(name);
  const std::vector<Own> work = random_work(n, rounds, length, keeps, random);
  std::vector<Own> in_turn = work, at_once = work, meanwhile = work;
  const RuntimeReport waited = mean_in_turn(runtime, network, *codec, time, in_turn);
  const RuntimeReport alone = mean_meanwhile(runtime, network, *codec, time, Duration{0}, at_once);
  const RuntimeReport report =
      mean_meanwhile(runtime, network, *codec, time, seconds(2e-3), meanwhile);
  CHECK(at_once == in_turn);
  CHECK(meanwhile == in_turn);
  if (runtime.run == run_virtual) CHECK(alone.elapsed == waited.elapsed);
  for (std::size_t w = 0; w < report.accounts.size(); ++w) {
    CHECK(report.accounts[w].bytes_sent == waited.accounts[w].bytes_sent);
    CHECK(report.accounts[w].messages_sent == waited.accounts[w].messages_sent);
  }
}

}  // namespace

TEST_CASE("a mean under way while workers compute has the bits and bytes of one waited for",
          "[collective]") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) check_same(test::runtimes()[0], seed);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) check_same(test::runtimes()[1], seed);
}

/// Two workers, parts of 4 numbers, 100 µs to encode one and 10 µs to decode it. A worker has begun
/// when two parts are encoded and its own is decoded; the other's, the mean and what the other
/// makes of its own are coded while it computes.
TEST_CASE("what is coded while a worker computes takes its time after that", "[collective]") {
  const Network network{.latency = std::chrono::microseconds(300)};
  const CodingTime time{std::chrono::microseconds(100), std::chrono::microseconds(10)};
  std::vector<Own> work(2, Own{{std::vector<float>(8, 1.0F)}, {}, {}});
  std::vector<Time> begun(2), computed(2), settled(2), finished(2);
  std::vector<Duration> coding(2);
  const auto codec = make_codec("identity");
  run_virtual(setup_of(2, 0, network), [&](Rank& rank) {
    const auto w = static_cast<std::size_t>(rank.rank());
    RankCoder own(rank, *codec, time);
    ConcurrentCodedMean mean(rank, own.coder());
    rank.begin();
    mean.start(work[w].vectors[0], {}, {});
    begun[w] = rank.now();
    rank.compute_serving(
        {.simulated = std::chrono::milliseconds(3)}, [] {},
        [&](Message& message) {
          mean.take(message);
          return true;
        });
    computed[w] = rank.now();
    require(!mean.is_under_way(), "both messages have come");
    mean.settle();
    settled[w] = rank.now();
    mean.finish();
    finished[w] = rank.now();
    coding[w] = own.account().time;
  });
  for (std::size_t w = 0; w < 2; ++w) {
    CHECK(begun[w] == std::chrono::microseconds(840));  // both parts encoded, the own one decoded
    CHECK(computed[w] == begun[w] + std::chrono::microseconds(3000));
    CHECK(settled[w] == computed[w] + std::chrono::microseconds(
                                          520));  // a part, the mean, its own part and another's
    CHECK(finished[w] == settled[w]);
    CHECK(coding[w] == std::chrono::microseconds(840 + 520));
  }
}

TEST_CASE("a mean is not started twice", "[collective]") {
  const auto codec = make_codec("e3m0");
  CHECK_THROWS_AS(run_virtual(setup_of(2),
                              [&](Rank& rank) {
                                RankCoder own(rank, *codec, {});
                                ConcurrentCodedMean mean(rank, own.coder());
                                std::vector<float> vector(4);
                                rank.begin();
                                mean.start(vector, {}, {});
                                mean.start(vector, {}, {});
                              }),
                  InternalError);
}
