// Bounds on the cost of one question of the lab. Each bound is far above what a page asks and far
// below what would keep a small machine from answering the others; who needs more has `compare`.
#pragma once

#include <cstddef>

namespace trainyard {

/// Curves and timelines of more workers cannot be told apart on a page.
inline constexpr int most_lab_workers = 64;
/// The number of colours that a chart has.
inline constexpr std::size_t most_lab_contestants = 12;
/// A band needs a few; more are minutes for the budget's two seconds.
inline constexpr int most_lab_seeds = 5;
/// 800 kB a replica: the built-in set has 10,000, an MLP of 64 inputs and 512 units 39,000.
inline constexpr std::size_t most_lab_parameters = 200'000;
/// Replicas, and a message to each worker from each other at once: 64 workers of 15,000 parameters,
/// or 16 of 200,000. Two questions at once and what schemes hold besides remain below a few GB.
inline constexpr double most_lab_bytes = 256.0 * (1U << 20U);
/// Points of a curve: more than a chart has pixels to draw, and each is a pass over the data.
inline constexpr double most_lab_evaluations = 400.0;
/// Rows × parameters of a minibatch: about 0.1 s of a core, between which an interrupt is noticed.
inline constexpr double most_lab_minibatch_work = 2e8;
/// The bound on an evaluation, which is given up half a second after an interrupt.
inline constexpr double most_lab_evaluation_work = 4e9;
/// Rows × features of an uploaded table, whose words are a feature each: 100 MB, twice that while
/// it is read, and below a GB for all that are kept. Numbers alone are 4 million in the largest
/// upload.
inline constexpr std::size_t most_lab_table_numbers = 25'000'000;
/// Bytes of one option's text; the longest sensible one lists a straggler of each worker.
inline constexpr std::size_t most_option_text = 600;
/// Bytes of the texts of all contestants.
inline constexpr std::size_t most_schemes_text = 4000;
/// Bytes of the name of a client.
inline constexpr std::size_t most_client_text = 64;

}  // namespace trainyard
