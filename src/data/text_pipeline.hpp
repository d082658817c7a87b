// Text files are read by three stages that run at the same time: one thread reads (and
// decompresses) blocks of lines, any number parse them, and the parsed rows are appended in the
// file's order. So the result, and what is said of bad lines, do not depend on how many cores there
// are.
#pragma once

#include <memory>
#include <string_view>

#include "trainyard/base/function_ref.hpp"

#include "data/dataset_builder.hpp"
#include "data/parsed_block.hpp"
#include "data/text_blocks.hpp"

namespace trainyard {

/// Whether reading goes on after the first fault, so that all faults of the file are known, or
/// ends, as where the file will be read in another way.
enum class OnFault { read_on, end };

/// `parse` is called from many threads, for different blocks. Where a block had a fault, the
/// builder has it. Throws DataError when the file cannot be read to its end: for the faults before
/// that place, if there are any.
void parse_text(TextBlocks& blocks, FunctionRef<void(std::string_view, ParsedBlock&)> parse,
                DatasetBuilder& builder, OnFault on_fault = OnFault::read_on);

}  // namespace trainyard
