// What is predicted of schemes that go by keys, from how much of the model a minibatch touches.
#include <vector>

#include "trainyard/analysis/prediction.hpp"

#include "support/catch.hpp"
#include "support/contestants.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

constexpr std::size_t parameters = 4000, touched = 200;
constexpr int workers = 8;
constexpr double latency_s = 1e-4, bytes_per_s = 125e6, compute_s = 1e-3;

PredictionSetting setting() {
  PredictionSetting s;
  s.configuration.workers = workers;
  s.configuration.network.latency = std::chrono::microseconds(100);
  s.configuration.network.bytes_per_second = bytes_per_s;
  s.configuration.compute_time = std::chrono::milliseconds(1);
  s.parameters = parameters;
  s.touched_by = [](std::size_t) { return static_cast<double>(touched) / parameters; };
  return s;
}

/// α + βb
double message_s(std::size_t bytes) {
  return latency_s + static_cast<double>(bytes) / bytes_per_s;
}
const double push_s = message_s(4 + 8 * touched), pull_s = message_s(4 * touched);

/// Each row has as many features, others than the next one's.
LoadedData rows_of_as_many() {
  Dataset data;
  data.rows = 64;
  data.features = parameters;
  data.sparse = true;
  data.labels = AlignedBuffer<Label>::zeroed(data.rows);
  data.row_begin = AlignedBuffer<std::uint64_t>(data.rows + 1);
  data.columns = AlignedBuffer<std::uint32_t>(data.rows * touched);
  data.values = AlignedBuffer<float>(data.rows * touched);
  for (std::size_t row = 0; row <= data.rows; ++row) data.row_begin[row] = row * touched;
  for (std::size_t i = 0; i < data.columns.size(); ++i) {
    const std::size_t row = i / touched, place = i % touched;
    data.columns[i] =
        static_cast<std::uint32_t>(place * (parameters / touched) + row % (parameters / touched));
    data.values[i] = 0.1F;
  }
  return {"rows", std::move(data), {}};
}

}  // namespace

TEST_CASE("closed forms by keys have pushes and pulls of their lengths",
          "[analysis][sparse-wire]") {
  struct Row {
    const char* scheme;
    double seconds;
  };
  for (const Row& row : {Row{"ps-sync", compute_s + workers * (push_s + pull_s)},
                         Row{"ps-async", compute_s + workers * push_s + pull_s},
                         Row{"staleness-aware", compute_s + workers * push_s + pull_s},
                         Row{"ps-backup", compute_s + (workers - 1) * push_s + workers * pull_s}}) {
    CAPTURE(row.scheme);
    PredictionSetting s = setting();
    CHECK(predict(test::contestant(row.scheme), s).closed_form_s.value() ==
          Approx(row.seconds).epsilon(1e-9));
    // A run's first step lists its own keys as well.
    Configuration c = test::quick(row.scheme, workers, 1);
    c.network = s.configuration.network;
    c.batch = 1;
    const double listed_s = 4.0 * touched / bytes_per_s;
    const double first_s = test::train(c, rows_of_as_many()).summary.seconds;
    const bool drops_one = std::string(row.scheme) == "ps-backup";
    const bool is_waited_for = std::string(row.scheme) == "ps-sync" || drops_one;
    if (is_waited_for) {
      CHECK(first_s == Approx(row.seconds + (workers - (drops_one ? 1 : 0)) * listed_s));
    } else {
      CHECK(first_s == Approx(row.seconds + workers * listed_s));
    }
    s.configuration.sparse_wire = SparseWire::off;
    CHECK(predict(test::contestant(row.scheme), s).closed_form_s.value() > 3.0 * row.seconds / 2.0);
  }
  CHECK(predict(test::contestant("ring"), setting()).closed_form_s.value() ==
        Approx(compute_s + 2 * (workers - 1) * message_s(4 * parameters / workers)));
}

TEST_CASE("what is played by keys sends what is touched", "[analysis][sparse-wire]") {
  for (const int servers : {1, 2}) {
    CAPTURE(servers);
    PredictionSetting s = setting();
    s.configuration.servers = servers;
    const double keyed = workers * (4.0 * servers + 8 * touched + 4 * touched);
    for (const char* scheme : {"ps-sync", "ps-async", "dc-asgd-c"}) {
      CAPTURE(scheme);
      CHECK(predict(test::contestant(scheme), s).bytes == Approx(keyed).epsilon(0.01));
    }
    s.configuration.sparse_wire = SparseWire::off;
    CHECK(predict(test::contestant("ps-sync"), s).bytes == Approx(8.0 * workers * parameters));
    s.configuration.sparse_wire = SparseWire::automatic;
    s.touched_by = [](std::size_t) { return 0.6; };  // not shorter
    CHECK(predict(test::contestant("ps-sync"), s).bytes == Approx(8.0 * workers * parameters));
  }
}
