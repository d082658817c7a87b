// Robust aggregation: what a receiver takes for the mean of n vectors when up to f of them may be
// lies (Byzantine workers: Lamport, Shostak & Pease 1982; of gradients, Blanchard et al., NIPS
// 2017). The mean itself is moved anywhere by a single one.
//
//   const Aggregator robust = make_aggregator("nnm:2+trimmed-mean:2", 10);
//   robust.combine(vectors, scratch, result);
//
// What is typed is a chain of steps, each done to what the one before it left: those that make
// other vectors of the vectors (bucketing, mixing, clipping), and at the end a rule that makes one
// of them. Each step is one file of src/aggregation, which opens with the rule, its source and its
// bound; one row of aggregations(); one entry of the tests' table. Each says in its argument what
// it is told of f, which may be more or fewer than there are liars. Ties go to the lowest number.
//
// Threads: an aggregator is constant, and used by all ranks at once. Scratch is the caller's.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/base/vector.hpp"

namespace trainyard {

/// Of one length and one precision.
using ConstVectors = std::span<const ConstVector>;
using Vectors = std::span<const Vector>;

/// Memory of one receiver for combine(), and the stream that bucketing draws from. Grows on first
/// use and is kept: then nothing is allocated. Servers that share a model's coordinates begin from
/// the same stream where they are to do what one would.
struct AggregatorScratch {
  explicit AggregatorScratch(RandomStream stream) : random(stream) {}

  RandomStream random;
  std::vector<double> numbers, more_numbers, row;
  std::vector<std::uint32_t> order, picked;
  std::vector<ConstVector> finite;      // those of the vectors that are
  struct Made {                         // by a step that is not the last
    std::vector<VectorBuffer> buffers;  // one for each vector
    std::vector<Vector> written;
    std::vector<ConstVector> read;
  };
  std::vector<Made> made;  // by each of these steps
};

/// One step of a chain.
class AggregationStep {
 public:
  virtual ~AggregationStep() = default;

  /// Whether it makes one vector of any number, and so ends a chain.
  virtual bool is_rule() const { return true; }
  /// How many vectors it makes of n; 1 of a rule, and of others, too, as of bucketing with S ≥ n.
  virtual int results(int /*n*/) const { return 1; }
  /// The least n for which its guarantee holds.
  virtual int least() const = 0;
  /// The greatest n that it takes, of a step whose work grows out of hand.
  virtual int most() const { return std::numeric_limits<int>::max(); }
  virtual bool is_mean() const { return false; }
  /// Whether a coordinate of what it makes depends on that coordinate alone, so that the servers of
  /// a model's shards do together what one would do.
  virtual bool by_coordinate() const { return false; }
  /// Whether it begins from its last result.
  virtual bool carries() const { return false; }
  /// Multiply-adds, comparisons and the like of n vectors, for each of their coordinates: a round
  /// figure for the time that it takes.
  virtual double operations(int n) const = 0;

  /// out ← what it makes of `in`, results(in.size()) vectors. `found`: so many liars have been
  /// found out already and are not in `in`, so that it goes on with f less by as many, at least 0.
  /// With carries(), out.front() holds its last result, 0 at first. REQUIRES: `in` is finite and at
  /// least as many as least() less twice `found`, one at least; no vector of `out` is one of `in`.
  virtual void apply(ConstVectors in, int found, Vectors out, AggregatorScratch& scratch) const = 0;
};

/// A chain: any number of steps that make several vectors, and a rule.
class Aggregator {
 public:
  /// REQUIRES: the last one is a rule, and it alone.
  Aggregator(std::vector<std::shared_ptr<const AggregationStep>> steps, int vectors);

  /// The number of vectors that it was made for.
  int vectors() const { return vectors_; }
  /// It is the mean, with nothing before it.
  bool is_mean() const;
  bool by_coordinate() const;
  bool carries() const;
  /// How long it takes for each coordinate where nobody measured it: operations() of its steps, at
  /// a round figure for one of them that is the same on every machine.
  Duration usual_time() const;

  /// result ← what the chain makes of the vectors. Unless it is the mean, vectors with a NaN or an
  /// infinity are left out first: who sends such a thing has given itself away as one of the f
  /// liars. Returns how many these were; the steps go on with as many fewer, and with F less by as
  /// many. Where none is left for a step, the result is NaN. With carries(), `result` holds the
  /// last one, 0 at first. REQUIRES: vectors() of them, none of which is `result`.
  int combine(ConstVectors vectors, AggregatorScratch& scratch, Vector result) const;

 private:
  std::vector<std::shared_ptr<const AggregationStep>> steps_;
  int vectors_;
};

/// One step, for `list aggregates`.
struct AggregationInfo {
  std::string name;        // "krum"
  std::string argument{};  // how what follows "name:" is written: "F", "NU:T"; empty: nothing may
  std::string fallback{};  // what stands for the name alone; empty: the argument is needed
  std::string summary;     // one line: the rule
  std::string bound;       // "n ≥ 2F + 3"
  std::string source;      // paper, section
  /// Throws UsageError, without naming the step, for an argument that it does not take.
  std::shared_ptr<const AggregationStep> (*make)(std::string_view argument) = nullptr;

  /// "centered-clip:TAU[:L] [10:1]"
  std::string typed() const;
};

/// The visible table, one row for each step: first those that go before a rule, then the rules.
const std::vector<AggregationInfo>& aggregations();

/// Throws UsageError for an unknown name, a wrong argument, or a chain that does not end with a
/// rule or has one before its end, saying what is accepted.
void check_aggregator(std::string_view text);
/// What is typed after --aggregate: "mean", "krum:1", "arc:2+nnm:2+trimmed-mean:2", of n vectors.
/// Throws UsageError as check_aggregator(), and where some step is given fewer vectors than its
/// bound asks for, or more than it takes, naming step, bound, and how many there are.
Aggregator make_aggregator(std::string_view text, int vectors);

}  // namespace trainyard
