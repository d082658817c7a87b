// Whom a prediction is about, by name.
#include <algorithm>

#include <fmt/format.h>

#include "trainyard/analysis/break_even.hpp"
#include "trainyard/analysis/prediction.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "analysis/layer_chain.hpp"

namespace trainyard {

namespace {

/// Why there is no prediction; empty where there is one.
std::string why_unknown(const Scheme& scheme) {
  if (scheme.order.rhythm == Rhythm::by_data) {
    return fmt::format(
        "what a step of {} takes goes by the data or by the model itself, not by its size alone",
        scheme.name);
  }
  if (!has_stages(scheme) && !has_parts(scheme) &&
      cast_of(scheme, 1, 1, {}, with_fallbacks(scheme, {}, 1)).holds != nullptr) {
    return fmt::format(
        "what {} sends depends on a network's layers, not on how many parameters "
        "they have",
        scheme.name);
  }
  return "";
}

/// Groups have what there is for all numbers of workers: of a small model's layers none has so many
/// units as there may be workers, and who divides them whatever the run says has no other way.
bool is_of_groups(const Scheme& scheme) {
  return why_unknown(scheme).empty() && (has_stages(scheme) || !divides_layers(scheme, {}));
}

/// The one that is given, or the usual ones. Those who hold parts of a model add them up without
/// servers.
std::vector<std::string> ways_of(const Scheme& scheme, const IngredientKind& kind,
                                 const IngredientNames& given) {
  if (const auto found = given.find(kind.name); found != given.end()) return {found->second};
  std::vector<std::string> ways = kind.usual(scheme);
  std::erase_if(ways, [&](const std::string& way) {
    const Cast made = cast_of(scheme, 1, 1, {{kind.name, way}}, with_fallbacks(scheme, {}, 1));
    return made.holds != nullptr && made.servers > 0;
  });
  return ways;
}

/// "gossip" over a ring is "gossip:ring".
Contestant in_way(const Contestant& contestant, const std::string& kind, const std::string& way) {
  Contestant made = contestant;
  made.label += ":" + way;
  made.settings.insert(made.settings.begin(), {kind, way});
  return made;
}

std::vector<Contestant> all_ways_of(const Contestant& contestant, const IngredientNames& given,
                                    std::string_view varied) {
  const Scheme& scheme = find_scheme(contestant.scheme);
  const IngredientKind* kind = varied_kind(scheme);
  const bool is_open = kind != nullptr && contestant.preset.empty() && contestant.settings.empty();
  if (!is_open || kind->name == varied) return {contestant};
  std::vector<Contestant> all;
  for (const std::string& way : ways_of(scheme, *kind, given)) {
    all.push_back(in_way(contestant, kind->name, way));
  }
  return all;
}

}  // namespace

const IngredientKind* varied_kind(const Scheme& scheme) {
  for (const IngredientKind& kind : ingredient_kinds()) {
    if (kind.usual != nullptr && takes(scheme, kind.name)) return &kind;
  }
  return nullptr;
}

std::string way_of(const Contestant& contestant) {
  const IngredientKind* kind = varied_kind(find_scheme(contestant.scheme));
  if (kind == nullptr) return "";
  const auto said = std::ranges::find(contestant.settings, kind->name, &OptionText::option);
  return said == contestant.settings.end() ? "" : said->text;
}

namespace {

/// Those that are named, and those of groups that can be predicted.
std::vector<Contestant> predictable(std::string_view text) {
  std::vector<Contestant> all = parse_contestants(text, taken_by(taker::predict));
  std::erase_if(all, [](const Contestant& contestant) {
    return !contestant.named && !is_of_groups(find_scheme(contestant.scheme));
  });
  for (const Contestant& contestant : all) {
    const std::string why = why_unknown(find_scheme(contestant.scheme));
    if (why.empty()) continue;
    throw UsageError(fmt::format("--schemes: {}; `trainyard run` shows it", why));
  }
  return all;
}

}  // namespace

std::vector<Contestant> predicted_contestants(std::string_view text, const IngredientNames& given,
                                              std::string_view varied) {
  std::vector<Contestant> all;
  for (const Contestant& contestant : predictable(text)) {
    for (Contestant& each : all_ways_of(contestant, given, varied)) {
      if (std::ranges::find(all, each.label, &Contestant::label) == all.end()) {
        all.push_back(std::move(each));
      }
    }
  }
  return all;
}

namespace {

/// All whose messages have one length.
std::vector<std::string> codecs_of_one_length() {
  std::vector<std::string> all;
  for (const CodecInfo& info : codecs()) {
    const bool alone = info.argument.empty() || !info.fallback.empty();
    if (info.name == "identity" || !alone) continue;
    if (make_codec(info.name)->fixed_size()) all.push_back(info.name);
  }
  return all;
}

/// Takes the codec out of a contestant's settings; empty: it has none.
std::string taken_codec(Contestant& contestant) {
  const auto found = std::ranges::find(contestant.settings, "codec", &OptionText::option);
  if (found == contestant.settings.end()) return "";
  std::string codec = found->text;
  contestant.settings.erase(found);
  return codec;
}

}  // namespace

std::vector<CodedScheme> coded_schemes(std::string_view names,
                                       const std::vector<std::string>& codecs,
                                       const IngredientNames& given) {
  const std::vector<std::string> usual = codecs.empty() ? codecs_of_one_length() : codecs;
  std::vector<CodedScheme> all;
  bool in_vain = !codecs.empty();
  // A server, a ring of parts, and neighbours: what the others send is as one of these.
  for (Contestant each : predictable(names.empty() ? "csgd,coded-all-reduce,choco" : names)) {
    const Scheme& scheme = find_scheme(each.scheme);
    if (!takes(scheme, "codec")) {
      throw UsageError(fmt::format(
          "--schemes: {} takes no codec; csgd, ec-sgd and choco do, among others", scheme.name));
    }
    const std::string own = taken_codec(each);
    in_vain = in_vain && !own.empty();
    const IngredientKind& kind = *varied_kind(scheme);
    const bool is_open = kind.name != "codec" && each.settings.empty();
    if (is_open) each = in_way(each, kind.name, ingredient_name(given, kind.name));
    for (const std::string& codec : own.empty() ? usual : std::vector{own}) {
      all.push_back({each, codec});
    }
  }
  if (in_vain) throw OptionError("codec", codecs.front(), "each of --schemes says a codec itself");
  return all;
}

}  // namespace trainyard
