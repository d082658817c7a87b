#include "codec/rules.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "codec/rounding.hpp"

namespace trainyard::test {

namespace {

using Wire = std::span<const std::byte>;

std::size_t index_bits(std::size_t d) {
  std::size_t bits = 0;
  while ((std::size_t{1} << bits) < d) ++bits;
  return bits;
}

/// A rule without chance, from the values of C(x).
auto fixed(std::function<std::vector<Real>(const CodecSample&)> rule) {
  return [rule = std::move(rule)](const CodecSample& x) {
    Choices choices;
    for (const Real value : rule(x)) choices.push_back({value});
    return choices;
  };
}

/// A rule that treats each number alone.
auto each(std::function<Real(Real value, const CodecSample& x)> rule) {
  return fixed([rule = std::move(rule)](const CodecSample& x) {
    std::vector<Real> result;
    for (const double value : x.values) result.push_back(rule(value, x));
    return result;
  });
}

/// Sum over a number's two neighbours: (x − lower)(upper − x).
Real error_between(const CodecSample& x,
                   const std::function<std::pair<Real, Real>(Real magnitude)>& neighbours) {
  Real sum = 0.0L;
  for (const double value : x.values) {
    const Real magnitude = std::abs(static_cast<Real>(value));
    const auto [lower, upper] = neighbours(magnitude);
    sum += (magnitude - lower) * (upper - magnitude);
  }
  return sum;
}

// QSGD

Real norm_of_sample(const CodecSample& x) {
  return std::sqrt(x.squares());
}

Choices ruler_choices(const CodecSample& x, Real s) {
  const Real norm = sent_norm(x);
  Choices choices;
  for (const double value : x.values) {
    choices.push_back({0.0L});
    if (norm == 0.0L) continue;
    const Real place = std::abs(static_cast<Real>(value)) / norm * s;
    // What is rounded before the level is found may change it where it is near a mark.
    const Real slack = s * (4.0L * spacing(x.scalar) + least_number(x.scalar) / norm);
    const Real highest = std::min(std::ceil(place + slack), s);
    for (Real level = std::floor(std::max(place - slack, 0.0L)); level <= highest; ++level) {
      choices.back().push_back(std::copysign(norm * level / s, static_cast<Real>(value)));
    }
  }
  return choices;
}

Real ruler_error(const CodecSample& x, Real s) {
  const Real norm = sent_norm(x);
  if (norm == 0.0L) return 0.0L;
  return error_between(x, [&](Real magnitude) {
    const Real lower = std::min(std::floor(magnitude / norm * s), s - 1.0L);
    return std::pair{lower * norm / s, (lower + 1.0L) * norm / s};
  });
}

std::size_t gamma_length(std::size_t n) {
  std::size_t length = 1;
  for (; n > 1; n /= 2) length += 2;
  return length;
}

std::size_t elias_bits(const CodecSample& x, Wire wire, Real s, const std::string& text) {
  const std::vector<double> c = decoded(*make_codec(text), x, wire);
  const Real norm = sent_norm(x);
  std::size_t bits = x.number_bits(), last = 0;  // from 1 on
  for (std::size_t i = 0; i < x.size(); ++i) {
    // Of denormals a level may be decoded as 0: these lengths are not checked (see below).
    if (c[i] == 0.0) continue;
    const auto level = static_cast<std::size_t>(std::lround(std::abs(c[i]) / norm * s));
    bits += gamma_length(i + 1 - last) + 1 + gamma_length(level);
    last = i + 1;
  }
  return bits + gamma_length(x.size() + 1 - last);
}

CodecRule qsgd(std::size_t s) {
  return {.text = "qsgd:" + std::to_string(s),
          .bits = [s](const CodecSample& x,
                      Wire) { return x.number_bits() + x.size() * index_bits(2 * s + 1); },
          .choices = [s](const CodecSample& x) { return ruler_choices(x, s); },
          .error = [s](const CodecSample& x) { return ruler_error(x, s); },
          .unbiased = true};
}

CodecRule qsgd_elias(std::size_t s) {
  const std::string text = "qsgd-elias:" + std::to_string(s);
  return {.text = text,
          .bits =
              [s, text](const CodecSample& x, Wire wire) {
                const bool lossy = norm_of_sample(x) < least_normal(x.scalar) * 1e3L;
                return lossy ? 8 * wire.size() : elias_bits(x, wire, s, text);
              },
          .choices = [s](const CodecSample& x) { return ruler_choices(x, s); },
          .error = [s](const CodecSample& x) { return ruler_error(x, s); },
          .unbiased = true};
}

// TernGrad

Real largest_of_sample(const CodecSample& x) {
  Real largest = 0.0L;
  for (const double value : x.values) largest = std::max(largest, std::abs(Real{value}));
  return largest;
}

/// About the mean; 0 for a constant.
Real deviation_of_sample(const CodecSample& x) {
  Real mean = x.values.front(), squares = 0.0L;
  for (const double value : x.values) {
    mean += (Real{value} - Real{x.values.front()}) / static_cast<Real>(x.size());
  }
  for (const double value : x.values) squares += (Real{value} - mean) * (Real{value} - mean);
  return std::sqrt(squares / static_cast<Real>(x.size()));
}

CodecRule terngrad(const std::string& text, Real clip) {
  const auto most = [clip](const CodecSample& x) {
    if (x.size() == 1 || std::isinf(clip)) return largest_of_sample(x);
    return std::min(largest_of_sample(x), clip * deviation_of_sample(x));
  };
  return {.text = text,
          .bits = [](const CodecSample& x, Wire) { return x.number_bits() + 2 * x.size(); },
          .choices =
              [most](const CodecSample& x) {
                Choices choices;
                const Real highest = most(x);
                for (const double value : x.values) {
                  const Real sent = std::copysign(highest, Real{value});
                  choices.push_back({0.0L, value == 0.0 ? 0.0L : sent});
                  if (std::abs(Real{value}) > highest * (1.0L + 1e-6L)) choices.back()[0] = sent;
                }
                return choices;
              },
          .error =
              [most](const CodecSample& x) {
                Real sum = 0.0L;
                const Real highest = most(x);
                for (const double value : x.values) {
                  const Real magnitude = std::abs(Real{value});
                  const Real clipped = std::min(magnitude, highest);
                  sum += (magnitude - clipped) * (magnitude - clipped);
                  sum += clipped * (highest - clipped);
                }
                return sum;
              },
          .unbiased = std::isinf(clip)};
}

CodecRule natural() {
  static const auto powers = [](Real magnitude, Scalar scalar) {
    if (magnitude < least_normal(scalar)) return std::pair{0.0L, least_normal(scalar)};
    const Real lower = std::ldexp(1.0L, std::ilogb(magnitude));
    return std::pair{lower, std::min(2.0L * lower, largest_number(scalar))};
  };
  return {.text = "natural",
          .bits = [](const CodecSample& x,
                     Wire) { return x.size() * (x.number_bits() == 32 ? 9 : 12); },
          .choices =
              [](const CodecSample& x) {
                Choices choices;
                for (const double value : x.values) {
                  const auto [lower, upper] = powers(std::abs(Real{value}), x.scalar);
                  choices.push_back({std::copysign(lower, Real{value})});
                  if (lower != std::abs(Real{value})) {
                    choices.back().push_back(std::copysign(upper, Real{value}));
                  }
                }
                return choices;
              },
          .error =
              [](const CodecSample& x) {
                return error_between(x,
                                     [&](Real magnitude) { return powers(magnitude, x.scalar); });
              },
          .unbiased = true};
}

// Of a few numbers

CodecRule random_k(const std::string& text, std::size_t k, bool scaled) {
  const auto kept = [k](const CodecSample& x) { return std::min(k, x.size()); };
  return {.text = text,
          .bits = [=](const CodecSample& x, Wire) { return 64 + x.number_bits() * kept(x); },
          .choices =
              [=](const CodecSample& x) {
                const Real ratio = scaled ? static_cast<Real>(x.size()) / kept(x) : 1.0L;
                const Real most = largest_number(x.scalar);
                Choices choices;
                for (const double value : x.values) {
                  choices.push_back({std::clamp(ratio * value, -most, most)});
                  if (kept(x) < x.size()) choices.back().push_back(0.0L);
                }
                return choices;
              },
          .error =
              [=](const CodecSample& x) {
                const Real ratio = static_cast<Real>(x.size()) / kept(x);
                return x.squares() * (scaled ? ratio - 1.0L : 1.0L - 1.0L / ratio);
              },
          .unbiased = scaled};
}

/// x, but zeros in all places except those of the k largest.
std::vector<Real> with_largest(const CodecSample& x, std::size_t k) {
  std::vector<std::size_t> places(x.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(x.values[a]) > std::abs(x.values[b]);
  });
  std::vector<Real> result(x.size(), 0.0L);
  for (std::size_t j = 0; j < k; ++j) result[places[j]] = x.values[places[j]];
  return result;
}

CodecRule top_k(const std::string& text, const std::function<std::size_t(std::size_t)>& kept) {
  return {
      .text = text,
      .bits = [kept](const CodecSample& x,
                     Wire) { return kept(x.size()) * (x.number_bits() + index_bits(x.size())); },
      .choices = fixed([kept](const CodecSample& x) { return with_largest(x, kept(x.size())); })};
}

std::size_t counted_bits(const CodecSample& x, Wire wire) {
  std::uint32_t count = 0;
  std::memcpy(&count, wire.data(), sizeof(count));
  return 32 + count * (x.number_bits() + index_bits(x.size()));
}

/// Of vectors below its smallest sample: all that are no less than the k-th, unless these are many.
std::vector<Real> from_kth(const CodecSample& x, std::size_t k) {
  k = std::min(k, x.size());
  std::vector<Real> magnitudes(x.values.begin(), x.values.end());
  for (Real& value : magnitudes) value = std::abs(value);
  std::ranges::sort(magnitudes, std::greater<>());
  const auto reaching = std::ranges::count_if(
      magnitudes, [&](Real magnitude) { return magnitude >= magnitudes[k - 1]; });
  return with_largest(
      x, reaching > static_cast<std::ptrdiff_t>(2 * k) ? k : static_cast<std::size_t>(reaching));
}

// Two values a column

std::vector<Real> column_means(const CodecSample& x) {
  std::vector<Real> result(x.values.begin(), x.values.end());
  std::size_t begin = 0;
  for (const TensorShape& shape : x.shapes) {
    for (std::size_t column = 0; column < shape.columns; ++column) {
      for (const bool below : {false, true}) {
        Real sum = 0.0L, count = 0.0L;
        const auto of_side = [&](const auto& visit) {
          for (std::size_t row = 0; row < shape.rows; ++row) {
            const std::size_t place = begin + row * shape.columns + column;
            if ((x.values[place] < 0.0) == below) visit(place);
          }
        };
        of_side([&](std::size_t place) {
          sum += x.values[place];
          count += 1.0L;
        });
        of_side([&](std::size_t place) { result[place] = sum / count; });
      }
    }
    begin += shape.size();
  }
  return result;
}

Real mean_of_magnitudes(const CodecSample& x) {
  Real sum = 0.0L;
  for (const double value : x.values) sum += std::abs(Real{value});
  return sum / static_cast<Real>(x.size());
}

std::size_t whole_bits(const CodecSample& x, Wire) {
  return x.number_bits() * x.size();
}
std::size_t bits_16(const CodecSample& x, Wire) {
  return 16 * x.size();
}

std::vector<CodecRule> rules_without_chance() {
  return {
      {.text = "identity",
       .bits = whole_bits,
       .choices = each([](Real value, const CodecSample&) { return value; }),
       .unbiased = true},
      {"fp16", bits_16, each(as_fp16)},
      {.text = "bf16",
       .bits = bits_16,
       .choices = each(as_bf16),
       .from = 0x1p-126L,
       .to = 0x1p128L},
      top_k("top-k:k=3", [](std::size_t d) { return std::min<std::size_t>(3, d); }),
      top_k("top-k:10%", [](std::size_t d) { return (d + 9) / 10; }),
      {"top-k-sampled:k=5", counted_bits,
       fixed([](const CodecSample& x) { return from_kth(x, 5); })},
      {"threshold:0.7", counted_bits, each([](Real value, const CodecSample&) {
         return std::abs(value) >= Real{0.7} ? value : 0.0L;
       })},
      {"clip:0.5", whole_bits,
       each([](Real value, const CodecSample&) { return std::clamp(value, -0.5L, 0.5L); })},
      {"clip-norm:0.3", whole_bits, fixed([](const CodecSample& x) {
         const Real norm = norm_of_sample(x);
         std::vector<Real> result(x.values.begin(), x.values.end());
         for (Real& value : result) value *= norm > 0.3L ? 0.3L / norm : 1.0L;
         return result;
       })},
      {"sign", [](const CodecSample& x, Wire) { return x.number_bits() + x.size(); },
       fixed([](const CodecSample& x) {
         std::vector<Real> result(x.size(), mean_of_magnitudes(x));
         for (std::size_t i = 0; i < x.size(); ++i) {
           if (x.values[i] < 0.0) result[i] = -result[i];
         }
         return result;
       })},
      {"plain-sign", [](const CodecSample& x, Wire) { return x.size(); },
       each([](Real value, const CodecSample&) { return value < 0.0L ? -1.0L : 1.0L; })},
      {"one-bit",
       [](const CodecSample& x, Wire) { return 2 * x.number_bits() * x.columns() + x.size(); },
       fixed(column_means)},
      {"e3m0", [](const CodecSample& x, Wire) { return x.number_bits() + 4 * x.size(); },
       fixed(nearest_powers)},
      {"two-bit:0.4", [](const CodecSample& x, Wire) { return 2 * x.size(); },
       each([](Real value, const CodecSample&) {
         return value >= 0.4L ? 0.4L : value <= -0.4L ? -0.4L : 0.0L;
       })},
  };
}

std::vector<CodecRule> all_rules() {
  std::vector<CodecRule> rules = rules_without_chance();
  for (CodecRule rule :
       {qsgd(1), qsgd(127), qsgd(5000), qsgd_elias(1), qsgd_elias(127), qsgd_elias(5000),
        terngrad("terngrad", std::numeric_limits<Real>::infinity()), terngrad("terngrad:1.5", 1.5L),
        natural(), random_k("random-k:k=3", 3, true),
        random_k("random-k-unscaled:k=3", 3, false)}) {
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace

Real sent_norm(const CodecSample& x) {
  return std::min(norm_of_sample(x), largest_number(x.scalar));
}

const std::vector<CodecRule>& codec_rules() {
  static const std::vector<CodecRule> rules = all_rules();
  return rules;
}

}  // namespace trainyard::test
