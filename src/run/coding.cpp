#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/run/calibration.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "run/decisions.hpp"

namespace trainyard {

void resolve_coding_time(Configuration& c, std::span<const RunObjects> all, const Model& model,
                         bool measured, const Remark& remark) {
  const auto coded = std::ranges::find_if(
      all, [&](const RunObjects& objects) { return encodes(*objects.scheme, c.ingredients); });
  if (coded == all.end() || c.time == TimeMode::wall || (c.encode_time && c.decode_time)) return;
  const std::string& name = ingredient_name(*coded->scheme, c.ingredients, "codec");
  CodingTime time = usual_coding_time(*coded->scheme, name);
  if (measured && takes(*coded->scheme, "codec")) {
    time = measure_coding_time(*make_codec(name), model.scalar(), model.tensors());
    remark(fmt::format(
        "coding time: {} to encode a parameter by {}, {} to decode it, measured here",
        human_duration(to_seconds(time.encode)), name, human_duration(to_seconds(time.decode))));
  }
  if (!c.encode_time) c.encode_time = time.encode;
  if (!c.decode_time) c.decode_time = time.decode;
}

void remark_codec(const Configuration& c, std::span<const RunObjects> all, const Model& model,
                  const Remark& remark) {
  for (const RunObjects& objects : all) {
    const Scheme& scheme = *objects.scheme;
    const std::string& name = scheme.name;
    if (!takes(scheme, "codec")) continue;
    const std::string& typed = ingredient_name(scheme, c.ingredients, "codec");
    const std::shared_ptr<const Codec> codec = make_codec(typed);
    if (scheme.messages.codec_need == CodecNeed::unbiased && !codec->unbiased()) {
      remark(
          fmt::format("warning: {} needs an unbiased codec, and {} is not: it may stop short of "
                      "the optimum, or diverge",
                      name, typed));
    }
    const double error = codec->error_bound(model.dimension());
    if (scheme.messages.codec_need == CodecNeed::unbiased && codec->unbiased() && error >= 1.0 &&
        scheme.family == SchemeFamily::decentralised) {
      remark(
          fmt::format("warning: with {} the error of {} may be {:.3g} times what is "
                      "encoded, which {} may not survive; choco and deep-squeeze do",
                      counted(model.dimension(), "parameter"), typed, error, name));
    }
    const bool is_known = std::isfinite(error);
    const bool contracts = is_known && (codec->unbiased() || error <= 1.0);
    if (scheme.messages.codec_need == CodecNeed::contraction && !contracts) {
      remark(fmt::format(
          "warning: {} needs a codec that leaves out less than it keeps, which {}: it "
          "may diverge",
          name,
          is_known ? typed + " does not always" : "nobody has said of " + typed + " (its error)"));
    }
  }
}

}  // namespace trainyard
