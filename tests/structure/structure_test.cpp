// How the sources are arranged: layers, and the lengths of files and functions.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "data/files.hpp"
#include "structure/source_files.hpp"
#include "support/catch.hpp"

namespace trainyard {

using test::functions_in;
using test::line_count;
using test::source_files;
using test::SourceFile;

namespace {

/// From the top down, as docs/design.md lists them. What stands here may include what stands after
/// it.
const std::vector<std::string> layers{
    "app",     "web",        "report",  "study",       "analysis", "run",      "configuration",
    "scheme",  "collective", "runtime", "aggregation", "codec",    "topology", "network",
    "scoring", "model",      "data",    "hardware",    "base"};

constexpr std::size_t longest_file = 400;
constexpr std::size_t longest_function = 70;

std::size_t layer_named(const std::string& name) {
  return static_cast<std::size_t>(
      std::distance(layers.begin(), std::find(layers.begin(), layers.end(), name)));
}

/// The layer a file lies in: src/LAYER/… or include/trainyard/LAYER/….
std::size_t layer_of(const std::string& file) {
  static const std::regex path("^(?:src|include/trainyard)/([^/]+)/.*");
  std::smatch found;
  return std::regex_match(file, found, path) ? layer_named(found[1]) : layers.size();
}

/// A line for each include of `file` that names a file of another layer above its own, or none.
std::vector<std::string> includes_upwards(const SourceFile& file) {
  static const std::regex include(
      R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]*"(?:trainyard/)?([^"/]*)([^"]*)")re");
  std::vector<std::string> wrong;
  for (std::sregex_iterator at(file.text.begin(), file.text.end(), include), end; at != end; ++at) {
    const std::size_t target = layer_named((*at)[1]);
    if (target == layers.size() || target < layer_of(file.name)) {
      wrong.push_back(fmt::format("{} includes {}{}", file.name, (*at)[1].str(), (*at)[2].str()));
    }
  }
  return wrong;
}

/// Whether files of src/ROOM/ and tests/ROOM/ alone may include src/ROOM/'s headers. What tests of
/// several rooms share, the targets of the fuzzer and benchmarks look into any room; who builds on
/// Trainyard has none of them.
bool keeps_to_rooms(const std::string& file) {
  return std::ranges::none_of(std::vector<std::string>{"tests/support/", "tests/fuzz/", "bench/"},
                              [&](const std::string& folder) { return file.starts_with(folder); });
}

/// A line for each include of `file` that names a private header of another room. `headers`: all
/// those below src/, like "src/web/http_server.hpp".
std::vector<std::string> includes_of_private_headers(const SourceFile& file,
                                                     const std::set<std::string>& headers) {
  static const std::regex include(R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]*"(([^"/]*)/[^"]*)")re");
  std::vector<std::string> wrong;
  if (!keeps_to_rooms(file.name)) return wrong;
  for (std::sregex_iterator at(file.text.begin(), file.text.end(), include), end; at != end; ++at) {
    const std::string name = (*at)[1], room = (*at)[2];
    const bool is_own =
        file.name.starts_with("src/" + room + "/") || file.name.starts_with("tests/" + room + "/");
    if (is_own || headers.count("src/" + name) == 0) continue;
    wrong.push_back(fmt::format("{} includes {}", file.name, name));
  }
  return wrong;
}

std::vector<std::string> too_long_functions(const SourceFile& file) {
  std::vector<std::string> wrong;
  for (const test::FunctionExtent& function : functions_in(file.text)) {
    if (function.lines <= longest_function) continue;
    wrong.push_back(fmt::format("{}:{}: a function of {} lines", file.name, function.first_line,
                                function.lines));
  }
  return wrong;
}

}  // namespace

TEST_CASE("includes point down the list of layers", "[structure]") {
  const std::vector<SourceFile> files = source_files({"src", "include"}, {".cpp", ".hpp"});
  REQUIRE(files.size() > 200);
  for (const SourceFile& file : files) {
    INFO(file.name);
    CHECK(layer_of(file.name) < layers.size());
    CHECK(includes_upwards(file) == std::vector<std::string>{});
  }
}

TEST_CASE("the layers are those of docs/design.md, in its order", "[structure]") {
  const std::string design =
      read_file(std::filesystem::path(TRAINYARD_SOURCE_DIR) / "docs/design.md");
  std::size_t last = 0;
  for (const std::string& layer : layers) {
    INFO(layer);
    const std::size_t place = design.find(fmt::format("\n   {} ", layer), last);
    REQUIRE(place != std::string::npos);
    last = place;
  }
}

TEST_CASE("an include that points up is found", "[structure]") {
  const auto wrong = [](const std::string& name, const std::string& text) {
    return includes_upwards({name, text});
  };
  CHECK(wrong("src/model/a.cpp", "#include \"trainyard/model/b.hpp\"\n#include \"data/c.hpp\"\n")
            .empty());
  CHECK(wrong("src/model/a.cpp", "#include <vector>\n#include \"trainyard/runtime/b.hpp\"\n") ==
        std::vector<std::string>{"src/model/a.cpp includes runtime/b.hpp"});
  CHECK(wrong("include/trainyard/base/a.hpp", "  # include \"network/b.hpp\"\n").size() == 1);
  CHECK(wrong("src/scheme/a.cpp", "#include \"b.hpp\"\n").size() == 1);
}

TEST_CASE("a private header is included in its own room alone", "[structure]") {
  std::set<std::string> headers;
  for (const SourceFile& file : source_files({"src"}, {".hpp"})) headers.insert(file.name);
  REQUIRE(headers.size() > 50);
  for (const SourceFile& file :
       source_files({"src", "include", "tests", "bench", "examples"}, {".cpp", ".hpp"})) {
    INFO(file.name);
    CHECK(includes_of_private_headers(file, headers) == std::vector<std::string>{});
  }
  const auto wrong = [](const std::string& name, const std::string& text) {
    return includes_of_private_headers({name, text}, {"src/data/csv.hpp"});
  };
  const std::string text = "#include <vector>\n#include \"data/csv.hpp\"\n";
  CHECK(wrong("src/web/a.cpp", text) ==
        std::vector<std::string>{"src/web/a.cpp includes data/csv.hpp"});
  CHECK(wrong("include/trainyard/data/a.hpp", text).size() == 1);
  CHECK(wrong("tests/run/a_test.cpp", text).size() == 1);
  CHECK(wrong("src/data/wide/a.cpp", text).empty());
  CHECK(wrong("tests/data/a_test.cpp", text).empty());
  CHECK(wrong("tests/fuzz/csv.cpp", text).empty());
  CHECK(wrong("src/web/a.cpp", "#include \"trainyard/data/csv.hpp\"\n").empty());
}

TEST_CASE("every public header says what threads may do with it", "[structure]") {
  for (const SourceFile& file : source_files({"include"}, {".hpp"})) {
    INFO(file.name);
    CHECK(file.text.find("Threads:") != std::string::npos);
  }
}

// A change of the switch is compiled into what moves messages, not into every scheme and test.
TEST_CASE("no public header brings the switch along", "[structure]") {
  for (const SourceFile& file : source_files({"include"}, {".hpp"})) {
    INFO(file.name);
    CHECK(file.text.find("#include \"trainyard/network/switch.hpp\"") == std::string::npos);
  }
}

TEST_CASE("no file is longer than 400 lines", "[structure]") {
  for (const SourceFile& file :
       source_files({"src", "include", "python", "tests", "bench", "scripts", "examples"},
                    {".cpp", ".hpp", ".py", ".sh"})) {
    INFO(file.name);
    CHECK(line_count(file.text) <= longest_file);
  }
}

TEST_CASE("every test is run under its whole name", "[structure]") {
  // CTest takes a semicolon for the end of a name, and the rest for another: with Catch2 2 both
  // then match no test, and pass. A name that begins with '-' is taken for a flag.
  const std::regex test_case("TEST_CASE\\(\\s*\"([^\"]*)\"");
  std::size_t tests = 0;
  for (const SourceFile& file : source_files({"tests"}, {".cpp"})) {
    for (std::sregex_iterator at(file.text.begin(), file.text.end(), test_case), end; at != end;
         ++at) {
      const std::string name = (*at)[1];
      INFO(file.name << ": " << name);
      CHECK(name.find(';') == std::string::npos);
      CHECK(!name.starts_with('-'));
      ++tests;
    }
  }
  CHECK(tests > 600);
}

TEST_CASE("no function is longer than 70 lines", "[structure]") {
  std::size_t functions = 0;
  for (const SourceFile& file :
       source_files({"src", "include", "python", "tests", "bench", "examples"}, {".cpp", ".hpp"})) {
    INFO(file.name);
    CHECK(too_long_functions(file) == std::vector<std::string>{});
    functions += functions_in(file.text).size();
  }
  CHECK(functions > 1500);
}

TEST_CASE("functions are measured whatever stands in them", "[structure]") {
  const std::string text =
      "#define BRACE {\n"
      "namespace a {\n"
      "struct B {\n"
      "  int x = 1'000;  // }\n"
      "  int f() { return '}'; }\n"
      "  explicit B(int y)\n"
      "      : x(y) {\n"
      "    g(\"{\", R\"x({)\" {)x\");\n"
      "  }\n"
      "};\n"
      "const int table[] = {1, 2};\n"
      "template <class T>\n"
      "T h(T t) {\n"
      "  const auto lambda = [](int i) {\n"
      "    return i;\n"
      "  };\n"
      "  if (t) {\n"
      "  }\n"
      "  return t;\n"
      "}\n"
      "}  // namespace a\n";
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (const test::FunctionExtent& function : functions_in(text)) {
    found.emplace_back(function.first_line, function.lines);
  }
  CHECK(found == std::vector<std::pair<std::size_t, std::size_t>>{{5, 1}, {6, 4}, {12, 9}});

  std::string body;
  for (int i = 0; i < 69; ++i) body += "  ++i;\n";
  CHECK(too_long_functions({"src/a.cpp", "void f() {\n" + body + "}\n"}).size() == 1);
  CHECK(too_long_functions({"src/a.cpp", "void f() {\n" + body.substr(7) + "}\n"}).empty());
  CHECK_THROWS(functions_in("void f() {"));
  CHECK_THROWS(functions_in("}"));
}

}  // namespace trainyard
