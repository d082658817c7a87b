// The weights of the rows of a data set that has been read.
//
// Threads: any; the calling thread does the work.
#pragma once

#include "trainyard/data/catalog.hpp"

namespace trainyard {

/// Once it is settled which rows are for training: multiplies their weights by those of their
/// classes, divides them by their mean, and says so in a remark.
void settle_weights(const DatasetRequest& request, LoadedData& loaded);

}  // namespace trainyard
