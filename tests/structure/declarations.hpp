// What a class declares, read from its text, for tests of how much it offers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard::test {

/// The names that the class or struct with this head ("class Worker", "struct Scheme") declares for
/// all to see, in order: an overload is there once more. Constructors, operators, friends and types
/// are not among them. Throws std::runtime_error where there is no such class.
std::vector<std::string> public_names_of(std::string_view text, std::string_view head);

}  // namespace trainyard::test
