#include "trainyard/runtime/coder.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

/// One of so many vectors, on average, is decoded again to see how far it is from what was meant:
/// measuring is to cost less than coding does. (It takes no simulated time; in `wall` it is part of
/// compute, but not of coding.) At random, since a ring of 16 encodes as many parts a step: every
/// 16th vector would be always the same part.
constexpr std::uint64_t error_measured_every = 16;

double squared_norm(ConstVector x) {
  return with_scalar(x.scalar(), [&]<typename T>(T) {
    double sum = 0.0;
    for (const T value : x.as<T>()) sum += static_cast<double>(value) * value;
    return sum;
  });
}

std::string rank_text(const Rank& rank) {
  if (rank.rank() < rank.workers()) return fmt::format("worker {}", rank.rank());
  return fmt::format("server {}", rank.rank() - rank.workers());
}

}  // namespace

void require_finite(ConstVector x, Rank& rank, std::string_view scheme, std::uint64_t step) {
  if (kernels::is_finite(x)) return;
  RankAccount traffic;
  rank.stand_still([&] { traffic = rank.traffic_of_all(); });
  throw NotFinite(
      fmt::format("{}: in step {} {} was to encode a vector with a number that is not finite; "
                  "training has diverged, and a smaller --lr may help",
                  scheme, step, rank_text(rank)),
      rank.now(), traffic);
}

TensorShapes Coder::shapes_of(std::size_t length) {
  const TensorShapes model = setting_.tensors;
  if (total_size(model) == length) return model;
  column_ = {length, 1};
  return {&column_, 1};
}

double Coder::shrinkage(std::size_t length) const {
  const Codec& codec = setting_.codec;
  if (setting_.need != CodecNeed::contraction || !codec.unbiased()) return 1.0;
  // Of one whose error nobody knows (add_codec()) it is as it comes: a warning says so.
  const double error = codec.error_bound(length);
  return std::isfinite(error) ? 1.0 / (1.0 + error) : 1.0;
}

void Coder::spend(Duration of_a_number, std::size_t numbers, FunctionRef<void()> work) {
  const Time began = setting_.rank.now();
  const Duration time = scaled(of_a_number, static_cast<double>(numbers) * setting_.slowdown);
  if (is_deferring_) {
    deferred_ += time;
    work();
  } else {
    setting_.rank.compute({.simulated = time, .slowdown = setting_.slowdown}, work);
  }
  setting_.account.time += setting_.rank.now() - began;
}

void Coder::settle() {
  is_deferring_ = false;
  if (deferred_ == Duration{0}) return;
  const Time began = setting_.rank.now();
  setting_.rank.compute({.simulated = std::exchange(deferred_, Duration{0})}, [] {});
  setting_.account.time += setting_.rank.now() - began;
}

std::span<const std::byte> Coder::encode(ConstVector x) {
  if (x.empty()) return {};  // a shard of a model that has fewer parameters than there are servers
  const TensorShapes shapes = shapes_of(x.size());
  const std::size_t most = setting_.codec.most_bytes(x.scalar(), shapes);
  if (wire_.size() < most) wire_ = AlignedBuffer<std::byte>(most);
  require_finite(x, setting_.rank, setting_.scheme, setting_.step);
  spend(setting_.time.encode, x.size(), [&] {
    written_ = setting_.codec.encode(x, shapes, setting_.random, scratch_, wire_.span());
  });
  CodingAccount& account = setting_.account;
  if (account.vectors++ == setting_.next_sample) {
    if (measures_error_) measure_error(x);
    setting_.next_sample += 1 + setting_.sampling.below(2 * error_measured_every - 1);
  }
  account.plain_bytes += x.bytes().size();
  account.encoded_bytes += written_;
  return {wire_.data(), written_};
}

void Coder::measure_error(ConstVector x) {
  if (difference_.size() < x.size()) difference_ = VectorBuffer(x.scalar(), x.size());
  const Vector difference = difference_.view().first(x.size());
  kernels::scaled_copy(-1.0, x, difference);
  setting_.codec.decode_add(shrinkage(x.size()), {wire_.data(), written_}, shapes_of(x.size()),
                            difference);
  setting_.account.squared_error += squared_norm(difference);
  setting_.account.squared_norm += squared_norm(x);
}

std::span<const std::byte> Coder::encode(ConstVector x, Vector error) {
  kernels::add(x, error);
  const std::span<const std::byte> wire = encode(error);
  decode_add(-1.0, wire, error);
  return wire;
}

void Coder::decode_add(double scale, std::span<const std::byte> wire, Vector sum) {
  if (sum.empty()) return;
  spend(setting_.time.decode, sum.size(), [&] {
    setting_.codec.decode_add(scale * shrinkage(sum.size()), wire, shapes_of(sum.size()), sum);
  });
}

}  // namespace trainyard
