// Predicts how long a step of each scheme takes, for a model of a given size, without training one.
//
// Two numbers. The closed form is the literature's: one step from lock-step. Sustained is what a
// step takes in a long run, where a worker that is served first goes on while others are still
// being served: eight workers of one server need c + 16(α + t) for the first step and c + 9(α + t)
// for each after it. No paper has that in general. It is found by letting the scheme's own program
// talk through the simulated switch, over a model whose arithmetic takes next to nothing; so it
// holds for any network, for stragglers, and for a scheme that was written yesterday. It is
// measured between two moments at which the run stands alike, and is exact. Where something is
// drawn at random that it depends on, or where nothing comes round again, it is a mean, with its
// error.
//
// Threads: the calling one, and those that the run starts, which have ended when it returns. An
// exception of any rank ends the others and is rethrown.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/configuration/contestant.hpp"

namespace trainyard {

/// The kind of ingredient that the ways of `scheme` are of; nullptr where it takes none.
const IngredientKind* varied_kind(const Scheme& scheme);

/// What the contestant says for that kind; empty where it says nothing, or there is none.
std::string way_of(const Contestant& contestant);

/// Whom the words name, as in a comparison (parse_contestants()), and for a bare name every way
/// that it leaves open: "gossip" is gossip over each of the usual topologies, "gossip:ring",
/// "gossip:torus", …; "gossip{period=2}" is over the fallback's. Systems have the one way of their
/// preset. Of a kind that is `given`, a codec, that is the only way; of the kind that is `varied`
/// names stay bare. Of a group those that can be
/// predicted. Throws UsageError, naming --schemes, as parse_contestants() does, for a scheme that
/// cannot be predicted, and for an option that predictions do not take.
std::vector<Contestant> predicted_contestants(std::string_view text,
                                              const IngredientNames& given = {},
                                              std::string_view varied = {});

struct PredictionSetting {
  /// Workers, servers, network, compute, batch; a compute time, here or of each contestant.
  Configuration configuration;
  std::uint64_t parameters = 262144;  // floats
  std::uint64_t rows = 60000;         // of an epoch
  /// How much of the model so many rows touch, 0 < . ≤ 1: what schemes send of a worker's minibatch
  /// that go by keys (collective/working_set.hpp). A parameter is a key of its own. Empty: all.
  std::function<double(std::size_t rows)> touched_by{};
  /// Models of more floats, over all workers, are played by a smaller one.
  std::uint64_t most_floats = std::uint64_t{1} << 20U;

  /// By a minibatch.
  double touched() const { return touched_by ? touched_by(configuration.batch) : 1.0; }
};

struct Prediction {
  Contestant contestant;
  int servers = 0;
  /// The time of the first step. Empty where there is no closed form, and where workers or links
  /// are not alike.
  std::optional<double> closed_form_s;
  std::string why_no_closed_form{};  // empty where there is one
  /// The sustained time holds after `steps_before` steps and is a mean over `steps_counted`: whole
  /// cycles of what happens in cycles, and more of them where something is drawn at random.
  std::uint64_t steps_before = 0, steps_counted = 0;
  /// False where so many workers send or hold so much that playing it would take minutes or much of
  /// the memory, or where their graph does: then the closed form is all there is (none with such a
  /// graph), and what follows is NaN.
  bool is_played = true;
  double step_s = 0.0;  // sustained: a minibatch of each worker
  /// By how much that may be off: 0 where the run comes round to where it stood; a mean is within
  /// this in 998 of 1000 cases.
  double step_error_s = 0.0;
  double epoch_s = 0.0;                // sustained
  double messages = 0.0, bytes = 0.0;  // a step, of all ranks together
};

/// Up to setting.most_floats over all workers the simulated messages have exactly the model's
/// parts; beyond it all parts are taken to be of one size, which is off by at most parts/parameters
/// of t, and by more where that decides whose message finds a port free first. Throws UsageError
/// for what such a run would be refused for, without a compute time, and where periods come round
/// together so rarely that playing a cycle would take too long.
Prediction predict(const Contestant& contestant, const PredictionSetting& setting);

}  // namespace trainyard
