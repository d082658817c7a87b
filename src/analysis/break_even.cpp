#include "trainyard/analysis/break_even.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

/// Bytes a second up to which it is looked for: more than any memory's.
constexpr double fastest = 1e15;
/// And down to which: a model takes five minutes, or many times as long as coding it.
double slowest(const PredictionSetting& setting, const CodingTime& coding) {
  const auto parameters = static_cast<double>(setting.parameters);
  const double coded = to_seconds(coding.encode + coding.decode) * parameters;
  return parameters * sizeof(float) / std::max(300.0, 30.0 * coded);
}

/// One scheme with two codecs.
class Pair {
 public:
  Pair(const Contestant& scheme, const std::string& codec, const PredictionSetting& setting)
      : scheme_(scheme), codec_(codec), setting_(setting) {}

  Prediction at(double bytes_per_second, bool encoded) const {
    PredictionSetting there = setting_;
    there.configuration.network.bytes_per_second = bytes_per_second;
    const std::string& codec = encoded ? codec_ : plain;
    there.configuration.ingredients["codec"] = codec;
    if (!encoded) {
      there.configuration.encode_time = Duration{0};
      there.configuration.decode_time = Duration{0};
    }
    Prediction found = predict(scheme_, there);
    if (!found.is_played) {
      throw OptionError("workers", std::to_string(there.configuration.workers),
                        "what pays is worked out from steps that are played, which so many workers "
                        "make too long");
    }
    return found;
  }
  /// Seconds that a step gains by encoding.
  double gain(double bytes_per_second) const {
    return at(bytes_per_second, false).step_s - at(bytes_per_second, true).step_s;
  }

 private:
  inline static const std::string plain = "identity";
  const Contestant& scheme_;
  const std::string& codec_;
  const PredictionSetting& setting_;
};

/// Returns the bandwidth at which the gain is zero. A step's time is a broken line over y =
/// 1/bandwidth, so the chord through two points meets zero near the crossing, or at it: a few
/// chords do what bisection takes thirty steps for. An end that stays twice running counts half
/// (the Illinois method), so that both move.
double crossing(const Pair& pair, double low, double gain_low, double gain_high) {
  constexpr double precision = 1e-4;
  constexpr int most_steps = 60;
  double a = 1.0 / fastest, b = 1.0 / low, before = b;  // encoding loses at a, and gains at b
  int stayed = 0;                                       // a: −1, b: 1
  for (int step = 0; step < most_steps; ++step) {
    const double y = (a * gain_low - b * gain_high) / (gain_low - gain_high);
    if (std::abs(y - before) <= precision * y) return 1.0 / y;
    before = y;
    const double gain = pair.gain(1.0 / y);
    if (gain > 0.0) {
      b = y;
      gain_low = gain;
      if (stayed == -1) gain_high /= 2.0;
      stayed = -1;
    } else {
      a = y;
      gain_high = gain;
      if (stayed == 1) gain_low /= 2.0;
      stayed = 1;
    }
  }
  return 1.0 / before;
}

}  // namespace

BreakEven break_even(const Contestant& scheme, const std::string& codec,
                     const PredictionSetting& setting) {
  const Configuration& c = setting.configuration;
  const CodecInfo& usual = codec_info(codec);
  const Pair pair(scheme, codec, setting);
  const Prediction plain = pair.at(c.network.bytes_per_second, false);
  const Prediction encoded = pair.at(c.network.bytes_per_second, true);
  BreakEven result{.scheme = scheme,
                   .codec = codec,
                   .coding = {c.encode_time.value_or(usual.encode_time),
                              c.decode_time.value_or(usual.decode_time)},
                   .plain_step_s = plain.step_s,
                   .step_s = encoded.step_s,
                   .plain_bytes = plain.bytes,
                   .bytes = encoded.bytes};
  const double low = slowest(setting, result.coding);
  const double gain_low = pair.gain(low), gain_high = pair.gain(fastest);
  result.never = !(gain_low > 0.0);
  result.always = !result.never && gain_high >= 0.0;
  if (result.never || result.always) return result;
  result.bytes_per_second = crossing(pair, low, gain_low, gain_high);
  return result;
}

}  // namespace trainyard
