#include "docs/pages.hpp"

#include <algorithm>

#include "data/files.hpp"
#include "labs/documented.hpp"

namespace trainyard {

namespace fs = std::filesystem;

std::vector<fs::path> pages() {
  const fs::path root = documented::root();
  std::vector<fs::path> all{root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::string text_of_page(const fs::path& page) {
  return read_file(page);
}

std::vector<std::string> prose_of_page(const fs::path& page) {
  std::vector<std::string> prose;
  bool fenced = false;
  for (const std::string& line : documented::lines_of_file(page)) {
    if (line.starts_with("```")) {
      fenced = !fenced;
    } else if (!fenced) {
      prose.push_back(line);
    }
  }
  return prose;
}

}  // namespace trainyard
