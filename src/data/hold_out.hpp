// Rows that are taken out of the training rows: to be tested, or looked at while the others train.
//
// Threads: any; the calling thread does the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trainyard/data/catalog.hpp"
#include "trainyard/data/dataset.hpp"

namespace trainyard {

/// Row i, from 0, with i mod 5 = 4.
std::vector<std::uint32_t> every_fifth_row(std::size_t rows);

/// round(fraction · rows) rows, ascending, drawn by the seed: of each class so many as come nearest
/// to that fraction of it, one at least of a class that has two if there is room for all, and never
/// all (stratified; else the counts of scikit-learn's train_test_split(stratify=y), but for ties).
/// Of real labels any rows. REQUIRES: 0 < fraction < 1.
std::vector<std::uint32_t> stratified_rows(const Dataset& data, double fraction,
                                           std::uint64_t seed);

/// These rows, ascending, which `data` then no longer has.
Dataset take_out(Dataset& data, const std::vector<std::uint32_t>& rows);

/// Whether the request names a file of test rows, or of validation rows.
bool is_test_file(const DatasetRequest& request);
bool is_validation_file(const DatasetRequest& request);
/// The file of test rows. Throws OptionError for a number that is no file's name, as it may have
/// been meant for a fraction.
const std::string& test_file(const DatasetRequest& request);
/// That of validation rows. Throws OptionError where there is none, as the text may have been meant
/// for a fraction.
const std::string& validation_file(const DatasetRequest& request);

/// Takes test rows, and then validation rows, out of the training rows, where that is asked for.
/// Adds a remark where two of the files are one.
void hold_out(const DatasetRequest& request, LoadedData& loaded);

}  // namespace trainyard
