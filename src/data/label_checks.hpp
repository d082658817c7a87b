// Labels of which an expert would ask whether they are any.
//
// Threads: any; a function of its arguments.
#pragma once

#include <string>
#include <vector>

#include "trainyard/data/read.hpp"

namespace trainyard {

/// Of a training file `file`, before rows are taken out for testing. Throws DataError where all
/// rows are of one class, or each of ten rows and more has a class of its own, as numbers of rows
/// do. Adds a warning to `remarks` where classes have less than two rows on average, and a
/// note where a table's whole numbers are more than 20 classes of a column that nobody named.
void check_training_labels(const std::string& file, const CodedDataset& train, bool column_named,
                           std::vector<std::string>& remarks);

}  // namespace trainyard
