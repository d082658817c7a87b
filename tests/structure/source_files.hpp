// The sources of Trainyard as texts, for tests of how they are arranged.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::test {

struct SourceFile {
  std::string name;  // below the top of the tree, like "src/scheme/ring.cpp"
  std::string text;
};

/// All files with one of `endings` below `folders` of the tree, in order.
std::vector<SourceFile> source_files(const std::vector<std::string>& folders,
                                     const std::vector<std::string>& endings);

std::size_t line_count(std::string_view text);

/// The text with comments, texts, character literals and preprocessor lines blanked; lines stay.
std::string without_literals(std::string_view text);

struct FunctionExtent {
  std::size_t first_line;  // from 1: where its declaration begins
  std::size_t lines;       // up to the closing brace
};

/// The functions that `text` defines, in namespaces and in classes; a lambda is part of the
/// function it stands in. Throws std::runtime_error where braces do not pair.
std::vector<FunctionExtent> functions_in(std::string_view text);

}  // namespace trainyard::test
