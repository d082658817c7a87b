// The ways in which a scheme can be predicted, by name.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "trainyard/analysis/prediction.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/configuration/preset.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "analysis/layer_chain.hpp"
#include "base/echoed.hpp"

namespace trainyard {

namespace {

/// The one that is given, or the usual ones. Those who hold parts of a model add them up without
/// servers.
std::vector<std::string> ways_of(const Scheme& scheme, const IngredientNames& given) {
  const IngredientKind* kind = varied_kind(scheme);
  if (kind == nullptr) return {};
  if (const auto found = given.find(kind->name); found != given.end()) return {found->second};
  std::vector<std::string> ways = kind->usual(scheme);
  std::erase_if(ways, [&](const std::string& way) {
    const Cast made = cast_of(scheme, 1, 1, {{kind->name, way}}, with_fallbacks(scheme, {}, 1));
    return made.holds != nullptr && made.servers > 0;
  });
  return ways;
}

/// `way` as the scheme knows it. Throws UsageError.
std::string checked_way(const Scheme& scheme, const std::string& way, std::string_view what) {
  const std::string where = fmt::format("{}: {}", what, scheme.name);
  try {
    varied_kind(scheme)->check(way);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", where, error.what()));
  }
  return way;
}

}  // namespace

const IngredientKind* varied_kind(const Scheme& scheme) {
  for (const IngredientKind& kind : ingredient_kinds()) {
    if (takes(scheme, kind.name)) return &kind;
  }
  return nullptr;
}

namespace {

/// Why there is no prediction; empty where there is one.
std::string why_unknown(const Scheme& scheme) {
  if (scheme.rhythm == Rhythm::by_data) {
    return fmt::format("when {} communicates depends on the data", scheme.name);
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

std::vector<Variant> variants_of_group(std::string_view name, std::string_view what,
                                       const IngredientNames& given) {
  std::vector<Variant> all;
  for (const std::string& scheme : schemes_of_group(name)) {
    if (!is_of_groups(find_scheme(scheme))) continue;
    std::ranges::copy(parse_variants(scheme, what, given), std::back_inserter(all));
  }
  if (name != all_systems) return all;
  for (const Preset& preset : presets()) {
    if (is_of_groups(find_scheme(preset.scheme))) {
      all.push_back({preset.scheme, "", preset.name});
    }
  }
  return all;
}

}  // namespace

std::vector<Variant> parse_variants(std::string_view text, std::string_view what,
                                    const IngredientNames& given) {
  std::vector<Variant> of_group = variants_of_group(text, what, given);
  if (!of_group.empty()) return of_group;

  const std::size_t colon = text.find(':');
  const NamedScheme named = find_scheme_or_preset_beside_groups(text.substr(0, colon));
  const Scheme& scheme = *named.scheme;
  if (const std::string why = why_unknown(scheme); !why.empty()) {
    throw UsageError(fmt::format("{}: {}; `trainyard run` shows it", what, why));
  }
  const std::string preset = named.preset == nullptr ? "" : named.preset->name;
  const std::vector<std::string> ways = ways_of(scheme, given);
  if (colon != std::string_view::npos) {
    if (ways.empty()) {
      throw UsageError(fmt::format("{}: {}: {} leaves no choice; it is written without ':'", what,
                                   echoed(text), scheme.name));
    }
    if (const std::string& kind = varied_kind(scheme)->name; given.contains(kind)) {
      throw UsageError(fmt::format("{}: {}: --{} is given beside; one of them says which, not both",
                                   what, echoed(text), kind));
    }
    const std::string way(text.substr(colon + 1));
    return {{scheme.name, checked_way(scheme, way, what), preset}};
  }
  if (named.preset != nullptr) return {{scheme.name, "", preset}};
  if (ways.empty()) return {{scheme.name, ""}};
  std::vector<Variant> variants;
  variants.reserve(ways.size());
  for (const std::string& way : ways) variants.push_back({scheme.name, way});
  return variants;
}

}  // namespace trainyard
