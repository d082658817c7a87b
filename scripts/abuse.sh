#!/usr/bin/env bash
# What breaks the program? Runs it some thousand times on bad flags, malformed files, in hostile
# surroundings and under signals, two calls at a time, and says what broke.
#
#   scripts/abuse.sh [--seed S] [--calls N] [--program FILE] [--kind KIND]
#                                                default: seed 1, 2000 calls, the release build
#
# A call broke something when
#   - it was ended by a signal that nobody sent, or hung: 20 s, 10 s after a signal (a signal that
#     was sent may end it: a second one does so at once);
#   - it was a run on threads under pressure (slow networks, small steps, stragglers) and ended more
#     than 2 s after its signal;
#   - its exit status is none of those in --help, or not one for calls of its kind; a status but 0
#     came without a message, with one of over 2,000 characters, or with the words of a defect, of
#     the C++ library or of a sanitizer;
#   - what people read steers the terminal: control characters, and those that turn the direction of
#     writing;
#   - who was interrupted before there was a result left something of one;
#   - what should be JSON is not (standard output, summary.json, metrics.jsonl, traces; NaN and
#     Infinity are none), or a figure no XML;
#   - a file is new, changed or gone that is none of its outputs, or a device another thing;
#   - it took over 1 GiB of memory (every process may have 3 GiB of addresses);
#   - a results folder is not whole, is missing after exit status 0, or is of two runs at once;
#   - a run in simulated time printed or wrote something else the second time.
# Each is printed with a line that repeats it; its files lie in build/abuse/findings. The same seed and
# program give the same calls. Exit status 1 when something broke. Some calls need root's rights
# (users without threads left, device files) and are left out, visibly, without.
set -euo pipefail
cd "$(dirname "$0")/.."

case " $* " in
*" --program"*) ;;
*) ./scripts/build.sh release trainyard ;;
esac
exec python3 scripts/abuse "$@"
