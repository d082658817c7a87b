#include "trainyard/data/catalog.hpp"

#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "trainyard/base/error.hpp"

#include "data/catalog_text.hpp"

namespace trainyard {

namespace {

/// A broken catalogue is a broken installation, not the user's mistake: hence InternalError.
class CatalogReader {
 public:
  explicit CatalogReader(std::string file) : file_(std::move(file)) {}

  std::vector<CatalogEntry> read(const toml::table& document) const {
    std::vector<CatalogEntry> entries;
    const toml::array* sets = document["dataset"].as_array();
    if (sets == nullptr || sets->empty()) fail(document, "no [[dataset]]");
    for (const toml::node& node : *sets) entries.push_back(read_entry(table_of(node)));
    return entries;
  }

 private:
  [[noreturn]] void fail(const toml::node& node, const std::string& message) const {
    throw InternalError(fmt::format("{}:{}: {}", file_, node.source().begin.line, message));
  }

  const toml::table& table_of(const toml::node& node) const {
    const toml::table* table = node.as_table();
    if (table == nullptr) fail(node, "expected a table");
    return *table;
  }

  std::string text(const toml::table& table, std::string_view key) const {
    const auto value = table[key].value<std::string>();
    if (!value) fail(table, fmt::format("'{}' is missing or no text", key));
    return *value;
  }

  std::size_t count(const toml::table& table, std::string_view key) const {
    const auto value = table[key].value<std::int64_t>();
    if (!value || *value < 0) fail(table, fmt::format("'{}' is missing or no count", key));
    return static_cast<std::size_t>(*value);
  }

  std::vector<CatalogFile> files(const toml::table& table, std::string_view key) const {
    std::vector<CatalogFile> result;
    const toml::array* list = table[key].as_array();
    if (list == nullptr) return result;
    for (const toml::node& node : *list) {
      const toml::table& file = table_of(node);
      result.push_back({text(file, "path"), file["source"].value_or(std::string()),
                        file["sha256"].value_or(std::string()),
                        file["content_sha256"].value_or(std::string())});
    }
    return result;
  }

  CatalogEntry read_entry(const toml::table& table) const {
    CatalogEntry entry;
    entry.name = text(table, "name");
    entry.summary = text(table, "summary");
    entry.licence = text(table, "licence");
    entry.format = parse_format(text(table, "format"), file_);
    entry.rows = count(table, "rows");
    entry.test_rows = count(table, "test_rows");
    entry.features = count(table, "features");
    entry.classes = static_cast<int>(count(table, "classes"));
    // Written as a fraction, because 1/255 has no finite decimal.
    entry.scale = 1.0 / table["divide_by"].value_or(1.0);
    entry.label_column = static_cast<std::size_t>(table["label_column"].value_or(std::int64_t{0}));
    entry.train = files(table, "train");
    entry.test = files(table, "test");
    const std::size_t files_needed = entry.format == Format::idx ? 2 : 1;
    if (entry.train.size() != files_needed ||
        (!entry.test.empty() && entry.test.size() != files_needed)) {
      fail(table, fmt::format("'{}' needs {} training file(s), and as many test files or none",
                              entry.name, files_needed));
    }
    return entry;
  }

  std::string file_;
};

}  // namespace

std::vector<CatalogEntry> read_catalog(std::string_view text, const std::string& name) {
  try {
    return CatalogReader(name).read(toml::parse(text, name));
  } catch (const toml::parse_error& error) {
    throw InternalError(
        fmt::format("{}:{}: {}", name, error.source().begin.line, error.description()));
  } catch (const UsageError& error) {
    throw InternalError(error.what());
  }
}

const std::vector<CatalogEntry>& catalog() {
  static const std::vector<CatalogEntry> entries =
      read_catalog(catalog_text, "datasets/catalog.toml");
  return entries;
}

}  // namespace trainyard
