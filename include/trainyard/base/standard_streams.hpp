// Standard input, output and error, whatever the caller has made of them.
//
// Threads: any; a message is written in one piece.
#pragma once

#include <string_view>

namespace trainyard {

/// Puts something on those of the descriptors 0 to 2 that are closed, so that no file that is
/// opened later becomes one of them and gets what is meant for a stream. Reading and writing it
/// fail, as they do on a closed one.
void keep_standard_streams_open();

/// Writes `text` to standard error as far as that can be written. Every message goes through here:
/// one that nobody can see must not end a run. Names that users have given may be in it: what
/// cannot be printed becomes \xNN (printable() of echoed.hpp).
void say(std::string_view text) noexcept;
/// Says it over the line that a terminal shows.
void say_over_line(std::string_view text) noexcept;

/// To the first column of a terminal, and nothing behind it.
inline constexpr const char* erase_line = "\r\033[K";

/// Prints what people read, on standard output, likewise. What programs read, as JSON or CSV, is
/// printed as it is.
void print_text(std::string_view text);

/// Throws std::system_error when standard output cannot be written, a full disk behind
/// `> results.json` for one: it shows only when all that was printed has left the program.
void flush_output();

}  // namespace trainyard
