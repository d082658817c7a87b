// A data set in a file of its own kind, whose training rows lie in the order of the workers that
// they were divided among. A process of a run maps it, and of the disk only the rows come that it
// reads: its own part, where it neither evaluates nor counts features.
//
//   const LoadedData ordered = in_order_of_parts(std::move(data), divide_rows(data.train, …));
//   file.finish(split_file_pieces(ordered, split_file_head(ordered, {"iid", seed})));
//   …
//   const LoadedData data = open_split_file("rows.split", RowCheck::all);
//
// The file: "Trainyard split\n"; three numbers of 64 bits: 0x0102030405060708 in the byte order of
// the machine that wrote it, the version of the format, 3, and the bytes of the description; the
// description (laid_out.hpp), then rule, seed, and a fingerprint of all this and of the arrays, by
// which processes know that they have the same file; and each array from the next multiple of
// 65,536 bytes on, as it is in memory.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/data/catalog.hpp"

namespace trainyard {

/// How the rows were divided.
struct Division {
  std::string rule;  // as partition_text() says it
  std::uint64_t seed = 0;
};

/// The training rows, those of worker 0 first, with part_begin. `parts` are of divide_rows().
LoadedData in_order_of_parts(LoadedData data, const std::vector<std::vector<std::uint32_t>>& parts);

/// The file up to its first array.
std::string split_file_head(const LoadedData& ordered, const Division& division);
/// All of the file, in pieces that point into both.
std::vector<std::string_view> split_file_pieces(const LoadedData& ordered, std::string_view head);

/// Whether there is such a file that begins as one.
bool is_split_file(const std::filesystem::path& file);

/// Throws DataError for a file that is not whole, or not as split_file_pieces() says, naming it and
/// what is wrong; RunError where it cannot be mapped. RowCheck::later leaves what rows hold to
/// check_rows(). A file that is cut short while it is mapped ends the program (SIGBUS).
LoadedData open_split_file(const std::filesystem::path& file, RowCheck check);

/// Throws DataError where these rows of a set with an `unchecked_file` do not hold what Dataset
/// says. Of any other set they do.
void check_rows(const Dataset& data, std::size_t first, std::size_t count);

}  // namespace trainyard
