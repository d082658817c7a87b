// What `reproduce` prints: published results, and ours beside them.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>
#include <vector>

#include "trainyard/study/reproduction.hpp"

namespace trainyard {

std::string published_list_text(const std::vector<PublishedResult>& results);
std::string published_list_json(const std::vector<PublishedResult>& results);

std::string reproductions_text(const std::vector<Reproduction>& all);
std::string reproductions_json(const std::vector<Reproduction>& all);

}  // namespace trainyard
