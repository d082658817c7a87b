// Byzantine workers: what liars send in place of what they computed. They know everything, and
// agree (the omniscient adversary of Baruch, Baruch & Goldberg, NeurIPS 2019): a lie is made where
// vectors are combined, of the honest ones that have come. What went over the network in a liar's
// name was as long.
//
//   const Byzantine byzantine = make_byzantine("2:alie:1.5", 10);
//   byzantine.attack->lie(honest, nullptr, lies, random);
//
// Each attack is a row of attacks() and a few lines of src/aggregation/attacks.cpp. The liars are
// the last workers.
//
// Threads: an attack is constant, and used by all ranks at once.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/aggregation/aggregator.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/base/vector.hpp"

namespace trainyard {

/// Who listens, over a graph: one honest worker i, that weighs what it hears.
struct Audience {
  ConstVector own{};                         // x_i
  std::span<const double> honest_weights{};  // W_ij of each honest vector; any of its own
  double liars_weight = 0.0;                 // Σ W_ij over the liars among its neighbours
};

class Attack {
 public:
  virtual ~Attack() = default;

  /// Whether liars compute honestly, on rows whose label y is C − 1 − y (−y where it is a number):
  /// then lie() is not called.
  virtual bool flips_labels() const { return false; }
  /// Whether it needs an audience: it is for graphs alone.
  virtual bool of_graphs() const { return false; }
  /// The least number of honest vectors that it needs.
  virtual int least_honest() const { return 1; }

  /// lies ← what the liars send. On entry they are what they would have sent if they were honest.
  /// `audience`: nullptr where everybody hears the same. REQUIRES: honest vectors are finite,
  /// least_honest() of them at least; an audience where it is of_graphs(); a lie at least.
  virtual void lie(ConstVectors honest, const Audience* audience, Vectors lies,
                   RandomStream& random) const = 0;
};

/// One attack, for `list attacks`.
struct AttackInfo {
  std::string name;        // "alie"
  std::string argument{};  // as of AggregationInfo
  std::string fallback{};
  std::string summary;
  std::string source;
  /// Of so many workers, so many of which lie; 0 workers: only the argument is checked. Throws
  /// UsageError, without naming the attack.
  std::shared_ptr<const Attack> (*make)(std::string_view argument, int workers,
                                        int liars) = nullptr;

  std::string typed() const;
};

/// The visible table.
const std::vector<AttackInfo>& attacks();

/// The liars of a run: the last `liars` of its workers.
struct Byzantine {
  int liars = 0;                           // 0: all are honest,
  std::shared_ptr<const Attack> attack{};  // and this is nullptr

  bool is_liar(int worker, int workers) const { return worker >= workers - liars; }
};

/// Throws UsageError for what is neither "none" nor F:ATTACK with F ≥ 1 and a known attack, saying
/// what is accepted.
void check_byzantine(std::string_view text);
/// What is typed after --byzantine: "none", "2:sign-flip", "2:alie:1.5". Throws UsageError as
/// check_byzantine(), where half of the workers lie or more, and where an attack has no
/// use with so many.
Byzantine make_byzantine(std::string_view text, int workers);

}  // namespace trainyard
