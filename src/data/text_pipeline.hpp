// Text files are read by three stages that run at the same time: one thread reads (and
// decompresses) blocks of lines, any number parse them, and the parsed rows are appended in the
// file's order. So the result, and which of several bad lines is reported, do not depend on how
// many cores there are.
#pragma once

#include <memory>
#include <string_view>

#include "trainyard/base/function_ref.hpp"

#include "data/dataset_builder.hpp"
#include "data/parsed_block.hpp"
#include "data/text_blocks.hpp"

namespace trainyard {

/// `parse` is called from many threads, for different blocks. Throws DataError for the first fault
/// in the file's order.
void parse_text(TextBlocks& blocks, FunctionRef<void(std::string_view, ParsedBlock&)> parse,
                DatasetBuilder& builder);

}  // namespace trainyard
