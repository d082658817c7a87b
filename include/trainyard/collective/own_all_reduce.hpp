// Further rows of the table of all-reduces, of a program that brings them: what its network, or its
// library of messages, does by itself.
//
// Threads: rows are added as main() begins, by one; who asks afterwards may be any.
#pragma once

#include <string_view>

#include "trainyard/collective/all_reduce.hpp"

namespace trainyard {

/// Whom a way speaks to: all workers of a run alone, or a group of them too (runtime/group.hpp), as
/// whatever is written over a Communicator does.
enum class SpeaksTo { groups, all_workers };

/// Called before anything reads the table: references into it are handed out. Throws UsageError
/// when it comes too late.
void add_all_reduce(AllReduce way, SpeaksTo whom);

/// Whether it is one of those that are there without a program's own.
bool is_published(const AllReduce& way);

/// The ranks that the way with that name speaks to.
SpeaksTo speaks_to(std::string_view name);

}  // namespace trainyard
