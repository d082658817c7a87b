// Values of the options of data, for tests of the table of options.
#pragma once

#include <map>
#include <string>

namespace trainyard {

/// A value of each option of data that is not its default: where rows come from, how they are read,
/// and who has which.
inline const std::map<std::string, std::string>& other_values_of_data() {
  static const std::map<std::string, std::string> values{{"dataset", "a \"quoted\"\tname\\.csv"},
                                                         {"test", "every-fifth"},
                                                         {"validation", "0.25"},
                                                         {"data-format", "csv"},
                                                         {"data-dir", "../données"},
                                                         {"data-seed", "7"},
                                                         {"labels", "y.npy"},
                                                         {"test-labels", "y_test.npy"},
                                                         {"header", "yes"},
                                                         {"label-column", "class"},
                                                         {"columns", "age,3,-1"},
                                                         {"drop-columns", "id,name"},
                                                         {"missing", "mean"},
                                                         {"missing-words", "-999,\\N"},
                                                         {"categorical", "zip"},
                                                         {"numeric", "price"},
                                                         {"date", "when"},
                                                         {"hash", "2^18"},
                                                         {"delimiter", ";"},
                                                         {"decimal", ","},
                                                         {"first-index", "0"},
                                                         {"scale-columns", "age"},
                                                         {"scale", "unit-rows"},
                                                         {"intercept", "true"},
                                                         {"weight-column", "weight"},
                                                         {"class-weight", "yes:5"},
                                                         {"partition", "dirichlet:0.3"},
                                                         {"weights", "rows"},
                                                         {"order", "once"},
                                                         {"deal", "pass"},
                                                         {"replacement", "true"},
                                                         {"data-source", "server"}};
  return values;
}

}  // namespace trainyard
