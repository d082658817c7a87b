// Checkpoints: what a run needs to go on in another process, in a file.
//
// A run that makes checkpoints (--checkpoint-every) is a chain of legs, each of so many steps. At
// the end of a leg every worker has done the steps that it had begun, all programs end, and what
// outlives a step is all that there is of the run: the state of its ranks (runtime/run_state.hpp),
// where its clock stands, what has been seen of it. That is written down, and programs begin anew
// with it; or they do so in another process, from the file. So in simulated time a run that was
// killed and resumed has the bits of one that was not: there is one way from a leg to the next, and
// it leads through this. The price is that ranks meet: nothing is on its way from one leg to the
// next, and what a program leaves in a local variable is forgotten there (Worker::keep()).
//
// A file is written beside its place, forced to the disk and then renamed, and the last two are
// kept: whenever the process is killed or the disk is full, a whole one is there. It is one of
// NumPy's (data/archive.hpp).
//
// Threads: the calling one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/archive.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/run/run.hpp"

namespace trainyard {

/// One that was found in a folder.
struct FoundCheckpoint {
  std::filesystem::path file;
  Archive archive;
  std::vector<std::string> remarks{};  // of later ones that cannot be read
};

/// The latest that can be read. Throws OptionError, naming --resume, where there is none.
FoundCheckpoint latest_checkpoint(const std::filesystem::path& folder);

/// The configuration of its run, resolved, with what is asked for here: where results go, and what
/// `asked.given` names. It goes on making checkpoints in the same folder. Throws OptionError where
/// what was asked for differs from what the run was, or another program wrote it, unless
/// --force-resume names that; or where --force-resume names nothing that there is.
Configuration resumed_configuration(FoundCheckpoint& found, const Configuration& asked);

/// The folder of a run's checkpoints.
class CheckpointFolder {
 public:
  /// Made if it is not there. Throws OptionError, naming --checkpoint, where it cannot be written,
  /// or has checkpoints of another run and `goes_on` is false.
  CheckpointFolder(std::filesystem::path folder, bool goes_on);

  /// Puts it in place, as that of the end of leg `leg`, and removes all but the last two. Throws
  /// RunError, and leaves the earlier ones, where it cannot be written.
  void write(Archive& archive, std::uint64_t leg) const;

 private:
  std::filesystem::path folder_;
};

/// The folder of --checkpoint, where that is given: of a run that goes on there, or an empty one.
std::optional<CheckpointFolder> checkpoint_folder(const Configuration& configuration);

/// A fingerprint of the program's file: another build may compute other bits.
const std::string& program_print();
/// Whether the option decides what a run comes to: not those of where its results go, and how they
/// are printed.
bool is_of_run(const Option& option);
/// A fingerprint of the training rows: of a split file that of all that it holds.
std::uint64_t fingerprint_of_rows(const LoadedData& data);

/// What identifies a run goes into the archive; one that was read must be of this one. Throws
/// OptionError, naming --resume, where its rows are others and --force-resume does not name "data".
void exchange_identity(Archive& archive, const Configuration& resolved, std::uint64_t rows);
void exchange_metrics(Archive& archive, std::vector<Metrics>& metrics);
void exchange_begun(Archive& archive, Begun& begun);
/// Whether it is the name of an array that another rank than this one keeps, and it alone needs.
bool is_kept_by_another(std::string_view name, int rank);

}  // namespace trainyard
