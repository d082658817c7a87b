#include "trainyard/configuration/labs.hpp"

#include <algorithm>
#include <string>

#include "trainyard/base/error.hpp"
#include "trainyard/base/named_table.hpp"

#include "configuration/lab_texts.hpp"
#include "configuration/page_part.hpp"
#include "configuration/toml_nodes.hpp"

namespace trainyard {

namespace {

constexpr std::string_view lab_prefix = "lab:";

Lab lab_of(const LabText& lab) {
  const std::string name(lab.name);
  const toml::table root = parsed_toml(lab.text, "lab:" + name);
  const toml::node* page = root.get(page_key);
  require(page != nullptr, "a lab has a part [page]");
  return {.name = name, .text = lab.text, .page = read_page(*page, "lab:" + name)};
}

}  // namespace

const std::vector<Lab>& labs() {
  static const std::vector<Lab> all = [] {
    std::vector<Lab> made;
    for (const LabText& lab : lab_texts()) made.push_back(lab_of(lab));
    std::ranges::sort(made, {}, [](const Lab& lab) { return lab.page.number; });
    return made;
  }();
  return all;
}

std::string_view lab_name(std::string_view name) {
  return name.starts_with(lab_prefix) ? name.substr(lab_prefix.size()) : name;
}

std::optional<std::string_view> lab_text(std::string_view configuration) {
  if (!configuration.starts_with(lab_prefix)) return std::nullopt;
  return find_named(labs(), lab_name(configuration), "lab").text;
}

}  // namespace trainyard
