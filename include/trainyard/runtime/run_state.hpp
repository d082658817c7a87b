// The state that outlives a step: everything that the ranks of a run carry from one step to the
// next, the model included. Each rank has its own, by name; shared models belong to several.
//
// A run that makes checkpoints is a chain of legs: at the end of each all programs end, and begin
// anew with what is here (run/checkpoint.hpp), in this process or in another one.
//
// Threads: a rank keeps and changes what is its own. Others look at it only while all stand still
// (Rank::stand_still), or when the run has ended. Shared models have rules of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/model/holding.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/runtime/coding_account.hpp"
#include "trainyard/runtime/shared_model.hpp"
#include "trainyard/runtime/staleness.hpp"

namespace trainyard {

/// The home of "the model": the mean of the workers' replicas, which may be parts of it, the
/// servers' shards put together, or the shared one; of several shared ones, their mean.
enum class ModelHome { replicas, servers, shared };

/// The home of a run's model, and its size.
struct ModelLayout {
  ModelHome home = ModelHome::replicas;
  int workers = 1, servers = 0;
  /// Of the workers the last ones, whose replicas are not counted in the model (Byzantine).
  int liars = 0;
  /// For as many groups of workers: the model's home, or beside their replicas.
  int shared_models = 0;
  std::optional<FixedPoint> shared_format{};  // of home shared; empty: floats
  Scalar scalar = Scalar::float32;
  std::size_t dimension = 0;
  /// The part of the model that each worker's replica is; empty: all of it. Every parameter is held
  /// by as many workers.
  std::vector<Holding> holdings{};

  Holding held_by(int worker) const {
    if (holdings.empty()) return {0, dimension};
    return holdings[static_cast<std::size_t>(worker)];
  }
  /// How many parameters these are.
  std::size_t count_of(int worker) const {
    return holdings.empty() ? dimension : holdings[static_cast<std::size_t>(worker)].count();
  }
  /// The place where worker w's replica begins when all of them lie one behind the other, and with
  /// `workers` for w the end of the last one. 0 unless replicas are the model's home.
  std::size_t place_of(int worker) const;
  /// How many workers hold each parameter. REQUIRES: home replicas or servers.
  int copies() const;
};

/// A rank's name for what it keeps, and the values.
struct KeptVector {
  std::string_view name;
  ConstVector values;
};

class Archive;  // data/archive.hpp

/// As what a kept vector begins: so many zeros, of the run's precision unless another is said; or
/// these values.
struct Beginning {
  // NOLINTBEGIN(google-explicit-constructor): a length or a vector says it.
  Beginning(std::size_t zeros) : length(zeros) {}
  Beginning(ConstVector initial) : values(initial), length(initial.size()) {}
  Beginning(Vector initial) : Beginning(ConstVector(initial)) {}
  // NOLINTEND(google-explicit-constructor)
  ConstVector values{};
  std::size_t length;
};

class RunState {
 public:
  /// `shared_memory`: as SharedModels takes it.
  explicit RunState(const ModelLayout& layout,
                    std::vector<std::span<std::byte>> shared_memory = {});

  const ModelLayout& layout() const { return layout_; }

  /// Numbers that this rank calls by that name: as they begin when it first asks for them, in
  /// memory that it touches first, and the same ones whenever it asks again, in a later leg, too.
  /// Throws InternalError if it has asked for another length or precision.
  Vector keep(int rank, std::string_view name, const Beginning& begins,
              std::optional<Scalar> precision = {});
  /// A worker's replica or a server's shard, kept under that name, which begins as `initial`.
  Vector keep_model(int rank, ConstVector initial);
  /// So many whole numbers that this rank calls by that name: 0 when it first asks for them, and
  /// the same ones whenever it asks again. Throws InternalError if it has asked for another length.
  std::span<std::uint64_t> counts(int rank, std::string_view name, std::size_t length);
  std::uint64_t& count(int rank, std::string_view name) { return counts(rank, name, 1).front(); }
  /// The same of a stream of random numbers, which begins as `fresh`.
  RandomStream& stream(int rank, std::string_view name, const RandomStream& fresh);

  /// The vectors that the rank keeps, in the order of names.
  std::vector<KeptVector> kept_by(int rank) const;
  /// For homes `replicas` and `servers`; empty where keep_model() was not called.
  ConstVector replica(int worker) const { return of(worker).model; }
  ConstVector shard(int server) const { return of(layout_.workers + server).model; }
  /// As the worker's group begins with it: `initial`, or what the leg before has left.
  ConstVector first_shared(int worker, ConstVector initial) const {
    if (shared_models_.empty()) return initial;
    return shared_models_[static_cast<std::size_t>(shared_->group_of(worker))].view();
  }
  /// nullptr where there are none.
  SharedModels* shared() { return shared_ ? &*shared_ : nullptr; }

  /// All ranks are on one thread, and record into one histogram: each of 10,000 workers would grow
  /// one as long as there are workers, 800 MB together. REQUIRES: nothing has been recorded.
  void share_staleness() { staleness_.resize(1); }
  /// Rank `rank` records into it.
  Staleness& staleness_of(int rank) {
    return staleness_[staleness_.size() == 1 ? 0 : static_cast<std::size_t>(rank)];
  }
  /// The staleness of all ranks together.
  Staleness staleness() const;

  /// A rank found what the reader of the run's results should know; a sentence, for the run's end.
  void remark(int rank, std::string text) { of(rank).remarks.push_back(std::move(text)); }
  /// The remarks of all ranks, in the order of the ranks.
  std::vector<std::string> remarks() const;

  /// For the names of the rank's coders: so many has its program made in this leg before.
  std::size_t next_coder(int rank) { return of(rank).coders++; }
  /// A leg has ended, or another one begins. REQUIRES: no rank runs.
  void end_leg();
  void begin_leg();
  /// All of it goes into the archive or comes from it. REQUIRES: no rank runs.
  void exchange(Archive& archive);

  /// The members of the run have changed: rank r of this state was rank was[r] of `former`, or is a
  /// worker that joins (joins). That one has the model and the optimizer of worker `donor` of
  /// `former`, and what is named in `alike`; what each had of its own begins anew with it. All
  /// begin a pass over their rows, which are others now. Returns the bytes that the joining worker
  /// fetches. REQUIRES: this one is new, its layout that of the former one but for the number of
  /// workers; no models are shared; no rank runs.
  std::size_t inherit(RunState& former, const std::vector<int>& was, int donor,
                      const std::set<std::string>& alike);
  /// The names of vectors, and of streams behind "stream ", that all workers hold alike.
  /// REQUIRES: there are several.
  std::set<std::string> held_alike() const;
  static constexpr int joins = -1;
  /// Minibatches that the model has learnt from beside those of the steps of present workers.
  /// Modulo 2^64: who joins is said to have done steps that others have.
  std::uint64_t minibatches_of_others() const;

  /// A worker will do nothing more in this run, and its replica is no part of the model. REQUIRES:
  /// ranks share a thread, or none runs.
  void lose(int worker) { of(worker).lost = true; }
  bool is_lost(int worker) const { return of(worker).lost; }

  /// The totals of the rank's coding.
  CodingAccount& coding_of(int rank) { return of(rank).coding; }
  const CodingAccount& coding_of(int rank) const { return of(rank).coding; }

  /// `virtual`: how long the rank has waited for lines of shared models (shared_lines.hpp), a part
  /// of its computing.
  Duration& lines_time_of(int rank) { return of(rank).lines_time; }
  Duration lines_time_of(int rank) const { return of(rank).lines_time; }

 private:
  /// On lines of its own: ranks set theirs up at the same time.
  struct alignas(64) OfRank {
    std::map<std::string, VectorBuffer, std::less<>> kept;
    std::map<std::string, std::vector<std::uint64_t>, std::less<>> counts;
    std::map<std::string, RandomStream, std::less<>> streams;
    Vector model;  // one of the kept
    bool lost = false;
    std::size_t coders = 0;
    CodingAccount coding;
    Duration lines_time{0};
    std::vector<std::string> remarks;
  };
  std::uint64_t minibatches_learnt() const;
  OfRank as_joining(int donor, const std::set<std::string>& alike, std::size_t& fetched) const;
  OfRank& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const OfRank& of(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

  const ModelLayout layout_;
  std::vector<OfRank> ranks_;  // the workers, then the servers
  std::optional<SharedModels> shared_;
  std::vector<VectorBuffer> shared_models_;  // of each group, as a later leg begins with them
  std::vector<Staleness> staleness_;
};

}  // namespace trainyard
