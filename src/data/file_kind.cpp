#include "data/file_kind.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/text_file.hpp"

#include "data/number_form.hpp"
#include "data/table_dialect.hpp"

namespace trainyard {

namespace {

constexpr std::string_view zip_magic = "PK\x03\x04";

struct OtherKind {
  std::string_view magic;  // in letters of either case
  std::string_view message;
};

/// Binary files, by their first bytes.
constexpr std::array<OtherKind, 15> binary_kinds{{
    {"PAR1", "is a Parquet file; save it as CSV: pandas.read_parquet(…).to_csv(…, index=False)"},
    {"ARROW1",
     "is an Arrow or Feather file; save it as CSV: pandas.read_feather(…).to_csv(…, "
     "index=False)"},
    {"FEA1", "is a Feather file; save it as CSV: pandas.read_feather(…).to_csv(…, index=False)"},
    {"ORC", "is an ORC file; save it as CSV: pandas.read_orc(…).to_csv(…, index=False)"},
    {"Obj\x01", "is an Avro file; save it as CSV"},
    {"\x89HDF", "is an HDF5 file; save its features and labels by numpy.save(), or as CSV"},
    {"\xD0\xCF\x11\xE0", "is a sheet of Excel (.xls) or another Office file; save it as CSV"},
    {"SQLite format 3", "is an SQLite database; write a table of it as CSV: sqlite3 -header -csv"},
    {"%PDF", "is a PDF; save its table as CSV"},
    {"MATLAB 5.0 MAT-file", "is a MATLAB file; save its features and labels by numpy.save()"},
    {"7z\xBC\xAF", "is a 7z archive; unpack it"},
    {"Rar!", "is a RAR archive; unpack it"},
    {"\x93NUMPY", "is an npy file; --data-format npy reads it"},
    {"\x1f\x9d", "is packed by compress; unpack it, or pack it by gzip"},
    {"RDX", "is a file of R; save its table as CSV: write.csv(…, row.names=FALSE)"},
}};

/// Texts, by what they begin with behind blanks and comments.
constexpr std::array<OtherKind, 6> text_kinds{{
    {"@relation",
     "is an ARFF file, which is not read; save it as CSV (Weka's CSVSaver), or delete "
     "its lines up to @data, after which it is CSV"},
    {"<!doctype", "is a web page, not the data themselves; fetch the file that it links to"},
    {"<html", "is a web page, not the data themselves; fetch the file that it links to"},
    {"<?xml", "is XML; save it as CSV"},
    {"{\"", "is JSON; save it as CSV: pandas.read_json(…, lines=True).to_csv(…, index=False)"},
    {"[{", "is JSON; save it as CSV: pandas.read_json(…).to_csv(…, index=False)"},
}};

bool starts_with(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::equal(lower.begin(), lower.end(), text.begin(), [](char a, char b) {
           return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
         });
}

/// "is a zip archive", or what programs make of one.
std::string_view zip_message(std::string_view head) {
  if (head.find(".npy") != std::string_view::npos) {
    return "is a zip of npy files; --data-format npz reads its arrays X and y";
  }
  if (head.find("[Content_Types].xml") != std::string_view::npos ||
      head.find("xl/") != std::string_view::npos) {
    return "is a sheet of Excel (.xlsx); save it as CSV";
  }
  if (head.find("mimetype") != std::string_view::npos) {
    return "is a document of an office suite; save its sheet as CSV";
  }
  return "is a zip archive; unpack it, or pack the file itself by gzip";
}

/// Text whose characters take two bytes: a mark at the beginning, or a zero beside nearly each
/// character of Latin script.
bool is_utf16(std::string_view head) {
  if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF")) return true;
  if (head.size() < 4) return false;
  const auto zeros_from = [&](std::size_t first) {
    std::size_t zeros = 0;
    for (std::size_t i = first; i < head.size(); i += 2) zeros += head[i] == '\0' ? 1 : 0;
    return 10 * zeros > 8 * (head.size() / 2);
  };
  return zeros_from(0) != zeros_from(1);
}

std::string_view first_content(std::string_view text, char comment) {
  std::string_view found;
  for_each_line(text, [&](std::size_t, std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos || line[begin] == comment) return true;
    found = line.substr(begin);
    return false;
  });
  return found;
}

[[noreturn]] void refuse_kind(const std::string& file, std::string_view message) {
  throw DataError(fmt::format("{}: {}", file, message));
}

/// "3:0.5", "qid:7", also with blanks behind the colon.
bool begins_entry(std::string_view token) {
  const std::size_t colon = token.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view index = token.substr(0, colon);
  return index == "qid" || std::ranges::all_of(index, [](char c) { return c >= '0' && c <= '9'; });
}

/// "1", "-1", and with a weight "1:0.5".
bool is_label(std::string_view token) {
  const std::size_t colon = token.find(':');
  const auto is_number = [](std::string_view text) {
    return number_form(text) != NumberForm::no_number;
  };
  if (colon == std::string_view::npos) return is_number(token);
  return is_number(token.substr(0, colon)) && is_number(token.substr(colon + 1));
}

/// Whether half of the lines of a text, or more, have a label and an entry behind it.
bool is_libsvm(std::string_view head) {
  std::size_t with_entries = 0;
  std::size_t others = 0;
  for_each_line(head, [&](std::size_t, std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) return true;
    const bool has_label = is_label(words[0]);
    if (has_label && words.size() > 1 && begins_entry(words[1])) {
      ++with_entries;
    } else if (!has_label || words.size() > 1) {
      ++others;
    }
    return true;
  });
  return with_entries > 0 && with_entries >= others;
}

bool is_idx(std::string_view head) {
  constexpr std::string_view types = "\x08\x09\x0B\x0C\x0D\x0E";
  return head.size() >= 4 && head[0] == '\0' && head[1] == '\0' &&
         types.find(head[2]) != std::string_view::npos && head[3] >= 1 && head[3] <= 8;
}

}  // namespace

std::optional<Format> shown_format(std::string_view head) {
  if (head.starts_with("\x93NUMPY")) return Format::npy;
  if (head.starts_with(zip_magic)) {
    if (head.find(".npy") == std::string_view::npos) return {};
    return Format::npz;
  }
  if (is_idx(head)) return Format::idx;
  if (head.find('\0') != std::string_view::npos) return {};
  std::string_view text = without_byte_order_mark(head);
  // The last line may be cut off.
  if (head.size() >= shown_bytes) text = text.substr(0, text.rfind('\n') + 1);
  if (is_libsvm(text)) return Format::libsvm;
  const char separator = find_separator(text, 0);
  if (separator == 0) return {};
  return separator == '\t' ? Format::tsv : Format::csv;
}

void refuse_other_kinds(const std::string& file, std::string_view head) {
  if (head.starts_with(zip_magic)) refuse_kind(file, zip_message(head));
  for (const OtherKind& kind : binary_kinds) {
    if (head.starts_with(kind.magic)) refuse_kind(file, kind.message);
  }
  if (head.size() > 1 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5) {
    refuse_kind(file,
                "is a pickle of Python, which may run code when it is read; save arrays by "
                "numpy.save(), or a table by to_csv(…, index=False)");
  }
  if (is_utf16(head)) refuse_kind(file, "is UTF-16; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)");
  if (head.find('\0') != std::string_view::npos) {
    refuse_kind(file,
                "holds bytes of 0, and is no text; expected LIBSVM, CSV or TSV text, npy, npz or "
                "IDX");
  }
  const std::string_view text = without_byte_order_mark(head);
  if (text.find('\r') != std::string_view::npos && text.find('\n') == std::string_view::npos &&
      text.find('\r') + 1 != text.size()) {
    refuse_kind(file, "its line ends are CR, those of old Macs; make them LF: tr '\\r' '\\n'");
  }
  const std::string_view first = first_content(text, '%');
  for (const OtherKind& kind : text_kinds) {
    if (starts_with(first, kind.magic)) refuse_kind(file, kind.message);
  }
}

bool is_other_kind(std::string_view head) {
  try {
    refuse_other_kinds("", head);
    return false;
  } catch (const DataError&) {
    return true;
  }
}

}  // namespace trainyard
