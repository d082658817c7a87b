// What a reader of one's own returns (add_reader.hpp), as if a reader of ours had read it.
#pragma once

#include <string>

#include "trainyard/data/add_reader.hpp"
#include "trainyard/data/read.hpp"

namespace trainyard {

/// Throws DataError, naming `name`, for rows that are not as FileRows says or do not suit the
/// options.
CodedDataset coded_rows(const std::string& name, const FileRows& rows, const ReadOptions& options);

}  // namespace trainyard
