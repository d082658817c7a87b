// A parameter server behind proxies.
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

TEST_CASE("ps-hierarchical follows ps-sync, whatever the groups",
          "[scheme][rule:ps-hierarchical]") {
  const auto golden = test::golden_trajectories();
  for (const int groups : {1, 2, 3, 5, 9}) {
    Configuration c = test::golden_configuration(golden, "ps-hierarchical");
    c.servers = groups;
    test::check_synchronous(golden, c, "psgd_mean");
  }
}

TEST_CASE("with momentum and decay too, and in one group to the last bit", "[scheme]") {
  const LoadedData data = test::sparse_problem();
  Configuration c = quick("ps-sync", 6, 50);
  c.optimizer.momentum = 0.7;
  c.optimizer.lr_decay = 0.2;
  c.l2 = 1e-3;
  const Summary sync = train(c, data).summary;
  c.scheme = "ps-hierarchical";
  CHECK(train(c, data).summary.model_hash == sync.model_hash);
  c.servers = 4;
  CHECK(train(c, data).summary.train_loss == Approx(sync.train_loss).epsilon(1e-5));
}

TEST_CASE("G groups of g workers: a step takes c + 2(g + G)(α + t)", "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);
  struct Row {
    int workers, groups;
  };
  for (const Row& row : {Row{1, 1}, Row{4, 1}, Row{4, 2}, Row{6, 3}, Row{8, 2}, Row{9, 3}}) {
    CAPTURE(row.workers, row.groups);
    Configuration c = quick("ps-hierarchical", row.workers, 5);
    c.servers = row.groups;
    c.compute_time = seconds(3.0);
    c.network = {.latency = seconds(1.5), .bytes_per_second = 840 * 4 / 5.0};
    const Summary s = train(c, data).summary;
    const int members = row.workers / row.groups;
    CHECK(s.servers == row.groups + 1);
    CHECK(s.messages == 5U * 2U * static_cast<unsigned>(row.workers + row.groups));
    c.steps = 1;
    CHECK(train(c, data).summary.seconds ==
          Approx(3.0 + 2 * (members + row.groups) * 6.5).epsilon(1e-12));
  }
}

TEST_CASE("groups that are racks: only proxies talk between racks", "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);
  Configuration c = quick("ps-hierarchical", 12, 1);
  c.servers = 3;
  c.network = {.latency = seconds(1.0)};
  c.network.racks = 3;
  c.network.between_latency = seconds(100.0);
  // The root stands in rack 0, as proxy 0 does: three pushes and three answers, two of each far.
  const double hierarchical = train(c, data).summary.seconds;
  CHECK(hierarchical == Approx(1e-3 + 2 * 4 * 1.0 + 2 * (1.0 + 2 * 100.0)).epsilon(1e-9));
  c.scheme = "ps-sync";
  c.servers = 1;
  CHECK(train(c, data).summary.seconds == Approx(1e-3 + 2 * (4 * 1.0 + 8 * 100.0)).epsilon(1e-9));
}
