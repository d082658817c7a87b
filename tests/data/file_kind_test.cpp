// Formats by content, and what is no text of data.
#include "data/file_kind.hpp"

#include <string>
#include <vector>

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

struct Other {
  std::string_view head;
  const char* says;
};

template <std::size_t N>
std::string_view bytes(const char (&text)[N]) {
  return {text, N - 1};
}

}  // namespace

TEST_CASE("a file's content shows its format, whatever its name", "[data][read]") {
  const TemporaryFolder folder;
  struct Case {
    const char* name;
    const char* text;
    Format format;
  };
  for (const Case& c : std::vector<Case>{{"a.data", "1,1.5,2\n0,2.5,3\n", Format::csv},
                                         {"a.txt", "y;x\n1;2\n0;3\n", Format::csv},
                                         {"a.csv", "y\tx\n1\t2\n0\t3\n", Format::tsv},
                                         {"a.csv", "1 1:0.5\n0 2:1\n", Format::libsvm},
                                         {"b.data", "1 qid:3 1:0.5\n0 qid:3 2:1\n", Format::libsvm},
                                         {"c.data", "1 1: .5 2:1\n0 2: 1.0\n", Format::libsvm},
                                         {"w.data", "1:0.5 1:3 2:1\n-1:2 2:1\n", Format::libsvm},
                                         {"d", "1 0.5 3\n0 0.7 4\n", Format::csv},
                                         {"A.CSV", "1\n0\n", Format::csv},
                                         {"A.TSV.GZ", "", Format::tsv},
                                         {"a.npz.XZ", "", Format::npz},
                                         {"alone", "1\n0\n", Format::libsvm}}) {
    INFO(c.name << ": " << c.text);
    CHECK(guess_format(folder.write(c.name, c.text)) == c.format);
  }
  CHECK(guess_format(folder.write("z.svm", gzipped("1,2\n0,3\n"))) == Format::csv);
  CHECK(guess_format(folder.write("n.bin", bytes("\x93NUMPY\1\0"))) == Format::npy);
  CHECK(guess_format(folder.write("i.bin", bytes("\0\0\x08\3\0\0\0\1"))) == Format::idx);
  CHECK(guess_format(folder.write("z.bin", bytes("PK\3\4\0\0\0\0X.npy"))) == Format::npz);
}

TEST_CASE("what is no text of data is named, with what to do", "[data][read]") {
  for (const Other& other : std::vector<Other>{
           {bytes("\xFF\xFEy\0,\0x\0\n\0"), "is UTF-16; save it as UTF-8"},
           {bytes("\xFE\xFF\0y\0,\0x\0\n"), "is UTF-16"},
           {bytes("y\0,\0x\0\n\0"
                  "1\0,\0"
                  "2\0\n\0"),
            "is UTF-16"},
           {bytes("PK\3\4____[Content_Types].xml"), "is a sheet of Excel (.xlsx); save it as CSV"},
           {bytes("PK\3\4____X.npy"), "is a zip of npy files; --data-format npz reads"},
           {bytes("PK\3\4____rows.csv"), "is a zip archive; unpack it"},
           {bytes("PAR1\x15\4"), "is a Parquet file; save it as CSV: pandas.read_parquet"},
           {bytes("ARROW1\0\0"), "is an Arrow or Feather file"},
           {bytes("\x89HDF\r\n\x1a\n"), "is an HDF5 file"},
           {bytes("\xD0\xCF\x11\xE0\xA1"), "is a sheet of Excel (.xls)"},
           {bytes("SQLite format 3\0"), "is an SQLite database"},
           {bytes("\x80\4\x95"), "is a pickle of Python"},
           {"% a comment\n\n@RELATION r\n@attribute x numeric\n", "is an ARFF file"},
           {"@relation r\n@data\n1,a\n", "is an ARFF file"},
           {"<!DOCTYPE html>\n<html>", "is a web page"},
           {"{\"y\": 1, \"x\": 2}\n", "is JSON"},
           {"1,1.5\r0,2.5\r1,1.0\r", "its line ends are CR"},
           {"1 1:1\r0 2:1\r", "its line ends are CR"},
           {bytes("1,2\n0,\0\n"), "holds bytes of 0"},
       }) {
    for (const Format format : {Format::csv, Format::libsvm}) {
      ReadOptions options;
      options.format = format;
      INFO(other.says);
      CHECK_THAT(error_of_bytes(other.head, options), ContainsSubstring(other.says));
    }
  }
  ReadOptions csv;
  csv.format = Format::csv;
  // A CR behind a single line, and those of Windows, are none of old Macs.
  CHECK(read_dataset_bytes("1,2\r\n0,3\r\n", {}, "data", csv).rows == 2);
}

}  // namespace trainyard
