// argv into a call of one of the commands.
#pragma once

#include <functional>
#include <memory>

namespace trainyard {
class Processes;
}

namespace trainyard::app {

/// Every command with its flags. Made once, it parses any number of command lines.
class CommandLine {
 public:
  /// `processes`: whose ranks run what is asked for; nullptr: ranks are this process's own. Throws
  /// UsageError for a scheme of one's own whose hyperparameter is a flag already.
  explicit CommandLine(Processes* processes = nullptr);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// A function that runs the command and returns its exit status; nothing has run before it is
  /// called. It must not outlive this. Throws UsageError for what is not understood.
  std::function<int()> parse(int argc, char** argv);

 private:
  class Commands;
  std::unique_ptr<Commands> commands_;
};

}  // namespace trainyard::app
