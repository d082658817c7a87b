// Training schemes: each is one file, a straight-line program of one worker and, where it has
// servers, of one server. Every runtime runs the same text. A scheme of one's own is a row as well,
// given to the program or, without it, added before anything else:
//
//   int main(int argc, char** argv) { return trainyard::run_program(argc, argv, {my_scheme}); }
//   add_scheme(my_scheme());
//
// Threads: add_scheme() is called by one, before anything else is; then any may read the table.
// A row's program is called by each rank at the same time and keeps nothing outside its Worker
// or Server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/codec/codec.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/runtime/hyperparameters.hpp"
#include "trainyard/runtime/ingredients.hpp"
#include "trainyard/runtime/run_state.hpp"
#include "trainyard/runtime/server.hpp"
#include "trainyard/runtime/steps.hpp"
#include "trainyard/runtime/worker.hpp"
#include "trainyard/scheme/cast.hpp"
#include "trainyard/scheme/ingredient.hpp"
#include "trainyard/scheme/share_rule.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

/// The setting of a step's closed form: workers that compute equally long, all of them from
/// lock-step, on equal links with circuit ports.
struct StepSetting {
  int workers = 1;  // n
  int servers = 1;  // k, as --servers asks for it, at most as many as there are, and at least 1
  std::size_t parameters = 0;    // of the model
  Duration compute{0};           // c, of one minibatch
  MessageTime message;           // how long a message with so many of them takes
  MessageTime message_of_bytes;  // and one with so many bytes
  CodingTime coding{};           // of a parameter, in schemes that take a codec
  /// For schemes whose steps depend on the layers; nullptr: a model without layers, of so many
  /// parameters.
  const Model* model = nullptr;
  const Ingredients& ingredients;  // of the kinds that the scheme's row takes
  const Hyperparameters& hyperparameters;
  /// For schemes that go by keys, the share of the model that a minibatch touches: 0 < . ≤ 1.
  double touched = 1.0;
  /// For pipelines whose stages are in one piece: the stages; else none.
  std::span<const Stage> stages{};
  std::size_t batch = 1;  // rows of a worker's minibatch

  // These throw NotTaken where the row does not take them.
  const AllReduce& collective() const { return ingredients.get<AllReduce>("collective"); }
  const Topology& topology() const { return ingredients.get<Topology>("topology"); }

  const Codec& codec() const { return ingredients.get<Codec>("codec"); }

  /// m: a message with an encoded vector of so many floats. Empty where its length depends on what
  /// they are.
  std::optional<Duration> coded_message(std::size_t floats) const {
    return coded_message(floats, codec());
  }
  std::optional<Duration> coded_message(std::size_t floats, const Codec& by) const;
  /// e and d: what a worker takes to encode and to decode so many.
  Duration encoding(std::size_t floats) const {
    return scaled(coding.encode, static_cast<double>(floats));
  }
  Duration decoding(std::size_t floats) const {
    return scaled(coding.decode, static_cast<double>(floats));
  }

  /// α + t: the whole model to somebody.
  Duration whole_model() const { return message(parameters); }
  /// A push and a pull of a worker that goes by keys where that is shorter, to and from one of the
  /// servers: of 1/k of the keys of its minibatch, which lie evenly (collective/working_set.hpp).
  Duration keyed_push() const;
  Duration keyed_pull() const;
  /// The time of an all-reduce of vectors of the model's size.
  Duration all_reduce(const AllReduce& way) const {
    return way.duration(workers, servers, parameters, message);
  }
};

/// The unit of a hyperparameter, and how people write it: 0.005, 25MiB, 5ms.
enum class Unit { none, bytes, seconds };

/// A number that a scheme's rule leaves open, or a choice among words: a flag, and a key of the
/// TOML section [scheme]. Schemes that name the same one mean the same, so all of its fields are
/// equal but its fallback, which is the scheme's own; known_hyperparameter() has those of the
/// published schemes.
struct HyperparameterInfo {
  std::string name;      // "period": the flag is --period; lower-case letters, digits, hyphens
  std::string argument;  // how it is written, for --help
  std::string help;
  double fallback = 0.0;
  double low = 0.0, high = 0.0;  // the least and the largest accepted value
  bool whole = false;            // counts something
  Unit unit = Unit::none;        // of `fallback`, `low` and `high`, too
  bool of_workers = false;       // counts workers, and leaves one at least: the fallback too
  bool cycle = false;            // something happens once in so many steps
  bool step_size = false;        // tuned beside --lr (study/tuning.hpp), on the same kind of grid
  bool of_wall = false;          // what threads do to each other: nothing in simulated time
  /// Its value as far as time is concerned, where that changes in the course of a run.
  std::optional<double> in_the_long_run{};
  /// Not empty: the value is one of these words, and is kept as its place among them, so that the
  /// scheme reads it as an enumeration (Worker::choice()).
  std::vector<std::string> choices{};
  /// The fallback where it depends on the machine; the resolved configuration records it.
  double (*machine_fallback)() = nullptr;
  /// The fallback where it depends on the number of workers, or on the run's values of the
  /// hyperparameters before it in the row. Then `help` says so.
  double (*run_fallback)(int workers, const Hyperparameters& before) = nullptr;

  double default_value() const { return machine_fallback ? machine_fallback() : fallback; }
};

/// The optimizers (--optimizer, --momentum) that a scheme's rule allows.
enum class OptimizerRange {
  plain,     // x ← x − γ g
  velocity,  // and with momentum, sgd's or Nesterov's
  any,
};

/// The graphs (--topology) that a scheme's rule allows.
enum class GraphRange {
  column_stochastic,  // any: the columns of all W add up to 1
  doubly_stochastic,  // those whose rows do, too
  static_symmetric,   // and one W for all rounds, W = Wᵀ
};

/// For whom a scheme's workers wait.
enum class SchemeFamily {
  synchronous,    // everybody, at every step, or as many as it takes
  asynchronous,   // nobody
  bounded,        // those who are too far behind
  local_updates,  // others, every so many steps
  shared_memory,  // cache lines
  decentralised,  // neighbours in a graph
};

/// How regularly a scheme communicates: what a few of its steps show of the others.
enum class Rhythm {
  regular,    // by step numbers
  by_chance,  // drawn at random: it takes more steps to show what it is on average
  by_data,    // by how training goes, or where an epoch ends: nobody can say beforehand
};

/// Whether what its workers and servers send each other goes by keys, where the data are sparse and
/// the model linear (collective/working_set.hpp).
enum class ByKeys {
  no,
  without_regulariser,  // only where λ = 0
  yes,
};

/// The cost of a step, and how many steps it takes. A scheme of one's own may leave it out.
struct StepCost {
  std::string formula{};  // closed form of the time, as text
  std::string rate{};  // iterations to E‖∇f‖² ≤ ε (Liu & Zhang 2020, Table 1.1; catalogue §1.4)
  /// The closed form: how long the first step takes (catalogue §1.2), a minibatch of every worker,
  /// computed and communicated; c for a scheme that communicates every τ > 1 steps. `predict` finds
  /// out by itself what a step takes in the long run. Empty where nobody knows one.
  std::optional<Duration> (*time)(const StepSetting&) = nullptr;
  /// The closed form with servers on the workers' machines (ServerPlacement), where messages within
  /// a machine are free; nullptr: nobody knows one.
  std::optional<Duration> (*time_colocated)(const StepSetting&) = nullptr;
  /// From how many workers' minibatches the model learns in a step, where the others sit out or
  /// come too late: an epoch is so many more steps. nullptr: from those of all.
  int (*learns_from)(int workers, const Hyperparameters&) = nullptr;
};

/// How a scheme takes minibatches whose rows are divided by speed (--deal speed).
enum class RowsBySpeed {
  no,
  mean,      // the gradients of a step become one mean, to which each counts by its rows
  replicas,  // each worker steps a replica by its gradient as ever, of more rows or of fewer
};

/// In which order its ranks do things, and whether that repeats.
struct StepOrder {
  Pace pace = Pace::lockstep;
  Rhythm rhythm = Rhythm::regular;
  /// Its workers wait for one another, and yet the clock decides what goes together.
  bool by_clock = false;
  /// For rows by_arrival(): options with which it no longer matters who comes first, as they are
  /// typed; empty: there are none.
  std::string repeats_with{};
  /// Why its programs cannot begin anew with what they keep (run/checkpoint.hpp), as a sentence
  /// that its name begins; empty where they can.
  std::string no_checkpoint{};
  /// In how many steps everything has happened that happens every so many steps, >= 1, where that
  /// is more than single hyperparameters with .cycle say; nullptr: they say it.
  std::uint64_t (*cycle)(int workers, const Hyperparameters&) = nullptr;
  /// When a worker has crashed for good the others go on, with the defaults of its settings. Else
  /// they wait for it in vain.
  bool outlives_worker = false;
  /// Between two steps workers may leave, and others join with what one of the rest has
  /// (--on-failure shrink): what a worker keeps is about itself, or alike with all, and as long
  /// however many they are.
  bool members_may_change = false;
  RowsBySpeed rows_by_speed = RowsBySpeed::no;
  /// Its programs go on without a message that is lost for good (Message::lost(), --retransmit
  /// never). Others are refused there.
  bool takes_datagrams = false;
};

/// The contents of its messages.
struct MessageUse {
  /// For rows whose workers share a model in memory: where they are, however many there are. No
  /// network lies between them.
  std::string within = "one machine";
  /// For rows that take no codec and yet encode: what that takes for a parameter where nobody
  /// measured it.
  CodingTime own_coding{};
  /// For rows that take a "codec": a run with another is warned.
  CodecNeed codec_need = CodecNeed::nothing;
  /// For rows that take a "codec" and do without one: where nobody names any it is identity, and
  /// with that nothing is encoded.
  bool codec_optional = false;
  ByKeys by_keys = ByKeys::no;
  /// It sends a layer's gradient while others are computed: what a step takes depends on the
  /// layers.
  bool by_layers = false;
};

/// Which graphs the rule allows, and what it makes of them. Of schemes that take a topology.
struct GraphUse {
  GraphRange range = GraphRange::doubly_stochastic;
  /// No eigenvalue of W may be below this; nullptr: whatever they are.
  double (*least_eigenvalue)(const Hyperparameters&) = nullptr;
  /// How many nodes the graph has; nullptr: one for each worker. With fewer the program says which
  /// node it speaks for when it asks for Worker::next_round().
  int (*nodes)(int workers, const Hyperparameters&) = nullptr;
  /// The rounds that its workers mix over, made of the graph that --topology names; nullptr: that
  /// graph itself.
  Topology (*rounds)(const Topology& graph, const Hyperparameters&, std::uint64_t seed) = nullptr;
  /// The term of its rate with the graph and the gradients' noise is ρσ/((1-ρ)^{1/2}ε^{3/2}), with
  /// ρ of those rounds, so that its transient is topology/transient.hpp's.
  bool has_transient = false;
};

/// How steps are made of gradients; and the options that the rule has no place for, with the
/// reason, empty where it takes them. Nobody need say what the row says anyway (run/checks.hpp):
/// clipping where no worker has a whole gradient before it sends or writes the first of it, μ‖w‖₁
/// where the shared model is in few bits, Muon where workers have parts of layers.
struct OptimizerUse {
  OptimizerRange range = OptimizerRange::any;
  std::string no_l1{};  // μ‖w‖₁; taken where all steps are the optimizer's, or SharedSteps'
  std::string no_clip_norm{};  // taken where all gradients are compute_gradient()'s or its kin's
  std::string no_muon{};       // taken where matrices are stepped whole
};

struct Scheme {
  std::string name;     // as typed after --scheme
  std::string summary;  // one line: who sends what to whom
  std::string step;     // what the step size γ multiplies: how γ compares across schemes
  StepCost cost{};
  std::string source{};  // paper, section
  SchemeFamily family = SchemeFamily::synchronous;

  StepOrder order{};
  CastRule cast = cast::replicas;    // who is what
  std::vector<std::string> takes{};  // kinds of ingredients (ingredient.hpp)
  GraphUse graphs{};
  MessageUse messages{};
  OptimizerUse optimizers{};
  std::vector<HyperparameterInfo> hyperparameters{};
  ShareRule shares{};  // of the data

  void (*worker)(Worker&) = nullptr;
  void (*server)(Server&) = nullptr;  // of the servers that the cast has
};

/// The roles of the ranks in a run of the scheme that asks for these numbers. Throws UsageError,
/// naming .cast, for what cannot be. REQUIRES: `hyperparameters` is complete.
Cast cast_of(const Scheme& scheme, int workers, int servers, const IngredientNames& names,
             const Hyperparameters& hyperparameters);

/// The part that each worker holds of the model that is called `name`; empty: all of it. Throws
/// OptionError where the model cannot be divided as the scheme does it, or what the rule itself
/// throws.
std::vector<Holding> holdings_of(const Scheme& scheme, const Cast& cast, const Model& model,
                                 std::string_view name);

/// Whether it encodes what it sends, by the run's codec or in a way of its own: then coding takes
/// time.
bool encodes(const Scheme& scheme);
/// The same of a run with these components: a row's optional codec may be identity.
bool encodes(const Scheme& scheme, const IngredientNames& names);
/// How long coding a parameter takes where nobody measured it, by that codec if the scheme takes
/// one.
CodingTime usual_coding_time(const Scheme& scheme, std::string_view codec);

/// The number of minibatches in a step of all workers, as epochs count them: those that the model
/// learns from. REQUIRES: `hyperparameters` is complete.
std::uint64_t minibatches_of_step(const Scheme& scheme, int workers,
                                  const Hyperparameters& hyperparameters);

/// Whether results depend on who comes first, or on the clock: runs in `wall` differ, unless there
/// is one worker or .order.repeats_with is given. All others give the bits of `virtual` there. So
/// it is wherever the pace is not lockstep, in lockstep where the family is `bounded`, and where
/// .order.by_clock says so.
bool by_arrival(const Scheme& scheme);

/// `.server` of rows that take a "collective": the part of the servers that some collectives have.
void serve_collective(Server& server);

/// The visible table, one row for each scheme, which its file ends with; those that were added
/// follow.
const std::vector<Scheme>& schemes();

/// Adds a scheme of one's own, which every command then knows by its name, and its hyperparameters
/// as flags. Throws UsageError for what check_schemes() refuses, for a function of the row that
/// asks for a hyperparameter which the row does not name, and where the table has been read before.
void add_scheme(Scheme scheme);
/// The same at any time, for front ends in which schemes are written as one goes; in the place of
/// one of the same name that was added before. Its hyperparameters are options after
/// add_options_of_schemes(). Throws UsageError also for more than 256 of them. REQUIRES: no run is
/// under way, and nothing else reads the table meanwhile.
void add_scheme_late(Scheme scheme);
/// A hyperparameter of the published schemes, for a row that means the same by its name. May be
/// called before add_scheme(), from a function: objects at namespace scope are made too early for
/// it. Throws UsageError for an unknown name.
HyperparameterInfo known_hyperparameter(std::string_view name);
/// The schemes that were added.
std::span<const Scheme> own_schemes();

/// Throws UsageError, naming the scheme and the field, for rows that cannot run: a field that
/// another one needs is missing, two contradict each other, a name is there twice, or a
/// hyperparameter means one thing in one row and another in the next.
void check_schemes(std::span<const Scheme> table);

/// How many nodes the graph has that --topology names.
int graph_nodes(const Scheme& scheme, int workers, const Hyperparameters& hyperparameters);

/// The rounds that the scheme's workers mix over when --topology names `graph`.
Topology rounds_over(const Scheme& scheme, const Topology& graph,
                     const Hyperparameters& hyperparameters, std::uint64_t seed);

/// `given`, completed by the scheme's fallbacks. Throws UsageError where too many of so many
/// workers are asked for.
Hyperparameters with_fallbacks(const Scheme& scheme, Hyperparameters given, int workers);

/// In how many steps everything has happened that happens only every so many steps: the least
/// common multiple of all of them, 1 where nothing does, and 10^12, the steps of the longest run,
/// where it is more than that.
std::uint64_t steps_of_cycle(const Scheme& scheme, int workers,
                             const Hyperparameters& hyperparameters);

/// Throws UsageError for an unknown name.
const Scheme& find_scheme(std::string_view name);

/// The names in a group, in the order of the table: all-centralised is every scheme whose family is
/// not decentralised, all-decentralised every other, all is both. Empty: there is no such group.
std::vector<std::string> schemes_of_group(std::string_view group);
/// The names of the groups.
std::vector<std::string> scheme_groups();

}  // namespace trainyard
