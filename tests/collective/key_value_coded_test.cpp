// Keys and values whose values are encoded on their way.
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "trainyard/base/even_split.hpp"
#include "trainyard/codec/codec.hpp"
#include "trainyard/collective/key_value.hpp"
#include "trainyard/runtime/coder.hpp"

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::setup_of;

namespace {

constexpr std::size_t keys = 103;  // divisible by no number of servers here

std::vector<float> filled(std::size_t count, float value) {
  return std::vector<float>(count, value);
}

const Network slow{.latency = std::chrono::microseconds(30), .bytes_per_second = 1e8};

/// A rank's coder, which takes no time.
struct Coding {
  std::shared_ptr<const Codec> codec;
  CodingAccount account{};
  std::uint64_t step = 0, next_sample = 0;
  RandomStream random, sampling;
  Coder coder;

  Coding(Rank& rank, const std::string& name)
      : codec(make_codec(name)),
        random(1, Purpose::codec, static_cast<std::uint32_t>(rank.rank())),
        sampling(random),
        coder({.rank = rank,
               .codec = *codec,
               .time = {},
               .tensors = {},
               .random = random,
               .sampling = sampling,
               .next_sample = next_sample,
               .account = account,
               .scheme = "test",
               .step = step}) {}
};

struct Exchanged {
  std::vector<std::vector<float>> pulled;  // by each client
  std::vector<float> left_out;             // by client 0
  RuntimeReport report;
};

/// Two clients push `values` of `list`, or of all keys where that is empty, to k servers whose
/// values are 0, and pull all of them.
Exchanged exchange_encoded(const test::Runtime& runtime, int k, const std::string& codec,
                           const std::vector<std::uint32_t>& list,
                           const std::vector<float>& values) {
  constexpr int n = 2;
  std::vector<float> store_values = filled(keys, 0.0F);
  Exchanged seen{
      .pulled = {n, filled(keys, -1.0F)}, .left_out = filled(list.size(), -1.0F), .report = {}};
  seen.report = runtime.run(setup_of(n, k, slow), [&](Rank& rank) {
    rank.begin();
    Coding coding(rank, codec.empty() ? "identity" : codec);
    Coder* const coder = codec.empty() ? nullptr : &coding.coder;
    if (rank.rank() >= n) {
      serve_key_values(rank, even_split(Vector(std::span(store_values)), rank.rank() - n, k), keys,
                       0, coder);
      return;
    }
    KeyValueClient store(rank, keys, coder);
    auto& own = seen.pulled[static_cast<std::size_t>(rank.rank())];
    std::vector<float> left_out(list.size());
    store.wait(list.empty() ? store.exchange(values, own)
                            : store.exchange_listed(list, values, own, left_out));
    if (rank.rank() == 0) seen.left_out = left_out;
  });
  return seen;
}

}  // namespace

TEST_CASE("by the identity a store has the values and the bytes of one without a coder",
          "[collective]") {
  std::vector<float> values(keys);
  for (std::size_t j = 0; j < keys; ++j) values[j] = 1.0F / static_cast<float>(j + 3);
  const std::vector<std::uint32_t> some{0, 1, 50, 51, 102};
  for (const auto& runtime : test::runtimes()) {
    for (const int k : {1, 2, 5}) {
      CAPTURE(runtime.name, k);
      for (const bool listed : {false, true}) {
        const auto list = listed ? some : std::vector<std::uint32_t>{};
        const auto pushed = listed ? std::vector(values.begin(), values.begin() + 5) : values;
        const Exchanged plain = exchange_encoded(runtime, k, "", list, pushed);
        const Exchanged coded = exchange_encoded(runtime, k, "identity", list, pushed);
        CHECK(plain.pulled[0][1] == 2 * pushed[1]);
        CHECK(coded.pulled == plain.pulled);
        CHECK(coded.left_out == filled(list.size(), 0.0F));
        CHECK(plain.left_out == coded.left_out);
        for (std::size_t rank = 0; rank < coded.report.accounts.size(); ++rank) {
          CHECK(coded.report.accounts[rank].bytes_sent == plain.report.accounts[rank].bytes_sent);
        }
      }
    }
  }
}

TEST_CASE("values are encoded both ways, each shard's by itself, and keys are not",
          "[collective]") {
  // With k = 2 keys 0 to 50 lie on server 0, 51 to 102 on server 1. qsgd:7 has a norm of 4 bytes
  // and 15 levels, 4 bits each.
  const auto half = [](std::size_t count) { return 2 * count; };
  const auto qsgd = [](std::size_t count) { return 4 + (count + 1) / 2; };
  const std::vector<std::uint32_t> some{3, 4, 5, 99, 102};
  for (const auto& runtime : test::runtimes()) {
    CAPTURE(runtime.name);
    const auto sent = [&](const char* codec, const std::vector<std::uint32_t>& list) {
      const std::size_t count = list.empty() ? keys : list.size();
      const auto accounts =
          exchange_encoded(runtime, 2, codec, list, filled(count, 1.0F)).report.accounts;
      return std::vector{accounts[0].bytes_sent, accounts[2].bytes_sent, accounts[3].bytes_sent};
    };
    using Bytes = std::vector<std::uint64_t>;  // of a client and of both servers
    CHECK(sent("fp16", {}) == Bytes{half(51) + half(52), 2 * half(51), 2 * half(52)});
    CHECK(sent("qsgd:7", {}) == Bytes{qsgd(51) + qsgd(52), 2 * qsgd(51), 2 * qsgd(52)});
    CHECK(sent("fp16", some) ==
          Bytes{8 + 3 * 4 + half(3) + 8 + 2 * 4 + half(2), 2 * half(51), 2 * half(52)});
    CHECK(sent("qsgd:7", some) ==
          Bytes{8 + 3 * 4 + qsgd(3) + 8 + 2 * 4 + qsgd(2), 2 * qsgd(51), 2 * qsgd(52)});
  }
}

TEST_CASE("a client is told what its coder left out, and clients pull the same", "[collective]") {
  // Numbers of 16 bits are even from 2048 to 4096, and multiples of 4 from there on.
  const Exchanged seen =
      exchange_encoded(test::runtimes().front(), 2, "fp16", {0, 60, 102}, {2049.0F, 0.5F, 4099.0F});
  CHECK(seen.left_out == std::vector<float>{1.0F, 0.0F, -1.0F});
  std::vector<float> sums = filled(keys, 0.0F);  // of two clients
  sums[0] = 4096.0F;
  sums[60] = 1.0F;
  sums[102] = 8200.0F;
  CHECK(seen.pulled == std::vector<std::vector<float>>{sums, sums});

  std::vector<float> values(keys);
  std::iota(values.begin(), values.end(), 1.0F);
  const Exchanged drawn = exchange_encoded(test::runtimes().front(), 1, "qsgd:1", {}, values);
  CHECK(drawn.pulled[0] == drawn.pulled[1]);  // encoded once
}
