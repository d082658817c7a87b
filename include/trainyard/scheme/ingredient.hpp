// Components that a scheme's rule leaves open: the graph of a gossip, the way of an all-reduce.
// (Its numbers and words are hyperparameters, scheme.hpp.) Each kind is declared once, in the table
// below; from there come its flag, its key in the section [run], its check, `trainyard list` and
// the variants of `predict`. A row that takes one says so with a word, .takes = {"topology"}.
//
// Threads: any; the table is built at the first call and never changes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trainyard/runtime/hyperparameters.hpp"
#include "trainyard/runtime/ingredients.hpp"

namespace trainyard {

struct Scheme;

/// The components that were asked for, by kind: {"topology", "torus"}. A kind without an entry has
/// its fallback.
using IngredientNames = std::map<std::string, std::string, std::less<>>;

/// The setting that a component is made for.
struct IngredientSetting {
  const Scheme& scheme;
  int workers = 1;
  int servers = 1;  // that share a model's vectors among them, >= 1
  std::uint64_t seed = 1;
  const Hyperparameters& hyperparameters;  // complete
};

/// One component of a kind, for `trainyard list`.
struct IngredientInfo {
  std::string typed, summary;  // "base:K", and one line
  /// "time" and its closed form, "source" and a paper: a line each, may be empty.
  std::vector<std::pair<std::string, std::string>> details{};
};

struct IngredientKind {
  std::string name;      // "topology": the flag is --topology
  std::string plural;    // as `trainyard list` is asked for them
  std::string help;      // of the flag
  std::string fallback;  // what it is where nobody says
  std::string missing;   // of a scheme that takes none: "has none"
  /// Throws UsageError for what is none of them.
  void (*check)(std::string_view text) = nullptr;
  /// REQUIRES: check() passes. Throws UsageError where there is none for such a setting.
  void (*make)(std::string_view text, const IngredientSetting& setting,
               Ingredients& into) = nullptr;
  std::vector<IngredientInfo> (*all)() = nullptr;
  std::string notes{};  // below the list of all, may be empty
  /// The components over which `predict` plays a scheme that is named without one; nullptr: none.
  std::vector<std::string> (*usual)(const Scheme& scheme) = nullptr;
};

/// The visible table. Where a scheme takes several, the first one is what `predict` varies.
const std::vector<IngredientKind>& ingredient_kinds();
/// REQUIRES: there is one.
const IngredientKind& ingredient_kind(std::string_view name);

/// The name in `names`, or the fallback.
const std::string& ingredient_name(const IngredientNames& names, std::string_view kind);
/// The name in `names`, or what the scheme's row has where nobody says (MessageUse).
const std::string& ingredient_name(const Scheme& scheme, const IngredientNames& names,
                                   std::string_view kind);

bool takes(const Scheme& scheme, std::string_view kind);

/// Makes the components that the scheme takes. Throws as IngredientKind::make does.
Ingredients make_ingredients(const IngredientNames& names, const IngredientSetting& setting);

}  // namespace trainyard
