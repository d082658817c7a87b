// The one table of options: each row is a flag, a TOML key and a line of --help.
//
// Threads: any; the table is built at the first call, and only add_options_of_schemes() changes it.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/configuration/configuration.hpp"

namespace trainyard {

struct Scheme;

/// One run of one scheme: it decides whether an option has an effect.
struct OptionSetting {
  const Configuration& configuration;  // resolved: the clock is decided
  const Scheme& scheme;
};

/// Why no message takes time, whatever the network is; empty where one does.
std::string nothing_is_sent(const OptionSetting& setting);
/// Why an option changes nothing there; empty where it does.
using IdleReason = std::function<std::string(const OptionSetting&)>;

/// The takers of an option beside `run` and `compare`, which take all; bits to be combined.
namespace taker {
inline constexpr unsigned predict = 1;
inline constexpr unsigned timeline = 2;
inline constexpr unsigned netcheck = 4;
inline constexpr unsigned split = 8;
/// Questions of the lab. Not: what names files or folders, what only `wall` has, what stands for
/// other options, what takes longer than training does, and what is the same for all questions.
inline constexpr unsigned lab = 16;
/// How an upload of the lab is read.
inline constexpr unsigned upload = 32;
/// Only runs of one process: trainyard-mpi says why it does not.
inline constexpr unsigned one_process = 64;
}  // namespace taker

struct Option {
  std::string section;   // of the TOML file
  std::string name;      // "target-loss": the flag is --target-loss, the key target-loss
  std::string argument;  // how the value is written, for --help; empty for a switch (true or false)
  std::string help;
  /// Throws UsageError beginning with `what`, which says where the text comes from.
  std::function<void(Configuration&, std::string_view text, std::string_view what)> set;
  /// The text that set() reads back to the same value; empty when the option is not set.
  std::function<std::string(const Configuration&)> get;
  /// TOML writes it bare (a number, true) instead of in quotes.
  bool bare = false;
  /// False of options that say where results go and whether they may overwrite others: a resolved
  /// configuration that is fed back must not fall over the results beside it.
  bool describes_run = true;
  /// Empty: the option always has an effect.
  IdleReason idle{};
  unsigned takers = 0;
  /// It may be given several times, and in TOML a list: its value is all of them, joined by this.
  /// Empty: it is given once.
  std::string joiner{};

  bool taken_by(unsigned one) const { return (takers & one) != 0; }
};

/// `--json`, the one flag of a run that is no option: it stands for `--format json`. Named in
/// `Configuration::given` where it is given beside a flag --format.
inline constexpr std::string_view json_flag = "json";

const std::vector<Option>& options();
/// The options that `one` takes, in the order of the table.
std::vector<const Option*> options_taken_by(unsigned one);
/// REQUIRES: there is one.
const Option& option_named(std::string_view name);

/// Throws UsageError where a hyperparameter of the scheme has the name of another option.
void check_hyperparameter_names(const Scheme& scheme);
/// Makes the hyperparameters options that schemes have brought since the table was built
/// (add_scheme_late()), and has all of them as the schemes now say. Options stay where they are.
/// Throws UsageError for more than 256. REQUIRES: nothing else reads the table meanwhile.
void add_options_of_schemes();

/// "note: --X has no effect: REASON" for each option of `given` that has none in any of `settings`.
std::vector<std::string> idle_notes(std::span<const OptionSetting> settings,
                                    std::span<const std::string> given);

/// An option as text, as Option::set reads it.
struct OptionText {
  std::string option, text;

  bool operator==(const OptionText&) const = default;
};

/// A table [[contestant]] of a TOML file, which only a comparison has
/// (configuration/contestant.hpp).
struct ContestantTable {
  std::string place;  // "FILE:LINE", for messages
  std::string label, scheme;
  std::vector<OptionText> settings;
};

/// Reads a TOML file into `configuration`. Throws UsageError: "FILE:LINE: what was found; what is
/// accepted". `configuration.given` then names what the file gives another value than the default,
/// as a file that the program wrote itself gives everything, and the step size.
/// Tables [[contestant]] are given to `contestants`; without that they are an error.
void read_configuration(const std::filesystem::path& file, Configuration& configuration,
                        std::vector<ContestantTable>* contestants = nullptr);
/// Reads the same from text; `name` stands for the file.
void parse_configuration(std::string_view text, const std::string& name,
                         Configuration& configuration,
                         std::vector<ContestantTable>* contestants = nullptr);

/// The configuration as TOML: every option that is set and describes the run. Reading it back gives
/// the same run.
std::string configuration_text(const Configuration& configuration);

/// A command for a shell that repeats the run: "trainyard run --scheme ring --lr 4 …", with every
/// option that differs from its default and those whose defaults depend on the data set; not what
/// is printed and written.
std::string run_command_text(const Configuration& configuration);

}  // namespace trainyard
