// Where the tests find real data: two small sets are part of the repository; large ones may lie
// beside a development checkout.
#pragma once

#include <filesystem>
#include <string>

namespace trainyard::test {

/// tests/data_sets, laid out like a data directory. Always there.
std::filesystem::path small_sets();

/// The directory of real data sets beside a development checkout, for a test of `set`. Where it
/// does not hold that set: empty, with a visible warning that names it. The one way to skip.
std::filesystem::path large_sets_with(const std::string& set);

/// The small files beside a development checkout of which each stands for a kind that is easily
/// read wrongly. Where they are not there: empty, with a visible warning.
std::filesystem::path small_inputs();

}  // namespace trainyard::test
