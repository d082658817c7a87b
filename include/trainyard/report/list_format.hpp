// The tables of what there is to choose from as JSON, for programs that read what `trainyard list`
// tells people: an object with one array, which has the name that `list` is asked by.
//
// Threads: any; these are functions of their arguments and of the tables.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "trainyard/configuration/labs.hpp"
#include "trainyard/configuration/preset.hpp"
#include "trainyard/scheme/ingredient.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// "asynchronous: nobody waits": the family's name, a colon and what it says of its schemes.
std::string_view family_text(SchemeFamily family);
/// The families, in the order of their lists.
inline constexpr int scheme_families = 6;
/// Whether some setting of --servers is another run than one server.
bool takes_servers(const Scheme& scheme);
/// Which of --optimizer its rule allows: "any", "sgd, nesterov" or "sgd without momentum".
std::string_view optimizers_text(OptimizerRange range);

/// {"schemes": [{"name", "summary", "step", "time", "rate", "source", "family", "takes_servers",
/// "takes", "hyperparameters": [{"name", "argument", "help", "fallback"}, …], "optimizers",
/// "repeats_on_threads"}, …]}: `takes` are kinds of components; a fallback that depends on the run
/// or the machine is null, and that of a choice is its word.
std::string schemes_json(std::span<const Scheme* const> schemes);

/// {"presets": [{"name", "system", "source", "scheme", "settings", "spelt_out", "criteria",
/// "emulated", "not_emulated"}, …]}: settings are {"staleness": "3"}, as typed; criteria have the
/// fields of Criteria.
std::string presets_json(std::span<const Preset> presets);

/// {"topologies": [{"name", "summary", "details"}, …]} and alike for each kind: names are as
/// typed, "base:K"; details are {"source": "…"}.
std::string ingredients_json(const IngredientKind& kind);

/// {"models": [{"name", "summary"}, …]}.
std::string models_json();

/// {"datasets": [{"name", "origin", "rows", "test_rows", "features", "classes", "summary"}, …]}:
/// origin is "generated" or "catalogue"; what a generator makes of the row's numbers is null.
std::string datasets_json();

/// {"labs": [{"number", "name", "title", "question", "configuration"}, …]}: the last is the lab's
/// TOML.
std::string labs_json(std::span<const Lab> labs);

}  // namespace trainyard
