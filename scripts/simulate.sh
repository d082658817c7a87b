#!/usr/bin/env bash
# Does whatever world a seed makes keep the program's promises? Draws a scheme, a network, faults,
# liars, slow workers, data and hyperparameters at random, some thousand times, runs each world in
# simulated time, and says what was not kept.
#
#   scripts/simulate.sh [--seeds N] [--first S] [--program FILE] [--checks all|accounts] [--jobs J]
#                       [--scheme NAME] [--show]
#                                default: 1000 seeds from 1, the release build, all checks, 2 jobs;
#                                --show prints the command of each seed and runs nothing
#
# A world found something when (what --checks accounts looks at)
#   end       it hung (30 s of the processor), or ended with another exit status than 0, 4 (diverged, and says so) or
#             2 with one line that says what is refused;
#   time      a rank's compute + transfer + wait is not the run's time, to the picosecond;
#   messages  messages or bytes that ranks sent are not those received and dropped, or not those of
#             the summary;
#   course    evaluations go back in steps, time, samples or bytes; the last one is not the summary's;
#             samples and epochs do not match, or the budget was not used up; a loss that is not finite
#             is not called diverged;
#   figures   a figure is out of its range, as a negative distance or a share above 1;
# or, with --checks all, as well
#   again     it printed something else the second time;
#   pinned    or on one core;
#   file      or from the configuration that it printed;
#   killed    or resumed from a checkpoint, when it was killed in the midst of it;
#   faults    a scheme in lock-step came to another model, or sent something else, with faults than
#             without;
#   threads   or on threads than in simulated time (short runs of few workers only).
# What was found is made smaller while it stays, and printed with a line that repeats it. The same seed
# and program make the same world. Exit status 1 when something was found.
set -euo pipefail
cd "$(dirname "$0")/.."

case " $* " in
*" --program"*) ;;
*) ./scripts/build.sh release trainyard ;;
esac
exec python3 scripts/simulate "$@"
