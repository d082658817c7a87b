// What the help says at its end.
#pragma once

namespace trainyard::app {

inline constexpr const char* load_help =
    "a library of one's own, with schemes, models, topologies, codecs or readers; also several";

inline constexpr const char* examples =
    "Examples:\n"
    "  trainyard compare                         six schemes on the built-in data set\n"
    "  trainyard compare --schemes all --seeds 5\n"
    "  trainyard run --scheme gossip --topology one-peer-exp --workers 64\n"
    "  trainyard run --dataset a9a --l2 1e-4 --lr 0.5 --target-loss 0.33 --out results\n"
    "  trainyard run results/ring/config.toml    the same run again\n"
    "  trainyard score results/ring new.csv      what its model says of other rows\n"
    "  trainyard timeline ring --workers 8 --svg ring.svg\n"
    "  trainyard topology static-exp --workers 4,8,16,32\n"
    "  trainyard predict --size 100MB --vary latency=0.1ms:100ms\n"
    "  trainyard compare --html report.html      the same six, as a page to look at\n"
    "  trainyard lab                             the labs, to play with in a browser\n"
    "\n"
    "Exit status: 0 done; 1 disk, memory or threads fail, or a defect; 2 command line or\n"
    "configuration wrong; 3 data cannot be read; 4 training diverged, results kept; 130 "
    "interrupted,\n"
    "results kept if there are any: from the first evaluation on";

inline constexpr const char* process_examples =
    "Examples:\n"
    "  mpirun -np 8 trainyard-mpi run --scheme ring\n"
    "  mpirun -np 9 trainyard-mpi run --scheme ps-async --workers 8 --dataset a9a --json\n"
    "\n"
    "As many processes as the scheme has ranks: its workers and its servers. What comes of a run "
    "is\n"
    "printed and written by the process of rank 0. Exit status: as trainyard's.";

inline constexpr const char* built_in_note =
    "On the built-in data set a minibatch is taken to need 1 ms, the step size is 4 and the\n"
    "regulariser 1e-4, unless --compute-time, --lr and --l2 say otherwise: so the table is the "
    "same\n"
    "on every machine.\n";

inline constexpr const char* built_in_comparison_note =
    "On the built-in data set a minibatch is taken to need 1 ms, the grid of step sizes lies "
    "around 4\n"
    "and the regulariser is 1e-4, unless --compute-time, --lr and --l2 say otherwise: so the table "
    "is\n"
    "the same on every machine.\n";

inline constexpr const char* comparison_note =
    "\n"
    "Where neither a flag nor a configuration says a step size, each scheme has its own best "
    "one:\n"
    "of a grid by powers of two, tried for ever more steps and at last for all of the run's, at "
    "a\n"
    "cost of about four runs each. With a target it is the one that is there first, at about "
    "four\n"
    "times what it takes to get there and to hold it for one more evaluation. --lr X is one for "
    "all;\n"
    "--tune-lr looks around it.\n"
    "--vary latency=10us:1ms takes nine values by ratio, --vary period=1:64 doubles, --vary\n"
    "'model=mlp:64;mlp:32,32' has values with commas. Each scheme runs at each point of the "
    "grid.\n"
    "--map latency=10us:100ms,bandwidth=1Mbps:100Gbps is a grid of two options, with the first\n"
    "scheme at the target in each cell. Where workers keep pace one run and what a step takes "
    "elsewhere\n"
    "tell; others run in every cell.\n"
    "A scheme of a group (--schemes all…) that cannot run what is asked is left out, with a "
    "note.\n"
    "A CONFIG may name schemes and settings of their own in tables [[contestant]]: label, "
    "scheme,\n"
    "and any option of a run.";

}  // namespace trainyard::app
