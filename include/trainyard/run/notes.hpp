// Notes on a result beside its figures: warnings, and what changes their meaning. A note is made
// where what it says is known. It goes to standard error then, and from there on with the result:
// into its JSON, and so into saved runs and onto pages.
//
// Threads: any; values, and functions of their arguments.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

struct Note {
  /// The runs that it is about, of several, "ring; gossip, latency 1ms"; empty: all that it stands
  /// beside, which may be one run.
  std::string about;
  std::string text;  // one line, which begins with "warning: " or "note: "

  bool operator==(const Note&) const = default;
};

/// Hears what is said while a run is prepared and made, one line each.
using Remark = std::function<void(const std::string&)>;

/// Whether it is a warning, or a note, and so is heard with --quiet too; the rest only says what is
/// being done.
bool is_note(std::string_view said);

/// Tells `listener`, if there is one, and keeps what is a note. `kept` outlives it.
Remark noting(std::vector<Note>& kept, Remark listener = {});

/// The note on a run or a comparison that was interrupted.
inline constexpr std::string_view interrupted_note =
    "warning: interrupted; these are the results so far";

/// The text with `name` behind its "warning: " or "note: ".
std::string with_name(std::string_view text, std::string_view name);

}  // namespace trainyard
