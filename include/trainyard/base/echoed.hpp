// Text of the user's, echoed in a message.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// The text between single quotes, cut after 80 characters. What cannot be printed, control
/// characters, those that turn the direction of writing, and bytes that are no UTF-8, becomes \xNN,
/// so that no file and no argument can steer the terminal or look like another.
std::string echoed(std::string_view text);

/// A message with names of files in it, whole: newlines and tabs stay, and what else cannot be
/// printed becomes \xNN as in echoed().
std::string printable(std::string_view message);

/// Whether all of it is UTF-8 (RFC 3629).
bool is_utf8(std::string_view text);

/// A message of at most 1,500 bytes: a longer one loses its middle, as where it names a path that
/// is longer than any can be. Characters stay whole.
std::string shortened(std::string_view message);

/// Throws the UsageError for a value that is there and empty, as "$DIR" is where DIR is not set:
/// "WHAT: the value is empty; expected EXPECTED".
[[noreturn]] void refuse_empty(std::string_view what, std::string_view expected);

}  // namespace trainyard
