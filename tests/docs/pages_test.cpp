// The documentation holds together: links lead somewhere, the README is short and says what is
// there, listings are the files that they are of.
#include "docs/pages.hpp"

#include <cctype>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "trainyard/scheme/scheme.hpp"

#include "labs/documented.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;
using documented::root;

struct PageLink {
  std::string file, heading;  // of "file#heading"; either may be empty
};

std::vector<PageLink> links_in(const std::vector<std::string>& lines) {
  static const std::regex link(R"(\]\(([^)\s#]*)(?:#([^)\s]+))?\))");
  std::vector<PageLink> links;
  for (const std::string& line : lines) {
    for (std::sregex_iterator at(line.begin(), line.end(), link), end; at != end; ++at) {
      const std::string target = (*at)[1];
      if (target.find("://") == std::string::npos) links.push_back({target, (*at)[2]});
    }
  }
  return links;
}

/// As GitHub makes one of a heading: lower case, blanks to hyphens, no punctuation.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') {
      anchor += '-';
    } else if (byte >= 0x80 || std::isalnum(byte) != 0 || c == '-' || c == '_') {
      anchor += static_cast<char>(std::tolower(byte));
    }
  }
  return anchor;
}

std::set<std::string> anchors_of(const std::vector<std::string>& lines) {
  static const std::regex heading("#+ (.*)");
  std::set<std::string> anchors;
  for (const std::string& line : lines) {
    std::smatch found;
    if (std::regex_match(line, found, heading)) anchors.insert(anchor_of(found[1]));
  }
  return anchors;
}

/// Links of `page` that lead nowhere.
std::vector<std::string> broken_links(const fs::path& page) {
  std::vector<std::string> broken;
  for (const PageLink& link : links_in(prose_of_page(page))) {
    const fs::path target = link.file.empty() ? page : page.parent_path() / link.file;
    if (!fs::exists(target)) {
      broken.push_back(link.file);
    } else if (!link.heading.empty() && !anchors_of(prose_of_page(target)).contains(link.heading)) {
      broken.push_back(link.file + "#" + link.heading);
    }
  }
  return broken;
}

std::size_t count_words(const std::string& text) {
  std::istringstream words(text);
  return static_cast<std::size_t>(std::distance(std::istream_iterator<std::string>(words), {}));
}

/// "decentralised: neighbours" of `list schemes`, without what follows the colon.
std::string short_family(const Scheme& scheme) {
  static const std::map<SchemeFamily, std::string> names{
      {SchemeFamily::synchronous, "synchronous"},
      {SchemeFamily::asynchronous, "asynchronous"},
      {SchemeFamily::bounded, "bounded"},
      {SchemeFamily::local_updates, "local updates"},
      {SchemeFamily::shared_memory, "shared memory"},
      {SchemeFamily::decentralised, "decentralised"}};
  return names.at(scheme.family);
}

}  // namespace

TEST_CASE("every link of the documentation leads to a file and to a heading of it", "[docs]") {
  std::size_t links = 0;
  for (const fs::path& page : pages()) {
    CAPTURE(page);
    CHECK(broken_links(page) == std::vector<std::string>{});
    links += links_in(prose_of_page(page)).size();
  }
  CHECK(links > 200);
}

TEST_CASE("a link that leads nowhere is found", "[docs]") {
  CHECK(anchor_of("In `wall`: what's kept, 1.5 ×") == "in-wall-whats-kept-15-×");
  const auto links = links_in({"see [a](b.md#c), ![d](e.png) and [f](https://g.h/i#j), [k](#l)"});
  REQUIRE(links.size() == 3);
  CHECK(links[0].file == "b.md");
  CHECK(links[0].heading == "c");
  CHECK(links[2].file.empty());
  CHECK(anchors_of({"## One two", "text"}) == std::set<std::string>{"one-two"});
}

TEST_CASE("every page is in the map of the documentation, or in a list that is", "[docs]") {
  std::set<fs::path> linked;
  for (const char* list : {"README.md", "labs/README.md", "schemes/README.md"}) {
    const fs::path page = root() / "docs" / list;
    for (const PageLink& link : links_in(prose_of_page(page))) {
      linked.insert((page.parent_path() / link.file).lexically_normal());
    }
  }
  for (const fs::path& page : pages()) {
    CAPTURE(page);
    const bool is_map = page == root() / "docs" / "README.md";
    CHECK((is_map || page.filename() == "CHANGELOG.md" || linked.contains(page)));
  }
}

TEST_CASE("the README is short", "[docs]") {
  CHECK(count_words(" one\n two  three\n") == 3);
  CHECK(count_words(text_of_page(root() / "README.md")) <= 1500);
}

TEST_CASE("the README names schemes in the families that they have", "[docs]") {
  const std::string readme = text_of_page(root() / "README.md");
  CHECK_THAT(readme, ContainsSubstring("more than a hundred published"));
  CHECK(schemes().size() > 100);
  static const std::regex name("`([^`]*)`");
  std::set<std::string> families;
  for (const std::string& line : prose_of_page(root() / "README.md")) {
    for (const Scheme& scheme : schemes()) {
      if (line.starts_with("| " + short_family(scheme))) families.insert(short_family(scheme));
    }
    if (families.empty() || !line.starts_with("| ")) continue;
    for (std::sregex_iterator at(line.begin(), line.end(), name), end; at != end; ++at) {
      CAPTURE(line);
      CHECK(line.starts_with("| " + short_family(find_scheme((*at)[1].str()))));
    }
  }
  CHECK(families.size() == 6);
}

TEST_CASE("listings are the text of the files that they name", "[docs]") {
  static const std::regex mark("<!-- listing: (\\S+) -->\n```\\w*\n");
  std::set<std::string> listed;
  for (const fs::path& page : pages()) {
    const std::string text = text_of_page(page);
    for (std::sregex_iterator at(text.begin(), text.end(), mark), end; at != end; ++at) {
      const std::string file = (*at)[1];
      CAPTURE(page, file);
      const std::string code = text_of_page(root() / file) + "```\n";
      const auto from = static_cast<std::size_t>(at->position() + at->length());
      CHECK(text.substr(from, code.size()) == code);
      listed.insert(file);
    }
  }
  CHECK(listed.contains("src/scheme/ring.cpp"));
  CHECK(listed.contains("examples/own_scheme/own_scheme.cpp"));
}

}  // namespace trainyard
