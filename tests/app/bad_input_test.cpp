// What a user can get wrong: each gets one message that says what was found and what is accepted,
// the right exit status, and nothing on standard output.
#include <string>
#include <vector>

#include "app/program.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

struct BadInput {
  std::vector<std::string> arguments;
  int status;
  std::vector<std::string> message;  // each is somewhere in it
};

constexpr int failed = 1;
constexpr int usage = 2;
constexpr int data = 3;

std::vector<BadInput> wrong_words() {
  return {
      {{"rnu"},
       usage,
       {"no command named 'rnu'", "did you mean 'run'?",
        "compare, timeline, netcheck, predict, advise, reproduce, topology, consensus, report, "
        "lab, score, "
        "export, split, list, machine"}},
      {{""}, usage, {"no command named ''"}},
      {{"--versoin"}, usage, {"no flag named '--versoin'", "did you mean '--version'?"}},
      {{"--json", "run"}, usage, {"no flag named '--json'"}},
      {{"run", "--lrr", "0.1"}, usage, {"no flag named '--lrr'", "did you mean '--lr'?"}},
      {{"run", "--schemes", "ring"}, usage, {"no flag named '--schemes'", "'--scheme'?"}},
      {{"compare", "--scheme", "ring"}, usage, {"no flag named '--scheme'", "'--schemes'?"}},
      {{"run", "-x"}, usage, {"no flag named '-x'", "--help"}},
      {{"run", "--codec", "top-k:0%"}, usage, {"--codec: codec top-k: ", "like 1%, nor a count"}},
      {{"run", "--lr"}, usage, {"--lr", "GAMMA", "missing"}},
      {{"run", "--lr", "--batch", "3"}, usage, {"--lr: found the flag '--batch'", "GAMMA"}},
      {{"run", "--workers=", "--steps", "1"}, usage, {"--workers: the value is empty; expected N"}},
      {{"run", "--lr", "1", "--lr", "2"}, usage, {"--lr: given twice, '1' and '2'"}},
      {{"run", "--quiet=maybe"}, usage, {"--quiet: 'maybe' is not one of false, true"}},
      {{"run", "--json=3"}, usage, {"--json: takes no value"}},
      {{"run", "a.toml", "b.toml"}, usage, {"'b.toml' is one word too many"}},
      {{"list"}, usage, {"schemes, presets, topologies, collectives, codecs, aggregates, attacks"}},
      {{"list", "schems"}, usage, {"no list named 'schems'", "did you mean 'schemes'?"}},
      {{"machine", "--workers", "many"}, usage, {"--workers: 'many' is not a whole number"}},
      {{"machine", "--workers", "-3"}, usage, {"--workers: '-3'", "from 1 to 1000000"}},
      {{"machine", "--placement", "left"},
       usage,
       {"--placement: 'left'", "compact, scatter, none"}},
  };
}

std::vector<BadInput> wrong_names() {
  return {
      {{"run", "--scheme", "rign"},
       usage,
       {"--scheme", "'rign'", "did you mean 'ring'?", "the nearest are ring,"}},
      {{"run", "--scheme", ""}, usage, {"--scheme: the value is empty; expected NAME"}},
      {{"compare", "--schemes", "ring,rign"}, usage, {"no scheme named 'rign'", "'ring'?"}},
      {{"compare", "--schemes", "ring,"}, usage, {"no scheme named ''"}},
      {{"compare", "--schemes", "al"}, usage, {"no scheme named 'al'", "did you mean 'all'?"}},
      {{"compare", "--schemes", "all,ring,all"}, usage, {"--schemes: 'all' is there twice"}},
      {{"compare", "--seeds", "0"}, usage, {"--seeds: '0' is not a whole number from 1 to 1000"}},
      {{"compare", "--tune-lr=yes"}, usage, {"--tune-lr: takes no value"}},
      {{"run", "--tune-lr"}, usage, {"no flag named '--tune-lr'"}},
      {{"run", "--access", "cas"}, usage, {"--access: 'cas' is not one of racy, cas-add, locked"}},
      {{"run", "--groups", "0"}, usage, {"--groups: '0' is not a whole number from 1"}},
      {{"run", "--tolerance", "-1"}, usage, {"--tolerance: '-1' is not a number from 0"}},
      {{"compare", "--schemes", "ring,ring"}, usage, {"--schemes: 'ring' is there twice"}},
      {{"run", "--dataset", "a8a"}, usage, {"no data set named 'a8a'", "did you mean 'a9a'?"}},
      {{"run", "--model", "logstic"}, usage, {"--model", "'logstic'", "did you mean 'logistic'?"}},
      {{"run", "--model", "mlp"}, usage, {"--model", "'mlp'", "mlp:H1,H2"}},
      {{"run", "--model", "mlp:0"}, usage, {"--model", "'0' is not a whole number from 1"}},
      {{"run", "--model", "mlp:abc"}, usage, {"--model", "'abc' is not a whole number"}},
      {{"run", "--model", "mlp:8,"}, usage, {"--model", "'' is not a whole number"}},
      {{"run", "--model", "logistic:3"}, usage, {"--model", "to be written logistic"}},
      {{"run", "--topology", "rung"}, usage, {"--topology", "'rung'", "did you mean 'ring'?"}},
      {{"run", "--topology", "base:1"}, usage, {"--topology", "'1' is not a whole number from 2"}},
      {{"run", "--topology", "ring:3"}, usage, {"--topology", "is to be written ring"}},
      {{"run", "--topology", "file"}, usage, {"--topology", "is to be written file:PATH"}},
      {{"topology"}, usage, {"topology of which name?", "list topologies"}},
      {{"topology", "rnig"}, usage, {"no topology named 'rnig'", "did you mean 'ring'?"}},
      {{"consensus", "--topology", "rnig"}, usage, {"--topology", "did you mean 'ring'?"}},
      {{"run", "--time", "wal"}, usage, {"--time: 'wal'", "auto, wall, virtual", "'wall'?"}},
      {{"run", "--bandwidth", "1e-9bps"}, usage, {"--bandwidth", "longer than a run can last"}},
      {{"run", "--time", "virtual", "--compute-time", "1000h", "--steps", "100", "--quiet"},
       failed,
       {"106 days"}},
      {{"run", "--time", "virtual", "--latency", "2400h", "--steps", "3", "--quiet"},
       failed,
       {"106 days"}},
      {{"run", "--ports", "open"}, usage, {"--ports: 'open'", "circuit, cutthrough"}},
      {{"run", "--placement", "left"}, usage, {"--placement: 'left'", "compact, scatter, none"}},
      {{"run", "--format", "xml"}, usage, {"--format: 'xml'", "table, json, csv"}},
      {{"run", "--data-format", "arff"},
       usage,
       {"--data-format: 'arff'", "libsvm, csv, tsv, idx, npy"}},
      {{"run", "--partition", "even"}, usage, {"--partition", "'even'", "iid, contiguous, shards"}},
  };
}

std::vector<BadInput> wrong_numbers() {
  return {
      {{"run", "--workers", "0"},
       usage,
       {"--workers: '0' is not a whole number from 1 to 1000000"}},
      {{"run", "--workers", "-3"}, usage, {"--workers: '-3' is not a whole number from 1"}},
      {{"run", "--workers", "1e9"}, usage, {"--workers: '1e9' is not a whole number", "1000000"}},
      {{"run", "--workers", "2.5"}, usage, {"--workers: '2.5' is not a whole number"}},
      {{"run", "--workers", "99999999999999999999"}, usage, {"--workers: '99999999999999999999'"}},
      {{"run", "--workers", "8x"}, usage, {"--workers: '8x' is not a whole number"}},
      {{"run", "--workers", ""}, usage, {"--workers: the value is empty; expected N"}},
      {{"topology", "ring", "--workers", "4,0"}, usage, {"--workers: '0'", "from 1 to 2048"}},
      {{"topology", "ring", "--size", "x"}, usage, {"--size: 'x'"}},
      {{"consensus", "--rounds", "-1"}, usage, {"--rounds: '-1'", "from 0 to"}},
      {{"consensus", "--workers", "0"}, usage, {"--workers: '0'"}},
      {{"run", "--servers", "0"}, usage, {"--servers: '0' is not a whole number from 1"}},
      {{"run", "--steps", "0"}, usage, {"--steps: '0' is not a whole number from 1"}},
      {{"run", "--epochs", "0"}, usage, {"--epochs: '0' is not greater than 0"}},
      {{"run", "--seconds", "0"}, usage, {"--seconds: '0' is not from 1e-9"}},
      {{"run", "--seconds", "1e9"}, usage, {"--seconds: '1e9' is not from 1e-9 to 9000000"}},
      {{"run", "--target-loss", "nan"}, usage, {"--target-loss: 'nan' is not a finite number"}},
      {{"run", "--evaluate-every", "-1"}, usage, {"--evaluate-every: '-1' is not greater than 0"}},
      {{"run", "--seed", "-1"}, usage, {"--seed: '-1' is not a whole number from 0"}},
      {{"run", "--batch", "0"}, usage, {"--batch: '0' is not a whole number from 1"}},
      {{"run", "--batch", "1e9"}, usage, {"--batch: 1000000000 rows", "20000 training rows"}},
      {{"run", "--lr", "0"}, usage, {"--lr: '0' is not greater than 0"}},
      {{"run", "--lr", "inf"}, usage, {"--lr: 'inf' is not a finite number"}},
      {{"run", "--lr-decay", "-1"}, usage, {"--lr-decay: '-1' is not 0 or greater"}},
      {{"run", "--momentum", "1"}, usage, {"--momentum: '1' is not at least 0 and less than 1"}},
      {{"run", "--beta1", "1"}, usage, {"--beta1: '1' is not at least 0 and less than 1"}},
      {{"run", "--beta2", "-0.1"}, usage, {"--beta2: '-0.1' is not at least 0"}},
      {{"run", "--optimizer", "adm"}, usage, {"--optimizer: 'adm' is not one of sgd", "'adam'"}},
      {{"run", "--lr-schedule", "linear"}, usage, {"--lr-schedule: 'linear' is not constant"}},
      {{"run", "--lr-schedule", "step"}, usage, {"--lr-schedule: 'step'", "step:EVERY:FACTOR"}},
      {{"run", "--lr-schedule", "step:3"}, usage, {"--lr-schedule: 'step:3'", "'step:30:0.1'"}},
      {{"run", "--lr-schedule", "step:0:0.5"}, usage, {"--lr-schedule", "both above 0"}},
      {{"run", "--lr-schedule", "step:3:x"}, usage, {"--lr-schedule: 'x' is not a finite number"}},
      {{"run", "--lr-schedule", "cosine:5"}, usage, {"--lr-schedule: 'cosine:5'"}},
      {{"run", "--warmup", "-1"}, usage, {"--warmup: '-1' is not 0 or greater"}},
  };
}

std::vector<BadInput> wrong_numbers_of_schemes_and_networks() {
  return {
      {{"run", "--participation", "1.5"}, usage, {"--participation: '1.5' is not a number from 0"}},
      {{"run", "--delta", "1"}, usage, {"--delta: '1' is not a number from 0 to 0.999999"}},
      {{"run", "--fan-out", "0"}, usage, {"--fan-out: '0' is not a whole number from 1"}},
      {{"run", "--fetch-period", "0"}, usage, {"--fetch-period: '0' is not a whole number from 1"}},
      {{"run", "--l2", "-1"}, usage, {"--l2: '-1' is not 0 or greater"}},
      {{"run", "--missing", "none"}, usage, {"--missing: 'none'", "error, mean, drop"}},
      {{"run", "--scale", "max"}, usage, {"--scale: 'max'", "none, standard, minmax, unit-rows"}},
      {{"run", "--data-seed", "-1"}, usage, {"--data-seed: '-1' is not a whole number from 0"}},
      {{"run", "--partition", "dirichlet:-1"}, usage, {"--partition", "'dirichlet:-1'", "above 0"}},
      {{"run", "--partition", "dirichlet:x"}, usage, {"--partition: 'x' is not a finite number"}},
      {{"run", "--latency", "-1ms"}, usage, {"--latency: '-1ms' is negative", "'20ms'"}},
      {{"run", "--latency", "5"}, usage, {"--latency: '5' is not a duration", "ms, s, min or h"}},
      {{"run", "--latency", "200000h"}, usage, {"--latency", "106 days"}},
      {{"run", "--bandwidth", "5 bananas"}, usage, {"--bandwidth: '5 bananas'", "Gbps", "MB/s"}},
      {{"run", "--bandwidth", "0Gbps"}, usage, {"--bandwidth: '0Gbps'", "> 0"}},
      {{"run", "--bandwidth", "-1Gbps"}, usage, {"--bandwidth: '-1Gbps' is negative"}},
      {{"run", "--compute-time", "3"}, usage, {"--compute-time: '3' is not a duration"}},
      {{"run", "--straggler", "3"}, usage, {"--straggler: '3' is not RANK:FACTOR", "'3:10'"}},
      {{"run", "--straggler", "8:2"}, usage, {"--straggler: there is no worker 8", "0 to 7"}},
      {{"run", "--straggler", "1:0.5"}, usage, {"--straggler: '0.5' is not a factor from 1"}},
      {{"run", "--straggler", "-1:2"}, usage, {"--straggler: '-1' is not a whole number from 0"}},
      {{"run", "--scheme", "ps-backup", "--backups", "8"},
       usage,
       {"--backups: 8 of 8 workers", "at most 7"}},
      {{"run", "--scheme", "gradient-coding", "--stragglers", "-1"},
       usage,
       {"--stragglers: '-1' is not a whole number from 0"}},
      {{"run", "--time", "wall", "--compute-noise", "memoryless"},
       usage,
       {"--compute-noise: memoryless needs --time virtual", "exponential:SCALE"}},
      {{"run", "--compute-noise", "normal"},
       usage,
       {"--compute-noise: 'normal' is not none, memoryless or exponential:SCALE"}},
      {{"run", "--straggler", "0:2,"}, usage, {"--straggler: '' is not RANK:FACTOR"}},
      {{"run", "--straggler", "0:2,0:3"}, usage, {"--straggler: worker 0 is there twice"}},
  };
}

/// Each alone is right; together they are not.
std::vector<BadInput> wrong_together() {
  return {
      {{"run", "--scheme", "hogwild", "--momentum", "0.9"},
       usage,
       {"--momentum: hogwild takes none"}},
      {{"run", "--scheme", "easgd", "--optimizer", "adam"},
       usage,
       {"--optimizer adam: easgd takes sgd without momentum"}},
      {{"run", "--scheme", "fedavg", "--optimizer", "adagrad"},
       usage,
       {"--optimizer adagrad: fedavg takes sgd without momentum"}},
      {{"run", "--optimizer", "nesterov"}, usage, {"--optimizer nesterov", "--momentum above 0"}},
      {{"run", "--lr-schedule", "cosine", "--lr-decay", "0.1"},
       usage,
       {"--lr-decay: it belongs to --lr-schedule inverse-time; with cosine leave it 0"}},
      {{"run", "--lr-schedule", "cosine", "--seconds", "1"},
       usage,
       {"--lr-schedule cosine", "--epochs or --steps"}},
      {{"compare", "--schemes", "hogwild", "--momentum", "0.9"},
       usage,
       {"--momentum: hogwild takes none"}},
      {{"run", "--dataset", "blobs", "--model", "logistic"},
       usage,
       {"'logistic' needs two classes", "has 10", "softmax"}},
      {{"run", "--scheme", "gossip", "--topology", "hypercube", "--workers", "6"},
       usage,
       {"--topology: hypercube: 6 workers are not a power of two", "nearest are 4 and 8"}},
      {{"topology", "hypercube", "--workers", "8,6"}, usage, {"hypercube: 6 workers are not"}},
      {{"topology", "ring", "--workers", "4,8", "--svg", "ring.svg"},
       usage,
       {"--svg: one figure shows one number"}},
      {{"run", "--workers", "30000"}, usage, {"30000 workers need at least", "has 20000"}},
      {{"run", "--workers", "5000", "--time", "wall"}, usage, {"--workers: 5000 ranks", "4096"}},
      {{"run", "--time", "virtual", "--compute-time", "0", "--latency", "0us", "--bandwidth",
        "infinite", "--seconds", "1"},
       usage,
       {"--seconds: nothing takes time here", "--epochs or --steps"}},
      {{"run", "--test", "t.svm"}, usage, {"--test t.svm", "brings its own test rows"}},
  };
}

const char* const label_header = "\x00\x00\x08\x01\x00\x00\x00\x09";

/// The files that wrong_data() and wrong_configurations() name.
void write_files(const TemporaryFolder& folder) {
  const std::string rows = "+1 1:0.5 3:1\n-1 2:1\n+1 1:1\n-1 3:2\n+1 2:2\n";
  folder.write("five.svm", rows);
  folder.write("empty.svm", "");
  folder.write("cut.svm.gz", gzipped(rows + rows + rows).substr(0, 25));
  folder.write("binary.svm", std::string("\x7f"
                                         "ELF\x02\x01\x01\x00\x00\xff\xfe\n\x00",
                                         13));
  folder.write("index-zero.svm", "+1 1:1\n-1 0:1\n");
  folder.write("falling.svm", "+1 3:1 2:1\n-1 1:1\n");
  folder.write("repeated.svm", "+1 2:1 2:1\n-1 1:1\n");
  folder.write("nan.svm", "+1 1:1\n-1 1:nan\n");
  folder.write("inf.svm", "+1 1:1\n-1 1:inf\n");
  folder.write("overflow.svm", "+1 1:1e999\n-1 1:1\n");
  folder.write("huge.svm", "+1 1:1\n-1 1000000000000:1\n");
  folder.write("no-colon.svm", "+1 1:1\n-1 17\n");
  folder.write("three.csv", "1,2,3\n0,2,3\n");
  folder.write("ragged.csv", "1,2,3\n0,2\n");
  folder.write("words.csv", "1,2,3\n0,two,3\n");
  folder.write("short-images-idx3-ubyte", idx_bytes({9, 2, 2}, "twelve bytes"));
  folder.write("short-labels-idx1-ubyte", std::string(label_header, 8) + "123456789");
  folder.write("lonely.idx", idx_bytes({1, 2, 2}, "1234"));

  folder.write("key.toml", "[run]\nworkers = 2\nworkesr = 3\n");
  folder.write("section.toml", "\n[optimiser]\nlr = 1\n");
  folder.write("syntax.toml", "[run]\nworkers = = 3\n");
  folder.write("twice.toml", "[run]\nworkers = 2\nworkers = 3\n");
  folder.write("type.toml", "[run]\n\nworkers = [1, 2]\n");
  folder.write("value.toml", "[run]\n\n\nworkers = 0\n");
  folder.write("unit.toml", "[network]\nlatency = 5\n");
  folder.write("name.toml", "[run]\nscheme = \"rign\"\n");
  folder.write("model.toml", "[model]\nl2 = 0\nmodel = \"mpl:3\"\n");
  folder.write("switch.toml", "[output]\nquiet = 1\n");
  folder.write("no-section.toml", "workers = 2\n");
  std::string dots = "workers";
  for (int i = 0; i < 60000; ++i) dots += ".a";
  folder.write("dots.toml", "[run]\n\n" + dots + " = 3\n");
  folder.write("not-a-section.toml", "run = 2\n");
  folder.write("taken/ring/summary.json", "{}");
  folder.write("taken/ring/config.toml", "# Written by trainyard\n");
  folder.write("shared/ring/notes.txt", "not a run's");
  folder.write("left/gossip.partial/config.toml", "# Written by trainyard\n");
  folder.write("left/gossip.partial/metrics.jsonl", "{}");
  folder.write("file", "not a folder");
}

std::vector<BadInput> wrong_data() {
  return {
      {{"run", "--dataset", "nowhere.svm"}, data, {"nowhere.svm", "no such file"}},
      {{"run", "--dataset", "a9a", "--data-dir", "void"},
       data,
       {"a9a", "void/a9a", "fetch_datasets"}},
      {{"run", "--dataset", "empty.svm"}, data, {"empty.svm: found no rows", "at least one"}},
      {{"run", "--dataset", "./"}, data, {"./: found a directory", "expected a file"}},
      {{"run", "--dataset", "cut.svm.gz"}, data, {"cut.svm.gz", "ends early", "truncated"}},
      {{"run", "--dataset", "binary.svm"}, data, {"binary.svm: holds bytes of 0", "no text"}},
      {{"run", "--dataset", "index-zero.svm", "--first-index", "1"},
       data,
       {"index-zero.svm:2:4", "index 0", "from 1"}},
      {{"run", "--dataset", "falling.svm"}, data, {"falling.svm:1:8", "2 after 3", "increasing"}},
      {{"run", "--dataset", "repeated.svm"}, data, {"repeated.svm:1:8", "2 after 2", "increasing"}},
      {{"run", "--dataset", "nan.svm"}, data, {"nan.svm:2:6", "'nan'", "finite number"}},
      {{"run", "--dataset", "inf.svm"}, data, {"inf.svm:2:6", "'inf'", "finite number"}},
      {{"run", "--dataset", "overflow.svm"}, data, {"overflow.svm:1:6", "'1e999'"}},
      {{"run", "--dataset", "huge.svm"}, data, {"huge.svm:2:4", "1000000000000", "at most"}},
      {{"run", "--dataset", "no-colon.svm"}, data, {"no-colon.svm:2:4", "17"}},
      {{"run", "--dataset", "three.csv", "--label-column", "7"},
       usage,
       {"--label-column 7: three.csv has 3 columns", "a number from 0 to 2"}},
      {{"run", "--dataset", "ragged.csv"}, data, {"ragged.csv:2", "columns"}},
      {{"run", "--dataset", "words.csv"}, data, {"words.csv:2:3", "'two'", "expected a number"}},
      {{"run", "--dataset", "short-images-idx3-ubyte"},
       data,
       {"short-images-idx3-ubyte", "promises 9", "ends after 3"}},
      {{"run", "--dataset", "lonely.idx"}, data, {"lonely.idx", "no file of labels"}},
      {{"run", "--dataset", "five.svm", "--test", "nowhere.svm"}, data, {"nowhere.svm", "no such"}},
      {{"run", "--dataset", "five.svm"}, usage, {"--workers: 8 workers", "five.svm has 5"}},
      {{"run", "--dataset", "five.svm", "--workers", "2"},
       usage,
       {"--batch: 32 rows", "5 training"}},
  };
}

std::vector<BadInput> wrong_configurations() {
  return {
      {{"run", "nowhere.toml"}, usage, {"nowhere.toml: no such file"}},
      {{"run", "a\033[31mb"}, usage, {"a\\x1b[31mb: no such file"}},
      {{"run", "dots.toml"}, usage, {"dots.toml:3: found more than 64 dots", "KEY = VALUE"}},
      {{"run", "taken"}, usage, {"taken: found a directory; expected a TOML file"}},
      {{"run", "binary.svm"}, data, {"binary.svm: holds bytes of 0"}},
      {{"run", "key.toml"}, usage, {"key.toml:3", "[run]", "'workesr'", "did you mean 'workers'?"}},
      {{"run", "section.toml"}, usage, {"section.toml:2", "'optimiser'", "'optimizer'?"}},
      {{"run", "syntax.toml"}, usage, {"syntax.toml:2", "value"}},
      {{"run", "twice.toml"}, usage, {"twice.toml:3", "workers"}},
      {{"run", "type.toml"}, usage, {"type.toml:3: workers", "found a list", "a number"}},
      {{"run", "value.toml"}, usage, {"value.toml:4: workers: '0' is not a whole number from 1"}},
      {{"run", "unit.toml"}, usage, {"unit.toml:2: latency: '5' is not a duration"}},
      {{"run", "name.toml"}, usage, {"name.toml:2: scheme", "'rign'", "did you mean 'ring'?"}},
      {{"run", "model.toml"}, usage, {"model.toml:3: model", "'mpl'", "known: logistic"}},
      {{"run", "switch.toml"}, usage, {"switch.toml:2: quiet: '1' is not one of false, true"}},
      {{"run", "no-section.toml"}, usage, {"no-section.toml:1: no section named 'workers'"}},
      {{"run", "not-a-section.toml"}, usage, {"not-a-section.toml:1", "expected it as a section"}},
      {{"compare", "key.toml"}, usage, {"key.toml:3", "'workesr'"}},
      {{"run", "--out", "taken"}, usage, {"--out: taken/ring exists", "--force"}},
      {{"run", "--out", "shared", "--force"},
       usage,
       {"--out: shared/ring exists and holds 'notes.txt', which no run wrote"}},
      {{"compare", "--out", "left"}, usage, {"--out: left/gossip.partial exists", "--force"}},
      {{"run", "--out", "file/results", "--steps", "1", "--quiet"},
       usage,
       {"--out: cannot write to file/results"}},
      {{"run", "--out", "/proc/results", "--steps", "1", "--quiet"},
       usage,
       {"--out: cannot write to /proc/results"}},
  };
}

}  // namespace

TEST_CASE("bad input gets a message, its exit status and nothing else", "[app]") {
  const TemporaryFolder folder;
  write_files(folder);
  for (const auto& rows :
       {wrong_words(), wrong_names(), wrong_numbers(), wrong_numbers_of_schemes_and_networks(),
        wrong_together(), wrong_data(), wrong_configurations()}) {
    for (const BadInput& row : rows) {
      std::string line = "trainyard";
      for (const std::string& word : row.arguments) line += " '" + word + "'";
      INFO(line);
      const Outcome outcome = run_program(row.arguments, {.folder = folder.path()});
      INFO(outcome.errors);
      CHECK(outcome.status == row.status);
      CHECK(outcome.output.empty());
      CHECK_THAT(outcome.errors, ContainsSubstring("trainyard: "));
      for (const std::string& part : row.message) {
        CHECK_THAT(outcome.errors, ContainsSubstring(part));
      }
    }
  }
}

TEST_CASE("a message is one line, and the program prints nothing before it", "[app]") {
  const Outcome outcome = run_program({"run", "--dataset", "blobs", "--model", "logistic"});
  CHECK(std::ranges::count(outcome.errors, '\n') == 1);
  CHECK(outcome.errors.starts_with("trainyard: "));
}

TEST_CASE("a run that diverges says so and keeps its results", "[app]") {
  for (const std::string model : {"logistic", "mlp:8"}) {
    const TemporaryFolder folder;
    const Outcome outcome =
        run_program({"run", "--lr", "1e9", "--model", model, "--quiet", "--out", "results"},
                    {.folder = folder.path()});
    INFO(outcome.errors);
    CHECK(outcome.status == 4);
    CHECK_THAT(outcome.output, ContainsSubstring("DIVERGED"));
    CHECK_THAT(outcome.errors, ContainsSubstring("ring diverged"));
    CHECK_THAT(outcome.errors, ContainsSubstring("smaller --lr"));
    for (const char* file : {"config.toml", "metrics.jsonl", "summary.json", "model.npy"}) {
      CHECK(std::filesystem::exists(folder.path() / "results" / "ring" / file));
    }
    CHECK_THAT(read_file(folder.path() / "results/ring/summary.json"),
               ContainsSubstring("\"diverged\": true") &&
                   ContainsSubstring("\"text\": \"warning: diverged: after "));
  }
}

}  // namespace trainyard
