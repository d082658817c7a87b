// Rows that a front end has in memory, in place of a file's.
//
//   RowsInMemory rows{.name = "arrays"};
//   rows.train.data.dense = AlignedBuffer<float>::view_of(values);  // theirs; nothing is copied
//   const LoadedData data = load_rows(std::move(rows), dataset_request(configuration));
//
// Threads: any; the calling thread does the work.
#pragma once

#include <string>

#include "trainyard/data/catalog.hpp"
#include "trainyard/data/dataset.hpp"
#include "trainyard/data/read.hpp"

namespace trainyard {

/// As if files had been read: whole, finite, and of the training rows' features and classes.
struct RowsInMemory {
  std::string name;  // the request's data set
  CodedDataset train;
  Dataset test{}, validation{};  // rows == 0: there are none
};

/// What load_dataset() makes of a file's rows: rows taken out for testing and validation, scaled,
/// weighted, with an intercept, as the request asks for it. Rows are copied only where one of these
/// changes them, so that a view stays one. Throws OptionError where the request names files of
/// rows or of a model to start from, or rows for testing or validation that are there already.
LoadedData load_rows(RowsInMemory rows, const DatasetRequest& request);

}  // namespace trainyard
