// How fast one core encodes and decodes, in cache: gigabytes of floats a second, beside a copy of
// the same floats, which is the most that a codec can do that has to read them all. And the
// seconds that a parameter takes here, beside those that the codec's row in src/codec/ says,
// which simulated time takes wherever nobody measured it. Codecs that keep a share keep 1 %: of
// standard normal numbers those beyond 2.576.
#include <cstring>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "trainyard/base/random.hpp"
#include "trainyard/codec/codec.hpp"

namespace trainyard {
namespace {

using benchmark::State;

constexpr std::size_t length = 65536;  // 256 KiB: the second-level cache

struct Vectors {
  VectorBuffer x{Scalar::float32, length}, sum = VectorBuffer::zeroed(Scalar::float32, length);
  TensorShape shape{256, 256};
  RandomStream random{1, Purpose::codec};
  CodecScratch scratch;

  Vectors() {
    for (float& value : x.view().floats()) value = static_cast<float>(random.normal());
  }
};

void bytes_of_floats(State& state) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * length * sizeof(float)));
}

/// What a parameter takes here, and by the codec's row.
void times_of_parameter(State& state, Duration in_table) {
  using benchmark::Counter;
  state.counters["a_parameter"] =
      Counter(static_cast<double>(length), Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["in_table"] = to_seconds(in_table);
}

void copy(State& state) {
  Vectors v;
  for (auto _ : state) {
    std::memcpy(v.sum.view().data(), v.x.view().data(), length * sizeof(float));
    benchmark::ClobberMemory();
  }
  bytes_of_floats(state);
}

void encode(State& state, const std::string& codec) {
  Vectors v;
  const auto made = make_codec(codec);
  std::vector<std::byte> wire(made->most_bytes(Scalar::float32, {&v.shape, 1}));
  for (auto _ : state) {
    benchmark::DoNotOptimize(made->encode(v.x.view(), {&v.shape, 1}, v.random, v.scratch, wire));
    benchmark::ClobberMemory();
  }
  bytes_of_floats(state);
  times_of_parameter(state, codec_info(codec).encode_time);
}

void decode(State& state, const std::string& codec) {
  Vectors v;
  const auto made = make_codec(codec);
  std::vector<std::byte> wire(made->most_bytes(Scalar::float32, {&v.shape, 1}));
  wire.resize(made->encode(v.x.view(), {&v.shape, 1}, v.random, v.scratch, wire));
  for (auto _ : state) {
    made->decode_add(1e-6, wire, {&v.shape, 1}, v.sum.view());
    benchmark::ClobberMemory();
  }
  bytes_of_floats(state);
  times_of_parameter(state, codec_info(codec).decode_time);
}

const bool registered = [] {
  benchmark::RegisterBenchmark("codec/copy", copy);
  for (const CodecInfo& info : codecs()) {
    const bool alone = info.argument.empty() || !info.fallback.empty();
    const std::string name =
        alone ? info.name : info.name + (info.name == "threshold" ? ":2.576" : ":1");
    benchmark::RegisterBenchmark(("codec/encode/" + name).c_str(), encode, name);
    benchmark::RegisterBenchmark(("codec/decode/" + name).c_str(), decode, name);
  }
  return true;
}();

}  // namespace
}  // namespace trainyard
