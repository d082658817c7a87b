// argv into a call of one of the commands.
#pragma once

namespace trainyard::app {

/// Parses and runs. Throws UsageError for what it does not understand.
int dispatch(int argc, char** argv);

}  // namespace trainyard::app
