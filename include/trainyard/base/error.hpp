// The errors that reach the user. They are thrown with context where something is read or chosen,
// and caught once, in main(), which turns each kind into its exit status.
//
// Threads: a value like any other: any number of threads may read one, and who writes one has it
// alone.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace trainyard {

/// The command line or the configuration is wrong (exit status 2). The message names the flag or
/// the file and line, what was found and what is accepted.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option's value does not fit the rest of a run. What a front end needs that has no flags;
/// what() is how the command line phrases it.
class OptionError : public UsageError {
 public:
  /// "--OPTION: EXPLANATION". The option is named as in the table of options: "lr-decay".
  OptionError(std::string_view option, std::string_view explanation);
  /// "--OPTION FOUND: EXPLANATION"
  OptionError(std::string_view option, std::string_view found, std::string_view explanation);

  const std::string& option() const { return option_; }
  /// The value, where it says more than the explanation does; else empty.
  const std::string& found() const { return found_; }
  /// The explanation: the fault, and what is accepted.
  const std::string& explanation() const { return explanation_; }

 private:
  std::string option_, found_, explanation_;
};

/// A data file cannot be read (exit status 3). The message names the file and, where there is one,
/// the line and column.
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A run lacks a resource: no room on the disk, a folder removed meanwhile, no memory, no more
/// threads, a clock at the end of its range (exit status 1). The message names what failed and why.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user asked for the end before there was anything to keep (exit status 130).
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An invariant of Trainyard itself is broken. Checked in every build.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws InternalError with `what` unless `holds`.
inline void require(bool holds, const char* what) {
  if (!holds) throw InternalError(what);
}

/// The entry of `known` with the smallest edit distance to `word`; empty when `known` is empty or
/// nothing is near enough to be a likely misspelling.
std::string nearest_name(std::string_view word, std::span<const std::string> known);

/// "a, b, c" for messages that say what is accepted.
std::string joined(std::span<const std::string> names);

/// The place of `text` in `names`. Throws UsageError when it is none of them: "WHAT: 'TEXT' is not
/// one of a, b; did you mean 'a'?", with `what` the flag or the file and line it comes from.
std::size_t chosen(std::string_view text, std::string_view what,
                   std::span<const std::string> names);

/// "no scheme named 'rign'; did you mean 'ring'? known: ..." as a UsageError.
[[noreturn]] void throw_unknown(std::string_view kind, std::string_view word,
                                std::span<const std::string> known);

}  // namespace trainyard
