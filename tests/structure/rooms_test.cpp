// How large the rooms are in which schemes are written: what grows with every scheme that is added
// is asked to go into an object of its own instead.
#include <filesystem>
#include <string>
#include <vector>

#include "data/files.hpp"
#include "structure/declarations.hpp"
#include "structure/source_files.hpp"
#include "support/catch.hpp"

namespace trainyard {

using test::public_names_of;

namespace {

std::string header(const char* name) {
  return read_file(std::filesystem::path(TRAINYARD_SOURCE_DIR) / "include/trainyard" / name);
}

}  // namespace

// What one family of schemes needs is an object made from a worker, as SharedSteps is.
TEST_CASE("a worker has 30 verbs, and its header 260 lines, at the most", "[structure]") {
  const std::string text = header("runtime/worker.hpp");
  const std::vector<std::string> verbs = public_names_of(text, "class Worker");
  CAPTURE(verbs);
  CHECK(verbs.size() <= 30);
  CHECK(verbs.size() > 20);
  CHECK(verbs.front() == "next_step");
  CHECK(test::line_count(text) <= 260);
}

// Fields about one thing are a part, as StepCost is.
TEST_CASE("a scheme's row has 16 members at the most", "[structure]") {
  const std::vector<std::string> members =
      public_names_of(header("scheme/scheme.hpp"), "struct Scheme");
  CAPTURE(members);
  CHECK(members.size() <= 16);
  CHECK(members.size() > 10);
  CHECK(members.front() == "name");
  CHECK(members.back() == "server");
}

TEST_CASE("what a class declares is found whatever stands in it", "[structure]") {
  const std::string text =
      "class A;\n"
      "/// class A {\n"
      "class A {\n"
      " public:\n"
      "  explicit A(int x);\n"
      "  ~A() = default;\n"
      "  A& operator=(const A&) = delete;\n"
      "  // void commented();\n"
      "  int one() const { return f({1}); }\n"
      "  void two(std::optional<int> x = {}) {\n"
      "    if (x) three(1);\n"
      "  }\n"
      "  template <typename T>\n"
      "  T three(T) const;\n"
      "  void three();\n"
      " private:\n"
      "  friend struct B;\n"
      "  void four();\n"
      " public:\n"
      "  using Type = int;\n"
      "  static int five(const char* text = \"};\");\n"
      "};\n"
      "struct S {\n"
      "  std::string a{};\n"
      "  double b = 0.0;  // one\n"
      "  int (*c)(int, S&) = nullptr;\n"
      "  std::vector<int> d{1, 2};\n"
      "  int e;\n"
      "};\n";
  using Names = std::vector<std::string>;
  CHECK(public_names_of(text, "class A") == Names{"one", "two", "three", "three", "five"});
  CHECK(public_names_of(text, "struct S") == Names{"a", "b", "c", "d", "e"});
  CHECK_THROWS(public_names_of(text, "class C"));
  CHECK_THROWS(public_names_of("class A {", "class A"));
}

}  // namespace trainyard
