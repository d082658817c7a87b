// Collectives that are no all-reduce (primitives.hpp, Communicator::barrier()) as rows of a table:
// what `netcheck` times beside the ways of an all-reduce.
//
// Threads: any; the table is built at the first call and never changes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/network/network.hpp"
#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

struct Primitive {
  std::string name;     // as typed after netcheck --collectives
  std::string summary;  // who sends what to whom
  std::string time;     // its closed form, as text
  std::string source;
  /// A worker's part: called by all workers at the same point, with equal lengths.
  void (*run)(Communicator& comm, Vector vector) = nullptr;
  /// From lock-step over circuit ports until the last worker is done, for vectors of `length`
  /// numbers: exact, uneven parts included.
  Duration (*duration)(int workers, std::size_t length, MessageTime message) = nullptr;
  /// Its messages carry no bytes, and are free unless control traffic is charged.
  bool control = false;
};

/// The visible table.
const std::vector<Primitive>& primitives();
/// nullptr: there is none.
const Primitive* find_primitive(std::string_view name);

}  // namespace trainyard
