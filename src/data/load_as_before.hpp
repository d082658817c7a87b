// Rows for a model that has been trained already: made by what made those it was trained on, so
// that words, means and classes stand for the same.
//
// Threads: any; reading a file uses all cores.
#pragma once

#include <memory>

#include "trainyard/data/catalog.hpp"

namespace trainyard {

/// load_dataset() of a request with a start, for all but split files. Throws DataError where the
/// rows have other features or classes than the model; a class that it does not know is refused by
/// name, with its place.
LoadedData load_as_before(const DatasetRequest& request,
                          std::shared_ptr<const StartingModel> start);

/// Throws DataError where these rows were not made by the model's preparation.
void check_made_as_before(const StartingModel& start, const LoadedData& loaded);

}  // namespace trainyard
