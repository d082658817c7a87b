#pragma once

#include <string>

#include "data/files.hpp"

namespace trainyard {

/// The path of a table of one link: options check such a file when it is named.
inline std::string links_file() {
  static const TemporaryFolder folder;
  return folder.write("links.csv", "0,1,1ms,1Gbps\n").string();
}

}  // namespace trainyard
