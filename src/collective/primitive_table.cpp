#include "trainyard/collective/primitive_table.hpp"

#include <algorithm>
#include <bit>

#include "trainyard/collective/primitives.hpp"

namespace trainyard {

namespace {

int log2_up(int n) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(n - 1)));
}

Duration tree_time(int n, std::size_t length, MessageTime message) {
  return log2_up(n) * message(length);
}

/// All of a round wait for the largest part.
Duration ring_time(int n, std::size_t length, MessageTime message) {
  const auto parts = static_cast<std::size_t>(n);
  return (n - 1) * message((length + parts - 1) / parts);
}

Duration barrier_time(int n, std::size_t /*length*/, MessageTime message) {
  return log2_up(n) * message(0);
}

void meet(Communicator& comm, Vector /*vector*/) {
  comm.barrier();
}

}  // namespace

const std::vector<Primitive>& primitives() {
  static const std::vector<Primitive> table{
      {"broadcast", "worker 0's vector to all, down a binomial tree", "⌈log2 n⌉(α + t)",
       "catalogue 3", broadcast, tree_time},
      {"reduce", "the sum over workers to worker 0, up a binomial tree", "⌈log2 n⌉(α + t)",
       "catalogue 3", reduce_sum, tree_time},
      {"reduce-scatter", "to each worker its part of the sum, around the ring", "(n-1)(α + t/n)",
       "catalogue 3", reduce_scatter_sum, ring_time},
      {"all-gather", "each worker's part to all, around the ring", "(n-1)(α + t/n)", "catalogue 3",
       all_gather, ring_time},
      {"barrier", "nobody leaves before all have come: each tells the one 1, 2, 4, … further on",
       "⌈log2 n⌉α, where control traffic is charged", "Hensgen, Finkel & Manber 1988", meet,
       barrier_time, true}};
  return table;
}

const Primitive* find_primitive(std::string_view name) {
  const auto found = std::ranges::find(primitives(), name, &Primitive::name);
  return found == primitives().end() ? nullptr : &*found;
}

}  // namespace trainyard
