#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/open_table.hpp"
#include "trainyard/codec/add_codec.hpp"
#include "trainyard/codec/codec.hpp"

#include "codec/rows.hpp"

namespace trainyard {

namespace {

std::vector<CodecInfo> published_codecs() {
  return {
      identity_codec(),   fp16_codec(),          bf16_codec(),
      qsgd_codec(),       qsgd_elias_codec(),    terngrad_codec(),
      natural_codec(),    random_k_codec(),      random_k_unscaled_codec(),
      top_k_codec(),      top_k_sampled_codec(), threshold_codec(),
      clip_codec(),       clip_norm_codec(),     sign_codec(),
      plain_sign_codec(), one_bit_codec(),       two_bit_codec(),
      e3m0_codec(),
  };
}

OpenTable<CodecInfo>& codec_table() {
  static OpenTable<CodecInfo> all("codec", published_codecs());
  return all;
}

/// Of codecs whose row has no function.
std::map<std::string, CodecMaker>& codec_makers() {
  static std::map<std::string, CodecMaker> makers;
  return makers;
}

}  // namespace

const std::vector<CodecInfo>& codecs() {
  return codec_table().rows();
}

void add_codec(CodecInfo row, CodecMaker make) {
  if (row.summary.empty() || row.wire.empty() || row.error.empty() || row.source.empty()) {
    throw UsageError(fmt::format(
        "codec '{}': .summary, .wire, .error and .source say in `list codecs` what it does",
        row.name));
  }
  if (row.make == nullptr && !make) {
    throw UsageError(fmt::format("codec '{}': nothing says how it is made", row.name));
  }
  const std::string name = row.name;
  codec_table().add(std::move(row));
  codec_makers()[name] = std::move(make);
}

std::string CodecInfo::typed() const {
  if (argument.empty()) return name;
  return fmt::format("{}:{}{}", name, argument, fallback.empty() ? "" : " [" + fallback + "]");
}

namespace {

/// "top-k" and "1%" of "top-k:1%".
std::pair<std::string_view, std::optional<std::string_view>> in_parts(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::string missing_argument(const CodecInfo& info) {
  return fmt::format("codec {}: it needs an argument; {} is accepted", info.name, info.typed());
}

}  // namespace

const CodecInfo& codec_info(std::string_view text) {
  const std::string_view name = in_parts(text).first;
  const auto found = std::ranges::find(codecs(), name, &CodecInfo::name);
  if (found != codecs().end()) return *found;
  std::vector<std::string> known;
  for (const CodecInfo& info : codecs()) known.push_back(info.name);
  throw_unknown("codec", name, known);
}

std::shared_ptr<const Codec> make_codec(std::string_view text) {
  const CodecInfo& info = codec_info(text);
  const auto given = in_parts(text).second;
  if (given && info.argument.empty()) {
    throw UsageError(fmt::format("codec {}: it takes no argument", info.name));
  }
  if (!given && !info.argument.empty() && info.fallback.empty()) {
    throw UsageError(missing_argument(info));
  }
  try {
    const std::string_view argument = given ? *given : std::string_view(info.fallback);
    return info.make != nullptr ? info.make(argument) : codec_makers().at(info.name)(argument);
  } catch (const UsageError& error) {
    throw UsageError(
        fmt::format("codec {}: {}; {} is accepted", info.name, error.what(), info.typed()));
  }
}

}  // namespace trainyard
