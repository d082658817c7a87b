// Everything that decides a run, as plain values. The command line, the TOML file and the resolved
// configuration beside the results are three spellings of this; options.hpp holds the one table of
// them.
//
// Threads: a value like any other: any number of threads may read one, and who writes one has it
// alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "trainyard/base/units.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/hardware/machine.hpp"
#include "trainyard/network/network.hpp"
#include "trainyard/runtime/compute_noise.hpp"
#include "trainyard/runtime/hyperparameters.hpp"
#include "trainyard/runtime/optimizer.hpp"
#include "trainyard/runtime/trace.hpp"
#include "trainyard/scheme/ingredient.hpp"
#include "trainyard/scoring/measure_kind.hpp"

namespace trainyard {

/// automatic: wall when every rank gets a core of its own, virtual otherwise.
enum class TimeMode { automatic, wall, simulated };
/// "auto", "wall", "virtual".
std::string time_mode_text(TimeMode mode);

/// More minibatches a worker than anybody waits for, and what "no limit" is written as.
inline constexpr std::int64_t most_steps = 1'000'000'000'000;

/// With which the model of cache lines is like the cores that it was fitted to (shared_lines.hpp);
/// everybody sees the same figures.
inline constexpr Duration default_line_time = std::chrono::nanoseconds(115);

struct Straggler {
  int rank = 0;
  double factor = 1.0;  // every computation of that worker takes this many times as long
};

/// automatic: what workers and servers send each other goes by keys where that is shorter
/// (collective/working_set.hpp). off: whole.
enum class SparseWire { automatic, off };

/// partitioned: each worker has its rows beside it. server: they come over the network
/// (runtime/data_server.hpp).
enum class DataSource { partitioned, server };

/// How long a run goes on until ranks meet for a checkpoint: so many epochs, or so much of its
/// time.
using CheckpointInterval = std::variant<double, Duration>;

struct Cast;
struct Scheme;

struct Configuration {
  // [run]
  std::string scheme = "ring";
  /// It was named by a preset (preset.hpp), whose settings resolve() adds; resolved: empty.
  std::string preset;
  int workers = 8;
  int servers = 1;  // of schemes that have servers; 0: as many as workers (servers_of())
  TimeMode time = TimeMode::automatic;
  std::optional<double> epochs;
  std::optional<std::uint64_t> steps;
  std::optional<Duration> seconds;
  std::optional<double> target_loss, target_accuracy, target_gradient;  // one of them at most
  std::uint64_t seed = 1;
  double evaluate_every = 0.5;  // epochs
  /// Of held-out rows, beside loss and accuracy; by it `patience` tells models apart.
  MeasureKind metric = MeasureKind::loss;
  /// Evaluations without a better one on the validation rows, after which the run ends; the best
  /// one's model is kept.
  std::optional<int> patience;
  bool gradient_norm = false;   // is evaluated, too
  bool gradient_noise = false;  // the same (run/gradient_noise.hpp)
  std::string optimum;  // "auto", or the folder of a run (run/optimum.hpp); empty: not asked
  IngredientNames ingredients;  // those that were given; of other kinds it is the fallback

  // [scheme]
  Hyperparameters hyperparameters;  // those that were given; resolved: all that the scheme takes

  // [data]
  std::string dataset = "sparse-logistic";
  std::string test;
  std::string validation;   // a fraction, a file, or "split": a split file's own; empty: none
  std::string data_format;  // empty: the catalogue's, or guessed
  std::string data_dir = "data";
  std::uint64_t data_seed = 1;               // of generated data
  std::string labels, test_labels;           // files; empty: guessed, where there are any
  std::string label_column = "0";            // by name or number
  TableOptions table;                        // how CSV and TSV files are read
  std::optional<std::uint32_t> first_index;  // of LIBSVM files; empty: found
  FeatureScaling scaling = FeatureScaling::none;
  bool intercept = false;
  std::string class_weight;  // of training rows (class_weights.hpp); empty: none
  // Written out, as GCC 12 says of the string in `= {}` that it may be uninitialized.
  PartitionRule partition = PartitionRule();
  std::optional<ShareWeights>
      weights;  // empty: the scheme's published rule (scheme/share_rule.hpp)
  RowOrder order = RowOrder::reshuffle;
  Deal deal = Deal::once;
  bool replacement = false;  // `order` then says only how rows lie
  DataSource data_source = DataSource::partitioned;

  // [model]
  std::string model;  // empty: logistic for two classes, softmax for more
  double l2 = 0.0, l1 = 0.0;
  std::string start;  // the folder of a trained model; empty: as the model begins

  // [optimizer]
  std::size_t batch = 32;                   // rows a minibatch, a worker
  std::optional<std::size_t> global_batch;  // of all workers together: `batch` is made of it
  OptimizerOptions optimizer;

  // [network]
  Network network;
  SparseWire sparse_wire = SparseWire::automatic;

  // [compute]
  std::optional<Duration> compute_time;              // of one minibatch, simulated; empty: measured
  std::optional<Duration> encode_time, decode_time;  // of a parameter, of the scheme's codec
  std::optional<Duration> aggregate_time;  // of a parameter, by the rule of --aggregate; simulated
  /// Of a cache line from core to core, simulated (runtime/shared_lines.hpp); empty: measured.
  std::optional<Duration> line_time = default_line_time;
  std::vector<Straggler> stragglers;
  ComputeNoiseRule compute_noise;
  Placement placement = Placement::compact;
  bool counters = false;  // of the ranks' threads, in wall
  bool force_memory = false;

  // [output]
  std::filesystem::path out;    // empty: nothing is written
  std::filesystem::path trace;  // empty: nothing is recorded
  StepRange trace_steps;
  std::filesystem::path html;                          // empty: no report
  std::filesystem::path checkpoint;                    // folder; empty: none are made
  std::optional<CheckpointInterval> checkpoint_every;  // resolved: empty where it is in one piece
  std::optional<Duration> checkpoint_time;             // simulated; empty: none
  std::filesystem::path resume;  // folder of the checkpoint that it goes on from
  std::string force_resume;      // what may be otherwise there: options, "program", "data"
  std::string format = "table";
  bool quiet = false;
  bool progress = false;  // every evaluation, whether or not a terminal listens
  bool force = false;

  /// The options that somebody asked for, by name: where one has no effect, that is said.
  std::vector<std::string> given;
};

/// As many are accepted, and threads have room for fewer.
inline constexpr int most_servers = 32000;

/// How many are asked for.
inline int servers_of(const Configuration& c) {
  return c.servers == 0 ? std::min(c.workers, most_servers) : c.servers;
}

inline bool has_target(const Configuration& c) {
  return c.target_loss || c.target_accuracy || c.target_gradient;
}

/// Who is what in its run under `scheme` (scheme/cast.hpp).
Cast cast_of(const Scheme& scheme, const Configuration& configuration);

/// The components that the scheme takes, as the configuration names them. REQUIRES: its
/// hyperparameters are complete.
Ingredients make_ingredients(const Scheme& scheme, const Configuration& configuration);
/// The collective of a run where nobody names one: by-size where no network is emulated.
std::string usual_collective(const Configuration& configuration);
/// Whether its scheme takes one, and that is it: then texts of the configuration leave it out, so
/// that it goes with another network, too.
bool has_usual_collective(const Configuration& configuration);

/// What the rule of --aggregate takes in simulated time for each coordinate: what is given, or what
/// is usual; the mean, and who takes no rule, none.
Duration aggregate_time_of(const Configuration& configuration, const Ingredients& ingredients);

}  // namespace trainyard
